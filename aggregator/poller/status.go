package poller

import (
	"context"
	"errors"
	"slices"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/apiclient"
	"housecount/apiclient/record"
)

const (
	// watchEvery is how often the streams are looked at for answers that are late, and for
	// what is to be written.
	watchEvery = time.Second
	// leastPatience is how long an answer may take before the poll counts as missed, where
	// the pace is faster.
	leastPatience = 10 * time.Second
	// renewAfter is how long after it was to be asked a stream that is still being read, or
	// waits for its turn, is said to be asked soon: followers take silence for a failure.
	renewAfter = 10 * time.Second
	// withdrawnAfter is how long a stream that once answered counts as offered although
	// the service says that it has none: a fault that looks like that is more likely.
	withdrawnAfter = time.Hour
	// awaitFigures is how long a poll waits for figures of what it found.
	awaitFigures = 5 * time.Second
)

// streamStatus is what is known of a stream: the state that is written through the log, and
// what is on its way there.
type streamStatus struct {
	state   aggregator.StreamState // without Refused and Forgotten, which are of refusals
	refused refusals
	// dirty says that the log does not have all of it, nor will with the end of the poll.
	dirty bool
	// waiting is since when an answer is awaited (real time, zero when none is), patience
	// how long until that counts as a missed poll, late how often it did in this poll.
	waiting  time.Time
	patience time.Duration
	late     int
}

func newStreamStatus(state aggregator.StreamState) streamStatus {
	u := streamStatus{state: state, refused: newRefusals(state)}
	u.state.Refused, u.state.Forgotten = nil, 0
	return u
}

// complete says that the first sync has ended.
func (u *streamStatus) complete() bool { return u.state.Complete() }

// stored is the state as it goes into the log.
func (u *streamStatus) stored() aggregator.StreamState {
	s := u.state
	s.Refused, s.Forgotten = u.refused.stored()
	s.Alarms = slices.Clone(s.Alarms)
	return s
}

// begin says that a poll of s begins.
func (t *tenure) begin(s *stream) {
	pace, _ := t.cadence.pace(t.figures.Snapshot(), t.now())
	t.mu.Lock()
	defer t.mu.Unlock()
	s.waiting, s.late = time.Now(), 0
	s.patience = max(leastPatience, min(pace, t.cadence.OnSale))
	s.refused.beginRead()
	if !s.complete() && s.state.Resume == "" {
		s.state.Read, s.state.Total = 0, -1
	}
}

// answered says that a page of s came; whole that it belongs to a read of everything.
func (t *tenure) answered(s *stream, p apiclient.Page, whole bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	state := &s.state
	s.waiting = time.Now()
	state.Took = p.Took
	state.Unfiltered = state.Unfiltered || p.Unfiltered
	if !s.complete() {
		state.LastGood = t.now()
		if whole {
			state.Read += p.Rows
			state.Total = p.Total
		}
	}
	if s.late > 0 { // late is not lost
		state.Missed -= s.late
		s.late = 0
		s.dirty = true
		t.recovered(s)
	}
}

// succeeded writes the rest of what a poll of s read, with where to go on, and says how long
// to wait for the next.
func (t *tenure) succeeded(ctx context.Context, s *stream, read listRead) (wait time.Duration, err error) {
	jitter := jittered()
	wait = t.untilNext(s, jitter)
	next := t.now().Add(wait)
	t.mu.Lock()
	s.waiting = time.Time{}
	t.mu.Unlock()
	a, err := t.append(ctx, s, read.rest, func(state *aggregator.StreamState) {
		state.Since, state.Whole = read.since, read.wholeAt
		state.Began, state.Resume = time.Time{}, ""
		state.Withdrawn = false
		state.LastGood = read.asOf
		state.Missed, state.Fault, state.FaultText = 0, "", ""
		state.Next = next
	})
	if err != nil {
		return 0, err
	}
	s.seenRows.Commit()
	if read.appended.add(a); read.appended.New == 0 {
		return wait, nil
	}
	// What was found may have changed how soon to ask.
	found, cancel := context.WithTimeout(ctx, awaitFigures)
	defer cancel()
	if t.figures.Await(found, read.appended.Revision) != nil {
		return wait, nil
	}
	if again := t.untilNext(s, jitter); again != wait {
		wait = again
		t.mu.Lock()
		s.state.Next = t.now().Add(wait)
		s.dirty = true
		t.mu.Unlock()
		t.write(ctx, s)
	}
	return wait, nil
}

// untilNext is how long to wait after a poll that went well.
func (t *tenure) untilNext(s *stream, jitter float64) time.Duration {
	now := t.now()
	pace, doors := t.cadence.pace(t.figures.Snapshot(), now)
	wait := time.Duration(float64(pace) * jitter)
	if !doors.IsZero() {
		wait = min(wait, max(doors.Sub(now), t.cadence.Busy))
	}
	return max(wait, s.Every)
}

// failed notes and writes that a poll of s failed, and says how long to wait for the next.
func (t *tenure) failed(ctx context.Context, s *stream, err error) time.Duration {
	if errors.Is(err, aggregator.ErrLeaseLost) {
		return 0
	}
	now := t.now()
	pace, _ := t.cadence.pace(t.figures.Snapshot(), now)
	f := failureOf(s.rows(), err)
	t.mu.Lock()
	state := &s.state
	if !s.complete() {
		pace = min(pace, t.cadence.OnSale) // a house that is not known may only look idle
	}
	s.waiting = time.Time{}
	if s.late == 0 {
		state.Missed++
	}
	absent := f.fault == figures.FaultNotOffered || f.fault == figures.FaultForbidden
	state.Withdrawn = absent && !slices.Contains(s.own, record.KindEvent) && now.Sub(state.LastGood) >= withdrawnAfter
	if absent && !state.Withdrawn {
		f.fault = figures.FaultRejected
	}
	t.missed(s, f, err)
	wait := max(time.Duration(float64(retry(pace, state.Missed))*jittered()), f.wait)
	if state.Withdrawn {
		wait = time.Duration(float64(askAgain) * jittered())
	}
	wait = max(wait, s.Every)
	state.Next = now.Add(wait)
	s.dirty = true
	t.mu.Unlock()
	t.write(ctx, s)
	return wait
}

// missed notes why the last poll failed and logs it when it is the first to.
func (t *tenure) missed(s *stream, f failure, err error) {
	if s.state.Fault == "" {
		t.logger.Warn("stream fails", "stream", s.Name, "fault", f.fault, "error", err)
	}
	s.state.Fault, s.state.FaultText = f.fault, f.text
}

// recovered forgets the fault of a stream that has no missed polls any more.
func (t *tenure) recovered(s *stream) {
	if s.state.Missed == 0 && s.state.Fault != "" {
		t.logger.Info("stream is back", "stream", s.Name, "after", s.state.Fault)
		s.state.Fault, s.state.FaultText = "", ""
	}
}

// watch, until ctx ends, counts polls as missed whose answer is late, so that a service
// that hangs is not silently old, and writes what a poll that goes on has changed.
func (t *tenure) watch(ctx context.Context) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			t.lookForLate()
			t.write(ctx, t.streams...)
		}
	}
}

func (t *tenure) lookForLate() {
	paused, now := t.source.Paused() > 0, t.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.streams {
		if !s.waiting.IsZero() && (paused || time.Since(s.waiting) >= s.patience) {
			s.waiting = time.Now()
			if !paused { // patience begins when the question does
				s.late++
				s.state.Missed++
				t.missed(s, failure{fault: figures.FaultSlow, text: "The service has not answered yet."}, context.DeadlineExceeded)
				s.dirty = true
			}
		}
		if next := s.state.Next; now.Sub(next) > renewAfter && (!next.IsZero() || !s.waiting.IsZero()) {
			s.state.Next = now.Add(renewAfter)
			s.dirty = true
		}
	}
}
