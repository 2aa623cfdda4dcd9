package probe_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"housecount/apiclient"
	"housecount/apiclient/probe"
	"housecount/apiclient/profile"
)

// kinds is a service whose tickets need a list that gives no records: each event has a list of its
// ticket kinds.
type kinds struct {
	events int
	asked  []string
}

func (k *kinds) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	k.asked = append(k.asked, r.URL.Path)
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/events":
		text := ""
		for i := range k.events {
			if i > 0 {
				text += ","
			}
			text += fmt.Sprintf(`{"id":"e%d","date":"2026-11-21"}`, i)
		}
		fmt.Fprintf(w, `{"data":[%s],"meta":{"total":%d}}`, text, k.events)
	case "/events/e1/kinds": // e0 has none
		io.WriteString(w, `{"data":[{"id":"k","name":"Stalls"}],"meta":{"total":1}}`)
	case "/tickets":
		if k.events == 0 {
			io.WriteString(w, `{"data":[],"meta":{"total":0}}`)
			return
		}
		io.WriteString(w, `{"data":[{"id":"t","event":"e1","kind":"k"}],"meta":{"total":1}}`)
	default:
		http.NotFound(w, r)
	}
}

const kindsProfile = `
name: kinds
base_url: https://kinds.example
streams:
  - name: events
    path: events
    gives: [event]
    keep: "{key: .id}"
  - name: kinds
    path: events/{key}/kinds
    over: events
    keep: |
      {key: "\($over.key)/\(.id)", name}
  - name: tickets
    path: tickets
    with: [kinds]
    gives: [ticket]
    records: |
      {id, event_id: .event, status: "valid", type: {id: .kind, name: $with["\(.event)/\(.kind)"].name}}
`

// A list that is only read for others is probed like any other, even while it does not exist, and
// the stream that needs it is read.
func TestListsReadForOthers(t *testing.T) {
	p, err := profile.Parse("kinds", []byte(kindsProfile))
	if err != nil {
		t.Fatal(err)
	}
	k, log := &kinds{}, memory{}
	server := httptest.NewServer(k)
	t.Cleanup(server.Close)
	c, err := apiclient.New(apiclient.Options{Profile: p, BaseURL: server.URL, APIKey: "key", RequestsPerMinute: 600_000, Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdle)
	s := probe.NewSource(c, log, nil)
	if ids, err := read(t, s, apiclient.Query{}); err != nil || len(ids) != 0 || log[probe.Key(c, "kinds")] != nil {
		t.Errorf("without events %q, %v, answers %q", ids, err, log)
	}

	k.events, k.asked = 2, nil
	c, err = apiclient.New(apiclient.Options{Profile: p, BaseURL: server.URL, APIKey: "key", RequestsPerMinute: 600_000, Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdle)
	s = probe.NewSource(c, log, nil)
	if ids, err := read(t, s, apiclient.Query{}); err != nil || !slices.Equal(ids, []string{"t"}) || log[probe.Key(c, "kinds")] == nil {
		t.Errorf("%q, %v, answers %q", ids, err, log)
	}
	if !slices.Contains(k.asked, "/events/e1/kinds") {
		t.Errorf("asked for %q", k.asked)
	}
}

// shop is a service whose profile leaves nothing open; it ignores all filters.
type shop struct{ asked []string }

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked = append(s.asked, r.URL.RequestURI())
	w.Header().Set("Date", evening.Format(http.TimeFormat))
	switch r.URL.Path {
	case "/shows":
		io.WriteString(w, `[{"id":"e1","date":"2026-11-21"},{"id":"e2","date":"2026-11-21"}]`)
	case "/tickets":
		io.WriteString(w, `[{"id":"t","event_id":"e1","updated_at":"2026-11-21T19:00:00Z"}]`)
	case "/orders":
		io.WriteString(w, `[{"id":"p","event_id":"e1","amount":1,"currency":"EUR","updated_at":"2026-11-21T19:00:00Z"}]`)
	case "/shows/e1/notes":
		io.WriteString(w, `[{"id":"n","event_id":"e2"}]`)
	default:
		http.NotFound(w, r)
	}
}

const shopProfile = `
name: shop
base_url: https://shop.example
streams:
  - {name: shows, path: shows, gives: [event], keep: "{key: .id}", paging: {style: bare}}
  - {name: tickets, path: tickets, gives: [ticket], since: {param: since}, paging: {style: bare}}
  - {name: orders, path: orders, gives: [payment], since: {param: new, basis: created}, paging: {style: bare}}
  - {name: notes, path: "shows/{key}/notes", over: shows, gives: [planning], paging: {style: bare}}
  - {name: nothing, path: nothing, gives: [contact], paging: {style: bare}}
`

// What the profile says is not probed: a first read costs only its own pages. Each filter is tested
// once, where a response can show the result, and the result is stored.
func TestDeclaredListsAreNotProbed(t *testing.T) {
	p, err := profile.Parse("shop", []byte(shopProfile))
	if err != nil {
		t.Fatal(err)
	}
	s, log := &shop{}, &counting{memory: memory{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	var source *probe.Source
	process := func() {
		c, err := apiclient.New(apiclient.Options{Profile: p, BaseURL: server.URL, APIKey: "key", RequestsPerMinute: 600_000, Retries: -1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.CloseIdle)
		source = probe.NewSource(c, log, nil)
	}
	process()
	changes := apiclient.Query{UpdatedSince: evening.Add(-time.Hour)}
	for i, step := range []struct {
		stream   string
		q        apiclient.Query
		requests int
	}{
		{"shows", apiclient.Query{}, 1},
		{"tickets", apiclient.Query{}, 1},
		{"orders", apiclient.Query{}, 1},
		{"notes", apiclient.Query{}, 3}, // the shows, and a list for each of them
		{"tickets", changes, 2},
		{"tickets", changes, 1},
		{"orders", changes, 1},
		{"shows", changes, 1},
		{"notes", apiclient.Query{EventID: "e1"}, 1}, // one list per event needs no filter
		{"nothing", apiclient.Query{}, 1},
	} {
		s.asked = nil
		for _, err := range source.Read(t.Context(), step.stream, step.q) {
			e, failed := errors.AsType[*apiclient.Error](err)
			if (failed || step.stream == "nothing") && (step.stream != "nothing" || e.Kind != apiclient.NotOffered) {
				t.Errorf("%d: %v", i, err)
			}
		}
		if len(s.asked) != step.requests {
			t.Errorf("%d: %s by %q, want %d requests", i, step.stream, s.asked, step.requests)
		}
	}
	if log.reads != 5 || log.writes != 1 { // once per list, and the result of one filter
		t.Errorf("the log was asked %d times, and told %d times", log.reads, log.writes)
	}
	process()
	s.asked = nil
	for _, err := range source.Read(t.Context(), "tickets", changes) {
		if err != nil {
			t.Error(err)
		}
	}
	if len(s.asked) != 1 {
		t.Errorf("the next process asked for %q", s.asked)
	}
}

// counting is a log that counts its calls.
type counting struct {
	memory
	reads, writes int
}

func (c *counting) Answer(ctx context.Context, key string) ([]byte, error) {
	c.reads++
	return c.memory.Answer(ctx, key)
}

func (c *counting) SetAnswer(ctx context.Context, key string, answer []byte) error {
	c.writes++
	return c.memory.SetAnswer(ctx, key, answer)
}
