package catalogue

import (
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/marketing"
	"housecount/apiclient/record"
)

// buyerFigures are about how performances are sold: in which orders and to whom. An earlier sale that is not read yet makes a new buyer a
// returning one, so that either number may be too high, too.
var buyerFigures = []Definition{
	{Key: figures.KeyOrders, Unit: figures.OrderCount, From: fromTickets, sumOfSales: true, ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(inOrders(s.EventFigures, s.Orders)) },
		ofSales: func(m *marketing.Sales) figures.Value { return figures.CountOf(salesInOrders(m, m.Orders)) }},
	{Key: figures.KeyOrdered, From: fromTickets, sumOfSales: true, ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(inOrders(s.EventFigures, s.Ordered)) },
		ofSales: func(m *marketing.Sales) figures.Value { return figures.CountOf(salesInOrders(m, m.Ordered)) }},
	{Key: figures.KeyPerOrder, Unit: figures.Mean, From: fromTickets, terms: quotient(figures.KeyOrdered, figures.KeyOrders), ofShow: func(s *evening.Show) figures.Value {
		return figures.ShareOf(figures.PerOrder(s.Sold, s.Ordered, s.Orders))
	},
		ofSales: func(m *marketing.Sales) figures.Value { return figures.ShareOf(m.PerOrder()) }},
	{Key: figures.KeyBuyersNew, From: fromTickets, sumOfSales: true, ofShow: func(s *evening.Show) figures.Value {
		return figures.CountOf(figures.New(s.Buyers.New, s.Sold.Caveat().EitherWay()))
	},
		ofSales: func(m *marketing.Sales) figures.Value {
			return figures.CountOf(figures.New(m.Buyers.New, m.Sold.Caveat().EitherWay()))
		}},
	{Key: figures.KeyBuyersReturning, From: fromTickets, sumOfSales: true, ofShow: func(s *evening.Show) figures.Value {
		return figures.CountOf(figures.New(s.Buyers.Returning, s.Sold.Caveat().EitherWay()))
	},
		ofSales: func(m *marketing.Sales) figures.Value {
			return figures.CountOf(figures.New(m.Buyers.Returning, m.Sold.Caveat().EitherWay()))
		}},
	{Key: figures.KeyBuyersKnown, From: fromTickets, sumOfSales: true, terms: sumOf(figures.KeyBuyersNew, figures.KeyBuyersReturning), ofShow: func(s *evening.Show) figures.Value {
		return figures.CountOf(figures.New(s.Buyers.Known(), s.Sold.Caveat()))
	},
		ofSales: func(m *marketing.Sales) figures.Value {
			return figures.CountOf(figures.New(m.Buyers.Known(), m.Sold.Caveat()))
		}},
	{Key: figures.KeyBuyersUnknown, From: fromTickets, sumOfSales: true, ofShow: func(s *evening.Show) figures.Value {
		return figures.CountOf(figures.New(s.Buyers.Anonymous, s.Sold.Caveat()))
	},
		ofSales: func(m *marketing.Sales) figures.Value {
			return figures.CountOf(figures.New(m.Buyers.Anonymous, m.Sold.Caveat()))
		}},
	{Key: figures.KeyReturning, Unit: figures.Share, From: fromTickets, terms: quotient(figures.KeyBuyersReturning, figures.KeyBuyersKnown), ofShow: func(s *evening.Show) figures.Value { return figures.ShareOf(returning(s.Buyers, s.Sold)) },
		ofSales: func(m *marketing.Sales) figures.Value { return figures.ShareOf(returning(m.Buyers, m.Sold)) }},
	{Key: figures.KeyOptIn, Unit: figures.Share, From: fromContacts, terms: quotient(figures.KeyOptedIn, figures.KeyAsked), ofSales: func(m *marketing.Sales) figures.Value { return figures.ShareOf(m.Contacts.OptIn()) }},
	{Key: figures.KeyOptedIn, Unit: figures.Contact, From: fromContacts, ofSales: func(m *marketing.Sales) figures.Value { return figures.Value{Count: m.Contacts.OptedIn} }},
	{Key: figures.KeyAsked, Unit: figures.Contact, From: fromContacts, ofSales: func(m *marketing.Sales) figures.Value {
		return figures.Value{Count: m.Contacts.OptedIn + m.Contacts.OptedOut}
	}},
}

var fromContacts = []record.Kind{record.KindContact}

// quotient returns the formula of one figure divided by another.
func quotient(of, by figures.Key) []figures.Term {
	return []figures.Term{{Op: figures.Plus, Key: of}, {Op: figures.DividedBy, Key: by}}
}

// bandedOf returns an estimate with its band.
func bandedOf(f figures.Figure[int], band figures.Band) figures.Value {
	v := figures.CountOf(f)
	if f.Known() {
		v.Band = band
	}
	return v
}

// inOrders returns a count of orders, or of places in them, with the quality of what is sold.
func inOrders(e *figures.EventFigures, n int) figures.Figure[int] {
	return figures.New(n, e.Sold.Caveat())
}

func salesInOrders(m *marketing.Sales, n int) figures.Figure[int] {
	return figures.New(n, m.Sold.Caveat())
}

// returning returns the part of the places whose buyer is known that returning contacts bought.
func returning(b figures.Buyers, sold figures.Figure[int]) figures.Figure[float64] {
	c := sold.Caveat().EitherWay()
	c.AddIf(b.Known() == 0, figures.Unknown, figures.ReasonNoContacts)
	return figures.New(float64(b.Returning)/float64(max(1, b.Known())), c)
}

// ofAll returns terms if planning covers every performance; planned is how many it covers. Otherwise the sales of
// some performances are not in the figure, and it has no formula.
func ofAll(m *marketing.Sales, planned int, terms []figures.Term) []figures.Term {
	if planned < m.Performances {
		return nil
	}
	return terms
}
