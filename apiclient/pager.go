package apiclient

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strconv"

	"housecount/apiclient/profile"
)

// maxEmpty is how many empty pages in a row are believed when each tells of another.
const maxEmpty = 100

// pagePosition is where a page is to be found. Style is never profile.PagingAuto.
type pagePosition struct {
	Style profile.Paging `json:"s"`
	// Param is the parameter of a page number or a cursor where it is not the usual one.
	Param string `json:"p,omitempty"`
	// N is the number of a page, or of rows to leave out.
	N int `json:"n,omitempty"`
	// At is the cursor, or the path and query of the page.
	At string `json:"a,omitempty"`
	// Plain says that the service refuses parameters that it does not know.
	RejectsUnknownParams bool `json:"b,omitempty"`
}

// usualSize is the parameter of the number of rows that most services have.
const usualSize = "per_page"

// ready returns the rule with the style that follows from what it names, or with the style
// that the operator chose, if any; the names of parameters are then the usual ones.
func ready(p profile.PagingRule, chosen profile.Paging) profile.PagingRule {
	switch {
	case p.Style != "" && p.Style != profile.PagingAuto:
	case p.Next != "":
		p.Style = profile.PagingNext
	case p.Cursor != "" || p.Last != "":
		p.Style = profile.PagingCursor
	default:
		p.Style = profile.PagingAuto
	}
	if chosen != "" && chosen != p.Style {
		p.Style, p.Param, p.SizeParam, p.Last = chosen, "", usualSize, ""
	}
	return p
}

// begin is the place of the first page.
func begin(p profile.PagingRule) pagePosition {
	first := pagePosition{Style: p.Style, Param: p.Param}
	if p.Style == profile.PagingAuto {
		first.Style = profile.PagingPage
	}
	if first.Style == profile.PagingPage && !p.FromZero {
		first.N = 1
	}
	return first
}

// params adds to v what asks for size rows of the page at p.
func params(r profile.PagingRule, p pagePosition, v url.Values, size int) {
	sized := func(name string) {
		if r.SizeParam != usualSize {
			name = r.SizeParam
		}
		if name != "" && !p.RejectsUnknownParams {
			v.Set(name, strconv.Itoa(size))
		}
	}
	switch p.Style {
	case profile.PagingPage:
		sized(usualSize)
		if param := cmp.Or(p.Param, "page"); !p.RejectsUnknownParams || p.N != begin(r).N {
			v.Set(param, strconv.Itoa(p.N))
		}
	case profile.PagingOffset:
		sized("limit")
		v.Set(cmp.Or(p.Param, "offset"), strconv.Itoa(p.N))
	case profile.PagingCursor:
		param := cmp.Or(p.Param, "cursor")
		if param == "cursor" {
			sized("limit")
		} else {
			sized(usualSize)
		}
		if p.At != "" {
			v.Set(param, p.At)
		}
	case profile.PagingNext, profile.PagingLinkHeader:
		sized(usualSize)
	}
}

// pager is the way of one read through its pages.
type pager struct {
	rule profile.PagingRule
	auto bool
	// exploring says that it may be tried out how the list goes on; otherwise answered is how
	// it was found to, where rule leaves it open, or empty where nothing showed it.
	exploring bool
	answered  profile.Paging
	// hidden is the parameter that holds the credential, which no place may hold; empty
	// where none does.
	hidden string
	here   pagePosition
	// how is what showed the next page after here, or that there is none.
	how  profile.Paging
	seen int // rows that came so far, without those that a page repeated from the one before
	// fresh is how many rows of the page at here were such.
	fresh int
	// guesses are the places that may hold the second page, after here has turned out to
	// bring the first again. None when the service said itself where it is.
	guesses []pagePosition
	been    map[pagePosition]bool // followed links and cursors
	empty   int                   // pages in a row
	// fromOne says that a service in the form of those that count from 0 counts from 1.
	fromOne bool
}

// onward finds the place of the page after the one at here, that said t, had rows rows
// (which are counted in seen) and the id last in the end. more is false at the end of the
// list. from is the address that answered.
func (c *pager) onward(from *url.URL, t pageInfo, rows int, last string) (next pagePosition, more bool, err error) {
	if rows > 0 {
		c.empty = 0
	} else if c.empty++; c.empty > maxEmpty {
		return pagePosition{}, false, &Error{Kind: Endless, Err: fmt.Errorf("more than %d empty pages, each of which tells of another", maxEmpty)}
	}
	c.how = c.here.Style
	if c.auto {
		next, more, err = c.decide(from, t, rows, last)
	} else {
		next, more, err = c.fixed(from, t, rows, last)
	}
	if err == nil && c.auto && !c.exploring {
		err = c.obeys(next, more)
	}
	if err != nil || !more {
		return pagePosition{}, false, err
	}
	next.RejectsUnknownParams = c.here.RejectsUnknownParams
	switch next.Style {
	case profile.PagingNext, profile.PagingLinkHeader, profile.PagingCursor:
		if len(next.At) > maxLink {
			return pagePosition{}, false, &Error{Kind: Garbage, Err: fmt.Errorf("the place of the next page is longer than %d bytes", maxLink)}
		}
		if c.been == nil {
			c.been = map[pagePosition]bool{}
		}
		if c.been[next] {
			return pagePosition{}, false, &Error{Kind: Endless, Err: errors.New("the next page is one that was read before")}
		}
		c.been[next] = true
	}
	return next, true, nil
}

// leadsNowhere is the error of a list that goes on, but does not say where as it should: what
// follows would be taken for gone.
func leadsNowhere() error {
	return &Error{Kind: Garbage, Err: errors.New("the list goes on, but the answer does not say where; check the profile's paging")}
}

// says says that the answer tells, where the profile looks for it, that there is more.
func (c *pager) says(t pageInfo) bool { return c.rule.More != "" && t.more != nil && *t.more }

// fixed finds the next page in the way that was configured.
func (c *pager) fixed(from *url.URL, t pageInfo, rows int, last string) (next pagePosition, more bool, err error) {
	next = c.here
	if c.rule.More != "" && t.more != nil && !*t.more || c.rule.Next != "" && t.nextSaid && t.next == "" {
		return pagePosition{}, false, nil
	}
	switch c.here.Style {
	case profile.PagingPage:
		next.N++
		return next, !c.complete(t, rows), nil
	case profile.PagingOffset:
		next.N += c.fresh
		return next, !c.complete(t, rows), nil
	case profile.PagingCursor:
		if next.At = t.cursor; c.rule.Last != "" {
			next.At = last
			if more = !c.complete(t, rows); more && last == "" {
				return pagePosition{}, false, leadsNowhere()
			}
			return next, more, nil
		}
		if t.cursor == "" && rows > 0 && c.says(t) {
			return pagePosition{}, false, leadsNowhere()
		}
		return next, t.cursor != "", nil
	case profile.PagingNext:
		if t.nextOdd || t.next == "" && rows > 0 && c.says(t) {
			return pagePosition{}, false, leadsNowhere()
		}
		next.At, err = sameOriginPath(from, t.next, c.hidden)
		return next, t.next != "", err
	case profile.PagingLinkHeader:
		next.At, err = sameOriginPath(from, t.link, c.hidden)
		return next, t.link != "", err
	}
	return pagePosition{}, false, nil
}

// complete says that the rows seen are all. That a page is short says nothing while the
// total says more: the service's pages may be smaller than those we ask for.
func (c *pager) complete(t pageInfo, rows int) bool {
	switch {
	case rows == 0:
		return true
	case c.rule.More != "" && t.more != nil:
		return !*t.more
	case c.rule.Next != "" && t.nextSaid:
		return t.next == ""
	case t.total >= 0:
		return c.seen >= t.total
	}
	return rows < t.perPage
}

// decide is the order of profile.PagingAuto.
func (c *pager) decide(from *url.URL, t pageInfo, rows int, last string) (next pagePosition, more bool, err error) {
	c.guesses = nil
	switch {
	case t.linked:
		c.how = profile.PagingLinkHeader
		next = pagePosition{Style: profile.PagingLinkHeader}
		next.At, err = sameOriginPath(from, t.link, c.hidden)
		return next, t.link != "", err
	case t.bare:
		c.how = profile.PagingBare
		return pagePosition{}, false, nil
	case t.more != nil && !*t.more:
		return pagePosition{}, false, nil
	case t.nextSaid:
		c.how = profile.PagingNext
		next = pagePosition{Style: profile.PagingNext}
		next.At, err = sameOriginPath(from, t.next, c.hidden)
		return next, t.next != "", err
	case t.cursorName != "":
		c.how = profile.PagingCursor
		return pagePosition{Style: profile.PagingCursor, Param: t.cursorName, At: t.cursor}, t.cursor != "", nil
	case t.more != nil && t.lastID:
		c.how = profile.PagingCursor
		if last == "" && rows > 0 {
			return pagePosition{}, false, leadsNowhere()
		}
		return pagePosition{Style: profile.PagingCursor, Param: "starting_after", At: last}, last != "", nil
	}

	// What follows is said in numbers, and a page or an offset has to be asked for.
	isPage := c.here.Style == profile.PagingPage
	toCome := !c.complete(t, rows) || t.more != nil && rows > 0
	switch {
	case t.nextPage != 0:
		next, more = pagePosition{Style: profile.PagingPage, N: t.nextPage, Param: c.here.Param}, t.nextPage > 0
	case isPage && t.fromZero && t.page >= 0 && t.pages >= 0:
		read := t.page + 1
		if c.fromOne {
			read--
		}
		next, more = pagePosition{Style: profile.PagingPage, N: c.here.N + 1, Param: c.here.Param}, read < t.pages
	case isPage && t.page >= 0 && t.pages >= 0:
		next, more = pagePosition{Style: profile.PagingPage, N: t.page + 1, Param: c.here.Param}, t.page < t.pages
		if c.rule.FromZero {
			more = next.N < t.pages
		}
	case isPage:
		next, more = pagePosition{Style: profile.PagingPage, N: c.here.N + 1, Param: c.here.Param}, toCome
	case c.here.Style == profile.PagingOffset:
		next, more = pagePosition{Style: profile.PagingOffset, N: c.here.N + c.fresh, Param: c.here.Param}, toCome
	case c.here.Style == profile.PagingCursor && c.here.Param == "starting_after" && last != "":
		next, more = pagePosition{Style: profile.PagingCursor, Param: "starting_after", At: last}, toCome
	default: // a link or a cursor led here, and nothing leads on
		if !c.exploring && rows > 0 && t.total > c.seen {
			return pagePosition{}, false, contradiction("", fmt.Sprintf("the list ends after %d of its %d rows", c.seen, t.total))
		}
		return pagePosition{}, false, nil
	}
	if more && rows > 0 && c.seen == rows && isPage && c.exploring {
		// The second page: what it brings tells whether the service heard the parameter.
		c.guesses = []pagePosition{{Style: profile.PagingPage, N: 2, Param: "page[number]"}, {Style: profile.PagingOffset, N: rows}}
		if last != "" {
			c.guesses = append(c.guesses, pagePosition{Style: profile.PagingCursor, Param: "starting_after", At: last})
		}
	}
	return next, more, nil
}

// obeys is a contradiction when the list does not go on in the way that was found.
func (c *pager) obeys(next pagePosition, more bool) error {
	switch {
	case more && c.answered == "":
		return contradiction("", "the list has a second page, which it had not")
	case more && next.Style != c.answered:
		return contradiction("", fmt.Sprintf("the list goes on by %s and not by %s", next.Style, c.answered))
	}
	return nil
}

// begin is the place of the first page by what was found; first is it by the profile.
func (a Answer) begin(first pagePosition) pagePosition {
	first.RejectsUnknownParams = a.RejectsUnknownParams
	switch a.Paging {
	case profile.PagingPage:
		first.Param = a.Param
		if a.FromZero {
			first.N = 0
		}
	case profile.PagingOffset:
		first = pagePosition{Style: profile.PagingOffset, RejectsUnknownParams: first.RejectsUnknownParams}
	case profile.PagingCursor:
		if a.Param == "starting_after" {
			first = pagePosition{Style: profile.PagingCursor, Param: a.Param, RejectsUnknownParams: first.RejectsUnknownParams}
		}
	}
	return first
}
