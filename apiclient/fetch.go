package apiclient

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"

	"housecount/apiclient/profile"
)

// fetch gets the page at r.here. If it is the first one, and the service refuses it
// for its parameters, it is asked for without those that the service need not know.
func (r *listRead) fetch(ctx context.Context) (*fetched, error) {
	got, err := r.fetchPage(ctx, r.here, "")
	switch {
	case !r.auto || r.here.RejectsUnknownParams || r.number != 1 || !refused(err):
		return got, err
	case !r.exploring:
		return nil, contradiction(r.w.s.Name, "the service refuses parameters that it took: "+err.Error())
	case r.here != begin(r.rule):
		return got, err
	}
	plain := r.here
	plain.RejectsUnknownParams = true
	got, plainErr := r.fetchPage(ctx, plain, "")
	if refused(plainErr) {
		return nil, err
	}
	if plainErr == nil {
		r.here = plain
		r.w.found.RejectsUnknownParams = true
	}
	return got, plainErr
}

func refused(err error) bool {
	return hasStatus(err, http.StatusBadRequest, http.StatusUnprocessableEntity)
}

// fetchPage gets the page at p, trying again as Options say. With an etag, the answer may
// be that the page is as it was.
func (r *listRead) fetchPage(ctx context.Context, p pagePosition, etag string) (*fetched, error) {
	w, s := r.w, r.w.s
	v := url.Values{}
	set := func(params map[string]string) {
		for name, value := range params {
			v.Set(name, value)
		}
	}
	set(s.Query)
	switch {
	case p.RejectsUnknownParams:
	case w.changes():
		set(s.Changes)
	default:
		set(s.Full)
	}
	if w.since != "" {
		v.Set(s.Since.Param, w.since)
	}
	if w.filtersEvents() {
		v.Set(s.ByEvent, w.q.EventID)
	}
	params(r.rule, p, v, r.size)
	return try(ctx, &r.c.caller, s.Name, func() (*fetched, error) {
		a, err := r.call(ctx, p, v, etag)
		if err != nil {
			return nil, err
		}
		got := &fetched{etag: a.header.Get("ETag"), at: p, from: a.url}
		got.said = Page{
			Number: 1, Total: -1, ServerTime: r.c.serverTime(a), Took: a.took,
			Skew: a.skew, Limits: spokenLimits(a.header),
		}
		if a.status == http.StatusNotModified {
			got.said.Unchanged = true
			return got, nil
		}
		work, cancel := context.WithTimeout(ctx, s.PageTime())
		defer cancel()
		in := profile.Context{Over: r.over(), With: w.with}
		var found []*seenRow
		var hashes []rowHash
		page, broken := decodePage(s, a.header, a.body, func(l *profile.List) (*profile.Rows, error) {
			if w.keeping {
				return s.Keep(work, l, in)
			}
			if seen := w.recognises(); seen != nil {
				found, hashes = make([]*seenRow, len(l.Rows)), make([]rowHash, len(l.Rows))
				beside := w.beside ^ r.list.Sum
				in.Known = func(i int, raw []byte) (id string, known bool) {
					hashes[i] = seen.hash(raw, beside)
					if found[i] = seen.find(hashes[i]); found[i] == nil {
						return "", false
					}
					return found[i].id, true
				}
			}
			return s.Map(work, l, in)
		})
		switch {
		case ctx.Err() != nil:
			return nil, ended(ctx, s.Name)
		case work.Err() != nil:
			return nil, &Error{Kind: Slow, Stream: s.Name, Err: fmt.Errorf("a page takes the profile's program more than %v", s.PageTime())}
		case broken != nil:
			broken.Status = a.status
			return nil, broken
		}
		page.seen, page.hashes = found, hashes
		got.page, got.said.Rows, got.said.Total = page, page.rows(), page.total
		return got, nil
	})
}

// over is the row that the list belongs to as programs see it.
func (r *listRead) over() any {
	if r.list.Row == nil {
		return nil
	}
	return r.list.Row
}

// call calls the address of a page: the one that the page before named, or the stream's.
// A stream may be under one of several prefixes and have one of several names; which, a read
// that explores finds out by what is not found.
func (r *listRead) call(ctx context.Context, p pagePosition, v url.Values, etag string) (*answer, error) {
	c, s := r.c, r.w.s
	if p.At != "" && (p.Style == profile.PagingNext || p.Style == profile.PagingLinkHeader) {
		u, err := follow(c.base, p.At)
		if err != nil {
			return nil, &Error{Kind: Rejected, Stream: s.Name, Err: err}
		}
		return c.get(ctx, s, u, etag)
	}
	var first error
	all := c.answers.candidates(s)
	if r.w.found.Found {
		all = []address{{r.w.found.Prefix, r.w.found.Path}}
	}
	for _, at := range all {
		u := c.address(at, r.list.Key)
		u.RawQuery = v.Encode()
		a, err := c.get(ctx, s, u, etag)
		if err == nil {
			r.w.found.Found, r.w.found.Prefix, r.w.found.Path = true, at.prefix, at.path
		}
		if !hasStatus(err, http.StatusNotFound) {
			return a, err
		}
		first = cmp.Or(first, err)
	}
	return nil, first
}
