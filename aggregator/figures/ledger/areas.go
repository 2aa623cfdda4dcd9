package ledger

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/sums"
)

// areaFigures returns the price areas of an event, the most expensive first; f has the event's places. Free is an
// upper bound: places that are blocked, or sold under a type without a capacity, may be in any area.
func (e *eventAccount) areaFigures(n *sums.Names, f *figures.EventFigures) []figures.Area {
	at := map[string]int{}
	var all []figures.Area
	for _, t := range e.record.TicketTypes {
		places, known := figures.Within(t.Capacity)
		if !known || places < 0 {
			continue
		}
		name := areaOf(t.ID, t.Name)
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
	for p := range e.parts[figures.ByTicketType].All() {
		id := n.Text(p.ID)
		if i, known := at[areaOf(id, e.types[id])]; known {
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

// areaOf returns the name of the area that a ticket type belongs to: types of the same name are one area.
func areaOf(id, name string) string { return cmp.Or(name, id) }
