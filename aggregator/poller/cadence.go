package poller

import (
	"cmp"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
)

// Cadence is how often to poll.
type Cadence struct {
	Busy   time.Duration // from doors to curtain + 15 minutes, and while people come in at any other time; 3 s when zero
	OnSale time.Duration // while anything is on sale, or something without a time is on today; 1 minute when zero
	Idle   time.Duration // otherwise; 15 minutes when zero
}

const (
	busyAfter = 15 * time.Minute // after the curtain, and after somebody came in
	// longestRetry limits the growing wait after failures; a slower cadence than this stays as it
	// is.
	longestRetry = 30 * time.Second
	// notOfferedRetry is how often to ask for a stream that the service does not offer.
	notOfferedRetry = time.Hour
)

func (c Cadence) withDefaults() Cadence {
	return Cadence{
		Busy:   cmp.Or(c.Busy, 3*time.Second),
		OnSale: cmp.Or(c.OnSale, time.Minute),
		Idle:   cmp.Or(c.Idle, 15*time.Minute),
	}
}

// pace returns the interval between polls at now, and when doors next open; zero if visitors are
// already arriving or that is not known.
func (c Cadence) pace(s *figures.Snapshot, now time.Time) (pace time.Duration, doors time.Time) {
	pace = c.Idle
	today := s.Calendar.Day(now)
	for _, e := range s.Events {
		h := e.Hours()
		opens, ends, ok := arrivalTimes(e, h)
		switch {
		case cameLately(e, now):
			return c.Busy, time.Time{}
		case !ok && e.Date == today && evening.Untimed(e):
			pace = min(pace, c.OnSale)
		case !ok || !now.Before(ends):
		case !now.Before(opens):
			return c.Busy, time.Time{}
		case doors.IsZero() || opens.Before(doors):
			doors = opens
		}
		if onSale(e, h.Curtain, now, today) {
			pace = min(pace, c.OnSale)
		}
	}
	return pace, doors
}

// arrivalTimes returns when an event's visitors arrive. ok is false if no time is reported or
// nobody will come.
func arrivalTimes(e *figures.EventFigures, h figures.Hours) (opens, ends time.Time, ok bool) {
	switch e.Event.Status {
	case record.EventCancelled, record.EventPostponed, record.EventDraft:
		return opens, ends, false
	}
	return h.Doors, h.Curtain.Add(busyAfter), !h.Doors.IsZero()
}

// cameLately reports whether somebody came in shortly before now: doors are open then, whatever their time.
func cameLately(e *figures.EventFigures, now time.Time) bool {
	n := len(e.ArrivalMinutes)
	if n == 0 {
		return false
	}
	ago := now.Unix()/60 - e.ArrivalMinutes[n-1].Minute
	return ago >= 0 && ago <= int64(busyAfter/time.Minute)
}

// onSale reports whether tickets for a coming event may be on sale. An event without a status
// counts as on sale.
func onSale(e *figures.EventFigures, curtain, now time.Time, today figures.Day) bool {
	if e.Event.Status != record.EventOnSale && e.Event.Status != "" {
		return false
	}
	if curtain.IsZero() {
		return e.Date >= today
	}
	return curtain.After(now)
}
