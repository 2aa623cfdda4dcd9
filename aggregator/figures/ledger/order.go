package ledger

import (
	"iter"
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/rows"
	"housecount/aggregator/figures/ledger/sums"
)

// order is what the ledger holds of an order: the shares by which its payments are split, and which of its tickets
// are paid.
type order struct {
	rows     []orderRow
	payments rows.Few[*payment] // payments that name it, and payments without an order whose tickets are all in it
	linked   *linked            // nil if no ticket was exchanged
	loose    int32              // how many of payments are
	changing bool               // since the last postOrders
}

// orderRow counts the tickets of an order that are alike.
type orderRow struct {
	orderRowKey
	tickets, places int32
}

type orderRowKey struct {
	event   *eventAccount
	terms   *terms            // without computed VAT
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

// add adds a ticket (n = 1) or removes it (n = −1).
func (o *order) add(t *ticket, n int32) { o.rows = addTo(o.rows, t, n) }

// fewRows is up to how many rows of an order no room is made for more.
const fewRows = 8

// addTo adds a ticket to rows (n = 1) or removes it (n = −1).
func addTo(rows []orderRow, t *ticket, n int32) []orderRow {
	key := orderRowKey{t.event, t.terms.reported(), t.made, t.holding(), t.places < 0}
	i := slices.IndexFunc(rows, func(row orderRow) bool { return row.orderRowKey == key })
	if i < 0 {
		i = len(rows)
		if i < fewRows { // most orders stay as they are
			rows = append(make([]orderRow, 0, i+1), rows...)
		}
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

// costs yields the price and the fees of the row's places, without what costs nothing.
func (row *orderRow) costs() iter.Seq[sums.Amount] {
	return func(yield func(sums.Amount) bool) {
		for _, a := range row.terms.money(int64(row.places)) {
			if a.Value != 0 && a.Measure != figures.VAT && !yield(a) {
				return
			}
		}
	}
}

// goneOf returns the deleted tickets of a sum returned by whole.
func (l *Ledger) goneOf(o *order) (rows []orderRow) {
	if o.linked == nil {
		return l.gone[o]
	}
	for _, of := range o.linked.whole {
		rows = append(rows, l.gone[of]...)
	}
	return rows
}

// sharesOfOrder returns the parts of an order's tickets in the splitting of its payments. Where none that is left names an
// event, as after an order was cancelled whole, those that were deleted decide.
func (l *Ledger) sharesOfOrder(o *order) []share {
	rows := o.rows
	if gone := l.gone[o]; gone != nil && !slices.ContainsFunc(rows, func(row orderRow) bool { return row.event != l.noEvent }) {
		rows = gone
	}
	shares := make([]share, len(rows))
	for i, row := range rows {
		shares[i] = share{row.event, row.terms.priceIn, row.holding != notSold, row.terms.due(row.places), int(row.tickets)}
	}
	return shares
}

// receipts are the events of an order for whose tickets money came in; all events if tickets were exchanged. Money
// that is paid back later makes no ticket unpaid.
type receipts struct {
	all   bool
	first *eventAccount // nil for none
	more  map[*eventAccount]bool
}

func (o *order) receipts() receipts {
	var r receipts
	exchanged := o.linked != nil
	for _, p := range o.payments.All() {
		switch {
		case p.kind != ofPayment || !p.counts || !p.settled():
		case p.event == nil, exchanged, !o.holds(p.event): // a ticket that moved to another event took its money with it
			r.all = true
		case r.first == nil:
			r.first = p.event
		case p.event != r.first && !r.more[p.event]:
			if r.more == nil {
				r.more = map[*eventAccount]bool{}
			}
			r.more[p.event] = true
		}
	}
	return r
}

// of reports whether money came in for the tickets of an event.
func (r *receipts) of(e *eventAccount) bool { return r.all || e == r.first || r.more[e] }

// appendPostings appends the postings of an order. They depend only on its tickets and payments. It takes time
// proportional to their number.
func (l *Ledger) appendPostings(all []orderPosting, o *order) []orderPosting {
	whole, posts := o.whole()
	if !posts {
		return all
	}
	return l.appendPostingsOf(all, whole)
}

// appendPostingsOf appends the postings of a sum returned by whole.
func (l *Ledger) appendPostingsOf(all []orderPosting, o *order) []orderPosting {
	paid := o.receipts()
	for i := range o.rows {
		row := &o.rows[i]
		places := row.terms.admitting(row.places)
		if row.holding == standing && places != 0 && row.terms.costs() && !paid.of(row.event) {
			all = append(all, orderPosting{event: row.event, terms: row.terms, unpaid: places, day: row.made})
		}
	}
	money := l.money[:0]
	l.gathered++
	for _, p := range o.payments.All() {
		if p.group.gathered == l.gathered {
			continue
		}
		p.group.gathered = l.gathered
		for _, m := range p.group.posted.All() {
			if o.is(m.order) {
				money = append(money, m)
			}
		}
	}
	all = l.itemizer.appendItems(all, o.rows, l.goneOf(o), money, o.day(l.days))
	clear(money)
	l.money = money[:0]
	return all
}

// day returns the day of the order: the first on which tickets of it were sold, as these are booked then; where none is known, the
// first of its other tickets and its payments.
func (o *order) day(c sums.DayCache) figures.DayNumber {
	day := noDay
	for _, row := range o.rows {
		if row.holding != notSold {
			day = min(day, row.made)
		}
	}
	if day != noDay {
		return day
	}
	for _, row := range o.rows {
		day = min(day, row.made)
	}
	for _, p := range o.payments.All() {
		if p.counts && p.at != 0 {
			day = min(day, c.DayOf(p.at))
		}
	}
	return day
}

// changing holds the orders that changed since the last postOrders.
type changing struct {
	orders        []changingOrder
	before, after []orderPosting // after is of one order
	money         []posting      // of one order
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
	if o.linked != nil {
		whole, _ := o.whole()
		for _, o := range whole.orders() {
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
		if o.holds(e) || holds(l.gone[o], e) {
			l.change(o)
		}
	}
	var tickets []*ticket
	for t := range l.tickets.All() {
		if t.event == e && t.order == nil && t.counts {
			tickets = append(tickets, t)
		}
	}
	var groups []*paymentGroup
	for p := range l.payments.All() {
		g := p.group
		if g.members.All()[0] != p { // each group once
			continue
		}
		without := false
		for _, p := range g.posted.All() {
			if p.event == e {
				l.change(p.order)
				without = without || p.order == nil
			}
		}
		if without {
			groups = append(groups, g)
		}
	}
	post := func(n int) {
		for _, t := range tickets {
			l.postOrderlessTicket(t, n)
		}
		for _, g := range groups {
			l.postOrderlessMoney(g.posted.All(), n)
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
		if t := l.tickets.Get(id); t != nil && t.counts {
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
	if next := l.orderOf(nil, p.tickets); next != p.order {
		l.leaveOrder(p)
		p.order = next
		l.enterOrder(p)
	}
}

// enterOrder adds a payment to its order.
func (l *Ledger) enterOrder(p *payment) {
	if p.order != nil {
		l.change(p.order)
		p.order.payments.Add(p)
		if p.isLoose() {
			p.order.loose++
		}
	}
}

// leaveOrder removes a payment from its order.
func (l *Ledger) leaveOrder(p *payment) {
	if p.order != nil {
		l.change(p.order)
		p.order.payments.Remove(p)
		if p.isLoose() {
			p.order.loose--
		}
	}
}
