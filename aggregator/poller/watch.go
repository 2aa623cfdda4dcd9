package poller

import (
	"context"
	"slices"
	"time"

	"housecount/aggregator/figures"
)

// renewAfter is how long after its due time a stream that is still being read, or waits for its
// turn, gets a new due time: followers take silence for a failure.
const renewAfter = 10 * time.Second

// watch runs until ctx ends. It counts polls with late responses as missed, reports limits by which
// the service holds polls back, so that figures are not silently old, and writes states that a
// running poll has changed. But for a look a minute at what fails, it is idle while nothing is asked and everything is written.
func (t *tenure) watch(ctx context.Context) {
	var tick <-chan time.Time
	minute := time.NewTicker(failingChecked)
	defer minute.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.woken:
		case <-minute.C:
			t.remindOfFailing()
		case <-tick:
			tick = nil
			t.checkLate()
			t.write(ctx, t.streams...)
		}
		if tick == nil && t.busy() {
			tick = time.After(watchEvery)
		}
	}
}

// busy reports whether a response is awaited or a state has to be written.
func (t *tenure) busy() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.ContainsFunc(t.streams, func(s *stream) bool { return !s.waitingSince.IsZero() || s.dirty })
}

// checkLate checks every stream for a late response, a limit of the service and a passed due time.
func (t *tenure) checkLate() {
	now := t.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.streams {
		paused, limited := t.Source.Paused(s.Name) > 0, t.Source.Limited(s.Name)
		if !s.waitingSince.IsZero() && (paused || time.Since(s.waitingSince) >= s.patience) {
			s.waitingSince = time.Now()
			if !paused { // patience starts when the request is sent
				s.lateCount++
				s.state.Missed++
				t.noteFault(s, failure{fault: figures.FaultUnanswered}, context.DeadlineExceeded)
				s.dirty = true
			}
		}
		if !s.waitingSince.IsZero() && limited > 0 && time.Since(s.lastAnswer)+limited >= s.patience {
			t.noteHeldBack(s, limited)
		}
		if next := s.state.Next; now.Sub(next) > renewAfter && (!next.IsZero() || !s.waitingSince.IsZero()) {
			s.state.Next, s.state.Wait = now.Add(renewAfter), renewAfter
			s.dirty = true
		}
	}
}
