package apiclient

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// maxPages ends a read that neither meta.total nor the look for repetitions ended: ten
// million rows at the default size.
const maxPages = 100_000

// paths are the last parts of the streams' addresses.
var paths = map[Kind]string{KindEvent: "events", KindTicket: "tickets", KindPayment: "payments"}

// read yields the records of a stream page by page.
//
// A full read goes by creation, so that a change during it moves nothing; an
// incremental one by the newest change, so that a record that moves comes twice rather
// than never.
func read[T any, P record[T]](ctx context.Context, c *Client, kind Kind, q Query) iter.Seq2[P, error] {
	return func(yield func(P, error) bool) {
		incremental := !q.UpdatedSince.IsZero()
		q.UpdatedSince = q.UpdatedSince.UTC().Truncate(time.Second)
		order := newestFirst{since: q.UpdatedSince}
		circle := circle{begins: map[uint64]bool{}}
		seen, dropped := 0, 0
		defer func() {
			if dropped > 0 {
				c.log.Warn("scans of an unknown direction were left out", "stream", kind, "scans", dropped)
			}
		}()
		for n := 1; n <= c.maxPages; n++ {
			p, said, err := fetchPage[T, P](ctx, c, kind, n, q)
			if err != nil {
				yield(nil, err)
				return
			}
			if q.OnPage != nil {
				q.OnPage(said)
			}
			if len(p.rows) == 0 {
				if !incremental && q.EventID == "" && seen < p.total {
					c.log.Warn("the list ended before its total", "stream", kind, "rows", seen, "total", p.total)
				}
				return
			}
			if circle.closes(p.keys) {
				yield(nil, &Error{Kind: Endless, Stream: kind, Err: fmt.Errorf("page %d repeats an earlier one", n)})
				return
			}
			seen += len(p.rows)
			dropped += p.droppedScans
			for _, r := range p.rows {
				if r.refused != nil {
					if !yield(nil, r.refused) {
						return
					}
					continue
				}
				if incremental && order.older(r.record) || elsewhere(r.record, q.EventID) {
					continue
				}
				if !yield(r.record, nil) {
					return
				}
			}
			if p.last(seen) || incremental && order.restIsOlder() {
				return
			}
		}
		yield(nil, &Error{Kind: Endless, Stream: kind, Err: fmt.Errorf("more than %d pages", c.maxPages)})
	}
}

// last says that p, with which seen rows have come, is the last page. That it is short
// says nothing while the total says more: the service's pages may be smaller than those
// we ask for.
func (p *page[P]) last(seen int) bool {
	if p.total >= 0 {
		return seen >= p.total
	}
	return len(p.rows) < p.perPage
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

// fetchPage gets page n of a stream, trying again as Options say.
func fetchPage[T any, P record[T]](ctx context.Context, c *Client, kind Kind, n int, q Query) (*page[P], Page, error) {
	v := url.Values{
		"page":     {strconv.Itoa(n)},
		"per_page": {strconv.Itoa(c.pageSize)},
		"sort":     {"created_at"},
	}
	if !q.UpdatedSince.IsZero() {
		v.Set("updated_since", q.UpdatedSince.Format(time.RFC3339))
		v.Set("sort", "-updated_at")
	}
	if q.EventID != "" {
		v.Set("event_id", q.EventID)
	}
	said := Page{Number: n}
	p, err := try(ctx, c, kind, func() (*page[P], error) {
		a, err := c.list(ctx, kind, v)
		if err != nil {
			return nil, err
		}
		p, broken := decodePage[T, P](kind, a.body)
		if broken != nil {
			broken.Status = a.status
			return nil, broken
		}
		said.Rows, said.Total, said.ServerTime, said.Took = len(p.rows), p.total, a.date, a.took
		return p, nil
	})
	return p, said, err
}

// list calls the address of a stream. The service is described with two of them, /v2 and
// /api/v2; which one it has is found out with the events and remembered.
func (c *Client) list(ctx context.Context, kind Kind, v url.Values) (*answer, error) {
	long := c.longPath.Load()
	a, err := c.get(ctx, kind, c.address(kind, long, v))
	if kind != KindEvent || !notFound(err) {
		return a, err
	}
	a, otherErr := c.get(ctx, kind, c.address(kind, !long, v))
	if notFound(otherErr) {
		return nil, err
	}
	if otherErr == nil {
		c.longPath.Store(!long)
	}
	return a, otherErr
}

func notFound(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Status == http.StatusNotFound
}

func (c *Client) address(kind Kind, long bool, v url.Values) *url.URL {
	version := "v2"
	if long {
		version = "api/v2"
	}
	u := c.base.JoinPath(version, paths[kind])
	u.RawQuery = v.Encode()
	return u
}
