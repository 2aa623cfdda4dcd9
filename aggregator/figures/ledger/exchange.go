package ledger

import (
	"cmp"
	"slices"
	"strings"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/exchanges"
	"housecount/aggregator/figures/ledger/sums"
)

// What was paid for a ticket also pays for the ticket that replaces it. Orders between which tickets were
// exchanged therefore share their open items: they are added up as one order, which is posted by the first of
// them.
//
// Somebody who came in on an exchanged ticket and later on one that replaces it is one person, who is inside where
// the later ticket was scanned. Contacts say nothing of this kind: who buys two tickets may come with somebody.

// exchanging is which ticket replaces which, and which orders tickets were exchanged between.
type exchanging struct {
	exchanges.Exchanges
	linked map[*order]*linked
	orders uint64 // how many orders were ever linked
}

// linkExchanges links a ticket's order with those of the tickets that it replaces and that replace it (n = 1), or
// removes these links (n = −1).
func (l *Ledger) linkExchanges(id string, n int) {
	if first := l.exchanges.First[id]; first != "" {
		l.linkOrders(first, id, n)
	}
	for _, next := range l.exchanges.Next[id] {
		if next != id {
			l.linkOrders(id, next, n)
		}
	}
}

func (l *Ledger) linkOrders(firstID, nextID string, n int) {
	first, known := l.ticket(firstID)
	next, also := l.ticket(nextID)
	if !known || !also || !first.counts || !next.counts || first.order == nil || next.order == nil {
		return
	}
	a, b := first.order, next.order
	l.change(a)
	l.change(b)
	l.linkOrder(a, b, n)
	l.linkOrder(b, a, n)
	if n < 0 {
		return
	}
	l.exchanges.linked[a].replaced[strings.Clone(firstID)] = true
	// Each event's figures depend on what paid for the other's ticket.
	for _, e := range []*eventAccount{first.event, next.event} {
		e.trail.Add(first.revision, next.revision)
		for _, o := range []*order{a, b} {
			for _, number := range l.paymentsOf(o) {
				p := l.paymentAt(number)
				l.followGroup(p, e)
			}
		}
	}
}

// linked holds the orders with which tickets of an order were exchanged.
type linked struct {
	number   uint64 // of linked orders, the one with the lowest number posts the open items
	with     map[*order]int
	replaced map[string]bool // the ids of its tickets that were ever exchanged
}

func (l *Ledger) linkOrder(o, with *order, n int) {
	x := &l.exchanges
	if !o.linked {
		x.orders++
		x.linked[o], o.linked = &linked{number: x.orders, with: map[*order]int{}, replaced: map[string]bool{}}, true
	}
	of := x.linked[o]
	if of.with[with] += n; of.with[with] == 0 {
		delete(of.with, with)
	}
	if len(of.with) == 0 {
		delete(x.linked, o)
		o.linked = false
	}
}

// linkedWith returns a linked order and all that are linked with it.
func (l *Ledger) linkedWith(o *order) []*order {
	all, seen := []*order{o}, map[*order]bool{o: true}
	for i := 0; i < len(all); i++ {
		for next := range l.exchanges.linked[all[i]].with {
			if !seen[next] {
				seen[next], all = true, append(all, next)
			}
		}
	}
	return all
}

// wholeOrder is the sum of an order and all orders linked with it.
type wholeOrder struct {
	order    *order
	orders   []*order // all in it; nil for an order without links
	rows     []orderRow
	payments []int32 // their numbers
}

// whole returns the sum of an order and all orders linked with it. posts is true if o is the first of them, which posts their open
// items. It is valid until an order changes.
func (l *Ledger) whole(o *order) (w wholeOrder, posts bool) {
	if !o.linked {
		return wholeOrder{order: o, rows: l.rowsOf(o), payments: l.paymentsOf(o)}, true
	}
	w, posts = wholeOrder{order: o, orders: l.linkedWith(o)}, true
	for _, of := range w.orders {
		w.rows, w.payments = append(w.rows, l.rowsOf(of)...), append(w.payments, l.paymentsOf(of)...)
		posts = posts && l.exchanges.linked[o].number <= l.exchanges.linked[of].number
	}
	return w, posts
}

// includes reports whether the order with a number is in the sum.
func (w *wholeOrder) includes(number int32) bool {
	return number == w.order.number || slices.ContainsFunc(w.orders, func(o *order) bool { return o.number == number })
}

// keepExchanged lowers what the tickets of a sum cost that were taken back by what those cost that replace them, for which their
// money stays: of each ticket at most all of it, in each currency.
func (l *Ledger) keepExchanged(w *wholeOrder) {
	for _, o := range w.orders {
		for id := range l.exchanges.linked[o].replaced {
			t, _ := l.ticket(id)
			if !t.counts || t.order != o || t.holding() != takenBack {
				continue
			}
			costs := t.money(1)
			for i, a := range costs[:2] {
				if i == 1 && a.Currency == costs[0].Currency {
					continue
				}
				if n := min(costs.DueIn(a.Currency), l.costOfNext(id, &t, a.Currency)); n > 0 {
					l.voided = append(l.voided, item{event: t.event, currency: a.Currency, owed: -n})
				}
			}
		}
	}
}

// costOfNext returns what the tickets cost in a currency that were sold in the place of one. A test replaces nothing that is none.
func (l *Ledger) costOfNext(id string, t *ticket, currency sums.Ref) (sum int64) {
	for _, next := range l.exchanges.Next[id] {
		if n, _ := l.ticket(next); next != id && n.counts && n.order != nil && n.holding() != notSold && n.event.test() == t.event.test() {
			sum += n.money(1).DueIn(currency)
		}
	}
	return sum
}

// rescan puts the scans of tickets in (n = 1) or takes them out (n = −1), as far as the ledger has the tickets.
func (l *Ledger) rescan(ids []string, n int) {
	for _, id := range ids {
		if t, known := l.ticket(id); known {
			l.postScans(id, &t, n)
		}
	}
}

// movedOn is how many of the people on a ticket came in again on one that replaces it, and when they first did.
type movedOn struct {
	at     figures.Stamp
	places int
}

// movedOn returns who of the people on an exchanged ticket came in on those that replace it, after the ticket's last scan.
func (l *Ledger) movedOn(id string, t *ticket, last figures.Stamp) (all []movedOn) {
	for _, next := range l.exchanges.Next[id] {
		with, known := l.ticket(next)
		if next == id || !known || with.places <= 0 || t.places <= 0 {
			continue
		}
		first := figures.Stamp(0)
		for _, later := range l.exchanges.After(next) {
			t, known := l.ticket(later)
			if later == id || !known || !t.counts || !t.terms.admits {
				continue
			}
			scans, _ := l.scansOf(later, &t)
			for _, s := range scans {
				if !s.exit && s.at > last && (first == 0 || s.at < first) {
					first = s.at
				}
			}
		}
		if first != 0 {
			all = append(all, movedOn{first, int(with.places)})
		}
	}
	slices.SortFunc(all, func(a, b movedOn) int { return cmp.Compare(a.at, b.at) })
	left := t.admitting()
	for i := range all {
		all[i].places = min(all[i].places, left)
		left -= all[i].places
	}
	return all
}

// followExchanged adds a version of a ticket to the events of those that it replaces, and that replace it; where it arrived, or
// replaces another than before, the versions of those that replace it, and of their scans, to the events of it and of those before.
func (l *Ledger) followExchanged(id string, revision int64, anew bool) {
	replaced := l.exchanges.Before(id, l.exchanges.First[id])
	if replaced == nil && len(l.exchanges.Next[id]) == 0 {
		return
	}
	follow := func(id string, revision int64) {
		if t, known := l.ticket(id); known {
			t.event.trail.Add(revision)
		}
	}
	for _, other := range slices.Concat(replaced, l.exchanges.Next[id]) {
		follow(other, revision)
	}
	if !anew {
		return
	}
	for _, later := range l.exchanges.After(id) {
		t, known := l.ticket(later)
		for _, of := range append(replaced, id) {
			if known {
				follow(of, t.revision)
			}
			for _, s := range l.byTicket[later] {
				follow(of, s.revision)
			}
		}
	}
}
