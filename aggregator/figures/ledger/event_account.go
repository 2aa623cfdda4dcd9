package ledger

import (
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// eventAccount is what the ledger counts for one event. One that tickets or payments name
// before it has arrived has an account too.
type eventAccount struct {
	id     string
	record *record.Event // nil until it arrives
	// revision is that of the version that record was taken from, 0 without.
	revision int64
	// highest is the most that was ever available, nil when that was never reported.
	highest *int
	ended   time.Time // when it was first said to be over or called off, zero when never
	planned planned
	limits  limits // by id
	trail   trail
	day     figures.Day // the venue day of the performance, empty if there is none
	// types are the names that the event gives its ticket types, by id.
	types map[string]string

	accountByDay
	minutes    minuteCounts // net places sold
	soldOn     []placesOn   // places that are sold now, by the day of their sale, then channel; none is 0
	arrivals   minuteCounts // first entries of tickets that are sold
	departures minuteCounts // last exits of those who are not inside
	parts      [figures.DimensionCount]parts
	costs      []cost  // of places that are paid for, by currency
	vats       []vatOf // of what was sold, by the basis of its VAT
	gates      map[ref]*gate
	walkIns    map[ref]int      // by gate; nil before anybody was counted
	methods    map[ref]*amounts // received, by how it was paid
	extras     extras           // of what was sold
	named      references       // by other records

	tickets       int                // that admit
	scansReported int                // of those, tickets of which scans were reported, and scans that name no ticket
	strayScans    int                // of those, tickets with a scan whose direction is not mapped
	closed        *record.Admissions // in the place of all scans, nil before they were summed; see sums
	closedBy      int64              // the revision of closed
	sold          soldPlaces
	withoutOrder  int // of those that cost something, places of tickets without an order
	buyers        figures.Buyers
	holders       int // orders that hold sold places
	ordered       int // sold places in them
	reserved      int
	attendance    int
	arrived       int // of attendance, by tickets that are sold
	present       int
	passing       int // entries less exits of scans that name no ticket
	exits         int // scans

	// inTotal is true if the account is part of the ledger's total.
	inTotal bool
	// soldOnChanged is true if soldOn differs from what was last published.
	soldOnChanged bool
	used          bool // something has been posted
	moved         moved
	rerated       bool // the rates of VAT of its tickets may be others
	changed       bool // since it was last published
	published     *figures.EventFigures
	findings      []figures.Diagnostic // published with it
}

func newEventAccount(id string) *eventAccount {
	return &eventAccount{id: id, gates: map[ref]*gate{}, methods: map[ref]*amounts{}, inTotal: true}
}

// soldPlaces are places that are sold, by what is paid for them.
type soldPlaces struct {
	costing       int // paid or unpaid
	unpaid        int
	free          int
	complimentary int
}

// add puts places in.
func (s *soldPlaces) add(t *terms, places int) {
	switch {
	case t.complimentary:
		s.complimentary += places
	case t.free():
		s.free += places
	default:
		s.costing += places
	}
}

// all returns all of them.
func (s *soldPlaces) all() int { return s.costing + s.free + s.complimentary }

// gate is the account of a gate.
type gate struct {
	entries int
	minutes minuteCounts
}

// test reports whether nothing in the account counts.
func (e *eventAccount) test() bool { return e.record != nil && e.record.Test }

// listed reports whether the event is shown.
func (e *eventAccount) listed() bool {
	return e.record != nil && !e.record.Test && !e.record.Deleted
}

// unattributed reports whether the account's money belongs to no event that is shown: its event
// has not arrived, or was deleted.
func (e *eventAccount) unattributed() bool { return !e.test() && !e.listed() }

// remember stores what versions of the event have shown, and reports whether that is new.
func (e *eventAccount) remember(m record.Memory) (news bool) {
	if places := m.HighestAvailable; places != nil && (e.highest == nil || *places > *e.highest) {
		e.highest, news = new(*places), true
	}
	if !m.Ended.IsZero() && (e.ended.IsZero() || m.Ended.Before(e.ended)) {
		e.ended, news = m.Ended, true
	}
	return news
}
