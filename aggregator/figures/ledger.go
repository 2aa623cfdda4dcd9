package figures

import (
	"slices"

	"housecount/apiclient/record"
)

// Ledger folds versions of records into figures. It holds, of every record, what the figures
// are computed from, and for every event, order and payment what they come to; a changed
// record costs the same however many there are. It belongs to one goroutine.
//
// The figures depend on the set of versions that were applied and on nothing else, so that
// any order, with any repeats, leads to the same figures. Of a record's versions the newest
// counts: the Head with the highest revision. What the versions before it add is in
// record.Memory: the highest number of places ever available, when a refund or chargeback
// was first reported by its payment, and when a ticket was first void.
type Ledger struct {
	days     dayCache
	names    names
	accounts map[string]*eventAccount // by id of their event
	noEvent  *eventAccount            // of what names no event
	orders   map[string]*order
	tickets  map[string]*ticket
	payments map[string]*payment
	groups   map[string]*paymentGroup // by id of their payment
	naming   map[string][]*payment    // by id of a ticket that they name
	children map[string][]*payment    // by id of their parent
	scans    map[string]*listedScan
	byTicket map[string][]*listedScan // those that count, by id of their ticket
	plans    map[string]plan
	voids    map[string]stamp         // when a ticket was first void or refunded, by its id
	returns  map[string]record.Memory // what versions of a payment reported as gone back, by its id
	missing  missing
	diagnoses

	total         accountByDay
	unattributed  accountByDay // of all accounts whose money belongs to no event that is shown
	scansReported int          // tickets of which scans were reported

	touched []*eventAccount // by this Apply
	changed []*eventAccount // since the last Snapshot
	turned  []*eventAccount // those that became a test since, or ceased to be
	publication
}

// NewLedger returns an empty ledger that sorts by c.
func NewLedger(c Calendar) *Ledger {
	l := &Ledger{
		days:      newDayCache(c),
		names:     newNames(),
		accounts:  map[string]*eventAccount{},
		orders:    map[string]*order{},
		tickets:   map[string]*ticket{},
		payments:  map[string]*payment{},
		groups:    map[string]*paymentGroup{},
		naming:    map[string][]*payment{},
		children:  map[string][]*payment{},
		scans:     map[string]*listedScan{},
		byTicket:  map[string][]*listedScan{},
		plans:     map[string]plan{},
		voids:     map[string]stamp{},
		returns:   map[string]record.Memory{},
		diagnoses: diagnoses{records: map[diagnosis]*diagnosed{}},
	}
	l.noEvent = l.account("")
	l.total.days.split = true
	return l
}

// Changes says what an Apply changed.
type Changes struct {
	// Events are the ids of the events whose figures changed, sorted.
	Events []string
	// Unattributed says that money without an event changed.
	Unattributed bool
}

// Apply takes one version in: where it is the newest of its record so far, the record's old
// contribution comes out and the new one goes in. One that was applied before changes
// nothing, nor does a record without an id. The ledger keeps v.Record.
func (l *Ledger) Apply(v record.Version) Changes {
	if v.Record.RecordID() == "" {
		return Changes{}
	}
	l.touched = l.touched[:0]
	switch r := v.Record.(type) {
	case *record.Event:
		return l.applyEvent(r, v)
	case *record.Ticket:
		l.applyTicket(r, v)
	case *record.Payment:
		l.applyPayment(r, v)
	case *record.TicketScan:
		l.applyScan(r, v)
	case *record.Planning:
		l.applyPlanning(r, v)
	}
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

// newest says that v takes the place of what is held of its record, which was taken from
// the version of a revision, 0 where nothing is held.
func newest(v record.Version, held int64) bool { return v.Head && v.Revision > held }

// applyEvent puts an event in the place of what was held of it.
func (l *Ledger) applyEvent(r *record.Event, v record.Version) Changes {
	e := l.account(r.ID)
	raised := e.raise(record.Memory{}.With(v).HighestAvailable)
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
	unattributed := e.used && (wasUnattributed || e.unattributed())
	if !wasListed && !e.listed() {
		return Changes{Unattributed: unattributed && wasTest != e.test()}
	}
	return Changes{Events: []string{e.id}, Unattributed: unattributed}
}

// touch remembers that an account changes.
func (l *Ledger) touch(e *eventAccount) {
	if !slices.Contains(l.touched, e) {
		l.touched = append(l.touched, e)
	}
	l.republish(e)
}

// republish has an account's figures made anew in the next Snapshot.
func (l *Ledger) republish(e *eventAccount) {
	if !e.changed {
		e.changed = true
		l.changed = append(l.changed, e)
	}
}

// account is the account of an event, an empty one where there was none.
func (l *Ledger) account(id string) *eventAccount {
	e := l.accounts[id]
	if e == nil {
		e = newEventAccount(id)
		l.accounts[id] = e
	}
	return e
}

// order is what is held of an order, nil where id is empty.
func (l *Ledger) order(id string) *order {
	if id == "" {
		return nil
	}
	return entry(l.orders, id)
}

// postTicket puts a ticket's money and days into what holds those of an event (n = 1), or
// takes them out (n = −1).
func (l *Ledger) postTicket(t *ticket, n int) {
	e := t.event
	l.touch(e)
	e.used = true
	e.postTicket(l.days, t, n)
	if e.unattributed() {
		l.unattributed.postTicket(l.days, t, n)
	}
	if e.inTotal {
		l.total.postTicket(l.days, t, n)
	}
}

// postMoney does so with a posting.
func (l *Ledger) postMoney(p posting, n int) {
	e := p.event
	l.touch(e)
	e.used = true
	e.postMoney(l.days, p, n)
	if e.unattributed() {
		l.unattributed.postMoney(l.days, p, n)
	}
	if e.inTotal {
		l.total.postMoney(l.days, p, n)
	}
}

// turn puts what belongs to events that ceased to be a test into the total, and takes out
// what belongs to those that became one. The total is split by the time of day and the
// accounts are not, so that their tickets and postings have to be looked up.
func (l *Ledger) turn() {
	l.turned = slices.DeleteFunc(l.turned, func(e *eventAccount) bool {
		if !e.used {
			e.inTotal = !e.test()
		}
		return e.inTotal == !e.test()
	})
	if len(l.turned) == 0 {
		return
	}
	sign := func(e *eventAccount) int {
		switch {
		case e.inTotal == !e.test():
			return 0
		case e.inTotal:
			return -1
		}
		return 1
	}
	for _, t := range l.tickets {
		if n := sign(t.event); n != 0 && t.counts {
			l.total.postTicket(l.days, t, n)
		}
	}
	for _, g := range l.groups {
		for _, p := range g.posted {
			if n := sign(p.event); n != 0 {
				l.total.postMoney(l.days, p, n)
			}
		}
	}
	for _, e := range l.turned {
		e.inTotal = !e.test()
	}
	l.turned = l.turned[:0]
}
