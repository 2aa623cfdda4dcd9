package apiclient

import (
	"context"
	"errors"
	"fmt"
	"time"

	"housecount/apiclient/profile"
	"housecount/apiclient/record"
)

// maxPages ends a read that neither a total nor the look for repetitions ended: ten
// million rows at the default size.
const maxPages = 100_000

// listRead is one list under way.
type listRead struct {
	pager
	w         *streamRead
	c         *Client
	list      profile.Kept // the row that it belongs to
	following string       // key of the list after this one, empty when there is none
	number    int          // of the page at here, from 1
	size      int          // rows asked for a page
	seenTags  []tag
	order     newestFirst
	dropped   int // scans
}

// list begins the read of a list.
func (w *streamRead) list(of profile.Kept) *listRead {
	r := &listRead{w: w, c: w.c, list: of, number: 1, size: w.c.pageSize}
	r.rule = w.rule
	if r.rule.Size > 0 {
		r.size = min(r.size, r.rule.Size)
	}
	r.auto, r.here, r.hidden = r.rule.Style == profile.PagingAuto, begin(r.rule), signer(w.c.profile.Auth).hidden()
	if r.exploring = w.exploring; r.auto && w.found.Found {
		r.here = w.found.begin(r.here)
		r.answered = w.found.Paging
	}
	r.order.since = w.q.UpdatedSince
	return r
}

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
			if !ok && r.auto && !r.exploring && r.number == 2 {
				return contradiction(name, "the second page is the first one again")
			}
			if !ok {
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
		r.lookForElsewhere(p)
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
			case old, elsewhere(m.Record, r.w.q.EventID):
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

// recognises is what recognises the rows of the read; nil where nothing does.
func (w *streamRead) recognises() *SeenRows {
	if w.keeping || w.q.EventID != "" {
		return nil
	}
	return w.q.Seen
}

// sifts says that records are to be left out by the time of their last change.
func (w *streamRead) sifts() bool {
	return w.changes() && w.s.Since.Basis != profile.BasisCreated && !w.keeping
}

// lookForOlder notices a service that ignores that only changes were asked for.
func (r *listRead) lookForOlder(p *page) error {
	w := r.w
	if w.since == "" || !w.sifts() || w.older || !p.hasOlder(w.asked.Add(-time.Second)) {
		return nil
	}
	w.older = true
	switch {
	case w.found.IgnoresSince:
	case !w.exploring:
		return &Error{Kind: Contradicts, Stream: w.s.Name, Err: ErrIgnoresSince}
	default:
		w.found.IgnoresSince = true
		r.c.log.Warn("the service ignores that only changes were asked for", "stream", w.s.Name)
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

// lookForElsewhere notices a service that ignores that only the rows of one event were asked
// for. It costs no more than what is left out.
func (r *listRead) lookForElsewhere(p *page) {
	w := r.w
	if w.q.EventID == "" || w.s.ByEvent == "" {
		return
	}
	for _, m := range p.Results {
		w.found.IgnoresEvent = w.found.IgnoresEvent || m.Record != nil && elsewhere(m.Record, w.q.EventID)
	}
}

// changed is the time of the last change of what a row became, zero when one of its records
// does not tell; ok is false when there is no record.
func changed(row []record.Result) (at time.Time, ok bool) {
	for _, m := range row {
		if m.Record == nil {
			continue
		}
		updated := m.Record.RecordUpdated()
		if updated.IsZero() {
			return time.Time{}, true
		}
		if ok = true; updated.After(at) {
			at = updated
		}
	}
	return at, ok
}

// elsewhere says that r belongs to another event than the one that was asked for, which
// only comes from a service that ignores the filter, or of a row with several events.
func elsewhere(r record.Record, eventID string) bool {
	if eventID == "" {
		return false
	}
	switch r := r.(type) {
	case *record.Ticket:
		return r.EventID != eventID
	case *record.Payment: // one without an event may belong to it through its order
		return r.EventID != "" && r.EventID != eventID
	case *record.Planning:
		return r.EventID != "" && r.EventID != eventID
	}
	return false
}

// newestFirst watches a read of changes for rows that changed before since, which only
// come from a service that does not filter.
type newestFirst struct {
	since    time.Time
	last     time.Time
	disorder bool
	fresh    bool // something on this page is not older
}

// older says that a row that changed at a time, if that is ok, did so before since.
func (o *newestFirst) older(at time.Time, ok bool) bool {
	if !ok {
		return false
	}
	if at.IsZero() || !o.last.IsZero() && at.After(o.last) {
		o.disorder = true
	}
	o.last = at
	if at.IsZero() || !at.Before(o.since) {
		o.fresh = true
		return false
	}
	return true
}

// restIsOlder, asked at the end of a page, says that all that follows is older: that
// page was, and all pages came newest first.
func (o *newestFirst) restIsOlder() bool {
	fresh := o.fresh
	o.fresh = false
	return !fresh && !o.disorder && !o.last.IsZero()
}

// loopDetector finds a list that goes in circles by a page that begins like an earlier one, or
// that has nothing which the page before had not. Whatever the length of a loopDetector, some
// page of it begins like an earlier one; so not every id need be kept.
type loopDetector struct {
	begins map[uint64]bool
	before map[uint64]bool
}

// fresh is how many of the rows the page before had not.
func (c *loopDetector) fresh(keys []uint64) (n int) {
	for _, k := range keys {
		if !c.before[k] {
			n++
		}
	}
	return n
}

func (c *loopDetector) closes(keys []uint64) bool {
	if c.begins[keys[0]] {
		return true
	}
	c.begins[keys[0]] = true
	now, known := make(map[uint64]bool, len(keys)), true
	for _, k := range keys {
		now[k] = true
		known = known && c.before[k]
	}
	c.before = now
	return known
}
