package apiclient

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"housecount/apiclient/record"
)

// maxPages ends a read that neither a total nor the look for repetitions ended: ten
// million rows at the default size.
const maxPages = 100_000

// run reads the list page by page to its end. The error is an *Error, what ended ctx, or
// errLeft.
//
// A full read usually goes by creation, so that a change during it moves nothing; one of
// changes by the newest, so that a record that moves comes twice rather than never.
func (r *listRead) run(ctx context.Context) error {
	sr, name := r.sr, r.sr.s.Name
	loops := loopDetector{firstKeys: map[uint64]bool{}}
	defer func() {
		if r.droppedScans > 0 {
			r.c.log.Warn("scans of an unknown direction were left out", "stream", name, "scans", r.droppedScans)
		}
	}()
	got, unchanged, err := r.prefetch(ctx)
	if err != nil || unchanged {
		return err
	}
	for sr.pages < r.c.maxPages {
		if got == nil {
			if got, err = r.fetch(ctx); err != nil {
				return err
			}
		}
		p := got.page
		if r.restartsAtZero(p.pageInfo) {
			got = nil
			continue
		}
		r.newRows = loops.countNew(p.keys)
		if p.rows() > 0 && loops.repeats(p.keys) {
			other, ok := r.nextAlternative()
			switch {
			case !ok && r.auto && !r.exploring && r.number == 2:
				return contradiction(name, "the second page is the first one again")
			case !ok:
				return &Error{Kind: Endless, Stream: name, Err: fmt.Errorf("page %d repeats an earlier one", r.number)}
			}
			r.here, got = other, nil
			continue
		}
		sr.pages++
		r.seen += r.newRows
		r.noteTag(got.etag)
		if err := r.checkSinceFilter(p); err != nil {
			return err
		}
		if err := r.checkEventFilter(p); err != nil {
			return err
		}
		next, more, pagingErr := r.advance(got.from, p.pageInfo, p.rows(), p.last)
		if e, ok := errors.AsType[*Error](pagingErr); ok {
			e.Stream, e.Err = name, errors.New(r.c.clean(e.Err.Error()))
		}
		r.recordPaging(next, more)
		sr.completeReport(r, &got.report, next, more)
		if sr.q.OnPage != nil {
			sr.q.OnPage(got.report)
		}
		if !sr.onPage(r, p) || sr.q.Enough != nil && sr.q.Enough(got.report) {
			return errStopped
		}
		switch {
		case pagingErr != nil:
			return pagingErr
		case !more:
			if !sr.changesOnly() && sr.q.EventID == "" && r.seen < p.total {
				r.c.log.Warn("the list ended before its total", "stream", name, "rows", r.seen, "total", p.total)
			}
			r.storeTags()
			return nil
		case sr.since != "" && sr.filtersByTime() && p.rows() > 0 && r.order.pageIsOlder() && len(sr.s.Changes) > 0 && !r.here.RejectsUnknownParams:
			return nil
		}
		r.here, got = next, nil
		r.number++
	}
	return &Error{Kind: Endless, Stream: name, Err: fmt.Errorf("more than %d pages", r.c.maxPages)}
}

// hand yields what the rows of p became, as far as the query wants it; it returns false
// when yield does.
func (r *listRead) yieldPage(p *page, yield func(record.Record, error) bool) bool {
	start, seen := 0, r.sr.q.Seen
	for i, end := range p.Ends {
		row := p.Results[start:end]
		start = end
		old := r.sr.filtersByTime() && r.order.older(p.changed(i, row))
		if p.seen != nil && p.seen[i] != nil {
			if r.sr.q.Recognised != nil && !old {
				for _, one := range p.seen[i].records {
					r.sr.q.Recognised(one.kind, one.id)
				}
			}
			continue
		}
		for _, m := range row {
			r.droppedScans += m.DroppedScans
			switch {
			case m.Refused != nil:
				if !yield(nil, m.Refused) {
					return false
				}
			case old, r.sr.q.EventID != "" && isOfOtherEvent(m, r.sr.q.EventID):
			case !yield(m.Record, nil):
				return false
			}
		}
		if p.seen != nil && !old && r.sr.changesOnly() {
			seen.remember(p.hashes[i], p.IDs[i], row)
		}
	}
	return true
}

// lookForOlder notices a service that ignores that only changes were asked for, which is an
// error unless it was found to.
func (r *listRead) checkSinceFilter(p *page) error {
	sr := r.sr
	if sr.since == "" || !sr.filtersByTime() || sr.olderCame || !p.hasOlder(sr.effectiveSince.Add(-time.Second)) {
		return nil
	}
	sr.olderCame = true
	if !sr.found.IgnoresSince {
		return &Error{Kind: Contradicts, Stream: sr.s.Name, Err: ErrIgnoresSince}
	}
	return nil
}

// lookForOthers notices a service that ignores that only the records of one event were asked
// for: by a row of which all records are of others.
func (r *listRead) checkEventFilter(p *page) error {
	sr := r.sr
	if !sr.filtersByEvent() {
		return nil
	}
	start := 0
	for _, end := range p.Ends {
		row := p.Results[start:end]
		start = end
		if len(row) > 0 && !slices.ContainsFunc(row, func(m record.Result) bool { return !isOfOtherEvent(m, sr.q.EventID) }) {
			return &Error{Kind: Contradicts, Stream: sr.s.Name, Err: ErrIgnoresEvent}
		}
	}
	return nil
}

// hasOlder says that some row changed before limit.
func (p *page) hasOlder(limit time.Time) bool {
	start := 0
	for i, end := range p.Ends {
		at, ok := p.changed(i, p.Results[start:end])
		start = end
		if ok && !at.IsZero() && at.Before(limit) {
			return true
		}
	}
	return false
}

// elsewhere says that a result is a record of another event, which only comes from a service
// that ignores the filter, or of a row with several events. A payment without an event may
// belong to it through its order.
func isOfOtherEvent(m record.Result, eventID string) bool {
	if m.Record == nil {
		return false
	}
	of := record.EventOf(m.Record)
	return of != "" && of != eventID
}
