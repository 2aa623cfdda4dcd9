package probe_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/apiclient"
	"housecount/apiclient/probe"
	"housecount/apiclient/profile"
)

// streamOf returns the client's stream with that name.
func streamOf(t *testing.T, c *apiclient.Client, name string) apiclient.Stream {
	t.Helper()
	all := c.Streams()
	i := slices.IndexFunc(all, func(s apiclient.Stream) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("there is no %s", name)
	}
	return all[i]
}

// The result of testing a filter claims no more than the responses show.
func TestExamineFilters(t *testing.T) {
	for name, test := range map[string]struct {
		house        house
		since, event probe.Filter
	}{
		"honoured": {house{rows: 30, filters: true, byEvent: true}, probe.FilterHonoured, probe.FilterHonoured},
		"ignored":  {house{rows: 7}, probe.FilterIgnored, probe.FilterIgnored},
		"one row":  {house{rows: 1, filters: true, byEvent: true}, probe.FilterUnseen, probe.FilterUnseen},
		// The first page is right, but it is also the first page of the whole list: newest first. A
		// service that sends nothing for changes may not understand the filter.
		"nothing":     {house{rows: 30, empty: true, byEvent: true}, probe.FilterUnseen, probe.FilterHonoured},
		"by accident": {house{rows: 30}, probe.FilterUnseen, probe.FilterIgnored},
	} {
		t.Run(name, func(t *testing.T) {
			h := test.house
			h.param = "page"
			_, c := newSource(t, &h, memory{})
			// Examine probes whatever answer the Client has.
			c.Use("tickets", apiclient.Answer{Found: true, Prefix: "v2", Path: "tickets", Paging: profile.PagingBare, AskedSince: true, IgnoresSince: true})
			f := probe.Examine(t.Context(), c, streamOf(t, c, "tickets"), 0, nil)
			if f.Err != nil || f.Rows != h.rows || f.Filter != test.since || f.EventFilter != test.event {
				t.Errorf("%d rows, %q, %q; %v", f.Rows, f.Filter, f.EventFilter, f.Err)
			}
			found, _ := c.Answer("tickets")
			if found != f.Answer || found.Prefix != "api/v2" || found.IgnoresSince != (test.since == probe.FilterIgnored) || found.IgnoresEvent != (test.event == probe.FilterIgnored) {
				t.Errorf("found %+v, and uses %+v", f.Answer, found)
			}
		})
	}
}

// The streams that a list needs are probed before it, once.
func TestExamineFindsOutWhatItNeeds(t *testing.T) {
	p, err := profile.Parse("kinds", []byte(kindsProfile))
	if err != nil {
		t.Fatal(err)
	}
	k := &kinds{events: 2}
	server := httptest.NewServer(k)
	t.Cleanup(server.Close)
	c, err := apiclient.New(apiclient.Options{Profile: p, BaseURL: server.URL, APIKey: "key", RequestsPerMinute: 600_000, Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdle)
	for range 2 {
		if f := probe.Examine(t.Context(), c, streamOf(t, c, "tickets"), 0, nil); f.Err != nil || f.Rows != 1 || len(f.Fields.Refused) > 0 {
			t.Fatal(f.Rows, f.Fields.Refused, f.Err)
		}
		for _, name := range []string{"events", "kinds"} {
			if _, known := c.Answer(name); !known {
				t.Errorf("nothing is known of %s", name)
			}
		}
	}
	events := 0
	for _, path := range k.asked {
		if path == "/events" {
			events++
		}
	}
	if events != 2 { // to probe, and as parents for a minute
		t.Errorf("asked %d times for the events: %q", events, k.asked)
	}
}

// A service without totals shows that it honours the filter for changes by a last page of them, so
// few are requested.
func TestExamineAsksForFewChanges(t *testing.T) {
	const rows, size = 1200, 100
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		since, _ := time.Parse(time.RFC3339, r.FormValue("updated_since"))
		var n int
		fmt.Sscan(r.FormValue("from"), &n)
		var page []string
		next := "null"
		for i := range rows {
			if at := evening.Add(time.Duration(i) * time.Second); !at.Before(since) {
				if n--; n >= 0 {
					continue
				}
				if len(page) == size {
					next = fmt.Sprintf(`"?from=%d&updated_since=%s"`, i, since.Format(time.RFC3339))
					break
				}
				page = append(page, fmt.Sprintf(`{"id":"t%d","event_id":"e","updated_at":%q}`, i, at.Format(time.RFC3339)))
			}
		}
		fmt.Fprintf(w, `{"data":[%s],"next":%s}`, strings.Join(page, ","), next)
	}))
	t.Cleanup(server.Close)
	_, c := sourceAt(t, server.URL, memory{})
	if f := probe.Examine(t.Context(), c, streamOf(t, c, "tickets"), 0, nil); f.Err != nil || f.Rows != rows || f.Filter != probe.FilterHonoured {
		t.Errorf("%d rows, %q; %v", f.Rows, f.Filter, f.Err)
	}
}
