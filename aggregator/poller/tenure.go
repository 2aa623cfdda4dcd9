package poller

import (
	"context"
	"sync"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient"
)

const (
	// watchEvery is how often streams that are being read are looked at for answers that are
	// late, and how soon the log is tried again.
	watchEvery = time.Second
	// behindAfter is how long after its last good answer, beside two polls as they are planned, a list is
	// behind.
	behindAfter = time.Hour
	// leastPatience is how long an answer may take before the poll counts as missed, where
	// the pace is faster.
	minPatience = 10 * time.Second
)

// tenure is the time in which this process polls: one term of the lease.
type tenure struct {
	Options
	term    int64
	streams []*stream // in the order of Source.Streams
	lost    context.CancelCauseFunc
	// stirred receives when there may be something to watch: a poll began, or a state is to
	// be written.
	woken chan struct{}
	// thinned is of how long a time one reading is left on the days that were thinned out, and thinnedOn
	// the day on which that was last seen to.
	thinned   map[figures.Day]time.Duration
	thinnedOn figures.Day

	mu sync.Mutex // guards the status of every stream
}

func newTenure(o Options, term int64) *tenure {
	return &tenure{Options: o, term: term, woken: make(chan struct{}, 1), thinned: map[figures.Day]time.Duration{}}
}

func (t *tenure) wake() {
	select {
	case t.woken <- struct{}{}:
	default:
	}
}

// begin says that a poll of s begins.
func (t *tenure) beginPoll(s *stream) {
	pace, _ := t.Cadence.pace(t.Figures.Snapshot(), t.Now())
	t.mu.Lock()
	defer t.mu.Unlock()
	s.waitingSince, s.lateCount = time.Now(), 0
	s.lastAnswer, s.heldUntil = s.waitingSince, time.Time{}
	s.patience = max(minPatience, min(pace, t.Cadence.OnSale))
	t.wake()
	if !s.complete() && s.state.Resume == "" {
		s.state.Read, s.state.Total = 0, -1
	}
}

// fallBehind notes, once s answers again that has not been read for long, which lists have not either, and says
// whether any other is among them: what s gives is counted with what they do. While nothing answers, all is
// as it was, and as old as the strip says.
func (t *tenure) markBehind(s *stream) (any bool) {
	now := t.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	late := func(s *stream) bool {
		return s.complete() && !s.state.Withdrawn && now.Sub(s.state.LastGood) > behindAfter+2*max(t.Cadence.Idle, s.Every)
	}
	if !late(s) {
		return false
	}
	for _, s := range t.streams {
		if late(s) && !s.state.Behind {
			s.state.Behind, s.dirty, any = true, true, true
		}
	}
	return any
}

// answered says that a page of s came that q asked for.
func (t *tenure) notePage(s *stream, p apiclient.Page, q *apiclient.Query) {
	t.mu.Lock()
	defer t.mu.Unlock()
	state := &s.state
	s.waitingSince = time.Now()
	s.lastAnswer, s.heldUntil = s.waitingSince, time.Time{}
	state.Took = p.Took
	if !q.UpdatedSince.IsZero() && q.EventID == "" {
		state.Unfiltered = p.Unfiltered
	}
	if !s.complete() {
		state.LastGood = t.Now()
		if isWhole(q) {
			state.Read += p.Rows
			state.Total = p.Total
		}
	}
	if s.lateCount > 0 || state.Missed == 0 && state.Fault != "" { // late is not lost, nor is what was held
		state.Missed -= s.lateCount
		s.lateCount = 0
		s.dirty = true
		t.clearFault(s)
	}
}

// held notes that the service has us hold back, for so long, what a poll of s is to ask.
func (t *tenure) noteHeldBack(s *stream, limited time.Duration) {
	until := time.Now().Add(limited)
	if until.Sub(s.heldUntil).Abs() < watchEvery {
		return // it is noted
	}
	s.heldUntil = until
	err := &apiclient.Error{Kind: apiclient.RateLimited, Stream: s.Name, RetryAfter: limited}
	t.noteFault(s, failureOf(err), err)
	s.state.Next, s.state.Wait = t.Now().Add(limited), limited
	s.dirty = true
}

// missed notes why the last poll failed and logs it when it is the first to.
func (t *tenure) noteFault(s *stream, f failure, err error) {
	if s.state.Fault == "" {
		t.Logger.Warn("stream fails", "stream", s.Name, "fault", f.fault, "error", err)
	}
	s.state.Fault, s.state.FaultStatus = f.fault, f.status
}

// recovered forgets the fault of a stream that has no missed polls any more.
func (t *tenure) clearFault(s *stream) {
	if s.state.Missed == 0 && s.state.Fault != "" {
		t.Logger.Info("stream is back", "stream", s.Name, "after", s.state.Fault)
		s.state.Fault, s.state.FaultStatus = "", 0
	}
}
