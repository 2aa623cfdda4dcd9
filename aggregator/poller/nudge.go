package poller

import (
	"context"
	"maps"
	"time"
)

const (
	// nudgeBurst is how many polls in a row may follow nudges at once, though nudgeGap apart: a sale shows at once also
	// when the list was just polled. In the long run nudges have a list polled no more often than Cadence.Busy.
	nudgeBurst = 3
	nudgeGap   = time.Second
)

// followNudges wakes the lists that the service says have news, until ctx ends. What was said before the tenure began
// is covered by its first polls.
func (t *tenure) followNudges(ctx context.Context) {
	if t.Nudges == nil {
		return
	}
	var seen map[string]int64
	failing := false
	for {
		now, err := t.Nudges(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil && !failing {
			t.Logger.Warn("what the service says of news cannot be read; lists are polled at their pace", "error", err)
		}
		if failing = err != nil; !failing {
			if seen != nil {
				t.nudge(seen, now)
			}
			seen = maps.Clone(now)
		}
		var again <-chan time.Time
		if failing {
			again = time.After(watchEvery)
		}
		select {
		case <-t.Nudged:
		case <-again:
		case <-ctx.Done():
			return
		}
	}
}

// nudge wakes the lists whose number has grown, or all of them if that of no list in particular has.
func (t *tenure) nudge(seen, now map[string]int64) {
	for _, s := range t.streams {
		if now[""] > seen[""] || now[s.Name] > seen[s.Name] {
			select {
			case s.nudged <- struct{}{}:
			default: // it is about to be polled already
			}
		}
	}
}

// rest waits until s is to be polled again: for the given time, or less if the service says that there is news. A poll because
// of news takes one of the burst of s, or waits for it, and begins nudgeGap after the last one, or when the list has rested, at
// the soonest. With keeps it waits as long as that in any case, unless another list of the service answers again. It reports
// whether ctx goes on.
func (t *tenure) rest(ctx context.Context, s *stream, began time.Time, wait time.Duration, keeps bool) bool {
	end := time.Now().Add(wait)
	due, nudged, again := time.After(wait), s.nudged, s.answersAgain
	if keeps {
		nudged = nil
	} else {
		again = nil
		select {
		case <-s.answersAgain: // of a fault that is over
		default:
		}
	}
	for {
		select {
		case <-due:
			return true
		case <-again:
			return true
		case <-nudged:
			nudged = nil
			gap := max(min(nudgeGap, t.Cadence.Busy), s.Every) - time.Since(began)
			turn := s.burst.Reserve()
			if sooner := max(gap, turn.Delay(), 0); sooner < time.Until(end) {
				due = time.After(sooner)
			} else {
				turn.Cancel()
			}
		case <-ctx.Done():
			return false
		}
	}
}
