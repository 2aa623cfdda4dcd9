package licence

import (
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
)

// FullFirst returns, of a hall with a performance on and the building that it is in, the place that the fewest more people may enter,
// while more than that are still to come to it, or are out and may come back; nil where there is room for all or nothing is set or known.
// Where hall is empty it is the building.
func FullFirst(v *evening.Evening, hall string) (least *evening.Load) {
	if !slices.ContainsFunc(v.Shows, func(s *evening.Show) bool { return s.Phase.Open() && (hall == "" || s.Event.Hall == hall) }) {
		return nil
	}
	for i := range v.Loads {
		l := &v.Loads[i]
		uncounted := l.Hall == "" && len(v.House.Unscanned) > 0 // who is in those halls is not known
		if (l.Hall == "" || l.Hall == hall) && !uncounted && l.Inside.Known() && l.Overflows() && (least == nil || l.Left().Value < least.Left().Value) {
			least = l
		}
	}
	return least
}

// MayEnter returns how many more people may enter the place that FullFirst returns; limited is false where there is none.
func MayEnter(v *evening.Evening, hall string) (left figures.Figure[int], limited bool) {
	if l := FullFirst(v, hall); l != nil {
		return l.Left(), true
	}
	return left, false
}
