package evening

import (
	"slices"
	"time"

	"housecount/aggregator/figures"
)

// ahead returns what part of the expected will have come by m minutes after curtain, and the band of eight of ten cases:
// those who have come, and those who are still to come as they did on each of the past performances, as Queue reckons
// them. It is nil where visitors do not arrive, or nothing is known of how they do.
func (v *Evening) ahead(s *Show, u *usual, curtain time.Time) func(m int) (low, median, high float64) {
	from := int(v.At.Sub(curtain).Minutes())
	if s.Phase != Arriving || !s.Still.Known() || s.Expected.Value == 0 || v.Now.Sub(v.At) > answersWithin || u.after(from) < leastShare {
		return nil
	}
	expected := float64(s.Expected.Value)
	come := float64(figures.CountBefore(s.ArrivalMinutes, v.At))
	left := u.toCome(come, expected, from)
	all := left / u.after(from)
	values := make([]float64, len(u.nights))
	return func(m int) (low, median, high float64) {
		for i, n := range u.nights {
			values[i] = (come + min(left, all*(n.arrived[usualAt(m)]-n.arrived[usualAt(from)]))) / expected
		}
		slices.Sort(values)
		return quantile(values, .1), quantile(values, .5), quantile(values, .9)
	}
}

// rush returns the shortest time between two points within which half of those who come do; of several the first. Where
// some have come and nothing is forecast, nobody else comes.
func rush(points []ArrivalPoint) (from, to time.Time) {
	course := make([]float64, len(points))
	for i, p := range points {
		switch {
		case p.Came >= 0:
			course[i] = p.Came
		case p.Ahead >= 0:
			course[i] = p.Ahead
		case i > 0 && points[0].Came >= 0:
			course[i] = course[i-1]
		default:
			course[i] = p.Median
		}
	}
	if len(points) < 2 || course[len(course)-1] <= 0 {
		return from, to
	}
	half, first := course[len(course)-1]/2, 0
	for last := range points {
		for ; course[last]-course[first+1] >= half; first++ {
		}
		if course[last]-course[first] >= half && (from.IsZero() || points[last].At.Sub(points[first].At) < to.Sub(from)) {
			from, to = points[first].At, points[last].At
		}
	}
	return from, to
}
