package ledger

import (
	"slices"
)

// What was paid for a ticket also pays for the ticket that replaces it. Orders between which tickets were
// exchanged therefore share their open items: they are added up as one order, which is posted by the first of
// them.

// exchanges holds which ticket replaces which.
type exchanges struct {
	first map[string]string   // by ticket: the one that it replaces
	next  map[string][]string // by ticket: those that replace it

	orders uint64 // how many orders were ever linked
}

// exchange stores which ticket another one replaces, empty for none. Their orders must not be linked at that time.
func (x *exchanges) exchange(id, first string) {
	if old := x.first[id]; old != "" {
		delete(x.first, id)
		prune(x.next, old, id)
	}
	if first != "" {
		x.first[id] = first
		x.next[first] = append(x.next[first], id)
	}
}

// linkExchanges links a ticket's order with those of the tickets that it replaces and that replace it (n = 1), or
// removes these links (n = −1).
func (l *Ledger) linkExchanges(id string, n int) {
	t := l.tickets[id]
	if first := l.exchanges.first[id]; first != "" {
		l.linkOrders(l.tickets[first], t, n)
	}
	for _, next := range l.exchanges.next[id] {
		if next != id {
			l.linkOrders(t, l.tickets[next], n)
		}
	}
}

func (l *Ledger) linkOrders(first, next *ticket, n int) {
	if first == nil || next == nil || !first.counts || !next.counts || first.order == nil || next.order == nil {
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
	// Each event's figures depend on what paid for the other's ticket.
	for _, e := range []*eventAccount{first.event, next.event} {
		e.trail.add(first.revision, next.revision)
		for _, o := range []*order{a, b} {
			for _, p := range o.payments {
				p.group.follow(e)
			}
		}
	}
}

// linked holds the orders with which tickets of an order were exchanged.
type linked struct {
	number uint64 // of linked orders, the one with the lowest number posts the open items
	with   map[*order]int
	whole  []*order // only of the sum that whole returns: the orders in it
}

func (l *Ledger) linkOrder(o, with *order, n int) {
	if o.linked == nil {
		l.exchanges.orders++
		o.linked = &linked{number: l.exchanges.orders, with: map[*order]int{}}
	}
	if o.linked.with[with] += n; o.linked.with[with] == 0 {
		delete(o.linked.with, with)
	}
	if len(o.linked.with) == 0 {
		o.linked = nil
	}
}

// whole returns the sum of an order and all orders linked with it: o itself if it has no links. posts is true if o
// is the first of them, which posts their open items.
func (o *order) whole() (sum *order, posts bool) {
	if o.linked == nil {
		return o, true
	}
	all, posts := []*order{o}, true
	seen := map[*order]bool{o: true}
	for i := 0; i < len(all); i++ {
		for next := range all[i].linked.with {
			if !seen[next] {
				seen[next], all = true, append(all, next)
				posts = posts && o.linked.number < next.linked.number
			}
		}
	}
	sum = &order{linked: &linked{whole: all}}
	for _, o := range all {
		sum.rows, sum.payments = append(sum.rows, o.rows...), append(sum.payments, o.payments...)
	}
	return sum, posts
}

// orders returns the orders that are in a sum returned by whole.
func (o *order) orders() []*order {
	if o.linked == nil {
		return []*order{o}
	}
	return o.linked.whole
}

// is reports whether a sum returned by whole includes another order.
func (o *order) is(other *order) bool {
	return o == other || o.linked != nil && slices.Contains(o.linked.whole, other)
}
