package figures

import (
	"housecount/apiclient/record"
)

// book is what the ledger counts for one event. An event that tickets or payments name
// before it has arrived has a book too.
type book struct {
	id     string
	record *record.Event // nil until it arrives
	// revision is that of the version that record was taken from, 0 without.
	revision int64
	// highest is the most that was ever available, nil when it was never told.
	highest *int
	planned int // places, by planning

	sheet
	minutes tally // net places sold
	parts   map[partName]*part
	chans   map[ref]*part
	gates   map[ref]*gate

	tickets       int // that admit
	scansTold     int // of those, tickets of which scans were told
	paid          int
	complimentary int
	reserved      int
	attendance    int
	present       int
	exits         int // passages

	used      bool // something has been posted
	changed   bool // since it was last published
	published *EventFigures
	findings  []Diagnostic // published with it
}

// partName names a ticket type: its id, and what a ticket calls it.
type partName struct{ id, name ref }

// part is the account of a ticket type or channel.
type part struct {
	sold, paid int
	booked     purse
}

func (p *part) add(o *part) {
	p.sold += o.sold
	p.paid += o.paid
	p.booked.addAll(o.booked)
}

// gate is the account of a gate.
type gate struct {
	entries int
	minutes tally
}

// test says that nothing in the book counts.
func (b *book) test() bool { return b.record != nil && b.record.Test }

// counted says that the book's money is in the totals.
func (b *book) counted() bool { return !b.test() }

// listed says that the event is shown. The money of an event that is not (one that has
// not arrived, or was deleted) is unattributed, unless it is a test.
func (b *book) listed() bool { return b.record != nil && !b.record.Test && !b.record.Deleted }

// raise takes places that were once available, nil for not told, into the highest, and says
// whether that rose.
func (b *book) raise(places *int) bool {
	if places == nil || b.highest != nil && *places <= *b.highest {
		return false
	}
	b.highest = new(*places)
	return true
}

// count puts a ticket's places in (n = 1) or takes them out (n = −1).
func (b *book) count(l *Ledger, t *ticket, n int) {
	b.used = true
	places := n * t.admitting()
	switch t.state {
	case ticketReserved:
		b.reserved += places
	case ticketSold:
		b.countSold(l, t, n)
	case ticketCancelled:
		b.minutes.add(t.sold, places)
		b.minutes.add(t.cancelled, -places)
	}
}

func (b *book) countSold(l *Ledger, t *ticket, n int) {
	places := n * t.admitting()
	paid := places
	if t.complimentary {
		paid = 0
	}
	b.paid += paid
	b.complimentary += places - paid
	b.minutes.add(t.sold, places)
	for _, p := range []*part{entry(b.parts, t.typ), entry(b.chans, t.channel)} {
		p.sold += places
		p.paid += paid
		p.booked.add(t.gross()*int64(n), l.names.text(t.currency))
	}
}

// admit counts passages. A ticket is a visitor from its first entry, whatever became of
// the ticket afterwards: somebody was in the house. Told says that anything is known of
// its passages.
func (b *book) admit(t *ticket, scans []scan, told bool, n int) {
	b.tickets += n
	if told {
		b.scansTold += n
	}
	places := n * t.admitting()
	entered, inside := false, false
	for _, s := range scans {
		inside = !s.exit
		if s.exit {
			b.exits += n
			continue
		}
		entered = true
		g := entry(b.gates, s.gate)
		g.entries += places
		g.minutes.add(s.at, places)
	}
	if entered {
		b.attendance += places
	}
	if inside {
		b.present += places
	}
}
