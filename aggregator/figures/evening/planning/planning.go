// Package planning says what a programme leaves open and where it clashes: evenings that are filled, places that are taken, two
// performances in one hall.
package planning

import (
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
)

// Occupied adds up what is sold of the performances that go ahead and whose occupancy is known, and their capacity.
func Occupied(shows []*evening.Show) (sold, capacity figures.Figure[int]) {
	for _, s := range shows {
		if s.Phase.GoesAhead() && s.Occupancy().Known() {
			sold = figures.New(sold.Value+s.Sold.Value, sold.Caveat().And(s.Sold.Caveat()))
			capacity = figures.New(capacity.Value+s.Capacity.Value, capacity.Caveat().And(s.Capacity.Caveat()))
		}
	}
	return sold, capacity
}

// eveningFrom is when a performance must begin at the earliest to fill an evening, by the clock of the venue.
const (
	eveningFrom = 17 * time.Hour
	goesOnUntil = 20 * time.Hour // or end, at the earliest
)

// FillsEvening reports whether a performance goes ahead and is in the evening of its day, or goes on far into it. One without a time is
// taken for an evening's.
func FillsEvening(v *evening.Evening, s *evening.Show) bool {
	at := s.Event.StartsAt
	if !s.Phase.GoesAhead() || at.IsZero() {
		return s.Phase.GoesAhead()
	}
	from := func(at time.Time, clock time.Duration) bool {
		at = at.In(v.Snapshot.Calendar.Location())
		return time.Duration(at.Hour())*time.Hour+time.Duration(at.Minute())*time.Minute >= clock || figures.Day(at.Format(time.DateOnly)) > s.Date // after midnight
	}
	return from(at, eveningFrom) || !s.Event.EndsAt.IsZero() && from(s.Event.EndsAt, goesOnUntil)
}

const (
	// WeeksAround is how many weeks before and after an evening say which halls are played in on such evenings.
	WeeksAround = 8
	// leastEvenings is of how many of those evenings there must be a performance for them to say so.
	leastEvenings = 4
)

// EmptyHalls returns, by name, the halls without a performance on an evening that are played in on at least half of the
// evenings of its weekday in the weeks around it, of those on which there is one at all. Shows are the performances of these weeks.
func EmptyHalls(v *evening.Evening, on figures.Day, shows []*evening.Show) (halls []string) {
	weekday := make(map[figures.Day]bool)
	for week := -WeeksAround; week <= WeeksAround; week++ {
		weekday[on.Add(7*week)] = true
	}
	type place struct {
		hall string
		day  figures.Day
	}
	days, played, filled := map[figures.Day]bool{}, map[string]int{}, map[place]bool{}
	for _, s := range shows {
		at := place{s.Event.Hall, s.Date}
		if !weekday[s.Date] || filled[at] || !FillsEvening(v, s) {
			continue
		}
		filled[at] = true
		if s.Date != on {
			days[s.Date] = true
			played[s.Event.Hall]++
		}
	}
	for hall, n := range played {
		if hall != "" && len(days) >= leastEvenings && 2*n >= len(days) && !filled[place{hall, on}] {
			halls = append(halls, hall)
		}
	}
	slices.Sort(halls)
	return halls
}

// Clash is two performances that are in one hall at the same time.
type Clash struct{ Earlier, Later *evening.Show }

// Clashes returns which of some performances, in order of time, go ahead in a hall in which an earlier one has not
// ended. Each later performance is in at most one clash: with the one before it that ends last. An end that is not
// reported is not assumed: such a performance only clashes with one of the same minute.
func Clashes(shows []*evening.Show) (all []Clash) {
	until := func(s *evening.Show) time.Time {
		if s.Event.EndsAt.After(s.Event.StartsAt) {
			return s.Event.EndsAt
		}
		return s.Event.StartsAt
	}
	last := map[string]*evening.Show{} // by hall, the one that ends last
	for _, s := range shows {
		if !s.Phase.GoesAhead() || s.Event.Hall == "" || s.Event.StartsAt.IsZero() {
			continue
		}
		before := last[s.Event.Hall]
		if before != nil && (until(before).After(s.Event.StartsAt) || before.Event.StartsAt.Equal(s.Event.StartsAt)) {
			all = append(all, Clash{before, s})
		}
		if before == nil || !until(before).After(until(s)) {
			last[s.Event.Hall] = s
		}
	}
	return all
}

// ForecastShare returns the share of the capacity that planning expects to be taken; 0 without a forecast, and where more is
// sold already.
func ForecastShare(e *figures.EventFigures) float64 {
	if !e.Forecast.Known() || !e.Capacity.Known() || e.Capacity.Value <= 0 || e.Forecast.Value < e.Sold.Value {
		return 0
	}
	return float64(e.Forecast.Value) / float64(e.Capacity.Value)
}
