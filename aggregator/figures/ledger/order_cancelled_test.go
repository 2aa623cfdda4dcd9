package ledger_test

import (
	"slices"
	"testing"

	"housecount/aggregator/figures"

	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// An order that is cancelled whole, and loses its tickets, leaves its money with the performances that they were for; what it
// keeps of a ticket decides as long as there is one.
func TestOrderThatIsCancelledWhole(t *testing.T) {
	in := func(change ...func(*record.Ticket)) func(*record.Ticket) {
		return func(k *record.Ticket) {
			k.OrderID = "o"
			for _, f := range change {
				f(k)
			}
		}
	}
	gone := func(k *record.Ticket) { k.Deleted = true }
	money := []record.Record{foldtest.Event("a"), foldtest.Event("b"),
		foldtest.Ticket("fee", "", in(func(k *record.Ticket) { k.Kind, k.Price = record.ExtraFee, foldtest.Eur(200) })),
		foldtest.Payment("p", 6200, func(p *record.Payment) { p.OrderID = "o" }), foldtest.Refund("r", "p", 6000, "11:00")}
	double := func(k *record.Ticket) { k.Price = foldtest.Eur(4000) }
	for _, c := range []struct {
		name          string
		tickets       []record.Record
		a, b, nowhere int64
	}{
		{"whole", []record.Record{foldtest.Ticket("t", "a", in(gone)), foldtest.Ticket("u", "b", in(gone, double))}, 67, 133, 0},
		{"in part", []record.Record{foldtest.Ticket("t", "a", in()), foldtest.Ticket("u", "b", in(gone, double))}, 181, 0, 19},
		{"a test", []record.Record{foldtest.Ticket("t", "a", in(gone, func(k *record.Ticket) { k.Test = true }))}, 0, 0, 200},
		{"never a ticket", nil, 0, 0, 200},
	} {
		s := foldtest.Fold(foldtest.Complete, append(append([]record.Record{}, money...), c.tickets...)...)
		for id, want := range map[string]int64{"a": c.a, "b": c.b} {
			if got := s.Event(id).Revenue.Net; got.Value.In("EUR") != want {
				t.Errorf("%s: %s received %v net, want %d", c.name, id, got, want)
			}
		}
		if got := s.Unattributed.Net.Value.In("EUR"); got != c.nowhere {
			t.Errorf("%s: %d of no performance, want %d", c.name, got, c.nowhere)
		}
		foldtest.CheckUnmatched(t, s)
	}
}

// What is paid back after an order lost its tickets is among the versions of the performances that they were for, by which
// their figures are explained; so is a payment that was split before an order was cancelled whole.
func TestVersionsOfAnOrderThatIsCancelledWhole(t *testing.T) {
	in := func(k *record.Ticket) { k.OrderID = "o" }
	gone := func(k *record.Ticket) { k.OrderID, k.Deleted = "o", true }
	log := foldtest.NewLog(foldtest.Event("a"), foldtest.Event("b"),
		foldtest.Ticket("t", "a", in), foldtest.Ticket("u", "b", in), foldtest.Ticket("u", "b", gone),
		foldtest.Payment("p", 4000, func(p *record.Payment) { p.OrderID = "o" }), foldtest.Ticket("t", "a", gone), foldtest.Refund("r", "p", 3000, "11:00"))
	l := foldtest.Ledger(figures.Calendar{}, log.Versions...)
	s := l.Snapshot(figures.Position{}, foldtest.Complete)
	for _, event := range []string{"a", "b"} {
		if net := s.Event(event).Revenue.Net.Value.In("EUR"); net != 500 {
			t.Errorf("%s received %d net, want 500", event, net)
		}
		for _, v := range log.Versions {
			if _, money := v.Record.(*record.Payment); money && !slices.Contains(l.Trail(event), v.Revision) {
				t.Errorf("%s is not among the versions of %s: %v", v.Record.RecordID(), event, l.Trail(event))
			}
		}
	}
}

// A payment that came while the only ticket of its order was a test is among the versions of the ticket's performance once it is
// none.
func TestVersionsOfATicketThatWasATest(t *testing.T) {
	ticket := func(test bool) *record.Ticket {
		return foldtest.Ticket("t", "a", func(k *record.Ticket) { k.OrderID, k.Test = "o", test })
	}
	log := foldtest.NewLog(foldtest.Event("a"), ticket(true), foldtest.Payment("p", 1000, func(p *record.Payment) { p.OrderID = "o" }), ticket(false))
	l := foldtest.Ledger(figures.Calendar{}, log.Versions...)
	if got := len(l.Trail("a")); got != len(log.Versions) {
		t.Errorf("the versions of a are %v, want all %d", l.Trail("a"), len(log.Versions))
	}
}
