package catalogue

import (
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/bridge"
	"housecount/aggregator/figures/evening/compare"
	"housecount/aggregator/figures/evening/marketing"
	"housecount/apiclient/record"
)

// moneyFigures are money: booked, received, refunded, open items, fees and VAT.
var moneyFigures = []Definition{
	{Key: figures.KeyBooked, Unit: figures.Money, From: fromTickets, ofShow: showOf(figures.Booked),
		ofEvening: func(v *evening.Evening) figures.Value { return figures.MoneyOf(v.Booked()) }, part: figures.KeyBooked, within: goingAhead,
		ofVAT: func(f *figures.VATFigures, booked figures.Caveat) figures.Value {
			return figures.MoneyOf(figures.New(f.Of(figures.Booked), booked))
		},
		ofPeriod: periodOf(figures.Booked), ofOrders: func(b *bridge.Bridge) figures.Value { return figures.MoneyOf(b.Booked) }},
	{Key: figures.KeyBookedToday, Unit: figures.Money, Today: true, From: fromTickets, terms: sumOf(figures.KeyBookedHere, figures.KeyBookedElsewhere),
		ofShow: func(s *evening.Show) figures.Value {
			return moneyIn(s.Today.Of(figures.Booked), s.Revenue.During(&s.Today).Of(figures.Booked))
		},
		ofEvening: func(v *evening.Evening) figures.Value {
			return bookedIn(v, &v.House.Today)
		}},
	{Key: figures.KeyBookedHere, Unit: figures.Money, Today: true, From: fromTickets,
		part: figures.KeyBookedToday, within: anyPhase,
		ofEvening: func(v *evening.Evening) figures.Value {
			return bookedIn(v, &v.House.Here)
		}},
	{Key: figures.KeyBookedElsewhere, Unit: figures.Money, Today: true, From: fromTickets,
		ofEvening: func(v *evening.Evening) figures.Value {
			return bookedIn(v, &v.House.Elsewhere)
		}},
	{Key: figures.KeyReceived, Unit: figures.Money, From: fromPayments, ofShow: showOf(figures.Received),
		ofSales:  func(m *marketing.Sales) figures.Value { return figures.MoneyOf(m.Received) },
		ofPeriod: periodOf(figures.Received)},
	{Key: figures.KeyRefunded, Unit: figures.Money, From: fromPayments, ofShow: showOf(figures.Refunded),
		ofPeriod: periodOf(figures.Refunded)},
	{Key: figures.KeyChargedBack, Unit: figures.Money, From: fromPayments, ofShow: showOf(figures.ChargedBack),
		ofPeriod: periodOf(figures.ChargedBack)},
	{Key: figures.KeyReversed, Unit: figures.Money, From: fromPayments, ofShow: showOf(figures.Reversed),
		ofPeriod: periodOf(figures.Reversed)},
	{Key: figures.KeyNet, Unit: figures.Money, From: fromPayments, terms: []figures.Term{{Op: figures.Plus, Key: figures.KeyReceived}, {Op: figures.Less, Key: figures.KeyRefunded}, {Op: figures.Less, Key: figures.KeyChargedBack}, {Op: figures.Plus, Key: figures.KeyReversed}},
		ofShow: func(s *evening.Show) figures.Value { return figures.MoneyOf(s.Revenue.NetReceived()) }, ofNight: func(r *evening.Result) figures.Value { return figures.MoneyOf(r.Net) },
		ofPeriod: func(v *evening.Evening, p *evening.Period) figures.Value {
			return moneyIn(p.Net(), v.RevenueOf(p).NetReceived())
		},
		ofOrders: func(b *bridge.Bridge) figures.Value { return figures.MoneyOf(b.Net) }},
	{Key: figures.KeyUnattributed, Unit: figures.Money, ofHouse: true, From: fromPayments, ofPeriod: func(v *evening.Evening, p *evening.Period) figures.Value { return figures.MoneyOf(v.Unattributed(p)) }},
	{Key: figures.KeyStandsIn, Unit: figures.Money, From: fromTickets, terms: sumOf(figures.KeyBooked),
		ofShow: func(s *evening.Show) figures.Value { return standsIn(s) }, ofNight: func(r *evening.Result) figures.Value { return figures.MoneyOf(r.Net) },
		ofPeriod: func(v *evening.Evening, p *evening.Period) figures.Value {
			return moneyIn(p.Of(figures.Booked), v.RevenueOf(p).Net)
		}},
	{Key: figures.KeyRefundsPending, Unit: figures.Money, From: fromPayments, ofShow: showOf(figures.RefundsPending),
		ofPeriod: func(v *evening.Evening, p *evening.Period) figures.Value { return figures.MoneyOf(v.RefundsPending(p)) }},
	{Key: figures.KeyFees, Unit: figures.Money, From: fromTickets, ofShow: showOf(figures.Fees),
		ofPeriod: periodOf(figures.Fees), ofOrders: func(b *bridge.Bridge) figures.Value { return figures.MoneyOf(b.Fees) }},
	{Key: figures.KeyVAT, Unit: figures.Money, From: fromTickets, ofShow: showOf(figures.VAT),
		ofVAT: func(f *figures.VATFigures, booked figures.Caveat) figures.Value {
			return figures.MoneyOf(figures.New(f.Of(figures.VAT), caveat(f, booked)))
		},
		ofPeriod: periodOf(figures.VAT)},
	{Key: figures.KeyNetOfVAT, Unit: figures.Money, From: fromTickets, terms: []figures.Term{{Op: figures.Plus, Key: figures.KeyBooked}, {Op: figures.Less, Key: figures.KeyVAT}},
		ofShow: func(s *evening.Show) figures.Value { return figures.MoneyOf(s.Revenue.NetOfVAT()) },
		ofVAT: func(f *figures.VATFigures, booked figures.Caveat) figures.Value {
			return figures.MoneyOf(figures.New(f.Net(), caveat(f, booked).OfDifference()))
		},
		ofPeriod: func(v *evening.Evening, p *evening.Period) figures.Value {
			return moneyIn(p.NetOfVAT(), v.RevenueOf(p).NetOfVAT())
		}},
	{Key: figures.KeyBudget, Unit: figures.Money, ofHouse: true, From: fromSettings,
		ofPeriod: func(v *evening.Evening, p *evening.Period) figures.Value {
			return figures.MoneyOf(compare.BudgetOf(v, p))
		}},
	{Key: figures.KeyOverBudget, Unit: figures.Money, ofHouse: true, From: fromTickets, terms: []figures.Term{{Op: figures.Plus, Key: figures.KeyBooked}, {Op: figures.Less, Key: figures.KeyBudget}},
		ofPeriod: func(v *evening.Evening, p *evening.Period) figures.Value {
			return figures.MoneyOf(compare.OverBudget(v, p))
		}},
	{Key: figures.KeyToBePaid, Unit: figures.Money, From: fromOrders, ofShow: showOf(figures.ToBePaid),
		ofOrders: func(b *bridge.Bridge) figures.Value { return figures.MoneyOf(b.ToBePaid) }},
	{Key: figures.KeyGoodwill, Unit: figures.Money, From: fromOrders, ofShow: showOf(figures.Goodwill),
		ofOrders: func(b *bridge.Bridge) figures.Value { return figures.MoneyOf(b.Goodwill) }},
	{Key: figures.KeyToBePaidBack, Unit: figures.Money, From: fromOrders, ofShow: showOf(figures.ToBePaidBack),
		ofOrders: func(b *bridge.Bridge) figures.Value { return figures.MoneyOf(b.ToBePaidBack) }},
	{Key: figures.KeyOpenItems, Unit: figures.Money, From: fromOrders, terms: []figures.Term{{Op: figures.Plus, Key: figures.KeyToBePaid}, {Op: figures.Less, Key: figures.KeyToBePaidBack}},
		ofShow: func(s *evening.Show) figures.Value {
			return figures.MoneyOf(openItems(s.Revenue.Of(figures.ToBePaid), s.Revenue.Of(figures.ToBePaidBack)))
		}, ofOrders: func(b *bridge.Bridge) figures.Value { return figures.MoneyOf(openItems(b.ToBePaid, b.ToBePaidBack)) }},
	{Key: figures.KeyOtherDays, Unit: figures.Money, From: fromOrders, wholeDays: true,
		ofPeriod: func(v *evening.Evening, p *evening.Period) figures.Value {
			return figures.MoneyOf(bridge.OfOtherDays(v, p))
		}},
	{Key: figures.KeyToPayBack, Unit: figures.Money, From: fromPayments, termsOf: toPayBackTerms, ofShow: func(s *evening.Show) figures.Value { return figures.MoneyOf(s.ToPayBack) }},
	{Key: figures.KeyAveragePrice, Unit: figures.Money, From: fromOrders, ofShow: func(s *evening.Show) figures.Value { return figures.MoneyOf(s.AveragePrice) },
		ofEvening: func(v *evening.Evening) figures.Value { return figures.MoneyOf(v.AveragePrice()) }, ofSales: func(m *marketing.Sales) figures.Value { return figures.MoneyOf(m.AveragePrice) }},
	{Key: figures.KeyRevenuePerPlace, Unit: figures.Money, From: fromCapacity, terms: quotient(figures.KeyBooked, figures.KeyCapacity),
		ofShow: func(s *evening.Show) figures.Value { return figures.MoneyOf(s.RevenuePerPlace()) }, ofEvening: func(v *evening.Evening) figures.Value { return figures.MoneyOf(marketing.RevenuePerPlace(v)) },
		ofSales: func(m *marketing.Sales) figures.Value { return figures.MoneyOf(m.RevenuePerPlace) }},
	{Key: figures.KeyUnsoldValue, Unit: figures.Money, From: []record.Kind{record.KindEvent, record.KindTicket, record.KindPayment},
		termsOf: func(*evening.Show) []figures.Term {
			return []figures.Term{{Op: figures.Plus, Key: figures.KeyFree}, {Op: figures.Times, Key: figures.KeyAveragePrice}}
		},
		ofShow: func(s *evening.Show) figures.Value { return figures.MoneyOf(marketing.UnsoldValueOf(s)) }, ofEvening: func(v *evening.Evening) figures.Value { return figures.MoneyOf(marketing.UnsoldValue(v.Shows)) }, part: figures.KeyUnsoldValue, within: (*evening.Show).OnSale,
		ofSales: func(m *marketing.Sales) figures.Value { return figures.MoneyOf(m.UnsoldValue) }},
}
