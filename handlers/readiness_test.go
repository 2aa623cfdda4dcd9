package handlers_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
)

// readyz?verbose has a line for each thing, with its state and since when that is so, and the answer that readyz has
// without it. Lists are named to this machine only.
func TestReadyzVerbose(t *testing.T) {
	h := newHouse(t, nil)
	at := time.Date(2026, 11, 25, 20, 0, 0, 0, time.UTC)
	shown := &figures.Snapshot{Health: figures.Health{Streams: []figures.StreamHealth{
		{Name: "events", LastGood: at, Complete: true},
		{Name: "tickets", LastGood: at, Complete: true, Missed: 3, Fault: figures.FaultSlow},
		{Name: "scans", LastGood: at},
		{Name: "mollie/payments"},
		{Name: "contacts", Missed: 1, Fault: figures.FaultUnreachable},
	}}}
	snapshot := func() *figures.Snapshot { return shown }
	h.snapshot.Store(&snapshot)
	const since = `since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`
	lists := []string{"list events: ok, last answered 2026-11-25T20:00:00Z", "list tickets: slow, 3 polls missed, last answered 2026-11-25T20:00:00Z",
		"list scans: read for the first time, last answered 2026-11-25T20:00:00Z", "list mollie/payments: not asked yet", "list contacts: unreachable, 1 polls missed, never answered"}
	is := func(path string, status int, first, second, last string) {
		t.Helper()
		p := h.browser(t).get(path)
		lines := strings.Split(strings.TrimSpace(p.body), "\n")
		if p.status != status || len(lines) != 3+len(lists) || !strings.HasPrefix(p.header.Get("Content-Type"), "text/plain") {
			t.Fatalf("status %d: %s", p.status, p.body)
		}
		for i, want := range append([]string{first, second}, lists...) {
			if i > 1 {
				want = regexp.QuoteMeta(want)
			}
			if !regexp.MustCompile("^" + want + "$").MatchString(lines[i]) {
				t.Errorf("line %d is %q, want %s", i+1, lines[i], want)
			}
		}
		// Until the database is known to be away, each request says that it is so since now.
		stamps := regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
		plain := stamps.ReplaceAllString(strings.TrimSpace(h.browser(t).get(strings.Replace(path, "verbose", "", 1)).body), "T")
		if got := lines[len(lines)-1]; !strings.HasPrefix(got, last) || stamps.ReplaceAllString(got, "T") != plain {
			t.Errorf("the last line is %q, want %s, and what readyz answers", got, last)
		}
	}
	h.ready.Store(false)
	is("/readyz?verbose", http.StatusServiceUnavailable, "figures: not read yet, "+since, "database: ok "+since, "the figures have not been read yet")
	h.ready.Store(true)
	is("/readyz?verbose", http.StatusOK, "figures: ok "+since, "database: ok "+since, "ok")
	for _, c := range []struct {
		peer, header string
		lists        bool
	}{
		{"127.0.0.1:1", "", true}, {"[::1]:1", "", true}, {"192.0.2.1:1", "", false}, {"", "", false},
		{"192.0.2.1:1", "X-Forwarded-For: 127.0.0.1", false}, {"127.0.0.1:1", "X-Forwarded-For: 192.0.2.1", false}, {"127.0.0.1:1", "Via: 1.1 proxy", false},
		{"127.0.0.1:1", "X-Real-Ip: 192.0.2.1", false}, {"127.0.0.1:1", "Host: dash.example.org", false}, {"127.0.0.1:1", "Host: localhost:8080", true}, {"[::1]:1", "Host: [::1]:8080", true},
	} {
		r := httptest.NewRequest(http.MethodGet, h.URL+"/readyz?verbose", nil)
		r.RemoteAddr = c.peer
		if name, value, ok := strings.Cut(c.header, ": "); ok {
			if r.Header.Set(name, value); name == "Host" {
				r.Host = value
			}
		}
		w := httptest.NewRecorder()
		h.Config.Handler.ServeHTTP(w, r)
		if text := w.Body.String(); strings.Contains(text, "list ") != c.lists || !strings.Contains(text, "figures: ok") || !strings.Contains(text, "database: ok") {
			t.Errorf("to %q with %q: %s", c.peer, c.header, text)
		}
	}
	if err := h.store.Close(); err != nil {
		t.Fatal(err)
	}
	is("/readyz?verbose", http.StatusServiceUnavailable, "figures: ok "+since, "database: does not answer "+since, "the database does not answer")
	is("/readyz?pages&verbose", http.StatusServiceUnavailable, "figures: ok "+since, "database: does not answer "+since, "the database does not answer")
}
