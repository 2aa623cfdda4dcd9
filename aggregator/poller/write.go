package poller

import (
	"context"
	"errors"

	"housecount/aggregator"
)

// appended sums up the results of several batches.
type appended struct{ aggregator.Appended }

func (a *appended) add(o aggregator.Appended) {
	a.Revision = max(a.Revision, o.Revision)
	a.New += o.New
	a.Damaged = append(a.Damaged, o.Damaged...)
	a.Gone = append(a.Gone, o.Gone...)
}

// append stores a batch of s with its state, modified by change if that is not nil. The state
// changes only if they are stored.
func (t *tenure) append(ctx context.Context, s *stream, b batch, change func(*aggregator.StreamState)) (aggregator.Appended, error) {
	select {
	case s.writeTurn <- struct{}{}:
	case <-ctx.Done():
		return aggregator.Appended{}, ctx.Err()
	}
	defer func() { <-s.writeTurn }()
	t.mu.Lock()
	refused, keys := s.refused, b.keys()
	s.refused = refused.excluding(keys, false)
	state := s.stored()
	s.dirty = false
	t.mu.Unlock()
	now, synced := t.Now(), state.Complete()
	if change != nil {
		change(&state)
	}
	if !synced && state.Complete() {
		state.Synced = now
	}
	a, err := t.Log.Append(ctx, aggregator.Batch{Term: t.term, SeenAt: now, Records: b.records, Rows: b.rows, Moved: s.movedKinds, Confirmed: s.confirmed, Streams: []aggregator.StreamState{state}})
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		s.refused, s.dirty = refused, true
		t.wake()
		return a, t.logFailed(err)
	}
	if change != nil {
		fault := s.state.Fault
		change(&s.state)
		s.state.Synced = state.Synced
		if fault != "" && s.state.Fault == "" {
			t.failsNoMore(s, fault)
		}
	}
	listed := len(s.refused.list)
	for _, gone := range a.Gone {
		keys = append(keys, gone.Key)
		for _, row := range b.rows {
			if row.ID == gone.Row {
				s.shrunk[row.ID] = row.Updated
			}
		}
	}
	s.refused = s.refused.excluding(keys, true)
	for _, damage := range a.Damaged {
		t.listRefusal(s, damage, true, newReadCounts())
	}
	if len(a.Damaged) > 0 || len(s.refused.list) != listed {
		s.dirty = true
		t.wake()
	}
	return a, nil
}

// write stores the states of those streams that have changed. A stream that is being written is
// left to the next call, and so is a failed write.
func (t *tenure) write(ctx context.Context, streams ...*stream) {
	var states []aggregator.StreamState
	var written []*stream
	for _, s := range streams {
		t.mu.Lock()
		dirty := s.dirty
		t.mu.Unlock()
		if !dirty {
			continue
		}
		select {
		case s.writeTurn <- struct{}{}:
		default:
			t.wake()
			continue
		}
		t.mu.Lock()
		states = append(states, s.stored())
		s.dirty = false
		t.mu.Unlock()
		written = append(written, s)
	}
	if states == nil {
		return
	}
	_, err := t.Log.Append(ctx, aggregator.Batch{Term: t.term, SeenAt: t.Now(), Streams: states})
	for _, s := range written {
		if err != nil {
			t.mu.Lock()
			s.dirty = true
			t.mu.Unlock()
		}
		<-s.writeTurn
	}
	if err != nil {
		t.wake()
		t.logFailed(err)
	}
}

// logFailed wraps a failure of the log. If the lease is lost it ends the tenure.
func (t *tenure) logFailed(err error) error {
	if errors.Is(err, aggregator.ErrLeaseLost) {
		t.cancel(aggregator.ErrLeaseLost)
	}
	return &logError{err}
}
