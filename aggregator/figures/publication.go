package figures

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// Coverage says how much of the service's records the ledger has been given; it
// decides the quality of figures. Scans are those of lists of their own, apart from tickets.
type Coverage struct {
	TicketsComplete, PaymentsComplete, ScansComplete bool
	TicketsOffered, PaymentsOffered, ScansOffered    bool
	// EventsComplete says that all events were read: what names another names one that the
	// service does not list.
	EventsComplete bool
	// PlanningPartial says that planning is offered, and some of it is still to be read.
	PlanningPartial bool
	// RefusedTickets, RefusedPayments and RefusedScans count, by event, the records that were
	// refused and are missing from the figures; under "" those of which the event is not
	// known. They are not to be changed afterwards.
	RefusedTickets, RefusedPayments, RefusedScans map[string]int
}

// knowledge is what the quality of every event's figures depends on beside the event.
type knowledge struct {
	tickets, payments, scans listKnowledge
	eventsComplete           bool
	planningPartial          bool
	scansReported            bool // the service reports scans, in a list of their own or with tickets
	unattributed             bool // some payment belongs to no event
}

// listKnowledge is what is known of the lists that give one kind of record.
type listKnowledge struct {
	offered  bool
	complete bool
	some     bool // records have come
}

// read says that all records were read.
func (k listKnowledge) read() bool { return k.offered && k.complete }

// missing adds what keeps a figure that counts these records from being exact.
func (k listKnowledge) missing(c *caveat, notOffered, partial Reason) {
	c.addIf(!k.offered, Unknown, notOffered)
	c.addIf(k.offered && !k.complete && !k.some, Unknown, partial)
	c.addIf(k.offered && !k.complete, LowerBound, partial)
}

// refusals counts the records that were refused of one event, or of all.
type refusals struct{ tickets, payments, scans int }

// of are the refusals of one event.
func (c *Coverage) of(event string) refusals {
	return refusals{c.RefusedTickets[event], c.RefusedPayments[event], c.RefusedScans[event]}
}

// total sums the refusals of all events.
func (c *Coverage) total() (r refusals) {
	for _, n := range c.RefusedTickets {
		r.tickets += n
	}
	for _, n := range c.RefusedPayments {
		r.payments += n
	}
	for _, n := range c.RefusedScans {
		r.scans += n
	}
	return r
}

// publication is what the ledger remembers of its last Snapshot.
type publication struct {
	known        knowledge
	refused      Coverage // of which only the refusals count
	made         bool
	unsorted     bool // the listed events have changed
	looseChanged bool // the unattributed money has changed
	listed       []*book
	events       []*EventFigures
	looseAccount account
	looseDays    []*DayFigures
}

// Snapshot returns the figures at p. It copies only what changed since the last call;
// the rest is shared with earlier snapshots, none of which is ever changed. AsOf and
// Health are the caller's to fill in; appending to Diagnostics copies them.
func (l *Ledger) Snapshot(p Position, c Coverage) *Snapshot {
	if l.stale {
		l.sumAnew()
	}
	known := knowledge{
		tickets:         listKnowledge{c.TicketsOffered, c.TicketsComplete, len(l.tickets) > 0},
		payments:        listKnowledge{c.PaymentsOffered, c.PaymentsComplete, len(l.payments) > 0},
		scans:           listKnowledge{c.ScansOffered, c.ScansComplete, len(l.passages) > 0},
		eventsComplete:  c.EventsComplete,
		planningPartial: c.PlanningPartial,
		unattributed:    l.loose.account.holdsPayments(),
	}
	known.scansReported = l.scansTold > 0 || known.scans.read()
	again := !l.made || known != l.known
	l.known, l.made = known, true
	l.refuse(c)

	if l.unsorted {
		l.sortEvents()
	}
	if again || len(l.changed) > 0 {
		l.events = make([]*EventFigures, len(l.listed))
		for i, b := range l.listed {
			if again || b.changed {
				b.publish(l)
			}
			l.events[i] = b.published
		}
	}
	if l.looseChanged {
		l.sumLoose()
	}
	for _, b := range l.changed {
		b.changed = false
	}
	l.changed, l.unsorted, l.looseChanged = l.changed[:0], false, false

	return &Snapshot{
		Position:         p,
		Calendar:         l.almanac.Calendar,
		Events:           l.events,
		Days:             l.total.days.publish(),
		Unattributed:     l.looseAccount.revenue(known, l.refusedElsewhere(), true),
		UnattributedDays: l.looseDays,
		Total:            l.total.account.revenue(known, l.refused.total(), false),
		Diagnostics:      l.findings(),
	}
}

// refuse takes in what was refused: the events of which other records were refused than
// before are published anew.
func (l *Ledger) refuse(c Coverage) {
	before := l.refused
	l.refused = c
	for _, refused := range []map[string]int{before.RefusedTickets, before.RefusedPayments, before.RefusedScans,
		c.RefusedTickets, c.RefusedPayments, c.RefusedScans} {
		for id := range refused {
			if b := l.books[id]; b != nil && before.of(id) != c.of(id) && !b.changed {
				b.changed = true
				l.changed = append(l.changed, b)
			}
		}
	}
}

// refusedElsewhere sums the refusals of events that are not shown, and of no known event.
func (l *Ledger) refusedElsewhere() refusals {
	r := l.refused.total()
	if r == (refusals{}) {
		return r
	}
	for _, b := range l.listed {
		of := l.refused.of(b.id)
		r.tickets, r.payments, r.scans = r.tickets-of.tickets, r.payments-of.payments, r.scans-of.scans
	}
	return r
}

// sortEvents lists the events that are shown, by curtain (or date), then id; those that
// tell neither come last.
func (l *Ledger) sortEvents() {
	l.listed = l.listed[:0]
	curtains := map[*book]int64{}
	for b := range maps.Values(l.books) {
		if b.listed() {
			l.listed = append(l.listed, b)
			curtains[b] = b.curtain(l.almanac)
		}
	}
	slices.SortFunc(l.listed, func(a, b *book) int {
		return cmp.Or(cmp.Compare(curtains[a], curtains[b]), cmp.Compare(a.id, b.id))
	})
}

// curtain is when the performance begins, or its day, in Unix seconds.
func (b *book) curtain(a almanac) int64 {
	if at := b.record.StartsAt; !at.IsZero() {
		return at.Unix()
	}
	if n, ok := Day(b.record.Date).number(); ok {
		return a.startOf(n)
	}
	return math.MaxInt64
}

// date is the venue day of the performance, empty when nothing tells it.
func (b *book) date(a almanac) Day {
	if at := b.record.StartsAt; !at.IsZero() {
		return a.Day(at)
	}
	if _, ok := Day(b.record.Date).number(); ok {
		return Day(b.record.Date)
	}
	return ""
}

// sumLoose sums the money without a listed event.
func (l *Ledger) sumLoose() {
	var loose sheet
	for b := range maps.Values(l.books) {
		if b.used && b.counted() && !b.listed() {
			loose.account.add(&b.account)
			for _, r := range b.days.rows {
				loose.days.row(r.number).add(&r.flow)
			}
		}
	}
	l.looseAccount, l.looseDays = loose.account, loose.days.publish()
}

// findings are what was diagnosed in records and in events.
func (l *Ledger) findings() []Diagnostic {
	all := slices.Clone(l.diagnoses.publish())
	for _, b := range l.listed {
		all = append(all, b.findings...)
	}
	slices.SortFunc(all, compareDiagnostics)
	return slices.Clip(all)
}

// publish makes the event's figures.
func (b *book) publish(l *Ledger) {
	f := &EventFigures{
		Event:       *b.record,
		Date:        b.date(l.almanac),
		Revenue:     b.account.revenue(l.known, l.refused.of(b.id), true),
		Types:       b.types(l),
		Channels:    b.channels(l),
		SaleDays:    b.days.publish(),
		Gates:       b.gateFigures(l),
		SoldMinutes: b.minutes.publish(),
	}
	b.places(f, l.known, l.refused.of(b.id))
	b.visitors(f, l.known, l.refused.of(b.id))
	b.published, b.findings = f, f.findings()
}

// types is by the name that the event gives a ticket type, or else the ticket.
func (b *book) types(l *Ledger) []PartFigures {
	named := map[string]string{}
	for _, t := range b.record.TicketTypes {
		named[t.ID] = t.Name
	}
	sums := map[string]*part{}
	for name, p := range b.parts {
		id := l.names.text(name.id)
		entry(sums, cmp.Or(named[id], l.names.text(name.name), id)).add(p)
	}
	return partFigures(sums)
}

func (b *book) channels(l *Ledger) []PartFigures {
	sums := map[string]*part{}
	for name, p := range b.chans {
		sums[l.names.text(name)] = p
	}
	return partFigures(sums)
}

func partFigures(parts map[string]*part) []PartFigures {
	var all []PartFigures
	for name, p := range parts {
		row := PartFigures{Name: name, Sold: p.sold, Paid: p.paid, Booked: p.booked.sums()}
		if row.Sold != 0 || row.Paid != 0 || row.Booked != nil {
			all = append(all, row)
		}
	}
	slices.SortFunc(all, func(a, b PartFigures) int {
		return cmp.Or(cmp.Compare(b.Sold, a.Sold), cmp.Compare(a.Name, b.Name))
	})
	return all
}

func (b *book) gateFigures(l *Ledger) []GateFigures {
	var all []GateFigures
	for name, g := range b.gates {
		row := GateFigures{Gate: l.names.text(name), Entries: g.entries, Minutes: g.minutes.publish()}
		if row.Entries != 0 || row.Minutes != nil {
			all = append(all, row)
		}
	}
	slices.SortFunc(all, func(a, b GateFigures) int { return cmp.Compare(a.Gate, b.Gate) })
	return all
}
