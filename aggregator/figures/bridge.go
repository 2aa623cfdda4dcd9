package figures

import (
	"math"
	"slices"

	"housecount/apiclient/record"
)

// Bridge leads from what was booked to what was received, over orders:
// Booked + Fees − ToBePaid + ToBePaidBack = Net.
type Bridge struct {
	Booked, Fees, ToBePaid, ToBePaidBack, Net Figure[Sums]
	Open                                      int // orders that have an open item
}

// Bridge is that of the orders that were placed on the days from..to, as they stand now. Orders
// whose day is not known are in none.
func (v *Evening) Bridge(from, to Day) Bridge {
	return bridgeOf(v.snapshot.OrderDays, &v.snapshot.Total, from, to)
}

// BridgeOf is that of a performance, or of what belongs to none where it is nil.
func (v *Evening) BridgeOf(e *EventFigures, from, to Day) Bridge {
	if e == nil {
		return bridgeOf(v.snapshot.UnattributedOrderDays, &v.snapshot.Unattributed, from, to)
	}
	return bridgeOf(e.OrderDays, &e.Revenue, from, to)
}

// bridgeOf is that of the orders of days, whose money of all days is total.
func bridgeOf(days OrderDays, total *Revenue, from, to Day) (b Bridge) {
	sums := days.Between(from, to)
	b.Open = sums.Open
	with := func(s Sums, of Figure[Sums]) Figure[Sums] { return figure(s, of.caveat()) }
	b.Booked, b.Fees = with(sums.Of(Booked), total.Of(Booked)), with(sums.Of(Fees), total.Of(Fees))
	b.ToBePaid, b.ToBePaidBack = with(sums.Of(ToBePaid), total.Of(ToBePaid)), with(sums.Of(ToBePaidBack), total.Of(ToBePaidBack))
	b.Net = with(sums.Net(), total.NetReceived())
	return b
}

// openItems are what is still to be paid less what is to be paid back, each as well known as the other.
func openItems(due, back Figure[Sums]) Figure[Sums] {
	return figure(due.Value.PlusAll(back.Value, -1), due.caveat())
}

// AgeBand are the open items of a performance whose orders have an age.
type AgeBand struct {
	// From and Under are the age in days, from the day of the order to the running one. Under is 0
	// in the last band; both are 0 where the day of the order is not known.
	From, Under  int
	Open         int // orders
	ToBePaid     Sums
	ToBePaidBack Sums
}

// bandEnds are the ages in days at which a band of open items ends and the next begins.
var bandEnds = []int{7, 30}

// OpenItems are the open items of a performance by the age of their order, youngest first, without
// bands in which nothing is open; last are those whose day is not known. Together they are the
// ToBePaid and ToBePaidBack of its Revenue.
func (v *Evening) OpenItems(e *EventFigures) (bands []AgeBand) {
	all := make([]AgeBand, len(bandEnds)+2)
	for i, end := range bandEnds {
		all[i].Under, all[i+1].From = end, end
	}
	undated := &all[len(all)-1]
	undated.ToBePaid, undated.ToBePaidBack = e.Revenue.Of(ToBePaid).Value, e.Revenue.Of(ToBePaidBack).Value
	for _, d := range e.OrderDays.All() {
		age, i := v.Today.Since(d.Day), 0
		for i < len(bandEnds) && age >= bandEnds[i] {
			i++
		}
		b := &all[i]
		b.Open += d.Open
		b.ToBePaid = b.ToBePaid.PlusAll(d.Of(ToBePaid), 1)
		b.ToBePaidBack = b.ToBePaidBack.PlusAll(d.Of(ToBePaidBack), 1)
		undated.ToBePaid = undated.ToBePaid.PlusAll(d.Of(ToBePaid), -1)
		undated.ToBePaidBack = undated.ToBePaidBack.PlusAll(d.Of(ToBePaidBack), -1)
	}
	for _, b := range all {
		if b.Open != 0 || len(b.ToBePaid) > 0 || len(b.ToBePaidBack) > 0 {
			bands = append(bands, b)
		}
	}
	return bands
}

// Since is how many days d is after another day.
func (d Day) Since(before Day) int {
	to, _ := d.number()
	from, _ := before.number()
	return int(to - from)
}

// cost is what places of one currency cost that are sold for a price, and of these what is unpaid.
type cost struct {
	currency             ref
	amount, places       int64
	unpaid, unpaidPlaces int64
}

// cost adds places that were sold, and places that are unpaid; negative numbers take them out.
func (e *eventAccount) cost(t *terms, places, unpaid int) {
	if !t.costs() || !t.priced || !t.admits {
		return
	}
	i := slices.IndexFunc(e.costs, func(c cost) bool { return c.currency == t.priceIn })
	if i < 0 {
		i = len(e.costs)
		e.costs = append(e.costs, cost{currency: t.priceIn})
	}
	c := &e.costs[i]
	c.amount, c.places = c.amount+t.price*int64(places), c.places+int64(places)
	c.unpaid, c.unpaidPlaces = c.unpaid+t.price*int64(unpaid), c.unpaidPlaces+int64(unpaid)
}

// paidFor is what the tickets that are paid were booked for, without fees. Split says that payments tell
// what is unpaid; until then all that cost something count as paid.
func (e *eventAccount) paidFor(n *names, split bool) (all []paidFor) {
	for _, c := range e.costs {
		if split {
			c.amount, c.places = c.amount-c.unpaid, c.places-c.unpaidPlaces
		}
		if c.places > 0 {
			all = append(all, paidFor{record.Money{Amount: c.amount, Currency: n.text(c.currency)}, c.places})
		}
	}
	return all
}

// RevenuePerPlace is what was booked for each place that can be sold, sold or not.
func (e *EventFigures) RevenuePerPlace() Figure[Sums] {
	return perCapacity(e.Revenue.Of(Booked), e.Capacity)
}

// RevenuePerPlace is that of the performances of the evening together that go ahead.
func (v *Evening) RevenuePerPlace() Figure[Sums] {
	var ahead []*EventFigures
	for _, s := range v.Shows {
		if s.Phase.GoesAhead() {
			ahead = append(ahead, s.EventFigures)
		}
	}
	return revenuePerPlace(ahead)
}

// revenuePerPlace is that of several performances together: of those that have a limit of places, since
// what was booked for the others was booked for none of these.
func revenuePerPlace(all []*EventFigures) Figure[Sums] {
	var booked Sums
	var worth, sized caveat
	places, limited := 0, false
	for _, e := range all {
		if !e.Event.Unlimited {
			of := e.Revenue.Of(Booked)
			booked, places = booked.PlusAll(of.Value, 1), places+e.Capacity.Value
			worth, sized, limited = worth.and(of.caveat()), sized.and(e.Capacity.caveat()), true
		}
	}
	sized.addIf(!limited && len(all) > 0, Unknown, ReasonUnlimited)
	return perCapacity(figure(booked, worth), figure(places, sized))
}

func perCapacity(booked Figure[Sums], capacity Figure[int]) Figure[Sums] {
	c := booked.caveat().and(capacity.caveat())
	c.addIf(capacity.Known() && capacity.Value <= 0, Unknown, ReasonNoCapacity)
	if c.quality == LowerBound {
		c.quality = Estimated
	}
	return figure(booked.Value.per(capacity.Value), c)
}

// UnsoldValue is what the places that can still be sold would bring at the average price; Unknown where
// that is not of one currency.
func (s *Show) UnsoldValue() Figure[Sums] {
	c := s.Free.caveat().and(s.AveragePrice.caveat())
	c.add(Estimated, ReasonAveragePrice)
	free := int64(s.Free.Value)
	if c.quality == Unknown || len(s.AveragePrice.Value) != 1 || free > 0 && s.AveragePrice.Value[0].Amount > math.MaxInt64/free {
		return unknown[Sums](c.reasons...)
	}
	return figure(Sums(nil).PlusAll(s.AveragePrice.Value, free), c.ofDifference())
}

// limitless says that the performance goes ahead and has no limit of places.
func (s *Show) limitless() bool { return s.Event.Unlimited && s.Phase.GoesAhead() }

// onSale says that places can still be sold and have a limit.
func (s *Show) onSale() bool { return s.Sale == SaleOpen && !s.SoldOut && !s.Event.Unlimited }

// unsoldValue is that of the performances among shows that are on sale together; LowerBound where it is not known
// of some.
func unsoldValue(shows []*Show) Figure[Sums] {
	selling, known := 0, 0
	var value Sums
	var c caveat
	for _, s := range shows {
		if !s.onSale() {
			continue
		}
		selling++
		one := s.UnsoldValue()
		if !one.Known() {
			c.add(LowerBound, one.Reasons...)
			continue
		}
		known++
		value, c = value.PlusAll(one.Value, 1), c.and(one.caveat())
	}
	c.addIf(selling > 0 && known == 0, Unknown, ReasonAveragePrice)
	return figure(value, c)
}

// Booked is what was booked for the performances of the evening that go ahead, on whatever day, and AveragePrice
// what a paid place of them was booked for.
func (v *Evening) Booked() Figure[Sums] {
	var sums Sums
	var c caveat
	c.addIf(v.behind(record.KindEvent), Estimated, ReasonBehind)
	for _, s := range v.Shows {
		if s.Phase.GoesAhead() {
			booked := s.Revenue.Of(Booked)
			sums, c = sums.PlusAll(booked.Value, 1), c.and(booked.caveat())
		}
	}
	return figure(sums, c)
}

func (v *Evening) AveragePrice() Figure[Sums] {
	var paid []paidFor
	var c caveat
	for _, s := range v.Shows {
		if s.Phase.GoesAhead() {
			paid, c = append(paid, s.paidFor...), c.and(s.averageCaveat())
		}
	}
	return averageOf(paid, c)
}

// perPlace divides an amount by places, to the nearest minor unit, halves away from 0.
func perPlace(amount, places int64) int64 {
	half := places / 2
	if amount < 0 {
		return -perPlace(-amount, places)
	}
	if amount > math.MaxInt64-half {
		return amount / places
	}
	return (amount + half) / places
}
