package poller

import (
	"context"
	"errors"
	"time"

	"housecount/apiclient"
	"housecount/apiclient/record"
)

// comingEvents is how many events after today's are read before the rest.
const comingEvents = 3

// firstSync reads everything, from where an earlier try has come. The figures of tonight
// are wanted at once: a list that can be asked for one event begins with those of tonight.
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
	if resumes && all.pages == 0 && isRejected(err) { // the place to go on from has gone
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

// readTonight reads what belongs to today's and the next events. A service that cannot
// tell them apart is left to the full read.
func (t *tenure) readTonight(ctx context.Context, s *stream) error {
	evening := t.Figures.Snapshot().Evening(t.Now())
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

// unaccepted says that the service, or the client, does not accept a question as it is.
func isRejected(err error) bool {
	e, ok := errors.AsType[*apiclient.Error](err)
	return ok && (e.Kind == apiclient.Rejected || e.Kind == apiclient.NotOffered)
}
