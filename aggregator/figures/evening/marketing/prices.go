package marketing

import (
	"math"
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
)

// RevenuePerPlace returns the revenue per place of those performances of the evening together that go ahead.
func RevenuePerPlace(v *evening.Evening) figures.Figure[figures.Sums] {
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

// UnsoldValueOf returns what the places of a performance that can still be sold would bring at the average price; Unknown if prices
// are in several currencies.
func UnsoldValueOf(s *evening.Show) figures.Figure[figures.Sums] {
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
func UnsoldValue(shows []*evening.Show) figures.Figure[figures.Sums] {
	selling, known := 0, 0
	var value figures.Sums
	var c figures.Caveat
	for _, s := range shows {
		if !s.OnSale() {
			continue
		}
		selling++
		one := UnsoldValueOf(s)
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
