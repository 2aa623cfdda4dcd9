package poller

import (
	"context"
	"errors"
	"time"

	"housecount/aggregator"
	"housecount/apiclient"
)

// readAll reads and stores the whole list. That may take long, so it also reads the changes since
// the mark (or since it began) at the usual pace, to keep the figures current. The result is as of
// the last of these reads.
func (t *tenure) readAll(ctx context.Context, s *stream, q apiclient.Query) (readResult, error) {
	m := interimReader{t: t, s: s, since: s.state.Since, last: time.Now()}
	all, err := t.read(ctx, s, q, func(read *readResult) error { return m.poll(ctx, read) })
	if err != nil {
		return all, err
	}
	if err := t.storePending(ctx, s, &all, nil); err != nil {
		return all, err
	}
	if q.From != "" && m.asOf.IsZero() { // what earlier attempts read may be out of date
		if m.since.IsZero() {
			m.since = all.since
		}
		if err := m.read(ctx); err != nil {
			return all, err
		}
	}
	if !m.asOf.IsZero() {
		all.since, all.asOf = m.since, m.asOf
	}
	all.appended.add(m.appended.Appended)
	return all, nil
}

// interimReader reads the changes of a list while it is read whole.
type interimReader struct {
	t           *tenure
	s           *stream
	since, asOf time.Time // of the last read of changes
	last        time.Time // when that read ended
	took        time.Duration
	appended    appended
}

// poll reads the changes if it is time. A failure is ignored: if it persists, the next page fails
// too.
func (m *interimReader) poll(ctx context.Context, all *readResult) error {
	// Without a filter for changes this read costs as much as the whole list.
	pace, _ := m.t.Cadence.pace(m.t.Figures.Snapshot(), m.t.Now())
	if time.Since(m.last) < max(pace, m.s.Every, 2*m.took) {
		return nil
	}
	if m.since.IsZero() {
		m.since = all.since
	}
	began := time.Now()
	err := m.read(ctx)
	m.last = time.Now()
	m.took = m.last.Sub(began)
	if errors.Is(err, aggregator.ErrLeaseLost) {
		return err
	}
	return nil
}

// read reads and stores the changes. For a list that has been synced it counts as a poll.
func (m *interimReader) read(ctx context.Context) error {
	changed, err := m.t.changes(ctx, m.s, m.since)
	if err != nil {
		return err
	}
	var change func(*aggregator.StreamState)
	if m.s.complete() {
		change = func(s *aggregator.StreamState) {
			s.Since, s.LastGood, s.Behind = changed.since, changed.asOf, false
		}
	}
	if err := m.t.storePending(ctx, m.s, &changed, change); err != nil {
		return err
	}
	m.since, m.asOf = changed.since, changed.asOf
	m.appended.add(changed.appended.Appended)
	return nil
}
