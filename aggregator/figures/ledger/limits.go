package ledger

import (
	"cmp"
	"math"
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/sums"
	"housecount/apiclient/record"
)

// limit is how many places of some ticket types can be sold together.
type limit struct {
	id, name            string
	types               []string // ascending
	capacity, available *int     // nil for no limit or an unknown number
}

// limitOf returns the limit that a planning record sets; nil for none.
func limitOf(r *record.Planning) *limit {
	if r.Kind != record.PlanningLimit || len(r.TicketTypes) == 0 {
		return nil
	}
	l := &limit{id: r.ID, name: cmp.Or(r.Title, r.ID), types: slices.Compact(slices.Sorted(slices.Values(r.TicketTypes)))}
	if n, known := figures.Within(r.Capacity); known && n >= 0 {
		l.capacity = &n
	}
	if n, known := figures.Within(r.Available); known {
		l.available = new(max(0, n))
	}
	return l
}

func (l *limit) places() *int { return l.capacity }

// left returns how many places of a limit are left: at most what the service reports, and at most the capacity
// less what is sold and reserved.
func (e *eventAccount) left(l *limit, n *sums.Names) *int {
	if l.available == nil || l.capacity == nil {
		return l.available
	}
	sold, reserved := e.of(l, n)
	return new(max(0, min(*l.available, *l.capacity-sold-reserved)))
}

// of returns how many places of a limit's ticket types are sold and reserved.
func (e *eventAccount) of(l *limit, n *sums.Names) (sold, reserved int) {
	for p := range e.parts[figures.ByTicketType].All() {
		if _, is := slices.BinarySearch(l.types, n.Text(p.ID)); is {
			sold, reserved = sold+p.Sold, reserved+p.Reserved
		}
	}
	return sold, reserved
}

// limits are the limits of one event, by id.
type limits []*limit

// mostKindsOfType bounds the search for the least sum. Ticket types that the same limits cover are one kind.
const mostKindsOfType = 14

// least returns an upper bound of what can be sold: the smallest sum of limits that together cover every limited
// ticket type. It is exact if limits are nested or disjoint, because then each of them can be sold out. unlimited
// is true if some type has no limit with a number. ok is false if there are no limits, or too many to search.
func (all limits) least(of func(*limit) *int) (sum int, exact, unlimited, ok bool) {
	covering := map[string]uint64{} // by type: the limits that cover it
	if len(all) == 0 || len(all) > 64 {
		return 0, false, false, false
	}
	for i, l := range all {
		for _, id := range l.types {
			covering[id] |= 1 << i
		}
	}
	kinds := map[uint64]int{}
	for _, by := range covering {
		if _, known := kinds[by]; !known {
			kinds[by] = len(kinds)
		}
	}
	if len(kinds) > mostKindsOfType {
		return 0, false, false, false
	}
	sums := make([]int, 1<<len(kinds))
	for i := 1; i < len(sums); i++ {
		sums[i] = math.MaxInt
	}
	for i, l := range all {
		n := of(l)
		if n == nil {
			continue
		}
		covers := 0
		for by, kind := range kinds {
			if by&(1<<i) != 0 {
				covers |= 1 << kind
			}
		}
		for kinds := range sums {
			if before := sums[kinds]; before != math.MaxInt {
				sums[kinds|covers] = min(sums[kinds|covers], before+*n)
			}
		}
	}
	if sum = sums[len(sums)-1]; sum == math.MaxInt {
		return 0, false, true, true
	}
	return sum, all.nested(), false, true
}

// nested reports whether any two limits are disjoint, or one covers the other.
func (all limits) nested() bool {
	for i, a := range all {
		for _, b := range all[i+1:] {
			if both := a.shared(b); both != 0 && both != min(len(a.types), len(b.types)) {
				return false
			}
		}
	}
	return true
}

// shared returns how many types both limits cover.
func (l *limit) shared(o *limit) (n int) {
	for _, id := range l.types {
		if _, found := slices.BinarySearch(o.types, id); found {
			n++
		}
	}
	return n
}

// limited returns a number of places by the event's limits; ok is false if they do not give one.
func (e *eventAccount) limited(of func(*limit) *int, k *Knowledge) (n figures.Figure[int], ok bool) {
	sum, exact, unlimited, ok := e.limits.least(of)
	switch {
	case !ok:
		return n, false
	case unlimited:
		return n, false
	}
	var c figures.Caveat
	c.AddIf(!exact, figures.Estimated, figures.ReasonAreasMayOverlap)
	c.AddIf(k.planningPartial, figures.Estimated, figures.ReasonPlanningPartial)
	k.planning.mark(&c)
	return figures.New(sum, c), true
}

// limitAreas returns the limits as price areas, the most expensive first.
func (e *eventAccount) limitAreas(n *sums.Names, f *figures.EventFigures, k *Knowledge) (all []figures.Area) {
	prices := map[string]int64{}
	for _, t := range e.record.TicketTypes {
		if t.Price != nil {
			prices[t.ID] = t.Price.Amount
		}
	}
	for i, l := range e.limits {
		if l.capacity == nil {
			continue
		}
		a := figures.Area{Name: l.name, Capacity: figures.Figure[int]{Value: *l.capacity}}
		for _, id := range l.types {
			a.Price = max(a.Price, prices[id])
		}
		sold, reserved := e.of(l, n)
		a.Sold, a.Reserved = figures.New(sold, f.Sold.Caveat()), figures.New(reserved, f.Reserved.Caveat())
		for j, o := range e.limits {
			a.Shared = a.Shared || i != j && l.shared(o) > 0
		}
		if a.Free = figures.Minus(a.Capacity, a.Sold, a.Reserved); l.available != nil {
			var c figures.Caveat
			k.planning.mark(&c)
			a.Free = figures.New(*e.left(l, n), c)
		} else if a.Shared && a.Free.Known() {
			c := a.Free.Caveat()
			c.Add(figures.Estimated, figures.ReasonAreasMayOverlap)
			a.Free = figures.New(a.Free.Value, c)
		}
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b figures.Area) int { return cmp.Or(cmp.Compare(b.Price, a.Price), cmp.Compare(a.Name, b.Name)) })
	return all
}

// setLimit adds a limit (n = 1) or removes it (n = −1); nil is ignored.
func (e *eventAccount) setLimit(l *limit, n int) {
	if l == nil {
		return
	}
	if n > 0 {
		e.limits = append(e.limits, l)
		slices.SortFunc(e.limits, func(a, b *limit) int { return cmp.Compare(a.id, b.id) })
		return
	}
	e.limits = slices.DeleteFunc(e.limits, func(o *limit) bool { return o == l })
}
