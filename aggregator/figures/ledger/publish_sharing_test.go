package ledger_test

import (
	"reflect"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

func TestChanges(t *testing.T) {
	l, log := ledger.New(figures.Calendar{}), foldtest.NewLog()
	order := func(t *record.Ticket) { t.OrderID = "o" }
	at := func(s string) func(*record.Ticket) { return func(t *record.Ticket) { t.UpdatedAt = foldtest.Clock(s) } }
	for i, step := range []struct {
		record record.Record
		want   figures.Changes
	}{
		{foldtest.Event("b"), figures.Changes{Events: []string{"b"}}},
		{foldtest.Event("b"), figures.Changes{}},
		{foldtest.Event(""), figures.Changes{}},
		{foldtest.Ticket("t", "a", order), figures.Changes{Unattributed: true}},
		{foldtest.Event("a"), figures.Changes{Events: []string{"a"}, Unattributed: true}},
		{foldtest.Ticket("u", "b", order, at("10:00")), figures.Changes{Events: []string{"b"}}},
		{foldtest.Ticket("u", "b", order, at("09:00")), figures.Changes{}},
		{foldtest.Ticket("u", "b", order, at("11:00")), figures.Changes{}},
		{foldtest.Payment("p", 10, func(p *record.Payment) { p.OrderID = "o" }), figures.Changes{Events: []string{"a", "b"}}},
		{foldtest.Ticket("v", "b", order), figures.Changes{Events: []string{"a", "b"}}},
		{foldtest.Payment("q", 10), figures.Changes{Unattributed: true}},
		{foldtest.Event("a", func(e *record.Event) { e.Deleted = true }), figures.Changes{Events: []string{"a"}, Unattributed: true}},
		{foldtest.Event("b", func(e *record.Event) { e.Test = true }), figures.Changes{Events: []string{"b"}}},
		{foldtest.Ticket("w", "b"), figures.Changes{}},
	} {
		var got figures.Changes
		if v, isNew := log.Add(step.record, time.Time{}); isNew {
			l.Apply(v)
			got = l.Changes()
		}
		if !reflect.DeepEqual(got, step.want) {
			t.Errorf("step %d: %+v, want %+v", i, got, step.want)
		}
	}
}

// A ticket that is cancelled on a later day, or sold again, leaves the day of its sale alone.
func TestCancelledLeavesTheDayOfItsSale(t *testing.T) {
	l := &foldtest.Versions{Ledger: ledger.New(figures.Calendar{})}
	l.Add(foldtest.Event("a"))
	days := func(change func(*record.Ticket)) (event, house []*figures.DayFigures) {
		l.Add(foldtest.Ticket("t", "a", func(t *record.Ticket) { t.OrderID = "o" }, change))
		s := l.Snapshot(figures.Position{}, foldtest.Complete)
		return s.Event("a").SaleDays, s.Days
	}
	event, house := days(func(*record.Ticket) {})
	for i, c := range []struct {
		status record.TicketStatus
		at     string
		days   int
	}{{record.TicketVoid, "21 10:00", 2}, {record.TicketRefunded, "22 10:00", 2}, {record.TicketValid, "", 1}} {
		e, h := days(func(t *record.Ticket) {
			t.Status, t.CancelledAt, t.UpdatedAt = c.status, foldtest.Clock(c.at), foldtest.Clock("23 10:00").Add(time.Duration(i)*time.Hour)
		})
		if len(e) != c.days || len(h) != c.days || e[0].Sold != 1 {
			t.Fatalf("step %d: %d days of the event, %d of the house, %+v", i, len(e), len(h), e[0])
		}
		if e[0] != event[0] || h[0] != house[0] {
			t.Errorf("step %d: the day of the sale was made anew", i)
		}
	}
}

// A record whose version says nothing new costs no memory.
func TestUnchangedAllocatesNothing(t *testing.T) {
	l, revision := ledger.New(figures.Calendar{}), int64(0)
	records := []record.Record{foldtest.Ticket("t", "a", func(t *record.Ticket) { t.OrderID = "o" }), foldtest.Payment("p", 10, func(p *record.Payment) { p.OrderID = "o" }), foldtest.Event("a")}
	apply := func() {
		for _, r := range records {
			revision++
			l.Apply(record.Version{Revision: revision, Head: true, Record: r})
		}
	}
	apply()
	l.Snapshot(figures.Position{}, foldtest.Complete)
	records = records[:2]
	if n := testing.AllocsPerRun(50, apply); n != 0 {
		t.Errorf("%v allocations for a ticket and a payment that are unchanged", n)
	}
}

func TestSnapshotSharesWhatDidNotChange(t *testing.T) {
	log := foldtest.NewLog(foldtest.Event("a"), foldtest.Event("b"), foldtest.Ticket("t", "a"), foldtest.Ticket("u", "b"),
		foldtest.Ticket("v", "b", func(t *record.Ticket) { t.SoldAt = foldtest.Clock("19 10:00") }))
	l := foldtest.Ledger(figures.Calendar{}, log.Versions...)
	first := l.Snapshot(figures.Position{Revision: 1}, foldtest.Complete)
	sold, _ := log.Add(foldtest.Ticket("w", "b"), time.Time{})
	l.Apply(sold)
	second := l.Snapshot(figures.Position{Revision: 2}, foldtest.Complete)
	if first.Event("a") != second.Event("a") || first.Days[0] != second.Days[0] ||
		first.Event("b").SaleDays[0] != second.Event("b").SaleDays[0] {
		t.Error("what did not change was made anew")
	}
	if first.Event("b") == second.Event("b") || first.Days[1] == second.Days[1] || first.Event("b").Sold.Value != 2 || second.Event("b").Sold.Value != 3 {
		t.Error("what changed was not made anew")
	}
	if second.Position.Revision != 2 || first == second {
		t.Error("a snapshot must be its own")
	}
}
