package main

import (
	"fmt"
	"maps"
	"testing"

	"housecount/aggregator/figures"
	"housecount/apiclient/sandbox"
)

// compareWithTruth holds every figure against the sandbox's own books.
func compareWithTruth(t *testing.T, s *figures.Snapshot, truth sandbox.Truth) {
	t.Helper()
	for _, d := range differences(s, truth) {
		t.Error(d)
	}
}

// differences are those between the figures and the sandbox's own books.
func differences(s *figures.Snapshot, truth sandbox.Truth) (d disagreements) {
	if len(s.Events) != len(truth.Events) || len(s.Events) == 0 {
		d.add("%d events, the sandbox has %d", len(s.Events), len(truth.Events))
	}
	for _, e := range s.Events {
		id := e.Event.ID
		want, ok := truth.Events[id]
		if !ok {
			d.add("the sandbox knows no event %s", id)
			continue
		}
		for name, c := range map[string]struct {
			got  figures.Figure[int]
			want int
		}{
			"capacity": {e.Capacity, want.Capacity}, "available": {e.Available, want.Available},
			"sold": {e.Sold, want.Sold}, "paid": {e.Paid, want.Paid}, "complimentary": {e.Complimentary, want.Complimentary},
			"unpaid": {e.Unpaid, want.Unpaid}, "free tickets": {e.FreeTickets, want.FreeTickets},
			"reserved": {e.Reserved, want.Reserved}, "attendance": {e.Attendance, want.Attendance},
		} {
			if !c.got.Known() && c.want == 0 {
				continue // an event without a single ticket tells nothing of scans
			}
			if c.got.Value != c.want || c.got.Quality != figures.Exact {
				d.add("%s of %s is %d (quality %d, %v), the sandbox says %d", name, id, c.got.Value, c.got.Quality, c.got.Reasons, c.want)
			}
		}
		if e.PresentNow.Known() && e.PresentNow.Value != want.Present {
			d.add("present now at %s is %d, the sandbox says %d", id, e.PresentNow.Value, want.Present)
		}
		gates := map[string]int{}
		for _, g := range e.Gates {
			gates[g.Gate] = g.Entries
		}
		if !maps.Equal(gates, want.Gates) {
			d.add("entries by gate of %s are %v, the sandbox says %v", id, gates, want.Gates)
		}
		d.money(id, &e.Revenue, want.Totals)
	}
	d.money("the house", &s.Total, truth.Total)
	return d
}

type disagreements []string

func (d *disagreements) add(format string, args ...any) {
	*d = append(*d, fmt.Sprintf(format, args...))
}

func (d *disagreements) money(of string, r *figures.Revenue, want sandbox.Totals) {
	for name, c := range map[string]struct {
		got  figures.Figure[figures.Sums]
		want map[string]int64
	}{
		"booked": {r.Of(figures.Booked), want.Booked}, "fees": {r.Of(figures.Fees), want.Fees}, "VAT": {r.Of(figures.VAT), want.VAT},
		"to be paid": {r.Of(figures.ToBePaid), want.ToBePaid}, "to be paid back": {r.Of(figures.ToBePaidBack), want.ToBePaidBack}, "received": {r.Of(figures.Received), want.Received},
		"refunded": {r.Of(figures.Refunded), want.Refunded}, "chargebacks": {r.Of(figures.ChargedBack), want.Chargebacks}, "net": {r.Net, want.Net},
	} {
		if !c.got.Known() {
			d.add("%s of %s is unknown: %v", name, of, c.got.Reasons)
		}
		got := map[string]int64{}
		for _, m := range c.got.Value {
			got[m.Currency] = m.Amount
		}
		maps.DeleteFunc(c.want, func(_ string, v int64) bool { return v == 0 })
		if !maps.Equal(got, c.want) {
			d.add("%s of %s is %v, the sandbox says %v", name, of, got, c.want)
		}
	}
}
