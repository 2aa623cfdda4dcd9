package poller

import (
	"context"
	"errors"
	"time"

	"housecount/aggregator/figures/evening"
	"housecount/apiclient"
	"housecount/apiclient/record"
)

// comingEvents is how many events after today's are read first.
const comingEvents = 3

// firstSync reads everything, continuing an earlier attempt. Tonight's figures are wanted first: a
// list that can be filtered by event begins with tonight's events.
func (t *tenure) firstSync(ctx context.Context, s *stream) (readResult, error) {
	began := time.Now()
	resumes := s.state.Resume != ""
	t.Logger.Info("first sync begins", "stream", s.Name, "resumes", resumes)
	if !resumes && s.ByEvent && s.gives(record.KindTicket, record.KindScan) {
		if err := t.readTonight(ctx, s); err != nil {
			return readResult{}, err
		}
	}
	if !resumes {
		t.beginWhole(s)
	}
	all, err := t.readAll(ctx, s, apiclient.Query{From: s.state.Resume})
	if resumes && all.pages == 0 && isRejected(err) { // the position to resume from is no longer valid
		t.mu.Lock()
		s.state.Began, s.state.Resume = time.Time{}, ""
		t.mu.Unlock()
		t.beginPoll(s)
		return t.firstSync(ctx, s)
	}
	if err != nil {
		return readResult{}, err
	}
	if !resumes && !all.isShort() {
		t.endWhole(s)
	}
	t.Logger.Info("first sync ended", "stream", s.Name, "rows", all.rows, "took", time.Since(began))
	return all, nil
}

// readTonight reads the records of today's and the next events. If the service cannot filter by
// event, the full read has to suffice.
func (t *tenure) readTonight(ctx context.Context, s *stream) error {
	evening := evening.At(t.Figures.Snapshot(), t.Now())
	tonight, last := evening.Shows, len(evening.Shows)+comingEvents
	for e := range evening.Next() {
		if len(tonight) == last {
			break
		}
		tonight = append(tonight, e)
	}
	for _, e := range tonight {
		read, err := t.read(ctx, s, apiclient.Query{EventID: e.Event.ID}, nil)
		switch {
		case errors.Is(err, apiclient.ErrIgnoresEvent), isRejected(err):
			return nil
		case err != nil:
			return err
		}
		if err := t.storePending(ctx, s, &read, nil); err != nil {
			return err
		}
	}
	return nil
}

// isRejected reports whether the service or the client rejects a request as such.
func isRejected(err error) bool {
	e, ok := errors.AsType[*apiclient.Error](err)
	return ok && (e.Kind == apiclient.Rejected || e.Kind == apiclient.NotOffered)
}
