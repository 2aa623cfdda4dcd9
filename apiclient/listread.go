package apiclient

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"housecount/apiclient/profile"
	"housecount/apiclient/record"
)

// listRead is the read of one list.
type listRead struct {
	pager
	sr       *streamRead
	c        *service
	parent   profile.SharedRow // the row that the list belongs to
	window   *profile.Window   // nil if lists are not of windows
	nextKey  string            // key of the list after this one, empty for the last
	number   int               // of the page at here, from 1
	size     int               // rows to ask for per page
	pageTags []tag
	// firstTotal is the total that the first page said, -1 if it said none.
	firstTotal int
	order      newestFirst
}

// newListRead starts the read of the list that belongs to parent.
func (sr *streamRead) newListRead(of profile.SharedRow) *listRead {
	r := &listRead{sr: sr, c: sr.c, parent: of, number: 1, size: sr.c.pageSize}
	r.rule = sr.rule
	if r.rule.Size > 0 {
		r.size = min(r.size, r.rule.Size)
	}
	r.auto, r.here, r.credentialParam = r.rule.Style == profile.PagingAuto, firstPosition(r.rule), signer(sr.c.profile.Auth).credentialParam()
	if r.exploring = sr.exploring; r.auto && sr.found.Found {
		r.here = sr.found.firstPosition(r.here)
		r.answered = sr.found.Paging
	}
	r.order.since = sr.q.UpdatedSince
	if w, ok := sr.windows[of.Key]; ok {
		r.window = &w
	}
	return r
}

// maxPages ends a read that neither a total nor the detection of loops has ended: ten million rows
// at the default size.
const maxPages = 100_000

// run reads the list page by page to its end. The error is an *Error, the cause that ended ctx, or
// errStopped.
//
// A full read is usually sorted by creation, so that a change during the read moves no row. A read
// of changes is sorted newest first, so that a row that moves comes twice rather than never.
func (r *listRead) run(ctx context.Context) error {
	sr, name := r.sr, r.sr.s.Name
	loops := loopDetector{firstKeys: map[uint64]bool{}}
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
		if r.number == 1 {
			r.firstTotal = p.total
		}
		got.report.Short = !more && pagingErr == nil && r.isShort(p.total)
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
			if got.report.Short {
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

// isShort reports whether the list ended before its total. Rows that come or go while it is read change the total: a
// long read may miss one in a hundred by that.
func (r *listRead) isShort(total int) bool {
	q := &r.sr.q
	missing := min(total, r.firstTotal) - r.seen
	if missing <= 0 || q.From != "" || q.EventID != "" {
		return false
	}
	return r.sr.changesOnly() || missing*100 > total
}

// yieldPage yields the results of the rows of p that the query wants. It returns false if yield
// does.
func (r *listRead) yieldPage(p *page, yield func(record.Record, error) bool) bool {
	start, seen := 0, r.sr.q.Seen
	for i, end := range p.Ends {
		row := p.Results[start:end]
		start = end
		old := r.sr.filtersByTime() && r.order.older(p.changed(i, row))
		if p.seen != nil && p.seen[i] != nil {
			if r.sr.q.OnRow != nil {
				r.sr.q.OnRow(record.Row{List: r.sr.s.Name, Records: p.seen[i].records})
			}
			continue
		}
		for _, m := range row {
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
		if r.sr.q.OnRow != nil {
			one := r.rowOf(p, i, row)
			if old {
				one.ID = ""
			}
			r.sr.q.OnRow(one)
		}
		if p.seen != nil && !old && r.sr.changesOnly() {
			updated, _ := p.changed(i, row)
			seen.remember(p.hashes[i], p.IDs[i], updated, row)
		}
	}
	return true
}

// rowOf returns row i of a page with the records among its results, as Query.OnRow reports it. Where a list belongs to a parent row,
// its id includes the parent's key, which is the whole id of a row without one that is the whole response.
func (r *listRead) rowOf(p *page, i int, results []record.Result) record.Row {
	id := p.IDs[i]
	row := record.Row{List: r.sr.s.Name, Records: make([]record.Key, 0, len(results))}
	complete := true
	for _, m := range results {
		if m.Record == nil {
			complete = false
			continue
		}
		row.Records = append(row.Records, record.Key{Kind: m.Record.RecordKind(), ID: m.Record.RecordID()})
	}
	switch key := r.pathKey(); {
	case key != "" && id != "":
		id = key + "/" + id
	case key != "" && r.sr.s.List == ".": // the only row of that list
		id = key
	}
	if complete && id != "" && len(id) <= record.MaxID && !r.sr.s.IsNative && r.sr.q.EventID == "" {
		row.ID = id
		row.Updated, _ = p.changed(i, results)
	}
	return row
}

// pathKey returns the key of the parent row, empty if the list belongs to none.
func (r *listRead) pathKey() string {
	if r.window != nil {
		return ""
	}
	return r.parent.Key
}

// checkSinceFilter detects that the service ignores the filter for changes. That is an error unless
// it is known to.
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

// checkEventFilter detects that the service ignores the filter by event: all records of some row
// belong to other events.
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

// hasOlder reports whether some row last changed before limit.
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

// isOfOtherEvent reports whether a result is a record of another event. Such a record comes from a
// service that ignores the filter, or from a row with several events. A payment without an event
// may belong to the event through its order and does not count.
func isOfOtherEvent(m record.Result, eventID string) bool {
	if m.Record == nil {
		return false
	}
	of := record.EventOf(m.Record)
	return of != "" && of != eventID
}

// recordPaging stores how the list continues after a page, in the answer being explored.
func (r *listRead) recordPaging(next pagePosition, more bool) {
	found := &r.sr.found
	switch {
	case !r.exploring:
	case !r.auto:
		found.Paging = r.rule.Style
	case r.foundBy != profile.PagingPage && r.foundBy != profile.PagingOffset:
		found.Paging = r.foundBy
		if more {
			found.Param = next.Param
		}
	case r.number > 1: // and the page did not repeat the first
		found.Paging, found.Param = r.here.Style, r.here.Param
		found.FromZero = r.here.Style == profile.PagingPage && r.here.N == r.number-1
	}
}
