package ledger

import (
	"maps"
	"slices"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// Changes returns what changed since it was last called.
func (l *Ledger) Changes() figures.Changes {
	l.postRates()
	l.postOrders()
	c := figures.Changes{Unattributed: l.moved.unattributed, All: l.moved.entered}
	for _, e := range l.moved.events {
		if e.moved.shown || e.moved.posted && e.listed() {
			c.Events = append(c.Events, e.id)
		}
		c.Unattributed = c.Unattributed || e.moved.posted && e.unattributed()
		e.moved = moved{}
	}
	l.moved = movements{events: emptied(l.moved.events)}
	slices.Sort(c.Events)
	return c
}

// movements collects what the next Changes returns.
type movements struct {
	events       []*eventAccount
	unattributed bool
	entered      bool
}

// moved is what happened to an event's account since the last Changes.
type moved struct {
	posted bool // something was added to it or removed from it
	shown  bool // the event itself changed, and is shown or was
}

// Apply applies one version. If it is the newest of its record so far, it replaces what the record contributed
// before. A version that was already applied changes nothing, nor does a record without an id. The ledger keeps a
// reference to v.Record.
func (l *Ledger) Apply(v record.Version) {
	if v.Record.RecordID() == "" {
		return
	}
	switch r := v.Record.(type) {
	case *record.Event:
		l.applyEvent(r, &v)
		l.account(r.ID).trail.Add(v.Revision)
	case *record.Ticket:
		l.applyTicket(r, &v)
	case *record.Payment:
		l.applyPayment(r, &v)
		l.followPayment(l.payments.Get(r.ID), v.Revision)
	case *record.TicketScan:
		l.applyScan(r, &v)
		if r.TicketID == "" {
			l.account(r.EventID).trail.Add(v.Revision)
			break
		}
		for _, id := range append(l.exchanges.Before(r.TicketID, l.exchanges.First[r.TicketID]), r.TicketID) {
			if t, known := l.ticket(id); known {
				t.event.trail.Add(v.Revision)
			}
		}
	case *record.Planning:
		l.applyPlanning(r, &v)
		l.account(r.EventID).trail.Add(v.Revision)
	case *record.Contact:
		l.applyContact(r, &v)
	case *record.WalkIn:
		l.applyWalkIn(r, &v)
		l.account(r.EventID).trail.Add(v.Revision)
	case *record.Admissions:
		l.applyAdmissions(r, &v)
	default:
		l.enter(&v)
	}
	if len(l.before) > mostIdle/2 { // so that before has room for mostIdle postings at most
		l.postOrders()
	}
}

// enter stores what was entered in place of its previous version.
func (l *Ledger) enter(v *record.Version) {
	if !l.entered.Apply(v) {
		return
	}
	l.moved.entered = true
	if r, is := v.Record.(*record.Setting); is {
		l.Settings = l.entered.Settings()
		if r.Name == record.SettingVATRate {
			l.rateAll()
		}
	}
}

// applyEvent stores an event in place of its previous version.
func (l *Ledger) applyEvent(r *record.Event, v *record.Version) {
	e := l.account(r.ID)
	raised := e.remember(record.Memory{}.With(v))
	if !newest(v, e.revision) {
		if raised && e.listed() {
			l.show(e)
		}
		return
	}
	before, wasTest, wasListed, wasUnattributed := e.record, e.test(), e.listed(), e.unattributed()
	if before == nil {
		l.missing.events.addAll(e.named, -1) // it has arrived
		l.eventsRead++
	}
	back := func() {}
	if e.used && wasTest != r.Test {
		orders, buyers := l.changeOrdersOf(e), l.changeBuyersOf(e)
		back = func() { orders(); buyers() }
	}
	e.record, e.revision = r, v.Revision
	day, types := e.day, e.types
	e.day, e.types = e.date(l.days), typesOf(r)
	if e.used && (day != e.day || !maps.Equal(types, e.types)) && l.Settings.Rated() {
		l.rateEvent(e)
	}
	if !maps.Equal(types, e.types) {
		e.parts[figures.ByTicketType].Change()
	}
	if wasListed || e.listed() {
		l.show(e)
	}
	l.unsorted = l.unsorted || wasListed != e.listed() || e.listed() && (before == nil || before.Date != r.Date ||
		!before.StartsAt.Equal(r.StartsAt))
	if wasTest != e.test() {
		l.turned = append(l.turned, e)
	}
	l.unmatched.changed = l.unmatched.changed || wasUnattributed != e.unattributed()
	if is := e.unattributed(); is != wasUnattributed && is {
		l.unattributed.addAll(&e.accountByDay, 1)
	} else if is != wasUnattributed {
		l.unattributed.addAll(&e.accountByDay, -1)
	}
	back()
	if e.used && (wasUnattributed || e.unattributed()) && (wasListed || e.listed() || wasTest != e.test()) {
		l.moved.unattributed = true
	}
}
