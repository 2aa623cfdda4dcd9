package figures

import "housecount/apiclient/record"

// The states of what is planned that keep its capacity from counting: it may not happen.
const (
	planningOption    = "option"
	planningCancelled = "cancelled"
)

// applyPlanning puts something planned in the place of what was held of it.
func (l *Ledger) applyPlanning(r *record.Planning, v *record.Version) {
	held := l.plans[r.ID]
	if !newest(v, held.revision) {
		return
	}
	next := plan{revision: v.Revision}
	if n, known := within(r.Capacity); known && n > 0 && r.EventID != "" && !r.Deleted &&
		r.Status != planningOption && r.Status != planningCancelled {
		next.event, next.places = l.account(r.EventID), n
	}
	if held.event != next.event || held.places != next.places {
		l.plan(held, -1)
		l.plan(next, 1)
	}
	l.plans[r.ID] = next
}

// plan puts planned places to their event (n = 1) or takes them away (n = −1).
func (l *Ledger) plan(p plan, n int) {
	if p.event != nil {
		l.touch(p.event)
		p.event.planned += n * p.places
		l.refer(p.event, references{plans: n})
	}
}
