package profile

// Paging is a way of paging a long list.
type Paging string

// The ways of paging. Auto starts with a numbered page and then follows the responses. The others
// are fixed, for services whose responses do not show the paging or show it wrongly.
const (
	// PagingAuto decides after each response by the first of these that applies:
	//   - a Link header with page relations: its next, or the end;
	//   - a bare array: the end;
	//   - has_more or has_more_items is false: the end;
	//   - links.next, _links.next.href, next or pagination.next: that address, or the end if null;
	//   - a cursor (next_cursor, pagination.continuation, next_page_starts_after), or the end if
	//     null or empty;
	//   - meta.next_page, or the end if null;
	//   - page counters (current_page and last_page, page_number and page_count, page.number and
	//     page.totalPages counted from 0);
	//   - the total number of rows, or without one a page shorter than the service's page size.
	//
	// If nothing shows how to continue, the parameters page, page[number], offset and
	// starting_after are tried in turn until one returns other rows than the first page. A service
	// that refuses the paging parameters with 400 or 422 is asked without them.
	PagingAuto Paging = "auto"
	// PagingPage counts pages from 1: page and per_page.
	PagingPage Paging = "page"
	// PagingOffset counts rows: offset and limit.
	PagingOffset Paging = "offset"
	// PagingCursor sends the next_cursor of the previous response: cursor and limit.
	PagingCursor Paging = "cursor"
	// PagingNext follows the address of the next page in the body.
	PagingNext Paging = "next"
	// PagingLinkHeader follows the address of the next page in the Link header.
	PagingLinkHeader Paging = "link-header"
	// PagingBare expects the whole list in one response.
	PagingBare Paging = "bare"
)

// Pagings lists the ways of paging.
var Pagings = []Paging{PagingAuto, PagingPage, PagingOffset, PagingCursor, PagingNext, PagingLinkHeader, PagingBare}

// PagingNames returns the Pagings as strings.
func PagingNames() []string {
	names := make([]string, len(Pagings))
	for i, style := range Pagings {
		names[i] = string(style)
	}
	return names
}
