// Package bridge explains the difference between what was booked and what was received, and lists the open items that make it
// up. It also adds up what the checks found. It is pure.
package bridge

import (
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
)

// Bridge explains the difference between what was booked and what was received for some orders: Booked + Fees −
// Goodwill − ToBePaid + ToBePaidBack = Net.
type Bridge struct {
	Booked, Fees, Goodwill, ToBePaid, ToBePaidBack, Net figures.Figure[figures.Sums]
	Open                                                int // orders that have an open item
}

// Of returns the bridge of the orders sold on the days from..to, in their present state. Orders whose day is
// not known are left out, and make it inexact.
func Of(v *evening.Evening, from, to figures.Day) Bridge {
	return of(v.Snapshot.OrderDays, &v.Snapshot.Total, from, to)
}

// OfEvent returns the bridge of a performance's orders; e is nil for what belongs to no performance.
func OfEvent(v *evening.Evening, e *figures.EventFigures, from, to figures.Day) Bridge {
	if e == nil {
		return of(v.Snapshot.UnattributedOrderDays, &v.Snapshot.Unattributed, from, to)
	}
	return of(e.OrderDays, &e.Revenue, from, to)
}

// of returns the bridge of some days of orders; total is the money of all days.
func of(days figures.OrderDays, total *figures.Revenue, from, to figures.Day) (b Bridge) {
	sums := days.Between(from, to)
	b.Open, total = sums.Open, total.OfOrders(&sums)
	with := func(s figures.Sums, of figures.Figure[figures.Sums]) figures.Figure[figures.Sums] {
		return figures.New(s, of.Caveat())
	}
	b.Booked, b.Fees = with(sums.Of(figures.Booked), total.Of(figures.Booked)), with(sums.Of(figures.Fees), total.Of(figures.Fees))
	b.ToBePaid, b.ToBePaidBack = with(sums.Of(figures.ToBePaid), total.Of(figures.ToBePaid)), with(sums.Of(figures.ToBePaidBack), total.Of(figures.ToBePaidBack))
	b.Goodwill = with(sums.Of(figures.Goodwill), total.Of(figures.Goodwill))
	b.Net = with(sums.Net(), total.NetReceived())
	return b
}

// OfOtherDays returns what the net received in a period is more than its booked and fees, less what its orders still lack, lead to: what
// moved on its days for orders of other days, less what moved on other days for its orders. Of a performance's period it is the part of
// the performance; the parts add up to the whole.
func OfOtherDays(v *evening.Evening, p *evening.Period) figures.Figure[figures.Sums] {
	to := min(p.To, v.Today)
	orders := Of(v, p.From, to)
	if p.Part {
		orders = OfEvent(v, p.Event, p.From, to)
	}
	all := v.RevenueOf(p)
	sum := p.Net().PlusAll(p.Of(figures.Booked), -1).PlusAll(orders.Goodwill.Value, 1).PlusAll(orders.ToBePaid.Value, 1).PlusAll(orders.ToBePaidBack.Value, -1)
	c := all.Of(figures.Booked).Caveat().And(orders.Goodwill.Caveat(), orders.ToBePaid.Caveat(), orders.ToBePaidBack.Caveat(), all.NetReceived().Caveat())
	if orders.Fees.Known() {
		sum, c = sum.PlusAll(p.Of(figures.Fees), -1), c.And(all.Of(figures.Fees).Caveat())
	}
	return figures.New(sum, c.EitherWay())
}

// AgeBand is the open items of a performance whose orders have a certain age.
type AgeBand struct {
	// From and Under bound the age in days, from the day of the order until today. Under is 0 in the last band;
	// both are 0 if the day of the order is not known.
	From, Under  int
	Open         int // orders
	ToBePaid     figures.Sums
	ToBePaidBack figures.Sums
}

// bandEnds are the ages in days at which one band ends and the next begins.
var bandEnds = []int{7, 30}

// OpenItems returns the open items of a performance by the age of their order, the youngest first, without empty
// bands; the last band has those whose day is not known. They add up to the ToBePaid and ToBePaidBack of its
// Revenue.
func OpenItems(v *evening.Evening, e *figures.EventFigures) (bands []AgeBand) {
	all := make([]AgeBand, len(bandEnds)+2)
	for i, end := range bandEnds {
		all[i].Under, all[i+1].From = end, end
	}
	undated := &all[len(all)-1]
	undated.ToBePaid, undated.ToBePaidBack = e.Revenue.Of(figures.ToBePaid).Value, e.Revenue.Of(figures.ToBePaidBack).Value
	for _, d := range e.OrderDays.All() {
		age, i := v.Today.Since(d.Day), 0
		for i < len(bandEnds) && age >= bandEnds[i] {
			i++
		}
		b := &all[i]
		b.Open += d.Open
		b.ToBePaid = b.ToBePaid.PlusAll(d.Of(figures.ToBePaid), 1)
		b.ToBePaidBack = b.ToBePaidBack.PlusAll(d.Of(figures.ToBePaidBack), 1)
		undated.ToBePaid = undated.ToBePaid.PlusAll(d.Of(figures.ToBePaid), -1)
		undated.ToBePaidBack = undated.ToBePaidBack.PlusAll(d.Of(figures.ToBePaidBack), -1)
	}
	for _, b := range all {
		if b.Open != 0 || len(b.ToBePaid) > 0 || len(b.ToBePaidBack) > 0 {
			bands = append(bands, b)
		}
	}
	return bands
}

// LeadsToReceived reports whether booked, plus fees, less goodwill and what is to be paid, plus what is to be paid back,
// is exactly the net received for the performance, and differs from booked. It may not be: open items belong to
// whole orders, and an order of several performances may be settled while one of them has received too much and
// another too little.
func LeadsToReceived(s *evening.Show) bool {
	r := &s.Revenue
	booked, due, net := r.Of(figures.Booked), r.Of(figures.ToBePaid), r.NetReceived()
	if s.Phase == evening.Cancelled || !booked.Known() || !due.Known() || !net.Known() || slices.Equal(booked.Value, net.Value) {
		return false
	}
	sum := booked.Value.PlusAll(r.Of(figures.Goodwill).Value, -1).PlusAll(due.Value, -1).PlusAll(r.Of(figures.ToBePaidBack).Value, 1)
	if fees := r.Of(figures.Fees); fees.Known() {
		sum = sum.PlusAll(fees.Value, 1)
	}
	return slices.Equal(sum, net.Value)
}
