package evening

import (
	"slices"
	"time"

	"housecount/aggregator/figures"
)

// mostChanged is how many past performances are taken one by one when they change.
const mostChanged = 16

// PastInside reports whether people may still be in the building of one of the performances of days before that have changed
// between two snapshots: what is shown of tonight's is made from them, too.
func PastInside(before, s *figures.Snapshot, changed []string, now time.Time) bool {
	today := s.Calendar.Day(now)
	for _, of := range []*figures.Snapshot{before, s} {
		v := &Evening{Now: now.Truncate(time.Minute), Today: today, Snapshot: of}
		if slices.ContainsFunc(changed, func(id string) bool {
			e := of.Event(id)
			return e != nil && e.Date < today && (v.reaches(e) || e.PresentNow.Value > 0 && (e.Date == "" || e.Date >= today.Add(-1)))
		}) {
			return true
		}
	}
	return false
}

// mayCompare reports whether a performance may be compared with a past one, or somebody has left that out.
func (v *Evening) mayCompare(e, past *figures.EventFigures, rule ComparableRule) bool {
	date, _ := e.Date.Number()
	own := v.toCompare(e, date, rule)
	_, _, ok := own.like(v, past, true)
	return ok || slices.Contains(own.leftOut, past.Event.ID)
}
