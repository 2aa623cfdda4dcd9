package main

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/sandbox"
)

// testHouse is a running demonstration with a small season whose clock stands still
// until it is advanced.
type testHouse struct {
	*demo
	t       *testing.T
	service *part
	program *part
	cable   *cable       // between the program and its pages
	front   http.Handler // leads to the sandbox
	failed  chan error   // of the program
}

// newTestHouse starts a house of the test's own, and lets the test run beside others.
func newTestHouse(t *testing.T) *testHouse {
	t.Helper()
	t.Parallel()
	return startTestHouse(t, sandbox.Options{Seed: 7, Speed: -1, Start: testEvening(t), Past: 8, Coming: 8})
}

// testEvening returns when the evening of a test's house begins, whatever day it is.
func testEvening(t *testing.T) time.Time {
	t.Helper()
	start, err := demoCommand{}.start(time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	return start
}

func startTestHouse(t *testing.T, o sandbox.Options) *testHouse {
	t.Helper()
	return startTestHouseBehind(t, o, nil)
}

// startTestHouseBehind starts a house whose sandbox is reached through front, unless that is nil.
func startTestHouseBehind(t *testing.T, o sandbox.Options, front func(http.Handler) http.Handler) *testHouse {
	t.Helper()
	o.Log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	ln := listen(t, "127.0.0.1:0")
	d, err := newDemo(t.Context(), t.TempDir(), ln, demoCommand{languageFlag: languageFlag{"en"}}, o)
	if err != nil {
		t.Fatal(err)
	}
	h := &testHouse{demo: d, t: t, cable: &cable{Listener: ln}, front: d.service}
	if front != nil {
		h.front = front(d.service)
	}
	h.serveSandbox(d.serviceLn)
	h.failed = make(chan error, 1)
	h.serve()
	t.Cleanup(func() {
		for _, p := range []*part{h.program, h.service} {
			if err := p.stop(shutdownLimit); err != nil {
				t.Error(err)
			}
		}
		select {
		case err := <-h.failed:
			t.Error(err)
		default:
		}
	})
	h.awaitFirstSync()
	return h
}

func (h *testHouse) serve() {
	p, cable := h.demo.program, h.cable
	h.program = start(func(ctx context.Context) error { return p.run(ctx, listeners{pages: cable}) }, "housecount", h.failed)
}

// restart ends the program and starts another at its address, with its database.
func (h *testHouse) restart() {
	h.t.Helper()
	h.restartAfter(func() {})
}

// restartAfter does something to the database while no program runs.
func (h *testHouse) restartAfter(meanwhile func()) {
	h.t.Helper()
	if err := h.program.stop(shutdownLimit); err != nil {
		h.t.Fatal(err)
	}
	meanwhile()
	var err error
	if h.demo.program, err = newProgram(h.t.Context(), h.demo.settings, h.demo.log); err != nil {
		h.t.Fatal(err)
	}
	h.cable = &cable{Listener: listen(h.t, strings.TrimPrefix(h.url, "http://"))}
	h.serve()
	h.awaitFirstSync()
}

// cable is a listener whose connections can be made to fail in the ways that lines do.
type cable struct {
	net.Listener

	mu    sync.Mutex
	state cableState
	conns []*end
}

type cableState int

const (
	plugged cableState = iota
	pulled             // nothing arrives any more, and neither end is told
	refused            // connections are cut, and new ones at once
)

// end is the program's end of a connection.
type end struct {
	net.Conn
	cable *cable
}

func (c *cable) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == refused {
		conn.Close()
	}
	e := &end{conn, c}
	c.conns = append(c.conns, e)
	return e, nil
}

// put puts the cable in a state. What was lost meanwhile stays lost: connections that were
// pulled are cut when it is plugged in again.
func (c *cable) put(state cableState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state = state
	if state != pulled {
		for _, e := range c.conns {
			e.Conn.Close()
		}
		c.conns = nil
	}
}

func (e *end) Write(b []byte) (int, error) {
	e.cable.mu.Lock()
	state := e.cable.state
	e.cable.mu.Unlock()
	if state == pulled {
		return len(b), nil
	}
	return e.Conn.Write(b)
}

func listen(t testing.TB, address string) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	return ln
}

func (h *testHouse) serveSandbox(ln net.Listener) {
	h.service = start(func(ctx context.Context) error { return serveSandbox(ctx, h.demo.service, h.front, ln, h.log) }, "sandbox", make(chan error, 1))
}

// stopSandbox takes the service off the network; startSandbox brings it back at the same
// address.
func (h *testHouse) stopSandbox() {
	h.t.Helper()
	if err := h.service.stop(shutdownLimit); err != nil {
		h.t.Fatal(err)
	}
}

func (h *testHouse) startSandbox() {
	h.serveSandbox(listen(h.t, strings.TrimPrefix(h.sandboxURL, "http://")))
}

// awaitFirstSync waits until the first sync of every stream has ended.
func (h *testHouse) awaitFirstSync() {
	h.t.Helper()
	h.until("the first sync", func(s *figures.Snapshot) bool {
		return !slices.ContainsFunc(s.Health.Streams, func(x figures.StreamHealth) bool { return !x.Complete })
	})
}

// until waits for the figures to satisfy ok and returns them.
func (h *testHouse) until(what string, ok func(*figures.Snapshot) bool) *figures.Snapshot {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	defer cancel()
	for {
		if s := h.demo.program.figures.Snapshot(); ok(s) {
			return s
		}
		select {
		case <-ctx.Done():
			h.t.Fatalf("waited %s for %s", patience, what)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// control calls the sandbox's control path and decodes its answer into out.
func (h *testHouse) control(path string, in, out any) {
	h.t.Helper()
	b, err := json.Marshal(in)
	if err != nil {
		h.t.Fatal(err)
	}
	q, err := http.NewRequestWithContext(h.t.Context(), http.MethodPost, h.sandboxURL+"/sandbox/"+path, bytes.NewReader(b))
	if err != nil {
		h.t.Fatal(err)
	}
	q.Header.Set("Content-Type", "application/json")
	h.answer(q, out)
}

func (h *testHouse) answer(q *http.Request, out any) {
	h.t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
	a, err := client.Do(q)
	if err != nil {
		h.t.Fatal(err)
	}
	defer a.Body.Close()
	if a.StatusCode >= 300 {
		h.t.Fatalf("%s %s: %s", q.Method, q.URL.Path, a.Status)
	}
	if out != nil {
		if err := json.NewDecoder(a.Body).Decode(out); err != nil {
			h.t.Fatal(err)
		}
	}
}
