package figures

import (
	"slices"

	"housecount/apiclient/record"
)

// order is what the ledger holds of an order: by which shares its payments are split, and which
// of its tickets are paid for.
type order struct {
	rows     []orderRow
	payments []*payment // those that name it, or one of its tickets and no order
}

// orderRow sums the tickets of an order that differ in nothing but the number.
type orderRow struct {
	event   *eventAccount
	terms   *terms
	tickets [holdingCount]int32
	places  [holdingCount]int32
}

// holding is what an order holds its tickets as.
type holding uint8

const (
	notSold   holding = iota // reserved, expired or unmapped
	takenBack                // was sold, is void or refunded
	standing                 // sold
	holdingCount
)

// add puts a ticket in (n = 1) or takes it out (n = −1).
func (o *order) add(t *ticket, n int32) {
	i := slices.IndexFunc(o.rows, func(row orderRow) bool { return row.event == t.event && row.terms == t.terms })
	if i < 0 {
		i = len(o.rows)
		o.rows = append(o.rows, orderRow{event: t.event, terms: t.terms})
	}
	row, h := &o.rows[i], t.holding()
	row.tickets[h] += n
	row.places[h] += n * t.places
	if row.tickets == [holdingCount]int32{} {
		o.rows = slices.Delete(o.rows, i, i+1)
	}
}

// shares are the parts of the order's tickets in the splitting of its payments.
func (o *order) shares() []share {
	shares := make([]share, 0, len(o.rows)+1)
	for i := range o.rows {
		row := &o.rows[i]
		add := func(sold bool, tickets, places int32) {
			if tickets != 0 {
				shares = append(shares, share{row.event, row.terms.price.currency, sold, row.terms.due(places), int(tickets)})
			}
		}
		add(false, row.tickets[notSold], row.places[notSold])
		add(true, row.tickets[takenBack]+row.tickets[standing], row.places[takenBack]+row.places[standing])
	}
	return shares
}

// paid says that money for the order's tickets of an event came in. What went back of it since
// makes no ticket unpaid.
func (o *order) paid(e *eventAccount) bool {
	return slices.ContainsFunc(o.payments, func(p *payment) bool {
		return p.kind == record.KindOfPayment && p.counts && p.settled() && (p.event == nil || p.event == e)
	})
}

// orderPosting is a part of what an order comes to: places of an event, sold on some terms, that
// nobody has paid for yet.
type orderPosting struct {
	event  *eventAccount
	terms  *terms
	unpaid int
}

// postings are what the order comes to: a pure function of its tickets and payments.
func (o *order) postings() (all []orderPosting) {
	for i := range o.rows {
		row := &o.rows[i]
		if places := row.terms.admitting(row.places[standing]); places != 0 && row.terms.costs() && !o.paid(row.event) {
			all = append(all, orderPosting{row.event, row.terms, places})
		}
	}
	return all
}

// changingOrder is an order with what it came to before an Apply.
type changingOrder struct {
	*order
	before []orderPosting
}

// change is called before anything changes that an order's postings are computed from. They are
// posted anew at the end of the Apply.
func (l *Ledger) change(o *order) {
	if o != nil && !slices.ContainsFunc(l.changing, func(c changingOrder) bool { return c.order == o }) {
		l.changing = append(l.changing, changingOrder{o, o.postings()})
	}
}

// repostOrders posts what the orders that change come to now in the place of what they came to.
func (l *Ledger) repostOrders() {
	for _, c := range l.changing {
		after := c.postings()
		for _, p := range c.before {
			if !slices.Contains(after, p) {
				l.postOrder(p, -1)
			}
		}
		for _, p := range after {
			if !slices.Contains(c.before, p) {
				l.postOrder(p, 1)
			}
		}
	}
	clear(l.changing)
	l.changing = l.changing[:0]
}

// postOrder puts a posting in (n = 1) or takes it out (n = −1).
func (l *Ledger) postOrder(p orderPosting, n int) {
	l.touch(p.event)
	p.event.countUnpaid(p.terms, n*p.unpaid)
}

// orderOf is the order that a payment belongs to: the one that it names (own), or else that of
// the first of its tickets that has one.
func (l *Ledger) orderOf(own *order, tickets []string) *order {
	if own != nil {
		return own
	}
	for _, id := range tickets {
		if t := l.tickets[id]; t != nil && t.counts && t.order != nil {
			return t.order
		}
	}
	return nil
}

// moveOrder has a payment that names no order belong to that of its tickets, after one of those
// has changed.
func (l *Ledger) moveOrder(p *payment) {
	if p.ownOrder {
		return
	}
	if next := l.orderOf(nil, p.tickets); next != p.order {
		l.leaveOrder(p)
		p.order = next
		l.enterOrder(p)
	}
}

// enterOrder enters a payment in its order.
func (l *Ledger) enterOrder(p *payment) {
	if p.order != nil {
		l.change(p.order)
		p.order.payments = append(p.order.payments, p)
	}
}

// leaveOrder takes it out again.
func (l *Ledger) leaveOrder(p *payment) {
	if p.order != nil {
		l.change(p.order)
		p.order.payments = without(p.order.payments, p)
	}
}
