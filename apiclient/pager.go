package apiclient

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strconv"

	"housecount/apiclient/profile"
)

// maxEmpty is the most empty pages in a row that are accepted while each announces another.
const maxEmpty = 100

// pagePosition is the position of a page in a list. Style is never profile.PagingAuto.
type pagePosition struct {
	Style profile.Paging `json:"s"`
	// Param is the parameter of a page number or a cursor if it is not the usual one.
	Param string `json:"p,omitempty"`
	// N is a page number, or the number of rows to skip.
	N int `json:"n,omitempty"`
	// At is a cursor, or the path and query of the page.
	At string `json:"a,omitempty"`
	// RejectsUnknownParams reports that the service refuses parameters that it does not know.
	RejectsUnknownParams bool `json:"b,omitempty"`
}

// usualSize is the usual parameter for the number of rows per page.
const usualSize = "per_page"

// withStyle returns the rule with the style that follows from its fields, or with the style that
// the operator chose, if any. The parameters of a chosen style are the usual ones.
func withStyle(p profile.PagingRule, chosen profile.Paging) profile.PagingRule {
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

// firstPosition returns the position of the first page.
func firstPosition(p profile.PagingRule) pagePosition {
	position := pagePosition{Style: p.Style, Param: p.Param}
	if p.Style == profile.PagingAuto {
		position.Style = profile.PagingPage
	}
	if position.Style == profile.PagingPage && !p.FromZero {
		position.N = 1
	}
	return position
}

// setPageParams adds the parameters that ask for size rows of the page at p.
func setPageParams(r profile.PagingRule, p pagePosition, v url.Values, size int) {
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
		if param := cmp.Or(p.Param, "page"); !p.RejectsUnknownParams || p.N != firstPosition(r).N {
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

// pager finds the pages of one list, one after the other.
type pager struct {
	rule profile.PagingRule
	auto bool
	// exploring allows the pager to try out where the list continues. Otherwise answered is the
	// paging that was found before, where rule leaves it open; it is empty if the list had only one
	// page.
	exploring bool
	answered  profile.Paging
	// credentialParam is the query parameter that carries the credential and must not be stored in
	// a position; empty if there is none.
	credentialParam string
	here            pagePosition
	// foundBy is the paging that showed the page after here, or that there is none.
	foundBy profile.Paging
	seen    int // rows so far, without those repeated from the previous page
	// newRows counts the rows of the page at here that the previous page did not have.
	newRows int
	// alternatives are positions that may hold the second page, to be tried if here turns out to
	// return the first page again. There are none if the service itself said where the second page
	// is.
	alternatives []pagePosition
	visited      map[pagePosition]bool // links and cursors that were followed
	emptyPages   int                   // in a row
	// fromOne reports that the service counts pages from 1 although its responses have the form of
	// those that count from 0.
	fromOne bool
}

// advance returns the position of the page after the one at here, which reported info and had rows
// rows (already counted in seen), the last with the cursor last. more is false at the end of the
// list. from is the address of the response.
func (pg *pager) advance(from *url.URL, info pageInfo, rows int, last string) (next pagePosition, more bool, err error) {
	if rows > 0 {
		pg.emptyPages = 0
	} else if pg.emptyPages++; pg.emptyPages > maxEmpty {
		return pagePosition{}, false, &Error{Kind: Endless, Err: fmt.Errorf("more than %d empty pages, each of which tells of another", maxEmpty)}
	}
	pg.foundBy = pg.here.Style
	if pg.auto {
		next, more, err = pg.nextByAnswer(from, info, rows, last)
	} else {
		next, more, err = pg.nextByRule(from, info, rows, last)
	}
	if err == nil && pg.auto && !pg.exploring {
		err = pg.checkAnswer(next, more)
	}
	if err != nil || !more {
		return pagePosition{}, false, err
	}
	next.RejectsUnknownParams = pg.here.RejectsUnknownParams
	switch next.Style {
	case profile.PagingNext, profile.PagingLinkHeader, profile.PagingCursor:
		if len(next.At) > maxLink {
			return pagePosition{}, false, &Error{Kind: Garbage, Err: fmt.Errorf("the place of the next page is longer than %d bytes", maxLink)}
		}
		if pg.visited == nil {
			pg.visited = map[pagePosition]bool{}
		}
		if pg.visited[next] {
			return pagePosition{}, false, &Error{Kind: Endless, Err: errors.New("the next page is one that was read before")}
		}
		pg.visited[next] = true
	}
	return next, true, nil
}

// missingNextPage returns the error of a list that continues without saying where. Ending the read would
// make the remaining rows look deleted.
func missingNextPage() error {
	return &Error{Kind: Garbage, Err: errors.New("the list goes on, but the answer does not say where; check the profile's paging")}
}

// moreReported reports whether the response says, in the field that the profile names, that there
// are more rows.
func (pg *pager) moreReported(info pageInfo) bool {
	return pg.rule.More != "" && info.more != nil && *info.more
}

// nextByRule finds the next page by the configured paging.
func (pg *pager) nextByRule(from *url.URL, info pageInfo, rows int, last string) (next pagePosition, more bool, err error) {
	next = pg.here
	if pg.rule.More != "" && info.more != nil && !*info.more || pg.rule.Next != "" && info.nextReported && info.next == "" {
		return pagePosition{}, false, nil
	}
	switch pg.here.Style {
	case profile.PagingPage:
		next.N++
		return next, !pg.complete(info, rows), nil
	case profile.PagingOffset:
		next.N += pg.newRows
		return next, !pg.complete(info, rows), nil
	case profile.PagingCursor:
		if next.At = info.cursor; pg.rule.Last != "" {
			next.At = last
			if more = !pg.complete(info, rows); more && last == "" {
				return pagePosition{}, false, missingNextPage()
			}
			return next, more, nil
		}
		if info.cursor == "" && rows > 0 && pg.moreReported(info) {
			return pagePosition{}, false, missingNextPage()
		}
		return next, info.cursor != "", nil
	case profile.PagingNext:
		if info.nextUnreadable || info.next == "" && rows > 0 && pg.moreReported(info) {
			return pagePosition{}, false, missingNextPage()
		}
		next.At, err = sameOriginPath(from, info.next, pg.credentialParam)
		return next, info.next != "", err
	case profile.PagingLinkHeader:
		next.At, err = sameOriginPath(from, info.link, pg.credentialParam)
		return next, info.link != "", err
	}
	return pagePosition{}, false, nil
}

// complete reports whether all rows have been read. A short page does not end the list while the
// total says that rows remain: the service's pages may be smaller than what we ask for.
func (pg *pager) complete(info pageInfo, rows int) bool {
	switch {
	case rows == 0:
		return true
	case pg.rule.More != "" && info.more != nil:
		return !*info.more
	case pg.rule.Next != "" && info.nextReported:
		return info.next == ""
	case info.total >= 0:
		return pg.seen >= info.total
	}
	return rows < info.perPage
}

// nextByAnswer finds the next page from the response, in the order that profile.PagingAuto
// documents.
func (pg *pager) nextByAnswer(from *url.URL, info pageInfo, rows int, last string) (next pagePosition, more bool, err error) {
	pg.alternatives = nil
	switch {
	case info.linkReported:
		pg.foundBy = profile.PagingLinkHeader
		next = pagePosition{Style: profile.PagingLinkHeader}
		next.At, err = sameOriginPath(from, info.link, pg.credentialParam)
		return next, info.link != "", err
	case info.bare:
		pg.foundBy = profile.PagingBare
		return pagePosition{}, false, nil
	case info.more != nil && !*info.more:
		return pagePosition{}, false, nil
	case info.nextReported:
		pg.foundBy = profile.PagingNext
		next = pagePosition{Style: profile.PagingNext}
		next.At, err = sameOriginPath(from, info.next, pg.credentialParam)
		return next, info.next != "", err
	case info.cursorName != "":
		pg.foundBy = profile.PagingCursor
		return pagePosition{Style: profile.PagingCursor, Param: info.cursorName, At: info.cursor}, info.cursor != "", nil
	case info.more != nil && info.lastID:
		pg.foundBy = profile.PagingCursor
		if last == "" && rows > 0 {
			return pagePosition{}, false, missingNextPage()
		}
		return pagePosition{Style: profile.PagingCursor, Param: "starting_after", At: last}, last != "", nil
	}

	// The response has at most numbers: ask for a page number or an offset.
	isPage := pg.here.Style == profile.PagingPage
	page := func(n int) pagePosition { return pagePosition{Style: profile.PagingPage, N: n, Param: pg.here.Param} }
	moreToCome := !pg.complete(info, rows) || info.more != nil && rows > 0
	switch {
	case info.nextPage != 0:
		next, more = page(info.nextPage), info.nextPage > 0
	case isPage && info.fromZero && info.page >= 0 && info.pages >= 0:
		read := info.page + 1
		if pg.fromOne {
			read--
		}
		next, more = page(pg.here.N+1), read < info.pages
	case isPage && info.page >= 0 && info.pages >= 0:
		next, more = page(info.page+1), info.page < info.pages
		if pg.rule.FromZero {
			more = next.N < info.pages
		}
	case isPage:
		next, more = page(pg.here.N+1), moreToCome
	case pg.here.Style == profile.PagingOffset:
		next, more = pagePosition{Style: profile.PagingOffset, N: pg.here.N + pg.newRows, Param: pg.here.Param}, moreToCome
	case pg.here.Style == profile.PagingCursor && pg.here.Param == "starting_after" && last != "":
		next, more = pagePosition{Style: profile.PagingCursor, Param: "starting_after", At: last}, moreToCome
	default: // reached by a link or a cursor, and the response has no further one
		if !pg.exploring && rows > 0 && info.total > pg.seen {
			return pagePosition{}, false, contradiction("", fmt.Sprintf("the list ends after %d of its %d rows", pg.seen, info.total))
		}
		return pagePosition{}, false, nil
	}
	if more && rows > 0 && pg.seen == rows && isPage && pg.exploring {
		// The second page shows whether the service understood the parameter.
		pg.alternatives = []pagePosition{{Style: profile.PagingPage, N: 2, Param: "page[number]"}, {Style: profile.PagingOffset, N: rows}}
		if last != "" {
			pg.alternatives = append(pg.alternatives, pagePosition{Style: profile.PagingCursor, Param: "starting_after", At: last})
		}
	}
	return next, more, nil
}

// checkAnswer returns an error if the list continues in another way than was found before.
func (pg *pager) checkAnswer(next pagePosition, more bool) error {
	switch {
	case more && pg.answered == "":
		return contradiction("", "the list has a second page, which it had not")
	case more && next.Style != pg.answered:
		return contradiction("", fmt.Sprintf("the list goes on by %s and not by %s", next.Style, pg.answered))
	}
	return nil
}

// firstPosition returns the position of the first page according to a; first is the one of the
// profile.
func (a Answer) firstPosition(position pagePosition) pagePosition {
	position.RejectsUnknownParams = a.RejectsUnknownParams
	switch a.Paging {
	case profile.PagingPage:
		position.Param = a.Param
		if a.FromZero {
			position.N = 0
		}
	case profile.PagingOffset:
		position = pagePosition{Style: profile.PagingOffset, RejectsUnknownParams: position.RejectsUnknownParams}
	case profile.PagingCursor:
		if a.Param == "starting_after" {
			position = pagePosition{Style: profile.PagingCursor, Param: a.Param, RejectsUnknownParams: position.RejectsUnknownParams}
		}
	}
	return position
}

// restartsAtZero reports whether page 1, which was asked for first, is the second page by the
// service's counting. The read then starts again from page 0.
func (pg *pager) restartsAtZero(info pageInfo) bool {
	if !pg.auto || !pg.exploring || pg.here.Style != profile.PagingPage || pg.seen > 0 || !info.fromZero || info.page < 0 || info.pages < 0 {
		return false
	}
	switch {
	case pg.here.RejectsUnknownParams: // no page number was sent
		pg.here.N = info.page
	case pg.here.N == 1 && info.page == 1 && !pg.fromOne:
		pg.here.N = 0
		return true
	case pg.here.N == 0 && info.page == 1:
		pg.here.N, pg.fromOne = 1, true
	}
	return false
}

// nextAlternative returns another position that may hold the second page.
func (pg *pager) nextAlternative() (pagePosition, bool) {
	if len(pg.alternatives) == 0 {
		return pagePosition{}, false
	}
	p := pg.alternatives[0]
	p.RejectsUnknownParams = pg.here.RejectsUnknownParams
	pg.alternatives = pg.alternatives[1:]
	return p, true
}
