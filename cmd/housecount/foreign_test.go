package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/poller"
	"housecount/aggregator/store"
	"housecount/apiclient"
	"housecount/apiclient/probe"
	"housecount/apiclient/profile"
	"housecount/apiclient/services"
	"housecount/cmd/housecount/observe"
)

// foreignHouse is a service of JSON lists that a test writes down, read by its profile on the clock of a bubble as
// serve does it.
type foreignHouse struct {
	t    *testing.T
	pipe *pipes
	log  *observe.LeadingLog

	mu    sync.Mutex
	lists map[string]func(url.Values) any // by path
	asked []string                        // "/path?query", in order

	auth  func(*http.Request) string                    // what is wrong with a request's credential; nil asks for none
	first func(http.ResponseWriter, *http.Request) bool // answers a request itself if it returns true; nil answers none
	begin func()                                        // reads with the profile of the service

	figures *aggregator.Figures
	stop    func()
}

// inForeignHouse runs test in a bubble with a service, on SQLite.
func inForeignHouse(t *testing.T, test func(*foreignHouse)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2000, 3, 24, 12, 0, 0, 0, time.UTC)))
		h := &foreignHouse{t: t, lists: map[string]func(url.Values) any{}}
		h.pipe = newPipes(t, h)
		kept, err := store.Open(t.Context(), sqlite(t))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { kept.Close() })
		records, err := kept.Records(t.Context(), "foreign")
		if err != nil {
			t.Fatal(err)
		}
		h.log = &observe.LeadingLog{Records: records}
		test(h)
		if h.stop != nil {
			h.stop()
		}
	})
}

// lines are rows of an answer with one on each line.
type lines []object

// serve makes the service answer a path with what list returns as JSON.
func (h *foreignHouse) serve(path string, list func(url.Values) any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lists[path] = list
}

func (h *foreignHouse) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	list := h.lists[r.URL.Path]
	h.asked = append(h.asked, r.URL.RequestURI())
	h.mu.Unlock()
	if h.first != nil && h.first(w, r) {
		return
	}
	if h.auth != nil {
		if got := h.auth(r); got != "" {
			http.Error(w, `{"message":"not with `+got+`"}`, http.StatusUnauthorized)
			return
		}
	}
	if list == nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Date", time.Now().UTC().Format(http.TimeFormat))
	answer, out := list(r.URL.Query()), json.NewEncoder(w)
	if rows, ok := answer.(lines); ok {
		for _, row := range rows {
			out.Encode(row)
		}
		return
	}
	out.Encode(answer)
}

// requests returns what was asked for since the last call.
func (h *foreignHouse) requests() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	asked := h.asked
	h.asked = nil
	return asked
}

// read runs a poller and figures with a profile, in place of those that run, until the first reading has ended.
func (h *foreignHouse) read(rules string) {
	h.t.Helper()
	p, err := profile.Parse("foreign.yaml", []byte(rules))
	if err != nil {
		h.t.Fatal(err)
	}
	h.readAs(p, apiclient.Options{})
}

func (h *foreignHouse) readAs(p *profile.Profile, o apiclient.Options) {
	h.t.Helper()
	h.readAll(h.service(p, o))
}

// service returns a service of the house.
func (h *foreignHouse) service(p *profile.Profile, o apiclient.Options) services.Service {
	h.t.Helper()
	o.Profile, o.BaseURL, o.Dial = p, "http://house.test", h.pipe.dial
	if o.APIKey == "" && o.ClientID == "" {
		o.APIKey = "key"
	}
	c, err := apiclient.New(o)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(c.CloseIdle)
	return services.Service{Name: p.Rules.Name, Source: probe.NewSource(c, h.log, nil)}
}

// readAll runs a poller and figures with several services, in place of those that run, until the first reading has ended.
func (h *foreignHouse) readAll(first services.Service, others ...services.Service) {
	h.t.Helper()
	if h.stop != nil {
		h.stop()
	}
	read, err := services.Join(first, others...)
	if err != nil {
		h.t.Fatal(err)
	}
	logger := slog.New(slog.NewTextHandler(h.t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	if h.figures, err = aggregator.New(aggregator.Options{Log: h.log, Streams: streamsOf(read), Logger: logger}); err != nil {
		h.t.Fatal(err)
	}
	watch, err := poller.New(poller.Options{Source: read, Log: h.log, Figures: h.figures, Cadence: quick, Logger: logger})
	if err != nil {
		h.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(h.t.Context())
	ended := make(chan error, 2)
	go func() { ended <- h.figures.Run(ctx) }()
	go func() { ended <- watch.Run(ctx) }()
	h.stop = sync.OnceFunc(func() {
		cancel()
		if err := errors.Join(<-ended, <-ended); err != nil {
			h.t.Error(err)
		}
	})
	h.pass(5 * time.Minute)
}

// pass lets time pass.
func (h *foreignHouse) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// event returns the figures of a performance.
func (h *foreignHouse) event(id string) *figures.EventFigures {
	h.t.Helper()
	e := h.figures.Snapshot().Event(id)
	if e == nil {
		h.t.Fatalf("there is no performance %q", id)
	}
	return e
}
