package store_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"housecount/apiclient/record"
)

// The store goes by hashes of what it stores, and record.Newer by what the records say: they
// agree on what replaces a record, what comes late, and what is the same.
func testAgreesWithNewer(t *testing.T, database string) {
	dice := rand.New(rand.NewPCG(1, 2))
	elsewhere := time.FixedZone("elsewhere", 3600)
	at := func() time.Time {
		switch n := dice.IntN(5); n {
		case 0:
			return time.Time{}
		case 1:
			return noon.In(elsewhere)
		default:
			return noon.Add(time.Duration(n/2) * time.Microsecond)
		}
	}
	yes := func() bool { return dice.IntN(2) == 0 }
	some := func(id string) record.Record {
		var amount *record.Money
		if yes() {
			amount = &record.Money{Amount: int64(dice.IntN(2)), Currency: "EUR"}
		}
		switch id[0] {
		case 'e':
			e := &record.Event{ID: id, Title: "x", Date: "2026-11-21", StartsAt: at(), UpdatedAt: at(), Deleted: dice.IntN(6) == 0}
			if yes() {
				e.Available = new(dice.IntN(2))
			}
			if yes() {
				e.TicketTypes = []record.TicketType{{ID: "a", Name: "A", Price: amount}}
			}
			return e
		case 'p':
			return &record.Payment{ID: id, EventID: "e", Amount: record.Money{Amount: 5, Currency: "EUR"}, AmountRefunded: amount,
				Status: record.PaymentPaid, PaidAt: at(), UpdatedAt: at(), Deleted: dice.IntN(6) == 0}
		}
		k := &record.Ticket{ID: id, EventID: "e", Status: record.TicketValid, Price: amount, UpdatedAt: at(), Deleted: dice.IntN(6) == 0}
		if yes() {
			k.Admits = new(yes())
		}
		switch dice.IntN(3) {
		case 0:
			k.Scans = []record.Scan{}
		case 1:
			k.Scans = []record.Scan{{At: at(), Gate: "north"}}
		}
		return k
	}
	var first, second []record.Record
	for i := range 1500 {
		id := fmt.Sprintf("%c%d", "ept"[i%3], i)
		first, second = append(first, some(id)), append(second, some(id))
	}
	l := openLog(t, database)
	l.append(t, first...)
	l.append(t, second...)
	stored := map[string]string{} // of the second of each: head, late
	for _, v := range versions(t, l.Records, int64(len(first))) {
		stored[v.Record.RecordID()] = map[bool]string{true: "head", false: "late"}[v.Head]
	}
	counts := map[string]int{}
	for i, b := range second {
		want := ""
		switch a := first[i]; {
		case record.Newer(a, b) && record.Damage(b, a, b.RecordUpdated().IsZero() || a.RecordUpdated().Equal(b.RecordUpdated())) != nil:
			want = "" // refused
		case record.Newer(a, b):
			want = "head"
		case record.Newer(b, a):
			want = "late"
		}
		counts[want]++
		if got := stored[b.RecordID()]; got != want {
			t.Errorf("%+v after %+v is stored as %q, want %q", b, first[i], got, want)
		}
	}
	if counts["head"] < 50 || counts["late"] < 50 || counts[""] < 10 {
		t.Errorf("the pairs are %v", counts)
	}
}
