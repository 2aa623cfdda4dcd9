package figures

import (
	"math"
	"slices"
)

// noDay is the day of what is on none.
const noDay dayNumber = math.MaxInt32

// orderPosting is a part of what an order comes to: either places of an event, sold on some terms,
// that nobody has paid for, or an amount of an event on the day on which the order was placed. The day of the former is that on which
// their tickets were made.
type orderPosting struct {
	event  *eventAccount
	terms  *terms
	unpaid int
	day    dayNumber
	amount
}

// appendItems appends the amounts of an order, by event, currency and measure: what its tickets that stand
// are booked for with their fees, what was received for it net, and the difference, its open item.
// Whether that is to be paid or to be paid back is decided by the order as a whole, in each
// currency: what one of its events is short of and another has too much of is not owed.
func appendItems(list []orderPosting, rows []orderRow, money []posting, day dayNumber) []orderPosting {
	first := len(list)
	type key struct {
		event    *eventAccount
		measure  Measure
		currency ref
	}
	at := map[key]int{} // in list
	add := func(e *eventAccount, a amount) {
		k := key{e, a.measure, a.currency}
		i, known := at[k]
		if !known {
			i = len(list)
			at[k] = i
			list = append(list, orderPosting{event: e, day: day, amount: amount{0, a.currency, a.measure}})
		}
		list[i].value += a.value
	}
	for i := range rows {
		for _, a := range rows[i].terms.money(int64(rows[i].places[standing])) {
			if a.value != 0 && a.measure != VAT {
				add(rows[i].event, a)
			}
		}
	}
	for _, m := range money {
		if !m.unmapped && m.measure != RefundsPending {
			add(m.event, m.amount)
		}
	}
	amounts := list[first:]
	owed := map[ref]int64{} // by the order, by currency
	for _, p := range amounts {
		owed[p.currency] += p.open()
	}
	for _, p := range amounts {
		if due := p.open(); owed[p.currency] < 0 {
			add(p.event, amount{-due, p.currency, ToBePaidBack})
		} else {
			add(p.event, amount{due, p.currency, ToBePaid})
		}
	}
	return slices.DeleteFunc(list, func(p orderPosting) bool { return p.terms == nil && p.value == 0 })
}

// open is what the amount adds to its order's open item: what is to be paid, less what was.
func (a amount) open() int64 {
	if a.measure == Received {
		return -a.value
	}
	return a.value
}

// postOrder puts a posting in (n = 1) or takes it out (n = −1).
func (l *Ledger) postOrder(p orderPosting, n int) {
	e := p.event
	l.touch(e)
	if p.unpaid != 0 {
		e.countUnpaid(p.terms, n*p.unpaid)
		return
	}
	e.used = true
	e.postOrder(p, n)
	if e.unattributed() {
		l.unattributed.postOrder(p, n)
	}
	if e.inTotal {
		l.total.postOrder(p, n)
	}
}

// postOrder puts an amount of an order in (n = 1) or takes it out (n = −1).
func (a *accountByDay) postOrder(p orderPosting, n int) {
	open := 0
	if p.measure == ToBePaid || p.measure == ToBePaidBack {
		open = n
		a.amounts.add(p.amount.times(n))
	}
	if p.day != noDay {
		row := a.orders.row(p.day)
		row.open += open
		row.amounts.add(p.amount.times(n))
	}
}

// postLooseTicket puts a ticket that names no order in (n = 1) or takes it out (n = −1): as an order
// of its own, that nobody has paid.
func (l *Ledger) postLooseTicket(t *ticket, n int) {
	if t.holding() != standing {
		return
	}
	row := orderRow{event: t.event, terms: t.terms}
	row.places[standing] = t.places
	l.postLoose(appendItems(nil, []orderRow{row}, nil, t.made), n)
}

// postLooseMoney does so with what was posted of payments that name no order.
func (l *Ledger) postLooseMoney(posted []posting, n int) {
	var loose []posting
	day := noDay
	for _, p := range posted {
		if p.order == nil {
			loose = append(loose, p)
			if p.at != 0 {
				day = min(day, l.days.dayOf(p.at))
			}
		}
	}
	if loose != nil {
		l.postLoose(appendItems(nil, nil, loose, day), n)
	}
}

func (l *Ledger) postLoose(items []orderPosting, n int) {
	for _, p := range items {
		l.postOrder(p, n)
		if p.measure == ToBePaid || p.measure == ToBePaidBack {
			p.event.looseItems += n
			if p.event.unattributed() {
				l.unattributed.looseItems += n
			}
			if p.event.inTotal {
				l.total.looseItems += n
			}
		}
	}
}

// orderDays holds what orders come to by the day on which they were placed, ascending.
type orderDays struct {
	rows      []*orderDayRow
	changed   bool
	published []*OrderDay
}

type orderDayRow struct {
	amounts
	number    dayNumber
	open      int
	changed   bool
	published *OrderDay // nil where nothing is left
}

// row is the row of a day, to be changed.
func (d *orderDays) row(n dayNumber) *orderDayRow {
	i, found := slices.BinarySearchFunc(d.rows, n, func(r *orderDayRow, n dayNumber) int { return int(r.number) - int(n) })
	if !found {
		d.rows = slices.Insert(d.rows, i, &orderDayRow{number: n})
	}
	d.changed, d.rows[i].changed = true, true
	return d.rows[i]
}

// addAll adds others n times.
func (d *orderDays) addAll(o *orderDays, n int) {
	for _, r := range o.rows {
		row := d.row(r.number)
		row.open += n * r.open
		row.amounts.addAll(r.amounts, n)
	}
}

// publish returns the days on which orders were placed of which something is left; those that did
// not change since the last call are the same.
func (d *orderDays) publish(n *names) []*OrderDay {
	if !d.changed {
		return d.published
	}
	d.changed, d.published = false, nil
	for _, r := range d.rows {
		if r.changed {
			r.changed, r.published = false, nil
			if sums := r.amounts.publish(n); r.open != 0 || sums.rows != nil {
				r.published = &OrderDay{r.number.day(), r.open, sums}
			}
		}
		if r.published != nil {
			d.published = append(d.published, r.published)
		}
	}
	return d.published
}
