package figures

import "housecount/apiclient/record"

// salesFigures are how performances are sold: in which orders and to whom.
var salesFigures = []Definition{
	{Key: KeyOrders, Unit: OrderCount, From: fromTickets, ofShow: func(s *Show) Value { return countOf(s.inOrders(s.Orders)) },
		ofSales: func(m *Marketing) Value { return countOf(m.inOrders(m.Orders)) }},
	{Key: KeyOrdered, From: fromTickets, ofShow: func(s *Show) Value { return countOf(s.inOrders(s.Ordered)) },
		ofSales: func(m *Marketing) Value { return countOf(m.inOrders(m.Ordered)) }},
	{Key: KeyPerOrder, Unit: Mean, From: fromTickets, terms: quotient(KeyOrdered, KeyOrders), ofShow: func(s *Show) Value { return shareOf(perOrder(s.Sold, s.Ordered, s.Orders)) },
		ofSales: func(m *Marketing) Value { return shareOf(m.PerOrder()) }},
	{Key: KeyBuyersNew, From: fromTickets, ofShow: func(s *Show) Value { return countOf(figure(s.Buyers.New, s.Sold.caveat())) },
		ofSales: func(m *Marketing) Value { return countOf(figure(m.Buyers.New, m.Sold.caveat())) }},
	{Key: KeyBuyersReturning, From: fromTickets, ofShow: func(s *Show) Value { return countOf(figure(s.Buyers.Returning, s.Sold.caveat())) },
		ofSales: func(m *Marketing) Value { return countOf(figure(m.Buyers.Returning, m.Sold.caveat())) }},
	{Key: KeyBuyersKnown, From: fromTickets, terms: sumOf(KeyBuyersNew, KeyBuyersReturning), ofShow: func(s *Show) Value { return countOf(figure(s.Buyers.Known(), s.Sold.caveat())) },
		ofSales: func(m *Marketing) Value { return countOf(figure(m.Buyers.Known(), m.Sold.caveat())) }},
	{Key: KeyBuyersUnknown, From: fromTickets, ofShow: func(s *Show) Value { return countOf(figure(s.Buyers.Anonymous, s.Sold.caveat())) },
		ofSales: func(m *Marketing) Value { return countOf(figure(m.Buyers.Anonymous, m.Sold.caveat())) }},
	{Key: KeyReturning, Unit: Share, From: fromTickets, terms: quotient(KeyBuyersReturning, KeyBuyersKnown), ofShow: func(s *Show) Value { return shareOf(s.Buyers.returning(s.Sold)) },
		ofSales: func(m *Marketing) Value { return shareOf(m.Buyers.returning(m.Sold)) }},
	{Key: KeyOptIn, Unit: Share, From: fromContacts, terms: quotient(KeyOptedIn, KeyAsked), ofSales: func(m *Marketing) Value { return shareOf(m.contacts.OptIn()) }},
	{Key: KeyOptedIn, Unit: Contact, From: fromContacts, ofSales: func(m *Marketing) Value { return Value{Count: m.contacts.OptedIn} }},
	{Key: KeyAsked, Unit: Contact, From: fromContacts, ofSales: func(m *Marketing) Value { return Value{Count: m.contacts.OptedIn + m.contacts.OptedOut} }},
}

var fromContacts = []record.Kind{record.KindContact}

// paceFigures are how the sale of a performance goes beside comparable ones, and where it may lead.
var paceFigures = []Definition{
	{Key: KeySoldSoFar, From: fromTickets, ofPace: func(p *Pace) Value { return countOf(p.Sold) }},
	{Key: KeyUsual, From: fromTickets, ofPace: func(p *Pace) Value { return p.banded(p.Usual, p.UsualBand) }},
	{Key: KeyUsualFinish, From: fromTickets, ofPace: func(p *Pace) Value { return p.banded(figure(p.UsualFinish.Median, p.Usual.caveat()), p.UsualFinish) }},
	{Key: KeyFinish, From: fromTickets, ofPace: func(p *Pace) Value { return p.banded(p.Finish, p.FinishBand) }},
	{Key: KeyFinishError, Unit: Share, From: fromTickets, ofPace: func(p *Pace) Value { return shareOf(p.Error) }},
}

// quotient is the formula of one figure divided by another.
func quotient(of, by Key) []Term { return []Term{{Plus, of}, {DividedBy, by}} }

// bandedOf is an estimate with its band.
func bandedOf(f Figure[int], band Band) Value {
	v := countOf(f)
	if f.Known() {
		v.Band = band
	}
	return v
}

// banded is one by the comparables: a single one makes no band.
func (p *Pace) banded(f Figure[int], band Band) Value {
	if len(p.Comparables) == 1 {
		band = Band{}
	}
	return bandedOf(f, band)
}

// inOrders is a count of orders, or of places in them, as well known as what is sold.
func (e *EventFigures) inOrders(n int) Figure[int] { return figure(n, e.Sold.caveat()) }

func (m *Marketing) inOrders(n int) Figure[int] { return figure(n, m.Sold.caveat()) }

// returning is the part of the places whose buyer is known that returning contacts bought.
func (b Buyers) returning(sold Figure[int]) Figure[float64] {
	c := sold.caveat()
	c.addIf(b.Known() == 0, Unknown, ReasonNoContacts)
	return figure(float64(b.Returning)/float64(max(1, b.Known())), c)
}

// ofAll is a formula that holds where all performances have what planning gives to so many; where some
// have not, what was sold of those is not in it, and there is no formula.
func (m *Marketing) ofAll(planned int, terms []Term) []Term {
	if planned < m.Performances {
		return nil
	}
	return terms
}

// OfForecast is sold / forecast of the performances that planning expects visitors of.
func (m *Marketing) OfForecast() Figure[float64] {
	return figure(float64(m.forecasted.Value)/float64(max(1, m.Forecast.Value)), m.forecasted.caveat().and(m.Forecast.caveat()).ofDifference())
}

// CostPerTicket is the marketing budget for each place sold, of the performances that have one.
func (m *Marketing) CostPerTicket() Figure[Sums] { return costPerTicket(m.Budget, m.budgeted) }

// plan adds what planning says of a performance.
func (m *Marketing) plan(e *EventFigures) {
	if e.Forecast.Known() {
		m.Forecasts++
		m.Forecast = figure(m.Forecast.Value+e.Forecast.Value, m.Forecast.caveat().and(e.Forecast.caveat()))
		m.forecasted = figure(m.forecasted.Value+e.Sold.Value, m.forecasted.caveat().and(e.Sold.caveat()))
	}
	if e.MarketingBudget.Known() {
		m.Budgets++
		m.Budget = figure(m.Budget.Value.PlusAll(e.MarketingBudget.Value, 1), m.Budget.caveat().and(e.MarketingBudget.caveat()))
		m.budgeted = figure(m.budgeted.Value+e.Sold.Value, m.budgeted.caveat().and(e.Sold.caveat()))
	}
}

// planned ends the adding: of those that planning says nothing of, it is not known what that would be.
func (m *Marketing) planned() {
	for _, of := range []struct {
		caveat *Quality
		why    *[]Reason
		plans  int
	}{{&m.Forecast.Quality, &m.Forecast.Reasons, m.Forecasts}, {&m.Budget.Quality, &m.Budget.Reasons, m.Budgets}} {
		c := caveat{*of.caveat, *of.why}
		c.addIf(of.plans < m.Performances, LowerBound, ReasonNotPlanned)
		c.addIf(of.plans == 0, Unknown, ReasonNotPlanned)
		*of.caveat, *of.why = c.quality, c.reasons
	}
}

// paidFor is what paid places of one currency were booked for.
type paidFor struct {
	record.Money
	places int64
}

// averageCaveat is what keeps the average price of an event from being exact.
func (e *EventFigures) averageCaveat() caveat {
	return e.Revenue.Of(Booked).caveat().and(e.Paid.caveat())
}

// averageOf is what a paid place was booked for, over rows of one or many performances.
func averageOf(rows []paidFor, paid caveat) Figure[Sums] {
	var average, amounts Sums
	places := map[string]int64{}
	for _, row := range rows {
		amounts = amounts.Plus(row.Money, 1)
		places[row.Currency] += row.places
	}
	for _, m := range amounts {
		average = average.Plus(record.Money{Amount: perPlace(m.Amount, places[m.Currency]), Currency: m.Currency}, 1)
	}
	if paid.quality == LowerBound {
		paid.quality = Estimated
	}
	paid.addIf(len(places) == 0, Unknown, ReasonNothingSold)
	return figure(average, paid)
}
