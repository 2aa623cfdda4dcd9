package sandbox_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/apiclient/sandbox"
)

// envelope is a list as any style but bare serves it.
type envelope struct {
	Data []record.Ticket
	Meta struct {
		Total, Page, Offset, Limit int
		NextCursor                 *string `json:"next_cursor"`
	}
	Links struct{ Next *string }
}

func (s *service) envelope(path string) (envelope, http.Header) {
	s.t.Helper()
	answer, body := s.do(http.MethodGet, path, "")
	var e envelope
	if err := json.Unmarshal(body, &e); err != nil || answer.StatusCode != 200 {
		s.t.Fatalf("GET %s: %s %v %s", path, answer.Status, err, body)
	}
	return e, answer.Header
}

// read follows a list to its end by the rules of the style, with pages of n rows.
func (s *service) read(style, query string, n int, between func()) []record.Ticket {
	s.t.Helper()
	path := fmt.Sprintf("/v2/tickets?%s&per_page=%d&limit=%d", query, n, n)
	var rows []record.Ticket
	for next, pages := path, 0; ; pages++ {
		if pages > 500 {
			s.t.Fatalf("%s: no end", style)
		}
		if style == "bare" {
			_, body := s.do(http.MethodGet, next, "")
			if err := json.Unmarshal(body, &rows); err != nil {
				s.t.Fatal(err)
			}
			return rows
		}
		e, header := s.envelope(next)
		rows = append(rows, e.Data...)
		if len(e.Data) > n {
			s.t.Fatalf("%s: a page of %d", style, len(e.Data))
		}
		next = ""
		switch style {
		case "page":
			if e.Meta.Page*n < e.Meta.Total {
				next = fmt.Sprintf("%s&page=%d", path, e.Meta.Page+1)
			}
		case "offset":
			if end := e.Meta.Offset + e.Meta.Limit; end < e.Meta.Total {
				next = fmt.Sprintf("%s&offset=%d", path, end)
			}
		case "cursor":
			if c := e.Meta.NextCursor; c != nil {
				next = path + "&cursor=" + url.QueryEscape(*c)
			}
		case "next":
			if e.Links.Next != nil {
				next = strings.TrimPrefix(*e.Links.Next, s.url)
			}
		case "link-header":
			if link := header.Get("Link"); link != "" {
				address, rel, _ := strings.Cut(strings.TrimPrefix(link, "<"), ">; ")
				if rel != `rel="next"` {
					s.t.Fatalf("Link %q", link)
				}
				next = strings.TrimPrefix(address, s.url)
			}
		}
		if next == "" {
			return rows
		}
		if between != nil {
			between()
		}
	}
}

func ids(rows []record.Ticket) []string {
	var list []string
	for _, r := range rows {
		list = append(list, r.ID)
	}
	return list
}

func TestPagingStyles(t *testing.T) {
	t.Parallel()
	s := open(t, sandbox.Options{Paging: "bare", Events: 6, Tickets: 400})
	since := "updated_since=" + s.Now().AddDate(0, 0, -3).UTC().Format(time.RFC3339)
	for _, query := range []string{"sort=created_at", "sort=-updated_at", "sort=updated_at", "status=valid", since + "&sort=-updated_at", since + "&sort=created_at"} {
		s.control("paging", `{"style":"bare"}`, nil)
		want := ids(s.read("bare", query, 0, nil))
		if len(want) < 50 || len(want) > 400 || query == "sort=created_at" && len(want) != 400 {
			t.Fatalf("%s: %d rows", query, len(want))
		}
		for _, style := range []string{"page", "offset", "cursor", "next", "link-header"} {
			s.control("paging", `{"style":"`+style+`"}`, nil)
			if got := ids(s.read(style, query, 17, nil)); !slices.Equal(got, want) {
				t.Errorf("%s %s: %d rows, not the %d of the whole list in their order", style, query, len(got), len(want))
			}
		}
	}
	if answer, body := s.do(http.MethodPost, "/sandbox/paging", `{"style":"scroll"}`); answer.StatusCode != 400 || !strings.Contains(string(body), "link-header") {
		t.Errorf("another style: %s %s", answer.Status, body)
	}
}

// TestCursorWhileSelling: rows that come and change while a list is read by cursor neither
// hide nor repeat others.
func TestCursorWhileSelling(t *testing.T) {
	s := open(t, sandbox.Options{Paging: "cursor", Empty: true})
	id := s.addEvent(evt)
	for range 10 {
		s.sell(id, 5)
		s.Advance(time.Second)
	}
	before := s.read("cursor", "sort=created_at", 7, nil)
	first := func() {
		s.control("scan", `{"ticket_id":"`+before[0].ID+`","gate":"A","direction":"entry"}`, nil)
		s.sell(id, 1)
		s.Advance(time.Second)
	}
	byCreation := ids(s.read("cursor", "sort=created_at", 7, first))
	if !slices.Equal(byCreation[:50], ids(before)) || len(byCreation) <= 50 {
		t.Errorf("by creation: %d rows", len(byCreation))
	}
	seen := map[string]bool{}
	var last time.Time
	for _, r := range s.read("cursor", "updated_since=2026-11-01T00:00:00Z", 7, first) {
		if r.UpdatedAt.Before(last) {
			t.Errorf("%s comes after a later change", r.ID)
		}
		seen[r.ID], last = true, r.UpdatedAt
	}
	if missing := slices.DeleteFunc(byCreation, func(id string) bool { return seen[id] }); len(missing) > 0 {
		t.Errorf("by change: %d are missing", len(missing))
	}
	e, _ := s.envelope("/v2/tickets?limit=5")
	for _, path := range []string{"/v2/tickets?cursor=nonsense", "/v2/tickets?sort=-updated_at&cursor=" + *e.Meta.NextCursor, "/v2/tickets?limit=0"} {
		if answer, body := s.do(http.MethodGet, path, ""); answer.StatusCode != 400 {
			t.Errorf("%s: %s %s", path, answer.Status, body)
		}
	}
}

func TestEntityTags(t *testing.T) {
	s := open(t, sandbox.Options{Empty: true})
	id := s.addEvent(evt)
	tickets := s.sell(id, 3).TicketIDs
	for _, path := range []string{"/v2/tickets", "/v2/tickets?sort=-updated_at&per_page=2", "/v2/tickets/" + tickets[0]} {
		answer, _ := s.do(http.MethodGet, path, "")
		tag := answer.Header.Get("ETag")
		check := func(header string, want int) string {
			t.Helper()
			answer, body := s.do(http.MethodGet, path, "", "If-None-Match", header)
			if answer.StatusCode != want || want == 304 && (len(body) > 0 || answer.Header.Get("ETag") != header && header == tag || answer.Header.Get("Date") == "") {
				t.Errorf("%s with %q: %s, %d bytes", path, header, answer.Status, len(body))
			}
			return answer.Header.Get("ETag")
		}
		if !strings.HasPrefix(tag, `W/"`) {
			t.Errorf("%s: ETag %q", path, tag)
		}
		check(tag, 304)
		check(`"x", `+strings.TrimPrefix(tag, "W/"), 304)
		check("*", 304)
		check(`"x"`, 200)
		s.Advance(time.Second)
		check(tag, 304) // nothing happened
		s.control("scan", `{"ticket_id":"`+tickets[0]+`","gate":"A","direction":"entry"}`, nil)
		if now := check(tag, 200); now == tag {
			t.Errorf("%s: the tag stayed", path)
		}
	}
	a, _ := s.do(http.MethodGet, "/v2/tickets?page=1", "")
	b, _ := s.do(http.MethodGet, "/v2/tickets?page=2", "")
	if a.Header.Get("ETag") == b.Header.Get("ETag") {
		t.Error("two pages have one tag")
	}
	if answer, _ := s.do(http.MethodGet, "/v2/tickets", "", "If-None-Match", "*", "Authorization", "Bearer no"); answer.StatusCode != 401 {
		t.Errorf("without a key: %s", answer.Status)
	}
}
