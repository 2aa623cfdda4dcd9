// Package poller decides what to ask the ticketing service and when. It reads the lists of a Source
// into the Log, with what it learned of each list: how far it was read, when it last answered, what
// failed and what was refused. It computes no figures; aggregator.Figures follows the log.
//
// Only the process that holds the log's lease polls. It continues from the state in the log,
// whichever process wrote it. Each list has its own goroutine, so that a stalled list does not hold
// up the others; during a first sync lists of tickets, scans and payments wait for the first poll of the lists of events, and
// other lists for those of all before them. No lock
// is held while waiting for the service or the log.
//
// If the log accepts nothing for a while, polls are lost but no records: a mark only moves in the
// transaction that stores the records before it. Other state, such as which polls failed, is
// written as soon as the log accepts it and is lost with the lease: the next tenure knows only what
// is in the log.
//
// The files in the order of the data: options and cadence (what is polled and how often), poller
// and tenure (one term of the lease), stream and status (a list), sync, readall, wholeread, missing and
// seen (which read is due, and what is gone), read (one read), refused, write (into the log), outcome, fault and watch
// (how it went), nudge (the service says that there is news), upkeep (what is taken out of the log).
package poller

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"housecount/aggregator"
)

// Poller polls the service while it holds the lease.
type Poller struct{ options Options }

// New validates o and returns a Poller.
func New(o Options) (*Poller, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Poller{o}, nil
}

// Run polls whenever this process holds the lease, until ctx ends. It returns once everything that
// it started has ended, and returns nil if ctx ended it. An unreachable service or a failing log is
// not an error.
func (p *Poller) Run(ctx context.Context) error {
	return p.options.Log.Lead(ctx, func(ctx context.Context, term int64) error {
		return newTenure(p.options, term).run(ctx)
	})
}

// run loads the streams and polls them until ctx ends, or until an append fails with
// aggregator.ErrLeaseLost, which it then returns.
func (t *tenure) run(ctx context.Context) error {
	ctx, t.cancel = context.WithCancelCause(ctx)
	defer t.cancel(nil)
	states, ok := t.loadStates(ctx)
	if !ok {
		return nil
	}
	t.streams = newStreams(t.Source.Streams(), states, t.Cadence.Busy)
	t.Logger.Info("this process polls", "term", t.term)
	for _, s := range t.streams {
		if s.state.Rereading {
			t.Logger.Info("what the rows of a list become has changed; it is read anew", "stream", s.Name)
		}
	}
	t.write(ctx, t.streams...)
	var wg sync.WaitGroup
	for _, s := range t.streams {
		wg.Go(func() { t.poll(ctx, s) })
	}
	wg.Go(func() { t.maintainLog(ctx) })
	wg.Go(func() { t.followNudges(ctx) })
	t.watch(ctx)
	wg.Wait()
	if errors.Is(context.Cause(ctx), aggregator.ErrLeaseLost) {
		t.Logger.Warn("another process polls, or the lease could not be kept", "term", t.term)
		return aggregator.ErrLeaseLost
	}
	return nil
}

// loadStates waits for the figures that polls depend on and returns the states of the streams. ok
// is false if ctx ended.
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

// poll polls s repeatedly until ctx ends.
func (t *tenure) poll(ctx context.Context, s *stream) {
	if !s.complete() {
		for _, before := range s.before {
			select {
			case <-before.polled:
			case <-ctx.Done():
				return
			}
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
			read.took = time.Since(began)
			wait, err = t.succeeded(ctx, s, read)
		}
		if err != nil {
			wait = t.failed(ctx, s, err)
		}
		t.reportPoll(s, time.Since(began), err)
		if first {
			close(s.polled)
		}
		// A list whose polls fail keeps its wait, unless a person has to allow them, which is then a nudge.
		if !t.rest(ctx, s, began, wait, err != nil && !waitsForGrant(err)) {
			return
		}
	}
}

// reportPoll calls Options.Polled for a poll of s that ended with err.
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

// readDue reads from s what the log does not have.
func (t *tenure) readDue(ctx context.Context, s *stream) (read readResult, err error) {
	begun := t.Now()
	s.rechecks, s.confirmed = false, nil
	switch {
	case !s.complete():
		read, err = t.firstSync(ctx, s)
		read.from, read.whole = s.refused.oldest(nil), true
	case t.wholeIsDue(s):
		known := maps.Clone(s.refused.lastSeen)
		read, err = t.reconcile(ctx, s)
		read.from, read.whole = s.refused.oldest(known), true
	default:
		from := s.changesFrom()
		if s.ReadsWhole && len(s.soleKinds) > 0 {
			read, err = t.wholeChanges(ctx, s, from)
		} else {
			read, err = t.changes(ctx, s, from)
		}
		read.from, begun = from, s.state.Whole
	}
	read.wholeAt = begun
	return read, err
}
