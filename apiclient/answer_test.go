package apiclient_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/apiclient"
	"housecount/apiclient/profile"
)

// A read with an answer gets the same records as the read that explored, without extra calls.
func TestAnswerIsUsed(t *testing.T) {
	rows := sevenRows()
	page := func(r *http.Request, param string, least int) (n int, more bool) {
		fmt.Sscan(r.FormValue(param), &n)
		n -= least
		return n, (n+1)*3 < len(rows)
	}
	services := map[string]http.HandlerFunc{
		"page": func(w http.ResponseWriter, r *http.Request) {
			n, _ := page(r, "page", 1)
			fmt.Fprintf(w, `{"data":%s,"meta":{"total":7}}`, cutOut(rows, n*3, n*3+3))
		},
		"page[number]": func(w http.ResponseWriter, r *http.Request) {
			n := max(asked{Values: r.URL.Query()}.number("page[number]", 1), 1) - 1
			fmt.Fprintf(w, `{"data":%s,"meta":{"total":7}}`, cutOut(rows, n*3, n*3+3))
		},
		"page from 0": func(w http.ResponseWriter, r *http.Request) {
			n, _ := page(r, "page", 0)
			fmt.Fprintf(w, `{"content":%s,"page":{"number":%d,"totalPages":3,"totalElements":7}}`, cutOut(rows, n*3, n*3+3), n)
		},
		"offset": func(w http.ResponseWriter, r *http.Request) {
			n := asked{Values: r.URL.Query()}.number("offset", 0)
			fmt.Fprintf(w, `{"data":%s,"meta":{"total":7}}`, cutOut(rows, n, n+3))
		},
		"next": func(w http.ResponseWriter, r *http.Request) {
			n, more := page(r, "page", 1)
			fmt.Fprintf(w, `{"data":%s,"links":{"next":%s}}`, cutOut(rows, n*3, n*3+3), orNull(more, `"?page=%d"`, n+2))
		},
		"bare": func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, cutOut(rows, 0, 7)) },
	}
	for name, service := range services {
		t.Run(name, func(t *testing.T) {
			calls := 0
			c := serve(t, func(w http.ResponseWriter, r *http.Request) { calls++; service(w, r) }, apiclient.Options{PageSize: 3})
			var found apiclient.Answer
			first := gather(readTickets(t.Context(), c, apiclient.Query{OnPage: func(p apiclient.Page) { found = p.Found }}))
			if first.err != nil || len(first.records) != 7 || !found.Found || found.Paging == "" {
				t.Fatalf("%d records, found %+v; %v", len(first.records), found, first.err)
			}
			text, err := json.Marshal(found) // as the log stores it
			if err != nil {
				t.Fatal(err)
			}
			var stored apiclient.Answer
			if err := json.Unmarshal(text, &stored); err != nil || stored != found {
				t.Fatalf("kept %+v of %+v; %v", stored, found, err)
			}
			c.Use("tickets", stored)
			calls = 0
			second := gather(readTickets(t.Context(), c, apiclient.Query{}))
			pages := 3
			if name == "bare" {
				pages = 1
			}
			if second.err != nil || fmt.Sprint(second.ids()) != fmt.Sprint(first.ids()) || calls != pages {
				t.Errorf("%v by %d calls; %v", second.ids(), calls, second.err)
			}
		})
	}
}

// A service that behaves differently from its answer fails the read with a named error.
func TestContradictions(t *testing.T) {
	rows := sevenRows()
	at := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	found := apiclient.Answer{Found: true, Prefix: "v2", Path: "tickets"}
	with := func(f func(*apiclient.Answer)) apiclient.Answer {
		a := found
		f(&a)
		return a
	}
	for name, test := range map[string]struct {
		found  apiclient.Answer
		q      apiclient.Query
		answer string
		status int
	}{
		"a second page": {found, apiclient.Query{}, fmt.Sprintf(`{"data":%s,"meta":{"total":7}}`, cutOut(rows, 0, 3)), 200},
		"no bare list":  {with(func(a *apiclient.Answer) { a.Paging = "bare" }), apiclient.Query{}, fmt.Sprintf(`{"data":%s,"links":{"next":"?page=2"}}`, cutOut(rows, 0, 3)), 200},
		"the first page again": {with(func(a *apiclient.Answer) { a.Paging = "page" }), apiclient.Query{},
			fmt.Sprintf(`{"data":%s,"meta":{"total":7}}`, cutOut(rows, 0, 3)), 200},
		"refused parameters": {with(func(a *apiclient.Answer) { a.Paging = "page" }), apiclient.Query{}, `{"message":"no"}`, 400},
		"an ignored filter": {with(func(a *apiclient.Answer) { a.Paging = "bare" }), apiclient.Query{UpdatedSince: at},
			fmt.Sprintf(`[{"id":"t","event_id":"e","status":"valid","updated_at":%q}]`, at.Add(-time.Hour).Format(time.RFC3339)), 200},
	} {
		t.Run(name, func(t *testing.T) {
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(test.status)
				fmt.Fprint(w, test.answer)
			}, apiclient.Options{})
			c.Use("tickets", test.found)
			e := gather(readTickets(t.Context(), c, test.q)).failure(t, apiclient.Contradicts)
			if e.Stream != "tickets" {
				t.Errorf("of the stream %q", e.Stream)
			}
		})
	}
}

// An answer from a log is untrusted: an address that the profile does not have is ignored.
func TestForeignAnswersAreNotUsed(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v2/tickets" {
			t.Errorf("asked for %s", r.URL.Path)
		}
		fmt.Fprint(w, `[]`)
	}, apiclient.Options{})
	c.Use("tickets", apiclient.Answer{Found: true, Prefix: "v2", Path: "../admin"})
	c.Use("nothing", apiclient.Answer{Found: true, Prefix: "v2", Path: "tickets"})
	if g := gather(readTickets(t.Context(), c, apiclient.Query{})); g.err != nil {
		t.Fatal(g.err)
	}
}

// Without an answer and without exploring, nothing is requested from a stream that the profile
// leaves open.
func TestUnknownIsNotRead(t *testing.T) {
	const shop = `
name: shop
streams:
  - {name: auto, path: auto, gives: [event]}
  - {name: places, path: places, alternatives: [venues], gives: [event], paging: {style: bare}}
  - {name: fixed, path: fixed, gives: [event], paging: {style: bare}}
  - {name: halls, path: halls, keep: "{key: .id}"}
  - {name: each, path: "halls/{key}", over: halls, gives: [event], paging: {style: bare}}
  - {name: beside, path: beside, with: halls, gives: [event], paging: {style: bare}, records: .}
  - {name: none, path: none, keep: "{key: .id}", paging: {style: bare}}
  - {name: nothing, path: "none/{key}", over: none, gives: [event]}
`
	s := &scripted{answers: map[string]string{"/auto": `[]`, "/auto?page=1": `[]`, "/places": `[]`, "/fixed": `[]`, "/halls?page=1": `[{"id":"a"}]`, "/halls/a": `[]`, "/beside": `[]`, "/none": `[]`}}
	for _, test := range []struct {
		stream  string
		unknown string // the unknown stream; empty if the read succeeds
		says    string
		asked   int // exploring
	}{
		{"auto", "auto", "how the list of auto is paged is not known: probe it, or set paging in its profile", 1},
		{"places", "places", "where the list of places is, is not known: probe it, or give it one address in its profile", 1},
		{"fixed", "", "", 1},
		{"each", "halls", "how the list of halls is paged", 2},
		{"beside", "halls", "how the list of halls is paged", 2},
		{"nothing", "", "", 0}, // none of its lists is read
	} {
		s.requests()
		c := serve(t, s.ServeHTTP, apiclient.Options{Profile: profileOf(t, shop)})
		g := gather(c.Read(t.Context(), test.stream, apiclient.Query{}))
		if test.unknown == "" {
			if g.err != nil {
				t.Errorf("%s: %v", test.stream, g.err)
			}
			continue
		}
		if e := g.failure(t, apiclient.Unknown); e.Stream != test.unknown || !strings.Contains(e.Error(), test.says) || len(s.requests()) != 0 {
			t.Errorf("%s: %v", test.stream, e)
		}
		if g := gather(c.Read(t.Context(), test.stream, apiclient.Query{Explore: true})); g.err != nil || len(s.requests()) != test.asked {
			t.Errorf("%s, with leave: %v", test.stream, g.err)
		}
	}
	// A stream that is already known is not explored with one that needs it.
	known := serve(t, s.ServeHTTP, apiclient.Options{Profile: profileOf(t, "prefixes: [v1, \"\"]"+shop)})
	known.Use("halls", apiclient.Answer{Found: true, Path: "halls", Paging: profile.PagingBare})
	known.Use("auto", apiclient.Answer{Found: true, Prefix: "v1", Path: "auto"}) // the others are tried under v1 first
	s.requests()
	g := gather(known.Read(t.Context(), "each", apiclient.Query{Explore: true}))
	if asked := s.requests(); g.err != nil || slices.Contains(asked, "/v1/halls?page=1") || !slices.Contains(asked, "/halls?page=1") {
		t.Errorf("asked for %q; %v", asked, g.err)
	}
	// Options.Paging counts as an answer, and so does Use until Forget.
	report := serve(t, s.ServeHTTP, apiclient.Options{Paging: profile.PagingBare, Profile: profileOf(t, shop)})
	if g := gather(report.Read(t.Context(), "auto", apiclient.Query{})); g.err != nil {
		t.Error(g.err)
	}
	c := serve(t, s.ServeHTTP, apiclient.Options{Profile: profileOf(t, shop)})
	c.Use("auto", apiclient.Answer{Found: true, Path: "auto", Paging: profile.PagingBare})
	if g := gather(c.Read(t.Context(), "auto", apiclient.Query{})); g.err != nil {
		t.Error(g.err)
	}
	if !c.Forget("auto") || c.Forget("auto") || c.Forget("fixed") {
		t.Error("what was taken back was there to take")
	}
	gather(c.Read(t.Context(), "auto", apiclient.Query{})).failure(t, apiclient.Unknown)
}

func TestPathIsFoundAndUsed(t *testing.T) {
	var asked []string
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		if !strings.HasPrefix(r.URL.Path, "/shop/api/v2/") {
			http.NotFound(w, r)
			return
		}
		writeJSON(w, map[string]any{"data": []any{}, "meta": map[string]any{"total": 0}})
	}, apiclient.Options{})
	// The same service under a path of its own.
	c = newClient(t, apiclient.Options{BaseURL: strings.TrimSuffix(strings.TrimPrefix(c.String(), "apiclient.Client("), ")") + "/shop/"})
	for range 2 {
		if g := gather(readEvents(t.Context(), c, using(c, "events", apiclient.Query{}))); g.err != nil {
			t.Fatal(g.err)
		}
	}
	if g := gather(readTickets(t.Context(), c, apiclient.Query{})); g.err != nil {
		t.Fatal(g.err)
	}
	want := []string{"/shop/v2/events", "/shop/api/v2/events", "/shop/api/v2/events", "/shop/api/v2/tickets"}
	if !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
}
