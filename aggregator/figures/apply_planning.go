package figures

import "housecount/apiclient/record"

// The states of what is planned that keep it from counting: it may not happen.
const (
	planningOption    = "option"
	planningCancelled = "cancelled"
)

// plan is what the ledger holds of something that is planned: what it gives to an event.
type plan struct {
	revision int64
	event    *eventAccount // nil where it gives nothing
	planValues
}

// planValues are those of one plan. Places and visitors are given where there are some, an amount where it has
// a currency.
type planValues struct {
	places             int
	visitors, visits   int // visits is 1 where visitors are given
	revenue, marketing record.Money
}

// applyPlanning puts something planned in the place of what was held of it.
func (l *Ledger) applyPlanning(r *record.Planning, v *record.Version) {
	held := l.plans[r.ID]
	if !newest(v, held.revision) {
		return
	}
	next := plan{revision: v.Revision}
	if r.EventID != "" && !r.Deleted && r.Status != planningOption && r.Status != planningCancelled {
		if next.planValues = planValuesOf(r); next.planValues != (planValues{}) {
			next.event = l.account(r.EventID)
		}
	}
	if held.event != next.event || held.planValues != next.planValues {
		l.plan(held, -1)
		l.plan(next, 1)
	}
	l.plans[r.ID] = next
}

func planValuesOf(r *record.Planning) (p planValues) {
	if n, known := within(r.Capacity); known && n > 0 {
		p.places = n
	}
	if n, known := within(r.ExpectedVisitors); known && n > 0 {
		p.visitors, p.visits = n, 1
	}
	for to, m := range map[*record.Money]*record.Money{&p.revenue: r.BudgetRevenue, &p.marketing: r.BudgetMarketing} {
		if m != nil && m.Currency != "" && m.Amount >= 0 && m.Amount <= mostAmount {
			*to = *m
		}
	}
	return p
}

// plan puts what is planned to its event (n = 1) or takes it away (n = −1).
func (l *Ledger) plan(p plan, n int) {
	if p.event != nil {
		l.touch(p.event)
		p.event.planned.add(p.planValues, n)
		l.refer(p.event, references{plans: n})
	}
}

// planned is what all plans of an event come to.
type planned struct {
	places             int
	visitors, visits   int // visits is how many plans give visitors
	revenue, marketing plannedSums
}

type plannedSums struct {
	Sums
	plans int // that give an amount
}

func (p *planned) add(v planValues, n int) {
	p.places += n * v.places
	p.visitors, p.visits = p.visitors+n*v.visitors, p.visits+n*v.visits
	p.revenue.add(v.revenue, n)
	p.marketing.add(v.marketing, n)
}

func (s *plannedSums) add(m record.Money, n int) {
	if m.Currency != "" {
		s.Sums, s.plans = s.Plus(m, int64(n)), s.plans+n
	}
}

// publish fills in what planning says.
func (p *planned) publish(f *EventFigures, k *Knowledge) {
	f.Forecast = figure(p.visitors, k.planned(p.visits))
	f.PlannedRevenue = figure(p.revenue.Sums, k.planned(p.revenue.plans))
	f.MarketingBudget = figure(p.marketing.Sums, k.planned(p.marketing.plans))
}

// planned is what keeps something that so many plans give from being exact.
func (k *Knowledge) planned(plans int) (c caveat) {
	c.addIf(k.planningPartial, LowerBound, ReasonPlanningPartial)
	c.addIf(k.planningBehind, Estimated, ReasonBehind)
	c.addIf(plans == 0 && !k.planningPartial, Unknown, ReasonNotPlanned)
	c.addIf(plans == 0 && k.planningPartial, Unknown, ReasonPlanningPartial)
	return c
}

// OfForecast is sold / forecast; not clipped.
func (e *EventFigures) OfForecast() Figure[float64] {
	return figure(float64(e.Sold.Value)/float64(max(1, e.Forecast.Value)), e.Sold.caveat().and(e.Forecast.caveat()).ofDifference())
}

// OverPlanned is what was booked less what was planned to be; below 0 it was not reached.
func (e *EventFigures) OverPlanned() Figure[Sums] {
	booked, planned := e.Revenue.Of(Booked), e.PlannedRevenue
	return figure(booked.Value.PlusAll(planned.Value, -1), booked.caveat().and(planned.caveat()).ofDifference())
}

// CostPerTicket is the marketing budget for each place sold. Planning gives what may be spent, not
// what was.
func (e *EventFigures) CostPerTicket() Figure[Sums] { return costPerTicket(e.MarketingBudget, e.Sold) }

func costPerTicket(budget Figure[Sums], sold Figure[int]) Figure[Sums] {
	c := budget.caveat().and(sold.caveat())
	c.add(Estimated, ReasonMarketingBudget)
	c.addIf(sold.Known() && sold.Value <= 0, Unknown, ReasonNothingSold)
	return figure(budget.Value.per(sold.Value), c.ofDifference())
}

// per is each amount for one of n places, to the nearest minor unit.
func (s Sums) per(n int) (each Sums) {
	for _, m := range s {
		each = each.Plus(record.Money{Amount: perPlace(m.Amount, int64(max(1, n))), Currency: m.Currency}, 1)
	}
	return each
}
