package aggregator

import (
	"context"
	"errors"
	"iter"
	"time"

	"housecount/apiclient"
)

const (
	// overlap is read again with every look: changes that the service had not yet
	// committed, or stamped with another clock, when it answered the look before.
	overlap = 2 * time.Minute
	// maxBatch is the most records that one turn at the ledger takes.
	maxBatch = 500
	// comingEvents is how many events after today's are read before the rest.
	comingEvents = 3
)

// stream is one kind of record and the state of reading it.
type stream struct {
	kind    apiclient.Kind
	records func(context.Context, apiclient.Query) iter.Seq2[apiclient.Record, error]
	// before is the stream whose first look comes before a first sync of this one, nil for
	// none; looked is closed when that look has ended.
	before *stream
	looked chan struct{}
	mark   *Mark // of its own goroutine; nil until the first sync has ended

	pulse // under Aggregator.mu
}

// streams are the streams of src in the order of apiclient.Kinds.
func streams(src Source) []*stream {
	all := []*stream{
		{kind: apiclient.KindEvent, records: records(src.Events)},
		{kind: apiclient.KindTicket, records: records(src.Tickets)},
		{kind: apiclient.KindPayment, records: records(src.Payments)},
	}
	for i, s := range all {
		s.looked = make(chan struct{})
		s.pulse = pulse{health: StreamHealth{Kind: s.kind, Total: -1}, offered: true}
		if i > 0 {
			s.before = all[i-1]
		}
	}
	return all
}

func records[R apiclient.Record](read func(context.Context, apiclient.Query) iter.Seq2[R, error]) func(context.Context, apiclient.Query) iter.Seq2[apiclient.Record, error] {
	return func(ctx context.Context, q apiclient.Query) iter.Seq2[apiclient.Record, error] {
		return func(yield func(apiclient.Record, error) bool) {
			for r, err := range read(ctx, q) {
				if !yield(r, err) {
					return
				}
			}
		}
	}
}

// poll looks at s, one look after the other, until ctx ends.
func (a *Aggregator) poll(ctx context.Context, s *stream) {
	if s.before != nil && s.mark == nil {
		select {
		case <-s.before.looked:
		case <-ctx.Done():
			return
		}
	}
	for first := true; ; first = false {
		a.begin(s)
		asOf, err := a.look(ctx, s)
		if ctx.Err() != nil {
			return
		}
		wait := a.end(s, asOf, err)
		if first {
			close(s.looked)
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

// look reads what s has that we have not, and moves the mark when all of it was read. It
// returns the time of our clock for which that holds.
func (a *Aggregator) look(ctx context.Context, s *stream) (asOf time.Time, err error) {
	var got progress
	if s.mark != nil {
		got, err = a.changes(ctx, s, s.mark.Since)
	} else {
		got, err = a.firstSync(ctx, s)
	}
	if err != nil {
		return time.Time{}, err
	}
	mark := &Mark{Kind: s.kind, Since: got.since}
	if err := a.take(ctx, nil, mark); err != nil {
		return time.Time{}, err
	}
	s.mark = mark
	return got.asOf, nil
}

// changes reads what changed since a time of the service's clock.
func (a *Aggregator) changes(ctx context.Context, s *stream, since time.Time) (progress, error) {
	return a.read(ctx, s, apiclient.Query{UpdatedSince: since.Add(-overlap)}, nil)
}

// firstSync reads everything. It may take long, and the figures of tonight are wanted at
// once and stay in motion: so tickets begin with those of tonight, and at the pace of
// ordinary looks it also reads what changed since it began.
func (a *Aggregator) firstSync(ctx context.Context, s *stream) (progress, error) {
	a.logger.Info("first sync begins", "stream", s.kind)
	began := time.Now()
	if s.kind == apiclient.KindTicket {
		if err := a.readTonight(ctx, s); err != nil {
			return progress{}, err
		}
	}
	var last progress // of the changes
	lookedAt := time.Now()
	all, err := a.read(ctx, s, apiclient.Query{}, func(p progress) error {
		if pace, _ := a.cadence.pace(a.Snapshot(), a.now()); time.Since(lookedAt) < pace {
			return nil
		}
		lookedAt = time.Now()
		if last.since.IsZero() {
			last.since = p.since
		}
		// A failure is left to the next page, which fails too if it lasts.
		if changed, err := a.changes(ctx, s, last.since); err == nil {
			last = changed
		}
		return nil
	})
	if err != nil {
		return progress{}, err
	}
	a.logger.Info("first sync ended", "stream", s.kind, "rows", all.rows, "took", time.Since(began))
	if !last.asOf.IsZero() {
		return last, nil
	}
	return all, nil
}

// errUnfiltered says that the service ignores a filter.
var errUnfiltered = errors.New("aggregator: the service ignores event_id")

// readTonight reads the tickets of today's and the next events. A service that cannot
// tell them apart is left to the full read.
func (a *Aggregator) readTonight(ctx context.Context, s *stream) error {
	now, figures := a.now(), a.Snapshot()
	tonight := append(figures.Tonight(now), figures.Next(now, comingEvents)...)
	for _, e := range tonight {
		_, err := a.read(ctx, s, apiclient.Query{EventID: e.Event.ID}, func(p progress) error {
			if p.records < p.rows {
				return errUnfiltered
			}
			return nil
		})
		refusal, ok := errors.AsType[*apiclient.Error](err)
		switch {
		case errors.Is(err, errUnfiltered), ok && (refusal.Kind == apiclient.Rejected || refusal.Kind == apiclient.NotOffered):
			return nil
		case err != nil:
			return err
		}
	}
	return nil
}

// progress is how far a read has come.
type progress struct {
	// since is the service's time of the first page, asOf ours.
	since, asOf time.Time
	// rows are those of all pages but the one that is being read; records are those of
	// them that were yielded, refused ones included. At the end both are of all pages.
	rows, records int
}

// read hands on what q yields, each page by itself and at most maxBatch records at once.
// between, if not nil, is called between two pages; its error ends the read.
func (a *Aggregator) read(ctx context.Context, s *stream, q apiclient.Query, between func(progress) error) (progress, error) {
	p := progress{since: a.now(), asOf: a.now()}
	full := q.UpdatedSince.IsZero() && q.EventID == ""
	pages, rows := 0, 0 // with the page that is being read
	turned := false
	q.OnPage = func(page apiclient.Page) {
		if pages == 0 {
			p.asOf = a.now()
			if !page.ServerTime.IsZero() {
				p.since = page.ServerTime
			}
		}
		turned = pages > 0
		pages++
		p.rows = rows
		rows += page.Rows
		a.answered(s, page, full)
	}
	var batch []apiclient.Record
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		err := a.take(ctx, batch, nil)
		batch = nil
		return err
	}
	for r, err := range s.records(ctx, q) {
		if turned {
			turned = false
			if err := flush(); err != nil {
				return p, err
			}
			if between != nil {
				if err := between(p); err != nil {
					return p, err
				}
			}
		}
		refused, isRefused := errors.AsType[*apiclient.RecordError](err)
		switch {
		case isRefused:
			a.refuse(s, refused)
		case err != nil:
			// What came is good, only the mark has to wait.
			return p, errors.Join(err, flush())
		default:
			batch = append(batch, r)
		}
		p.records++
		if len(batch) == maxBatch {
			if err := flush(); err != nil {
				return p, err
			}
		}
	}
	p.rows = rows
	return p, flush()
}
