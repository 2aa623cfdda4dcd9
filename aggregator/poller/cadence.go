package poller

import (
	"cmp"
	"math/rand/v2"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// Cadence is how often the service is asked.
type Cadence struct {
	Busy   time.Duration // from doors to curtain + 15 minutes; 3 s when zero
	OnSale time.Duration // while anything is on sale; 1 minute when zero
	Idle   time.Duration // otherwise; 15 minutes when zero
}

const (
	busyAfter = 15 * time.Minute // after the curtain
	// longestRetry ends the growth of the wait after failures; a slower cadence than this
	// is kept as it is.
	longestRetry = 30 * time.Second
	// askAgain is how often a stream is asked for that the service does not offer.
	notOfferedRetry = time.Hour
)

func (c Cadence) withDefaults() Cadence {
	return Cadence{
		Busy:   cmp.Or(c.Busy, 3*time.Second),
		OnSale: cmp.Or(c.OnSale, time.Minute),
		Idle:   cmp.Or(c.Idle, 15*time.Minute),
	}
}

// pace is how long it is from one poll at now to the next, and doors when visitors begin
// to arrive next, zero when they do already or that is not known.
func (c Cadence) pace(s *figures.Snapshot, now time.Time) (pace time.Duration, doors time.Time) {
	pace = c.Idle
	today := s.Calendar.Day(now)
	for _, e := range s.Events {
		opens, ends, ok := arrivalTimes(e)
		switch {
		case !ok || !now.Before(ends):
		case !now.Before(opens):
			return c.Busy, time.Time{}
		case doors.IsZero() || opens.Before(doors):
			doors = opens
		}
		if onSale(e, now, today) {
			pace = min(pace, c.OnSale)
		}
	}
	return pace, doors
}

// rush is when an event's visitors arrive; ok is false when no time is reported or nobody
// comes.
func arrivalTimes(e *figures.EventFigures) (opens, ends time.Time, ok bool) {
	switch e.Event.Status {
	case record.EventCancelled, record.EventPostponed, record.EventDraft:
		return opens, ends, false
	}
	h := e.Hours()
	return h.Doors, h.Curtain.Add(busyAfter), !h.Doors.IsZero()
}

// onSale says that tickets for a coming event can be bought; a service that reports no
// status may be selling.
func onSale(e *figures.EventFigures, now time.Time, today figures.Day) bool {
	if e.Event.Status != record.EventOnSale && e.Event.Status != "" {
		return false
	}
	curtain := e.Hours().Curtain
	if curtain.IsZero() {
		return e.Date >= today
	}
	return curtain.After(now)
}

// retry is how long to wait after a number of polls in a row failed: the pace, then twice
// as long each time up to longestRetry, so that a service that is back is soon noticed.
func retry(pace time.Duration, missed int) time.Duration {
	longer := pace
	for range missed - 1 {
		if longer *= 2; longer >= longestRetry {
			longer = longestRetry
			break
		}
	}
	return max(pace, longer)
}

// jittered is a factor of one give or take a tenth, so that many clients do not ask in step.
func jittered() float64 { return 0.9 + 0.2*rand.Float64() }
