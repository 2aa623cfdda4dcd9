package probe_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"housecount/apiclient"
	"housecount/apiclient/probe"
)

// memory is a log in memory.
type memory map[string][]byte

func (m memory) Answer(_ context.Context, key string) ([]byte, error) { return m[key], nil }
func (m memory) SetAnswer(_ context.Context, key string, answer []byte) error {
	m[key] = answer
	return nil
}

// house is a service with tickets of two events under api/v2, three per page, by page numbers. Its
// clock is far ahead of ours.
type house struct {
	asked   []string
	rows    int
	filters bool      // honours updated_since
	empty   bool      // sends nothing for an updated_since
	byEvent bool      // honours event_id
	refuses string    // a parameter that it refuses
	latest  time.Time // refuses a later updated_since
	down    bool
	param   string // of the number of the page
}

var evening = time.Date(2096, 11, 21, 20, 0, 0, 0, time.UTC)

func (h *house) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.asked = append(h.asked, r.URL.Path)
	switch {
	case h.down:
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case r.URL.Path != "/api/v2/tickets":
		http.NotFound(w, r)
		return
	}
	since, _ := time.Parse(time.RFC3339, r.FormValue("updated_since"))
	if r.URL.Query().Has(h.refuses) || !h.latest.IsZero() && since.After(h.latest) {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	w.Header().Set("Date", evening.Format(http.TimeFormat))
	n := 1
	fmt.Sscan(r.FormValue(h.param), &n)
	text, total := "", 0
	for i := range h.rows {
		at := evening.Add(-time.Duration(i) * time.Minute)
		if h.filters && at.Before(since) || h.empty && !since.IsZero() || h.byEvent && r.URL.Query().Has("event_id") && r.FormValue("event_id") != fmt.Sprint("e", i%2) {
			continue
		}
		if total++; total > n*3-3 && total <= n*3 {
			if text != "" {
				text += ","
			}
			text += fmt.Sprintf(`{"id":"t%d","event_id":"e%d","status":"valid","updated_at":%q}`, i, i%2, at.Format(time.RFC3339))
		}
	}
	fmt.Fprintf(w, `{"data":[%s],"meta":{"total":%d}}`, text, total)
}

// requests returns the requests since the last time.
func (h *house) requests() []string {
	asked := h.asked
	h.asked = nil
	return asked
}

func newSource(t *testing.T, h *house, log memory) (*probe.Source, *apiclient.Client) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return sourceAt(t, s.URL, log)
}

func sourceAt(t *testing.T, url string, log memory) (*probe.Source, *apiclient.Client) {
	t.Helper()
	c, err := apiclient.New(apiclient.Options{BaseURL: url, APIKey: "key", RequestsPerMinute: 600_000, PageSize: 3, Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdle)
	return probe.NewSource(c, log, nil), c
}

func read(t *testing.T, s *probe.Source, q apiclient.Query) (ids []string, err error) {
	t.Helper()
	for r, e := range s.Read(t.Context(), "tickets", q) {
		if e != nil {
			return ids, e
		}
		ids = append(ids, r.RecordID())
	}
	return ids, nil
}

// A first sync explores by itself and costs only the extra calls to wrong addresses. Another
// process uses the stored answer.
func TestFirstReadFindsOut(t *testing.T) {
	h, log := &house{rows: 7, filters: true, param: "page"}, memory{}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	s, _ := sourceAt(t, server.URL, log)
	if ids, err := read(t, s, apiclient.Query{}); err != nil || len(ids) != 7 {
		t.Fatal(ids, err)
	}
	if asked := h.requests(); len(asked) != 4 || asked[0] != "/v2/tickets" || len(log) != 1 {
		t.Errorf("asked for %q, answers %v", asked, log)
	}
	// Before the first read of changes the filter is tested.
	for _, requests := range []int{2, 1, 1} {
		if _, err := read(t, s, apiclient.Query{UpdatedSince: evening.Add(-90 * time.Second)}); err != nil {
			t.Error(err)
		}
		if asked := len(h.requests()); asked != requests {
			t.Errorf("changes by %d requests, want %d", asked, requests)
		}
	}
	another, _ := sourceAt(t, server.URL, log)
	if ids, err := read(t, another, apiclient.Query{UpdatedSince: evening.Add(-90 * time.Second)}); err != nil || len(ids) != 2 || !slices.Equal(h.requests(), []string{"/api/v2/tickets"}) {
		t.Error(ids, err)
	}
}

// A read of changes without an answer probes first.
func TestProbesBeforeARead(t *testing.T) {
	h, log := &house{rows: 7, filters: true, param: "page[number]"}, memory{}
	s, _ := newSource(t, h, log)
	ids, err := read(t, s, apiclient.Query{UpdatedSince: evening.Add(-90 * time.Second)})
	if err != nil || len(ids) != 2 || len(log) != 1 {
		t.Fatal(ids, err, log)
	}
}

// A service that is down is probed again by the next read.
func TestDownWhileProbing(t *testing.T) {
	h, log := &house{rows: 7, filters: true, param: "page", down: true}, memory{}
	s, _ := newSource(t, h, log)
	q := apiclient.Query{UpdatedSince: evening.Add(-90 * time.Second)}
	_, err := read(t, s, q)
	if e, ok := errors.AsType[*apiclient.Error](err); !ok || e.Kind != apiclient.Server || len(log) != 0 {
		t.Fatal(err, log)
	}
	h.down = false
	if ids, err := read(t, s, q); err != nil || len(ids) != 2 || len(log) != 1 {
		t.Fatal(ids, err, log)
	}
}

// Whether a filter is ignored is tested before its first use and stored, also for the next process,
// until the service honours it. A contradiction found later does not fail the read.
func TestIgnoredFilter(t *testing.T) {
	h, log := &house{rows: 7, param: "page"}, memory{}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	var now *probe.Source
	process := func() { now, _ = sourceAt(t, server.URL, log) }
	// check reads recent changes with a number of requests.
	check := func(when string, requests int, unfiltered bool) {
		t.Helper()
		h.requests()
		var last apiclient.Page
		ids, err := read(t, now, apiclient.Query{UpdatedSince: evening.Add(-90 * time.Second), OnPage: func(p apiclient.Page) { last = p }})
		if asked := len(h.requests()); err != nil || !slices.Equal(ids, []string{"t0", "t1"}) || asked != requests || last.Unfiltered != unfiltered {
			t.Errorf("%s: %v by %d requests, %+v; %v", when, ids, asked, last, err)
		}
	}
	process()
	if _, err := read(t, now, apiclient.Query{}); err != nil {
		t.Fatal(err)
	}
	check("at first", 3, true) // the test; then a page, and a second with only older rows
	check("known", 2, true)
	process()
	check("in the next process", 2, true)

	h.filters = true
	check("honoured", 1, true)
	check("known to be honoured", 1, false)
	process()
	check("in the next process", 1, false)
	h.filters = false
	check("ignored again", 3, true) // the first page contradicts
}

// A service that ignores the filter by event is tested once, and by no other process.
func TestIgnoredEvent(t *testing.T) {
	h, log := &house{rows: 7, filters: true, param: "page"}, memory{}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	for i, requests := range []int{4, 0} { // a wrong address, two pages to find the paging, and the test
		s, c := sourceAt(t, server.URL, log)
		ids, err := read(t, s, apiclient.Query{EventID: "e1"})
		if e, ok := errors.AsType[*apiclient.Error](err); !ok || e.Kind != apiclient.Rejected || !errors.Is(err, apiclient.ErrIgnoresEvent) || len(ids) > 0 {
			t.Errorf("%d: %v, %v", i, ids, err)
		}
		if asked := len(h.requests()); asked != requests {
			t.Errorf("%d: %d requests, want %d", i, asked, requests)
		}
		if found, _ := c.Answer("tickets"); !found.AskedEvent || !found.IgnoresEvent {
			t.Errorf("%d: found %+v", i, found)
		}
	}
	h.byEvent = true
	s, _ := newSource(t, h, memory{})
	for i, requests := range []int{5, 1} {
		h.requests()
		ids, err := read(t, s, apiclient.Query{EventID: "e1"})
		if asked := len(h.requests()); err != nil || !slices.Equal(ids, []string{"t1", "t3", "t5"}) || asked != requests {
			t.Errorf("honoured, %d: %v by %d requests, want %d; %v", i, ids, asked, requests, err)
		}
	}
	// What one read detects, the next one knows.
	h.byEvent = false
	if ids, err := read(t, s, apiclient.Query{EventID: "e1"}); !errors.Is(err, apiclient.ErrIgnoresEvent) || len(ids) > 0 || len(h.requests()) != 1 {
		t.Error(ids, err)
	}
	if _, err := read(t, s, apiclient.Query{EventID: "e1"}); !errors.Is(err, apiclient.ErrIgnoresEvent) || len(h.requests()) != 0 {
		t.Error(err)
	}
}

// A test of a filter that fails is repeated. One that the service rejects is not, and does not fail
// the read that follows.
func TestFilterThatIsNotAnswered(t *testing.T) {
	h, log := &house{rows: 7, filters: true, param: "page"}, memory{}
	s, c := newSource(t, h, log)
	if _, err := read(t, s, apiclient.Query{}); err != nil {
		t.Fatal(err)
	}
	q := apiclient.Query{UpdatedSince: evening.Add(-90 * time.Second)}
	h.down = true
	h.requests()
	_, err := read(t, s, q)
	if e, ok := errors.AsType[*apiclient.Error](err); !ok || e.Kind != apiclient.Server || len(h.requests()) != 1 {
		t.Fatal(err)
	}
	if found, _ := c.Answer("tickets"); found.AskedSince {
		t.Errorf("found %+v without an answer", found)
	}
	h.down, h.latest = false, q.UpdatedSince
	for _, requests := range []int{2, 1} {
		h.requests()
		ids, err := read(t, s, q)
		if asked := len(h.requests()); err != nil || !slices.Equal(ids, []string{"t0", "t1"}) || asked != requests {
			t.Errorf("%v by %d requests, want %d; %v", ids, asked, requests, err)
		}
	}
	h.latest, h.refuses = time.Time{}, "event_id"
	if _, err = read(t, s, apiclient.Query{EventID: "e1"}); err == nil {
		t.Fatal("what is refused was read")
	}
	h.refuses = ""
	if ids, err := read(t, s, q); err != nil || !slices.Equal(ids, []string{"t0", "t1"}) {
		t.Error(ids, err)
	}
}

// A list that is paged differently than before is probed again: at once if no record came,
// otherwise by the next read.
func TestContradictedAnswer(t *testing.T) {
	h, log := &house{rows: 7, filters: true, param: "page"}, memory{}
	s, _ := newSource(t, h, log)
	if _, err := read(t, s, apiclient.Query{}); err != nil {
		t.Fatal(err)
	}
	h.param = "page[number]"
	_, err := read(t, s, apiclient.Query{})
	if e, ok := errors.AsType[*apiclient.Error](err); !ok || e.Kind != apiclient.Contradicts {
		t.Fatal(err)
	}
	if ids, err := read(t, s, apiclient.Query{}); err != nil || len(ids) != 7 {
		t.Error(ids, err)
	}
}
