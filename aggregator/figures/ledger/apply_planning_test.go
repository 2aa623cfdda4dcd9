package ledger_test

import (
	"fmt"
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// What planning says of a performance is what its plans come to that may happen, beside what was sold.
func TestPlanned(t *testing.T) {
	plan := func(id string, change func(*record.Planning)) record.Record {
		p := &record.Planning{ID: id, EventID: "a", Kind: "show", Status: "confirmed", ExpectedVisitors: new(40), BudgetRevenue: foldtest.Eur(80000), BudgetMarketing: foldtest.Eur(1001), UpdatedAt: foldtest.Clock("20 10:00")}
		change(p)
		return p
	}
	whole := func(*record.Planning) {}
	two := []record.Record{foldtest.Event("a"), foldtest.Ticket("t", "a"), foldtest.Ticket("u", "a")} // of 2000 each
	with := func(more ...record.Record) []record.Record { return append(two[:3:3], more...) }
	reading := foldtest.Complete
	reading.PlanningPartial = true
	for _, c := range []struct {
		name    string
		records []record.Record
		covers  ledger.Coverage
		want    string
	}{
		{"one plan", with(plan("p", whole)), foldtest.Complete, "forecast 40, 0.05 of it; planned [{80000 EUR}], over it [{-76000 EUR}]; marketing [{1001 EUR}], estimated [{501 EUR}] marketing_budget a ticket"},
		{"two plans, each with a part", with(plan("p", func(p *record.Planning) { p.BudgetMarketing = nil }), plan("q", func(p *record.Planning) { p.ExpectedVisitors, p.BudgetRevenue = new(10), nil })), foldtest.Complete,
			"forecast 50, 0.04 of it; planned [{80000 EUR}], over it [{-76000 EUR}]; marketing [{1001 EUR}], estimated [{501 EUR}] marketing_budget a ticket"},
		{"what may not happen", with(plan("p", func(p *record.Planning) { p.Status = "option" }), plan("q", func(p *record.Planning) { p.Status = "cancelled" }), plan("r", func(p *record.Planning) { p.Deleted = true })), foldtest.Complete,
			"forecast unknown not_planned, unknown not_planned of it; planned unknown not_planned, over it unknown not_planned; marketing unknown not_planned, unknown not_planned marketing_budget a ticket"},
		{"taken back", with(plan("p", whole), plan("p", func(p *record.Planning) {
			p.ExpectedVisitors, p.BudgetRevenue, p.BudgetMarketing, p.UpdatedAt = new(80), foldtest.Eur(0), foldtest.Eur(200), foldtest.Clock("21 10:00")
		})), foldtest.Complete,
			"forecast 80, 0.025 of it; planned [], over it [{4000 EUR}]; marketing [{200 EUR}], estimated [{100 EUR}] marketing_budget a ticket"},
		{"numbers that cannot be", with(plan("p", func(p *record.Planning) {
			p.ExpectedVisitors, p.BudgetRevenue, p.BudgetMarketing = new(-1), foldtest.Eur(-1), &record.Money{Amount: 5}
		})), foldtest.Complete,
			"forecast unknown not_planned, unknown not_planned of it; planned unknown not_planned, over it unknown not_planned; marketing unknown not_planned, unknown not_planned marketing_budget a ticket"},
		{"while planning is read", with(plan("p", whole)), reading, "forecast at least 40 planning_incomplete, estimated 0.05 planning_incomplete of it; " +
			"planned at least [{80000 EUR}] planning_incomplete, over it estimated [{-76000 EUR}] planning_incomplete; marketing at least [{1001 EUR}] planning_incomplete, estimated [{501 EUR}] planning_incomplete marketing_budget a ticket"},
		{"nothing sold and nobody expected", []record.Record{foldtest.Event("a"), plan("p", func(p *record.Planning) { p.ExpectedVisitors = new(0) })}, foldtest.Complete,
			"forecast unknown not_planned, unknown not_planned of it; planned [{80000 EUR}], over it [{-80000 EUR}]; marketing [{1001 EUR}], unknown marketing_budget nothing_sold a ticket"},
	} {
		e := foldtest.Fold(c.covers, c.records...).Event("a")
		got := fmt.Sprintf("forecast %s, %s of it; planned %s, over it %s; marketing %s, %s a ticket", foldtest.Say(e.Forecast), foldtest.Say(e.OfForecast()), foldtest.Say(e.PlannedRevenue), foldtest.Say(e.OverPlanned()), foldtest.Say(e.MarketingBudget), foldtest.Say(e.CostPerTicket()))
		if got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
	if got := foldtest.Fold(foldtest.Complete, with(plan("p", whole))...).Event("a"); len(got.Revenue.Of(figures.Booked).Value) != 1 || got.Revenue.Of(figures.Booked).Value.In("EUR") != 4000 {
		t.Errorf("planning books %v", got.Revenue.Of(figures.Booked).Value)
	}
}

// Paid occupancy is of places that are paid: neither complimentary nor free nor unpaid ones are in it.
func TestPaidOccupancy(t *testing.T) {
	s := foldtest.Fold(foldtest.Complete, foldtest.Event("a", func(e *record.Event) { e.Capacity = new(8) }),
		foldtest.Ticket("paid", "a", func(t *record.Ticket) { t.OrderID = "o" }), foldtest.Payment("p", 2000, func(p *record.Payment) { p.OrderID = "o" }),
		foldtest.Ticket("unpaid", "a", func(t *record.Ticket) { t.OrderID = "o2" }),
		foldtest.Ticket("comp", "a", func(t *record.Ticket) { t.OrderID, t.Complimentary = "o", true }), foldtest.Ticket("free", "a", func(t *record.Ticket) { t.OrderID, t.Price = "o", foldtest.Eur(0) }))
	v := foldtest.Evening(s, foldtest.Clock("12:00"))
	for _, scope := range []figures.Scope{{Event: "a"}, {}} {
		x, ok := catalogue.Explain(v, figures.KeyPaidOccupancy, scope)
		if !ok || x.Share != .125 || x.Quality != figures.Exact || len(x.Terms) != 2 || x.Terms[0].Count != 1 || x.Terms[1].Count != 8 {
			t.Errorf("%+v: %+v", scope, x)
		}
	}
}
