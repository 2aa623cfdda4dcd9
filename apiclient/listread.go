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
	w, name := r.w, r.w.s.Name
	loops := loopDetector{begins: map[uint64]bool{}}
	defer func() {
		if r.dropped > 0 {
			r.c.log.Warn("scans of an unknown direction were left out", "stream", name, "scans", r.dropped)
		}
	}()
	got, unchanged, err := r.early(ctx)
	if err != nil || unchanged {
		return err
	}
	for w.pages < r.c.maxPages {
		if got == nil {
			if got, err = r.fetch(ctx); err != nil {
				return err
			}
		}
		p := got.page
		if r.startsOver(p.pageInfo) {
			got = nil
			continue
		}
		r.fresh = loops.fresh(p.keys)
		if p.rows() > 0 && loops.closes(p.keys) {
			other, ok := r.guess()
			switch {
			case !ok && r.auto && !r.exploring && r.number == 2:
				return contradiction(name, "the second page is the first one again")
			case !ok:
				return &Error{Kind: Endless, Stream: name, Err: fmt.Errorf("page %d repeats an earlier one", r.number)}
			}
			r.here, got = other, nil
			continue
		}
		w.pages++
		r.seen += r.fresh
		r.note(got.etag)
		if err := r.lookForOlder(p); err != nil {
			return err
		}
		if err := r.lookForOthers(p); err != nil {
			return err
		}
		next, more, lost := r.onward(got.from, p.pageInfo, p.rows(), p.last)
		if e, ok := errors.AsType[*Error](lost); ok {
			e.Stream, e.Err = name, errors.New(r.c.clean(e.Err.Error()))
		}
		r.learn(next, more)
		w.say(r, &got.said, next, more)
		if w.q.OnPage != nil {
			w.q.OnPage(got.said)
		}
		if !w.take(r, p) || w.q.Enough != nil && w.q.Enough(got.said) {
			return errLeft
		}
		switch {
		case lost != nil:
			return lost
		case !more:
			if !w.changes() && w.q.EventID == "" && r.seen < p.total {
				r.c.log.Warn("the list ended before its total", "stream", name, "rows", r.seen, "total", p.total)
			}
			r.keepTags()
			return nil
		case w.since != "" && w.sifts() && p.rows() > 0 && r.order.restIsOlder() && len(w.s.Changes) > 0 && !r.here.RejectsUnknownParams:
			return nil
		}
		r.here, got = next, nil
		r.number++
	}
	return &Error{Kind: Endless, Stream: name, Err: fmt.Errorf("more than %d pages", r.c.maxPages)}
}

// hand yields what the rows of p became, as far as the query wants it; it returns false
// when yield does.
func (r *listRead) hand(p *page, yield func(record.Record, error) bool) bool {
	start, seen := 0, r.w.q.Seen
	for i, end := range p.Ends {
		row := p.Results[start:end]
		start = end
		old := r.w.sifts() && r.order.older(p.changed(i, row))
		if p.seen != nil && p.seen[i] != nil {
			if r.w.q.Recognised != nil && !old {
				for _, one := range p.seen[i].gave {
					r.w.q.Recognised(one.kind, one.id)
				}
			}
			continue
		}
		for _, m := range row {
			r.dropped += m.DroppedScans
			switch {
			case m.Refused != nil:
				if !yield(nil, m.Refused) {
					return false
				}
			case old, r.w.q.EventID != "" && elsewhere(m, r.w.q.EventID):
			case !yield(m.Record, nil):
				return false
			}
		}
		if p.seen != nil && !old && r.w.changes() {
			seen.remember(p.hashes[i], p.IDs[i], row)
		}
	}
	return true
}

// lookForOlder notices a service that ignores that only changes were asked for, which is an
// error unless it was found to.
func (r *listRead) lookForOlder(p *page) error {
	w := r.w
	if w.since == "" || !w.sifts() || w.older || !p.hasOlder(w.asked.Add(-time.Second)) {
		return nil
	}
	w.older = true
	if !w.found.IgnoresSince {
		return &Error{Kind: Contradicts, Stream: w.s.Name, Err: ErrIgnoresSince}
	}
	return nil
}

// lookForOthers notices a service that ignores that only the records of one event were asked
// for: by a row of which all records are of others.
func (r *listRead) lookForOthers(p *page) error {
	w := r.w
	if !w.filtersEvents() {
		return nil
	}
	start := 0
	for _, end := range p.Ends {
		row := p.Results[start:end]
		start = end
		if len(row) > 0 && !slices.ContainsFunc(row, func(m record.Result) bool { return !elsewhere(m, w.q.EventID) }) {
			return &Error{Kind: Contradicts, Stream: w.s.Name, Err: ErrIgnoresEvent}
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
func elsewhere(m record.Result, eventID string) bool {
	if m.Record == nil {
		return false
	}
	of := record.EventOf(m.Record)
	return of != "" && of != eventID
}
