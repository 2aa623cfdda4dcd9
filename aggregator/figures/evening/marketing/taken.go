package marketing

import (
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
)

// TakenDay is how a performance of which the service reports only what is left stood at the end of a day.
type TakenDay struct {
	Left  int
	Taken int // the most that was ever left, less Left
}

// TakenByDay returns the days of a performance of which the service reports only what is left, at most n, until that of the
// performance or, if that is later, of the last report; first is the first of them. past are its minutes, in order. There are
// no days where nothing was reported, or more than what is left is.
func TakenByDay(v *evening.Evening, s *evening.Show, past []figures.MinuteFigures, n int) (first figures.Day, days []TakenDay) {
	past = slices.DeleteFunc(slices.Clone(past), func(m figures.MinuteFigures) bool { return m.Available == nil })
	if !s.OnlyAvailableKnown() || len(past) == 0 {
		return "", nil
	}
	dayOf := func(m figures.MinuteFigures) figures.Day { return v.Snapshot.Calendar.Day(time.Unix(m.Minute*60, 0)) }
	if s.Date >= v.Today { // the running minute is not among them
		past = append(past, figures.MinuteFigures{Minute: max(past[len(past)-1].Minute, v.Now.Unix()/60), Available: new(s.Available.Value)})
	}
	end := max(dayOf(past[len(past)-1]), min(v.Today, s.Date))
	first = max(dayOf(past[0]), end.Add(1-n))
	next, most := 0, 0
	for d := first; d <= max(first, end); d = d.Add(1) {
		for next < len(past) && dayOf(past[next]) <= d {
			most = max(most, *past[next].Available)
			next++
		}
		left := *past[max(0, next-1)].Available
		days = append(days, TakenDay{left, most - left})
	}
	return first, days
}
