package ledger

import (
	"cmp"

	"housecount/aggregator/figures"
)

// Coverage is how much of the service's records the ledger has been given. It decides the quality of figures.
// Scans means the list of scans, not those that come with tickets.
type Coverage struct {
	TicketsComplete, PaymentsComplete, ScansComplete bool
	TicketsOffered, PaymentsOffered, ScansOffered    bool
	// EventsComplete is true if all events were read: an event that is still unknown is one that the service does
	// not list.
	EventsComplete bool
	// Behind is true if the last read was long ago and only part of the changes since then may have been read.
	EventsBehind, TicketsBehind, PaymentsBehind, ScansBehind, PlanningBehind bool
	// Doubted is true if so many records are missing from the service's list that they still count.
	EventsDoubted, TicketsDoubted, PaymentsDoubted, ScansDoubted, PlanningDoubted bool
	// PlanningPartial is true if the service has planning and not all of it has been read.
	PlanningPartial bool
	// RefusedTickets, RefusedPayments and RefusedScans count, by event id, the records that were refused and are
	// missing from the figures. The id is empty if the event is not known, and OtherEvents for events that are not
	// counted individually. The maps must not be changed afterwards.
	RefusedTickets, RefusedPayments, RefusedScans map[string]int
}

// Knowledge is what the quality of all events' figures depends on.
type Knowledge struct {
	tickets, payments, scans listKnowledge
	eventsComplete           bool
	events, planning         staleness
	planningPartial          bool
	scansReported            bool // the service reports scans, in their own list or with tickets
	unattributed             bool // some payment belongs to no event
	fees, vat                bool // some tickets report them
	orders                   bool // some tickets name an order
}

// listKnowledge is what is known of the lists that give one kind of record.
type listKnowledge struct {
	offered  bool
	complete bool
	some     bool // at least one record has come
	staleness
}

// staleness is why figures of a list are not exact although it has been read; see Coverage.
type staleness struct{ behind, doubted bool }

// mark adds the reasons to a caveat.
func (s staleness) mark(c *figures.Caveat) {
	c.AddIf(s.behind, figures.Estimated, figures.ReasonBehind)
	c.AddIf(s.doubted, figures.Estimated, figures.ReasonDoubted)
}

// caveat returns the reasons as a caveat of its own.
func (s staleness) caveat() (c figures.Caveat) {
	s.mark(&c)
	return c
}

// read reports whether all records have been read once, and current whether they are also up to date.
func (k listKnowledge) read() bool { return k.offered && k.complete }

func (k listKnowledge) current() bool { return k.read() && !k.behind }

// missing adds the reasons for which a figure that counts these records is not exact.
func (k listKnowledge) missing(c *figures.Caveat, notOffered, partial figures.Reason) {
	c.AddIf(!k.offered, figures.Unknown, notOffered)
	c.AddIf(k.offered && !k.complete && !k.some, figures.Unknown, partial)
	c.AddIf(k.offered && !k.complete, figures.LowerBound, partial)
	k.mark(c)
}

// refusals counts the records that were refused of one event, or of all.
type refusals struct{ tickets, payments, scans int }

// of returns the refusals that are known to be of one event.
func (c *Coverage) of(event string) refusals {
	return refusals{c.RefusedTickets[event], c.RefusedPayments[event], c.RefusedScans[event]}
}

// mayLack returns the refusals that may be of one event.
func (c *Coverage) mayLack(event string) refusals {
	r, others := c.of(event), c.of(figures.OtherEvents)
	return refusals{cmp.Or(r.tickets, others.tickets), cmp.Or(r.payments, others.payments), cmp.Or(r.scans, others.scans)}
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
