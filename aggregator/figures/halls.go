package figures

import (
	"cmp"
	"slices"
)

// InHalls returns the snapshot for somebody who may see only some halls: the events of those halls, the
// times and the health. Figures of the whole house, or of no event, are left out, and the totals of money
// are Unknown. A verdict still uses the past performances of the whole house, so that it is the same for
// everybody.
func (s *Snapshot) InHalls(halls []string) *Snapshot {
	part := Snapshot{Position: s.Position, Calendar: s.Calendar, AsOf: s.AsOf, Health: s.Health, Entered: s.Entered, Acknowledged: s.Acknowledged, Alerts: s.Alerts, ScreenMessages: s.ScreenMessages, House: s.House, Whole: cmp.Or(s.Whole, s)}
	for _, e := range s.Events {
		if slices.Contains(halls, e.Event.Hall) {
			part.Events = append(part.Events, e)
		}
	}
	for _, r := range []*Revenue{&part.Total, &part.Unattributed} {
		for m := range r.Measures {
			r.Measures[m].Quality = Unknown
		}
		r.Net.Quality = Unknown
	}
	return &part
}
