package ledger

import "slices"

// What paid for a ticket pays for the one that replaces it. So orders between which tickets were exchanged have their open
// items together, as one whole: its postings are those of the first of them.

// exchanges are the tickets that replace others.
type exchanges struct {
	first map[string]string   // by ticket, the one that it replaces
	next  map[string][]string // by ticket, those that replace it

	orders uint64 // that were ever linked
}

// exchange stores which ticket another replaces, empty for none, while they are not linked.
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

// linkExchanges links the order of a ticket with those of the tickets that it replaces and that replace it (n = 1), or
// takes the links out (n = −1).
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

// linked is what an order is one with.
type linked struct {
	number uint64 // the lowest of a whole posts it
	with   map[*order]int
	whole  []*order // of one that stands for a whole
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

// whole returns an order that stands for all that o is one with: o itself where nothing was exchanged. posts is true if o is
// the first of them.
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

// orders returns those that an order, which whole returned, stands for.
func (o *order) orders() []*order {
	if o.linked == nil {
		return []*order{o}
	}
	return o.linked.whole
}

// is reports whether an order, which whole returned, stands for another.
func (o *order) is(other *order) bool {
	return o == other || o.linked != nil && slices.Contains(o.linked.whole, other)
}
