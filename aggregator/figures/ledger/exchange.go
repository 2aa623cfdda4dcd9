package ledger

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
)

// What was paid for a ticket also pays for the ticket that replaces it. Orders between which tickets were
// exchanged therefore share their open items: they are added up as one order, which is posted by the first of
// them.
//
// Somebody who came in on an exchanged ticket and later on one that replaces it is one person, who is inside where
// the later ticket was scanned. Contacts say nothing of this kind: who buys two tickets may come with somebody.

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
	t := l.tickets.Get(id)
	if first := l.exchanges.first[id]; first != "" {
		l.linkOrders(l.tickets.Get(first), t, n)
	}
	for _, next := range l.exchanges.next[id] {
		if next != id {
			l.linkOrders(t, l.tickets.Get(next), n)
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
			for _, p := range o.payments.All() {
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
		sum.rows = append(sum.rows, o.rows...)
		for _, p := range o.payments.All() {
			sum.payments.Add(p)
		}
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

// before returns the tickets that a ticket replaces if it replaces firsts: these, those that they replace, and so on, once each.
func (x *exchanges) before(id string, firsts ...string) (all []string) {
	for _, first := range firsts {
		for first != "" && first != id && !slices.Contains(all, first) {
			all, first = append(all, first), x.first[first]
		}
	}
	return all
}

// after returns a ticket, those that replace it, those that replace these, and so on, once each.
func (x *exchanges) after(id string) (all []string) {
	all = []string{id}
	for i := 0; i < len(all); i++ {
		for _, next := range x.next[all[i]] {
			if !slices.Contains(all, next) {
				all = append(all, next)
			}
		}
	}
	return all
}

// rescan puts the scans of tickets in (n = 1) or takes them out (n = −1), as far as the ledger has the tickets.
func (l *Ledger) rescan(ids []string, n int) {
	for _, id := range ids {
		if t := l.tickets.Get(id); t != nil {
			l.postScans(id, t, n)
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
	for _, next := range l.exchanges.next[id] {
		with := l.tickets.Get(next)
		if next == id || with == nil || with.places <= 0 || t.places <= 0 {
			continue
		}
		first := figures.Stamp(0)
		for _, later := range l.exchanges.after(next) {
			t := l.tickets.Get(later)
			if later == id || t == nil || !t.counts || !t.terms.admits {
				continue
			}
			scans, _ := l.scansOf(later, t)
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
	replaced := l.exchanges.before(id, l.exchanges.first[id])
	if replaced == nil && len(l.exchanges.next[id]) == 0 {
		return
	}
	follow := func(id string, revision int64) {
		if t := l.tickets.Get(id); t != nil {
			t.event.trail.add(revision)
		}
	}
	for _, other := range slices.Concat(replaced, l.exchanges.next[id]) {
		follow(other, revision)
	}
	if !anew {
		return
	}
	for _, later := range l.exchanges.after(id) {
		t := l.tickets.Get(later)
		for _, of := range append(replaced, id) {
			if t != nil {
				follow(of, t.revision)
			}
			for _, s := range l.byTicket[later] {
				follow(of, s.revision)
			}
		}
	}
}
