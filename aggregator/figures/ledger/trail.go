package ledger

import (
	"cmp"
	"encoding/binary"
	"slices"

	"housecount/apiclient/record"
)

// Trail returns the revisions of the applied versions of an event and of its records, ascending, so that they can
// be read without the rest of the log. It includes a version that takes a ticket away from the event. Records that
// came before what they refer to (a scan before its ticket, a refund before its payment, a payment before a ticket
// of its order) are added when that arrives.
func (l *Ledger) Trail(event string) []int64 {
	if e := l.accounts[event]; e != nil {
		return e.trail.all()
	}
	return nil
}

// LastOf returns the newest revision of an event's trail; 0 if there is none.
func (l *Ledger) LastOf(event string) (revision int64) {
	if e := l.accounts[event]; e != nil {
		return e.trail.last
	}
	return 0
}

// VersionsOf returns the number of revisions in an event's trail.
func (l *Ledger) VersionsOf(event string) (n int) {
	e := l.accounts[event]
	if e == nil {
		return 0
	}
	for _, b := range e.trail.steps {
		if b < 0x80 { // ends a step
			n++
		}
	}
	return n + len(e.trail.late)
}

// ChangedIn returns the ids of the events with versions after one revision and up to another.
func (l *Ledger) ChangedIn(after, upTo int64) (events []string) {
	for id, e := range l.accounts {
		within := func(r int64) bool { return r > after && r <= upTo }
		if within(e.trail.last) || slices.ContainsFunc(e.trail.late, within) || e.trail.last > upTo && slices.ContainsFunc(e.trail.all(), within) {
			events = append(events, id)
		}
	}
	return events
}

// trail is a set of revisions. Most come in ascending order and take two or three bytes each.
type trail struct {
	steps []byte // the differences, as uvarints
	last  int64
	late  []int64
}

func (t *trail) add(revisions ...int64) {
	for _, revision := range revisions {
		switch {
		case revision > t.last:
			t.steps = binary.AppendUvarint(t.steps, uint64(revision-t.last))
			t.last = revision
		case revision < t.last:
			t.late = append(t.late, revision)
		}
	}
}

// all returns the revisions, ascending.
func (t *trail) all() []int64 {
	all := slices.Clone(t.late)
	at := int64(0)
	for rest := t.steps; len(rest) > 0; {
		step, n := binary.Uvarint(rest)
		rest = rest[n:]
		at += int64(step)
		all = append(all, at)
	}
	slices.SortFunc(all, cmp.Compare[int64])
	return slices.Compact(all)
}

// holds reports whether the order has tickets of an event.
func (o *order) holds(e *eventAccount) bool { return holds(o.rows, e) }

// holds reports whether rows have tickets of an event.
func holds(rows []orderRow, e *eventAccount) bool {
	return slices.ContainsFunc(rows, func(row orderRow) bool { return row.event == e })
}

// followTicket adds to the trail what belongs to a ticket: its scans, its payments and those of its order. o is
// nil if the payments of the order were already added.
func (l *Ledger) followTicket(r *record.Ticket, e *eventAccount, o *order) {
	for _, s := range l.byTicket[r.ID] {
		e.trail.add(s.revision)
	}
	follow := func(payments []*payment) {
		for _, p := range payments {
			if p.event == nil || p.event == e {
				p.group.follow(e)
			}
		}
	}
	follow(l.naming[r.ID])
	if o != nil {
		follow(o.payments.All())
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
		e.trail.add(revision)
		if len(p.group.members.All()) > 1 {
			p.group.follow(e)
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
	if p.order != nil && p.order.linked != nil {
		whole, _ := p.order.whole()
		for _, row := range whole.rows {
			reach(row.event)
		}
	}
	if p.event != nil {
		if reach(p.event); len(l.reached) == 1 {
			return l.reached
		}
	}
	for _, m := range p.group.members.All() {
		for _, id := range m.tickets {
			if t := l.tickets.Get(id); t != nil {
				reach(t.event)
			}
		}
		switch {
		case m.event != nil:
			reach(m.event)
		case m.order != nil:
			for _, rows := range [][]orderRow{m.order.rows, l.gone[m.order]} {
				for i := range rows {
					reach(rows[i].event)
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

// follow adds the whole group to an event's trail.
func (g *paymentGroup) follow(e *eventAccount) {
	for _, p := range g.members.All() {
		e.trail.add(p.revision)
	}
}
