package explain

import (
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening/compare"
	"housecount/web/words"
)

// quotients are the figures that are one number divided by another. Some have a formula for one performance and none for several, of
// which only some have both numbers.
var quotients = []figures.Key{figures.KeyOccupancy, figures.KeyPaidOccupancy, figures.KeyLoad, figures.KeyNoShow, figures.KeyArrivedShare, figures.KeyAveragePrice, figures.KeyRevenuePerPlace, figures.KeyOfForecast,
	figures.KeyCostPerTicket, figures.KeyPerOrder, figures.KeyReturning, figures.KeyOptIn, figures.KeyFinishError, figures.KeyEntries1, figures.KeyEntries5, figures.KeyEntries15}

// countedFrom returns what a figure without a formula is made of.
func (b builder) countedFrom(x *catalogue.Explanation) sentence {
	if from := b.forecastFrom(x); len(from) > 0 {
		return from
	}
	switch {
	case x.Key == figures.KeyBudget:
		return words.Join(" ", b.Say("explain.budget"), b.budgetDue(x))
	case slices.Contains(quotients, x.Key):
		return sentence{{Text: b.Code("quotient", string(x.Key))}}
	}
	var kinds []string
	for _, k := range x.From {
		kinds = append(kinds, b.Code("rows", string(k)))
	}
	return b.Say("explain.counted", words.Text("records", b.List(kinds)))
}

// budgetDue returns which part of today's budget counts, and why; nothing for days that are over, and in several currencies.
func (b builder) budgetDue(x *catalogue.Explanation) sentence {
	codes := figures.Currencies(x.Amount)
	if x.Period == nil || len(codes) != 1 {
		return nil
	}
	due := compare.ShareOf(b.Evening, x.Period, codes[0])
	share, time, n := words.Text("share", b.Percent(due.Share())), words.Text("time", b.Clock(x.Period.Until, b.Zone)), words.Int("n", due.Days)
	switch {
	case due.Whole():
		return nil
	case due.Days == 0:
		return b.Say("explain.budget_clock", share)
	case due.Weekday:
		return b.Say("explain.budget_weekday", share, time, n)
	}
	return b.Say("explain.budget_days", share, time, n)
}
