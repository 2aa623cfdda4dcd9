package store_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/apiclient/record"
)

// known is what the versions of a record come to: the newest, and what is remembered.
type known struct {
	newest   record.Record
	revision int64
	memory   record.Memory
}

func knownOf(all []record.Version) map[string]known {
	m := map[string]known{}
	for _, v := range all {
		key := string(v.Record.RecordKind()) + v.Record.RecordID()
		k := m[key]
		if v.Head && v.Revision > k.revision {
			k.newest, k.revision = v.Record, v.Revision
		}
		k.memory = k.memory.With(&v)
		m[key] = k
	}
	return m
}

// randomVersion is some version of one of a few records.
func randomVersion(random *rand.Rand) record.Record {
	id := fmt.Sprint(random.IntN(5))
	var updated time.Time
	if random.IntN(4) > 0 {
		updated = noon.Add(time.Duration(random.IntN(30)) * time.Minute)
	}
	deleted := random.IntN(8) == 0
	euros := func() *record.Money {
		return &record.Money{Amount: int64(random.IntN(4)), Currency: []string{"EUR", "EUR", "USD"}[random.IntN(3)]}
	}
	switch random.IntN(3) {
	case 0:
		e := &record.Event{ID: id, UpdatedAt: updated, Deleted: deleted, Unlimited: random.IntN(6) == 0}
		if random.IntN(3) > 0 {
			e.Available = new(random.IntN(50) - 2)
		}
		return e
	case 1:
		statuses := []record.TicketStatus{record.TicketValid, record.TicketVoid, record.TicketRefunded, record.TicketReserved}
		return &record.Ticket{ID: id, UpdatedAt: updated, Deleted: deleted, Status: statuses[random.IntN(4)]}
	}
	statuses := []record.PaymentStatus{record.PaymentPaid, record.PaymentRefunded, record.PaymentChargedBack, record.PaymentOpen}
	p := &record.Payment{ID: id, UpdatedAt: updated, Deleted: deleted, Status: statuses[random.IntN(4)], Amount: *euros()}
	if random.IntN(2) == 0 {
		p.AmountRefunded = euros()
	}
	return p
}

// Whatever is folded, and when, and what comes after it: the newest versions and what is
// remembered are those of the log in which nothing is.
func testFold(t *testing.T, database string) {
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	folding := openLog(t, database)
	whole := led(t, records(t, folding.Store, "whole"))
	total := 0
	for step := range 60 {
		seen := noon.Add(time.Duration(step) * time.Minute)
		var batch []record.Record
		for range random.IntN(6) {
			batch = append(batch, randomVersion(random))
		}
		for _, l := range []log{folding, whole} {
			if _, err := l.Append(t.Context(), aggregator.Batch{Term: l.term, SeenAt: seen, Records: batch}); err != nil {
				t.Fatal(err)
			}
		}
		if random.IntN(5) > 0 {
			continue
		}
		before := noon.Add(time.Duration(random.IntN(step+1)) * time.Minute)
		position, err := folding.Position(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		n, err := folding.fold(t, before)
		if err != nil {
			t.Fatal(err)
		}
		total += n
		if again, err := folding.fold(t, before); err != nil || again != 0 {
			t.Fatalf("seed %d: folding again folded %d, %v", seed, again, err)
		}
		if p, err := folding.Position(t.Context()); err != nil || p != position {
			t.Fatalf("seed %d: position %+v, %v after folding; was %+v", seed, p, err, position)
		}
		got, want := knownOf(versions(t, folding.Records, 0)), knownOf(versions(t, whole.Records, 0))
		for key, w := range want {
			g := got[key]
			if !reflect.DeepEqual(g.newest, w.newest) || !reflect.DeepEqual(g.memory, w.memory) {
				t.Fatalf("seed %d, step %d, %s:\n got %+v %+v\nwant %+v %+v", seed, step, key, g.newest, g.memory, w.newest, w.memory)
			}
		}
	}
	if total == 0 {
		t.Errorf("seed %d: nothing was folded", seed)
	}
	if got, want := heads(t, folding.Records, record.KindTicket), heads(t, whole.Records, record.KindTicket); got != want {
		t.Errorf("seed %d: heads %s, want %s", seed, got, want)
	}
}

func testFoldMany(t *testing.T, database string) {
	l := openLog(t, database)
	for version := range 3 {
		var all []record.Record
		for i := range 700 {
			all = append(all, ticket(fmt.Sprint(i), version, record.TicketValid))
		}
		l.append(t, all...)
	}
	if n, err := l.fold(t, noon); err != nil || n != 0 {
		t.Errorf("folded %d, %v though none is old enough", n, err)
	}
	if n, err := l.fold(t, noon.Add(time.Second)); err != nil || n != 1400 {
		t.Errorf("folded %d, %v; want 1400", n, err)
	}
	if all := versions(t, l.Records, 0); len(all) != 700 || all[0].Revision != 1401 {
		t.Errorf("%d versions are left", len(all))
	}
	// What is left is known.
	l.put(t, 1, 2101, ticket("5", 2, record.TicketValid), ticket("6", 9, record.TicketVoid))
}

// Who reads the log while it is folded learns what who read it before does, also of a version
// that came late.
func testFoldWhileRead(t *testing.T, database string) {
	l := openLog(t, database)
	put := func(seen time.Time, records ...record.Record) {
		t.Helper()
		if _, err := l.Append(t.Context(), aggregator.Batch{Term: l.term, SeenAt: seen, Records: records}); err != nil {
			t.Fatal(err)
		}
	}
	old := noon.AddDate(-2, 0, 0)
	refunded := func(updated time.Time) *record.Payment {
		return &record.Payment{ID: "p", EventID: "e", Amount: record.Money{Amount: 1000, Currency: "EUR"}, Status: record.PaymentPaid,
			AmountRefunded: &record.Money{Amount: 500, Currency: "EUR"}, UpdatedAt: updated}
	}
	put(old, refunded(old))
	many := tickets(6000) // more than is read ahead
	put(noon, many...)
	put(old.AddDate(0, 0, 1), refunded(old.AddDate(-1, 0, 0))) // comes late: it was refunded a year before
	memory := func(meanwhile func()) (m record.Memory) {
		t.Helper()
		for v, err := range l.Versions(t.Context(), 0) {
			if err != nil {
				t.Fatal(err)
			}
			if v.Revision == 1 {
				meanwhile()
			}
			if v.Record.RecordID() == "p" {
				m = m.With(&v)
			}
		}
		return m
	}
	want := memory(func() {})
	got := memory(func() {
		if _, err := l.fold(t, noon.AddDate(-1, 0, 0)); err != nil {
			t.Fatal(err)
		}
	})
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read beside a fold: %+v, want %+v", got, want)
	}
}
