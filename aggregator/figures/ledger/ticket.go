package ledger

import (
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/sums"
	"housecount/apiclient/record"
)

// Tickets and payments with numbers beyond these are left out of the figures, which would overflow.
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
	row       *ticketRow // in which it is held; nil until it is
	revision  int64
	at        figures.Stamp // when it was sold or, where that is not known or it was not, created
	sold      figures.Stamp // when it was sold
	cancelled figures.Stamp // when it was voided or refunded; 0 if it was not
	stood     figures.Stamp // when a version was first read in which it was neither; 0 for never
	scans     []scan        // those reported with the ticket
	event     *eventAccount
	order     *order // nil for none
	terms     *terms
	places    int32
	made      figures.DayNumber // the day of at; noDay for none
	buyer     sums.Ref          // the contact; 0 for none
	staysSold bool              // the version that it replaces, or is replaced by, was sold alike: that movement is posted already
	ticketMarks
}

// ticketMarks are what is so or not of a ticket.
type ticketMarks struct {
	state ticketState

	counts        bool // not a test, not deleted and not absurd
	gone          bool // deleted, and neither a test nor absurd
	absurd        bool
	scansReported bool // scans were reported with the ticket
	strayScan     bool // a scan has a direction that is not mapped
	firstSeenVoid bool // cancelled is a guess: see voidTimes
}

// same reports whether two versions of a ticket give the same figures.
func (t *ticket) same(o *ticket) bool {
	return t.sameSale(o) && t.scansReported == o.scansReported && t.strayScan == o.strayScan && slices.Equal(t.scans, o.scans)
}

// sameSale reports whether they differ in their scans at most.
func (t *ticket) sameSale(o *ticket) bool {
	return t.sold == o.sold && t.cancelled == o.cancelled && t.event == o.event && t.places == o.places &&
		t.terms == o.terms && t.made == o.made && t.buyer == o.buyer && t.absurd == o.absurd &&
		t.state == o.state && t.firstSeenVoid == o.firstSeenVoid && t.sameShare(o)
}

// soldAlike reports whether the same was sold at the same time, whatever was cancelled since.
func (t *ticket) soldAlike(o *ticket) bool {
	return t.counts && o.counts && t.holding() != notSold && o.holding() != notSold && t.sold == o.sold && t.event == o.event && t.terms == o.terms && t.places == o.places
}

// sameShare reports whether two versions have the same part in splitting payments.
func (t *ticket) sameShare(o *ticket) bool {
	return t.order == o.order && t.counts == o.counts && t.gone == o.gone && t.share() == o.share()
}

func (t *ticket) share() share {
	return share{event: t.event, currency: t.terms.priceIn, sold: t.holding() != notSold, gross: t.gross(), tickets: 1}
}

// holding returns what the ticket counts as in its order.
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

// unmapped reports whether a status is none of those that the program knows.
func unmapped(s record.TicketStatus) bool {
	switch s {
	case record.TicketReserved, record.TicketValid, record.TicketVoid, record.TicketRefunded, record.TicketExpired:
		return false
	}
	return true
}

// unmappedExtra reports whether a kind is none of those that the program knows.
func unmappedExtra(k record.ExtraKind) bool {
	return k != record.ExtraFee && k != record.ExtraGoods && k != record.ExtraDonation
}

// admitting returns the number of places that count as places.
func (t *ticket) admitting() int { return t.terms.admitting(t.places) }

// money returns what moves when the ticket is sold (n = 1) or cancelled (n = −1).
func (t *ticket) money(n int) sums.Money { return t.terms.money(int64(n) * int64(t.places)) }

// movement returns what moves on the day on which the ticket was sold (n = 1) or cancelled (n = −1).
func (t *ticket) movement(n int) sums.Movement {
	m := t.money(n)
	vat := sums.VATMoved{VATSource: t.terms.vatSource(), Booked: m[0], VAT: m[2]}
	return sums.Movement{Sold: n * t.admitting(), Money: m, VAT: vat, Lacks: t.lacks(vat.Basis, n)}
}

// cancellation returns what moves on the day on which the ticket was cancelled, to be added (n = 1) or removed (n
// = −1).
func (t *ticket) cancellation(n int) sums.Movement {
	m := t.movement(-n)
	m.Lacks = t.lacks(m.VAT.Basis, n)
	if t.firstSeenVoid {
		m.Voids = n
	}
	return m
}

// lacks counts, n times, what makes a sum inexact that includes the ticket.
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

// scan is a scan that let somebody in or out and was not undone.
type scan struct {
	at   figures.Stamp
	gate sums.Ref
	exit bool
}

// listedScan is what the ledger holds of a scan that came in the list of scans.
type listedScan struct {
	id       string
	ticket   string
	event    *eventAccount // of a scan that names no ticket, else nil
	revision int64
	scan
	through bool // let through and not undone
	counts  bool // not deleted
}

// same reports whether two versions of a scan give the same figures.
func (p *listedScan) same(o *listedScan) bool {
	return p.ticket == o.ticket && p.event == o.event && p.scan == o.scan && p.through == o.through && p.counts == o.counts
}
