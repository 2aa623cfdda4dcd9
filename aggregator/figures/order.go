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
	changing bool       // in this Apply
}

// orderRow sums the tickets of an order that differ in nothing but the number.
type orderRow struct {
	event   *eventAccount
	terms   *terms
	made    dayNumber // when the tickets were made; noDay where that is not known
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
	i := slices.IndexFunc(o.rows, func(row orderRow) bool { return row.event == t.event && row.terms == t.terms && row.made == t.made })
	if i < 0 {
		i = len(o.rows)
		o.rows = append(o.rows, orderRow{event: t.event, terms: t.terms, made: t.made})
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

// receipts say for which events of an order money for its tickets came in. What went back of it
// since makes no ticket unpaid.
type receipts struct {
	all    bool
	events map[*eventAccount]bool
}

func (o *order) receipts() receipts {
	var r receipts
	for _, p := range o.payments {
		if p.kind != record.KindOfPayment || !p.counts || !p.settled() {
			continue
		}
		if p.event == nil {
			r.all = true
		} else if !r.events[p.event] {
			if r.events == nil {
				r.events = map[*eventAccount]bool{}
			}
			r.events[p.event] = true
		}
	}
	return r
}

// appendPostings appends what an order comes to: a pure function of its tickets and payments. It
// takes time in proportion to those and to what was posted of the payments.
func (l *Ledger) appendPostings(all []orderPosting, o *order) []orderPosting {
	paid := o.receipts()
	for i := range o.rows {
		row := &o.rows[i]
		places := row.terms.admitting(row.places[standing])
		if places != 0 && row.terms.costs() && !paid.all && !paid.events[row.event] {
			all = append(all, orderPosting{event: row.event, terms: row.terms, unpaid: places, day: row.made})
		}
	}
	money := l.money[:0]
	l.gathered++
	for _, p := range o.payments {
		if p.group.gathered == l.gathered {
			continue
		}
		p.group.gathered = l.gathered
		for _, m := range p.group.posted {
			if m.order == o {
				money = append(money, m)
			}
		}
	}
	all = appendItems(all, o.rows, money, o.day(l.days))
	clear(money)
	l.money = money[:0]
	return all
}

// day is when the order was placed: the first day of its tickets and payments.
func (o *order) day(c dayCache) dayNumber {
	day := noDay
	for i := range o.rows {
		day = min(day, o.rows[i].made)
	}
	for _, p := range o.payments {
		if p.counts && p.at != 0 {
			day = min(day, c.dayOf(p.at))
		}
	}
	return day
}

// changing are the orders that an Apply changes.
type changing struct {
	orders        []changingOrder
	before, after []orderPosting       // after is of one of them
	money         []posting            // of one of them
	more          map[orderPosting]int // by how much after has more of each than before
	gathered      uint64               // counts the times that the postings of an order's payments were gathered
}

// changingOrder is an order with where its postings from before the Apply end; they begin where
// those of the order before it end.
type changingOrder struct {
	*order
	end int
}

// change is called before anything changes that an order's postings are computed from. They are
// posted anew at the end of the Apply.
func (l *Ledger) change(o *order) {
	if o != nil && !o.changing {
		o.changing = true
		l.before = l.appendPostings(l.before, o)
		l.changing.orders = append(l.changing.orders, changingOrder{o, len(l.before)})
	}
}

// changeOrdersOf is called before an event becomes a test or ceases to be one: its orders change, and
// so does what was posted of the payments without an order that it returns, whose open items it
// takes out. It looks at every order, since an event seldom does.
func (l *Ledger) changeOrdersOf(e *eventAccount) (loose []*paymentGroup) {
	for _, o := range l.orders {
		if slices.ContainsFunc(o.rows, func(r orderRow) bool { return r.event == e }) {
			l.change(o)
		}
	}
	for _, g := range l.groups {
		without := false
		for _, p := range g.posted {
			if p.event == e {
				l.change(p.order)
				without = without || p.order == nil
			}
		}
		if without {
			l.postLooseMoney(g.posted, -1)
			loose = append(loose, g)
		}
	}
	return loose
}

// repostOrders posts what the orders that change come to now in the place of what they came to.
func (l *Ledger) repostOrders() {
	start := 0
	if l.more == nil {
		l.more = map[orderPosting]int{}
	}
	for _, c := range l.changing.orders {
		before := l.before[start:c.end]
		start = c.end
		after := l.appendPostings(l.after[:0], c.order)
		for _, p := range before {
			l.more[p]--
		}
		for _, p := range after {
			l.more[p]++
		}
		for p, n := range l.more {
			if n != 0 {
				l.postOrder(p, n)
			}
		}
		clear(l.more)
		c.changing = false
		clear(after)
		l.after = after[:0]
	}
	clear(l.changing.orders)
	clear(l.before)
	l.changing.orders, l.before = l.changing.orders[:0], l.before[:0]
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
