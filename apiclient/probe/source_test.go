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

// memory is a log of answers.
type memory map[string][]byte

func (m memory) Answer(_ context.Context, key string) ([]byte, error) { return m[key], nil }
func (m memory) SetAnswer(_ context.Context, key string, answer []byte) error {
	m[key] = answer
	return nil
}

// house is a service whose tickets are under api/v2, three a page, by page numbers.
type house struct {
	asked   []string
	rows    int
	filters bool // honours updated_since
	down    bool
	param   string // of the number of the page
}

var evening = time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)

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
	n := 1
	fmt.Sscan(r.FormValue(h.param), &n)
	since, _ := time.Parse(time.RFC3339, r.FormValue("updated_since"))
	text, total := "", 0
	for i := range h.rows {
		at := evening.Add(-time.Duration(i) * time.Minute)
		if h.filters && at.Before(since) {
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

// were are the requests since the last time.
func (h *house) were() []string {
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

// A first sync finds out by itself what it needs, and costs but the calls under the address
// where the list is not. Another process reads by the log's answer.
func TestFirstReadFindsOut(t *testing.T) {
	h, log := &house{rows: 7, filters: true, param: "page"}, memory{}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	s, _ := sourceAt(t, server.URL, log)
	if ids, err := read(t, s, apiclient.Query{}); err != nil || len(ids) != 7 {
		t.Fatal(ids, err)
	}
	if asked := h.were(); len(asked) != 4 || asked[0] != "/v2/tickets" || len(log) != 1 {
		t.Errorf("asked for %q, answers %v", asked, log)
	}
	for range 2 {
		if _, err := read(t, s, apiclient.Query{UpdatedSince: evening.Add(-90 * time.Second)}); err != nil || len(h.were()) != 1 {
			t.Error(err)
		}
	}
	another, _ := sourceAt(t, server.URL, log)
	if ids, err := read(t, another, apiclient.Query{UpdatedSince: evening.Add(-90 * time.Second)}); err != nil || len(ids) != 2 || !slices.Equal(h.were(), []string{"/api/v2/tickets"}) {
		t.Error(ids, err)
	}
}

// A read of changes without an answer asks first.
func TestAsksBeforeARead(t *testing.T) {
	h, log := &house{rows: 7, filters: true, param: "page[number]"}, memory{}
	s, _ := newSource(t, h, log)
	ids, err := read(t, s, apiclient.Query{UpdatedSince: evening.Add(-90 * time.Second)})
	if err != nil || len(ids) != 2 || len(log) != 1 {
		t.Fatal(ids, err, log)
	}
}

// A service that is down is asked again by the next read.
func TestDownWhileAsked(t *testing.T) {
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

// A filter that turns out to be ignored is no missed read: it is known from then on, and by
// the next process too.
func TestIgnoredFilter(t *testing.T) {
	h, log := &house{rows: 7, param: "page"}, memory{}
	s, _ := newSource(t, h, log)
	if _, err := read(t, s, apiclient.Query{}); err != nil {
		t.Fatal(err)
	}
	var last apiclient.Page
	ids, err := read(t, s, apiclient.Query{UpdatedSince: evening.Add(-90 * time.Second), OnPage: func(p apiclient.Page) { last = p }})
	if err != nil || !slices.Equal(ids, []string{"t0", "t1"}) || !last.Unfiltered {
		t.Errorf("%v, %+v; %v", ids, last, err)
	}
}

// A list that goes on in another way than was found is asked about anew: at once where no
// record came, and otherwise by the next read.
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
