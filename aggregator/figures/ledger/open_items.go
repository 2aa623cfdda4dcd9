package ledger

import (
	"cmp"
	"math"
	"slices"

	"housecount/aggregator/figures"
)

// noDay is the day of what is on none.
const noDay figures.DayNumber = math.MaxInt32

// orderPosting is one posting of an order: unpaid places of an event, sold on the same terms, on a day; or
// an amount of an event on the day on which the order was placed; or, on that day, that the order is open.
// The last is posted to an event, or to the total if event is nil.
type orderPosting struct {
	event  *eventAccount
	terms  *terms
	unpaid int
	day    figures.DayNumber
	opens  bool
	amount
}

// itemizer computes the open items of orders. It reuses its lists.
type itemizer struct {
	dues, items []item
	weights     []weight
}

// appendItems appends the amounts of an order, by event, currency and measure: what its tickets that stand
// are booked for with their fees, what was received for it net, and the difference, its open item. It counts the places
// whose price or fee is not known.
// Whether that is to be paid or to be paid back is decided by the order as a whole, in each
// currency: what one of its events is short of and another has too much of is not owed. What is owed
// is split over the events that are short of it, or have too much. What belongs to test events is
// decided apart, as if it were another order: nothing of it is in the total.
func (z *itemizer) appendItems(list []orderPosting, rows []orderRow, money []posting, day figures.DayNumber) []orderPosting {
	first := len(list)
	type key struct {
		event    *eventAccount
		measure  figures.Measure
		currency ref
	}
	keyOf := func(p *orderPosting) key { return key{p.event, p.measure, p.currency} }
	var at map[key]int // in list, made once that is long
	add := func(e *eventAccount, a amount) {
		k := key{e, a.measure, a.currency}
		i, known := at[k]
		if at == nil {
			i = first
			for i < len(list) && keyOf(&list[i]) != k {
				i++
			}
			known = i < len(list)
		}
		if !known {
			i = len(list)
			list = append(list, orderPosting{event: e, day: day, amount: amount{0, a.currency, a.measure}})
			if at != nil {
				at[k] = i
			} else if len(list)-first > 16 {
				at = map[key]int{}
				for j := first; j < len(list); j++ {
					at[keyOf(&list[j])] = j
				}
			}
		}
		list[i].value += a.value
	}
	for _, row := range rows {
		if row.holding != standing {
			continue
		}
		for _, a := range row.terms.money(int64(row.places)) {
			if a.value != 0 && a.measure != figures.VAT {
				add(row.event, a)
			}
		}
	}
	for _, m := range money {
		if !m.unmapped && m.measure != figures.RefundsPending {
			add(m.event, m.amount)
		}
	}
	items := z.itemsOf(list[first:])
	for _, i := range items {
		if i.owed < 0 {
			add(i.event, amount{-i.owed, i.currency, figures.ToBePaidBack})
		} else {
			add(i.event, amount{i.owed, i.currency, figures.ToBePaid})
		}
	}
	for _, row := range rows {
		if row.holding == standing {
			add(row.event, amount{int64(row.terms.unpriced(int(row.places))), 0, figures.UnpricedMoved})
			add(row.event, amount{int64(row.terms.feeless(int(row.places))), 0, figures.FeelessMoved})
		}
	}
	list = list[:first+len(slices.DeleteFunc(list[first:], func(p orderPosting) bool { return p.value == 0 }))]
	inTotal := false
	for n, i := range items {
		if n == 0 || items[n-1].event != i.event {
			list = append(list, orderPosting{event: i.event, day: day, opens: true})
		}
		inTotal = inTotal || !i.event.test()
	}
	if inTotal {
		list = append(list, orderPosting{day: day, opens: true})
	}
	return list
}

// item is an open item: what an order owes for an event in a currency, below 0 if it is owed.
type item struct {
	event    *eventAccount
	currency ref
	owed     int64
}

// itemsOf returns the open items that the amounts of an order leave, sorted by the events' ids; none is 0.
// They stay until it is called again.
func (z *itemizer) itemsOf(amounts []orderPosting) []item {
	z.items = z.items[:0]
	if it, one := oneItem(amounts); one {
		if it.owed != 0 {
			z.items = append(z.items, it)
		}
		return z.items
	}
	// By currency, tests apart, and in each by the events' ids.
	z.dues = z.dues[:0]
	for _, p := range amounts {
		z.dues = append(z.dues, item{p.event, p.currency, p.open()})
	}
	slices.SortFunc(z.dues, func(a, b item) int {
		if a.event != b.event {
			return cmp.Or(cmp.Compare(a.currency, b.currency), compareBools(a.event.test(), b.event.test()), cmp.Compare(a.event.id, b.event.id))
		}
		return cmp.Compare(a.currency, b.currency)
	})
	for dues := z.dues; len(dues) > 0; {
		n, owed := 0, int64(0)
		for _, d := range dues {
			if d.currency != dues[0].currency || d.event.test() != dues[0].event.test() {
				break
			}
			n, owed = n+1, owed+d.owed
		}
		z.weights = z.weights[:0] // of those that have the sign of what is owed
		for group := dues[:n]; len(group) > 0; {
			first, due := group[0], int64(0)
			for len(group) > 0 && group[0].event == first.event {
				due, group = due+group[0].owed, group[1:]
			}
			if owed > 0 && due > 0 || owed < 0 && due < 0 {
				z.weights = append(z.weights, weight{first.event, uint64(max(due, -due))})
			}
		}
		if len(z.weights) > 0 {
			for i, part := range split(owed, z.weights) {
				if part != 0 {
					z.items = append(z.items, item{z.weights[i].event, dues[0].currency, part})
				}
			}
		}
		dues = dues[n:]
	}
	slices.SortStableFunc(z.items, func(a, b item) int { return cmp.Compare(a.event.id, b.event.id) })
	return z.items
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// oneItem returns the open item of amounts that are all of one event and one currency, as most orders'
// are.
func oneItem(amounts []orderPosting) (it item, one bool) {
	for i, p := range amounts {
		if i == 0 {
			it.event, it.currency = p.event, p.currency
		} else if p.event != it.event || p.currency != it.currency {
			return item{}, false
		}
		it.owed += p.open()
	}
	return it, true
}

// open returns what the amount adds to its order's open item: what is to be paid, less what was.
func (a amount) open() int64 {
	switch a.measure {
	case figures.Received, figures.Reversed:
		return -a.value
	}
	return a.value
}

// postOrder adds (n = 1) or removes (n = −1) the postings of an order.
func (l *Ledger) postOrder(list []orderPosting, n int) {
	for i := range list {
		p := &list[i]
		e := p.event
		if p.opens {
			l.postOpen(p, n)
			continue
		}
		l.touch(e)
		if p.unpaid != 0 {
			e.countUnpaid(p.terms, n*p.unpaid)
			continue
		}
		e.used = true
		e.postOrder(&l.names, p, n)
		if e.unattributed() {
			l.unattributed.postOrder(&l.names, p, n)
		}
		if e.inTotal {
			l.total.postOrder(&l.names, p, n)
		}
	}
}

// postOpen counts an order that is open, or takes it out. One whose day is not known is not counted.
func (l *Ledger) postOpen(p *orderPosting, n int) {
	a := &l.total
	if p.event != nil {
		l.touch(p.event)
		a = &p.event.accountByDay
	}
	if p.day != noDay {
		a.orders.span(p.day).count(int32(p.day), figures.OrdersOpen, n)
	}
}

// postOrder puts an amount of an order in (n = 1) or takes it out (n = −1).
func (a *accountByDay) postOrder(names *names, p *orderPosting, n int) {
	if p.measure == figures.ToBePaid || p.measure == figures.ToBePaidBack {
		a.amounts.add(p.amount.times(n))
	}
	if p.day != noDay {
		a.orders.span(p.day).add(int32(p.day), p.amount.times(n), names)
	}
}

// postOrderlessTicket puts a ticket that names no order in (n = 1) or takes it out (n = −1): as an order
// of its own, that nobody has paid.
func (l *Ledger) postOrderlessTicket(t *ticket, n int) {
	if t.holding() != standing {
		return
	}
	row := orderRow{orderRowKey: orderRowKey{event: t.event, terms: t.terms, holding: standing}, places: t.places}
	l.postOrderless(l.itemizer.appendItems(nil, []orderRow{row}, nil, t.made), n)
}

// postOrderlessMoney does so with what was posted of payments that name no order: one of the day on which
// money first moved.
func (l *Ledger) postOrderlessMoney(posted []posting, n int) {
	var unassigned []posting
	day := noDay
	for _, p := range posted {
		if p.order == nil {
			unassigned = append(unassigned, p)
			if p.at != 0 && p.measure != figures.RefundsPending {
				day = min(day, l.days.dayOf(p.at))
			}
		}
	}
	if unassigned != nil {
		l.postOrderless(l.itemizer.appendItems(nil, nil, unassigned, day), n)
	}
}

func (l *Ledger) postOrderless(items []orderPosting, n int) {
	l.postOrder(items, n)
	for _, p := range items {
		if !p.opens && (p.measure == figures.ToBePaid || p.measure == figures.ToBePaidBack) {
			p.event.orderlessItems += n
			if p.event.unattributed() {
				l.unattributed.orderlessItems += n
			}
			if p.event.inTotal {
				l.total.orderlessItems += n
			}
		}
	}
}
