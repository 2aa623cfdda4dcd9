package apiclient

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"time"
)

// maxPages ends a read that neither meta.total nor the look for repetitions ended: ten
// million rows at the default size.
const maxPages = 100_000

// paths are the last parts of the streams' addresses.
var paths = map[Kind]string{
	KindEvent: "events", KindTicket: "tickets", KindPayment: "payments", KindContact: "contacts", KindPlanning: "planning",
}

// read yields the records of a stream page by page.
//
// A full read goes by creation, so that a change during it moves nothing; an
// incremental one by the newest change, so that a record that moves comes twice rather
// than never.
func read[T any, P record[T]](ctx context.Context, c *Client, kind Kind, q Query) iter.Seq2[P, error] {
	return func(yield func(P, error) bool) {
		incremental := !q.UpdatedSince.IsZero()
		q.UpdatedSince = q.UpdatedSince.UTC().Truncate(time.Second)
		r, err := c.setOut(kind, q)
		if err != nil {
			yield(nil, err)
			return
		}
		order := newestFirst{since: q.UpdatedSince}
		circle := circle{begins: map[uint64]bool{}}
		dropped := 0
		defer func() {
			if dropped > 0 {
				c.log.Warn("scans of an unknown direction were left out", "stream", kind, "scans", dropped)
			}
		}()

		early, unchanged, err := compare[T, P](ctx, r)
		if err != nil || unchanged {
			if err != nil {
				yield(nil, err)
			}
			return
		}
		for r.number <= c.maxPages {
			got := early
			if early = nil; got == nil {
				if got, err = fetch[T, P](ctx, r); err != nil {
					yield(nil, err)
					return
				}
			}
			p := got.page
			if r.startsOver(p.told) {
				continue
			}
			if len(p.rows) > 0 && circle.closes(p.keys) {
				if other, ok := r.guess(); ok {
					r.here = other
					continue
				}
				yield(nil, &Error{Kind: Endless, Stream: string(kind), Err: fmt.Errorf("page %d repeats an earlier one", r.number)})
				return
			}
			r.seen += len(p.rows)
			dropped += p.droppedScans
			r.note(got.etag)
			next, more, lost := r.onward(got.from, p.told, len(p.rows), p.last)
			if e, ok := errors.AsType[*Error](lost); ok {
				e.Stream, e.Err = string(kind), errors.New(c.clean(e.Err.Error()))
			}
			if q.OnPage != nil {
				got.said.Resume = r.token(next, more, len(p.rows))
				q.OnPage(got.said)
			}
			for _, row := range p.rows {
				if row.refused != nil {
					if !yield(nil, row.refused) {
						return
					}
					continue
				}
				if incremental && order.older(row.record) || elsewhere(row.record, q.EventID) {
					continue
				}
				if !yield(row.record, nil) {
					return
				}
			}
			switch {
			case lost != nil:
				yield(nil, lost)
				return
			case !more:
				if !incremental && q.EventID == "" && r.seen < p.total {
					c.log.Warn("the list ended before its total", "stream", kind, "rows", r.seen, "total", p.total)
				}
				r.keep()
				return
			case incremental && len(p.rows) > 0 && order.restIsOlder():
				return
			}
			r.here = next
			r.number++
		}
		yield(nil, &Error{Kind: Endless, Stream: string(kind), Err: fmt.Errorf("more than %d pages", c.maxPages)})
	}
}

// reading is one read of a stream under way.
type reading struct {
	course
	c      *Client
	kind   Kind
	q      Query
	number int // of the page at here, from 1
	size   int // rows asked for a page
	tags   []tag
}

// setOut begins a read, where q.From says if it says anything.
func (c *Client) setOut(kind Kind, q Query) (*reading, error) {
	r := &reading{c: c, kind: kind, q: q, number: 1, size: c.pageSize}
	r.auto, r.here = c.paging == PagingAuto, begin(c.paging)
	r.here.Plain = r.auto && c.known.isPlain(kind)
	if q.From != "" {
		if err := r.resume(q.From); err != nil {
			return nil, &Error{Kind: Rejected, Stream: string(kind), Err: err}
		}
	}
	return r, nil
}

// fetched is a page with what came beside it.
type fetched[P any] struct {
	page *page[P] // nil for one that is as it was
	said Page
	etag string
	from *url.URL
}

// fetch gets the page at r.here. If it is the first one, and the service refuses it
// for its parameters, it is asked for without those that the service need not know.
func fetch[T any, P record[T]](ctx context.Context, r *reading) (*fetched[P], error) {
	got, err := fetchPage[T, P](ctx, r, r.here, "")
	if !r.auto || r.here.Plain || r.number != 1 || r.here.N != 1 || !refused(err) {
		return got, err
	}
	plain := r.here
	plain.Plain = true
	got, plainErr := fetchPage[T, P](ctx, r, plain, "")
	if refused(plainErr) {
		return nil, err
	}
	if plainErr == nil {
		r.here = plain
		r.c.known.plainIs(r.kind)
	}
	return got, plainErr
}

func refused(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && (e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity)
}

// elsewhere says that r belongs to another event than the one that was asked for, which
// only comes from a service that ignores the filter.
func elsewhere(r Record, eventID string) bool {
	if eventID == "" {
		return false
	}
	switch r := r.(type) {
	case *Ticket:
		return r.EventID != eventID
	case *Payment: // one without an event may belong to it through its order
		return r.EventID != "" && r.EventID != eventID
	case *Planning:
		return r.EventID != "" && r.EventID != eventID
	}
	return false
}

// newestFirst watches an incremental read for records that changed before since, which
// only come from a service that ignores it.
type newestFirst struct {
	since    time.Time
	last     time.Time
	disorder bool
	fresh    bool // something on this page is not older
}

// older says that r changed before since.
func (o *newestFirst) older(r Record) bool {
	at := r.RecordUpdated()
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

// circle finds a list that goes in circles by a page that begins like an earlier one, or
// that has nothing which the page before had not. Whatever the length of a circle, some
// page of it begins like an earlier one; so not every id need be kept.
type circle struct {
	begins map[uint64]bool
	before map[uint64]bool
}

func (c *circle) closes(keys []uint64) bool {
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

// fetchPage gets the page at p, trying again as Options say. With an etag, the answer may
// be that the page is as it was.
func fetchPage[T any, P record[T]](ctx context.Context, r *reading, p place, etag string) (*fetched[P], error) {
	v := url.Values{}
	if !p.Plain {
		v.Set("sort", "created_at")
	}
	if !r.q.UpdatedSince.IsZero() {
		v.Set("updated_since", r.q.UpdatedSince.Format(time.RFC3339))
		if !p.Plain {
			v.Set("sort", "-updated_at")
		}
	}
	if r.q.EventID != "" {
		v.Set("event_id", r.q.EventID)
	}
	p.params(v, r.size)
	return try(ctx, r.c, r.kind, func() (*fetched[P], error) {
		a, err := r.c.list(ctx, r.kind, p.At, p.Style, v, etag)
		if err != nil {
			return nil, err
		}
		got := &fetched[P]{etag: a.header.Get("ETag"), from: a.url}
		got.said = Page{Number: r.number, Total: -1, ServerTime: a.date, Took: a.took}
		if a.status == http.StatusNotModified {
			got.said.Unchanged = true
			return got, nil
		}
		page, broken := decodePage[T, P](r.kind, a.header, a.body)
		if broken != nil {
			broken.Status = a.status
			return nil, broken
		}
		got.page, got.said.Rows, got.said.Total = page, len(page.rows), page.total
		return got, nil
	})
}

// list calls the address of a page: the one that the page before told, or the stream's.
// The service is described with two of them, /v2 and /api/v2; which one it has is found
// out with the events and remembered. So it is with the two names of the contacts.
func (c *Client) list(ctx context.Context, kind Kind, at string, style Paging, v url.Values, etag string) (*answer, error) {
	if at != "" && (style == PagingNext || style == PagingLinkHeader) {
		u, err := follow(c.base, at)
		if err != nil {
			return nil, &Error{Kind: Rejected, Stream: string(kind), Err: err}
		}
		return c.get(ctx, kind, u, etag)
	}
	long, relations := c.longPath.Load(), c.relations.Load()
	a, err := c.get(ctx, kind, c.address(kind, long, relations, v), etag)
	if !notFound(err) {
		return a, err
	}
	switch kind {
	case KindEvent:
		long = !long
	case KindContact:
		relations = !relations
	default:
		return a, err
	}
	a, otherErr := c.get(ctx, kind, c.address(kind, long, relations, v), etag)
	if notFound(otherErr) {
		return nil, err
	}
	if otherErr == nil {
		if kind == KindEvent {
			c.longPath.Store(long)
		} else {
			c.relations.Store(relations)
		}
	}
	return a, otherErr
}

func notFound(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Status == http.StatusNotFound
}

func (c *Client) address(kind Kind, long, relations bool, v url.Values) *url.URL {
	version, stream := "v2", paths[kind]
	if long {
		version = "api/v2"
	}
	if kind == KindContact && relations {
		stream = "relations"
	}
	u := c.base.JoinPath(version, stream)
	u.RawQuery = v.Encode()
	return u
}
