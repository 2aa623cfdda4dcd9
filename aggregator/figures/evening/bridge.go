package evening

import (
	"math"
	"slices"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// Bridge explains the difference between what was booked and what was received for some orders: Booked + Fees −
// Goodwill − ToBePaid + ToBePaidBack = Net.
type Bridge struct {
	Booked, Fees, Goodwill, ToBePaid, ToBePaidBack, Net figures.Figure[figures.Sums]
	Open                                                int // orders that have an open item
}

// Bridge returns the bridge of the orders sold on the days from..to, in their present state. Orders whose day is
// not known are left out, and make it inexact.
func (v *Evening) Bridge(from, to figures.Day) Bridge {
	return bridgeOf(v.Snapshot.OrderDays, &v.Snapshot.Total, from, to)
}

// BridgeOf returns the bridge of a performance's orders; e is nil for what belongs to no performance.
func (v *Evening) BridgeOf(e *figures.EventFigures, from, to figures.Day) Bridge {
	if e == nil {
		return bridgeOf(v.Snapshot.UnattributedOrderDays, &v.Snapshot.Unattributed, from, to)
	}
	return bridgeOf(e.OrderDays, &e.Revenue, from, to)
}

// bridgeOf returns the bridge of some days of orders; total is the money of all days.
func bridgeOf(days figures.OrderDays, total *figures.Revenue, from, to figures.Day) (b Bridge) {
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
func (v *Evening) OpenItems(e *figures.EventFigures) (bands []AgeBand) {
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

// RevenuePerPlace returns the revenue per place of those performances of the evening together that go ahead.
func (v *Evening) RevenuePerPlace() figures.Figure[figures.Sums] {
	var ahead []*figures.EventFigures
	for _, s := range v.Shows {
		if s.SellsTonight() {
			ahead = append(ahead, s.EventFigures)
		}
	}
	return RevenuePerPlaceOf(ahead)
}

// RevenuePerPlaceOf returns the revenue per place of several performances together. Those without a limit of places
// are left out, with what was booked for them.
func RevenuePerPlaceOf(all []*figures.EventFigures) figures.Figure[figures.Sums] {
	var booked figures.Sums
	var worth, sized figures.Caveat
	places, limited := 0, false
	for _, e := range all {
		if !e.Event.Unlimited {
			of := e.Revenue.Of(figures.Booked)
			booked, places = booked.PlusAll(of.Value, 1), places+e.Capacity.Value
			worth, sized, limited = worth.And(of.Caveat()), sized.And(e.Capacity.Caveat()), true
		}
	}
	sized.AddIf(!limited && len(all) > 0, figures.Unknown, figures.ReasonUnlimited)
	return figures.PerCapacity(figures.New(booked, worth), figures.New(places, sized))
}

// UnsoldValue returns what the places that can still be sold would bring at the average price; Unknown if prices
// are in several currencies.
func (s *Show) UnsoldValue() figures.Figure[figures.Sums] {
	if s.Free.Known() && s.FreeTickets.Value > 0 && slices.Equal(s.AveragePrice.Reasons, []figures.Reason{figures.ReasonNothingPaid}) {
		return figures.New(figures.Sums(nil), s.Free.Caveat()) // it costs nothing
	}
	c := s.Free.Caveat().And(s.AveragePrice.Caveat())
	c.Add(figures.Estimated, figures.ReasonAveragePrice)
	free := int64(s.Free.Value)
	if c.Quality == figures.Unknown || len(s.AveragePrice.Value) != 1 || free > 0 && s.AveragePrice.Value[0].Amount > math.MaxInt64/free {
		return figures.NotKnown[figures.Sums](c.Reasons...)
	}
	return figures.New(figures.Sums(nil).PlusAll(s.AveragePrice.Value, free), c.OfDifference())
}

// Limitless reports whether the performance goes ahead and has no limit of places.
func (s *Show) Limitless() bool { return s.Event.Unlimited && s.Phase.GoesAhead() }

// OnSale reports whether places can still be sold and have a limit.
func (s *Show) OnSale() bool { return s.Sale == SaleOpen && !s.SoldOut && !s.Event.Unlimited }

// UnsoldValue returns the value of the places that can still be sold of all performances among shows that are on
// sale; LowerBound if it is not known for some of them.
func UnsoldValue(shows []*Show) figures.Figure[figures.Sums] {
	selling, known := 0, 0
	var value figures.Sums
	var c figures.Caveat
	for _, s := range shows {
		if !s.OnSale() {
			continue
		}
		selling++
		one := s.UnsoldValue()
		if !one.Known() {
			c.Add(figures.LowerBound, one.Reasons...)
			continue
		}
		known++
		value, c = value.PlusAll(one.Value, 1), c.And(one.Caveat())
	}
	c.AddIf(selling > 0 && known == 0, figures.Unknown, figures.ReasonAveragePrice)
	return figures.New(value, c)
}

// Booked returns what was booked on any day for the performances of the evening that go ahead. AveragePrice
// returns the average price of their paid places.
func (v *Evening) Booked() figures.Figure[figures.Sums] {
	var sums figures.Sums
	var c figures.Caveat
	c.AddIf(v.behind(record.KindEvent), figures.Estimated, figures.ReasonBehind)
	for _, s := range v.Shows {
		if s.SellsTonight() {
			booked := s.Revenue.Of(figures.Booked)
			sums, c = sums.PlusAll(booked.Value, 1), c.And(booked.Caveat())
		}
	}
	return figures.New(sums, c)
}

func (v *Evening) AveragePrice() figures.Figure[figures.Sums] {
	var paid []figures.PaidFor
	var c figures.Caveat
	for _, s := range v.Shows {
		if s.SellsTonight() {
			paid, c = append(paid, s.PaidFor...), c.And(s.AverageCaveat())
		}
	}
	return figures.AverageOf(paid, c)
}

// BookedLeadsToReceived reports whether booked, plus fees, less goodwill and what is to be paid, plus what is to be paid back,
// is exactly the net received for the performance, and differs from booked. It may not be: open items belong to
// whole orders, and an order of several performances may be settled while one of them has received too much and
// another too little.
func (s *Show) BookedLeadsToReceived() bool {
	r := &s.Revenue
	booked, due, net := r.Of(figures.Booked), r.Of(figures.ToBePaid), r.NetReceived()
	if s.Phase == Cancelled || !booked.Known() || !due.Known() || !net.Known() || slices.Equal(booked.Value, net.Value) {
		return false
	}
	sum := booked.Value.PlusAll(r.Of(figures.Goodwill).Value, -1).PlusAll(due.Value, -1).PlusAll(r.Of(figures.ToBePaidBack).Value, 1)
	if fees := r.Of(figures.Fees); fees.Known() {
		sum = sum.PlusAll(fees.Value, 1)
	}
	return slices.Equal(sum, net.Value)
}
