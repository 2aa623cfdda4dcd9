package ledger

import (
	"cmp"
	"math"
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/sums"
)

// noDay stands for no day.
const noDay figures.DayNumber = math.MaxInt32

// orderPosting is one posting of an order. It is one of three things: unpaid places of an event that were sold on
// the same terms; an amount of an event, on the day on which the order was placed; or that the order is open on
// that day (opens), which is posted to an event, or to the total if event is nil.
type orderPosting struct {
	event  *eventAccount
	terms  *terms
	unpaid int
	day    figures.DayNumber
	opens  bool
	sums.Amount
}

// itemizer computes the open items of orders. It reuses its lists.
type itemizer struct {
	dues, items []item
	weights     []weight
	refunds     []int64 // of weights
	voided      []item  // what the tickets that were taken back cost, less what was exchanged
}

// voidedOf returns what the tickets that were taken back cost in a currency: those of a performance, or of all that are tests
// or are not, as it is.
func (z *itemizer) voidedOf(e *eventAccount, currency sums.Ref, alone bool) (sum int64) {
	for _, v := range z.voided {
		if v.currency == currency && (v.event == e || !alone && v.event.test() == e.test()) {
			sum += v.owed
		}
	}
	return sum
}

// takeBack notes what the tickets of a row cost, which were taken back.
func (l *Ledger) takeBack(row *orderRow) {
	for a := range l.costs(row) {
		l.voided = append(l.voided, item{event: l.numbered[row.event], currency: a.Currency, owed: a.Value})
	}
}

// appendItems appends the amounts of an order by event, currency and measure: the price and fees of its sold
// tickets, the money received less refunds, and the difference, which is its open item, less goodwill: of what is missing as
// much as was paid back beyond what the tickets cost that were taken back, or deleted, and not exchanged. It counts the places
// whose price or fee is not known.
//
// Whether the open item is to be paid or to be paid back is decided for the order as a whole, in each currency:
// what is missing for one event and surplus for another cancels out. The rest is split over the events with that
// sign. Test events are computed separately, as if they were another order, because they are not in the total.
func (l *Ledger) appendItems(list []orderPosting, w *wholeOrder, money []posting, day figures.DayNumber) []orderPosting {
	all := postings{list: list, first: len(list), day: day}
	l.voided = l.voided[:0]
	for i := range w.rows {
		switch row := &w.rows[i]; row.holding {
		case standing:
			for a := range l.costs(row) {
				all.add(l.numbered[row.event], a)
			}
		case takenBack:
			l.takeBack(row)
		}
	}
	for _, row := range l.goneOf(w) {
		if row.holding != notSold {
			l.takeBack(&row)
		}
	}
	l.keepExchanged(w)
	for _, m := range money {
		if !m.unmapped && m.Measure != figures.RefundsPending {
			all.add(l.numbered[m.event], m.Amount)
		}
	}
	items := l.itemsOf(all.list[all.first:])
	for _, i := range items {
		if i.owed < 0 {
			all.add(i.event, sums.Amount{Value: -i.owed, Currency: i.currency, Measure: figures.ToBePaidBack})
		} else {
			all.add(i.event, sums.Amount{Value: i.owed - i.goodwill, Currency: i.currency, Measure: figures.ToBePaid})
			all.add(i.event, sums.Amount{Value: i.goodwill, Currency: i.currency, Measure: figures.Goodwill})
		}
	}
	for _, row := range w.rows {
		if row.holding == standing {
			e, terms := l.numbered[row.event], l.sharedTerms[row.terms]
			all.add(e, sums.Amount{Value: int64(terms.unpriced(int(row.places))), Currency: 0, Measure: figures.UnpricedMoved})
			all.add(e, sums.Amount{Value: int64(terms.feeless(int(row.places))), Currency: 0, Measure: figures.FeelessMoved})
		}
	}
	return all.ended(slices.DeleteFunc(items, func(i item) bool { return i.owed == i.goodwill }))
}

// postings are the amounts of an order: those of list from first on. at has their places, once they are many.
type postings struct {
	list  []orderPosting
	first int
	day   figures.DayNumber
	at    map[postingKey]int
}

type postingKey struct {
	event    *eventAccount
	measure  figures.Measure
	currency sums.Ref
}

func (p *orderPosting) key() postingKey { return postingKey{p.event, p.Measure, p.Currency} }

// add adds an amount of an event, unless it is nothing, to those of its measure and currency.
func (p *postings) add(e *eventAccount, a sums.Amount) {
	if a.Value == 0 {
		return
	}
	k := postingKey{e, a.Measure, a.Currency}
	i, known := p.at[k]
	if p.at == nil {
		i = p.first
		for i < len(p.list) && p.list[i].key() != k {
			i++
		}
		known = i < len(p.list)
	}
	if !known {
		i = len(p.list)
		p.list = append(p.list, orderPosting{event: e, day: p.day, Amount: sums.Amount{Value: 0, Currency: a.Currency, Measure: a.Measure}})
		if p.at != nil {
			p.at[k] = i
		} else if len(p.list)-p.first > 16 {
			p.at = map[postingKey]int{}
			for j := p.first; j < len(p.list); j++ {
				p.at[p.list[j].key()] = j
			}
		}
	}
	p.list[i].Value += a.Value
}

// ended returns the list without amounts of nothing, and with what is open: for each event that has an open item, and for all.
func (p *postings) ended(open []item) []orderPosting {
	list := p.list[:p.first+len(slices.DeleteFunc(p.list[p.first:], func(p orderPosting) bool { return p.Value == 0 }))]
	inTotal := false
	for n, i := range open {
		if n == 0 || open[n-1].event != i.event {
			list = append(list, orderPosting{event: i.event, day: p.day, opens: true})
		}
		inTotal = inTotal || !i.event.test()
	}
	if inTotal {
		list = append(list, orderPosting{day: p.day, opens: true})
	}
	return list
}

// item is what an order owes for an event in a currency; negative if the order is owed. goodwill is the part of it that was paid
// back, and refunded all that was.
type item struct {
	event                    *eventAccount
	currency                 sums.Ref
	owed, goodwill, refunded int64
}

// refundOf returns the amount of a posting that was paid back.
func refundOf(p *orderPosting) int64 {
	if p.Measure == figures.Refunded {
		return p.Value
	}
	return 0
}

// itemsOf returns the open items of an order's amounts, sorted by event id; none is 0. The result is valid until
// the next call.
func (z *itemizer) itemsOf(amounts []orderPosting) []item {
	z.items = z.items[:0]
	if it, one := oneItem(amounts); one {
		if it.event != nil {
			it.goodwill = max(0, min(it.owed, it.refunded-z.voidedOf(it.event, it.currency, false)))
		}
		if it.owed != 0 {
			z.items = append(z.items, it)
		}
		return z.items
	}
	// Sorted by currency, test events separately, then event id.
	z.dues = z.dues[:0]
	for _, p := range amounts {
		z.dues = append(z.dues, item{event: p.event, currency: p.Currency, owed: p.Open(), refunded: refundOf(&p)})
	}
	slices.SortFunc(z.dues, func(a, b item) int {
		if a.event != b.event {
			return cmp.Or(cmp.Compare(a.currency, b.currency), compareBools(a.event.test(), b.event.test()), cmp.Compare(a.event.id, b.event.id))
		}
		return cmp.Compare(a.currency, b.currency)
	})
	for dues := z.dues; len(dues) > 0; {
		n, owed, refunded := 0, int64(0), int64(0)
		for _, d := range dues {
			if d.currency != dues[0].currency || d.event.test() != dues[0].event.test() {
				break
			}
			n, owed, refunded = n+1, owed+d.owed, refunded+d.refunded
		}
		z.weights, z.refunds = z.weights[:0], z.refunds[:0] // the items with the sign of the sum
		for group := dues[:n]; len(group) > 0; {
			first, due, back := group[0], int64(0), int64(0)
			for len(group) > 0 && group[0].event == first.event {
				due, back, group = due+group[0].owed, back+group[0].refunded, group[1:]
			}
			if owed > 0 && due > 0 || owed < 0 && due < 0 {
				z.weights = append(z.weights, weight{first.event, uint64(max(due, -due))})
				z.refunds = append(z.refunds, back)
			}
		}
		if len(z.weights) > 0 {
			begin := len(z.items)
			for i, part := range split(owed, z.weights) {
				if part != 0 {
					z.items = append(z.items, item{event: z.weights[i].event, currency: dues[0].currency, owed: part, refunded: z.refunds[i] - z.voidedOf(z.weights[i].event, dues[0].currency, true)})
				}
			}
			spreadGoodwill(z.items[begin:], min(owed, refunded-z.voidedOf(dues[0].event, dues[0].currency, false)))
		}
		dues = dues[n:]
	}
	slices.SortStableFunc(z.items, func(a, b item) int { return cmp.Compare(a.event.id, b.event.id) })
	return z.items
}

// spreadGoodwill assigns goodwill to items: first to those of the events that were paid back, then to the others.
func spreadGoodwill(items []item, goodwill int64) {
	for _, first := range []bool{true, false} {
		for i := range items {
			most := items[i].owed - items[i].goodwill
			if first {
				most = min(most, items[i].refunded)
			}
			if most = min(most, goodwill); most > 0 {
				items[i].goodwill, goodwill = items[i].goodwill+most, goodwill-most
			}
		}
	}
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

// oneItem returns the open item of amounts that are all of one event and one currency, which most orders are.
func oneItem(amounts []orderPosting) (it item, one bool) {
	for i, p := range amounts {
		if i == 0 {
			it.event, it.currency = p.event, p.Currency
		} else if p.event != it.event || p.Currency != it.currency {
			return item{}, false
		}
		it.owed, it.refunded = it.owed+p.Open(), it.refunded+refundOf(&p)
	}
	return it, true
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

// postOpen counts an open order (n = 1), or removes it (n = −1). An order without a day is not counted.
func (l *Ledger) postOpen(p *orderPosting, n int) {
	a := &l.total
	if p.event != nil {
		l.touch(p.event)
		a = &p.event.accountByDay
	}
	if p.day != noDay {
		a.orders.Span(p.day).Count(int32(p.day), figures.OrdersOpen, n)
	}
}

// postOrder adds an amount of an order (n = 1) or removes it (n = −1).
func (a *accountByDay) postOrder(names *sums.Names, p *orderPosting, n int) {
	if p.Measure == figures.ToBePaid || p.Measure == figures.ToBePaidBack || p.Measure == figures.Goodwill {
		a.Amounts.Add(p.Amount.Times(n))
	}
	if p.day == noDay {
		a.dayless += n
		return
	}
	a.orders.Span(p.day).Add(int32(p.day), p.Amount.Times(n), names)
}

// postOrderlessTicket adds a ticket that names no order (n = 1) or removes it (n = −1). It counts as an unpaid
// order of its own.
func (l *Ledger) postOrderlessTicket(t *ticket, n int) {
	if t.holding() != standing {
		return
	}
	row := orderRow{orderRowKey: orderRowKey{event: t.event.number, terms: t.terms.number, holding: standing}, places: t.places}
	l.postOrderless(l.appendItems(nil, &wholeOrder{rows: []orderRow{row}}, nil, t.made), n)
}

// postOrderlessMoney adds the postings of payments that name no order (n = 1) or removes them (n = −1). They count
// as one order, placed on the day on which money first moved.
func (l *Ledger) postOrderlessMoney(posted []posting, n int) {
	if unassigned, day := l.orderless(posted); unassigned != nil {
		l.postOrderless(l.appendItems(nil, &wholeOrder{}, unassigned, day), n)
	}
}

// orderless returns the postings that name no order, and the day on which money first moved in them.
func (l *Ledger) orderless(posted []posting) (unassigned []posting, day figures.DayNumber) {
	day = noDay
	for _, p := range posted {
		if p.order == 0 {
			unassigned = append(unassigned, p)
			if p.at != 0 && p.Measure != figures.RefundsPending {
				day = min(day, l.days.DayOf(p.at))
			}
		}
	}
	return unassigned, day
}

func (l *Ledger) postOrderless(items []orderPosting, n int) {
	l.postOrder(items, n)
	for _, p := range items {
		if !p.opens && (p.Measure == figures.ToBePaid || p.Measure == figures.ToBePaidBack) {
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
