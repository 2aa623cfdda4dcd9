package poller

import (
	"math/rand/v2"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
)

// untilNext returns how long to wait after a successful poll.
func (t *tenure) untilNext(s *stream, jitter float64) time.Duration {
	now := t.Now()
	pace, doors := t.Cadence.pace(t.Figures.Snapshot(), now)
	wait := time.Duration(float64(pace) * jitter)
	if slices.Contains(s.Gives, record.KindEvent) && t.Cadence.OnSale < pace && onToday(t.Figures.Snapshot(), now) {
		wait = time.Duration(float64(t.Cadence.OnSale) * jitter)
	}
	if !doors.IsZero() {
		wait = min(wait, max(doors.Sub(now), t.Cadence.Busy))
	}
	return max(wait, s.Every)
}

// with returns the wait of s or, if that is about as long, until the next poll of another list of its service: a sale is in several lists,
// and what is read at one moment is shown as one. It is at most a fifth shorter, and never longer than by any jitter, or past
// the doors. A list that meets no other comes nearer to the first one each time. None is asked sooner for the sake of one
// whose answer takes more than a tenth of the wait: who follows that, later by its answer each time, is asked more often.
func (t *tenure) with(s *stream, wait time.Duration, jitter float64) time.Duration {
	_, doors := t.Cadence.pace(t.Figures.Snapshot(), t.Now())
	t.mu.Lock()
	defer t.mu.Unlock()
	now, next, sooner, later := t.Now(), wait, wait-wait/5, time.Duration(float64(wait)/jitter*mostJitter)
	if wait == s.Every { // without a jitter
		later = time.Duration(float64(wait) * mostJitter)
	}
	if !doors.IsZero() && now.Add(later).After(doors) {
		later = wait
	}
	apart, after := wait, false
	for _, other := range t.streams {
		then := other.state.Next.Sub(now)
		switch off := (then - wait).Abs(); {
		case other == s:
			after = true
		case other.Service != s.Service || other.state.Missed > 0 || other.state.Next.Equal(s.state.Next): // the poll that has just ended, by a clock that stands
		case then < wait && max(s.state.Took, other.state.Took) > wait/10:
		case then >= sooner && then <= later && off < apart:
			next, apart = then, off
		case apart == wait && !after && then > wait-sooner && then < sooner && (other.state.Wait-wait).Abs() <= wait/4:
			next = sooner
		}
	}
	next = max(next, s.Every)
	s.state.Next = now.Add(next) // for those that ask while this is being stored
	return next
}

// onToday reports whether something that goes ahead is on today and has not ended: until then another performance of today may be
// added or called off, which has to be seen soon also while nothing is sold.
func onToday(s *figures.Snapshot, now time.Time) bool {
	today := s.Calendar.Day(now)
	return slices.ContainsFunc(s.Events, func(e *figures.EventFigures) bool {
		end := e.Hours().End
		return e.Date == today && evening.MayBeOn(e) && (end.IsZero() || now.Before(end))
	})
}

// retry returns how long to wait after missed polls in a row: the pace, doubled each time up to
// longestRetry, so that a recovered service is soon noticed.
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

// jittered returns a random factor of 0.9 to mostJitter, so that many clients do not poll in step.
func jittered() float64 { return 0.9 + (mostJitter-0.9)*rand.Float64() }

const mostJitter = 1.1
