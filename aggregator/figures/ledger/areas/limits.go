package areas

import (
	"cmp"
	"math"
	"slices"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// Limit is how many places of some ticket types can be sold together.
type Limit struct {
	id, name            string
	types               []string // ascending
	capacity, available *int     // nil for no limit or an unknown number
}

// LimitOf returns the limit that a planning record sets; nil for none.
func LimitOf(r *record.Planning) *Limit {
	if r.Kind != record.PlanningLimit || len(r.TicketTypes) == 0 {
		return nil
	}
	l := &Limit{id: r.ID, name: cmp.Or(r.Title, r.ID), types: slices.Compact(slices.Sorted(slices.Values(r.TicketTypes)))}
	if n, known := figures.Within(r.Capacity); known && n >= 0 {
		l.capacity = &n
	}
	if n, known := figures.Within(r.Available); known {
		l.available = new(max(0, n))
	}
	return l
}

// Places returns how many places the limit allows; nil for no number.
func (l *Limit) Places() *int { return l.capacity }

// Left returns how many places of the limit are left, nil if that is not known: at most what the service reports, and at most the capacity
// less what is sold and reserved.
func (l *Limit) Left(s Sold) *int {
	if l.available == nil || l.capacity == nil {
		return l.available
	}
	sold, reserved := l.of(s)
	return new(max(0, min(*l.available, *l.capacity-sold-reserved)))
}

// of returns how many places of the limit's ticket types are sold and reserved.
func (l *Limit) of(s Sold) (sold, reserved int) {
	for p := range s.Parts.All() {
		if _, is := slices.BinarySearch(l.types, s.Names.Text(p.ID)); is {
			sold, reserved = sold+p.Sold, reserved+p.Reserved
		}
	}
	return sold, reserved
}

// Limits are the limits of one event, by id.
type Limits []*Limit

// mostKindsOfType bounds the search for the least sum. Ticket types that the same limits cover are one kind.
const mostKindsOfType = 14

// least returns an upper bound of what can be sold: the smallest sum of limits that together cover every limited
// ticket type. It is exact if limits are nested or disjoint, because then each of them can be sold out. ok is
// false if there are no limits, too many to search, or a type without one that has a number.
func (all Limits) least(of func(*Limit) *int) (sum int, exact, ok bool) {
	covering := map[string]uint64{} // by type: the limits that cover it
	if len(all) == 0 || len(all) > 64 {
		return 0, false, false
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
		return 0, false, false
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
		return 0, false, false
	}
	return sum, all.nested(), true
}

// nested reports whether any two limits are disjoint, or one covers the other.
func (all Limits) nested() bool {
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
func (l *Limit) shared(o *Limit) (n int) {
	for _, id := range l.types {
		if _, found := slices.BinarySearch(o.types, id); found {
			n++
		}
	}
	return n
}

// Bound returns an upper bound of the places that can be sold, where of gives those of one limit; ok is false if the limits do
// not give one. planning is the caveat of numbers from planning.
func (all Limits) Bound(of func(*Limit) *int, planning figures.Caveat) (n figures.Figure[int], ok bool) {
	sum, exact, ok := all.least(of)
	if !ok {
		return n, false
	}
	var c figures.Caveat
	c.AddIf(!exact, figures.Estimated, figures.ReasonAreasMayOverlap)
	return figures.New(sum, c.And(planning)), true
}

// Areas returns the limits as price areas, the most expensive first; f has the event and its places. planning is the caveat
// of what a limit says is left.
func (all Limits) Areas(s Sold, f *figures.EventFigures, planning figures.Caveat) (areas []figures.Area) {
	prices := map[string]int64{}
	for _, t := range f.Event.TicketTypes {
		if t.Price != nil {
			prices[t.ID] = t.Price.Amount
		}
	}
	for i, l := range all {
		if l.capacity == nil {
			continue
		}
		a := figures.Area{Name: l.name, Capacity: figures.Figure[int]{Value: *l.capacity}}
		for _, id := range l.types {
			a.Price = max(a.Price, prices[id])
		}
		sold, reserved := l.of(s)
		a.Sold, a.Reserved = figures.New(sold, f.Sold.Caveat()), figures.New(reserved, f.Reserved.Caveat())
		for j, o := range all {
			a.Shared = a.Shared || i != j && l.shared(o) > 0
		}
		if a.Free = figures.Minus(a.Capacity, a.Sold, a.Reserved); l.available != nil {
			a.Free = figures.New(*l.Left(s), planning)
		} else if a.Shared && a.Free.Known() {
			c := a.Free.Caveat()
			c.Add(figures.Estimated, figures.ReasonAreasMayOverlap)
			a.Free = figures.New(a.Free.Value, c)
		}
		areas = append(areas, a)
	}
	slices.SortFunc(areas, func(a, b figures.Area) int { return cmp.Or(cmp.Compare(b.Price, a.Price), cmp.Compare(a.Name, b.Name)) })
	return areas
}

// Set returns the limits with one more (n = 1) or without it (n = −1); nil is ignored. It may change all.
func (all Limits) Set(l *Limit, n int) Limits {
	if l == nil {
		return all
	}
	if n > 0 {
		all = append(all, l)
		slices.SortFunc(all, func(a, b *Limit) int { return cmp.Compare(a.id, b.id) })
		return all
	}
	return slices.DeleteFunc(all, func(o *Limit) bool { return o == l })
}
