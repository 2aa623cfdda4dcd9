package sandbox

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"housecount/apiclient/sandbox/faults"
	"housecount/apiclient/sandbox/idp"
)

// pagingStyles are the ways to divide a list into pages.
//
//	page         page, per_page; meta has total, page, per_page
//	offset       offset, limit; meta has total, offset, limit
//	cursor       cursor, limit; meta has total and next_cursor, null at the end
//	next         as page, and links.next is the address of the next page or null
//	link-header  as page, and a Link header with rel="next" (RFC 8288)
//	bare         the whole list as a bare array
//
// A cursor names the last row served. Lists sorted by created_at or updated_at, oldest first, are therefore read
// without gaps or repeats caused by rows that are added or moved meanwhile. In this style updated_since alone
// implies sort=updated_at.
var pagingStyles = []string{"page", "offset", "cursor", "next", "link-header", "bare"}

// Page sizes. A larger requested size is reduced, and the meta of the response shows it.
const (
	defaultPerPage = 50
	maxPerPage     = 500
	// bareChunk is the number of rows of a bare list copied at a time under the lock.
	bareChunk = 1000
)

// window is the requested part of a list.
type window struct {
	style      string
	size, from int     // at most size rows after the first from
	after      *cursor // cursor style only; nil for the first page
	list       uint64  // hash of the list's parameters, to check a cursor
}

// cursor identifies the row before a page. It is opaque to clients.
type cursor struct {
	List uint64    `json:"l"`
	At   time.Time `json:"t"`
	ID   string    `json:"i"`
}

// parseWindow reads the paging parameters of the style and ignores those of other styles.
func parseWindow(style string, v url.Values, q query) (window, error) {
	w := window{style: style}
	var err error
	switch style {
	case "offset":
		if w.from, err = intParam(v, "offset", 0, 0); err != nil {
			return w, err
		}
		w.size, err = intParam(v, "limit", 1, defaultPerPage)
	case "cursor":
		if w.size, err = intParam(v, "limit", 1, defaultPerPage); err != nil {
			return w, err
		}
		h := fnv.New64a()
		fmt.Fprintf(h, "%s %s", q.since, strings.Join([]string{v.Get("sort"), filtersOf(v)}, " "))
		w.list = h.Sum64()
		if text := v.Get("cursor"); text != "" {
			if w.after, err = parseCursor(text, w.list); err != nil {
				return w, err
			}
		}
	case "bare":
	default:
		var page int
		if page, err = intParam(v, "page", 1, 1); err != nil {
			return w, err
		}
		w.size, err = intParam(v, "per_page", 1, defaultPerPage)
		w.size = min(w.size, maxPerPage)
		w.from = (page - 1) * w.size
	}
	w.size = min(w.size, maxPerPage)
	return w, err
}

// intParam reads a whole number of at least minimum, or returns fallback if the parameter is missing.
func intParam(v url.Values, name string, minimum, fallback int) (int, error) {
	text := v.Get(name)
	if text == "" {
		return fallback, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < minimum || n > 1<<31 {
		return 0, idp.BadRequest(fmt.Sprintf("%s must be a whole number from %d, not %q.", name, minimum, text))
	}
	return n, nil
}

// filtersOf returns the query without its paging parameters, encoded.
func filtersOf(v url.Values) string {
	rest := url.Values{}
	for name, values := range v {
		if !slices.Contains([]string{"cursor", "limit", "page", "per_page", "offset"}, name) {
			rest[name] = values
		}
	}
	return rest.Encode()
}

// placeOf identifies a list and its reader by the credential, path and filters, and where in it a request asks.
func placeOf(r *http.Request) faults.Place {
	v := r.URL.Query()
	h := fnv.New64a()
	fmt.Fprint(h, r.Header.Get("Authorization"), " ", r.URL.Path, "?", filtersOf(v))
	page, _ := intParam(v, "page", 1, 1) // parseWindow reports invalid numbers
	offset, _ := intParam(v, "offset", 0, 0)
	p := faults.Place{List: h.Sum64(), At: max(page-1, offset, 0), Page: 1, Cursor: v.Get("cursor") != ""}
	if v.Get("offset") != "" {
		p.Page, _ = intParam(v, "limit", 1, defaultPerPage)
	}
	return p
}

func (c cursor) String() string {
	text, _ := json.Marshal(c) // cannot fail: the years have four digits
	return base64.RawURLEncoding.EncodeToString(text)
}

func parseCursor(text string, list uint64) (*cursor, error) {
	var c cursor
	plain, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(plain, &c)
	}
	if err != nil || c.List != list {
		return nil, idp.BadRequest("cursor is not one of this list.")
	}
	return &c, nil
}

// listPage is one page of a list.
type listPage struct {
	window
	rows  []*row
	total int
	last  *cursor // the cursor of the next page; nil at the end
}

// page returns the window's page of rows, which are in the order of q.
func (w window) page(rows []*row, q query, t faults.Tampering) listPage {
	c := listPage{window: w, total: len(rows)}
	from := w.from
	switch {
	case w.style == "bare":
		c.rows = slices.Clone(rows)
		return c
	case w.after != nil:
		from = sort.Search(len(rows), func(i int) bool { return q.isAfter(rows[i], *w.after) })
	}
	if w.style != "cursor" {
		// As if rows had been inserted at the front since the first page.
		from = max(from-t.Shift, 0)
		c.total += t.Shift
	}
	from = min(from, len(rows))
	to := min(from+w.size, len(rows))
	if w.style == "cursor" && to > from && to < len(rows) {
		at, id := q.key(rows[to-1])
		c.last = &cursor{w.list, at, id}
	}
	if t.Repeat && from > 0 && to > from {
		from--
	}
	c.rows = rows[from:to]
	return c
}

// isAfter reports whether a row comes after a cursor.
func (q query) isAfter(r *row, c cursor) bool {
	at, id := q.key(r)
	order := cmp.Or(at.Compare(c.At), cmp.Compare(id, c.ID))
	if q.newestChange {
		order = -order
	}
	return order > 0
}
