package catalogue

import (
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/marketing"
	"housecount/apiclient/record"
)

// planningFigures are the figures of planning, and sales compared with them.
var planningFigures = []Definition{
	{Key: figures.KeyForecast, Unit: figures.People, From: fromPlanning,
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Forecast) }, ofSales: func(m *marketing.Sales) figures.Value { return figures.CountOf(m.Forecast) }},
	{Key: figures.KeyOfForecast, Unit: figures.Share, From: soldAndPlanned, terms: quotient(figures.KeySold, figures.KeyForecast),
		ofShow: func(s *evening.Show) figures.Value { return figures.ShareOf(s.OfForecast()) }, ofSales: func(m *marketing.Sales) figures.Value { return figures.ShareOf(m.OfForecast()) },
		termsOfSales: func(m *marketing.Sales) []figures.Term {
			return ofAll(m, m.Forecasts, quotient(figures.KeySold, figures.KeyForecast))
		}},
	{Key: figures.KeyPlannedRevenue, Unit: figures.Money, From: fromPlanning,
		ofShow: func(s *evening.Show) figures.Value { return figures.MoneyOf(s.PlannedRevenue) }},
	{Key: figures.KeyOverPlanned, Unit: figures.Money, From: soldAndPlanned, terms: []figures.Term{{Op: figures.Plus, Key: figures.KeyBooked}, {Op: figures.Less, Key: figures.KeyPlannedRevenue}},
		ofShow: func(s *evening.Show) figures.Value { return figures.MoneyOf(s.OverPlanned()) }},
	{Key: figures.KeyMarketingBudget, Unit: figures.Money, From: fromPlanning,
		ofShow: func(s *evening.Show) figures.Value { return figures.MoneyOf(s.MarketingBudget) }, ofSales: func(m *marketing.Sales) figures.Value { return figures.MoneyOf(m.Budget) }},
	{Key: figures.KeyCostPerTicket, Unit: figures.Money, From: soldAndPlanned, terms: quotient(figures.KeyMarketingBudget, figures.KeySold),
		ofShow: func(s *evening.Show) figures.Value { return figures.MoneyOf(s.CostPerTicket()) }, ofSales: func(m *marketing.Sales) figures.Value { return figures.MoneyOf(m.CostPerTicket()) },
		termsOfSales: func(m *marketing.Sales) []figures.Term {
			return ofAll(m, m.Budgets, quotient(figures.KeyMarketingBudget, figures.KeySold))
		}},
}

var soldAndPlanned = []record.Kind{record.KindTicket, record.KindPlanning}
