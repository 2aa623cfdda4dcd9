package evening

import (
	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// Limitless reports whether the performance goes ahead and has no limit of places.
func (s *Show) Limitless() bool { return s.Event.Unlimited && s.Phase.GoesAhead() }

// OnSale reports whether places can still be sold and have a limit.
func (s *Show) OnSale() bool { return s.Sale == SaleOpen && !s.SoldOut && !s.Event.Unlimited }

// Booked returns what was booked on any day for the performances of the evening that go ahead. AveragePrice
// returns the average price of their paid places.
func (v *Evening) Booked() figures.Figure[figures.Sums] {
	sums, c := figures.Sums(nil), figures.Caveat{}
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
	paid, c := []figures.PaidFor(nil), figures.Caveat{}
	for _, s := range v.Shows {
		if s.SellsTonight() {
			paid, c = append(paid, s.PaidFor...), c.And(s.AverageCaveat())
		}
	}
	return figures.AverageOf(paid, c)
}
