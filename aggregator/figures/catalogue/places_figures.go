package catalogue

import (
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/marketing"
	"housecount/apiclient/record"
)

// placesFigures are places: capacity, sold, free, reserved, occupancy, and how fast they sell.
var placesFigures = []Definition{
	{Key: figures.KeyCapacity, From: fromEventsAndPlans, termsOf: capacityTerms,
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Capacity) }, ofArea: func(a *figures.Area) figures.Value { return figures.CountOf(a.Capacity) },
		ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.Capacity) }, part: figures.KeyCapacity, within: goingAhead, ofNight: func(r *evening.Result) figures.Value { return figures.CountOf(r.Capacity) }},
	{Key: figures.KeyAvailable, From: fromEventsAndPlans, ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Available) }},
	{Key: figures.KeyBlocked, From: fromEvents, ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Blocked) }},
	{Key: figures.KeySold, From: fromTickets, sumOfSales: true, terms: sumOf(figures.KeyPaid, figures.KeyUnpaid, figures.KeyComplimentary, figures.KeyFreeTickets),
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Sold) }, ofArea: func(a *figures.Area) figures.Value { return figures.CountOf(a.Sold) },
		ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.Sold) }, part: figures.KeySold, within: goingAhead,
		ofSales: func(m *marketing.Sales) figures.Value { return figures.CountOf(m.Sold) },
		ofNight: func(r *evening.Result) figures.Value { return figures.CountOf(r.Sold) }, ofPeriod: func(v *evening.Evening, p *evening.Period) figures.Value { return figures.CountOf(v.PlacesOf(p)) }},
	{Key: figures.KeyPaid, From: fromOrders,
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Paid) }, ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.Paid) }, part: figures.KeyPaid, within: goingAhead},
	{Key: figures.KeyUnpaid, From: fromOrders,
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Unpaid) }, ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.Unpaid) }, part: figures.KeyUnpaid, within: goingAhead},
	{Key: figures.KeyComplimentary, From: fromTickets,
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Complimentary) }, ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.Complimentary) }, part: figures.KeyComplimentary, within: goingAhead},
	{Key: figures.KeyFreeTickets, From: fromTickets,
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.FreeTickets) }, ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.FreeTickets) }, part: figures.KeyFreeTickets, within: goingAhead},
	{Key: figures.KeyReserved, From: fromTickets,
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Reserved) }, ofArea: func(a *figures.Area) figures.Value { return figures.CountOf(a.Reserved) },
		ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.Reserved) }, part: figures.KeyReserved, within: goingAhead},
	{Key: figures.KeyFree, From: fromPlaces, fromOf: freeFrom, termsOf: freeTerms,
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Free) }, ofArea: func(a *figures.Area) figures.Value { return figures.CountOf(a.Free) },
		ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.Free) }, part: figures.KeyFree, within: dated},
	{Key: figures.KeyOversold, From: fromCapacity, ofShow: func(s *evening.Show) figures.Value { return figures.Value{Count: s.Oversold} }},
	{Key: figures.KeyOccupancy, Unit: figures.Share, From: fromCapacity, terms: []figures.Term{{Op: figures.Plus, Key: figures.KeySold}, {Op: figures.DividedBy, Key: figures.KeyCapacity}},
		ofShow: func(s *evening.Show) figures.Value { return figures.ShareOf(s.Occupancy()) }, ofEvening: func(v *evening.Evening) figures.Value { return figures.ShareOf(v.House.Occupancy()) },
		ofNight: func(r *evening.Result) figures.Value { return figures.ShareOf(r.Occupancy()) }},
	{Key: figures.KeyPaidOccupancy, Unit: figures.Share, From: []record.Kind{record.KindEvent, record.KindTicket, record.KindPayment}, terms: []figures.Term{{Op: figures.Plus, Key: figures.KeyPaid}, {Op: figures.DividedBy, Key: figures.KeyCapacity}},
		ofShow: func(s *evening.Show) figures.Value { return figures.ShareOf(s.PaidOccupancy()) }, ofEvening: func(v *evening.Evening) figures.Value { return figures.ShareOf(v.House.PaidOccupancy()) }},
	{Key: figures.KeySoldHour, window: time.Hour, From: fromTickets,
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.SoldLastHour) }, ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.SoldLastHour) }},
	{Key: figures.KeySold24Hours, window: 24 * time.Hour, From: fromTickets, ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.SoldIn(24 * time.Hour)) }},
	{Key: figures.KeySold7Days, window: 7 * 24 * time.Hour, From: fromTickets, ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.SoldInWeek) }},
	{Key: figures.KeySoldToday, Today: true, From: fromTickets, terms: sumOf(figures.KeySoldHere, figures.KeySoldElsewhere),
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Today.Places(s.Sold)) }, ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.PlacesToday) }},
	{Key: figures.KeySoldHere, Today: true, From: fromTickets, part: figures.KeySoldToday, within: anyPhase,
		ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.PlacesHere) }},
	{Key: figures.KeySoldElsewhere, Today: true, From: fromTickets, ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.PlacesElsewhere) }},
}
