// Package planning says what a programme leaves open and where it clashes: evenings that are filled, places that are taken, two
// performances in one hall.
package planning

import (
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
const eveningFrom = 17 * time.Hour

// FillsEvening reports whether a performance goes ahead and is in the evening of its day. One without a time is taken
// for an evening's.
func FillsEvening(v *evening.Evening, s *evening.Show) bool {
	at := s.Event.StartsAt
	if !s.Phase.GoesAhead() || at.IsZero() {
		return s.Phase.GoesAhead()
	}
	at = at.In(v.Snapshot.Calendar.Location())
	clock := time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute
	return clock >= eveningFrom || figures.Day(at.Format(time.DateOnly)) > s.Date // after midnight
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
