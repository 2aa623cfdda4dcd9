package ledger

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/diagnoses"
	"housecount/aggregator/figures/ledger/sums"
	"housecount/apiclient/record"
)

// Snapshot returns the figures at p. It copies only what changed since the last call; the rest is shared with
// earlier snapshots, which are never changed. The caller fills in AsOf and Health. Appending to Diagnostics copies
// them.
func (l *Ledger) Snapshot(p figures.Position, c Coverage) *figures.Snapshot {
	l.postDelayed()
	return l.publish(p, c, l.knowledge(c))
}

// SnapshotWith is Snapshot with known in place of what the ledger knows.
func (l *Ledger) SnapshotWith(p figures.Position, c Coverage, known Knowledge) *figures.Snapshot {
	l.postDelayed()
	return l.publish(p, c, known)
}

// Known returns the knowledge with which the last Snapshot was made.
func (l *Ledger) Known() Knowledge { return l.known }

// postDelayed completes the postings that are delayed until figures are published.
func (l *Ledger) postDelayed() {
	l.postRates()
	l.postOrders()
	l.turn()
}

func (l *Ledger) publish(p figures.Position, c Coverage, known Knowledge) *figures.Snapshot {
	again := !l.made || known != l.known
	l.known, l.made = known, true
	l.refuse(c)
	if l.unsorted {
		l.sortEvents()
	}
	if again || len(l.changed) > 0 {
		l.publishEvents(again)
	}
	for _, e := range l.changed {
		e.changed = false
	}
	l.changed, l.unsorted = l.changed[:0], false
	if again || l.unmatched.changed {
		l.unmatched.changed, l.publication.unmatched = false, l.unmatchedMoney(&known)
	}
	entries := l.entered.Publish()

	return &figures.Snapshot{
		Position:              p,
		Calendar:              l.days.Calendar,
		Events:                l.events,
		Positions:             l.positions,
		Days:                  l.total.days.Publish(&l.names),
		Unattributed:          l.unattributed.revenue(&l.names, &known, l.refusedElsewhere(), true),
		UnattributedDays:      l.unattributed.days.Publish(&l.names),
		OrderDays:             l.total.orders.Publish(),
		UnattributedOrderDays: l.unattributed.orders.Publish(),
		Total:                 l.total.revenue(&l.names, &known, l.refused.total(), false),
		Records:               l.read(),
		Contacts:              l.contacts.counted,
		Strays:                l.missing.strays(&known),
		Diagnostics:           l.findings(),
		UndatedPending:        l.total.undatedPending != 0,
		Entered:               entries.Revision,
		Acknowledged:          entries.Acknowledged,
		Alerts:                entries.Alerts,
		ScreenMessages:        entries.Messages,
		House:                 l.Settings,
		Checks:                entries.Checks,
		Payments:              l.unmatched.groups,
		UnmatchedPayments:     l.publication.unmatched,
	}
}

// read returns how many records were read, of the kinds of which all are held.
func (l *Ledger) read() map[record.Kind]int {
	return map[record.Kind]int{record.KindEvent: l.eventsRead, record.KindTicket: l.tickets.Len(), record.KindPayment: l.payments.Len(), record.KindPlanning: len(l.plans)}
}

// publishEvents publishes the events that changed, or all of them if again is true. Many are published
// concurrently, which is safe because nothing that they share is changed.
func (l *Ledger) publishEvents(again bool) {
	l.events = make([]*figures.EventFigures, len(l.listed))
	publish := func(from, to int) {
		for i, e := range l.listed[from:to] {
			if again || e.changed {
				e.publish(l)
			}
			l.events[from+i] = e.published
		}
	}
	if !again && len(l.changed) < manyEvents {
		publish(0, len(l.listed))
		return
	}
	var all sync.WaitGroup
	size := max(manyEvents, len(l.listed)/runtime.GOMAXPROCS(0)+1)
	for from := 0; from < len(l.listed); from += size {
		all.Go(func() { publish(from, min(from+size, len(l.listed))) })
	}
	all.Wait()
}

// manyEvents is from how many events on they are published concurrently.
const manyEvents = 1000

// knowledge returns what is known with coverage c.
func (l *Ledger) knowledge(c Coverage) Knowledge {
	k := Knowledge{
		tickets:         listKnowledge{c.TicketsOffered, c.TicketsComplete, l.tickets.Len() > 0, staleness{c.TicketsBehind, c.TicketsDoubted}},
		payments:        listKnowledge{c.PaymentsOffered, c.PaymentsComplete, l.payments.Len() > 0, staleness{c.PaymentsBehind, c.PaymentsDoubted}},
		scans:           listKnowledge{c.ScansOffered, c.ScansComplete, len(l.scans) > 0, staleness{c.ScansBehind, c.ScansDoubted}},
		eventsComplete:  c.EventsComplete,
		events:          staleness{c.EventsBehind, c.EventsDoubted},
		planningPartial: c.PlanningPartial,
		planning:        staleness{c.PlanningBehind, c.PlanningDoubted},
		unattributed:    l.noEvent.holdsPayments(),
		fees:            l.total.fees.with > 0,
		vat:             l.total.vat.with > 0,
		orders:          l.ordered > 0,
	}
	k.scansReported = l.scansReported > 0 || l.closed > 0 || k.scans.read()
	return k
}

// refuse stores which records were refused, and marks the events whose number of refused records changed.
func (l *Ledger) refuse(c Coverage) {
	before := l.refused
	l.refused = c
	if before.of(figures.OtherEvents) != c.of(figures.OtherEvents) {
		for _, e := range l.accounts {
			l.republish(e)
		}
		return
	}
	for _, refused := range []map[string]int{before.RefusedTickets, before.RefusedPayments, before.RefusedScans,
		c.RefusedTickets, c.RefusedPayments, c.RefusedScans} {
		for id := range refused {
			if e := l.accounts[id]; e != nil && before.of(id) != c.of(id) {
				l.republish(e)
			}
		}
	}
}

// refusedElsewhere counts the refusals of events that are not published, or not known.
func (l *Ledger) refusedElsewhere() refusals {
	r := l.refused.total()
	if r == (refusals{}) {
		return r
	}
	for _, e := range l.listed {
		of := l.refused.of(e.id)
		r.tickets, r.payments, r.scans = r.tickets-of.tickets, r.payments-of.payments, r.scans-of.scans
	}
	return r
}

// sortEvents lists the events that are shown, by curtain (or date), then id; those that
// have neither come last.
func (l *Ledger) sortEvents() {
	l.listed = l.listed[:0]
	curtains := map[*eventAccount]int64{}
	for _, e := range l.accounts {
		if e.listed() {
			l.listed = append(l.listed, e)
			curtains[e] = e.curtain(l.days)
		}
	}
	slices.SortFunc(l.listed, func(a, b *eventAccount) int {
		return cmp.Or(cmp.Compare(curtains[a], curtains[b]), cmp.Compare(a.id, b.id))
	})
	if l.positions = nil; len(l.listed) > 0 { // snapshots of the same figures are equal
		l.positions = make(map[string]int, len(l.listed))
	}
	for i, e := range l.listed {
		l.positions[e.id] = i
	}
}

// findings returns the diagnostics of records and events.
func (l *Ledger) findings() []figures.Diagnostic {
	all := slices.Concat(l.diagnoses.Publish(), l.missing.diagnostics(&l.known))
	for _, e := range l.listed {
		all = append(all, e.findings...)
	}
	slices.SortFunc(all, diagnoses.Compare)
	return slices.Clip(all)
}

// publish makes the event's figures.
func (e *eventAccount) publish(l *Ledger) {
	refused := l.refused.mayLack(e.id)
	in := e.admission(&l.names)
	date, _ := e.day.Number()
	f := &figures.EventFigures{
		Event:       *e.record,
		Date:        e.day,
		Revenue:     e.revenue(&l.names, &l.known, refused, true),
		Parts:       e.partFigures(&l.names, l.known.payments.read()),
		SaleDays:    e.days.Publish(&l.names),
		OrderDays:   e.orders.Publish(),
		Gates:       in.gates,
		WalkIns:     e.walkInFigures(&l.names),
		Methods:     e.methodFigures(&l.names),
		Extras:      e.extras.Publish(&l.names, e.types),
		Buyers:      e.buyers,
		BuyerDays:   e.bought.Publish(),
		Towns:       e.towns.Publish(&l.names),
		Postcodes:   e.postcodes.Publish(&l.names),
		Orders:      e.holders,
		Ordered:     e.ordered,
		Leads:       e.soldOn.Leads(date),
		ChannelDays: e.soldOn.Publish(&l.names),
		SoldMinutes: e.minutes.Publish(), ArrivalMinutes: in.arrivals, DepartureMinutes: in.departures, OutMinutes: in.outs,
		ReportedEnded: e.ended,
	}
	e.places(&l.names, f, &l.known, refused)
	e.planned.publish(f, &l.known)
	f.PaidFor = e.paidFor(&l.names, l.known.payments.read())
	if f.AveragePrice = figures.AverageOf(f.PaidFor, f.AverageCaveat()); len(f.PaidFor) == 0 && f.Sold.Value > 0 && slices.Equal(f.AveragePrice.Reasons, []figures.Reason{figures.ReasonNothingSold}) {
		f.AveragePrice.Reasons = []figures.Reason{figures.ReasonNothingPaid}
	}
	e.visitors(f, in, &l.known, refused)
	if l.known.vat {
		f.VAT = e.vatFigures(&l.names)
	}
	e.published, e.findings = f, findings(f, in)
}

// Minute returns the figures of a minute of an event as they are now; listed is false if the event is not shown.
func (l *Ledger) Minute(event string) (m figures.MinuteFigures, listed bool) {
	e := l.accounts[event]
	if e == nil || !e.listed() {
		return m, false
	}
	m = figures.MinuteFigures{Sold: e.sold.all(), Present: e.present, Net: e.Amounts.Publish(&l.names).Net()}
	if n, known := figures.Within(e.record.Available); known {
		m.Available = &n
	}
	if sums := e.sums(); sums != nil {
		m.Present = sums.Present
	}
	for _, n := range e.walkIns {
		m.Present += max(0, n)
	}
	return m, true
}

// curtain returns when the performance begins, in Unix seconds; the last second of its day if only that is known.
func (e *eventAccount) curtain(c sums.DayCache) int64 {
	if at := e.record.StartsAt; !at.IsZero() {
		return at.Unix()
	}
	if n, ok := figures.Day(e.record.Date).Number(); ok {
		return c.StartOf(n+1) - 1
	}
	return math.MaxInt64
}

// date returns the venue day of the performance, empty if there is none.
func (e *eventAccount) date(c sums.DayCache) figures.Day {
	if at := e.record.StartsAt; !at.IsZero() {
		return c.Day(at)
	}
	if _, ok := figures.Day(e.record.Date).Number(); ok {
		return figures.Day(e.record.Date)
	}
	return ""
}

// typesOf returns the names that an event gives its ticket types, by id.
func typesOf(r *record.Event) map[string]string {
	if len(r.TicketTypes) == 0 {
		return nil
	}
	types := make(map[string]string, len(r.TicketTypes))
	for _, t := range r.TicketTypes {
		types[t.ID] = t.Name
	}
	return types
}

// gateFigures returns the account's gates, by name.
func (e *eventAccount) gateFigures(n *sums.Names) []figures.GateFigures {
	var all []figures.GateFigures
	for name, g := range e.gates {
		row := figures.GateFigures{Gate: n.Text(name), Entries: g.entries, Admitted: g.admitted, Left: g.left, Minutes: g.minutes.Publish()}
		if row.Entries != 0 || row.Minutes != nil {
			all = append(all, row)
		}
	}
	slices.SortFunc(all, func(a, b figures.GateFigures) int { return cmp.Compare(a.Gate, b.Gate) })
	return all
}
