package ledger

import (
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/rows"
	"housecount/aggregator/figures/ledger/sums"
)

// ticketRow is how the ledger holds a ticket: without pointers, which the garbage collector would follow for each of millions
// of tickets, and within 64 bytes. What a ticket refers to has a number in it.
type ticketRow struct {
	revision            int64
	at                  figures.Stamp
	cancelled, stood    figures.Stamp
	event, order, terms int32
	places              int32
	buyer               sums.Ref
	scans               rows.List
	ticketMarks
}

// ticket returns the ticket with an id as it is held; known is false for none. It changes only by hold.
func (l *Ledger) ticket(id string) (t ticket, known bool) {
	row := l.tickets.Get(id)
	if row == nil {
		return ticket{}, false
	}
	return l.ticketIn(row), true
}

// ticketIn returns the ticket that a row holds.
func (l *Ledger) ticketIn(row *ticketRow) ticket {
	t := ticket{row: row, revision: row.revision, at: row.at, cancelled: row.cancelled, stood: row.stood, scans: l.scanLists.Get(row.scans),
		event: l.numbered[row.event], order: l.orderAt(row.order), terms: l.sharedTerms[row.terms], places: row.places, buyer: row.buyer, ticketMarks: row.ticketMarks}
	t.date(l.days)
	return t
}

// hold puts a ticket in a row in place of what the row held.
func (l *Ledger) hold(t *ticket, row *ticketRow) {
	*row = ticketRow{revision: t.revision, at: t.at, cancelled: t.cancelled, stood: t.stood, scans: l.scanLists.Set(row.scans, t.scans),
		event: t.event.number, order: t.order.numberOf(), terms: t.terms.number, places: t.places, buyer: t.buyer, ticketMarks: t.ticketMarks}
	t.row, t.scans = row, l.scanLists.Get(row.scans)
}

// date sets what follows from when the ticket was sold or created.
func (t *ticket) date(c sums.DayCache) {
	t.made = noDay
	if t.at != 0 {
		t.made = c.DayOf(t.at)
	}
	if t.state == ticketSold || t.state == ticketCancelled {
		t.sold = t.at
	}
}
