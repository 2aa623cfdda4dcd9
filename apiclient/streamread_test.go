package apiclient_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"housecount/apiclient"
	"housecount/apiclient/record"
)

// overShows is a profile with one list of orders per show and one list of shows per hall.
const overShows = `
name: shop
streams:
  - {name: halls, path: halls, paging: {style: bare}, keep: "{key: .id}"}
  - name: shows
    path: halls/{key}/shows
    over: halls
    gives: [event]
    records: '{id, title: "", date: "2026-11-21"}'
    keep: '{key: .id, at: .ends, currency: .currency, hall: $over.key}'
  - name: orders
    path: shows/{key}/orders
    over: shows
    gives: [ticket]
    recent: 48h
    since: {param: since}
    records: '{id: "\($over.hall)-\(.id)", event_id: $over.key}'
`

func list(rows ...string) string { return `{"data":[` + strings.Join(rows, ",") + `],"next":null}` }

// shopAnswers returns the halls a and b, with the shows 1 and 2 in a, and 3 in b.
func shopAnswers() map[string]string {
	return map[string]string{
		"/halls":                     `[{"id":"b"},{"id":"a"}]`,
		"/halls/a/shows?page=1":      `{"data":[{"id":2,"ends":"2026-11-20T22:00:00Z"}],"next":"?page=2"}`,
		"/halls/a/shows?page=2":      list(`{"id":1}`),
		"/halls/b/shows?page=1":      list(`{"id":"3/x","ends":"2026-11-21T22:00:00Z"}`),
		"/shows/1/orders?page=1":     `{"data":[{"id":"o1"}],"next":"?page=2","total":3}`,
		"/shows/1/orders?page=2":     `{"data":[{"id":"o2"},{"id":"o3"}],"next":null,"total":3}`,
		"/shows/2/orders?page=1":     `{"data":[{"id":"o4"}],"next":null,"total":1}`,
		"/shows/3%2Fx/orders?page=1": `{"data":[{"id":"o5"}],"next":null,"total":1}`,
	}
}

var (
	shopParents = []string{"/halls", "/halls/a/shows?page=1", "/halls/a/shows?page=2", "/halls/b/shows?page=1"}
	shopOrders  = []string{"/shows/1/orders?page=1", "/shows/1/orders?page=2", "/shows/2/orders?page=1", "/shows/3%2Fx/orders?page=1"}
	shopIDs     = []string{"a-o1", "a-o2", "a-o3", "a-o4", "b-o5"}
)

func TestListForEachRow(t *testing.T) {
	s := &scripted{answers: shopAnswers()}
	c := serve(t, s.ServeHTTP, apiclient.Options{Profile: profileOf(t, overShows)})
	var report []apiclient.Page
	ids, err := read(t, c, "orders", apiclient.Query{OnPage: func(p apiclient.Page) { report = append(report, p) }})
	if asked := s.requests(); err != nil || !slices.Equal(ids, shopIDs) || !slices.Equal(asked, append(slices.Clone(shopParents), shopOrders...)) {
		t.Fatalf("%q by %q, %v", ids, asked, err)
	}
	for i, p := range report {
		if p.Number != i+1 || p.Total != []int{-1, -1, -1, 5}[i] || p.Rows != []int{1, 2, 1, 1}[i] || (p.Resume == "") != (i == 3) || p.ServerTime.IsZero() {
			t.Errorf("said %+v", p)
		}
		if p.Resume == "" {
			continue
		}
		rest, err := read(t, c, "orders", apiclient.Query{From: p.Resume, OnPage: func(p apiclient.Page) {
			if p.Total != -1 || p.Number < i+2 {
				t.Errorf("after page %d: said %+v", i+1, p)
			}
		}})
		if asked := s.requests(); err != nil || !slices.Equal(rest, shopIDs[[]int{1, 3, 4}[i]:]) || len(asked) != 3-i {
			t.Errorf("after page %d: %q by %q, %v", i+1, rest, asked, err)
		}
	}
	// The parent rows as a stream of their own, and one of them alone.
	if ids, err := read(t, c, "shows", apiclient.Query{}); err != nil || !slices.Equal(ids, []string{"2", "1", "3/x"}) {
		t.Errorf("%q, %v", ids, err)
	}
	s.requests()
	for event, want := range map[string][]string{"2": {"a-o4"}, "9": {}} {
		pages := 0
		ids, err := read(t, c, "orders", apiclient.Query{EventID: event, OnPage: func(p apiclient.Page) {
			if pages++; p.ServerTime.IsZero() || p.Total != len(want) {
				t.Errorf("said %+v", p)
			}
		}})
		if asked := s.requests(); err != nil || !slices.Equal(ids, want) || len(asked) != len(want) || pages != 1 {
			t.Errorf("%q by %q, %v", ids, asked, err)
		}
	}
}

// Paging by the id of the last row also works for shared rows.
func TestSharedRowsOfSeveralPages(t *testing.T) {
	s := &scripted{answers: map[string]string{
		"/shows?page=1":                  `{"object":"list","has_more":true,"data":[{"id":"a"}]}`,
		"/shows?page=1&starting_after=a": `{"object":"list","has_more":false,"data":[{"id":"b"}]}`,
		"/shows?starting_after=a":        `{"object":"list","has_more":false,"data":[{"id":"b"}]}`,
		"/shows/a/orders":                `[{"id":"1"}]`,
		"/shows/b/orders":                `[{"id":"2"}]`,
	}}
	c := serve(t, s.ServeHTTP, apiclient.Options{Profile: profileOf(t, `
name: shop
streams:
  - {name: shows, path: shows, keep: '{key: .id}'}
  - {name: orders, path: 'shows/{key}/orders', over: shows, gives: [contact], paging: {style: bare}}
`)})
	if ids, err := read(t, c, "orders", apiclient.Query{}); err != nil || !slices.Equal(ids, []string{"1", "2"}) {
		t.Errorf("%q by %q, %v", ids, s.asked, err)
	}
}

// A read of changes skips the lists of parents long past by our clock. Parents are read again after
// a minute.
func TestListForEachRecentRow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 11, 22, 23, 0, 0, 0, time.UTC)))
		s := &scripted{answers: shopAnswers()}
		for _, of := range []string{"1", "2", "3%2Fx"} {
			s.answers["/shows/"+of+"/orders?page=1&since=2026-11-22T22:00:00Z"] = list()
		}
		c := inMemory(t, s.ServeHTTP, apiclient.Options{Profile: profileOf(t, overShows)})
		q := apiclient.Query{UpdatedSince: time.Now().Add(-time.Hour)}
		began := time.Now()
		q.OnPage = func(p apiclient.Page) {
			if !p.ServerTime.Equal(began) {
				t.Errorf("changes after %v are still unknown, not after %v", began, p.ServerTime)
			}
		}
		recent := []string{"/shows/1/orders?page=1&since=2026-11-22T22:00:00Z", "/shows/3%2Fx/orders?page=1&since=2026-11-22T22:00:00Z"}
		for i, test := range []struct {
			after time.Duration
			want  []string
		}{
			{0, append(slices.Clone(shopParents), recent...)},
			{59 * time.Second, recent},
			{time.Second, append([]string{"/halls 304", "/halls/a/shows?page=1 304", "/halls/a/shows?page=2 304", "/halls/b/shows?page=1 304"}, recent...)},
			{48 * time.Hour, append([]string{"/halls 304", "/halls/a/shows?page=1 304", "/halls/a/shows?page=2 304", "/halls/b/shows?page=1 304"}, recent[0])},
		} {
			s.requests()
			if time.Sleep(test.after); test.after != 59*time.Second {
				began = time.Now()
			}
			if _, err := read(t, c, "orders", q); err != nil || !slices.Equal(s.asked, test.want) {
				t.Errorf("%d: asked for %q, want %q; %v", i, s.asked, test.want, err)
			}
		}
	})
}

// One missing list is skipped; if all are missing the read fails.
func TestListForEachRowThatIsNotThere(t *testing.T) {
	for _, status := range []int{403, 404, 410, 500} {
		s := &scripted{answers: shopAnswers()}
		gone := map[string]bool{}
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if key, ok := strings.CutPrefix(r.URL.Path, "/shows/"); ok && gone[key[:1]] {
				w.WriteHeader(status)
				return
			}
			s.ServeHTTP(w, r)
		}, apiclient.Options{Profile: profileOf(t, overShows)})
		gone["1"], gone["3"] = true, true
		g := gather(probing(t.Context(), c, "orders", apiclient.Query{}))
		ids, err := g.ids(), g.err
		if status == 500 {
			if e, ok := errors.AsType[*apiclient.Error](err); !ok || e.Kind != apiclient.Server || len(ids) > 0 {
				t.Errorf("%d: %q, %v", status, ids, err)
			}
			continue
		}
		if err != nil || !slices.Equal(ids, []string{"a-o4"}) || len(g.refused) != 2 || g.refused[0].ID != "1" || g.refused[1].ID != "3/x" ||
			g.refused[0].Kind != "" || g.refused[0].Stream != "orders" {
			t.Errorf("%d: %q, refused %v, %v", status, ids, g.refused, err)
		}
		gone["2"] = true
		g = gather(probing(t.Context(), c, "orders", apiclient.Query{}))
		if e, ok := errors.AsType[*apiclient.Error](g.err); !ok || e.Status != status || e.Stream != "orders" {
			t.Errorf("%d: %v", status, g.err)
		}
	}
}

// A list that fails part way fails the read.
func TestListForEachRowThatFails(t *testing.T) {
	s := &scripted{answers: shopAnswers()}
	delete(s.answers, "/shows/1/orders?page=2")
	c := serve(t, s.ServeHTTP, apiclient.Options{Profile: profileOf(t, overShows)})
	if ids, err := read(t, c, "orders", apiclient.Query{}); err == nil || !slices.Equal(ids, []string{"a-o1"}) {
		t.Errorf("%q, %v", ids, err)
	}
}

// A stream of several lists is unchanged if all of them are and they are the same lists.
func TestConditionalListsForEachRow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{answers: shopAnswers()}
		c := inMemory(t, s.ServeHTTP, apiclient.Options{Profile: profileOf(t, overShows)})
		unchanged := []string{"/shows/1/orders?page=1 304", "/shows/1/orders?page=2 304", "/shows/2/orders?page=1 304", "/shows/3%2Fx/orders?page=1 304"}
		step := func(what string, records int, asked ...string) {
			t.Helper()
			time.Sleep(2 * time.Minute) // the parents are read again
			var report []apiclient.Page
			ids, err := read(t, c, "orders", apiclient.Query{Conditional: true, OnPage: func(p apiclient.Page) { report = append(report, p) }})
			got := slices.DeleteFunc(s.requests(), func(a string) bool { return strings.HasPrefix(a, "/halls") })
			if err != nil || len(ids) != records || !slices.Equal(got, asked) {
				t.Fatalf("%s: %q by %q, want %d by %q; %v", what, ids, got, records, asked, err)
			}
			if records == 0 && (len(report) != 1 || !report[0].Unchanged || report[0].Number != 1 || report[0].ServerTime.IsZero()) {
				t.Fatalf("%s: said %+v", what, report)
			}
		}
		step("first", 5, shopOrders...)
		step("unchanged", 0, unchanged...)
		step("unchanged again", 0, unchanged...)
		s.answers["/shows/2/orders?page=1"] = list(`{"id":"o6"}`, `{"id":"o7"}`)
		step("one list changed", 6, slices.Concat(unchanged[:2], []string{"/shows/2/orders?page=1"}, shopOrders[:2], shopOrders[3:])...)
		step("unchanged then", 0, unchanged...)
		s.answers["/halls/b/shows?page=1"] = list()
		step("a list less", 5, shopOrders[:3]...)
		step("unchanged without it", 0, unchanged[:3]...)
		s.answers["/halls/b/shows?page=1"] = list(`{"id":"3/x"}`)
		step("a list more", 6, shopOrders...)

		// A read that fails at its last list leaves no ETags that would make it seem unchanged.
		was := s.answers["/shows/3%2Fx/orders?page=1"]
		s.answers["/shows/2/orders?page=1"], s.answers["/shows/3%2Fx/orders?page=1"] = list(`{"id":"o8"}`), "{"
		time.Sleep(2 * time.Minute)
		if _, err := read(t, c, "orders", apiclient.Query{}); err == nil {
			t.Fatal("read what cannot be read")
		}
		s.requests()
		s.answers["/shows/3%2Fx/orders?page=1"] = was
		step("after a failure", 5, shopOrders...)
	})
}

// Programs see the shared rows of other streams.
func TestRowsOfOtherStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{answers: map[string]string{"/shows": `[{"id":"s","currency":"EUR"}]`, "/orders": `[{"id":"p","show":"s","paid":250}]`}}
		c := inMemory(t, s.ServeHTTP, apiclient.Options{Profile: profileOf(t, `
name: shop
streams:
  - {name: shows, path: shows, paging: {style: bare}, keep: '{key: .id, currency}'}
  - name: orders
    path: orders
    paging: {style: bare}
    with: shows
    gives: [payment]
    records: '{id, status: "paid", amount: .paid, currency: $with[.show].currency}'
`)})
		currency := func() string {
			g := gather(typed[*record.Payment](probing(t.Context(), c, "orders", apiclient.Query{})))
			if g.err != nil || len(g.records) != 1 {
				t.Fatalf("%+v", g)
			}
			return g.records[0].Amount.Currency
		}
		if got := currency(); got != "EUR" {
			t.Error(got)
		}
		s.answers["/shows"] = `[{"id":"s","currency":"SEK"}]`
		if got := currency(); got != "EUR" {
			t.Errorf("%s within the minute", got)
		}
		if time.Sleep(time.Minute); currency() != "SEK" {
			t.Error("not read again after a minute")
		}
		// Concurrent reads that need them cause one call.
		time.Sleep(time.Minute)
		s.requests()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var wg sync.WaitGroup
		var mu sync.Mutex
		c.SetTransport(func(r *http.Request) (*http.Response, error) {
			mu.Lock()
			s.asked = append(s.asked, r.URL.Path)
			mu.Unlock()
			<-ctx.Done()
			return nil, ctx.Err()
		})
		for range 5 {
			wg.Go(func() {
				for _, err := range probing(ctx, c, "orders", apiclient.Query{}) {
					if !errors.Is(err, context.Canceled) {
						t.Errorf("ended with %v", err)
					}
				}
			})
		}
		synctest.Wait()
		cancel()
		wg.Wait()
		if !slices.Equal(s.asked, []string{"/shows"}) {
			t.Errorf("asked for %q", s.asked)
		}
	})
}

// A key is only ever one part of a path, and the number of keys is limited.
func TestHostileKeys(t *testing.T) {
	profile := profileOf(t, `
name: shop
streams:
  - {name: shows, path: shows, keep: '{key: .id}'}
  - {name: orders, path: 'shows/{key}/orders', over: shows, gives: [event], paging: {style: bare}}
`)
	keys := []string{"..", ".", "../../admin", `a\..\..\admin`, "%2e%2e", "a?b=c#d", "é\u0000", "", "//thief.test", strings.Repeat("x", 300), "{key}"}
	var asked []string
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/shows" {
			rows := make([]string, len(keys))
			for i, key := range keys {
				rows[i] = fmt.Sprintf(`{"id":%s}`, strconv.QuoteToASCII(key))
				if key == "é\u0000" {
					rows[i] = `{"id":"\u00e9\u0000"}`
				}
			}
			fmt.Fprintf(w, `{"data":[%s,{"id":{}},{"id":null},7],"next":null}`, strings.Join(rows, ","))
			return
		}
		asked = append(asked, r.RequestURI)
		fmt.Fprint(w, `[]`)
	}, apiclient.Options{Profile: profile})
	got := gather(probing(t.Context(), c, "orders", apiclient.Query{}))
	want := []string{"/shows/%252e%252e/orders", "/shows/%2F%2Fthief.test/orders", "/shows/a%3Fb=c%23d/orders", "/shows/%7Bkey%7D/orders"}
	if slices.Sort(want); got.err != nil || !slices.Equal(slices.Sorted(slices.Values(asked)), want) {
		t.Errorf("asked for %q, want %q; %v", asked, want, got.err)
	}
	// Records of a list that was not read do not count as deleted.
	if len(got.refused) != 1 || got.refused[0].Kind != "" || got.refused[0].ID != "" ||
		got.refused[0].Why.String() != "is missing with its whole list: 10 rows or lists of shows could not be used" {
		t.Errorf("refused %v", got.refused)
	}

	pages := 0
	c = serve(t, func(w http.ResponseWriter, r *http.Request) {
		pages++
		rows := make([]string, 10)
		for i := range rows {
			rows[i] = fmt.Sprintf(`{"id":"%d-%d"}`, pages, i)
		}
		fmt.Fprintf(w, `{"data":[%s],"next":"/shows?p=%d"}`, strings.Join(rows, ","), pages)
	}, apiclient.Options{Profile: profile})
	c.SetMaxKept(100)
	e := gather(probing(t.Context(), c, "orders", apiclient.Query{})).failure(t, apiclient.TooLarge)
	if e.Stream != "shows" || pages != 11 {
		t.Errorf("%v after %d pages", e, pages)
	}
}
