package evening

import (
	"math"
	"slices"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// Bridge explains the difference between what was booked and what was received, over orders:
// Booked + Fees − ToBePaid + ToBePaidBack = Net.
type Bridge struct {
	Booked, Fees, ToBePaid, ToBePaidBack, Net figures.Figure[figures.Sums]
	Open                                      int // orders that have an open item
}

// Bridge is that of the orders that were placed on the days from..to, as they stand now. Orders
// whose day is not known are in none.
func (v *Evening) Bridge(from, to figures.Day) Bridge {
	return bridgeOf(v.Snapshot.OrderDays, &v.Snapshot.Total, from, to)
}

// BridgeOf is that of a performance, or of what belongs to none if it is nil.
func (v *Evening) BridgeOf(e *figures.EventFigures, from, to figures.Day) Bridge {
	if e == nil {
		return bridgeOf(v.Snapshot.UnattributedOrderDays, &v.Snapshot.Unattributed, from, to)
	}
	return bridgeOf(e.OrderDays, &e.Revenue, from, to)
}

// bridgeOf is that of the orders of days, whose money of all days is total.
func bridgeOf(days figures.OrderDays, total *figures.Revenue, from, to figures.Day) (b Bridge) {
	sums := days.Between(from, to)
	b.Open, total = sums.Open, total.OfOrders(&sums)
	with := func(s figures.Sums, of figures.Figure[figures.Sums]) figures.Figure[figures.Sums] {
		return figures.New(s, of.Caveat())
	}
	b.Booked, b.Fees = with(sums.Of(figures.Booked), total.Of(figures.Booked)), with(sums.Of(figures.Fees), total.Of(figures.Fees))
	b.ToBePaid, b.ToBePaidBack = with(sums.Of(figures.ToBePaid), total.Of(figures.ToBePaid)), with(sums.Of(figures.ToBePaidBack), total.Of(figures.ToBePaidBack))
	b.Net = with(sums.Net(), total.NetReceived())
	return b
}

// AgeBand are the open items of a performance whose orders have an age.
type AgeBand struct {
	// From and Under are the age in days, from the day of the order to the running one. Under is 0
	// in the last band; both are 0 if the day of the order is not known.
	From, Under  int
	Open         int // orders
	ToBePaid     figures.Sums
	ToBePaidBack figures.Sums
}

// bandEnds are the ages in days at which a band of open items ends and the next begins.
var bandEnds = []int{7, 30}

// OpenItems returns the open items of a performance by the age of their order, youngest first, without
// bands in which nothing is open; last are those whose day is not known. Together they are the
// ToBePaid and ToBePaidBack of its Revenue.
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

// RevenuePerPlace is that of the performances of the evening together that go ahead.
func (v *Evening) RevenuePerPlace() figures.Figure[figures.Sums] {
	var ahead []*figures.EventFigures
	for _, s := range v.Shows {
		if s.Phase.GoesAhead() {
			ahead = append(ahead, s.EventFigures)
		}
	}
	return revenuePerPlace(ahead)
}

// revenuePerPlace is that of several performances together: of those that have a limit of places, since
// what was booked for the others was booked for none of these.
func revenuePerPlace(all []*figures.EventFigures) figures.Figure[figures.Sums] {
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

// UnsoldValue returns what the places that can still be sold would bring at the average price; Unknown if
// that is not of one currency.
func (s *Show) UnsoldValue() figures.Figure[figures.Sums] {
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

// UnsoldValue is that of the performances among shows that are on sale together; LowerBound where it is not known
// of some.
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

// Booked returns what was booked for the performances of the evening that go ahead, on whatever day, and AveragePrice
// what a paid place of them was booked for.
func (v *Evening) Booked() figures.Figure[figures.Sums] {
	var sums figures.Sums
	var c figures.Caveat
	c.AddIf(v.behind(record.KindEvent), figures.Estimated, figures.ReasonBehind)
	for _, s := range v.Shows {
		if s.Phase.GoesAhead() {
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
		if s.Phase.GoesAhead() {
			paid, c = append(paid, s.PaidFor...), c.And(s.AverageCaveat())
		}
	}
	return figures.AverageOf(paid, c)
}

// BookedLeadsToReceived reports whether what was booked of the performance, with its fees, less what is
// to be paid, plus what is to be paid back, is exactly what was received net, and differs from what was
// booked. The sum may miss: open items are of whole orders, and an order of several performances may be
// settled while one of them has received too much and another too little.
func (s *Show) BookedLeadsToReceived() bool {
	r := &s.Revenue
	booked, due, net := r.Of(figures.Booked), r.Of(figures.ToBePaid), r.NetReceived()
	if s.Phase == Cancelled || !booked.Known() || !due.Known() || !net.Known() || slices.Equal(booked.Value, net.Value) {
		return false
	}
	sum := booked.Value.PlusAll(due.Value, -1).PlusAll(r.Of(figures.ToBePaidBack).Value, 1)
	if fees := r.Of(figures.Fees); fees.Known() {
		sum = sum.PlusAll(fees.Value, 1)
	}
	return slices.Equal(sum, net.Value)
}
