package poller

import (
	"context"
	"sync"
	"time"

	"housecount/apiclient"
)

const (
	// watchEvery is how often streams being read are checked for late responses, and how soon the
	// log is tried again.
	watchEvery = time.Second
	// behindAfter is how long after its last good response, plus two planned polls, a list is
	// behind.
	behindAfter = time.Hour
	// minPatience is how long a response may take before the poll counts as missed, if the pace is
	// faster.
	minPatience = 10 * time.Second
)

// tenure is one term of the lease, during which this process polls.
type tenure struct {
	Options
	term    int64
	streams []*stream // in the order of Source.Streams
	cancel  context.CancelCauseFunc
	// woken receives when there may be something to watch: a poll began, or a state has to be
	// written.
	woken chan struct{}

	mu      sync.Mutex // guards the status of every stream, and the following
	failing []*failing
}

func newTenure(o Options, term int64) *tenure {
	return &tenure{Options: o, term: term, woken: make(chan struct{}, 1)}
}

// wake makes watch check the streams.
func (t *tenure) wake() {
	select {
	case t.woken <- struct{}{}:
	default:
	}
}

// beginPoll records that a poll of s begins.
func (t *tenure) beginPoll(s *stream) {
	pace, _ := t.Cadence.pace(t.Figures.Snapshot(), t.Now())
	t.mu.Lock()
	defer t.mu.Unlock()
	s.waitingSince, s.lateCount = time.Now(), 0
	s.lastAnswer, s.heldUntil = s.waitingSince, time.Time{}
	s.patience = max(minPatience, min(pace, t.Cadence.OnSale))
	t.wake()
	if !s.complete() && s.state.Resume == "" || s.state.Rereading {
		s.state.Read, s.state.Total = 0, -1
	}
}

// markBehind is called when s answers. If s has not been read for long, it marks every list that
// has not been either, because their records are counted together, and reports whether any mark is
// new. While nothing answers, no list is marked: all are equally old, and the pages show how old.
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

// notePage records a page of s that q asked for.
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
	}
	if isWhole(q) && (!s.complete() || state.Rereading) {
		state.Read += p.Rows
		state.Total = p.Total
	}
	if s.lateCount > 0 || state.Missed == 0 && state.Fault != "" { // a late or held-back poll was not missed
		state.Missed -= s.lateCount
		s.lateCount = 0
		s.dirty = true
		t.clearFault(s)
	}
}

// noteHeldBack records that the service holds back the next request of a poll of s, and for how
// long.
func (t *tenure) noteHeldBack(s *stream, limited time.Duration) {
	until := time.Now().Add(limited)
	if until.Sub(s.heldUntil).Abs() < watchEvery {
		return // already recorded
	}
	s.heldUntil = until
	err := &apiclient.Error{Kind: apiclient.RateLimited, Stream: s.Name, RetryAfter: limited}
	t.noteFault(s, failureOf(err), err)
	s.state.Next, s.state.Wait = t.Now().Add(limited), limited
	s.dirty = true
}

// noteFault records why the last poll failed.
func (t *tenure) noteFault(s *stream, f failure, err error) {
	t.fails(s, f.fault, err)
	s.state.Fault, s.state.FaultStatus = f.fault, f.status
}

// clearFault clears the fault of a stream that has no more missed polls.
func (t *tenure) clearFault(s *stream) {
	if s.state.Missed == 0 && s.state.Fault != "" {
		t.failsNoMore(s, s.state.Fault)
		s.state.Fault, s.state.FaultStatus = "", 0
	}
}
