package poller

import (
	"context"
	"slices"
	"time"

	"housecount/aggregator/figures"
)

// renewAfter is how long after it was to be asked a stream that is still being read, or
// waits for its turn, is said to be asked soon: followers take silence for a failure.
const renewAfter = 10 * time.Second

// watch, until ctx ends, counts polls as missed whose answer is late and names a limit of the
// service that holds them back, so that figures are not silently old, and writes what a poll that goes on has changed. While
// nothing is asked and all is written it rests.
func (t *tenure) watch(ctx context.Context) {
	var tick <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.woken:
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

// underWay says that an answer is awaited, or a state is to be written.
func (t *tenure) busy() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.ContainsFunc(t.streams, func(s *stream) bool { return !s.waitingSince.IsZero() || s.dirty })
}

func (t *tenure) checkLate() {
	paused, limited, now := t.Source.Paused() > 0, t.Source.Limited(), t.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.streams {
		if !s.waitingSince.IsZero() && (paused || time.Since(s.waitingSince) >= s.patience) {
			s.waitingSince = time.Now()
			if !paused { // patience begins when the question does
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
