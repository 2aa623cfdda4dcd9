package ledger

import (
	"iter"
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/rows"
	"housecount/aggregator/figures/ledger/sums"
)

// order is what the ledger holds of an order: the shares by which its payments are split, and which of its tickets
// are paid. It has no pointers, like ticketRow.
type order struct {
	rows     rows.List // of Ledger.orderRows
	payments rows.List // of Ledger.paymentLists: payments that name it, and payments without an order whose tickets are all in it
	number   int32     // by which others refer to it
	loose    int32     // how many of payments are
	linked   bool      // a ticket was exchanged: it is in exchanges.linked
	changing bool      // since the last postOrders
}

// orderRow counts the tickets of an order that are alike.
type orderRow struct {
	orderRowKey
	tickets, places int32
}

type orderRowKey struct {
	event   int32             // its number
	terms   int32             // the number of those without computed VAT
	made    figures.DayNumber // as of a ticket
	holding holding
	returns bool // lines with fewer places than none, which return those of others
}

// holding is what a ticket counts as in its order.
type holding uint8

const (
	notSold   holding = iota // reserved, expired or unmapped
	takenBack                // was sold, is void or refunded
	standing                 // sold
)

// rowsOf returns the rows of an order, valid until a ticket is added to one.
func (l *Ledger) rowsOf(o *order) []orderRow { return l.orderRows.Get(o.rows) }

// addToOrder adds a ticket to its order (n = 1) or removes it (n = −1).
func (l *Ledger) addToOrder(o *order, t *ticket, n int32) {
	l.rowed = addTo(append(l.rowed[:0], l.rowsOf(o)...), t, n)
	o.rows = l.orderRows.Set(o.rows, l.rowed)
}

// paymentsOf returns the numbers of the payments of an order.
func (l *Ledger) paymentsOf(o *order) []int32 { return l.paymentLists.Get(o.payments) }

// paymentAt returns the payment with a number.
func (l *Ledger) paymentAt(number int32) *payment { return l.payments.At(int(number) - 1) }

// appendPayments appends the payments with these numbers to a list.
func (l *Ledger) appendPayments(list []*payment, numbers []int32) []*payment {
	for _, number := range numbers {
		list = append(list, l.paymentAt(number))
	}
	return list
}

// addTo adds a ticket to rows (n = 1) or removes it (n = −1).
func addTo(rows []orderRow, t *ticket, n int32) []orderRow {
	key := orderRowKey{t.event.number, t.terms.reported().number, t.made, t.holding(), t.places < 0}
	i := slices.IndexFunc(rows, func(row orderRow) bool { return row.orderRowKey == key })
	if i < 0 {
		i = len(rows)
		rows = append(rows, orderRow{orderRowKey: key})
	}
	row := &rows[i]
	row.tickets += n
	row.places += n * t.places
	if row.tickets == 0 {
		rows = slices.Delete(rows, i, i+1)
	}
	return rows
}

// costs yields the price and the fees of a row's places, without what costs nothing.
func (l *Ledger) costs(row *orderRow) iter.Seq[sums.Amount] {
	return func(yield func(sums.Amount) bool) {
		for _, a := range l.sharedTerms[row.terms].money(int64(row.places)) {
			if a.Value != 0 && a.Measure != figures.VAT && !yield(a) {
				return
			}
		}
	}
}

// goneOf returns the deleted tickets of a sum returned by whole.
func (l *Ledger) goneOf(w *wholeOrder) (rows []orderRow) {
	if w.orders == nil {
		return l.gone[w.order]
	}
	for _, of := range w.orders {
		rows = append(rows, l.gone[of]...)
	}
	return rows
}

// sharesOfOrder returns the parts of an order's tickets in the splitting of its payments. Where none that is left names an
// event, as after an order was cancelled whole, those that were deleted decide.
func (l *Ledger) sharesOfOrder(o *order) []share {
	rows := l.rowsOf(o)
	if gone := l.gone[o]; gone != nil && !slices.ContainsFunc(rows, func(row orderRow) bool { return row.event != l.noEvent.number }) {
		rows = gone
	}
	shares := make([]share, len(rows))
	for i, row := range rows {
		terms := l.sharedTerms[row.terms]
		shares[i] = share{l.numbered[row.event], terms.priceIn, row.holding != notSold, terms.due(row.places), int(row.tickets)}
	}
	return shares
}

// receipts are the events of an order for whose tickets money came in; all events if tickets were exchanged. Money
// that is paid back later makes no ticket unpaid.
type receipts struct {
	all   bool
	first int32 // the number of an event; 0 for none
	more  map[int32]bool
}

func (l *Ledger) receipts(w *wholeOrder) receipts {
	var r receipts
	for _, number := range w.payments {
		p := l.paymentAt(number)
		switch {
		case p.kind != ofPayment || !p.counts || !p.settled():
		case p.event == 0, w.orders != nil, !holds(w.rows, p.event): // a ticket that moved to another event took its money with it
			r.all = true
		case r.first == 0:
			r.first = p.event
		case p.event != r.first && !r.more[p.event]:
			if r.more == nil {
				r.more = map[int32]bool{}
			}
			r.more[p.event] = true
		}
	}
	return r
}

// of reports whether money came in for the tickets of an event.
func (r *receipts) of(event int32) bool {
	return r.all || event != 0 && event == r.first || r.more[event]
}

// appendPostings appends the postings of an order. They depend only on its tickets and payments. It takes time
// proportional to their number.
func (l *Ledger) appendPostings(all []orderPosting, o *order) []orderPosting {
	whole, posts := l.whole(o)
	if !posts {
		return all
	}
	return l.appendPostingsOf(all, &whole)
}

// appendPostingsOf appends the postings of a sum returned by whole.
func (l *Ledger) appendPostingsOf(all []orderPosting, w *wholeOrder) []orderPosting {
	paid := l.receipts(w)
	for i := range w.rows {
		row := &w.rows[i]
		terms := l.sharedTerms[row.terms]
		places := terms.admitting(row.places)
		if row.holding == standing && places != 0 && terms.costs() && !paid.of(row.event) {
			all = append(all, orderPosting{event: l.numbered[row.event], terms: terms, unpaid: places, day: row.made})
		}
	}
	money := l.money[:0]
	l.gathered++
	for _, number := range w.payments {
		p := l.paymentAt(number)
		g := l.groupOf(p)
		if g.gathered == l.gathered {
			continue
		}
		g.gathered = l.gathered
		for _, m := range l.postings.Get(g.posted) {
			if w.includes(m.order) {
				money = append(money, m)
			}
		}
	}
	all = l.appendItems(all, w, money, l.dayOf(w))
	l.money = money[:0]
	return all
}

// dayOf returns the day of an order: the first on which tickets of it were sold, as these are booked then; where none is known, the
// first of its other tickets and its payments.
func (l *Ledger) dayOf(w *wholeOrder) figures.DayNumber {
	day := noDay
	for _, row := range w.rows {
		if row.holding != notSold {
			day = min(day, row.made)
		}
	}
	if day != noDay {
		return day
	}
	for _, row := range w.rows {
		day = min(day, row.made)
	}
	for _, number := range w.payments {
		p := l.paymentAt(number)
		if p.counts && p.at != 0 {
			day = min(day, l.days.DayOf(p.at))
		}
	}
	return day
}

// changing holds the orders that changed since the last postOrders.
type changing struct {
	orders        []changingOrder
	before, after []orderPosting // after is of one order
	money         []posting      // of one order
	rowed         []orderRow     // of one order
	summed        []*payment     // of one group
	itemizer
	gathered uint64 // counts the times that the postings of an order's payments were gathered
}

// changingOrder is an order, and where its former postings end in changing.before; they begin where those of the
// previous order end.
type changingOrder struct {
	*order
	end int
}

// change must be called before anything changes that an order's postings depend on. postOrders then posts the
// order again, once.
func (l *Ledger) change(o *order) {
	if o == nil || o.changing {
		return
	}
	if o.linked {
		for _, o := range l.linkedWith(o) {
			l.changeOrder(o)
		}
		return
	}
	l.changeOrder(o)
}

func (l *Ledger) changeOrder(o *order) {
	if !o.changing {
		o.changing = true
		l.before = l.appendPostings(l.before, o)
		l.changing.orders = append(l.changing.orders, changingOrder{o, len(l.before)})
	}
}

// changeOrdersOf must be called before an event becomes a test or stops being one. It marks the event's orders as
// changed, and removes the open items of its tickets and payments without an order; back adds those again. It
// reads every record, because this is rare.
func (l *Ledger) changeOrdersOf(e *eventAccount) (back func()) {
	for o := range l.orders.All() {
		if holds(l.rowsOf(o), e.number) || holds(l.gone[o], e.number) {
			l.change(o)
		}
	}
	var tickets []ticket
	for row := range l.tickets.All() {
		if row.event == e.number && row.order == 0 && row.counts {
			tickets = append(tickets, l.ticketIn(row))
		}
	}
	var groups []*paymentGroup
	for p := range l.payments.All() {
		g := l.groupOf(p)
		if l.membersOf(g)[0] != p.number { // each group once
			continue
		}
		without := false
		for _, p := range l.postings.Get(g.posted) {
			if p.event == e.number {
				l.change(l.orderAt(p.order))
				without = without || p.order == 0
			}
		}
		if without {
			groups = append(groups, g)
		}
	}
	post := func(n int) {
		for i := range tickets {
			l.postOrderlessTicket(&tickets[i], n)
		}
		for _, g := range groups {
			l.postOrderlessMoney(l.postings.Get(g.posted), n)
		}
	}
	post(-1)
	return func() { post(1) }
}

// postOrders posts the orders that changed again, in place of their old postings.
func (l *Ledger) postOrders() {
	start := 0
	for _, c := range l.changing.orders {
		before := l.before[start:c.end]
		start = c.end
		l.after = l.appendPostings(l.after[:0], c.order)
		gone, come := difference(before, l.after)
		l.postOrder(gone, -1)
		l.postOrder(come, 1)
		c.changing = false
		clear(l.after)
	}
	l.changing.orders, l.before = emptied(l.changing.orders), emptied(l.before)
}

// mostIdle is the largest capacity that an emptied list keeps.
const mostIdle = 4096

// emptied returns a list without its elements, for reuse.
func emptied[T any](list []T) []T {
	if cap(list) > mostIdle {
		return nil
	}
	clear(list)
	return list[:0]
}

// difference returns what only before has, and what only after has. It changes both. Of long lists only a common
// beginning is removed.
func difference(before, after []orderPosting) (gone, come []orderPosting) {
	for len(before) > 0 && len(after) > 0 && before[0] == after[0] {
		before, after = before[1:], after[1:]
	}
	if len(before) > 32 || len(after) > 32 {
		return before, after
	}
	for i := 0; i < len(before); {
		if j := slices.Index(after, before[i]); j >= 0 {
			before, after = slices.Delete(before, i, i+1), slices.Delete(after, j, j+1)
		} else {
			i++
		}
	}
	return before, after
}

// orderOf returns the order that a payment belongs to: the one that it names (own), or else the order of its
// tickets; nil if the tickets have several orders, or none.
func (l *Ledger) orderOf(own *order, tickets []string) (of *order) {
	if own != nil {
		return own
	}
	first := true
	for _, id := range tickets {
		if t, known := l.ticket(id); known && t.counts {
			if !first && t.order != of {
				return nil
			}
			of, first = t.order, false
		}
	}
	return of
}

// moveOrder moves a payment that names no order to the order of its tickets, after one of the tickets changed.
func (l *Ledger) moveOrder(p *payment) {
	if p.ownOrder {
		return
	}
	if next := l.orderOf(nil, l.rare(p).tickets).numberOf(); next != p.order {
		l.leaveOrder(p)
		p.order = next
		l.enterOrder(p)
	}
}

// enterOrder adds a payment to its order.
func (l *Ledger) enterOrder(p *payment) {
	if o := l.orderAt(p.order); o != nil {
		l.change(o)
		o.payments = l.paymentLists.Add(o.payments, p.number)
		if p.isLoose() {
			o.loose++
		}
	}
}

// leaveOrder removes a payment from its order.
func (l *Ledger) leaveOrder(p *payment) {
	if o := l.orderAt(p.order); o != nil {
		l.change(o)
		o.payments = l.paymentLists.Set(o.payments, without(l.paymentsOf(o), p.number))
		if p.isLoose() {
			o.loose--
		}
	}
}
