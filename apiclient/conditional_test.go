package apiclient_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"housecount/apiclient"
	"housecount/apiclient/profile"
)

// tagged serves rows two per page with ETags; log holds its responses.
type tagged struct {
	rows  []string
	style profile.Paging
	log   []string
	fail  int // number of the call that fails
}

func (s *tagged) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := asked{r.URL.Query(), "/v2/events"}
	n := a.number("page", 1)
	body := fmt.Sprintf(`{"data":%s,"meta":{"total":%d}}`, cutOut(s.rows, n*2-2, n*2), len(s.rows))
	if s.style == profile.PagingLinkHeader && n*2 < len(s.rows) {
		w.Header().Set("Link", fmt.Sprintf(`</v2/events?page=%d>; rel=next`, n+1))
	}
	if s.style != "none" {
		w.Header().Set("ETag", fmt.Sprintf(`W/"%x"`, body))
	}
	if s.fail == len(s.log)+1 {
		s.log = append(s.log, "503")
		w.WriteHeader(503)
		return
	}
	if tag := w.Header().Get("ETag"); tag != "" && r.Header.Get("If-None-Match") == tag {
		s.log = append(s.log, "304")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	s.log = append(s.log, "200")
	w.Write([]byte(body))
}

func eventRow(i int, title string) string {
	return fmt.Sprintf(`{"id":"evt_%d","title":%q,"date":"2026-11-21"}`, i, title)
}

func TestConditional(t *testing.T) {
	s := &tagged{rows: []string{eventRow(1, "a"), eventRow(2, "b"), eventRow(3, "c")}}
	c := serve(t, s.ServeHTTP, apiclient.Options{})
	read := func(q apiclient.Query, records, pages int, unchanged bool, log ...string) {
		t.Helper()
		s.log = nil
		var report []apiclient.Page
		q.OnPage = func(p apiclient.Page) { report = append(report, p) }
		g := gather(readEvents(t.Context(), c, q))
		if g.err != nil || len(g.records) != records || len(report) != pages || !slices.Equal(s.log, log) {
			t.Fatalf("%d records by %d pages, answers %q, %v; want %d by %d, answers %q", len(g.records), len(report), s.log, g.err, records, pages, log)
		}
		for _, p := range report {
			if p.Unchanged != unchanged || p.ServerTime.IsZero() || p.Unchanged && (p.Rows != 0 || p.Number != 1 || p.Total != -1 || p.Resume != "") {
				t.Fatalf("said %+v", p)
			}
		}
	}
	whole, asks := apiclient.Query{}, apiclient.Query{Conditional: true}
	read(asks, 3, 2, false, "200", "200") // nothing is known yet
	read(asks, 0, 1, true, "304", "304")
	read(asks, 0, 1, true, "304", "304")
	read(whole, 3, 2, false, "200", "200") // Conditional is not set
	read(apiclient.Query{Conditional: true, UpdatedSince: tickets(1)[0].UpdatedAt}, 3, 2, false, "200", "200")

	s.rows[0] = eventRow(1, "new")
	read(asks, 3, 2, false, "200", "200") // the first page is not fetched twice
	read(asks, 0, 1, true, "304", "304")
	s.rows[2] = eventRow(3, "new")
	read(asks, 3, 2, false, "304", "200", "200", "200")
	s.rows = append(s.rows, eventRow(4, "d"))
	read(asks, 4, 2, false, "200", "200")
	s.rows = s.rows[:1]
	read(asks, 1, 1, false, "200")
	read(asks, 0, 1, true, "304")

	// An aborted read leaves no ETags that would make the rest seem unchanged.
	s.rows = append(s.rows, eventRow(2, "e"), eventRow(3, "f"))
	for range readEvents(t.Context(), c, apiclient.Query{Conditional: true}) {
		break
	}
	all := s.rows
	s.rows = all[:1] // as before the aborted read
	read(asks, 1, 1, false, "200")
	s.rows = all
	read(asks, 3, 2, false, "200", "200")

	// A failed comparison is repeated by the next read.
	s.log, s.fail = nil, 2
	gather(readEvents(t.Context(), c, asks)).failure(t, apiclient.Server)
	s.fail = 0
	read(asks, 0, 1, true, "304", "304")
}

// Lists whose ETags do not cover every change are always read.
func TestConditionalWithoutWholeTags(t *testing.T) {
	for _, style := range []profile.Paging{"none", profile.PagingLinkHeader} {
		s := &tagged{rows: []string{eventRow(1, "a"), eventRow(2, "b"), eventRow(3, "c")}, style: style}
		c := serve(t, s.ServeHTTP, apiclient.Options{})
		for range 2 {
			g := gather(readEvents(t.Context(), c, apiclient.Query{Conditional: true}))
			if g.err != nil || len(g.records) != 3 {
				t.Fatalf("%s: %d records, %v", style, len(g.records), g.err)
			}
		}
		if slices.Contains(s.log, "304") {
			t.Errorf("%s: answers %q", style, s.log)
		}
	}
}

// A 304 to an unconditional request is an error.
func TestNotModifiedUnasked(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(304) }, apiclient.Options{})
	gather(readEvents(t.Context(), c, apiclient.Query{Conditional: true})).failure(t, apiclient.Garbage)
}
