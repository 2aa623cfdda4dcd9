package poller

import (
	"context"
	"errors"
	"time"

	"housecount/aggregator"
	"housecount/apiclient"
	"housecount/apiclient/record"
)

// comingEvents is how many events after today's are read before the rest.
const comingEvents = 3

// firstSync reads everything, from where an earlier try has come. The figures of tonight
// are wanted at once: a list that can be asked for one event begins with those of tonight.
func (t *tenure) firstSync(ctx context.Context, s *stream) (listRead, error) {
	began := time.Now()
	resumes := s.state.Resume != ""
	t.Logger.Info("first sync begins", "stream", s.Name, "resumes", resumes)
	if !resumes && s.ByEvent && s.gives(record.KindTicket, record.KindScan) {
		if err := t.readTonight(ctx, s); err != nil {
			return listRead{}, err
		}
	}
	if !resumes {
		t.beginWhole(s)
	}
	all, err := t.readAll(ctx, s, apiclient.Query{From: s.state.Resume})
	if resumes && all.pages == 0 && unaccepted(err) { // the place to go on from has gone
		t.mu.Lock()
		s.state.Began, s.state.Resume = time.Time{}, ""
		t.mu.Unlock()
		t.begin(s)
		return t.firstSync(ctx, s)
	}
	if err != nil {
		return listRead{}, err
	}
	if !resumes && !all.short() {
		t.endWhole(s)
	}
	t.Logger.Info("first sync ended", "stream", s.Name, "rows", all.rows, "took", time.Since(began))
	return all, nil
}

// readAll reads and stores everything. It may take long, and the figures are to stay in
// motion: so it also reads, at the pace of ordinary polls, what changed since the mark or,
// without one, since it began. What was read is as of the last of these.
func (t *tenure) readAll(ctx context.Context, s *stream, q apiclient.Query) (listRead, error) {
	m := meanwhile{t: t, s: s, since: s.state.Since, last: time.Now()}
	all, err := t.read(ctx, s, q, func(read *listRead) error { return m.poll(ctx, read) })
	if err != nil {
		return all, err
	}
	if err := t.storeRest(ctx, s, &all, nil); err != nil {
		return all, err
	}
	if q.From != "" && m.asOf.IsZero() { // what came before it may be old
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

// meanwhile reads the changes of a list while it is read whole.
type meanwhile struct {
	t           *tenure
	s           *stream
	since, asOf time.Time // of the last such read
	last        time.Time // when that ended
	took        time.Duration
	appended    appended
}

// poll reads the changes when it is time for that. A failure is left to the next page, which
// fails too if it lasts.
func (m *meanwhile) poll(ctx context.Context, all *listRead) error {
	// Changes may cost as much as everything, where they cannot be asked for.
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

// read reads and stores what changed. In a list that has been synced, that is as good as a
// poll.
func (m *meanwhile) read(ctx context.Context) error {
	changed, err := m.t.changes(ctx, m.s, m.since)
	if err != nil {
		return err
	}
	var change func(*aggregator.StreamState)
	if m.s.complete() {
		change = func(s *aggregator.StreamState) { s.Since, s.LastGood = changed.since, changed.asOf }
	}
	if err := m.t.storeRest(ctx, m.s, &changed, change); err != nil {
		return err
	}
	m.since, m.asOf = changed.since, changed.asOf
	m.appended.add(changed.appended.Appended)
	return nil
}

// errUnfiltered says that the service ignores a filter.
var errUnfiltered = errors.New("poller: the service ignores event_id")

// readTonight reads what belongs to today's and the next events. A service that cannot
// tell them apart is left to the full read.
func (t *tenure) readTonight(ctx context.Context, s *stream) error {
	now, figures := t.Now(), t.Figures.Snapshot()
	tonight := append(figures.Tonight(now), figures.Next(now, comingEvents)...)
	for _, e := range tonight {
		read, err := t.read(ctx, s, apiclient.Query{EventID: e.Event.ID}, func(read *listRead) error {
			if 2*read.records < read.rows { // a row may give none that counts, or several
				return errUnfiltered
			}
			return nil
		})
		switch {
		case errors.Is(err, errUnfiltered), unaccepted(err):
			return nil
		case err != nil:
			return err
		}
		if err := t.storeRest(ctx, s, &read, nil); err != nil {
			return err
		}
	}
	return nil
}

// unaccepted says that the service, or the client, does not accept a question as it is.
func unaccepted(err error) bool {
	e, ok := errors.AsType[*apiclient.Error](err)
	return ok && (e.Kind == apiclient.Rejected || e.Kind == apiclient.NotOffered)
}
