package poller

import (
	"context"
	"errors"
	"slices"
	"time"

	"housecount/aggregator"
	"housecount/apiclient"
	"housecount/apiclient/record"
)

const (
	// overlap is read again with every poll, because the service may commit a change late or date
	// it with another clock.
	overlap = 2 * time.Minute
	// maxBatch is the most records in one append.
	maxBatch = 500
	// maxFirstBatch is that of a first sync. Its pages of at least largePage rows that follow each other within storeTogether are
	// stored together: a page of the database is then written once for more of them.
	maxFirstBatch = 8000
	largePage     = 100
	storeTogether = time.Second / 2
)

// changes reads what changed since a time of the service's clock. The caller stores the pending
// records.
func (t *tenure) changes(ctx context.Context, s *stream, since time.Time) (readResult, error) {
	return t.read(ctx, s, apiclient.Query{UpdatedSince: since.Add(-overlap), Once: s.scout}, nil)
}

// readResult is the result of reading a list.
type readResult struct {
	// since is the service's time of the first page, asOf ours. from is the service's time from which on changes
	// were asked for; after a whole read, the time of the oldest record that it refused and that was not refused before.
	since, asOf, from time.Time
	// served is the service's time of the first page; zero if it reports none.
	served time.Time
	// whole reports that the whole list was read, and wholeAt is when the last such read began.
	whole     bool
	wholeAt   time.Time
	took      time.Duration
	pages     int
	unchanged bool // see Query.Conditional
	// rows counts the rows of all pages before the current one, records those of them that were
	// yielded, refused ones included. At the end both cover all pages.
	rows, records int
	// short reports that the list ended before its own total; see apiclient.Page.
	short bool
	// total is the largest total that a page reported, 0 if none did.
	total int
	// pending holds the records that are not stored yet, appended the outcome of storing the
	// others.
	pending  batch
	appended appended
	refused  bool // a record was refused
}

// batch is what one append stores of a list.
type batch struct {
	records []record.Record
	rows    []record.Row // those that say what is gone
}

func (b *batch) empty() bool { return len(b.records)+len(b.rows) == 0 }

func (b *batch) keys() []record.Key {
	keys := make([]record.Key, len(b.records))
	for i, one := range b.records {
		keys[i] = record.Key{Kind: one.RecordKind(), ID: one.RecordID()}
	}
	return keys
}

// pageReader reads a list page by page and stores its records.
type pageReader struct {
	readResult
	t      *tenure
	s      *stream
	q      *apiclient.Query
	counts readCounts // of the refusals of this read

	rowsSoFar int  // rows including the current page
	pageBegun bool // the first record of a new page has not come yet
	// resume is where to continue once the pending records are stored, resumeAfter once those of
	// the current page are too.
	resume, resumeAfter string
	// stored is when records were last stored, or the read began.
	stored time.Time
}

// read reads what q asks for. It stores the records page by page and at most maxBatch at once, and
// leaves the last ones pending. A first sync stores with its pages where to continue. between, if
// not nil, is called between two pages of which nothing is pending; its error ends the read.
func (t *tenure) read(ctx context.Context, s *stream, q apiclient.Query, between func(*readResult) error) (readResult, error) {
	r := &pageReader{
		readResult: readResult{since: t.Now(), asOf: t.Now()},
		counts:     newReadCounts(),
		t:          t, s: s, q: &q, stored: t.Now(),
	}
	q.Seen, q.OnRow = s.seenRows, r.row
	q.OnPage = func(p apiclient.Page) {
		if t.markBehind(s) {
			t.write(ctx, t.streams...)
		}
		r.page(p)
	}
	for one, err := range t.Source.Read(ctx, s.Name, q) {
		begun := r.pageBegun
		if r.pageBegun = false; begun && !r.waits() {
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
			if refused.Updated.IsZero() && !q.UpdatedSince.IsZero() {
				refused.Updated = q.UpdatedSince.Add(overlap)
			}
			t.noteRefusal(s, refused, r.counts)
			r.refused = true
			s.seen.refuse(refused)
			t.noteCame(s, refused.Kind, refused.ID)
			s.seenRows.Forget(refused.Kind, refused.ID)
		} else if err != nil {
			// The records so far are complete for the pages that came.
			return r.readResult, errors.Join(err, r.store(ctx, r.resumeAfter))
		} else {
			r.pending.records = append(r.pending.records, one)
		}
		r.records++
		if len(r.pending.records) == r.most() {
			if err := r.store(ctx, ""); err != nil {
				return r.readResult, err
			}
		}
	}
	r.rows = r.rowsSoFar
	if err := s.endedShort(&q, r.short); err != nil {
		return r.readResult, errors.Join(err, r.store(ctx, ""))
	}
	return r.readResult, nil
}

// mostShort and mostShortWhole are how many times in a row a list that ends before its own total counts as cut off, where it
// is read for changes or whole. After that its total counts more than it has.
const (
	mostShort      = 5
	mostShortWhole = 2
)

// endedShort returns an error if a read was cut off by the service, as one that is overloaded does: what came is sound, but
// not all.
func (s *stream) endedShort(q *apiclient.Query, short bool) error {
	if q.From != "" || q.EventID != "" {
		return nil
	}
	n, most := &s.shortChanges, mostShort
	if isWhole(q) {
		n, most = &s.shortWhole, mostShortWhole
	}
	if !short {
		*n = 0
		return nil
	}
	if *n++; *n > most {
		return nil
	}
	return &apiclient.Error{Kind: apiclient.Garbage, Stream: s.Name, Err: errShort}
}

// errShort is the cause where a list ends before its own total.
var errShort = errors.New("the list ended before its own total")

// page records the start of a page; its records follow.
func (r *pageReader) page(p apiclient.Page) {
	if r.pages == 0 {
		r.asOf, r.served = r.t.Now(), p.ServerTime
		// A service clock that is ahead must not move the mark past changes not yet reported.
		if !p.ServerTime.IsZero() && p.ServerTime.Before(r.since) {
			r.since = p.ServerTime
		}
		if r.q.From != "" {
			r.since = r.s.state.Began
		}
	}
	r.pageBegun = r.pages > 0
	r.pages++
	r.unchanged, r.short = p.Unchanged, r.short || p.Short
	r.rows = r.rowsSoFar
	r.rowsSoFar += p.Rows
	r.total = max(r.total, p.Total)
	r.resume, r.resumeAfter = r.resumeAfter, p.Resume
	r.t.notePage(r.s, p, r.q)
}

// first reports whether a whole list is read for the first time.
func (r *pageReader) first() bool { return isWhole(r.q) && !r.s.complete() }

// most returns the most records to store at once.
func (r *pageReader) most() int {
	if r.first() {
		return maxFirstBatch
	}
	return maxBatch
}

// waits reports whether what is pending is stored together with the page that has begun.
func (r *pageReader) waits() bool {
	rows := r.rowsSoFar - r.rows
	return r.first() && rows >= largePage && len(r.pending.records)+rows < maxFirstBatch && r.t.Now().Sub(r.stored) < storeTogether
}

// store stores the pending records and, in a first sync, where to continue after them.
func (r *pageReader) store(ctx context.Context, resume string) error {
	var change func(*aggregator.StreamState)
	switch {
	case resume == "" || r.s.complete():
	case r.q.EventID != "":
		change = func(s *aggregator.StreamState) {
			s.Tonight, s.TonightResume, s.Mapping = r.q.EventID, resume, r.s.Mapping
		}
	case isWhole(r.q):
		began := r.since
		change = func(s *aggregator.StreamState) { s.Began, s.Resume, s.Mapping = began, resume, r.s.Mapping }
	}
	if r.pending.empty() && change == nil {
		return nil
	}
	if err := r.t.storePending(ctx, r.s, &r.readResult, change); err != nil {
		return err
	}
	r.s.commitRows(&r.appended.Appended)
	r.stored = r.t.Now()
	return nil
}

// row records a row of the list.
func (r *pageReader) row(row record.Row) {
	for _, one := range row.Records {
		r.s.seen.add(one.Kind, one.ID)
		r.t.noteCame(r.s, one.Kind, one.ID)
	}
	if row.ID == "" {
		return
	}
	if !row.Updated.IsZero() && row.Updated.Before(r.s.shrunk[row.ID]) {
		r.pending.records = slices.DeleteFunc(r.pending.records, func(one record.Record) bool {
			return slices.Contains(row.Records, record.Key{Kind: one.RecordKind(), ID: one.RecordID()}) && !one.RecordUpdated().After(row.Updated)
		})
		return
	}
	row.Records = slices.DeleteFunc(slices.Clone(row.Records), func(one record.Key) bool { return !slices.Contains(r.s.rowKinds, one.Kind) })
	r.pending.rows = append(r.pending.rows, row)
}

// storePending stores the pending records, with the state modified by change if that is not nil.
func (t *tenure) storePending(ctx context.Context, s *stream, read *readResult, change func(*aggregator.StreamState)) error {
	if read.pending.empty() && change == nil {
		return nil
	}
	a, err := t.append(ctx, s, read.pending, change)
	if err != nil {
		return err
	}
	read.appended.add(a)
	read.refused = read.refused || len(a.Damaged) > 0
	read.pending = batch{}
	return nil
}

// noteRefusal adds a record that the client refused; came counts the refusals of the current read.
// Each record is logged once, up to maxRefused per stream.
func (t *tenure) noteRefusal(s *stream, e *record.Refusal, came readCounts) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.listRefusal(s, e, false, came)
}

// listRefusal is noteRefusal with t.mu held; damaged is RefusedRecord.Damaged.
func (t *tenure) listRefusal(s *stream, e *record.Refusal, damaged bool, came readCounts) {
	one := aggregator.RefusedRecord{Kind: e.Kind, ID: e.ID, EventID: e.EventID, Field: e.Field, Why: e.Why, Damaged: damaged, Since: e.Updated}
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
