package figures

import (
	"slices"

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
	sold      stamp  // when it was sold
	cancelled stamp  // when it was voided or refunded; 0 unless it is cancelled
	price     int64  // a place
	scans     []scan // its own
	event     *eventAccount
	order     *order // nil without
	places    int32
	parts     [dimensionCount]partName
	currency  ref
	word      ref // the status, where it is unmapped
	state     ticketState

	counts        bool // neither a test nor deleted nor absurd
	absurd        bool
	priced        bool
	complimentary bool
	admits        bool
	scansReported bool // with the ticket
	firstSeenVoid bool // cancelled is when a version first said so, for want of better
}

// scan is one that let somebody through and was not undone.
type scan struct {
	at   stamp
	gate ref
	exit bool
}

// ticketOf reads a record. It makes the event and the order known to the ledger.
func (l *Ledger) ticketOf(r *record.Ticket, revision int64) ticket {
	t := ticket{
		revision: revision,
		event:    l.account(r.EventID),
		order:    l.order(r.OrderID),
		parts: [dimensionCount]partName{
			ByTicketType: {l.names.ref(r.Type.ID), l.names.ref(r.Type.Name)},
			ByChannel:    {name: l.names.ref(r.Channel)},
		},
		complimentary: r.Complimentary,
		admits:        r.Admits == nil || *r.Admits,
		scansReported: r.Scans != nil,
	}
	places := r.Places()
	t.absurd = places < 0 || places > mostPlaces
	if m := r.Price; m != nil && (m.Currency != "" || m.Amount == 0) {
		t.priced, t.price, t.currency = true, m.Amount, l.names.ref(m.Currency)
		t.absurd = t.absurd || m.Amount < 0 || m.Amount > mostPrice
	}
	t.counts = !r.Test && !r.Deleted && !t.absurd
	t.absurd = t.absurd && !r.Test && !r.Deleted
	if !t.absurd {
		t.places = int32(min(max(places, 0), mostPlaces))
	}
	switch r.Status {
	case record.TicketReserved:
		t.state = ticketReserved
	case record.TicketValid:
		t.state = ticketSold
	case record.TicketRefunded:
		t.state = ticketCancelled
	case record.TicketVoid:
		if !r.SoldAt.IsZero() {
			t.state = ticketCancelled
		}
	case record.TicketExpired:
	default:
		t.state, t.word = ticketUnmapped, l.names.ref(string(r.Status))
	}
	if t.state == ticketSold || t.state == ticketCancelled {
		t.sold = firstOf(r.SoldAt, r.CreatedAt)
	}
	if t.state == ticketCancelled {
		t.cancelled = stampOf(r.CancelledAt)
		if t.firstSeenVoid = t.cancelled == 0; t.firstSeenVoid {
			t.cancelled = l.voids[r.ID]
		}
	}
	for _, s := range r.Scans {
		if s, through := l.scanOf(s); through {
			t.scans = append(t.scans, s)
		}
	}
	return t
}

// same says that two readings of a ticket make the same figures.
func (t *ticket) same(o *ticket) bool {
	return t.sameSale(o) && t.scansReported == o.scansReported && slices.Equal(t.scans, o.scans)
}

// sameSale says that they differ in nothing but their scans.
func (t *ticket) sameSale(o *ticket) bool {
	return t.sold == o.sold && t.cancelled == o.cancelled && t.event == o.event && t.places == o.places &&
		t.parts == o.parts && t.word == o.word && t.absurd == o.absurd &&
		t.complimentary == o.complimentary && t.admits == o.admits && t.priced == o.priced &&
		t.state == o.state && t.firstSeenVoid == o.firstSeenVoid && t.sameShare(o)
}

// sameShare says that two readings have the same part in the splitting of payments.
func (t *ticket) sameShare(o *ticket) bool {
	return t.order == o.order && t.counts == o.counts && t.share() == o.share()
}

func (t *ticket) share() share {
	return share{
		event: t.event, currency: t.currency, sold: t.state == ticketSold || t.state == ticketCancelled,
		gross: t.gross(), tickets: 1,
	}
}

func (t *ticket) gross() int64 { return t.price * int64(t.places) }

// admitting is the number of places that count as places.
func (t *ticket) admitting() int {
	if !t.admits {
		return 0
	}
	return int(t.places)
}

// booked is what a sale of the ticket books.
func (t *ticket) booked() amount { return amount{t.gross(), t.currency, Booked} }

// movement is what moves on the day on which the ticket was sold (n = 1) or cancelled (n = −1).
func (t *ticket) movement(n int) movement {
	return movement{n * t.admitting(), t.booked().times(n)}
}

// applyTicket puts a ticket in the place of what was held of it.
func (l *Ledger) applyTicket(r *record.Ticket, v record.Version) {
	held, known := l.tickets[r.ID]
	if void := stampOf(record.Memory{}.With(v).Void); void != 0 && l.seenVoid(r.ID, void) && known && held.firstSeenVoid {
		next := *held
		next.cancelled = void
		l.resell(r.ID, held, next)
	}
	if known && !newest(v, held.revision) || !v.Head {
		return
	}
	next := l.ticketOf(r, v.Revision)
	if !known {
		held = &ticket{event: next.event}
		l.ticketArrives(r.ID, held)
	}
	if held.same(&next) {
		held.revision = next.revision
		return
	}
	l.postScans(r.ID, held, -1)
	if held.sameSale(&next) {
		*held = next
	} else {
		l.resell(r.ID, held, next)
	}
	l.postScans(r.ID, held, 1)
}

// seenVoid takes in that a ticket was void at a time, and says whether that is the first.
func (l *Ledger) seenVoid(id string, at stamp) bool {
	if first, seen := l.voids[id]; seen && first <= at {
		return false
	}
	l.voids[id] = at
	return true
}

// resell puts another sale in the place of what was held, and splits anew what is split
// by the ticket.
func (l *Ledger) resell(id string, held *ticket, next ticket) {
	var split []*paymentGroup
	if !held.sameShare(&next) {
		split = l.splitBy(id, held.order, next.order)
	}
	l.postSale(id, held, -1)
	*held = next
	l.postSale(id, held, 1)
	for _, g := range split {
		l.repost(g)
	}
}

// splitBy returns the groups of payments that a ticket has a part in splitting.
func (l *Ledger) splitBy(id string, orders ...*order) []*paymentGroup {
	var groups []*paymentGroup
	add := func(payments []*payment) {
		for _, p := range payments {
			if !slices.Contains(groups, p.group) {
				groups = append(groups, p.group)
			}
		}
	}
	for _, o := range orders {
		if o != nil {
			add(o.payments)
		}
	}
	add(l.naming[id])
	return groups
}

// postSale puts a ticket's contribution in (n = 1) or takes it out (n = −1): all but
// its scans.
func (l *Ledger) postSale(id string, t *ticket, n int) {
	if t.absurd {
		l.diagnose(diagnosis{CodeAbsurd, record.KindTicket, "price or quantity out of range"}, id, n)
	}
	if !t.counts {
		return
	}
	l.share(t, n)
	l.referTicket(t, n)
	if t.state == ticketUnmapped {
		l.diagnose(diagnosis{CodeUnknownStatus, record.KindTicket, l.names.text(t.word)}, id, n)
	}
	t.event.count(t, n)
	l.postTicket(t, n)
}

// postScans puts what is known of a ticket's scans in (n = 1) or takes it out (n = −1).
func (l *Ledger) postScans(id string, t *ticket, n int) {
	if !t.counts {
		return
	}
	scans, known := l.scansOf(id, t)
	if known {
		l.scansReported += n
	}
	if t.admits && t.state != ticketUnmapped {
		l.touch(t.event)
		t.event.admit(t, scans, known, n)
	}
}
