// Package replay folds stored versions of records again: those of one performance minute by minute (Past), and those of
// some performances, whose figures are compared with what is shown (Slice). It is pure, as the ledger is.
package replay

import (
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// clockTolerance is by how many minutes clocks may differ. A version that was seen up to this long before the
// running minute belongs to that minute. One that was seen earlier ends the minute, because its clock was wrong.
const clockTolerance = 10

// Past folds the versions of an event in the order of their revisions and stops at the end of each minute. It
// returns the figures of each minute in which they changed, and the figures after all versions. versions are those
// of the event and of what shares payments with it, by revision.
//
// The past begins at the minute from: versions that were seen before it are in the first minute's figures. It ends
// before the minute until, which is still running. If scans were replaced by their totals (record.Admissions), it
// begins at that moment.
func Past(c figures.Calendar, versions []record.Version, event string, from, until int64) (past []figures.MinuteFigures, now figures.MinuteFigures) {
	l := ledger.New(c)
	var last figures.MinuteFigures
	end := func(minute int64) {
		if minute < from || minute <= 0 || minute >= until {
			return
		}
		if m, listed := l.Minute(event); listed && (len(past) == 0 || !m.Same(last)) {
			last, m.Minute = m, minute
			past = append(past, m)
		}
	}
	minute := int64(0)
	for i := range versions {
		v := &versions[i]
		if seen := minuteSeen(v); seen > minute || seen > 0 && seen < minute-clockTolerance {
			end(minute)
			if minute < from && from < seen {
				end(from)
			}
			minute = seen
		}
		if a, ok := v.Record.(*record.Admissions); ok && a.EventID == event {
			past = nil
			from = max(from, minute)
		}
		l.Apply(*v)
	}
	end(max(minute, from))
	now, _ = l.Minute(event)
	return past, now
}

// minuteSeen returns the minute in which we saw a version; 0 if it is not known.
func minuteSeen(v *record.Version) int64 {
	if v.SeenAt.IsZero() {
		return 0
	}
	return v.SeenAt.Unix() / 60
}
