package programme

import (
	"time"

	"housecount/aggregator/figures"
)

// Span is a part of a venue day in which the same views take turns; none if no view's condition
// holds.
type Span struct {
	From, To time.Time
	Views    []View
	// Of is the index of the programme whose views they are.
	Of int
	// Dark is true if nothing is shown, as the hours are dark.
	Dark bool
}

// Day returns what a screen shows on the venue day of now, from its beginning to its end: in its dark
// hours nothing, and otherwise what the first of the programmes shows of which a view's condition holds.
// As far as conditions go by the figures it is as they are now.
func Day(s *figures.Snapshot, now time.Time, dark Hours, programmes ...Programme) []Span {
	d := newDay(s, now)
	type shown struct {
		of    int
		turns set
		dark  bool
	}
	turns := make([][]set, len(programmes))
	for i, p := range programmes {
		turns[i] = p.turns(d)
	}
	var spans []Span
	var before shown
	from, to, ok := dark.minutes()
	for minute, wall := range d.wall {
		is := shown{dark: ok && between(from, to, wall)}
		for i := range programmes {
			if is.turns == 0 && !is.dark {
				is.of, is.turns = i, turns[i][minute]
			}
		}
		if minute == 0 || is != before {
			span := Span{From: d.at(minute), Of: is.of, Dark: is.dark}
			for i := range programmes[is.of].views(is.turns) {
				span.Views = append(span.Views, programmes[is.of].Views[i])
			}
			spans, before = append(spans, span), is
		}
		spans[len(spans)-1].To = d.at(minute + 1)
	}
	return spans
}
