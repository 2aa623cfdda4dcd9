package figures

import (
	"cmp"
	"slices"
)

// Area is a price area of a performance: its ticket types of one name, where they have a capacity of
// their own.
type Area struct {
	Name                           string
	Capacity, Sold, Reserved, Free Figure[int]
	// Sure is how many are free however many the other areas have, of those that are on sale; 0 where
	// that is not known.
	Sure  int
	price int64 // of its dearest place, in minor units
}

// areaFigures are the price areas of an event, the dearest first; f has its places. Free is the most
// that is left of each: what was sold of types without a capacity, or is blocked, may be anywhere.
func (e *eventAccount) areaFigures(n *names, f *EventFigures) []Area {
	at := map[string]int{}
	var all []Area
	for _, t := range e.record.TicketTypes {
		places, known := within(t.Capacity)
		if !known || places < 0 {
			continue
		}
		name := areaOf(t.ID, t.Name)
		i, known := at[name]
		if !known {
			i = len(all)
			at[name], all = i, append(all, Area{Name: name})
		}
		all[i].Capacity.Value += places
		if t.Price != nil {
			all[i].price = max(all[i].price, t.Price.Amount)
		}
	}
	if len(all) == 0 {
		return nil
	}
	for _, s := range e.parts[ByTicketType].spans {
		for j := range s.rows {
			id := n.text(s.rows[j].id)
			if i, known := at[areaOf(id, e.types[id])]; known {
				all[i].Sold.Value += s.rows[j].sold
				all[i].Reserved.Value += s.rows[j].reserved
			}
		}
	}
	for i := range all {
		a := &all[i]
		a.Sold, a.Reserved = figure(a.Sold.Value, f.Sold.caveat()), figure(a.Reserved.Value, f.Reserved.caveat())
		left := Minus(a.Capacity, a.Sold, a.Reserved)
		if left.Known() && left.Value == 0 { // which is certain
			continue
		}
		c := left.caveat()
		c.add(Estimated, ReasonAreasMayOverlap)
		a.Free = figure(left.Value, c)
	}
	slices.SortFunc(all, func(a, b Area) int { return cmp.Or(cmp.Compare(b.price, a.price), cmp.Compare(a.Name, b.Name)) })
	return all
}

// areaOf is the name of the area that a ticket type belongs to, if that is one.
func areaOf(id, name string) string { return cmp.Or(name, id) }

// AreasOnSale are the price areas of which places can be sold: none where nothing can, nor where all
// places are of one area or of no area is known what is left. No area has more free than the performance.
func (s *Show) AreasOnSale() []Area {
	known := func(a Area) bool { return a.Free.Known() }
	if s.Sale != SaleOpen || s.SoldOut || len(s.Areas) < 2 || !slices.ContainsFunc(s.Areas, known) {
		return nil
	}
	all := slices.Clone(s.Areas)
	if !s.Free.Known() {
		return all
	}
	most := 0
	for i := range all {
		all[i].Free.Value = min(all[i].Free.Value, s.Free.Value)
		most += all[i].Free.Value
	}
	if !s.areasAreAll() {
		return all
	}
	for i := range all {
		if a := &all[i]; a.Free.Known() {
			a.Sure = min(a.Free.Value, max(0, s.Free.Value-(most-a.Free.Value)))
		}
	}
	return all
}

// areasAreAll says that every place is of an area: all ticket types have a capacity, and together they
// have all places.
func (e *EventFigures) areasAreAll() bool {
	sum := 0
	for _, a := range e.Areas {
		sum += a.Capacity.Value
	}
	for _, t := range e.Event.TicketTypes {
		if _, known := within(t.Capacity); !known {
			return false
		}
	}
	return e.Capacity.Known() && sum >= e.Capacity.Value
}

// FewLeftOf says that an area is nearly sold out, or the whole performance.
func (s *Show) FewLeftOf(a *Area) bool {
	return a.Free.Value > 0 && (s.FewLeft() || s.few(a.Free, a.Capacity))
}

// freeTerms are what is free in an area by its formula; none where that is not what is free.
func (a *Area) freeTerms() []Term {
	if !a.Free.Known() || a.Free.Value != a.Capacity.Value-a.Sold.Value-a.Reserved.Value {
		return nil
	}
	return []Term{{Plus, KeyCapacity}, {Less, KeySold}, {Less, KeyReserved}}
}
