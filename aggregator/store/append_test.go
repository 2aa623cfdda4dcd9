package store_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/store/pgtest"
	"housecount/apiclient/record"
)

func testAppendNewer(t *testing.T, database string) {
	l := openLog(t, database)
	l.put(t, 0, 0)
	l.put(t, 2, 2, ticket("a", 1, record.TicketReserved), ticket("b", 1, record.TicketValid))
	l.put(t, 0, 2, ticket("b", 1, record.TicketValid))
	l.put(t, 1, 3, ticket("c", 0, record.TicketValid))
	l.put(t, 1, 4, ticket("a", 2, record.TicketValid))
	// The same id of another kind is another record.
	l.put(t, 2, 6, &record.Payment{ID: "a"}, &record.Event{ID: "a"})
	l.check(t, 1, "2:t:b 3:t:c 4:t:a 5:p:a 6:e:a")
	for _, v := range versions(t, l.Records, 0) {
		if !v.SeenAt.Equal(noon) || !v.Memory.IsZero() {
			t.Errorf("version %+v, want seen at noon and nothing remembered", v)
		}
	}
}

func testAppendRepeats(t *testing.T, database string) {
	l := openLog(t, database)
	l.put(t, 3, 3,
		ticket("a", 2, record.TicketValid),
		ticket("a", 1, record.TicketReserved), // older
		ticket("a", 2, record.TicketValid),    // again
		ticket("a", 1, record.TicketReserved), // older, again
		ticket("a", 3, record.TicketVoid),     // newer
	)
	l.check(t, 0, "1:t:a 2:t:a:late 3:t:a")
	if got := heads(t, l.Records, record.KindTicket); got != "a:void" {
		t.Errorf("heads %s", got)
	}
}

// Ids are the service's, whatever they hold.
func testOddIDs(t *testing.T, database string) {
	l := openLog(t, database)
	var records []record.Record
	for _, id := range []string{"1", "01", "-1", "1.0", "A", "a", "a ", `"`, `\`, `\u0041`, "\n\t\x01", "<&>", "$.a", "é", "e\u0301", "🎭", "null", "{", ","} {
		records = append(records, ticket(id, 1, record.TicketValid))
	}
	n := int64(len(records))
	l.put(t, int(n), n, records...)
	l.put(t, 0, n, records...)
	for i, r := range records {
		records[i] = ticket(r.RecordID(), 2, record.TicketVoid)
	}
	l.put(t, int(n), 2*n, records...)
	l.put(t, 0, 2*n, records...)
}

func testAppendWithoutTimes(t *testing.T, database string) {
	l := openLog(t, database)
	untimed := func(status record.TicketStatus) *record.Ticket { return &record.Ticket{ID: "a", Status: status} }
	l.put(t, 1, 1, untimed(record.TicketReserved))
	l.put(t, 0, 1, untimed(record.TicketReserved))
	l.put(t, 1, 2, untimed(record.TicketValid))
	l.put(t, 1, 3, untimed(record.TicketReserved)) // back again
	l.put(t, 1, 4, ticket("a", 1, record.TicketValid))
	l.put(t, 1, 5, ticket("a", 1, record.TicketVoid)) // at the same time, something else
	l.put(t, 1, 6, untimed(record.TicketRefunded))
	l.check(t, 0, "1:t:a 2:t:a 3:t:a 4:t:a 5:t:a 6:t:a")
}

func testLateVersions(t *testing.T, database string) {
	l := openLog(t, database)
	l.put(t, 2, 2, ticket("a", 5, record.TicketValid), ticket("b", 5, record.TicketValid))
	l.put(t, 1, 3, ticket("a", 2, record.TicketReserved))
	l.put(t, 1, 4, ticket("a", 1, record.TicketReserved))
	// Stored already, wherever it stands.
	l.put(t, 0, 4, ticket("a", 1, record.TicketReserved), ticket("a", 2, record.TicketReserved), ticket("a", 5, record.TicketValid))
	l.put(t, 1, 5, ticket("a", 6, record.TicketVoid))
	l.put(t, 0, 5, ticket("a", 5, record.TicketValid), ticket("a", 2, record.TicketReserved))
	l.check(t, 0, "1:t:a 2:t:b 3:t:a:late 4:t:a:late 5:t:a")
	if got := heads(t, l.Records, record.KindTicket); got != "a:void b:valid" {
		t.Errorf("heads %s", got)
	}
}

// A version that the service dates more than a day ahead does not keep later ones from taking
// its place: its time is as if it gave none, also when that day has come near.
func testDatedAhead(t *testing.T, database string) {
	const day = 24 * 60 // minutes
	l := openLog(t, database)
	l.put(t, 3, 3, ticket("a", 40*day, record.TicketReserved), ticket("b", day, record.TicketReserved), ticket("c", 40*day, record.TicketReserved))
	l.put(t, 2, 5, ticket("a", 1, record.TicketValid), ticket("b", 1, record.TicketValid))
	if got := heads(t, l.Records, record.KindTicket); got != "a:valid b:reserved c:reserved" {
		t.Errorf("heads %s", got)
	}
	near := 40*day - 60
	seen := noon.Add(time.Duration(near) * time.Minute)
	if _, err := l.Append(t.Context(), aggregator.Batch{Term: l.term, SeenAt: seen, Records: []record.Record{ticket("c", near, record.TicketValid)}}); err != nil {
		t.Fatal(err)
	}
	// As one that was stored with its time before such times were left out.
	l.put(t, 1, 7, ticket("d", 0, record.TicketReserved))
	datedAhead(t, database, noon.Add(40*24*time.Hour))
	l.put(t, 1, 8, ticket("d", 1, record.TicketValid))
	l.put(t, 1, 9, ticket("b", 50*day, record.TicketVoid))
	if got := heads(t, l.Records, record.KindTicket); got != "a:valid b:void c:valid d:valid" {
		t.Errorf("heads %s", got)
	}
}

// datedAhead has the head of d be of a time.
func datedAhead(t *testing.T, database string, at time.Time) {
	t.Helper()
	statement := fmt.Sprintf(`UPDATE head SET updated = %d WHERE id = 'd'`, at.UnixMicro())
	if strings.HasPrefix(database, "postgres:") {
		pgtest.Exec(t, database, statement)
	} else {
		run(t, database, statement)
	}
}

func testDeleted(t *testing.T, database string) {
	l := openLog(t, database)
	a := ticket("a", 1, record.TicketValid)
	l.put(t, 2, 2, a, ticket("b", 1, record.TicketValid))
	l.put(t, 1, 3, record.Tombstone(a))
	l.put(t, 0, 3, record.Tombstone(a))
	if got := heads(t, l.Records, record.KindTicket); got != "b:valid" {
		t.Errorf("heads %s after a deletion", got)
	}
	l.put(t, 1, 4, a) // it is there again
	if got := heads(t, l.Records, record.KindTicket); got != "a:valid b:valid" {
		t.Errorf("heads %s after it came back", got)
	}
	l.check(t, 0, "1:t:a 2:t:b 3:t:a 4:t:a")
}

func testAppendFails(t *testing.T, database string) {
	l := openLog(t, database)
	l.put(t, 1, 1, ticket("a", 1, record.TicketValid))
	before, err := l.Position(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	unwritable := ticket("c", 1, record.TicketValid)
	unwritable.SoldAt = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) // no RFC 3339
	state := aggregator.StreamState{Name: "tickets", Since: noon}
	batch := aggregator.Batch{Term: l.term, SeenAt: noon, Streams: []aggregator.StreamState{state},
		Records: []record.Record{ticket("b", 1, record.TicketValid), unwritable}}
	if _, err := l.Append(t.Context(), batch); err == nil {
		t.Error("an unwritable record was taken")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	batch.Records = batch.Records[:1]
	if _, err := l.Append(ctx, batch); err == nil {
		t.Error("a cancelled append succeeded")
	}
	l.check(t, 0, "1:t:a")
	if after, err := l.Position(t.Context()); err != nil || after != before {
		t.Errorf("position %+v, %v after failures; was %+v", after, err, before)
	}
	l.put(t, 1, 2, ticket("b", 1, record.TicketValid))
}

func testAppendTerm(t *testing.T, database string) {
	l := openLog(t, database)
	l.put(t, 1, 1, ticket("a", 1, record.TicketValid))
	for _, term := range []int64{l.term - 1, l.term + 1} {
		b := aggregator.Batch{Term: term, Records: tickets(1), Streams: []aggregator.StreamState{{Name: "tickets"}}}
		if _, err := l.Append(t.Context(), b); !errors.Is(err, aggregator.ErrLeaseLost) {
			t.Errorf("append in term %d of %d: %v", term, l.term, err)
		}
		if err := l.SetAnswer(t.Context(), term, "paging", []byte("x")); !errors.Is(err, aggregator.ErrLeaseLost) {
			t.Errorf("answer in term %d of %d: %v", term, l.term, err)
		}
		if _, err := l.Fold(t.Context(), term, noon); !errors.Is(err, aggregator.ErrLeaseLost) {
			t.Errorf("fold in term %d of %d: %v", term, l.term, err)
		}
	}
	l.check(t, 0, "1:t:a")
}

func testBigBatch(t *testing.T, database string) {
	l := openLog(t, database)
	all := tickets(1333)
	l.put(t, 1333, 1333, all...)
	l.put(t, 0, 1333, all...)
	for i, r := range every(3, all) {
		changed := *r.(*record.Ticket)
		changed.Status, changed.UpdatedAt = record.TicketVoid, noon.Add(time.Hour)
		all[3*i] = &changed
	}
	l.put(t, 445, 1778, all...)
	if n := len(versions(t, l.Records, 0)); n != 1778 {
		t.Errorf("%d versions", n)
	}
	if got := heads(t, l.Records, record.KindTicket); strings.Count(got, "void") != 445 || strings.Count(got, "valid") != 888 {
		t.Errorf("%d void and %d valid heads", strings.Count(got, "void"), strings.Count(got, "valid"))
	}
}

// fullRecords has every field of every kind.
func fullRecords() []record.Record {
	euros := &record.Money{Amount: 1250, Currency: "EUR"}
	at := time.Date(2026, 11, 20, 19, 32, 7, 123456789, time.UTC)
	return []record.Record{
		&record.Event{ID: "evt_bare", Title: `</script> "ok" ` + "\u2028 \\ \t é 🎭", Date: "2026-11-21"},
		&record.Event{ID: "evt_full", Title: "Full", Date: "2026-11-21", Available: new(-3), DoorsAt: at, StartsAt: at, EndsAt: at,
			Hall: "Grote Zaal", Series: "ser_1", Capacity: new(0), Unlimited: true, Blocked: new(4),
			TicketTypes: []record.TicketType{{ID: "tt_1", Name: "Rang 1", Capacity: new(10), Price: euros}, {ID: "tt_2"}},
			Status:      record.EventOnSale, CreatedAt: at, UpdatedAt: at, Test: true, Deleted: true},
		&record.Ticket{ID: "tkt_untold", Scans: nil},
		&record.Ticket{ID: "tkt_unscanned", Scans: []record.Scan{}},
		&record.Ticket{ID: "tkt_full", EventID: "evt_full", OrderID: "ord_1", ContactID: "con_1", Type: record.TypeRef{ID: "tt_1", Name: "Rang 1"},
			Quantity: new(2), Price: euros, Fee: euros, VAT: euros, Complimentary: true, Admits: new(false), Status: "never_heard_of",
			Scans: []record.Scan{{At: at, Gate: "Noord", Direction: record.Entry, Result: "ok", Undone: true}, {At: noon, Direction: record.Exit}},
			Seat:  "A1", Channel: "web", Referral: "mail", DiscountCode: "X", CreatedAt: at, SoldAt: at, CancelledAt: at, UpdatedAt: at, Test: true, Deleted: true},
		&record.Payment{ID: "pay_full", OrderID: "ord_1", EventID: "evt_full", ParentID: "pay_0", ContactID: "con_1", TicketIDs: []string{"tkt_full", "b"},
			Kind: record.KindOfRefund, Amount: *euros, Status: record.PaymentPaid, AmountRefunded: euros, Method: "ideal", Reason: "Ziekte",
			CreatedAt: at, PaidAt: at, UpdatedAt: at, Test: true, Deleted: true},
		&record.Contact{ID: "con_full", PostalArea: "1234", City: "Delft", Country: "NL", Types: []string{"friend"}, OptIn: new(false),
			CreatedAt: at, UpdatedAt: at, Test: true, Deleted: true},
		&record.Planning{ID: "pln_full", EventID: "evt_full", Kind: "show", Title: "Show", StartsAt: at, EndsAt: at, Location: "Grote Zaal",
			Status: "confirmed", ExpectedVisitors: new(0), Capacity: new(400), BudgetRevenue: euros, BudgetMarketing: euros,
			CreatedAt: at, UpdatedAt: at, Deleted: true},
		&record.TicketScan{ID: "scn_full", TicketID: "tkt_full", UpdatedAt: at, Deleted: true,
			Scan: record.Scan{At: at, Gate: "Noord", Direction: record.Exit, Result: "ok", Undone: true}},
	}
}

func testRoundTrip(t *testing.T, database string) {
	want := fullRecords()
	l := openLog(t, database)
	l.put(t, len(want), int64(len(want)), want...)
	for i, v := range versions(t, l.Records, 0) {
		if !reflect.DeepEqual(v.Record, want[i]) {
			t.Errorf("got  %+v\nwant %+v", v.Record, want[i])
		}
	}
	// What was read back is not newer than itself.
	l.put(t, 0, int64(len(want)), want...)
}

func testVersionsBesideWriter(t *testing.T, database string) {
	l := openLog(t, database)
	const n = 5750
	l.append(t, tickets(n)...)
	newest := make(map[string]int64)
	var before int64
	for v, err := range l.Versions(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if v.Revision <= before {
			t.Fatalf("revision %d after %d", v.Revision, before)
		}
		before = v.Revision
		newest[v.Record.RecordID()] = v.Revision
		if v.Revision == 10 { // neither waits for the other
			l.put(t, 2, n+2, ticket("tkt_05700", 1, record.TicketVoid), ticket("tkt_00000", 1, record.TicketVoid))
		}
	}
	if len(newest) != n || before != n+2 || newest["tkt_05700"] != n+1 || newest["tkt_00000"] != n+2 {
		t.Errorf("replayed %d records up to revision %d; the changed ones at %d and %d", len(newest), before, newest["tkt_05700"], newest["tkt_00000"])
	}
}

func testVersionsAt(t *testing.T, database string) {
	l := openLog(t, database)
	const n = 1200
	l.append(t, tickets(n)...)
	var revisions []int64
	for r := int64(2); r <= n+100; r += 2 { // some are not there
		revisions = append(revisions, r)
	}
	got, err := l.At(t.Context(), revisions)
	if err != nil || len(got) != n/2 {
		t.Fatalf("%d versions, %v", len(got), err)
	}
	for i, v := range versions(t, l.Records, 0) {
		if i%2 == 1 && !reflect.DeepEqual(got[i/2], v) {
			t.Fatalf("got  %+v\nwant %+v", got[i/2], v)
		}
	}
	if none, err := l.At(t.Context(), nil); err != nil || len(none) != 0 {
		t.Errorf("at no revision: %v, %v", none, err)
	}
}

func testVersionsEnd(t *testing.T, database string) {
	l := openLog(t, database)
	l.append(t, tickets(2500)...)
	for range l.Versions(t.Context(), 0) {
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	var failed error
	for _, err := range l.Versions(ctx, 0) {
		if n++; n == 5 {
			cancel()
		}
		failed = err
	}
	if !errors.Is(failed, context.Canceled) {
		t.Errorf("a cancelled reading ended with %v", failed)
	}
}
