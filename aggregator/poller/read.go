package poller

import (
	"context"
	"errors"
	"time"

	"housecount/aggregator"
	"housecount/apiclient"
	"housecount/apiclient/record"
)

const (
	// overlap is read again with every poll: changes that the service had not yet
	// committed, or stamped with another clock, when it answered the poll before.
	overlap = 2 * time.Minute
	// maxBatch is the most records that one append takes.
	maxBatch = 500
)

// changes reads what changed since a time of the service's clock, but for the rest that the
// caller stores.
func (t *tenure) changes(ctx context.Context, s *stream, since time.Time) (readResult, error) {
	return t.read(ctx, s, apiclient.Query{UpdatedSince: since.Add(-overlap)}, nil)
}

// listRead is what a read of a list came to.
type readResult struct {
	// since is the service's time of the first page, asOf ours.
	since, asOf time.Time
	// wholeAt is when the list was last begun to be read whole.
	wholeAt   time.Time
	pages     int
	unchanged bool // see Query.Conditional
	// rows are those of all pages but the one that is being read; records are those of
	// them that were yielded, refused ones included. At the end both are of all pages.
	rows, records int
	// total is the most rows that a page said there are, 0 when none did.
	total int
	// rest are the records that are still to be stored, appended is what became of the others.
	pending  []record.Record
	appended appended
}

// streamRead is a read of a list under way.
type pageReader struct {
	readResult
	t       *tenure
	s       *stream
	q       *apiclient.Query
	refused readCounts // in this read

	rowsSoFar int  // rows with the page that is being read
	pageBegun bool // a page has come whose first record has not
	// resume is where to go on once the records at hand are stored, resumeAfter once those
	// of the page are too.
	resume, resumeAfter string
}

// read reads what q asks for and stores it page by page and at most maxBatch records at
// once, but for the rest. A first sync leaves where to go on with every page. Between, if not
// nil, is called between two pages; its error ends the read.
func (t *tenure) read(ctx context.Context, s *stream, q apiclient.Query, between func(*readResult) error) (readResult, error) {
	r := &pageReader{
		readResult: readResult{since: t.Now(), asOf: t.Now()},
		refused:    newReadCounts(),
		t:          t, s: s, q: &q,
	}
	q.Seen, q.Recognised = s.seenRows, s.seen.add
	q.OnPage = func(p apiclient.Page) {
		if t.markBehind(s) {
			t.write(ctx, t.streams...)
		}
		r.page(p)
	}
	for one, err := range t.Source.Read(ctx, s.Name, q) {
		if r.pageBegun {
			r.pageBegun = false
			if err := r.store(ctx, r.resume); err != nil {
				return r.readResult, err
			}
			if between != nil {
				if err := between(&r.readResult); err != nil {
					return r.readResult, err
				}
			}
		}
		if refused, ok := errors.AsType[*record.Refusal](err); ok {
			t.noteRefusal(s, refused, r.refused)
			s.seen.refuse(refused)
			s.seenRows.Forget(refused.Kind, refused.ID)
		} else if err != nil {
			// What came is good, and of the pages that came it is all.
			return r.readResult, errors.Join(err, r.store(ctx, r.resumeAfter))
		} else {
			r.pending = append(r.pending, one)
			s.seen.add(one.RecordKind(), one.RecordID())
		}
		r.records++
		if len(r.pending) == maxBatch {
			if err := r.store(ctx, ""); err != nil {
				return r.readResult, err
			}
		}
	}
	r.rows = r.rowsSoFar
	return r.readResult, nil
}

// page notes that a page came, whose records follow.
func (r *pageReader) page(p apiclient.Page) {
	if r.pages == 0 {
		r.asOf = r.t.Now()
		// A clock that runs ahead must not put the mark after what it has not reported yet.
		if !p.ServerTime.IsZero() && p.ServerTime.Before(r.since) {
			r.since = p.ServerTime
		}
		if r.q.From != "" {
			r.since = r.s.state.Began
		}
	}
	r.pageBegun = r.pages > 0
	r.pages++
	r.unchanged = p.Unchanged
	r.rows = r.rowsSoFar
	r.rowsSoFar += p.Rows
	r.total = max(r.total, p.Total)
	r.resume, r.resumeAfter = r.resumeAfter, p.Resume
	r.t.notePage(r.s, p, r.q)
}

// store stores the records at hand and, in a first sync, from where it goes on after them.
func (r *pageReader) store(ctx context.Context, resume string) error {
	var change func(*aggregator.StreamState)
	if isWhole(r.q) && resume != "" && !r.s.complete() {
		began := r.since
		change = func(s *aggregator.StreamState) { s.Began, s.Resume = began, resume }
	}
	if len(r.pending) == 0 && change == nil {
		return nil
	}
	if err := r.t.storePending(ctx, r.s, &r.readResult, change); err != nil {
		return err
	}
	r.s.seenRows.Commit()
	return nil
}

// storeRest stores the rest of a read, with the state as change (or nil) makes it.
func (t *tenure) storePending(ctx context.Context, s *stream, read *readResult, change func(*aggregator.StreamState)) error {
	if len(read.pending) == 0 && change == nil {
		return nil
	}
	a, err := t.append(ctx, s, read.pending, change)
	if err != nil {
		return err
	}
	read.appended.add(a)
	read.pending = nil
	return nil
}

// refuse remembers a record that the client refused in a read in which came did. The first
// refusal of a record is logged, but of no more records of a stream than are listed.
func (t *tenure) noteRefusal(s *stream, e *record.Refusal, came readCounts) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := aggregator.RefusedRecord{Kind: e.Kind, ID: e.ID, EventID: e.EventID, Field: e.Field, Why: e.Why}
	if !s.refused.add(one, came) {
		return
	}
	s.refused.logged++
	if s.refused.logged <= maxRefused {
		t.Logger.Warn("record refused", "stream", s.Name, "kind", e.Kind, "id", e.ID, "field", e.Field, "why", e.Why)
	}
	if s.refused.logged == maxRefused {
		t.Logger.Warn("further refused records are not logged", "stream", s.Name, "refused", s.refused.logged)
	}
}
