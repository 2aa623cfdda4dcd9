package apiclient_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"housecount/apiclient"
	"housecount/apiclient/record"
)

const testKey = "key_live_9f8e7d6c5b4a"

// newClient returns a Client that logs to the test and is closed at its end.
func newClient(t testing.TB, o apiclient.Options) *apiclient.Client {
	t.Helper()
	if o.ClientID == "" {
		o.APIKey = cmp.Or(o.APIKey, testKey)
	}
	o.RequestsPerMinute = cmp.Or(o.RequestsPerMinute, 600_000)
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	c, err := apiclient.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdle)
	return c
}

// serve serves h on loopback and returns a Client for it, without retries unless the options ask
// for them.
func serve(t *testing.T, h http.HandlerFunc, o apiclient.Options) *apiclient.Client {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	o.BaseURL = s.URL
	o.Retries = cmp.Or(o.Retries, -1)
	return newClient(t, o)
}

// inMemory serves h over pipes, for tests in a synctest bubble.
func inMemory(t *testing.T, h http.HandlerFunc, o apiclient.Options) *apiclient.Client {
	t.Helper()
	l := &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
	s := &http.Server{Handler: h}
	served := make(chan struct{})
	go func() { defer close(served); s.Serve(l) }()
	o.BaseURL = cmp.Or(o.BaseURL, "http://api.test")
	o.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		select {
		case l.conns <- theirs:
			return ours, nil
		case <-l.done:
			return nil, errors.New("listener closed")
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	c := newClient(t, o)
	t.Cleanup(func() {
		c.CloseIdle()
		s.Close()
		<-served
	})
	return c
}

type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}
func (l *pipeListener) Close() error   { l.once.Do(func() { close(l.done) }); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

// typed yields the records of a stream with their concrete type.
func typed[P record.Record](all iter.Seq2[record.Record, error]) iter.Seq2[P, error] {
	return func(yield func(P, error) bool) {
		for r, err := range all {
			one, _ := r.(P)
			if !yield(one, err) {
				return
			}
		}
	}
}

// probing reads a stream exploring, as package probe does, with no answers in use.
func probing(ctx context.Context, c *apiclient.Client, stream string, q apiclient.Query) iter.Seq2[record.Record, error] {
	for _, name := range append(c.Needs(stream), stream) {
		if _, known := c.Answer(name); !known {
			q.Explore = true
		}
	}
	return c.Read(ctx, stream, q)
}

func readEvents(ctx context.Context, c *apiclient.Client, q apiclient.Query) iter.Seq2[*record.Event, error] {
	return typed[*record.Event](probing(ctx, c, "events", q))
}

func readTickets(ctx context.Context, c *apiclient.Client, q apiclient.Query) iter.Seq2[*record.Ticket, error] {
	return typed[*record.Ticket](probing(ctx, c, "tickets", q))
}

func readPayments(ctx context.Context, c *apiclient.Client, q apiclient.Query) iter.Seq2[*record.Payment, error] {
	return typed[*record.Payment](probing(ctx, c, "payments", q))
}

func readContacts(ctx context.Context, c *apiclient.Client, q apiclient.Query) iter.Seq2[*record.Contact, error] {
	return typed[*record.Contact](probing(ctx, c, "contacts", q))
}

func readPlanning(ctx context.Context, c *apiclient.Client, q apiclient.Query) iter.Seq2[*record.Planning, error] {
	return typed[*record.Planning](probing(ctx, c, "planning", q))
}

// using returns q with an OnPage that gives the Client what each page has found out.
func using(c *apiclient.Client, stream string, q apiclient.Query) apiclient.Query {
	next := q.OnPage
	q.OnPage = func(p apiclient.Page) {
		c.Use(stream, p.Found)
		if next != nil {
			next(p)
		}
	}
	return q
}

// ignoring gives c the answer of a whole read of a stream, and that the service ignores the filter
// for changes.
func ignoring(t *testing.T, c *apiclient.Client, stream string) {
	t.Helper()
	var found apiclient.Answer
	if g := gather(probing(t.Context(), c, stream, apiclient.Query{OnPage: func(p apiclient.Page) { found = p.Found }})); g.err != nil {
		t.Fatal(g.err)
	}
	found.IgnoresSince = true
	c.Use(stream, found)
}

// result is what a read yielded.
type result[P record.Record] struct {
	records []P
	refused []*record.Refusal
	err     error
}

func gather[P record.Record](records iter.Seq2[P, error]) (g result[P]) {
	for r, err := range records {
		if g.err != nil {
			g.err = fmt.Errorf("yielded after the last: %w", g.err)
			return g
		}
		refused, isRecord := errors.AsType[*record.Refusal](err)
		switch {
		case isRecord:
			g.refused = append(g.refused, refused)
		case err != nil:
			g.err = err
		default:
			g.records = append(g.records, r)
		}
	}
	return g
}

func (g result[P]) ids() []string {
	ids := make([]string, 0, len(g.records))
	for _, r := range g.records {
		ids = append(ids, r.RecordID())
	}
	return ids
}

// failure returns the *Error of kind that the read has to have ended with.
func (g result[P]) failure(t *testing.T, kind apiclient.ErrorKind) *apiclient.Error {
	t.Helper()
	e, ok := errors.AsType[*apiclient.Error](g.err)
	if !ok || e.Kind != kind {
		t.Fatalf("ended with %v, want an Error of kind %s", g.err, kind)
	}
	return e
}

func ticket(i int, updated time.Time) *record.Ticket {
	return &record.Ticket{ID: fmt.Sprintf("tkt_%03d", i), EventID: "evt_1", Status: record.TicketValid, UpdatedAt: updated}
}

func tickets(n int) (all []*record.Ticket) {
	at := time.Date(2026, 11, 21, 19, 0, 0, 0, time.UTC)
	for i := range n {
		all = append(all, ticket(i, at.Add(-time.Duration(i)*time.Minute)))
	}
	return all
}

// writePage responds with the page that r asks for, at most most rows.
func writePage[R any](w http.ResponseWriter, r *http.Request, all []R, most int, total any) {
	n, _ := strconv.Atoi(r.FormValue("page"))
	size, _ := strconv.Atoi(r.FormValue("per_page"))
	size = min(size, most)
	from := min((n-1)*size, len(all))
	writeJSON(w, map[string]any{"data": all[from:min(from+size, len(all))], "meta": map[string]any{"total": total}})
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v)
}
