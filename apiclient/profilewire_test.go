package apiclient_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"housecount/apiclient"
	"housecount/apiclient/profile"
	"housecount/apiclient/record"
)

// eachWireService runs a test with each stand-in in a bubble, at noon on the day after the samples'
// evening.
func eachWireService(t *testing.T, test func(t *testing.T, s *wireService)) {
	standIns := map[string]func(*testing.T) *wireService{
		"default": nil, // our own records, which the other tests cover
		"pretix":  wirePretix, "ticket-tailor": wireTicketTailor, "eventbrite": wireEventbrite, "eventgoose": wireEventgoose,
	}
	for _, name := range profile.BuiltinNames() {
		standIn, ok := standIns[name]
		if _, err := os.Stat(filepath.Join("profile", "builtin", "testdata", name)); !ok && err == nil {
			t.Errorf("nothing stands in for the service of %s", name)
		}
		if standIn == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(time.Until(time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)))
				s := standIn(t)
				s.changed = map[string]string{}
				test(t, s)
			})
		})
	}
}

// wireRead is a read of a stream and its cost.
type wireRead struct {
	stream string
	since  string // RFC 3339; empty for a whole read
	asks   string // requests by list; a page has at most two rows
	query  string // of the first request for the stream's own list
	ids    string // of a read of changes; a whole read yields what the samples do
}

var wireReads = map[string][]wireRead{
	"pretix": {
		{"events", "", "events 3", "page_size=50", ""},
		{"dates", "", "events 3, dates 1", "page_size=50", ""},
		// The events that the dates need are used for a minute.
		{"quotas", "", "items 5, quotas 5", "page_size=50&with_availability=true", ""},
		{"orders", "", "orders 7", "include_canceled_fees=true&include_canceled_positions=true&ordering=datetime&page_size=50", ""},
		{"customers", "", "customers 1", "page_size=50", ""},
		{"orders", "2026-10-05T07:01:00Z", "orders 2",
			"include_canceled_fees=true&include_canceled_positions=true&modified_since=2026-10-05T07:01:00Z&ordering=-last_modified&page_size=50",
			"9001 9002 9003 STRM1-F-1 STRM1-P-1 STRM1-P-2 9030 9031 DEEL1-P-1 DEEL1-R-1 9040 WEG01-P-1 WEG01-R-1 WEG01-R-2"},
		{"orders", "2026-11-22T12:00:00Z", "orders 1",
			"include_canceled_fees=true&include_canceled_positions=true&modified_since=2026-11-22T12:00:00Z&ordering=-last_modified&page_size=50", ""},
	},
	"ticket-tailor": {
		{"events", "", "events 2", "limit=100", ""},
		{"orders", "", "orders 5", "limit=100", ""},
		{"check_ins", "", "check_ins 2", "limit=100", ""},
		{"orders", "2026-09-21T14:13:21Z", "orders 1", "created_at.gte=1790000001&limit=100", ""},
		{"check_ins", "2026-11-21T18:41:20Z", "check_ins 2", "check_in_at.gte=1795286480&limit=100", "ci_2"},
	},
	"eventbrite": {
		{"events", "", "organizations 1, events 2", "expand=ticket_classes,venue", ""},
		{"attendees", "", "attendees 5", "", ""},
		{"orders", "", "orders 4", "", ""},
		{"attendees", "2026-10-09T09:00:00Z", "attendees 1", "changed_since=2026-10-09T09:00:00Z", "501-2 504-1"},
		{"orders", "2026-10-09T09:00:00Z", "orders 1", "changed_since=2026-10-09T09:00:00Z", "504"},
	},
	"eventgoose": {
		{"events", "", "types 2, events 2", "page=1", ""},
		{"orders", "", "events 2, orders 4", "page=1&per_page=100", ""},
		{"orders", "2026-11-21T18:41:30Z", "orders 3", "last_updated=2026-11-21 19:41&page=1&per_page=100", "pA1 pA2 pA3"},
	},
}

// Reading a built-in profile's streams from its service yields what the samples yield row by row,
// with as few requests as there are pages.
func TestBuiltinProfilesOverTheWire(t *testing.T) {
	eachWireService(t, func(t *testing.T, s *wireService) {
		s.most = 2
		c := s.client(testKey, apiclient.Options{})
		whole := map[string]bool{}
		for _, r := range wireReads[s.profile] {
			s.read(c, r)
			whole[r.stream] = whole[r.stream] || r.since == ""
		}
		for _, stream := range c.Streams() {
			if !whole[stream.Name] {
				t.Errorf("%s is not read", stream.Name)
			}
		}
	})
}

// read performs r and compares it with the samples.
func (s *wireService) read(c *apiclient.Client, r wireRead) {
	q := apiclient.Query{}
	q.UpdatedSince, _ = time.Parse(time.RFC3339, r.since)
	var serverTime time.Time
	q.OnPage = func(p apiclient.Page) {
		if p.Number == 1 {
			serverTime = p.ServerTime
		}
	}
	g := gather(probing(s.t.Context(), c, r.stream, q))
	if g.err != nil {
		s.t.Errorf("%s: %v", r.stream, g.err)
	}
	all := s.asked
	asks, query := s.requests(r.stream)
	if asks != r.asks || query != r.query {
		s.t.Errorf("%s since %q: asked for %s, first with %s; want %s with %s", r.stream, r.since, asks, query, r.asks, r.query)
	}
	once := map[string]bool{}
	for _, a := range all {
		if once[a.path+"?"+a.query.Encode()] {
			s.t.Errorf("%s: asked twice for %s?%s", r.stream, a.path, a.query.Encode())
		}
		once[a.path+"?"+a.query.Encode()] = true
		if since := s.lists[a.path].since; since != "" && a.query.Has(since) != (r.since != "") {
			s.t.Errorf("%s since %q: asked for %s?%s", r.stream, r.since, a.path, a.query.Encode())
		}
	}
	if late := time.Since(serverTime); s.profile == "pretix" && late < 1500*time.Millisecond {
		s.t.Errorf("%s: changes are to be asked since %v, which is later than the list was put together", r.stream, serverTime)
	}
	if r.since != "" {
		if ids := strings.Join(g.ids(), " "); ids != r.ids {
			s.t.Errorf("%s since %s: %s, want %s", r.stream, r.since, ids, r.ids)
		}
		return
	}
	s.compare(r.stream, g)
}

// golden is the expected result of a sample.
type golden struct {
	Records []json.RawMessage
	Refused []refusal
}

type refusal struct {
	Kind       record.Kind
	ID         string
	Field, Why string
}

// compare compares a whole read with the stream's golden files.
func (s *wireService) compare(stream string, g result[record.Record]) {
	files, err := filepath.Glob(filepath.Join("profile", "builtin", "testdata", s.profile, stream+"*.golden.json"))
	if err != nil {
		s.t.Fatal(err)
	}
	want, got := map[string]string{}, map[string]string{}
	var refusals []refusal
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			s.t.Fatal(err)
		}
		var all golden
		if err := json.Unmarshal(body, &all); err != nil {
			s.t.Fatal(err)
		}
		for _, raw := range all.Records {
			var r struct {
				Record record.Kind
				ID     string
			}
			var members map[string]any
			if err := errors.Join(json.Unmarshal(raw, &r), json.Unmarshal(raw, &members)); err != nil {
				s.t.Fatal(err)
			}
			delete(members, "record")
			text, _ := json.Marshal(members)
			want[string(r.Record)+" "+r.ID] = string(text)
		}
		refusals = append(refusals, all.Refused...)
	}
	for _, r := range g.records {
		var members map[string]any
		text, err := json.Marshal(r)
		if err := errors.Join(err, json.Unmarshal(text, &members)); err != nil {
			s.t.Fatal(err)
		}
		text, _ = json.Marshal(members)
		got[string(r.RecordKind())+" "+r.RecordID()] = string(text)
	}
	if len(want) == 0 || len(g.records) != len(want) || !maps.Equal(got, want) {
		s.t.Errorf("%s: %d records %v, want %d %v", stream, len(g.records), got, len(want), want)
	}
	var refused []refusal
	for _, e := range g.refused {
		refused = append(refused, refusal{e.Kind, e.ID, e.Field, e.Why.String()})
	}
	if !slices.Equal(refused, refusals) {
		s.t.Errorf("%s: refused %v, want %v", stream, refused, refusals)
	}
}

// A key that the service refuses appears nowhere, whatever the response quotes.
func TestBuiltinProfilesWithAWrongKey(t *testing.T) {
	const wrong = "key_wrong_4d3c2b1a"
	eachWireService(t, func(t *testing.T, s *wireService) {
		var logged strings.Builder
		c := s.client(wrong, apiclient.Options{Log: slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))})
		for _, stream := range c.Streams() {
			e := gather(probing(t.Context(), c, stream.Name, apiclient.Query{})).failure(t, apiclient.Unauthorized)
			if !strings.Contains(e.Message, s.says) || !strings.Contains(e.Message, "[hidden]") {
				t.Errorf("%s: says %q", stream.Name, e.Message)
			}
			for _, secret := range []string{wrong, strings.TrimPrefix(s.auth(wrong), "Basic ")} {
				if strings.Contains(e.Error()+logged.String(), secret) {
					t.Errorf("%s: %q shows in %v or %s", stream.Name, secret, e, logged.String())
				}
			}
		}
		if len(s.asked) != len(c.Streams()) {
			t.Errorf("%d requests for %d streams", len(s.asked), len(c.Streams()))
		}
	})
}

// The number of requests of polls for changes with 100 past events (one every third day), 20 coming
// ones, 150 orders and as many customers, at 60 requests a minute and 5 at once.
func TestRequestsOfBuiltinProfiles(t *testing.T) {
	// With one poll a minute: per hour, and in the busiest minute. With continuous polls of what
	// changes any time, 3 seconds apart: per minute.
	costs := map[string]struct{ hour, fullest, busy int }{
		"pretix":        {448, 28, 23},
		"ticket-tailor": {148, 5, 40},
		"eventbrite":    {216, 6, 35},   // as many as may be
		"eventgoose":    {1570, 32, 66}, // the limit: a poll is one request per coming event
	}
	eachWireService(t, func(t *testing.T, s *wireService) {
		s.crowd()
		c := s.client(testKey, apiclient.Options{RequestsPerMinute: 60})
		read := func(stream string, since time.Time) {
			if g := gather(probing(t.Context(), c, stream, apiclient.Query{UpdatedSince: since})); g.err != nil {
				t.Fatal(g.err)
			}
		}
		for _, stream := range c.Streams() {
			read(stream.Name, time.Time{})
		}
		start := time.Now()
		looked, whole := map[string]time.Time{}, map[string]time.Time{}
		for _, stream := range c.Streams() {
			looked[stream.Name], whole[stream.Name] = start, start
		}
		got := costs[s.profile]
		got.hour, got.fullest, got.busy = 0, 0, 0
		for minute := 1; minute <= 60; minute++ {
			now := start.Add(time.Duration(minute) * time.Minute)
			time.Sleep(time.Until(now))
			s.asked = nil
			for _, stream := range c.Streams() {
				switch name := stream.Name; {
				case stream.WholeEvery > 0 && now.Sub(whole[name]) >= stream.WholeEvery:
					read(name, time.Time{})
					looked[name], whole[name] = now, now
				case now.Sub(looked[name]) >= max(stream.Every, time.Minute):
					read(name, looked[name].Add(-2*time.Minute))
					looked[name] = now
				}
			}
			if took := time.Since(now); took > time.Minute {
				t.Errorf("minute %d: took %v", minute, took)
			}
			got.hour, got.fullest = got.hour+len(s.asked), max(got.fullest, len(s.asked))
		}
		s.asked = nil
		live := map[string]bool{}
		for now := start.Add(61 * time.Minute); time.Since(now) < time.Minute; {
			time.Sleep(max(time.Until(now), 3*time.Second))
			for _, stream := range c.Streams() {
				if stream.Every == 0 && time.Since(now) < time.Minute {
					live[stream.Name] = true
					read(stream.Name, now.Add(-2*time.Minute))
				}
			}
		}
		got.busy = len(s.asked)
		once := map[string]bool{}
		for _, a := range s.asked {
			if at := a.path + "?" + a.query.Encode(); !live[a.stream] {
				if once[at] {
					t.Errorf("asked for %s twice in a minute", at)
				}
				once[at] = true
			}
		}
		if want := costs[s.profile]; got != want {
			t.Errorf("costs %+v, want %+v", got, want)
		}
	})
}
