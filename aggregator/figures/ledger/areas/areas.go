// Package areas divides the places of a performance by what they are sold as: into the price areas of its ticket types, and
// by limits, which planning records set for ticket types together. It is pure and knows what is sold only by ticket type.
package areas

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/sums"
)

// Sold is what is sold and reserved of an event, by ticket type.
type Sold struct {
	Parts *sums.Parts
	Names *sums.Names
	Types map[string]string // the names of the ticket types, by id
}

// OfTypes returns the price areas of an event, the most expensive first; f has the event and its places. Free is an
// upper bound: places that are blocked, or sold under a type without a capacity, may be in any area.
func OfTypes(s Sold, f *figures.EventFigures) []figures.Area {
	at := map[string]int{}
	var all []figures.Area
	for _, t := range f.Event.TicketTypes {
		places, known := figures.Within(t.Capacity)
		if !known || places < 0 {
			continue
		}
		name := NameOf(t.ID, t.Name)
		i, known := at[name]
		if !known {
			i = len(all)
			at[name], all = i, append(all, figures.Area{Name: name})
		}
		all[i].Capacity.Value += places
		if t.Price != nil {
			all[i].Price = max(all[i].Price, t.Price.Amount)
		}
	}
	if len(all) == 0 {
		return nil
	}
	for p := range s.Parts.All() {
		id := s.Names.Text(p.ID)
		if i, known := at[NameOf(id, s.Types[id])]; known {
			all[i].Sold.Value += p.Sold
			all[i].Reserved.Value += p.Reserved
		}
	}
	for i := range all {
		a := &all[i]
		a.Sold, a.Reserved = figures.New(a.Sold.Value, f.Sold.Caveat()), figures.New(a.Reserved.Value, f.Reserved.Caveat())
		left := figures.Minus(a.Capacity, a.Sold, a.Reserved)
		if left.Known() && left.Value == 0 { // nothing left is exact
			continue
		}
		c := left.Caveat()
		c.Add(figures.Estimated, figures.ReasonAreasMayOverlap)
		a.Free = figures.New(left.Value, c)
	}
	slices.SortFunc(all, func(a, b figures.Area) int { return cmp.Or(cmp.Compare(b.Price, a.Price), cmp.Compare(a.Name, b.Name)) })
	return all
}

// NameOf returns the name of the area that a ticket type belongs to: types of the same name are one area.
func NameOf(id, name string) string { return cmp.Or(name, id) }
