// Package poller decides what to ask the ticketing service and when. It reads the lists of
// a Source into the Log, and writes what it learned of each list with them: how far it was
// read, when it last answered, what failed, what was refused. It computes no figure and
// shows nothing; aggregator.Figures follows the log.
//
// Only the process that holds the log's lease polls. It takes up the lists as the log says
// that they were left, by whatever process. Each list has a goroutine of its own, so that
// one that stalls holds up no other; in a first sync a list waits for the first poll of the
// list before it. No lock is held while the service or the log is waited for.
//
// A log that takes nothing for a while costs polls and no records: a mark only moves with
// the append that has the records before it. What else was learned, such as which polls
// failed, is written as soon as the log takes it, but ends with the lease: the next tenure,
// even of the same process, knows what the log has.
package poller

import (
	"context"
	"errors"
	"sync"
	"time"

	"housecount/aggregator"
)

// Poller polls the service while it holds the lease.
type Poller struct{ options Options }

// New checks o and returns a Poller.
func New(o Options) (*Poller, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Poller{o}, nil
}

// Run polls whenever this process holds the lease, until ctx ends; it returns when all that
// it started has ended, nil when that was because of ctx. Neither an unreachable service nor
// a log that takes nothing is an error.
func (p *Poller) Run(ctx context.Context) error {
	return p.options.Log.Lead(ctx, func(ctx context.Context, term int64) error {
		return newTenure(p.options, term).run(ctx)
	})
}

// run takes up the streams and polls them until ctx ends, or until an append has failed with
// aggregator.ErrLeaseLost, which it then returns.
func (t *tenure) run(ctx context.Context) error {
	ctx, t.lost = context.WithCancelCause(ctx)
	defer t.lost(nil)
	states, ok := t.loadStates(ctx)
	if !ok {
		return nil
	}
	t.streams = newStreams(t.Source.Streams(), states)
	t.Logger.Info("this process polls", "term", t.term)
	var wg sync.WaitGroup
	for _, s := range t.streams {
		wg.Go(func() { t.poll(ctx, s) })
	}
	wg.Go(func() { t.maintainLog(ctx) })
	wg.Go(func() { t.record(ctx) })
	t.watch(ctx)
	wg.Wait()
	if errors.Is(context.Cause(ctx), aggregator.ErrLeaseLost) {
		t.Logger.Warn("another process polls", "term", t.term)
		return aggregator.ErrLeaseLost
	}
	return nil
}

// takeUp waits until the figures are there that polls go by, and returns the states of the
// streams; ok is false when ctx ended.
func (t *tenure) loadStates(ctx context.Context) (states map[string]aggregator.StreamState, ok bool) {
	if t.Figures.Await(ctx, 0) != nil {
		return nil, false
	}
	for tries := 0; ; tries++ {
		all, _, err := t.Log.Streams(ctx)
		if err == nil {
			states = map[string]aggregator.StreamState{}
			for _, s := range all {
				states[s.Name] = s
			}
			return states, true
		}
		if tries == 0 {
			t.Logger.Error("the log cannot be read; it is tried again", "error", err)
		}
		select {
		case <-time.After(watchEvery):
		case <-ctx.Done():
			return nil, false
		}
	}
}

// poll polls s, one poll after the other, until ctx ends.
func (t *tenure) poll(ctx context.Context, s *stream) {
	if s.before != nil && !s.complete() {
		select {
		case <-s.before.polled:
		case <-ctx.Done():
			return
		}
	}
	for first := true; ; first = false {
		t.beginPoll(s)
		began := time.Now()
		read, err := t.readDue(ctx, s)
		if ctx.Err() != nil {
			return
		}
		var wait time.Duration
		if err == nil {
			wait, err = t.succeeded(ctx, s, read)
		}
		if err != nil {
			wait = t.failed(ctx, s, err)
		}
		t.reportPoll(s, time.Since(began), err)
		if first {
			close(s.polled)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
	}
}

// polled reports a poll of s that ended with err.
func (t *tenure) reportPoll(s *stream, took time.Duration, err error) {
	if t.Polled == nil || errors.Is(err, aggregator.ErrLeaseLost) {
		return
	}
	p := Poll{Stream: s.Name, Took: took}
	if err != nil {
		t.mu.Lock()
		p.Fault = s.state.Fault
		t.mu.Unlock()
	}
	t.Polled(p)
}

// readDue reads what s has that the log has not.
func (t *tenure) readDue(ctx context.Context, s *stream) (read readResult, err error) {
	begun := t.Now()
	switch {
	case !s.complete():
		read, err = t.firstSync(ctx, s)
	case t.wholeIsDue(s):
		read, err = t.reconcile(ctx, s)
	default:
		read, err = t.changes(ctx, s, s.state.Since)
		begun = s.state.Whole
	}
	read.wholeAt = begun
	return read, err
}
