package evening

import (
	"slices"

	"housecount/aggregator/figures"
)

// WalkInGates returns the names of the gates at which people without a ticket may be counted: those with scans or counts tonight,
// and those of the last performances in the hall. If none is known it is one empty name, for all gates.
func (v *Evening) WalkInGates(s *Show) (names []string) {
	for _, g := range s.Gates {
		names = append(names, g.Gate)
	}
	for _, w := range s.WalkIns {
		names = append(names, w.Gate)
	}
	if hall := s.Event.Hall; hall != "" {
		here, _ := v.past(hall)
		for _, past := range here[:min(len(here), figures.FewestPast)] {
			for _, g := range past.Gates {
				if g.Gate != "" {
					names = append(names, g.Gate)
				}
			}
		}
	}
	if len(names) == 0 {
		return []string{""}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
