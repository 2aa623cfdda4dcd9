package evening

import (
	"slices"

	"housecount/aggregator/figures"
)

// AreasOnSale returns the price areas of which places can be sold. It returns none if nothing can be sold, if all
// places are of one area, or if nothing is known of what is left. No area has more free places than the
// performance, nor than may be sold of it for the people allowed in its hall.
func (v *Evening) AreasOnSale(s *Show) []figures.Area {
	known := func(a figures.Area) bool { return a.Free.Known() }
	if s.Sale != SaleOpen || s.SoldOut || len(s.Areas) < 2 || !slices.ContainsFunc(s.Areas, known) {
		return nil
	}
	all, left := slices.Clone(s.Areas), s.Free
	if !left.Known() {
		return all
	}
	most := 0
	for i := range all {
		all[i].Free.Value = min(all[i].Free.Value, left.Value)
		most += all[i].Free.Value
	}
	if !areasAreAll(s.EventFigures) {
		return all
	}
	for i := range all {
		a := &all[i]
		switch {
		case a.Free.Quality == figures.Exact && a.Shared: // the service reports it, whatever is left of the places that it shares
			a.Sure = a.Free.Value
		case a.Free.Known():
			a.Sure = min(a.Free.Value, max(0, left.Value-(most-a.Free.Value)))
		}
	}
	return all
}

// areasAreAll reports whether every place belongs to an area: all ticket types have a capacity, and these add up to all places.
func areasAreAll(e *figures.EventFigures) bool {
	sum := 0
	for _, a := range e.Areas {
		sum += a.Capacity.Value
	}
	for _, t := range e.Event.TicketTypes {
		if _, known := figures.Within(t.Capacity); !known {
			return false
		}
	}
	return e.Capacity.Known() && sum >= e.Capacity.Value
}

// FewLeftOf reports whether an area is nearly sold out, or the whole performance.
func (s *Show) FewLeftOf(a *figures.Area) bool {
	return a.Free.Value > 0 && (s.FewLeft() || s.few(a.Free, a.Capacity))
}
