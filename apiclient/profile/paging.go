package profile

// Paging is how a service hands out a long list.
type Paging string

// The ways of paging. Auto asks for a numbered page first and then goes by what the
// answers say; the others are fixed, for a service of which the answers say nothing or
// the wrong thing.
const (
	// PagingAuto decides after each answer, the first of these that applies:
	//   - a Link header that speaks of pages: its next, or the end;
	//   - a bare array: the end;
	//   - has_more or has_more_items that is false: the end;
	//   - links.next, _links.next.href, next or pagination.next: that address, null ends;
	//   - a cursor (next_cursor, pagination.continuation, next_page_starts_after), null or
	//     empty ends;
	//   - meta.next_page, null ends;
	//   - page counters (current_page and last_page, page_number and page_count,
	//     page.number and page.totalPages counted from 0);
	//   - the total of rows, or without one a page shorter than the service's own size.
	// Where nothing of it says how to go on, the parameters page, page[number], offset and
	// starting_after are tried in turn until one brings other rows than the first page. A
	// service that refuses the paging parameters with 400 or 422 is asked without them.
	PagingAuto Paging = "auto"
	// PagingPage counts pages from 1: page and per_page.
	PagingPage Paging = "page"
	// PagingOffset counts rows: offset and limit.
	PagingOffset Paging = "offset"
	// PagingCursor sends what the answer before gave as next_cursor: cursor and limit.
	PagingCursor Paging = "cursor"
	// PagingNext follows the address of the next page in the body.
	PagingNext Paging = "next"
	// PagingLinkHeader follows the address of the next page in the Link header.
	PagingLinkHeader Paging = "link-header"
	// PagingBare takes the one answer for the whole list.
	PagingBare Paging = "bare"
)

// Pagings lists the ways of paging.
var Pagings = []Paging{PagingAuto, PagingPage, PagingOffset, PagingCursor, PagingNext, PagingLinkHeader, PagingBare}

// PagingNames are the Pagings as texts.
func PagingNames() []string {
	names := make([]string, len(Pagings))
	for i, style := range Pagings {
		names[i] = string(style)
	}
	return names
}
