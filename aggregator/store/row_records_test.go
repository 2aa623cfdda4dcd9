package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/apiclient/record"
)

// What a row gave and gives no longer is gone, unless another row gives it, or the row is damaged.
func testRowsOwnRecords(t *testing.T, database string) {
	l := openLog(t, database)
	ticket := func(id, order string, at time.Time) *record.Ticket {
		return &record.Ticket{ID: id, EventID: "e", OrderID: order, Status: record.TicketValid, UpdatedAt: at}
	}
	row := func(id string, at time.Time, tickets ...*record.Ticket) record.Row {
		r := record.Row{List: "orders", ID: id, Updated: at}
		for _, k := range tickets {
			r.Records = append(r.Records, record.Key{Kind: record.KindTicket, ID: k.ID})
		}
		return r
	}
	store := func(confirmed bool, records []*record.Ticket, rows ...record.Row) aggregator.Appended {
		t.Helper()
		b := aggregator.Batch{Term: l.term, SeenAt: noon.Add(time.Hour), Rows: rows}
		for _, k := range records {
			b.Records = append(b.Records, k)
		}
		if confirmed {
			b.Confirmed = func(record.Kind, string) bool { return true }
		}
		a, err := l.Append(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	sold := func(want ...string) {
		t.Helper()
		var got []string
		for v, err := range l.Heads(t.Context(), record.KindTicket) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, v.Record.RecordID())
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("sold are %v, want %v", got, want)
		}
	}
	later := noon.Add(time.Minute)
	a1, a2, b1 := ticket("a1", "A", noon), ticket("a2", "A", noon), ticket("b1", "B", noon)
	store(false, []*record.Ticket{a1, a2, b1}, row("A", noon, a1, a2), row("B", noon, b1))
	sold("a1", "a2", "b1")

	// The same again is nothing new; a row with the same time that lacks a ticket is damaged.
	if a := store(false, nil, row("A", noon, a1, a2)); a.New != 0 || a.Damaged != nil || a.Gone != nil {
		t.Errorf("the same row again: %+v", a)
	}
	if a := store(false, nil, row("A", noon, a1)); a.New != 0 || len(a.Damaged) != 1 || a.Damaged[0].ID != "a2" || a.Damaged[0].EventID != "e" || !a.Damaged[0].Updated.Equal(noon) {
		t.Errorf("a damaged row: %+v", a)
	}
	sold("a1", "a2", "b1")

	// A later row without a ticket takes it out, and one that gives it again brings it back.
	if a := store(false, []*record.Ticket{ticket("a1", "A", later)}, row("A", later, a1)); a.New != 2 || len(a.Damaged) != 0 || !slices.Equal(a.Gone, []aggregator.RowRecord{{List: "orders", Row: "A", Key: record.Key{Kind: record.KindTicket, ID: "a2"}}}) {
		t.Errorf("a ticket was taken out: %+v", a)
	}
	sold("a1", "b1")
	store(false, []*record.Ticket{a2}, row("A", later, a1, a2))
	sold("a1", "a2", "b1")

	// A ticket that moves to another row stays, in either order; it is gone with the last row that gives it.
	store(false, []*record.Ticket{ticket("a2", "B", later)}, row("B", later, b1, a2), row("A", later.Add(1e9), a1))
	sold("a1", "a2", "b1")
	store(false, []*record.Ticket{ticket("a2", "A", later.Add(2e9))}, row("A", later.Add(2e9), a1, a2))
	store(false, nil, row("B", later.Add(3e9), b1))
	sold("a1", "a2", "b1")

	// A row that gives nothing any more; and the last version of a row that is in a batch twice.
	store(false, nil, row("A", time.Time{}))
	sold("b1")
	store(false, []*record.Ticket{ticket("a1", "A", later.Add(time.Hour))}, row("A", later, a1, a2), row("A", later, a1))
	sold("a1", "b1")

	// Many at once are damage, unless they are confirmed.
	var many []*record.Ticket
	var full, empty []record.Row
	for i := range 10 {
		k := ticket(fmt.Sprint("m", i), "M", noon)
		many, full, empty = append(many, k), append(full, row(fmt.Sprint("M", i), noon, k)), append(empty, row(fmt.Sprint("M", i), time.Time{}))
	}
	store(false, many, full...)
	if a := store(false, nil, empty...); len(a.Gone) != 0 || len(a.Damaged) != 10 {
		t.Errorf("many at once: %+v", a)
	}
	if a := store(false, nil, empty[:3]...); len(a.Gone) != 3 || len(a.Damaged) != 0 {
		t.Errorf("three of them by themselves: %+v", a)
	}
	if a := store(true, nil, empty...); len(a.Gone) != 7 {
		t.Errorf("confirmed: %+v", a)
	}
	sold("a1", "b1")
}
