package figures

import (
	"time"

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
	planned int       // places, by planning

	accountByDay
	minutes  minuteCounts // net places sold
	arrivals minuteCounts // first entries of tickets that are sold
	parts    [dimensionCount]map[partName]*part
	gates    map[ref]*gate
	walkIns  map[ref]int // by gate
	named    references  // by other records

	tickets       int // that admit
	scansReported int // of those, tickets of which scans were reported
	paid          int
	complimentary int
	reserved      int
	attendance    int
	arrived       int // of attendance, by tickets that are sold
	present       int
	exits         int // scans

	// inTotal says that the account is part of the ledger's total.
	inTotal   bool
	used      bool // something has been posted
	changed   bool // since it was last published
	published *EventFigures
	findings  []Diagnostic // published with it
}

func newEventAccount(id string) *eventAccount {
	e := &eventAccount{id: id, gates: map[ref]*gate{}, walkIns: map[ref]int{}, inTotal: true}
	for d := range e.parts {
		e.parts[d] = map[partName]*part{}
	}
	return e
}

// partName names a part of the sales: an id, empty where the dimension has none, and what a
// ticket calls it.
type partName struct{ id, name ref }

// part is the account of a part of the sales.
type part struct {
	flow
	paid int
}

func (p *part) addAll(o *part) {
	p.flow.addAll(&o.flow, 1)
	p.paid += o.paid
}

// gate is the account of a gate.
type gate struct {
	entries int
	minutes minuteCounts
}

// test says that nothing in the account counts.
func (e *eventAccount) test() bool { return e.record != nil && e.record.Test }

// listed says that the event is shown.
func (e *eventAccount) listed() bool {
	return e.record != nil && !e.record.Test && !e.record.Deleted
}

// unattributed says that the account's money belongs to no event that is shown: its event
// has not arrived, or was deleted.
func (e *eventAccount) unattributed() bool { return !e.test() && !e.listed() }

// remember takes in what versions of the event have left, and says whether that is news.
func (e *eventAccount) remember(m record.Memory) (news bool) {
	if places := m.HighestAvailable; places != nil && (e.highest == nil || *places > *e.highest) {
		e.highest, news = new(*places), true
	}
	if !m.Ended.IsZero() && (e.ended.IsZero() || m.Ended.Before(e.ended)) {
		e.ended, news = m.Ended, true
	}
	return news
}
