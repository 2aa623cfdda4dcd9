package poller

import (
	"math/rand/v2"
	"time"
)

// untilNext returns how long to wait after a successful poll.
func (t *tenure) untilNext(s *stream, jitter float64) time.Duration {
	now := t.Now()
	pace, doors := t.Cadence.pace(t.Figures.Snapshot(), now)
	wait := time.Duration(float64(pace) * jitter)
	if !doors.IsZero() {
		wait = min(wait, max(doors.Sub(now), t.Cadence.Busy))
	}
	return max(wait, s.Every)
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

// jittered returns a random factor of 0.9 to 1.1, so that many clients do not poll in step.
func jittered() float64 { return 0.9 + 0.2*rand.Float64() }
