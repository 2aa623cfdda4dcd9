package apiclient

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"

	"housecount/apiclient/profile"
)

// fetchedPage is a page with the details of its response.
type fetchedPage struct {
	page   *page // nil if it is unchanged
	report Page
	etag   string
	at     pagePosition
	from   *url.URL
}

// fetch gets the page at r.here. If the service refuses the first page because of its parameters,
// fetch tries again without the optional ones.
func (r *listRead) fetch(ctx context.Context) (*fetchedPage, error) {
	got, err := r.fetchPage(ctx, r.here, "")
	switch {
	case !r.auto || r.here.RejectsUnknownParams || r.number != 1 || !refusesParams(err):
		return got, err
	case !r.exploring:
		return nil, contradiction(r.sr.s.Name, "the service refuses parameters that it took: "+err.Error())
	case r.here != firstPosition(r.rule):
		return got, err
	}
	reduced := r.here
	reduced.RejectsUnknownParams = true
	got, reducedErr := r.fetchPage(ctx, reduced, "")
	if refusesParams(reducedErr) {
		return nil, err
	}
	if reducedErr == nil {
		r.here = reduced
		r.sr.found.RejectsUnknownParams = true
	}
	return got, reducedErr
}

func refusesParams(err error) bool {
	return hasStatus(err, http.StatusBadRequest, http.StatusUnprocessableEntity)
}

// fetchPage gets the page at p with the retries of Options, or none for the first page with Query.Once. With an etag the response may be that
// the page is unchanged.
func (r *listRead) fetchPage(ctx context.Context, p pagePosition, etag string) (*fetchedPage, error) {
	sr, s, v := r.sr, r.sr.s, r.pageQuery(p)
	retries := r.c.retries
	if sr.q.Once && sr.pages == 0 {
		retries = 0
	}
	return withRetries(ctx, &r.c.caller, s.Name, retries, func() (*fetchedPage, error) {
		a, err := r.call(ctx, p, v, etag)
		if err != nil {
			return nil, err
		}
		defer a.release()
		got := &fetchedPage{etag: a.header.Get("ETag"), at: p, from: a.url}
		got.report = Page{
			Number: 1, Total: -1, ServerTime: r.c.serverTime(a), Took: a.took,
			Skew: a.skew, Limits: reportedLimits(a.header),
		}
		if a.status == http.StatusNotModified {
			got.report.Unchanged = true
			return got, nil
		}
		work, cancel := s.LimitPage(ctx)
		defer cancel()
		in := profile.Context{Over: r.parentRow(), With: sr.lookup}
		var recognised []*seenRow
		var hashes []rowHash
		page, broken := decodePage(s, a.header, a.body, func(l *profile.List) (*profile.Rows, error) {
			if sr.sharing {
				return s.MapShared(work, l, in)
			}
			if seen := sr.seenRows(); seen != nil {
				recognised, hashes = make([]*seenRow, len(l.Rows)), make([]rowHash, len(l.Rows))
				parentHash := sr.parentHash ^ r.parent.Hash
				in.Known = func(i int, raw []byte) (id string, known bool) {
					hashes[i] = seen.hash(raw, parentHash)
					if recognised[i] = seen.lookUp(hashes[i]); recognised[i] == nil {
						return "", false
					}
					return recognised[i].id, true
				}
			}
			return s.Map(work, l, in)
		})
		switch {
		case ctx.Err() != nil:
			return nil, contextError(ctx, s.Name)
		case work.Err() != nil:
			return nil, &Error{Kind: Slow, Stream: s.Name, Err: fmt.Errorf("a page takes the profile's program more than %v", s.PageTime())}
		case broken != nil:
			broken.Status = a.status
			return nil, broken
		}
		page.seen, page.hashes = recognised, hashes
		got.page, got.report.Rows, got.report.Total = page, page.rows(), page.total
		return got, nil
	})
}

// pageQuery returns the parameters with which a page is asked for.
func (r *listRead) pageQuery(p pagePosition) url.Values {
	sr, s := r.sr, r.sr.s
	v := url.Values{}
	set := func(params map[string]string) {
		for name, value := range params {
			v.Set(name, value)
		}
	}
	if s.Params != profile.ParamsBody {
		set(s.Query)
	}
	switch {
	case p.RejectsUnknownParams:
	case sr.changesOnly():
		set(s.Changes)
	default:
		set(s.Full)
	}
	if sr.since != "" {
		v.Set(s.Since.Param, sr.since)
	}
	if w := r.window; w != nil {
		v.Set(s.Window.From, w.AskFrom)
		v.Set(s.Window.To, w.AskTo)
	}
	if sr.filtersByEvent() {
		v.Set(s.ByEvent, sr.q.EventID)
	}
	setPageParams(r.rule, p, v, r.size)
	return v
}

// parentRow returns the row that the list belongs to, as programs see it; nil for none.
func (r *listRead) parentRow() any {
	if r.parent.Row == nil {
		return nil
	}
	return r.parent.Row
}

// call requests a page, from the address that the previous page named or from the stream's own. A
// stream may be under several prefixes and names: a read that explores tries them in turn and skips
// those that return 404.
func (r *listRead) call(ctx context.Context, p pagePosition, v url.Values, etag string) (*response, error) {
	c, s := r.c, r.sr.s
	body := s.Body
	if s.Params == profile.ParamsBody {
		body = bodyWith(s.Body, v)
		v = url.Values{}
		for name, value := range s.Query {
			v.Set(name, value)
		}
	}
	if p.At != "" && (p.Style == profile.PagingNext || p.Style == profile.PagingLinkHeader) {
		u, err := resolvePath(c.baseOf(s), p.At)
		if err != nil {
			return nil, &Error{Kind: Rejected, Stream: s.Name, Err: err}
		}
		return c.get(ctx, s, question{u, body, etag})
	}
	var firstErr error
	all := c.answers.candidates(s)
	if r.sr.found.Found {
		all = []address{{r.sr.found.Prefix, r.sr.found.Path}}
	}
	for _, at := range all {
		u := c.address(s, at, r.pathKey())
		u.RawQuery = v.Encode()
		a, err := c.get(ctx, s, question{u, body, etag})
		if err == nil {
			r.sr.found.Found, r.sr.found.Prefix, r.sr.found.Path = true, at.prefix, at.path
		}
		if !hasStatus(err, http.StatusNotFound) {
			return a, err
		}
		firstErr = cmp.Or(firstErr, err)
	}
	return nil, firstErr
}
