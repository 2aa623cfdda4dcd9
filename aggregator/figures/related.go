package figures

import (
	"slices"

	"housecount/apiclient/record"
)

// Joins says that a ticket as a record has it, which has not been applied yet, is new to its event or
// brings its order there: what the ledger holds that is Related belongs to the event from now on.
func (l *Ledger) Joins(r *record.Ticket) bool {
	if t := l.tickets[r.ID]; t == nil || t.event.id != r.EventID {
		return true
	}
	o := l.orders[r.OrderID]
	return o != nil && !slices.ContainsFunc(o.rows, func(row orderRow) bool { return row.event.id == r.EventID })
}

// Related are the revisions of what goes where a ticket goes, its scans and the payments for it, or
// where a payment goes, all that belongs to the same payment. They are of records that the ledger
// holds, in no order and perhaps repeated.
func (l *Ledger) Related(r record.Record) (revisions []int64) {
	addAll := func(p *payment) {
		for _, member := range p.group.members {
			revisions = append(revisions, member.revision)
		}
	}
	switch r := r.(type) {
	case *record.Ticket:
		for _, s := range l.byTicket[r.ID] {
			revisions = append(revisions, s.revision)
		}
		payments := l.naming[r.ID]
		if o := l.orders[r.OrderID]; o != nil {
			payments = slices.Concat(payments, o.payments)
		}
		for _, p := range payments {
			if p.event == nil || p.event.id == r.EventID {
				addAll(p)
			}
		}
	case *record.Payment:
		if p := l.payments[r.ID]; p != nil && len(p.group.members) > 1 {
			addAll(p)
		}
	}
	return revisions
}

// Reaches are the ids of the events that a payment is split over or may be: of every ticket of its
// order too, unless it names an event.
func (l *Ledger) Reaches(r *record.Payment) []string {
	ids := l.EventsOf(r)
	if p := l.payments[r.ID]; p != nil && p.event == nil {
		for _, member := range p.group.members {
			if member.event == nil && member.order != nil {
				for _, row := range member.order.rows {
					ids = append(ids, row.event.id)
				}
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
