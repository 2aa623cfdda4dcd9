package ledger

import (
	"reflect"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/areas"
	"housecount/apiclient/record"
)

// The states in which a plan does not count, because it may not happen.
const (
	planningOption    = "option"
	planningCancelled = "cancelled"
)

// plan is what the ledger holds of a planning record: what it contributes to an event.
type plan struct {
	revision int64
	event    *eventAccount // nil if it contributes nothing
	limit    *areas.Limit  // nil if it is none
	planValues
}

// planValues are the values of one plan. Places and visitors count if they are above 0, amounts if they have a
// currency.
type planValues struct {
	places             int
	visitors, visits   int // visits is 1 if visitors is set
	revenue, marketing record.Money
}

// applyPlanning stores a planning record in place of its previous version.
func (l *Ledger) applyPlanning(r *record.Planning, v *record.Version) {
	held := l.plans[r.ID]
	if !newest(v, held.revision) {
		return
	}
	next := plan{revision: v.Revision}
	if r.EventID != "" && !r.Deleted && r.Status != planningOption && r.Status != planningCancelled {
		next.limit = areas.LimitOf(r)
		if next.planValues = planValuesOf(r); next.planValues != (planValues{}) || next.limit != nil {
			next.event = l.account(r.EventID)
		}
	}
	if held.event != next.event || held.planValues != next.planValues || !reflect.DeepEqual(held.limit, next.limit) {
		l.plan(held, -1)
		l.plan(next, 1)
	} else {
		next.limit = held.limit
	}
	l.plans[r.ID] = next
}

func planValuesOf(r *record.Planning) (p planValues) {
	if n, known := figures.Within(r.Capacity); known && n > 0 && r.Kind != record.PlanningLimit {
		p.places = n
	}
	if n, known := figures.Within(r.ExpectedVisitors); known && n > 0 {
		p.visitors, p.visits = n, 1
	}
	for to, m := range map[*record.Money]*record.Money{&p.revenue: r.BudgetRevenue, &p.marketing: r.BudgetMarketing} {
		if m != nil && m.Currency != "" && m.Amount >= 0 && m.Amount <= mostAmount {
			*to = *m
		}
	}
	return p
}

// plan adds a plan to its event (n = 1) or removes it (n = −1).
func (l *Ledger) plan(p plan, n int) {
	if p.event != nil {
		l.touch(p.event)
		p.event.planned.add(p.planValues, n)
		p.event.limits = p.event.limits.Set(p.limit, n)
		l.refer(p.event, references{plans: n})
	}
}

// planned is the sum of an event's plans.
type planned struct {
	places             int
	visitors, visits   int // visits is how many plans set visitors
	revenue, marketing plannedSums
}

type plannedSums struct {
	figures.Sums
	plans int // plans with an amount
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

// publish sets the figures of planning.
func (p *planned) publish(f *figures.EventFigures, k *Knowledge) {
	f.Forecast = figures.New(p.visitors, k.planned(p.visits))
	f.PlannedRevenue = figures.New(p.revenue.Sums, k.planned(p.revenue.plans))
	f.MarketingBudget = figures.New(p.marketing.Sums, k.planned(p.marketing.plans))
}

// bounds returns the caveat of a number of places that limits bound.
func (k *Knowledge) bounds() (c figures.Caveat) {
	c.AddIf(k.planningPartial, figures.Estimated, figures.ReasonPlanningPartial)
	k.planning.mark(&c)
	return c
}

// planned returns the caveat of a figure that is the sum of this many plans.
func (k *Knowledge) planned(plans int) (c figures.Caveat) {
	c.AddIf(k.planningPartial, figures.LowerBound, figures.ReasonPlanningPartial)
	k.planning.mark(&c)
	c.AddIf(plans == 0 && !k.planningPartial, figures.Unknown, figures.ReasonNotPlanned)
	c.AddIf(plans == 0 && k.planningPartial, figures.Unknown, figures.ReasonPlanningPartial)
	return c
}
