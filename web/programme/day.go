package programme

import (
	"slices"
	"time"

	"housecount/aggregator/figures"
)

// Span is a part of a venue day in which the same views take turns; none where no view's condition
// holds.
type Span struct {
	From, To time.Time
	Views    []int // by their indices
}

// Day is what the programme shows on the venue day of now, from its beginning to its end. As far as
// conditions go by the figures it is as they are now.
func (p Programme) Day(s *figures.Snapshot, now time.Time) []Span {
	d := newDay(s, now)
	var spans []Span
	turns := p.turns(d)
	for minute, of := range turns {
		if minute == 0 || of != turns[minute-1] {
			spans = append(spans, Span{From: d.at(minute), Views: slices.Collect(p.views(of))})
		}
		spans[len(spans)-1].To = d.at(minute + 1)
	}
	return spans
}
