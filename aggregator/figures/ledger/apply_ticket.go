package ledger

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/diagnoses"
	"housecount/apiclient/record"
)

// applyTicket stores a ticket in place of its previous version, and adds the version to the trail of its event,
// and of the event that the ticket leaves.
func (l *Ledger) applyTicket(r *record.Ticket, v *record.Version) {
	held, known := l.ticket(r.ID)
	o := held.order
	if o == nil || l.orders.ID(int(held.row.order)-1) != r.OrderID { // most tickets stay in their order
		o = l.orders.Get(r.OrderID)
	}
	e := held.event
	if !known || e.id != r.EventID {
		e = l.account(r.EventID)
	}
	leads := !known || held.event != e || o != nil && !(held.counts && held.order == o) && !holds(l.rowsOf(o), e.number)
	first := l.exchanges.First[r.ID]
	if known && held.event != e {
		held.event.trail.Add(v.Revision)
	}
	l.replaceTicket(r, v, &held, e, o)
	e.trail.Add(v.Revision)
	l.followExchanged(r.ID, v.Revision, leads || l.exchanges.First[r.ID] != first)
	if leads {
		l.followTicket(r, e, o)
	}
}

// replaceTicket replaces what is held of a ticket, in no row if nothing is, by a record. o is the ticket's order, nil if
// the ledger does not know the order yet.
func (l *Ledger) replaceTicket(r *record.Ticket, v *record.Version, held *ticket, e *eventAccount, o *order) {
	known := held.row != nil
	if l.seenVoid(r.ID, held, record.Memory{}.With(v)) && known && held.firstSeenVoid {
		next := *held
		next.cancelled = l.voidedAt(r.ID, held)
		l.resell(r.ID, held, next, l.exchanges.First[r.ID])
	}
	if known && !newest(v, held.revision) || !v.Head {
		return
	}
	next := l.ticketOf(r, e, o, v.Revision)
	l.hear(next.buyer, v)
	if !known {
		*held = ticket{event: next.event, terms: next.terms, stood: l.stood[r.ID]}
		l.ticketArrives(r.ID, held)
		delete(l.stood, r.ID)
	}
	if next.stood = held.stood; next.firstSeenVoid {
		next.cancelled = cmp.Or(l.voids[r.ID].at(next.stood), next.sold)
	}
	first := r.Replaces
	if first == r.ID {
		first = ""
	}
	exchanged := l.exchanges.First[r.ID] != first
	if held.same(&next) && !exchanged {
		held.row.revision = next.revision
		return
	}
	replaced := l.exchanges.Before(r.ID, l.exchanges.First[r.ID], first)
	l.rescan(replaced, -1)
	l.postScans(r.ID, held, -1)
	if held.sameSale(&next) && !exchanged {
		l.hold(&next, held.row)
		*held = next
	} else {
		l.resell(r.ID, held, next, first)
	}
	l.postScans(r.ID, held, 1)
	l.rescan(replaced, 1)
}

// voidTimes are when versions of a ticket that give no time of the cancellation were first void, 0 for never: see
// record.Memory.
type voidTimes struct{ void, read figures.Stamp }

// at returns when the ticket was voided, as far as its versions show it, of which one was first read that was not void at
// stood; 0 if it was void already when the service was first read, at a time that it does not give.
func (t voidTimes) at(stood figures.Stamp) figures.Stamp {
	if t.read == 0 || t.void != 0 && t.void <= t.read {
		return t.void
	}
	if stood != 0 && stood < t.read {
		return t.read
	}
	return 0
}

// voidedAt returns the time of the cancellation of a held ticket of which the service gives none.
func (l *Ledger) voidedAt(id string, held *ticket) figures.Stamp {
	return cmp.Or(l.voids[id].at(held.stood), held.sold)
}

// seenVoid stores when versions of a ticket, held or not, were void and when they were not, and reports whether that changes
// the time at which it was voided.
func (l *Ledger) seenVoid(id string, held *ticket, m record.Memory) bool {
	was, stood := l.voids[id], l.stood[id]
	if held.row != nil {
		stood = held.stood
	}
	next, stands := voidTimes{earlier(was.void, m.Void), earlier(was.read, m.VoidRead)}, earlier(stood, m.Standing)
	if next != was {
		l.voids[strings.Clone(id)] = next // the id is a part of a row
	}
	switch {
	case stands == stood:
	case held.row != nil:
		held.stood, held.row.stood = stands, stands
	default:
		l.stood[strings.Clone(id)] = stands
	}
	return next.at(stands) != was.at(stood)
}

// earlier returns the earlier of two times, of which either may be none.
func earlier(a figures.Stamp, b time.Time) figures.Stamp {
	at := figures.StampOf(b)
	if a == 0 || at != 0 && at < a {
		return at
	}
	return a
}

// resell replaces a held ticket by its next version, which replaces the ticket first, and splits again every
// payment that the ticket has a part in splitting.
func (l *Ledger) resell(id string, held *ticket, next ticket, first string) {
	l.linkExchanges(id, -1)
	var split []*paymentGroup
	if !held.sameShare(&next) {
		split = l.splitBy(id, held.order, next.order)
	}
	held.staysSold = held.soldAlike(&next)
	next.staysSold = held.staysSold
	l.postSale(id, held, -1)
	l.hold(&next, held.row)
	*held = next
	l.postSale(id, held, 1)
	held.staysSold = false
	l.exchanges.Exchange(id, first)
	l.linkExchanges(id, 1)
	for _, p := range l.naming[id] {
		l.moveOrder(p)
	}
	for _, g := range split {
		l.repost(g)
	}
}

// splitBy returns the groups of payments that a ticket has a part in splitting.
func (l *Ledger) splitBy(id string, orders ...*order) []*paymentGroup {
	var groups []*paymentGroup
	l.gathered++
	add := func(p *payment) {
		if g := l.groupOf(p); g.gathered != l.gathered {
			g.gathered = l.gathered
			groups = append(groups, g)
		}
	}
	for _, o := range orders {
		if o != nil {
			for _, number := range l.paymentsOf(o) {
				p := l.paymentAt(number)
				add(p)
			}
		}
	}
	for _, p := range l.naming[id] {
		add(p)
	}
	return groups
}

// postSale adds what a ticket contributes, except its scans (n = 1), or removes it (n = −1).
func (l *Ledger) postSale(id string, t *ticket, n int) {
	if t.absurd {
		l.diagnoses.Add(diagnoses.Oddity{What: diagnoses.Of(figures.CodeAbsurd, record.KindTicket, record.Say("price or quantity out of range")), ID: id}, n)
	}
	if t.gone && t.order != nil {
		l.shareGone(t, n)
	}
	if !t.counts {
		return
	}
	l.countOrders(t, n)
	l.buy(t, n)
	l.referTicket(t, n)
	if t.state == ticketUnmapped {
		l.diagnoses.Add(diagnoses.Oddity{What: diagnoses.NotMapped(record.KindTicket, l.names.Text(t.terms.word)), ID: id}, n)
	}
	l.postPlaces(t, n)
}

// postPlaces adds the places of a ticket and their price (n = 1) or removes them (n = −1).
func (l *Ledger) postPlaces(t *ticket, n int) {
	if t.counts {
		t.event.count(t, n)
		if t.state == ticketSold && t.sold != 0 {
			t.event.soldOn.Add(l.days.DayOf(t.sold), t.terms.channel, n*t.admitting(), t.money(n)[0])
		}
		l.postTicket(t, n)
	}
}

// postScans adds the scans of a ticket (n = 1) or removes them (n = −1).
func (l *Ledger) postScans(id string, t *ticket, n int) {
	if !t.counts {
		return
	}
	scans, known := l.scansOf(id, t)
	if known {
		l.scansReported += n
	}
	if t.terms.admits && t.places >= 0 { // nobody comes with a return
		l.touch(t.event)
		var moved []movedOn
		if len(scans) > 0 && len(l.exchanges.Next[id]) > 0 {
			moved = l.movedOn(id, t, scans[len(scans)-1].at)
		}
		t.event.admit(t, scans, known, moved, n)
	}
}

// ticketOf converts a record of an event. If o is nil it looks up the order, and creates it if needed. The scans
// of the result are valid until the next call.
func (l *Ledger) ticketOf(r *record.Ticket, e *eventAccount, o *order, revision int64) ticket {
	if o == nil {
		o = l.order(r.OrderID)
	}
	t := ticket{revision: revision, event: e, order: o, buyer: l.contact(r.ContactID)}
	t.scansReported = r.Scans != nil
	t.terms = l.termsOf(r, t.event)
	places := r.Places()
	t.absurd = places < -mostPlaces || places > mostPlaces || t.terms.absurd()
	t.counts = !r.Test && !r.Deleted && !t.absurd
	t.gone = r.Deleted && !r.Test && !t.absurd && r.EventID != ""
	t.absurd = t.absurd && !r.Test && !r.Deleted
	if !t.absurd {
		t.places = int32(places)
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
		t.state = ticketUnmapped
	}
	if r.Kind != "" && unmappedExtra(r.Kind) {
		t.state = ticketUnmapped
	}
	if t.state == ticketSold || t.state == ticketCancelled {
		t.at = figures.FirstStamp(r.SoldAt, r.CreatedAt)
	} else {
		t.at = figures.FirstStamp(r.CreatedAt, r.SoldAt)
	}
	t.date(l.days)
	if t.state == ticketCancelled {
		t.cancelled = figures.StampOf(r.CancelledAt)
		t.firstSeenVoid = t.cancelled == 0
	}
	t.scans = l.scanned[:0]
	for _, s := range r.Scans {
		read, through := l.scanOf(s)
		if through {
			t.scans = append(t.scans, read)
		} else if s.Direction != record.Entry && s.Direction != record.Exit {
			t.strayScan = true
		}
	}
	l.scanned = t.scans
	return t
}

// scanOf converts a scan. through is true if somebody was let in or out, and the scan was not undone.
func (l *Ledger) scanOf(s record.Scan) (read scan, through bool) {
	passed := s.Result == "" || s.Result == "ok"
	known := s.Direction == record.Entry || s.Direction == record.Exit
	return scan{figures.StampOf(s.At), l.names.Ref(s.Gate), s.Direction == record.Exit}, passed && known && !s.Undone
}

// scansOf returns a ticket's own scans and its listed scans by time; a scan that came both ways is returned once.
// known is true if the ticket's scans were reported at all.
func (l *Ledger) scansOf(id string, t *ticket) (scans []scan, known bool) {
	listed := l.byTicket[id]
	if len(listed) == 0 {
		return t.scans, t.scansReported
	}
	listed = slices.SortedFunc(slices.Values(listed), func(a, b *listedScan) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id))
	})
	scans = slices.Clone(t.scans)
	seen := make(map[scan]bool, len(scans)+len(listed))
	for _, s := range scans {
		seen[s] = true
	}
	for _, p := range listed {
		if p.through && !seen[p.scan] {
			seen[p.scan] = true
			scans = append(scans, p.scan)
		}
	}
	slices.SortStableFunc(scans, func(a, b scan) int { return cmp.Compare(a.at, b.at) })
	return scans, true
}
