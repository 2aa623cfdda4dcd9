package figures

import (
	"slices"

	"housecount/apiclient/record"
)

// Changes says what an Apply changed.
type Changes struct {
	// Events are the ids of the events whose figures changed, sorted.
	Events []string
	// Unattributed says that money without an event changed.
	Unattributed bool
	// Entered says that something changed that people entered.
	Entered bool
}

// Apply takes one version in: where it is the newest of its record so far, the record's old
// contribution comes out and the new one goes in. One that was applied before changes
// nothing, nor does a record without an id. The ledger keeps v.Record.
func (l *Ledger) Apply(v record.Version) Changes {
	if v.Record.RecordID() == "" {
		return Changes{}
	}
	for _, e := range l.touched {
		e.touched = false
	}
	l.touched = l.touched[:0]
	switch r := v.Record.(type) {
	case *record.Event:
		return l.applyEvent(r, &v)
	case *record.Ticket:
		l.applyTicket(r, &v)
	case *record.Payment:
		l.applyPayment(r, &v)
	case *record.TicketScan:
		l.applyScan(r, &v)
	case *record.Planning:
		l.applyPlanning(r, &v)
	case *record.Contact:
		l.applyContact(r, &v)
	case *record.Acknowledgement:
		return l.applyAcknowledgement(r, &v)
	case *record.WalkIn:
		l.applyWalkIn(r, &v)
	case *record.ScreenMessage:
		return l.applyMessage(r, &v)
	}
	l.repostOrders()
	var c Changes
	for _, e := range l.touched {
		if e.listed() {
			c.Events = append(c.Events, e.id)
		}
		c.Unattributed = c.Unattributed || e.unattributed()
	}
	slices.Sort(c.Events)
	return c
}

// applyEvent puts an event in the place of what was held of it.
func (l *Ledger) applyEvent(r *record.Event, v *record.Version) Changes {
	e := l.account(r.ID)
	raised := e.remember(record.Memory{}.With(v))
	if !newest(v, e.revision) {
		if !raised || !e.listed() {
			return Changes{}
		}
		l.touch(e)
		return Changes{Events: []string{e.id}}
	}
	before, wasTest, wasListed, wasUnattributed := e.record, e.test(), e.listed(), e.unattributed()
	if before == nil {
		l.missing.events.addAll(e.named, -1) // it has arrived
	}
	var regrouped []*paymentGroup
	if e.used && wasTest != r.Test {
		regrouped = l.changeOrdersOf(e)
	}
	e.record, e.revision = r, v.Revision
	l.touch(e)
	l.unsorted = l.unsorted || wasListed != e.listed() || e.listed() && (before == nil || before.Date != r.Date ||
		!before.StartsAt.Equal(r.StartsAt))
	if wasTest != e.test() {
		l.turned = append(l.turned, e)
	}
	if is := e.unattributed(); is != wasUnattributed && is {
		l.unattributed.addAll(&e.accountByDay, 1)
	} else if is != wasUnattributed {
		l.unattributed.addAll(&e.accountByDay, -1)
	}
	l.repostOrders()
	for _, g := range regrouped {
		l.postLooseMoney(g.posted, 1)
	}
	var c Changes
	for _, other := range l.touched {
		if other != e && other.listed() {
			c.Events = append(c.Events, other.id)
		}
		c.Unattributed = c.Unattributed || other != e && other.unattributed()
	}
	unattributed := e.used && (wasUnattributed || e.unattributed())
	if wasListed || e.listed() {
		c.Events = append(c.Events, e.id)
		slices.Sort(c.Events)
		c.Unattributed = c.Unattributed || unattributed
	} else {
		c.Unattributed = c.Unattributed || unattributed && wasTest != e.test()
	}
	return c
}
