package sums

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
)

// MinuteCounts counts by minute. What has been published is never changed: changes wait until
// the next publication.
type MinuteCounts struct {
	rows    []figures.MinuteCount
	pending []figures.MinuteCount
}

// Add counts n at a moment; what is not dated is not counted.
func (t *MinuteCounts) Add(at figures.Stamp, n int) {
	if at == 0 || n == 0 {
		return
	}
	minute := at.Minute()
	if last := len(t.pending) - 1; last >= 0 && t.pending[last].Minute == minute {
		t.pending[last].Count += n
		return
	}
	t.pending = append(t.pending, figures.MinuteCount{Minute: minute, Count: n})
}

// Publish returns the counts that are not 0, ascending.
func (t *MinuteCounts) Publish() []figures.MinuteCount {
	if len(t.pending) == 0 {
		return t.rows
	}
	slices.SortFunc(t.pending, func(a, b figures.MinuteCount) int { return cmp.Compare(a.Minute, b.Minute) })
	merged := make([]figures.MinuteCount, 0, len(t.rows)+len(t.pending))
	rows, pending := t.rows, t.pending
	for len(rows) > 0 || len(pending) > 0 {
		from := &pending
		if len(pending) == 0 || len(rows) > 0 && rows[0].Minute <= pending[0].Minute {
			from = &rows
		}
		next := (*from)[0]
		*from = (*from)[1:]
		if last := len(merged) - 1; last >= 0 && merged[last].Minute == next.Minute {
			merged[last].Count += next.Count
		} else {
			if last >= 0 && merged[last].Count == 0 {
				merged = merged[:last]
			}
			merged = append(merged, next)
		}
	}
	if last := len(merged) - 1; last >= 0 && merged[last].Count == 0 {
		merged = merged[:last]
	}
	t.rows, t.pending = nil, nil
	if len(merged) > 0 {
		t.rows = fitted(merged)
	}
	return t.rows
}
