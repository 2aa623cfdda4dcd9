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
	if s.state.Mapping != s.Mapping {
		t.forgetResume(s)
	}
	resumes := s.state.Resume != ""
	t.Logger.Info("first sync begins", "stream", s.Name, "resumes", resumes)
	if !resumes {
		if err := t.readTonight(ctx, s); err != nil {
			return readResult{}, err
		}
	}
	if !resumes {
		t.beginWhole(s)
	}
	from := s.state.Resume
	all, err := t.readAll(ctx, s, apiclient.Query{From: from})
	if resumes && all.pages == 0 && isRejected(err) { // the position to resume from is no longer valid
		t.forgetResume(s)
		t.beginPoll(s)
		return t.firstSync(ctx, s)
	}
	if errors.Is(err, errShort) { // where it ended is not where it goes on
		t.forgetResume(s)
	}
	if err != nil {
		t.leaveIfStuck(s, err, from, s.state.Resume)
		return readResult{}, err
	}
	if !resumes && !all.isShort() {
		t.endWhole(s)
	}
	t.Logger.Info("first sync ended", "stream", s.Name, "rows", all.rows, "took", time.Since(began))
	return all, nil
}

// forgetResume makes the first sync begin anew.
func (t *tenure) forgetResume(s *stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.state.Began, s.state.Resume, s.state.Tonight, s.state.TonightResume = time.Time{}, "", "", ""
}

// readTonight reads the records of today's and the next events that a list gives, continuing an earlier attempt. If the
// service cannot filter by event, the full read has to suffice.
func (t *tenure) readTonight(ctx context.Context, s *stream) error {
	if !s.ByEvent || !s.gives(record.KindTicket, record.KindScan, record.KindPayment) {
		return nil
	}
	evening := evening.At(t.Figures.Snapshot(), t.Now())
	tonight, last := evening.Shows, len(evening.Shows)+comingEvents
	for e := range evening.Next() {
		if len(tonight) == last {
			break
		}
		tonight = append(tonight, e)
	}
	for i, e := range tonight {
		if e.Event.ID == s.state.Tonight {
			tonight = tonight[i:]
			break
		}
	}
	for _, e := range tonight {
		q := apiclient.Query{EventID: e.Event.ID}
		if q.EventID == s.state.Tonight {
			q.From = s.state.TonightResume
		}
		read, err := t.read(ctx, s, q, nil)
		if q.From != "" && isRejected(err) { // the position to resume from is no longer valid
			q.From = ""
			read, err = t.read(ctx, s, q, nil)
		}
		t.leaveIfStuck(s, err, q.From, s.state.TonightResume)
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

// mostStuck is how many reads may fail in a row at one position before it is left: a fault of the service passes, and a
// position in a long list is worth waiting for.
const mostStuck = 5

// leaveIfStuck makes the first sync begin anew if reads that continued at a position fail there again and again, because
// the service does not go on there: the position may come from an answer that was wrong, and would fail for ever.
func (t *tenure) leaveIfStuck(s *stream, err error, from, reached string) {
	e, ok := errors.AsType[*apiclient.Error](err)
	switch {
	case !ok || from == "" || reached != from:
		s.stuck = 0
	case e.Kind == apiclient.Contradicts || e.Kind == apiclient.Endless:
		if s.stuck++; s.stuck >= mostStuck {
			s.stuck = 0
			t.forgetResume(s)
		}
	}
}

// isRejected reports whether the service or the client rejects a request as such.
func isRejected(err error) bool {
	e, ok := errors.AsType[*apiclient.Error](err)
	return ok && (e.Kind == apiclient.Rejected || e.Kind == apiclient.NotOffered)
}
