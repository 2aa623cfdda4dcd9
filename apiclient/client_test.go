package apiclient_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"housecount/apiclient"
	"housecount/apiclient/record"
)

func TestRequest(t *testing.T) {
	var got *http.Request
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		writeJSON(w, map[string]any{"data": []any{}, "meta": map[string]any{"total": 0}})
	}, apiclient.Options{PageSize: 250, UserAgent: "housecount/1.0"})

	since := time.Date(2026, 11, 21, 20, 0, 0, 900, time.FixedZone("", 3600))
	tests := []struct {
		name string
		read func() error
		want string
	}{
		{"whole", func() error { return gather(readEvents(t.Context(), c, apiclient.Query{})).err },
			"/v2/events?page=1&per_page=250&sort=created_at"},
		{"changed", func() error { return gather(readTickets(t.Context(), c, apiclient.Query{UpdatedSince: since})).err },
			"/v2/tickets?page=1&per_page=250&sort=-updated_at&updated_since=2026-11-21T19%3A00%3A00Z"},
		{"of an event", func() error { return gather(readPayments(t.Context(), c, apiclient.Query{EventID: "evt 1"})).err },
			"/v2/payments?event_id=evt+1&page=1&per_page=250&sort=created_at"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := test.read(); err != nil {
				t.Fatal(err)
			}
			if got.URL.String() != test.want {
				t.Errorf("asked for %s, want %s", got.URL, test.want)
			}
			for name, want := range map[string]string{
				"Authorization": "Bearer " + testKey, "Accept": "application/json",
				"Content-Type": "application/json", "User-Agent": "housecount/1.0",
			} {
				if got.Header.Get(name) != want {
					t.Errorf("%s is %q, want %q", name, got.Header.Get(name), want)
				}
			}
		})
	}
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

func TestBreakStopsAsking(t *testing.T) {
	calls := 0
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		calls++
		writePage(w, r, tickets(30), 100, 30)
	}, apiclient.Options{PageSize: 10})
	for range readTickets(t.Context(), c, apiclient.Query{}) {
		break
	}
	if calls != 1 {
		t.Errorf("%d calls, want 1", calls)
	}
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

// A service that is known to ignore updated_since sends everything; only what is new comes out, and
// no more pages than needed are asked for.
func TestIncrementalWhenTheFilterIsIgnored(t *testing.T) {
	all := tickets(50) // a minute apart, newest first
	shuffled := slices.Clone(all)
	shuffled[0], shuffled[49] = shuffled[49], shuffled[0]
	undated := slices.Clone(all)
	undated[12] = ticket(12, time.Time{})
	tests := []struct {
		name    string
		rows    []*record.Ticket
		since   time.Time
		records int
		pages   int
	}{
		{"newest first", all, all[14].UpdatedAt, 15, 3},
		{"the mark falls on the end of a page", all, all[9].UpdatedAt, 10, 2},
		{"nothing is new", all, all[0].UpdatedAt.Add(time.Minute), 0, 1},
		{"all is new", all, all[49].UpdatedAt, 50, 5},
		{"disorder", shuffled, all[14].UpdatedAt, 15, 5},
		{"one without a time", undated, all[9].UpdatedAt, 11, 5},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			pages := 0
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				pages++
				writePage(w, r, test.rows, 100, len(test.rows))
			}, apiclient.Options{PageSize: 10})
			ignoring(t, c, "tickets")
			pages = 0
			g := gather(readTickets(t.Context(), c, apiclient.Query{UpdatedSince: test.since}))
			if g.err != nil || len(g.records) != test.records || pages != test.pages {
				t.Errorf("%d records by %d pages and %v, want %d by %d", len(g.records), pages, g.err, test.records, test.pages)
			}
		})
	}
}

// A service that is asked for one event and sends a row of others ignores the question; a payment
// without an event may belong to it, and a row of several events does.
func TestIgnoredEventFilter(t *testing.T) {
	var rows string
	asked := 0
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked++
		fmt.Fprint(w, rows)
	}, apiclient.Options{Profile: profileOf(t, `
name: a
streams:
  - name: a
    path: a
    by_event: e
    gives: [ticket, payment]
    paging: {style: bare}
    records: '.of[] | if .kind == "payment" then {record: "payment", id, event_id, amount: 100, currency: "EUR"} else {record: "ticket", id, event_id} end'
`)})
	q := apiclient.Query{EventID: "1"}
	for _, test := range []struct {
		what, rows string
		ids        []string
		ignored    bool
	}{
		{"its own", `[{"of":[{"id":"a","event_id":"1"}]}]`, []string{"a"}, false},
		{"a row with others", `[{"of":[{"id":"a","event_id":"2"},{"id":"b","event_id":"1"}]}]`, []string{"b"}, false},
		{"a payment of no event", `[{"of":[{"id":"a","kind":"payment"}]}]`, []string{"a"}, false},
		{"a row of nothing", `[{"of":[]},{"of":[{"id":"a","event_id":"1"}]}]`, []string{"a"}, false},
		{"another row", `[{"of":[{"id":"a","event_id":"1"}]},{"of":[{"id":"b","event_id":"2"}]}]`, nil, true},
		{"a payment of another", `[{"of":[{"id":"b","event_id":"2","kind":"payment"}]}]`, nil, true},
	} {
		rows = test.rows
		ids, err := read(t, c, "a", q)
		if e, ok := errors.AsType[*apiclient.Error](err); !slices.Equal(ids, test.ids) || errors.Is(err, apiclient.ErrIgnoresEvent) != test.ignored || test.ignored && e.Kind != apiclient.Contradicts || !ok && err != nil {
			t.Errorf("%s: %q, %v", test.what, ids, err)
		}
	}
	// Where it is known, nothing is asked.
	c.Use("a", apiclient.Answer{Found: true, Path: "a", IgnoresEvent: true})
	asked = 0
	e := gather(c.Read(t.Context(), "a", q)).failure(t, apiclient.Rejected)
	if !errors.Is(e, apiclient.ErrIgnoresEvent) || asked != 0 {
		t.Errorf("%v after %d requests", e, asked)
	}
}

func TestEndOfContext(t *testing.T) {
	asked := make(chan struct{}, 1)
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	}, apiclient.Options{Retries: 3})
	ctx, cancel := context.WithCancelCause(t.Context())
	going := errors.New("going home")
	go func() {
		<-asked
		cancel(going)
	}()
	g := gather(readEvents(ctx, c, apiclient.Query{}))
	if !errors.Is(g.err, going) {
		t.Errorf("ended with %v, want the cause", g.err)
	}
	if _, ok := errors.AsType[*apiclient.Error](g.err); ok {
		t.Errorf("%v is an Error: the service is not to blame", g.err)
	}
}

func TestConcurrentReads(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		writePage(w, r, tickets(40), 100, 40)
	}, apiclient.Options{PageSize: 10})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if g := gather(readTickets(t.Context(), c, apiclient.Query{})); g.err != nil || len(g.records) != 40 {
				t.Errorf("%d records, %v", len(g.records), g.err)
			}
		})
	}
	wg.Wait()
}

func TestPrintingShowsNoSecret(t *testing.T) {
	o := apiclient.Options{BaseURL: "https://api.test/?key=" + testKey, APIKey: testKey, ClientSecret: "cs_hush", ClientID: "wall",
		TokenURL: "https://u:cs_hush@api.test/token"}
	c := newClient(t, apiclient.Options{BaseURL: "https://api.test", APIKey: testKey})
	for _, s := range []string{
		fmt.Sprint(o), fmt.Sprintf("%+v", o), fmt.Sprintf("%#v", o), fmt.Sprintf("%+v", &o), fmt.Sprintf("%+v", struct{ API apiclient.Options }{o}),
		o.LogValue().String(), fmt.Sprintf("%+v", c), fmt.Sprintf("%#v", c),
	} {
		if strings.Contains(s, testKey) || strings.Contains(s, "hush") {
			t.Errorf("a secret shows in %s", s)
		}
		if !strings.Contains(s, "api.test") {
			t.Errorf("%s does not name the service", s)
		}
	}
}
