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
	// PlanningPartial says that planning is offered, and some of it is still to be read.
	PlanningPartial bool
}

// scansRead says that all scans were read from lists of their own.
func (c Coverage) scansRead() bool { return c.ScansOffered && c.ScansComplete }

// knowledge is what the quality of every event's figures depends on beside the event.
type knowledge struct {
	Coverage
	scans bool // the service tells of scans
	loose bool // some payment belongs to no event
	// tickets and payments say that some have come.
	tickets, payments bool
}

// publication is what the ledger remembers of its last Snapshot.
type publication struct {
	known        knowledge
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
	known := knowledge{c, l.scansTold > 0 || c.scansRead(), l.loose.account.holdsPayments(), len(l.tickets) > 0, len(l.payments) > 0}
	again := !l.made || known != l.known
	l.known, l.made = known, true

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
		Unattributed:     l.looseAccount.revenue(known, true),
		UnattributedDays: l.looseDays,
		Total:            l.total.account.revenue(known, false),
		Diagnostics:      l.findings(),
	}
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
		Revenue:     b.account.revenue(l.known, true),
		Types:       b.types(l),
		Channels:    b.channels(l),
		SaleDays:    b.days.publish(),
		Gates:       b.gateFigures(l),
		SoldMinutes: b.minutes.publish(),
	}
	b.places(f, l.known)
	b.visitors(f, l.known)
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
