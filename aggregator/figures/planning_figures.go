package figures

import "housecount/apiclient/record"

// planningFigures are what planning says of performances, and what was sold beside it.
var planningFigures = []Definition{
	{Key: KeyForecast, Unit: People, From: fromPlanning,
		ofShow: func(s *Show) Value { return countOf(s.Forecast) }, ofSales: func(m *Marketing) Value { return countOf(m.Forecast) }},
	{Key: KeyOfForecast, Unit: Share, From: soldAndPlanned, terms: quotient(KeySold, KeyForecast),
		ofShow: func(s *Show) Value { return shareOf(s.OfForecast()) }, ofSales: func(m *Marketing) Value { return shareOf(m.OfForecast()) },
		termsOfSales: func(m *Marketing) []Term { return m.ofAll(m.Forecasts, quotient(KeySold, KeyForecast)) }},
	{Key: KeyPlannedRevenue, Unit: Money, From: fromPlanning,
		ofShow: func(s *Show) Value { return moneyOf(s.PlannedRevenue) }},
	{Key: KeyOverPlanned, Unit: Money, From: soldAndPlanned, terms: []Term{{Plus, KeyBooked}, {Less, KeyPlannedRevenue}},
		ofShow: func(s *Show) Value { return moneyOf(s.OverPlanned()) }},
	{Key: KeyMarketingBudget, Unit: Money, From: fromPlanning,
		ofShow: func(s *Show) Value { return moneyOf(s.MarketingBudget) }, ofSales: func(m *Marketing) Value { return moneyOf(m.Budget) }},
	{Key: KeyCostPerTicket, Unit: Money, From: soldAndPlanned, terms: quotient(KeyMarketingBudget, KeySold),
		ofShow: func(s *Show) Value { return moneyOf(s.CostPerTicket()) }, ofSales: func(m *Marketing) Value { return moneyOf(m.CostPerTicket()) },
		termsOfSales: func(m *Marketing) []Term { return m.ofAll(m.Budgets, quotient(KeyMarketingBudget, KeySold)) }},
}

var soldAndPlanned = []record.Kind{record.KindTicket, record.KindPlanning}
