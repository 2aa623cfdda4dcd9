package ledger

import (
	"slices"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// Numbers beyond these are no ticket and no payment; they are kept out of the figures,
// where they would run over.
const (
	mostPlaces = 100_000
	mostPrice  = 1e11 // minor units
	mostAmount = 1e15 // minor units
)

// ticketState is what a ticket's status means for the figures.
type ticketState uint8

const (
	ticketUnsold    ticketState = iota // expired, or void without ever having been sold
	ticketReserved                     // held for an unpaid order
	ticketSold                         // valid
	ticketCancelled                    // was sold, is void or refunded
	ticketUnmapped                     // a status that nobody has mapped
)

// ticket is what the ledger holds of a ticket: what its figures are computed from.
type ticket struct {
	revision  int64
	sold      figures.Stamp // when it was sold
	cancelled figures.Stamp // when it was voided or refunded; 0 unless it is cancelled
	scans     []scan        // its own
	event     *eventAccount
	order     *order // nil without
	terms     *terms
	places    int32
	made      figures.DayNumber
	buyer     ref // the contact, among the ledger's; 0 without
	state     ticketState

	counts        bool // neither a test nor deleted nor absurd
	absurd        bool
	scansReported bool // with the ticket
	strayScan     bool // one has a direction that is not mapped
	firstSeenVoid bool // cancelled is when a version first said so, for want of better
}

// same reports whether two readings of a ticket make the same figures.
func (t *ticket) same(o *ticket) bool {
	return t.sameSale(o) && t.scansReported == o.scansReported && t.strayScan == o.strayScan && slices.Equal(t.scans, o.scans)
}

// sameSale reports whether they differ in nothing but their scans.
func (t *ticket) sameSale(o *ticket) bool {
	return t.sold == o.sold && t.cancelled == o.cancelled && t.event == o.event && t.places == o.places &&
		t.terms == o.terms && t.made == o.made && t.buyer == o.buyer && t.absurd == o.absurd &&
		t.state == o.state && t.firstSeenVoid == o.firstSeenVoid && t.sameShare(o)
}

// sameShare reports whether two readings have the same part in the splitting of payments.
func (t *ticket) sameShare(o *ticket) bool {
	return t.order == o.order && t.counts == o.counts && t.share() == o.share()
}

func (t *ticket) share() share {
	return share{event: t.event, currency: t.terms.priceIn, sold: t.holding() != notSold, gross: t.gross(), tickets: 1}
}

// holding returns what the ticket's order holds it as.
func (t *ticket) holding() holding {
	switch t.state {
	case ticketSold:
		return standing
	case ticketCancelled:
		return takenBack
	}
	return notSold
}

// gross returns what the ticket costs.
func (t *ticket) gross() int64 { return t.terms.due(t.places) }

// unmapped reports whether a status is none that is known.
func unmapped(s record.TicketStatus) bool {
	switch s {
	case record.TicketReserved, record.TicketValid, record.TicketVoid, record.TicketRefunded, record.TicketExpired:
		return false
	}
	return true
}

// unmappedExtra reports whether a kind is none that is known.
func unmappedExtra(k record.ExtraKind) bool {
	return k != record.ExtraFee && k != record.ExtraGoods && k != record.ExtraDonation
}

// admitting returns the number of places that count as places.
func (t *ticket) admitting() int { return t.terms.admitting(t.places) }

// money returns what moves when the ticket is sold (n = 1) or cancelled (n = −1).
func (t *ticket) money(n int) money { return t.terms.money(int64(n) * int64(t.places)) }

// movement returns what moves on the day on which the ticket was sold (n = 1) or cancelled (n = −1).
func (t *ticket) movement(n int) movement {
	m := t.money(n)
	vat := vatMoved{t.terms.vatSource(), m[0], m[2]}
	return movement{sold: n * t.admitting(), money: m, vat: vat, Lacks: t.lacks(vat.Basis, n)}
}

// cancellation returns what moves on the day on which the ticket was cancelled, put in (n = 1) or taken out
// (n = −1).
func (t *ticket) cancellation(n int) movement {
	m := t.movement(-n)
	m.Lacks = t.lacks(m.vat.Basis, n)
	if t.firstSeenVoid {
		m.Voids = n
	}
	return m
}

// lacks counts, n times, what keeps a sum from being exact that the ticket is in.
func (t *ticket) lacks(vat figures.VATBasis, n int) (l figures.Lacks) {
	l.Unpriced, l.Feeless = t.terms.unpriced(n), t.terms.feeless(n)
	switch vat {
	case figures.VATMissing:
		l.VATless = n
	case figures.VATByRate:
		l.VATRated = n
	}
	return l
}

// scan is one that let somebody through and was not undone.
type scan struct {
	at   figures.Stamp
	gate ref
	exit bool
}

// listedScan is what the ledger holds of a scan that came in a list of its own, apart from its ticket.
type listedScan struct {
	id       string
	ticket   string
	event    *eventAccount // of a scan that names no ticket, else nil
	revision int64
	scan
	through bool // let through and not undone
	counts  bool // not deleted
}

// same reports whether two readings of a scan make the same figures.
func (p *listedScan) same(o *listedScan) bool {
	return p.ticket == o.ticket && p.event == o.event && p.scan == o.scan && p.through == o.through && p.counts == o.counts
}
