package main

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/sandbox"
)

// compareWithTruth holds every figure against the sandbox's own books.
func compareWithTruth(t *testing.T, s *figures.Snapshot, house *sandbox.Sandbox) {
	t.Helper()
	for _, d := range differences(s, house) {
		t.Error(d)
	}
}

// differences returns the differences between the figures and the sandbox's own books.
func differences(s *figures.Snapshot, house *sandbox.Sandbox) disagreements {
	return booksOf(house, s).differences(s)
}

func (b *books) differences(s *figures.Snapshot) (d disagreements) {
	if len(s.Events) != len(b.truth.Events) || len(s.Events) == 0 {
		d.add("%d events, the sandbox has %d", len(s.Events), len(b.truth.Events))
	}
	for _, e := range s.Events {
		id := e.Event.ID
		if _, ok := b.truth.Events[id]; !ok {
			d.add("the sandbox knows no event %s", id)
			continue
		}
		p := b.performance(b.v.Show(e))
		for name, f := range map[string]figures.Figure[int]{
			"capacity": e.Capacity, "available": e.Available, "sold": e.Sold, "paid": e.Paid, "complimentary": e.Complimentary,
			"unpaid": e.Unpaid, "free tickets": e.FreeTickets, "reserved": e.Reserved, "attendance": e.Attendance,
		} {
			if f.Known() && f.Quality != figures.Exact {
				d.add("%s of %s is of quality %d, %v", name, id, f.Quality, f.Reasons)
			}
		}
		for _, def := range catalogue.All() {
			want, ok := ofShows[def.Key]
			d.figure(b, &def, "of "+id, def.OfShow(p.show), ok, func() figures.Value { return want(p) })
		}
		gates := map[string]int{}
		for _, g := range e.Gates {
			gates[g.Gate] = g.Entries
		}
		if !maps.Equal(gates, p.Gates) {
			d.add("entries by gate of %s are %v, the sandbox says %v", id, gates, p.Gates)
		}
	}
	if len(d) > 0 {
		return d
	}
	for _, def := range catalogue.All() {
		want, ok := ofEvenings[def.Key]
		d.figure(b, &def, "of the evening", def.OfEvening(b.v), ok, func() figures.Value { return want(b) })
		if len(b.v.LastNight) > 0 {
			want, ok := ofNights[def.Key]
			d.figure(b, &def, "of the night before", def.OfNight(new(evening.ResultOf(b.v.LastNight))), ok, func() figures.Value { return want(b) })
		}
		for scope, moved := range map[figures.Scope]map[string]sandbox.Totals{{From: b.v.Today, To: b.v.Today}: b.today, {From: b.v.Today.Add(-6), To: b.v.Today}: b.week} {
			if x, known := catalogue.Explain(b.v, def.Key, scope); known {
				want, ok := ofPeriods[def.Key]
				d.figure(b, &def, fmt.Sprintf("from %s to %s", scope.From, scope.To), x.Value, ok, func() figures.Value {
					return want(b.moved(moved))
				})
			}
		}
		if x, known := catalogue.Explain(b.v, def.Key, figures.Scope{From: b.v.Today.Add(-1000), To: b.v.Today, Orders: true}); known {
			want, ok := ofOrders[def.Key]
			d.figure(b, &def, "of all orders", x.Value, ok, func() figures.Value { return want(b.truth.Total) })
		}
	}
	d.money(&s.Total, b.truth.Total)
	return d
}

// figure compares one of the catalogue with what the books want it to be, where they say.
func (d *disagreements) figure(b *books, def *catalogue.Definition, of string, got figures.Value, inTheBooks bool, want func() figures.Value) {
	if !inTheBooks {
		if _, ok := notInTheBooks[def.Key]; !ok && got.Known() {
			d.add("%s %s is compared with nothing", def.Key, of)
		}
		return
	}
	wanted := want()
	nothing := wanted.Count == 0 && wanted.Share == 0 && len(wanted.Amount) == 0
	switch same := got.Count == wanted.Count && got.Share == wanted.Share && slices.Equal(got.Amount, wanted.Amount); {
	case got.Known() && !same:
		d.add("%s %s is %+v, the sandbox says %+v", def.Key, of, got, wanted)
	case got.Known() && !nothing:
		b.compared[def.Key]++
	case !got.Known() && !nothing && !(b.v.At.IsZero() && (def.Key == figures.KeySoldHour || def.Key == figures.KeySold24Hours)):
		d.add("%s %s is unknown (%v), the sandbox says %+v", def.Key, of, got.Reasons, wanted)
	}
}

type disagreements []string

func (d *disagreements) add(format string, args ...any) {
	*d = append(*d, fmt.Sprintf(format, args...))
}

// money compares what all performances and unattributed money come to.
func (d *disagreements) money(r *figures.Revenue, want sandbox.Totals) {
	for m, amounts := range map[figures.Measure]map[string]int64{
		figures.Booked: want.Booked, figures.Fees: want.Fees, figures.VAT: want.VAT, figures.ToBePaid: want.ToBePaid, figures.Goodwill: want.Goodwill, figures.ToBePaidBack: want.ToBePaidBack,
		figures.Received: want.Received, figures.Refunded: want.Refunded, figures.ChargedBack: want.Chargebacks, figures.Reversed: want.Reversals, figures.RefundsPending: want.RefundsPending,
	} {
		if got := r.Of(m); !got.Known() || !slices.Equal(got.Value, money(amounts).Amount) {
			d.add("%s of the house is %+v, the sandbox says %v", m, got, amounts)
		}
	}
	if !slices.Equal(r.Net.Value, money(want.Net).Amount) {
		d.add("net of the house is %+v, the sandbox says %v", r.Net, want.Net)
	}
}

// Every figure of the catalogue is one that the books know or one of which it is said why they do not.
func TestEveryFigureIsInTheBooks(t *testing.T) {
	known := func(k figures.Key) bool {
		return ofShows[k] != nil || ofEvenings[k] != nil || ofNights[k] != nil || ofPeriods[k] != nil || ofOrders[k] != nil
	}
	for _, d := range catalogue.All() {
		if reason := notInTheBooks[d.Key]; known(d.Key) == (reason != "") {
			t.Errorf("%s is in the books %v, or not because %q", d.Key, known(d.Key), reason)
		}
	}
}
