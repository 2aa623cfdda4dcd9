package ledger

import (
	"cmp"
	"slices"

	"housecount/apiclient/record"
)

// Trail returns the revisions of the applied versions of an event and of its records, ascending, so that they can
// be read without the rest of the log. It includes a version that takes a ticket away from the event. Records that
// came before what they refer to (a scan before its ticket, a refund before its payment, a payment before a ticket
// of its order) are added when that arrives.
func (l *Ledger) Trail(event string) []int64 {
	if e := l.accounts[event]; e != nil {
		return e.trail.All()
	}
	return nil
}

// LastOf returns the newest revision of an event's trail; 0 if there is none.
func (l *Ledger) LastOf(event string) (revision int64) {
	if e := l.accounts[event]; e != nil {
		return e.trail.Last()
	}
	return 0
}

// VersionsOf returns the number of revisions in an event's trail.
func (l *Ledger) VersionsOf(event string) (n int) {
	if e := l.accounts[event]; e != nil {
		return e.trail.Count()
	}
	return 0
}

// ChangedIn returns the ids of the events with versions after one revision and up to another.
func (l *Ledger) ChangedIn(after, upTo int64) (events []string) {
	for id, e := range l.accounts {
		if e.trail.Any(after, upTo) {
			events = append(events, id)
		}
	}
	return events
}

// holds reports whether rows have tickets of the event with a number.
func holds(rows []orderRow, event int32) bool {
	return slices.ContainsFunc(rows, func(row orderRow) bool { return row.event == event })
}

// followTicket adds to the trail what belongs to a ticket: its scans, its payments and those of its order. o is
// nil if the payments of the order were already added.
func (l *Ledger) followTicket(r *record.Ticket, e *eventAccount, o *order) {
	for _, s := range l.byTicket[r.ID] {
		e.trail.Add(s.revision)
	}
	follow := func(p *payment) {
		if p.event == 0 || p.event == e.number {
			l.followGroup(p, e)
		}
	}
	for _, p := range l.naming[r.ID] {
		follow(p)
	}
	if o != nil {
		for _, number := range l.paymentsOf(o) {
			p := l.paymentAt(number)
			follow(p)
		}
	}
}

// followPayment adds a version of a payment to the trail of its own event, or else of every event over which it is
// or may be split: the events of its order, and of its order's deleted tickets, of its tickets, and of the other records of the
// same payment. p is nil
// if the version replaced nothing.
func (l *Ledger) followPayment(p *payment, revision int64) {
	if p == nil {
		return
	}
	for _, e := range l.reachedBy(p) {
		e.trail.Add(revision)
		if len(l.membersOf(l.groupOf(p))) > 1 {
			l.followGroup(p, e)
		}
	}
}

// reachedBy returns the events to whose trail a payment belongs, once each. The result is valid until the next
// call.
func (l *Ledger) reachedBy(p *payment) []*eventAccount {
	l.reached = l.reached[:0]
	reach := func(e *eventAccount) {
		if last := len(l.reached) - 1; last < 0 || l.reached[last] != e {
			l.reached = append(l.reached, e)
		}
	}
	if o := l.orderAt(p.order); o != nil && o.linked {
		whole, _ := l.whole(o)
		for _, row := range whole.rows {
			reach(l.numbered[row.event])
		}
	}
	if p.event != 0 {
		if reach(l.numbered[p.event]); len(l.reached) == 1 {
			return l.reached
		}
	}
	for _, number := range l.membersOf(l.groupOf(p)) {
		m := l.paymentAt(number)
		for _, id := range l.rare(m).tickets {
			if t, known := l.ticket(id); known {
				reach(t.event)
			}
		}
		switch {
		case m.event != 0:
			reach(l.numbered[m.event])
		case m.order != 0:
			o := l.orderAt(m.order)
			for _, rows := range [][]orderRow{l.rowsOf(o), l.gone[o]} {
				for i := range rows {
					reach(l.numbered[rows[i].event])
				}
			}
		}
	}
	if len(l.reached) > 1 {
		slices.SortFunc(l.reached, func(a, b *eventAccount) int { return cmp.Compare(a.id, b.id) })
		l.reached = slices.Compact(l.reached)
	}
	return l.reached
}

// followGroup adds the whole group of a payment to an event's trail.
func (l *Ledger) followGroup(p *payment, e *eventAccount) {
	for _, number := range l.membersOf(l.groupOf(p)) {
		p := l.paymentAt(number)
		e.trail.Add(p.revision)
	}
}
