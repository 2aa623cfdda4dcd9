package aggregator

import (
	"context"
	"errors"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient"
	"housecount/apiclient/record"
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

// stream is a list of the service and the state of reading it.
type stream struct {
	apiclient.Stream
	// before is the stream whose first look comes before a first sync of this one, nil for
	// none; looked is closed when that look has ended.
	before *stream
	looked chan struct{}
	// Of its own goroutine:
	mark Mark
	sweeping

	pulse // under Aggregator.mu
}

// streams are the streams of src in its order.
func streams(src Source) []*stream {
	var all []*stream
	givers := map[record.Kind]int{}
	for _, list := range src.Streams() {
		s := &stream{
			Stream: list,
			looked: make(chan struct{}),
			mark:   Mark{Stream: list.Name},
			pulse:  pulse{health: figures.StreamHealth{Name: list.Name, Kinds: list.Gives, Total: -1}, offered: true},
		}
		if len(all) > 0 {
			s.before = all[len(all)-1]
		}
		for _, kind := range list.Gives {
			givers[kind]++
		}
		all = append(all, s)
	}
	for _, s := range all {
		for _, kind := range s.Gives {
			if givers[kind] == 1 {
				s.own = append(s.own, kind)
			}
		}
		s.health.Shared = len(s.own) < len(s.Gives)
	}
	return all
}

// poll looks at s, one look after the other, until ctx ends.
func (a *Aggregator) poll(ctx context.Context, s *stream) {
	if s.before != nil && s.mark.Since.IsZero() {
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
	mark := Mark{Stream: s.Name, Whole: s.mark.Whole}
	switch {
	case s.mark.Since.IsZero():
		mark.Whole = a.now()
		got, err = a.firstSync(ctx, s)
	case a.wholeIsDue(s):
		mark.Whole = a.now()
		got, err = a.sweep(ctx, s)
	default:
		got, err = a.changes(ctx, s, s.mark.Since)
	}
	if err != nil {
		return time.Time{}, err
	}
	mark.Since = got.since
	if err := a.take(ctx, nil, &mark); err != nil {
		return time.Time{}, err
	}
	s.mark = mark
	return got.asOf, nil
}

// changes reads what changed since a time of the service's clock.
func (a *Aggregator) changes(ctx context.Context, s *stream, since time.Time) (progress, error) {
	return a.read(ctx, s, apiclient.Query{UpdatedSince: since.Add(-overlap)}, nil)
}

// firstSync reads everything, from where an earlier try has come. The figures of tonight
// are wanted at once: a list that can be asked for one event begins with those of tonight.
func (a *Aggregator) firstSync(ctx context.Context, s *stream) (progress, error) {
	began := time.Now()
	resumes := s.mark.From != ""
	a.logger.Info("first sync begins", "stream", s.Name, "resumes", resumes)
	if !resumes && s.ByEvent && s.health.Gives(record.KindTicket, record.KindScan) {
		if err := a.readTonight(ctx, s); err != nil {
			return progress{}, err
		}
	}
	all, err := a.readWhole(ctx, s, apiclient.Query{From: s.mark.From})
	if resumes && all.pages == 0 && unaccepted(err) {
		s.mark = Mark{Stream: s.Name} // the place to go on from has gone
		a.begin(s)
		return a.firstSync(ctx, s)
	}
	if err != nil {
		return progress{}, err
	}
	a.logger.Info("first sync ended", "stream", s.Name, "rows", all.rows, "took", time.Since(began))
	return all, nil
}

// readWhole reads everything. It may take long, and the figures are to stay in motion: so
// it also reads, at the pace of ordinary looks, what changed since the mark or, without
// one, since it began. What was read is as of the last of these.
func (a *Aggregator) readWhole(ctx context.Context, s *stream, q apiclient.Query) (progress, error) {
	if q.From == "" {
		a.forgetRows(s)
	}
	var last progress // of the changes
	last.since = s.mark.Since
	looked, took := time.Now(), time.Duration(0)
	all, err := a.read(ctx, s, q, func(p progress) error {
		// Changes may cost as much as everything, where they cannot be asked for.
		pace, _ := a.cadence.pace(a.Snapshot(), a.now())
		if time.Since(looked) < max(pace, s.Every, 2*took) {
			return nil
		}
		if last.since.IsZero() {
			last.since = p.since
		}
		began := time.Now()
		// A failure is left to the next page, which fails too if it lasts.
		if changed, err := a.changes(ctx, s, last.since); err == nil {
			last = changed
		}
		looked = time.Now()
		took = looked.Sub(began)
		return nil
	})
	if err == nil && q.From != "" && last.asOf.IsZero() { // what came before it may be old
		last, err = a.changes(ctx, s, all.since)
	}
	if err == nil && !last.asOf.IsZero() {
		all.since, all.asOf = last.since, last.asOf
	}
	return all, err
}

// errUnfiltered says that the service ignores a filter.
var errUnfiltered = errors.New("aggregator: the service ignores event_id")

// readTonight reads what belongs to today's and the next events. A service that cannot
// tell them apart is left to the full read.
func (a *Aggregator) readTonight(ctx context.Context, s *stream) error {
	now, figures := a.now(), a.Snapshot()
	tonight := append(figures.Tonight(now), figures.Next(now, comingEvents)...)
	for _, e := range tonight {
		_, err := a.read(ctx, s, apiclient.Query{EventID: e.Event.ID}, func(p progress) error {
			if 2*p.records < p.rows { // a row may give none that counts, or several
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
	}
	return nil
}

// unaccepted says that the service, or the client, does not accept a question as it is.
func unaccepted(err error) bool {
	e, ok := errors.AsType[*apiclient.Error](err)
	return ok && (e.Kind == apiclient.Rejected || e.Kind == apiclient.NotOffered)
}

// progress is how far a read has come.
type progress struct {
	// since is the service's time of the first page, asOf ours.
	since, asOf time.Time
	pages       int
	unchanged   bool // see Query.Conditional
	// rows are those of all pages but the one that is being read; records are those of
	// them that were yielded, refused ones included. At the end both are of all pages.
	rows, records int
	// total is the most rows that a page said there are, 0 when none did.
	total int
}

// read hands on what q yields, each page by itself and at most maxBatch records at once. A
// first sync leaves a mark with every page. Between, if not nil, is called between two
// pages; its error ends the read.
func (a *Aggregator) read(ctx context.Context, s *stream, q apiclient.Query, between func(progress) error) (progress, error) {
	p := progress{since: a.now(), asOf: a.now()}
	whole := q.UpdatedSince.IsZero() && q.EventID == ""
	var batch []record.Record
	flush := func(mark *Mark) error {
		if len(batch) == 0 && mark == nil {
			return nil
		}
		if err := a.take(ctx, batch, mark); err != nil {
			return err
		}
		batch = nil
		if mark != nil {
			s.mark = *mark
		}
		return nil
	}
	// reached is the mark of a first sync that goes on from a place.
	reached := func(from string) *Mark {
		if !whole || from == "" || !s.mark.Since.IsZero() {
			return nil
		}
		return &Mark{Stream: s.Name, Began: p.since, From: from}
	}

	rows, turned := 0, false   // rows with the page that is being read
	var next, afterNext string // where to go on once the records at hand, and those of the page, are kept
	q.OnPage = func(page apiclient.Page) {
		if p.pages == 0 {
			p.asOf = a.now()
			// A clock that runs ahead must not put the mark after what it has not told yet.
			if !page.ServerTime.IsZero() && page.ServerTime.Before(p.since) {
				p.since = page.ServerTime
			}
			if q.From != "" {
				p.since = s.mark.Began
			}
		}
		turned = p.pages > 0
		p.pages++
		p.unchanged = page.Unchanged
		p.rows = rows
		rows += page.Rows
		p.total = max(p.total, page.Total)
		next, afterNext = afterNext, page.Resume
		a.answered(s, page, whole)
	}
	for r, err := range a.source.Read(ctx, s.Name, q) {
		if turned {
			turned = false
			if err := flush(reached(next)); err != nil {
				return p, err
			}
			if between != nil {
				if err := between(p); err != nil {
					return p, err
				}
			}
		}
		refused, isRefused := errors.AsType[*record.Refusal](err)
		switch {
		case isRefused:
			a.refuse(s, refused)
			if s.roll != nil {
				s.roll.refuse(refused)
			}
		case err != nil:
			// What came is good, and of the pages that came it is all.
			return p, errors.Join(err, flush(reached(afterNext)))
		default:
			batch = append(batch, r)
			if s.roll != nil {
				s.roll.add(r.RecordKind(), r.RecordID())
			}
		}
		p.records++
		if len(batch) == maxBatch {
			if err := flush(nil); err != nil {
				return p, err
			}
		}
	}
	p.rows = rows
	return p, flush(nil)
}
