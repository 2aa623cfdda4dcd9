package poller

import (
	"context"
	"errors"
	"slices"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

const (
	// withdrawnAfter is how long a stream that once answered counts as offered although the service reports
	// that it does not exist: a fault is more likely.
	withdrawnAfter = time.Hour
	// unasked is how much longer than between two polls a stream may be without an answer, by the venue's clock, until it counts as not
	// asked meanwhile.
	unasked = 15 * time.Minute
	// awaitFigures is how long a poll waits for the figures of what it stored.
	awaitFigures = 5 * time.Second
)

// succeeded stores the rest of what a poll of s read and where to continue. It returns how long to
// wait before the next poll, from now: the next moment was chosen before storing, and other lists are polled then too.
func (t *tenure) succeeded(ctx context.Context, s *stream, read readResult) (wait time.Duration, err error) {
	jitter := jittered()
	own := t.untilNext(s, jitter)
	wait = t.with(s, own, jitter)
	next, chosen := t.Now().Add(wait), time.Now()
	defer func() { wait = max(wait/10, wait-time.Since(chosen)) }() // a slow database gets a pause, too
	t.mu.Lock()
	s.waitingSince = time.Time{}
	failed := s.state.Missed > 0
	s.passing = false
	t.mu.Unlock()
	if s.rechecks { // what is still damaged in it is known only once it is stored
		if err := t.storePending(ctx, s, &read, nil); err != nil {
			return 0, err
		}
		s.commitRows(&read.appended.Appended)
	}
	doubted := t.doubt(s, &read)
	if read.whole && s.state.Rereading {
		t.Logger.Info("the list has been read anew", "stream", s.Name, "rows", read.rows, "took", read.took)
	}
	a, err := t.append(ctx, s, read.pending, func(state *aggregator.StreamState) {
		state.Since, state.Whole = read.since, read.wholeAt
		state.Began, state.Resume, state.Tonight, state.TonightResume = time.Time{}, "", "", ""
		state.Withdrawn, state.Behind = false, false
		state.Doubted, state.Overcounts = doubted, s.shortChanges > mostShort
		if read.whole {
			state.Mapping, state.Rereading = s.Mapping, false
			if state.Alarms == nil {
				state.Believed = t.Now()
			}
		}
		if state.Missed >= figures.FailingPolls && !state.LastGood.IsZero() {
			state.Past = state.Past.After(figures.PastFault{Fault: state.Fault, Status: state.FaultStatus, From: state.LastGood, Until: read.asOf})
		}
		if state.Missed >= figures.FailingPolls || state.Answers.IsZero() || read.asOf.Sub(state.LastGood) > state.Wait+unasked {
			state.Answers = read.asOf
		}
		state.LastGood = read.asOf
		state.Missed, state.Fault, state.FaultStatus = 0, "", 0
		state.Next, state.Wait = next, wait
	})
	if err != nil {
		return 0, err
	}
	if s.scout = false; failed {
		t.wakeFailed(s)
	}
	s.commitRows(&a)
	if len(a.Damaged) > 0 && !read.refused {
		read.refused = true
		doubted = t.doubt(s, &read)
		t.mu.Lock()
		s.state.Doubted, s.dirty = doubted, true
		t.mu.Unlock()
		t.write(ctx, s)
	}
	wait = t.beforeRecheck(s, wait)
	if read.appended.add(a); read.appended.New == 0 {
		return wait, nil
	}
	// The new figures may change the pace.
	found, cancel := context.WithTimeout(ctx, awaitFigures)
	defer cancel()
	if t.Figures.Await(found, read.appended.Revision) != nil {
		return wait, nil
	}
	if again := t.untilNext(s, jitter); again != own {
		wait, chosen = t.with(s, again, jitter), time.Now()
		t.mu.Lock()
		s.state.Next, s.state.Wait = t.Now().Add(wait), wait
		s.dirty = true
		t.mu.Unlock()
		t.write(ctx, s)
	}
	return wait, nil
}

// failed records that a poll of s failed and returns how long to wait before the next.
func (t *tenure) failed(ctx context.Context, s *stream, err error) time.Duration {
	if errors.Is(err, aggregator.ErrLeaseLost) {
		return 0
	}
	now := t.Now()
	pace, _ := t.Cadence.pace(t.Figures.Snapshot(), now)
	f := failureOf(err)
	t.mu.Lock()
	state := &s.state
	if !s.complete() {
		pace = min(pace, t.Cadence.OnSale) // before the first sync the house may only seem idle
	}
	s.waitingSince = time.Time{}
	if s.lateCount == 0 {
		state.Missed++
	}
	absent := f.fault == figures.FaultNotOffered || f.fault == figures.FaultForbidden
	state.Withdrawn = absent && !slices.Contains(s.soleKinds, record.KindEvent) && now.Sub(state.LastGood) >= withdrawnAfter
	if absent && !state.Withdrawn {
		f.fault = figures.FaultRejected
	}
	t.noteFault(s, f, err)
	s.passing = passes(f.fault, err)
	wait := max(time.Duration(float64(t.afterFault(s, pace))*jittered()), f.wait)
	if state.Withdrawn {
		wait = time.Duration(float64(notOfferedRetry) * jittered())
	}
	wait = max(wait, s.Every)
	state.Next, state.Wait = now.Add(wait), wait
	s.dirty = true
	t.mu.Unlock()
	t.write(ctx, s)
	return wait
}
