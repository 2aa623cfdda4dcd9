package evening

import (
	"math"
	"slices"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

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

// Limitless reports whether the performance goes ahead and has no limit of places.
func (s *Show) Limitless() bool { return s.Event.Unlimited && s.Phase.GoesAhead() }

// OnSale reports whether places can still be sold and have a limit.
func (s *Show) OnSale() bool { return s.Sale == SaleOpen && !s.SoldOut && !s.Event.Unlimited }

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
