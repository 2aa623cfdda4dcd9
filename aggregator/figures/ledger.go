package figures

import (
	"maps"
	"slices"

	"housecount/apiclient/record"
)

// Ledger folds records into figures. It holds, of every record, what the figures are
// computed from, and for every event, order and payment what they come to; a changed
// record costs the same however many there are. It belongs to one goroutine.
//
// The figures depend on the set of versions that were applied and on nothing else, so that
// any order, with any repeats, leads to the same figures. Of a record's versions the newest
// counts: the Head with the highest revision. What the versions before it add is in
// record.Memory: the highest number of places ever available, when a refund or chargeback
// was first reported by its payment, and when a ticket was first void.
//
// What the definitions leave open is decided so:
//
//   - Test records count nowhere, nor does what belongs to a test event or test payment.
//   - A deleted ticket or payment counts nowhere, nor does what went back of a deleted
//     payment. The money of a deleted event is real and stays in the totals,
//     unattributed; so does that of an event that has not arrived.
//   - Nothing went back of a payment that is known and has not settled (pending, failed,
//     cancelled, expired), whatever records say (CodeUnsettled).
//   - A ticket that is void and has no time of sale was never sold; a refunded one was.
//     What was sold and is cancelled is + on the day of sale and − on that of
//     cancellation, by sold_at or else created_at, and by cancelled_at or else the time of
//     the first version in which it was void or refunded.
//   - A visitor stays one when the ticket is voided afterwards: attendance counts people.
//   - A movement without any time is in the totals and on no day (ReasonUndated).
//   - A refund or chargeback that only the payment itself reports has no time of its own: it
//     is on the day of the first version that reported it, and stays there; where a payment
//     reported ever more, each part is on its own day. Refund records stand for the parts
//     that were reported first. What went back is then estimated (ReasonUndated).
//   - A ticket's scans are its own and those told apart from it; the same moment, gate and
//     direction is one passage. Where all scans were read from a list of their own, a
//     ticket without any was not scanned.
//   - Planned places count for their event unless they are an option, cancelled or deleted.
//     Contacts make no figure.
//   - What is paid back by a record is split as its payment was, so that a payment that is
//     refunded in parts leaves nothing anywhere.
type Ledger struct {
	almanac  almanac
	names    names
	books    map[string]*book
	orders   map[string]*order
	tickets  map[string]*ticket
	payments map[string]*payment
	families map[string]*family
	naming   map[string][]*payment // by id of a ticket that they name
	children map[string][]*payment // by id of their parent
	passages map[string]*passage
	voids    map[string]stamp         // when a ticket was first void or refunded, by its id
	returns  map[string]record.Memory // what versions of a payment reported as gone back, by its id
	apart    map[string][]*passage    // those that count, by id of their ticket
	plans    map[string]plan
	diagnoses

	loose     *book // money and tickets that name no event
	total     sheet
	scansTold int // tickets of which scans were told

	touched []*book // by this Apply
	changed []*book // since the last Snapshot
	stale   bool    // total must be summed anew: an event became a test, or ceased to be
	publication
}

// NewLedger returns an empty ledger that sorts by c.
func NewLedger(c Calendar) *Ledger {
	l := &Ledger{
		almanac:   newAlmanac(c),
		names:     newNames(),
		books:     map[string]*book{},
		orders:    map[string]*order{},
		tickets:   map[string]*ticket{},
		payments:  map[string]*payment{},
		families:  map[string]*family{},
		naming:    map[string][]*payment{},
		children:  map[string][]*payment{},
		passages:  map[string]*passage{},
		voids:     map[string]stamp{},
		returns:   map[string]record.Memory{},
		apart:     map[string][]*passage{},
		plans:     map[string]plan{},
		diagnoses: diagnoses{ids: map[diagnosis]map[string]bool{}},
	}
	l.loose = l.book("")
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
	for _, b := range l.touched {
		if b.listed() {
			c.Events = append(c.Events, b.id)
		} else if b.counted() {
			c.Unattributed = true
		}
	}
	slices.Sort(c.Events)
	return c
}

// newest says that v takes the place of what is held of its record, which was taken from
// the version of a revision, 0 where nothing is held.
func newest(v record.Version, held int64) bool { return v.Head && v.Revision > held }

// applyEvent puts an event in the place of what was held of it.
func (l *Ledger) applyEvent(r *record.Event, v record.Version) Changes {
	b := l.book(r.ID)
	raised := b.raise(record.Memory{}.With(v).HighestAvailable)
	if !newest(v, b.revision) {
		if !raised || !b.listed() {
			return Changes{}
		}
		l.touch(b)
		return Changes{Events: []string{b.id}}
	}
	before, wasTest, wasListed := b.record, b.test(), b.listed()
	b.record, b.revision = r, v.Revision
	l.touch(b)
	l.unsorted = l.unsorted || wasListed != b.listed() || b.listed() && (before == nil || before.Date != r.Date ||
		!before.StartsAt.Equal(r.StartsAt))
	l.stale = l.stale || b.used && wasTest != b.test()
	unattributed := b.used && (!wasTest && !wasListed || b.counted() && !b.listed())
	l.looseChanged = l.looseChanged || unattributed
	if !wasListed && !b.listed() {
		return Changes{Unattributed: unattributed && wasTest != b.test()}
	}
	return Changes{Events: []string{b.id}, Unattributed: unattributed}
}

// touch remembers that a book changes.
func (l *Ledger) touch(b *book) {
	if !slices.Contains(l.touched, b) {
		l.touched = append(l.touched, b)
	}
	if !b.changed {
		b.changed = true
		l.changed = append(l.changed, b)
	}
	if b.counted() && !b.listed() {
		l.looseChanged = true
	}
}

// book is the book of an event, an empty one where there was none.
func (l *Ledger) book(id string) *book {
	b := l.books[id]
	if b == nil {
		b = &book{id: id, parts: map[partName]*part{}, chans: map[ref]*part{}, gates: map[ref]*gate{}}
		l.books[id] = b
	}
	return b
}

// order is what is held of an order, nil where id is empty.
func (l *Ledger) order(id string) *order {
	if id == "" {
		return nil
	}
	return entry(l.orders, id)
}

// sumAnew sums the totals over everything held.
func (l *Ledger) sumAnew() {
	l.stale = false
	l.total = sheet{days: days{split: true, changed: true}}
	for t := range maps.Values(l.tickets) {
		if t.counts && t.event.counted() {
			l.total.postTicket(l, t, 1)
		}
	}
	for f := range maps.Values(l.families) {
		for _, p := range f.posted {
			if p.book.counted() {
				l.total.postMoney(l, p, 1)
			}
		}
	}
}
