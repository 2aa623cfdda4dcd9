package ledger

import (
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/areas"
	"housecount/aggregator/figures/ledger/rows"
	"housecount/aggregator/figures/ledger/sums"
	"housecount/apiclient/record"
)

// eventAccount is what the ledger counts for one event. One that tickets or payments name
// before it has arrived has an account too.
type eventAccount struct {
	id     string
	number int32         // by which rows refer to it
	record *record.Event // nil until it arrives
	// revision is the revision of the version that record came from, 0 for none.
	revision int64
	// highest is the highest number of available places ever reported, nil for none.
	highest *int
	ended   time.Time // when it was first reported as over or cancelled; zero for never
	planned planned
	limits  areas.Limits
	trail   rows.Revisions
	day     figures.Day // the venue day of the performance; empty for none
	// types are the names of the event's ticket types, by id.
	types map[string]string

	accountByDay
	minutes    sums.MinuteCounts // places sold less places cancelled
	soldOn     sums.SoldDays     // places that are sold, by day of sale and channel
	arrivals   sums.MinuteCounts // first entries of sold tickets
	departures sums.MinuteCounts // last exits of people who are not inside
	outs       sums.MinuteCounts // exits of people who came back, less their entries after them
	parts      [figures.DimensionCount]sums.Parts
	costs      []cost       // prices of sold places, by currency
	vats       []sums.VATOf // what was sold, by source of its VAT
	gates      map[sums.Ref]*gate
	walkIns    map[sums.Ref]int           // by gate; nil if there are none
	methods    map[sums.Ref]*sums.Amounts // money received, by method of payment
	extras     sums.Extras                // sold extras
	named      references                 // counts of other records that name the event

	tickets       int                // tickets that admit
	scansReported int                // of tickets, those whose scans were reported, and scans that name no ticket
	strayScans    int                // of tickets, those with a scan whose direction is not mapped
	closed        *record.Admissions // totals in place of all scans; nil while scans are counted one by one (see sums)
	closedBy      int64              // the revision of closed
	sold          soldPlaces
	withoutOrder  int // of sold.costing, places of tickets without an order
	buyers        figures.Buyers
	bought        sums.BuyerDays // what of buyers contacts bought
	towns         sums.Homes     // sold places by the town of who bought them
	postcodes     sums.Homes     // and by the postcode area
	holders       int            // orders that have sold places
	ordered       int            // sold places in those orders
	reserved      int
	attendance    int
	arrived       int // of attendance, places of sold tickets
	present       int
	passing       int // entries less exits of scans that name no ticket
	exits         int // scans out

	// inTotal is true if the account is part of the ledger's total.
	inTotal   bool
	used      bool // something was added to it
	moved     moved
	rerated   bool // rates of VAT of its tickets may have changed
	changed   bool // since it was last published
	published *figures.EventFigures
	findings  []figures.Diagnostic // published with published
}

func newEventAccount(id string, number int32) *eventAccount {
	return &eventAccount{id: id, number: number, gates: map[sums.Ref]*gate{}, methods: map[sums.Ref]*sums.Amounts{}, inTotal: true}
}

// soldPlaces are places that are sold, by what is paid for them.
type soldPlaces struct {
	costing       int // paid or unpaid
	unpaid        int
	free          int
	complimentary int
}

// add adds places; a negative number removes them.
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

// all returns the number of sold places.
func (s *soldPlaces) all() int { return s.costing + s.free + s.complimentary }

// gate is the account of a gate.
type gate struct {
	entries  int
	admitted int // of entries, those that were the first of their ticket
	left     int // places of people who went out here and did not come back
	minutes  sums.MinuteCounts
}

// test reports whether the event is a test, so that nothing in its account counts.
func (e *eventAccount) test() bool { return e.record != nil && e.record.Test }

// listed reports whether the event is published.
func (e *eventAccount) listed() bool {
	return e.record != nil && !e.record.Test && !e.record.Deleted
}

// unattributed reports whether the account's money belongs to no published event: its event has not arrived, or
// was deleted.
func (e *eventAccount) unattributed() bool { return !e.test() && !e.listed() }

// remember stores the memory of a version of the event, and reports whether it is new.
func (e *eventAccount) remember(m record.Memory) (news bool) {
	if places := m.HighestAvailable; places != nil && (e.highest == nil || *places > *e.highest) {
		e.highest, news = new(*places), true
	}
	if !m.Ended.IsZero() && (e.ended.IsZero() || m.Ended.Before(e.ended)) {
		e.ended, news = m.Ended, true
	}
	return news
}
