package ledger

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
)

// areaFigures returns the price areas of an event, the dearest first; f has its places. Free is the most
// that is left of each: what was sold of types without a capacity, or is blocked, may be anywhere.
func (e *eventAccount) areaFigures(n *names, f *figures.EventFigures) []figures.Area {
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
	for _, s := range e.parts[figures.ByTicketType].spans {
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
		a.Sold, a.Reserved = figures.New(a.Sold.Value, f.Sold.Caveat()), figures.New(a.Reserved.Value, f.Reserved.Caveat())
		left := figures.Minus(a.Capacity, a.Sold, a.Reserved)
		if left.Known() && left.Value == 0 { // which is certain
			continue
		}
		c := left.Caveat()
		c.Add(figures.Estimated, figures.ReasonAreasMayOverlap)
		a.Free = figures.New(left.Value, c)
	}
	slices.SortFunc(all, func(a, b figures.Area) int { return cmp.Or(cmp.Compare(b.Price, a.Price), cmp.Compare(a.Name, b.Name)) })
	return all
}

// areaOf returns the name of the area that a ticket type belongs to, if that is one.
func areaOf(id, name string) string { return cmp.Or(name, id) }
