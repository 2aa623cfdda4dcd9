package apiclient_test

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"housecount/apiclient"
	"housecount/apiclient/profile"
	"housecount/apiclient/record"
)

// asked is a request for a page as the services below understand it.
type asked struct {
	url.Values
	self string // the address of the list
}

func (a asked) number(name string, otherwise int) int {
	n, err := strconv.Atoi(a.Get(name))
	if err != nil {
		return otherwise
	}
	return n
}

// cutOut returns rows[from:to], as far as they exist.
func cutOut(rows []string, from, to int) string {
	from, to = min(max(from, 0), len(rows)), min(max(to, 0), len(rows))
	return "[" + strings.Join(rows[from:to], ",") + "]"
}

func orNull(ok bool, format string, a ...any) string {
	if !ok {
		return "null"
	}
	return fmt.Sprintf(format, a...)
}

// after returns the index after the row with the id.
func after(rows []string, id string) int {
	return slices.IndexFunc(rows, func(r string) bool { return strings.Contains(r, `"`+id+`"`) }) + 1
}

func lastID(rows []string, to int) string {
	if to = min(to, len(rows)); to == 0 {
		return ""
	}
	return fmt.Sprintf("tkt_%d", to)
}

// envelopes are documented forms of lists, here with three of our rows per page.
var envelopes = []struct {
	name string
	page func(a asked, rows []string, h http.Header) string
	// calls needed for 7 rows; the reported total, -1 for none
	calls, total int
}{
	{"pretix", func(a asked, rows []string, _ http.Header) string {
		n := a.number("page", 1)
		return fmt.Sprintf(`{"count":%d,"next":%s,"previous":null,"results":%s}`, len(rows), orNull(n*3 < len(rows), `"%s?page=%d"`, a.self, n+1), cutOut(rows, n*3-3, n*3))
	}, 3, 7},
	{"Ticket Tailor", func(a asked, rows []string, _ http.Header) string {
		from := after(rows, a.Get("starting_after"))
		return fmt.Sprintf(`{"data":%s,"links":{"next":%s,"previous":null}}`, cutOut(rows, from, from+3), orNull(from+3 < len(rows), `"/v2/tickets?starting_after=%s"`, lastID(rows, from+3)))
	}, 3, -1},
	{"Eventbrite, token on the last page too", func(a asked, rows []string, _ http.Header) string {
		from := a.number("continuation", 0)
		return fmt.Sprintf(`{"pagination":{"object_count":166,"page_number":%d,"page_size":50,"page_count":4,"has_more_items":%t,"continuation":"%d"},"attendees":%s}`,
			from/3+1, from+3 < len(rows), from+3, cutOut(rows, from, from+3))
	}, 3, 166},
	{"Eventbrite by pages", func(a asked, rows []string, _ http.Header) string {
		n := a.number("page", 1)
		return fmt.Sprintf(`{"pagination":{"object_count":%d,"page_number":%d,"page_size":3,"page_count":%d},"events":%s}`, len(rows), n, (len(rows)+2)/3, cutOut(rows, n*3-3, n*3))
	}, 3, 7},
	{"Tito, which counts pages as page[number]", func(a asked, rows []string, _ http.Header) string {
		n := a.number("page[number]", 1)
		return fmt.Sprintf(`{"tickets":%s,"meta":{"current_page":%d,"next_page":%s,"prev_page":null,"total_pages":3,"total_count":%d,"per_page":3,"overall_total":40}}`,
			cutOut(rows, n*3-3, n*3), n, orNull(n*3 < len(rows), "%d", n+1), len(rows))
	}, 4, 7},
	{"Ticketmatic, which counts rows", func(a asked, rows []string, _ http.Header) string {
		from := a.number("offset", 0)
		return fmt.Sprintf(`{"data":%s,"nbrofresults":%d,"lookup":{}}`, cutOut(rows, from, from+3), len(rows))
	}, 5, 7},
	{"Eventgoose", func(a asked, rows []string, _ http.Header) string {
		n := a.number("page", 1)
		return fmt.Sprintf(`{"data":%s,"links":{"first":"%s?page=1","last":"%s?page=3","prev":null,"next":%s},"meta":{"current_page":%d,"last_page":3,"per_page":3,"total":%d}}`,
			cutOut(rows, n*3-3, n*3), a.self, a.self, orNull(n*3 < len(rows), `"%s?page=%d"`, a.self, n+1), n, len(rows))
	}, 3, 7},
	{"VoordeMensen", func(a asked, rows []string, _ http.Header) string { return cutOut(rows, 0, len(rows)) }, 1, -1},
	{"Humanitix", func(a asked, rows []string, _ http.Header) string {
		n := a.number("page", 1)
		return fmt.Sprintf(`{"total":%d,"pageSize":3,"page":%d,"orders":%s}`, len(rows), n, cutOut(rows, n*3-3, n*3))
	}, 3, 7},
	{"Bizzabo, which counts from 0", func(a asked, rows []string, _ http.Header) string {
		n := a.number("page", 0)
		return fmt.Sprintf(`{"content":%s,"page":{"number":%d,"size":3,"totalElements":%d,"totalPages":3}}`, cutOut(rows, n*3, n*3+3), n, len(rows))
	}, 4, 7},
	{"the same, but from 1", func(a asked, rows []string, _ http.Header) string {
		n := max(a.number("page", 1), 1)
		return fmt.Sprintf(`{"content":%s,"page":{"number":%d,"size":3,"totalElements":%d,"totalPages":3}}`, cutOut(rows, n*3-3, n*3), n, len(rows))
	}, 4, 7},
	{"the same, asked from 1 and told from 0", func(a asked, rows []string, _ http.Header) string {
		n := a.number("page", 1)
		return fmt.Sprintf(`{"content":%s,"page":{"number":%d,"size":3,"totalElements":%d,"totalPages":3}}`, cutOut(rows, n*3-3, n*3), n-1, len(rows))
	}, 3, 7},
	{"Hi.Events", func(a asked, rows []string, _ http.Header) string {
		n := a.number("page", 1)
		return fmt.Sprintf(`{"data":%s,"meta":{"allowed_sorts":{},"current_page":%d,"last_page":3,"per_page":3,"total":%d}}`, cutOut(rows, n*3-3, n*3), n, len(rows))
	}, 3, 7},
	{"Seats.io", func(a asked, rows []string, _ http.Header) string {
		from := a.number("start_after_id", 0)
		next := strconv.Itoa(from + 3)
		if from+3 >= len(rows) {
			next = ""
		}
		return fmt.Sprintf(`{"items":%s,"next_page_starts_after":"%s","previous_page_ends_before":""}`, cutOut(rows, from, from+3), next)
	}, 3, -1},
	{"Yesplan", func(a asked, rows []string, _ http.Header) string {
		n := a.number("page", 1)
		next := ""
		if n*3 < len(rows) {
			next = fmt.Sprintf(`,"next":"?page=%d"`, n+1)
		}
		return fmt.Sprintf(`{"pagination":{"href":"%s"%s},"data":%s}`, a.self, cmp.Or(next, `,"next":null`), cutOut(rows, n*3-3, n*3))
	}, 3, -1},
	{"Mollie", func(a asked, rows []string, _ http.Header) string {
		from := a.number("from", 0)
		return fmt.Sprintf(`{"count":3,"_embedded":{"payments":%s},"_links":{"self":{"href":"%s"},"previous":null,"next":%s}}`,
			cutOut(rows, from, from+3), a.self, orNull(from+3 < len(rows), `{"href":"%s?from=%d","type":"application/hal+json"}`, a.self, from+3))
	}, 3, -1},
	{"HAL, in which the last page has no next", func(a asked, rows []string, _ http.Header) string {
		n, next := a.number("page", 1), ""
		if n*3 < len(rows) {
			next = fmt.Sprintf(`"next":{"href":"/v2/tickets?page=%d"},`, n+1)
		}
		return fmt.Sprintf(`{"_embedded":{"tickets":%s},"_links":{%s"self":{"href":"%s"}}}`, cutOut(rows, n*3-3, n*3), next, a.self)
	}, 3, -1},
	{"Stripe", func(a asked, rows []string, _ http.Header) string {
		from := after(rows, a.Get("starting_after"))
		return fmt.Sprintf(`{"object":"list","url":"/v1/charges","has_more":%t,"data":%s}`, from+3 < len(rows), cutOut(rows, from, from+3))
	}, 3, -1},
	{"the service's document", func(a asked, rows []string, _ http.Header) string {
		n := a.number("page", 1)
		return fmt.Sprintf(`{"data":%s,"meta":{"total":%d}}`, cutOut(rows, n*3-3, n*3), len(rows))
	}, 3, 7},
	{"our own", func(a asked, rows []string, _ http.Header) string {
		n, size := a.number("page", 1), min(a.number("per_page", 50), 2)
		return fmt.Sprintf(`{"data":%s,"meta":{"total":%d,"page":%d,"per_page":%d}}`, cutOut(rows, n*size-size, n*size), len(rows), n, size)
	}, 4, 7},
	{"by starting_after alone", func(a asked, rows []string, _ http.Header) string {
		from := after(rows, a.Get("starting_after"))
		return fmt.Sprintf(`{"data":%s,"meta":{"total":%d}}`, cutOut(rows, from, from+3), len(rows))
	}, 6, 7},
	{"meta.next_cursor, absent in the end", func(a asked, rows []string, _ http.Header) string {
		from, next := a.number("cursor", 0), ""
		if from+3 < len(rows) {
			next = fmt.Sprintf(`"next_cursor":"%d",`, from+3)
		}
		return fmt.Sprintf(`{"data":%s,"meta":{%s"total":%d}}`, cutOut(rows, from, from+3), next, len(rows))
	}, 3, 7},
	{"next_cursor, null in the end", func(a asked, rows []string, _ http.Header) string {
		from := a.number("cursor", 0)
		return fmt.Sprintf(`{"records":%s,"next_cursor":%s}`, cutOut(rows, from, from+3), orNull(from+3 < len(rows), "%d", from+3))
	}, 3, -1},
	{"a cursor with an empty page between", func(a asked, rows []string, _ http.Header) string {
		from := a.number("cursor", 0)
		page := cutOut(rows, from, from+3)
		if from == 3 && a.Get("cursor") != "03" {
			return `{"data":[],"meta":{"next_cursor":"03"}}`
		}
		return fmt.Sprintf(`{"data":%s,"meta":{"next_cursor":%s}}`, page, orNull(from+3 < len(rows), `"%d"`, from+3))
	}, 4, -1},
	{"meta.has_more with numbered pages", func(a asked, rows []string, _ http.Header) string {
		n := a.number("page", 1)
		return fmt.Sprintf(`{"data":%s,"meta":{"has_more":%t,"per_page":50}}`, cutOut(rows, n*3-3, n*3), n*3 < len(rows))
	}, 3, -1},
	{"a Link header around a bare array", func(a asked, rows []string, h http.Header) string {
		n := a.number("page", 1)
		if n > 1 {
			h.Add("Link", fmt.Sprintf(`<%s?page=1>; title="a, \"b\""; rel="first", <%s?page=%d>; rel=prev`, a.self, a.self, n-1))
		}
		if n*3 < len(rows) {
			h.Add("Link", fmt.Sprintf(`<%s?page=%d>; rel="next last"`, a.self, n+1))
		}
		return cutOut(rows, n*3-3, n*3)
	}, 3, -1},
	{"a Link header beside a total", func(a asked, rows []string, h http.Header) string {
		n := a.number("page", 1)
		h.Set("Link", `</style.css>; rel=preload`)
		if n*3 < len(rows) {
			h.Add("Link", fmt.Sprintf(`<?page=%d>; REL=Next`, n+1))
		} else {
			h.Add("Link", `<?page=1>; rel=first`)
		}
		return fmt.Sprintf(`{"data":%s,"meta":{"total":%d}}`, cutOut(rows, n*3-3, n*3), len(rows))
	}, 3, 7},
	{"one that refuses what it does not know", func(a asked, rows []string, _ http.Header) string {
		for name := range a.Values {
			if name != "page" || a.Get("page") == "1" {
				return ""
			}
		}
		n := a.number("page", 1)
		return fmt.Sprintf(`{"data":%s,"meta":{"total":%d}}`, cutOut(rows, n*3-3, n*3), len(rows))
	}, 4, 7},
}

// sevenRows returns the tickets tkt_1 to tkt_7 as JSON.
func sevenRows() (rows []string) {
	for i := range 7 {
		rows = append(rows, fmt.Sprintf(`{"id":"tkt_%d","event_id":"evt_1","status":"valid"}`, i+1))
	}
	return rows
}

func TestAutoPaging(t *testing.T) {
	if len(envelopes) < 20 {
		t.Fatal("too few envelopes")
	}
	rows := sevenRows()
	for _, e := range envelopes {
		t.Run(e.name, func(t *testing.T) {
			calls := 0
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				calls++
				body := e.page(asked{r.URL.Query(), "http://" + r.Host + "/v2/tickets"}, rows, w.Header())
				if body == "" {
					w.WriteHeader(http.StatusUnprocessableEntity)
				}
				w.Write([]byte(body))
			}, apiclient.Options{})
			var pages []apiclient.Page
			g := gather(readTickets(t.Context(), c, apiclient.Query{OnPage: func(p apiclient.Page) { pages = append(pages, p) }}))
			want := []string{"tkt_1", "tkt_2", "tkt_3", "tkt_4", "tkt_5", "tkt_6", "tkt_7"}
			if g.err != nil || len(g.refused) > 0 || !slices.Equal(g.ids(), want) || calls != e.calls {
				t.Fatalf("%v by %d calls, want all 7 by %d; %v", g.ids(), calls, e.calls, g.err)
			}
			for i, p := range pages {
				if p.Total != e.total || p.Number != i+1 || p.Unchanged || (p.Resume == "") != (i == len(pages)-1) {
					t.Errorf("page %d said %+v, want a total of %d", i+1, p, e.total)
				}
			}
			// A read resumed after any page yields the rest; after the first page perhaps that page
			// too.
			read := 0
			for _, p := range pages[:len(pages)-1] {
				read += p.Rows
				if g := gather(readTickets(t.Context(), c, apiclient.Query{From: p.Resume})); g.err != nil || !slices.Equal(g.ids(), want[read:]) && !(p.Number == 1 && slices.Equal(g.ids(), want)) {
					t.Errorf("after page %d: %v, want %v; %v", p.Number, g.ids(), want[read:], g.err)
				}
			}
		})
	}
}

// A second read of a service that refused our parameters does not send them.
func TestRefusedParametersAreNotSentAgain(t *testing.T) {
	rows, calls := sevenRows(), 0
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		calls++
		if r.URL.RawQuery != "" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		fmt.Fprintf(w, `{"data":%s}`, cutOut(rows, 0, 7))
	}, apiclient.Options{})
	// The first read asks for a second page, which is refused; the next read knows that there is
	// only one.
	for _, want := range []struct {
		calls int
		kind  apiclient.ErrorKind
	}{{3, apiclient.Rejected}, {1, apiclient.Contradicts}} {
		calls = 0
		g := gather(readTickets(t.Context(), c, using(c, "tickets", apiclient.Query{})))
		if g.failure(t, want.kind); len(g.records) != 7 || calls != want.calls {
			t.Errorf("%d records by %d calls, want 7 by %d", len(g.records), calls, want.calls)
		}
	}
}

func TestFixedPaging(t *testing.T) {
	rows := sevenRows()
	tests := []struct {
		style profile.Paging
		page  func(a asked, h http.Header) string
		want  []string // queries
	}{
		{profile.PagingPage, func(a asked, _ http.Header) string {
			n := a.number("page", 0)
			return fmt.Sprintf(`{"data":%s,"links":{"next":null},"meta":{"total":7}}`, cutOut(rows, n*3-3, n*3))
		}, []string{"page=1&per_page=3", "page=2&per_page=3", "page=3&per_page=3"}},
		{profile.PagingOffset, func(a asked, _ http.Header) string {
			from := a.number("offset", -1)
			return fmt.Sprintf(`{"data":%s,"meta":{"total":7}}`, cutOut(rows, from, from+3))
		}, []string{"limit=3&offset=0", "limit=3&offset=3", "limit=3&offset=6"}},
		{profile.PagingCursor, func(a asked, _ http.Header) string {
			from := a.number("cursor", 0)
			return fmt.Sprintf(`{"data":%s,"meta":{"total":70,"next_cursor":%s}}`, cutOut(rows, from, from+3), orNull(from+3 < 7, `"%d"`, from+3))
		}, []string{"limit=3", "cursor=3&limit=3", "cursor=6&limit=3"}},
		{profile.PagingNext, func(a asked, _ http.Header) string {
			from := a.number("k", 0)
			return fmt.Sprintf(`{"data":%s,"has_more":false,"links":{"next":%s}}`, cutOut(rows, from, from+3), orNull(from+3 < 7, `"%s?k=%d"`, a.self, from+3))
		}, []string{"per_page=3", "k=3", "k=6"}},
		{profile.PagingLinkHeader, func(a asked, h http.Header) string {
			from := a.number("k", 0)
			if from+3 < 7 {
				h.Set("Link", fmt.Sprintf(`<%s?k=%d>; rel="next"`, a.self, from+3))
			}
			return fmt.Sprintf(`{"data":%s,"links":{"next":"/elsewhere"}}`, cutOut(rows, from, from+3))
		}, []string{"per_page=3", "k=3", "k=6"}},
		{profile.PagingBare, func(a asked, _ http.Header) string { return cutOut(rows, 0, 7) }, []string{""}},
	}
	for _, test := range tests {
		t.Run(string(test.style), func(t *testing.T) {
			var got []string
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				v := r.URL.Query()
				v.Del("sort")
				got = append(got, v.Encode())
				w.Write([]byte(test.page(asked{v, "http://" + r.Host + "/v2/tickets"}, w.Header())))
			}, apiclient.Options{Paging: test.style, PageSize: 3})
			var from string
			g := gather(readTickets(t.Context(), c, apiclient.Query{OnPage: func(p apiclient.Page) { from = cmp.Or(from, p.Resume) }}))
			if g.err != nil || len(g.records) != 7 || !slices.Equal(got, test.want) {
				t.Fatalf("%d records, %v; asked for %q, want %q", len(g.records), g.err, got, test.want)
			}
			if test.style == profile.PagingBare {
				return
			}
			if g := gather(readTickets(t.Context(), c, apiclient.Query{From: from})); g.err != nil || len(g.records) != 4 {
				t.Errorf("%d records after the first page, want 4; %v", len(g.records), g.err)
			}
		})
	}
}

func TestTheListIsFound(t *testing.T) {
	row := `[{"id":"tkt_1","event_id":"evt_1"}]`
	for body, fault := range map[string]string{
		`{"data":` + row + `,"errors":[]}`:                 "",
		`{"errors":[],"results":` + row + `}`:              "",
		`{"a":[],"items":` + row + `}`:                     "",
		`{"a":[],"content":` + row + `}`:                   "",
		`{"a":[],"records":` + row + `}`:                   "",
		`{"a":[],"_embedded":{"x":` + row + `,"y":{}}}`:    "",
		` { "anything" : ` + row + ` , "n" : 1 } `:         "",
		`{"\u0064ata":` + row + `,"b":[]}`:                 "",
		`{"data":null,"tickets":` + row + `}`:              "",
		row:                                                "",
		`{"tickets":` + row + `,"scans":[]}`:               "tickets, scans",
		`{"_embedded":{"tickets":` + row + `,"scans":[]}}`: "_embedded.tickets, _embedded.scans",
		`{"data":{"tickets":` + row + `}}`:                 "no object with a list",
		`7`:                                                "no object with a list",
		`{"tickets":` + row + `,"tickets":[]}`:             "tickets, tickets",
		`{"data":` + row + `,"data":` + row + `}`:          "two lists named data",
	} {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(body)) }, apiclient.Options{Paging: profile.PagingBare})
		g := gather(readTickets(t.Context(), c, apiclient.Query{}))
		if fault == "" {
			if g.err != nil || len(g.records) != 1 {
				t.Errorf("%s: %d records, %v", body, len(g.records), g.err)
			}
		} else if e := g.failure(t, apiclient.Garbage); !strings.Contains(e.Error(), fault) {
			t.Errorf("%s: %v, want %q", body, e, fault)
		}
	}
}

// Empty pages that always announce another end the read with an error.
func TestEndlessEmptyPages(t *testing.T) {
	n := 0
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n++
		fmt.Fprintf(w, `{"data":[],"meta":{"next_cursor":"%d"}}`, n)
	}, apiclient.Options{})
	gather(readTickets(t.Context(), c, apiclient.Query{})).failure(t, apiclient.Endless)
	if n != 101 {
		t.Errorf("%d calls", n)
	}
}

// The next page is always within the origin, and every error has a kind.
func FuzzPaging(f *testing.F) {
	from, err := url.Parse("https://api.test/shop/v2/events?page=1&per_page=3")
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range envelopes {
		h := http.Header{}
		f.Add([]byte(e.page(asked{url.Values{}, "https://api.test/shop/v2/tickets"}, sevenRows(), h)), strings.Join(h.Values("Link"), ","))
	}
	for _, next := range []string{"//thief.test", "https://api.test:443/x", "https://api.test@thief.test/", `/\\thief.test`, "/..//thief.test", "?%2f%2fthief.test", "/\t/thief.test", "////thief.test/"} {
		f.Add([]byte(`{"data":[],"links":{"next":"`+next+`"}}`), "<"+next+">; rel=next")
	}
	f.Add([]byte(`{"_embedded":{"a":[1]},"_embedded":{}}`), `<a>;rel="x\"y";rel=next,<`)
	f.Fuzz(func(t *testing.T, body []byte, link string) {
		places, errs := apiclient.Explore(from, http.Header{"Link": {link}}, body)
		for _, place := range places {
			u, err := url.Parse(place)
			if err != nil || u.Scheme != "https" || strings.ToLower(u.Hostname()) != "api.test" || u.Port() != "" && u.Port() != "443" || u.User != nil || len(place) > 10_000 {
				t.Errorf("leads to %q, %v", place, err)
			}
		}
		for _, e := range errs {
			if e.Err == nil || len(e.Error()) > 1000 || !slices.Contains([]apiclient.ErrorKind{apiclient.Garbage, apiclient.Foreign, apiclient.TooLarge}, e.Kind) {
				t.Errorf("ended with %+v", e)
			}
		}
	})
}

func TestPaging(t *testing.T) {
	tests := []struct {
		name  string
		rows  int
		most  int // the service's own page limit
		total any
		pages int
	}{
		{"one page", 3, 100, 3, 1},
		{"exactly full pages", 20, 100, 20, 2},
		{"a rest", 25, 100, 25, 3},
		{"the service's pages are smaller", 25, 4, 25, 7},
		{"total counts more than the list", 25, 100, 90, 4},
		{"total missing", 25, 100, nil, 4},
		{"total is text", 25, 100, "25", 4},
		{"total is negative", 25, 100, -5, 4},
		{"nothing", 0, 100, 0, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			all := append([]*record.Ticket{}, tickets(test.rows)...)
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				writePage(w, r, all, test.most, test.total)
			}, apiclient.Options{PageSize: 10})
			var pages []apiclient.Page
			g := gather(readTickets(t.Context(), c, apiclient.Query{OnPage: func(p apiclient.Page) { pages = append(pages, p) }}))
			if g.err != nil || len(g.records) != test.rows {
				t.Fatalf("%d records and %v, want %d", len(g.records), g.err, test.rows)
			}
			for i, r := range g.records {
				if r.ID != all[i].ID {
					t.Fatalf("record %d is %s, want %s", i, r.ID, all[i].ID)
				}
			}
			if len(pages) != test.pages {
				t.Errorf("%d pages, want %d", len(pages), test.pages)
			}
			want := -1
			if n, ok := test.total.(int); ok && n >= 0 {
				want = n
			}
			for i, p := range pages {
				if p.Number != i+1 || p.Total != want || p.ServerTime.IsZero() || p.Took <= 0 {
					t.Errorf("page %d said %+v, want a total of %d", i+1, p, want)
				}
			}
		})
	}
}

func TestPagingEndsAtPerPageWithoutTotal(t *testing.T) {
	calls := 0
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		calls++
		writeJSON(w, map[string]any{"data": tickets(3), "meta": map[string]any{"per_page": 50}})
	}, apiclient.Options{})
	if g := gather(readTickets(t.Context(), c, apiclient.Query{})); g.err != nil || len(g.records) != 3 || calls != 1 {
		t.Fatalf("%d records, %v, %d calls; want 3 records by one call", len(g.records), g.err, calls)
	}
}
