package main

import (
	"bytes"
	"context"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/profile"
	"housecount/apiclient/sandbox"
)

// TestMain lets the test binary be the program itself, for tests that kill it, and the process that runs the programs of
// profiles.
func TestMain(m *testing.M) {
	if clock := os.Getenv("TEST_CLOCK"); clock != "" && os.Getenv("TEST_BE_HOUSECOUNT") != "" {
		serveByClock(clock)
	}
	if path := os.Getenv(growsVariable); path != "" && os.Getenv("TEST_BE_HOUSECOUNT") != "" {
		limitFiles(path)
	}
	if os.Getenv("TEST_BE_HOUSECOUNT") != "" || len(os.Args) == 2 && os.Args[1] == profile.WorkerArgument {
		main()
	}
	code := m.Run()
	if err := theBrowser.close(); err != nil {
		log.Print(err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// child starts this binary as the program. It is killed when the test ends.
func child(t testing.TB, output io.Writer, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, args...)
	c.Env = append(os.Environ(), "TEST_BE_HOUSECOUNT=1")
	c.Stdout, c.Stderr = output, output
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // an error here only says that it has ended already
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	return c
}

// output collects what a child prints and lets a test wait for a part of it.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{}
}

func newOutput() *output { return &output{more: make(chan struct{}, 1)} }

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	select {
	case o.more <- struct{}{}:
	default:
	}
	return o.text.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func (o *output) await(t testing.TB, text string) {
	t.Helper()
	limit := time.After(patience)
	for !strings.Contains(o.String(), text) {
		select {
		case <-o.more:
		case <-limit:
			t.Fatalf("waited %s for %q in:\n%s", patience, text, o)
		}
	}
}

func TestDemoPrintsWhereAndHow(t *testing.T) {
	taken := listen(t, "127.0.0.1:0")
	defer taken.Close()
	out := newOutput()
	c := child(t, out, "demo", "--listen", taken.Addr().String())
	out.await(t, "login  admin")
	text := out.String()
	for _, want := range []string{"is taken", "housecount  http://127.0.0.1:", "sandbox  http://127.0.0.1:", "login  door  ", "login  box_office  ", "login  manager  "} {
		if !strings.Contains(text, want) {
			t.Errorf("the demo does not print %q:\n%s", want, text)
		}
	}
	_, rest, _ := strings.Cut(text, "housecount  ")
	address, _, _ := strings.Cut(rest, "\n")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
	a, err := client.Get(address + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	if a.StatusCode != http.StatusOK {
		t.Errorf("%s/healthz: %s", address, a.Status)
	}
	// A client that never sends the body that it promised must not keep the rest from an
	// orderly end.
	stuck, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer stuck.Close()
	if _, err := io.WriteString(stuck, "POST /logout HTTP/1.1\r\nHost: "+strings.TrimPrefix(address, "http://")+"\r\nContent-Length: 100\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v\n%s", err, out)
	}
	t.Logf("stopped %s after SIGTERM", time.Since(began).Round(time.Millisecond))
}

// service is a sandbox behind an address, whose requests are counted.
type countedService struct {
	*sandbox.Sandbox
	url      string
	requests atomic.Int64
	// target is the request at which reached is closed.
	target  int64
	reached chan struct{}
	between atomic.Pointer[http.HandlerFunc]
}

// stand puts h between who asks and the sandbox.
func (s *countedService) stand(h http.HandlerFunc) { s.between.Store(&h) }

// countTo begins to count requests anew; reached is closed at the nth.
func (s *countedService) countTo(n int64) {
	s.target, s.reached = n, make(chan struct{})
	s.requests.Store(0)
}

const testKey = "test-key"

func newService(t *testing.T, change ...func(*sandbox.Options)) *countedService {
	t.Helper()
	start, err := demoCommand{}.start(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	s := new(countedService)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer "+testKey && s.requests.Add(1) == s.target {
			close(s.reached)
		}
		if between := s.between.Load(); between != nil {
			(*between)(w, r)
			return
		}
		s.ServeHTTP(w, r)
	}))
	s.url = "http://" + server.Listener.Addr().String()
	o := sandbox.Options{Seed: 3, Speed: -1, Start: start, Past: 12, Coming: 8,
		PublicURL: s.url, APIKey: testKey, Log: slog.New(slog.DiscardHandler)}
	for _, f := range change {
		f(&o)
	}
	s.Sandbox, err = sandbox.New(o)
	if err != nil {
		t.Fatal(err)
	}
	server.Start()
	t.Cleanup(server.Close)
	return s
}

func (s *countedService) arguments(database string) []string {
	return []string{"serve", "--listen", "127.0.0.1:0", "--public-url", "http://127.0.0.1:1", "--api-url", s.url, "--api-key", testKey,
		"--database", database, "--oidc-issuer", s.url, "--oidc-client-id", "x", "--requests-per-minute", "100000", "--page-size", "40",
		"--poll-busy", "1s", "--poll-on-sale", "1s", "--poll-idle", "1s"}
}

// figures runs a housecount on the database until its first sync has ended, and all changes since a poll of long ago are read.
func (s *countedService) figures(t *testing.T, database string) *figures.Snapshot {
	t.Helper()
	c := serveCommandFor(t, nil, s.arguments(database)[1:]...)
	ready, err := c.validate()
	if err != nil {
		t.Fatal(err)
	}
	ready.now = s.Now
	p, err := newProgram(t.Context(), ready, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	ln := listen(t, "127.0.0.1:0")
	go func() { ended <- p.run(ctx, listeners{pages: ln}) }()
	h := &testHouse{t: t, demo: &demo{program: p}}
	all := h.until("all that there is", func(s *figures.Snapshot) bool {
		return !slices.ContainsFunc(s.Health.Streams, func(x figures.StreamHealth) bool { return !x.Complete || x.Behind })
	})
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	return all
}

// TestKilledInTheMiddleOfASync kills the program while it reads everything for the first
// time, several times over, and holds the figures against those of a database that was
// never killed and against the sandbox's own books.
func TestKilledInTheMiddleOfASync(t *testing.T) {
	s := newService(t)
	dir := t.TempDir()
	want := s.figures(t, filepath.Join(dir, "whole.db"))
	whole := s.requests.Load()

	killed := filepath.Join(dir, "killed.db")
	part := whole / 4 // what was read is not read again
	for range 3 {
		s.countTo(part)
		out := newOutput()
		c := child(t, out, s.arguments(killed)...)
		select {
		case <-s.reached:
		case <-time.After(patience):
			t.Fatalf("%d requests after %s, want %d:\n%s", s.requests.Load(), patience, part, out)
		}
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait() // it was killed
	}
	got := s.figures(t, killed)
	if len(got.Events) != len(want.Events) {
		t.Fatalf("%d events, want %d", len(got.Events), len(want.Events))
	}
	for i := range want.Events {
		if !reflect.DeepEqual(got.Events[i], want.Events[i]) {
			t.Errorf("event %s differs after the kills:\n got %+v\nwant %+v", want.Events[i].Event.ID, got.Events[i], want.Events[i])
		}
	}
	if !reflect.DeepEqual(got.Total, want.Total) || !reflect.DeepEqual(got.Days, want.Days) {
		t.Errorf("totals differ after the kills: got %+v, want %+v", got.Total, want.Total)
	}
	compareWithTruth(t, got, s.Sandbox)
}

// What was read from one service is not added to what is read from another.
func TestDatabaseOfAnotherSourceIsRefused(t *testing.T) {
	s := newService(t)
	database := filepath.Join(t.TempDir(), "one.db")
	pretix := []string{"--profile", "pretix", "--var", "organizer=one"}
	for i, c := range []struct {
		flags   []string
		refused bool
	}{{pretix, false}, {pretix, false}, {[]string{"--profile", "pretix", "--var", "organizer=two"}, true}, {nil, true}} {
		ready, err := serveCommandFor(t, nil, append(s.arguments(database)[1:], c.flags...)...).validate()
		if err != nil {
			t.Fatal(err)
		}
		p, err := newProgram(t.Context(), ready, slog.New(slog.DiscardHandler))
		if refused := err != nil; refused != c.refused || refused && !strings.Contains(err.Error(), "another --profile or --var") {
			t.Errorf("%d: got %v, want refused: %v", i, err, c.refused)
		}
		if err == nil {
			if err := p.store.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// Two processes on one database serve; one of them polls, and the other when that is gone.
func TestSecondProcessOnOneDatabase(t *testing.T) {
	s := newService(t)
	database := filepath.Join(t.TempDir(), "one.db")
	first := newOutput()
	c := child(t, first, s.arguments(database)...)
	first.await(t, "this process polls")
	second := newOutput()
	child(t, second, s.arguments(database)...)
	second.await(t, "listening")
	if strings.Contains(second.String(), "this process polls") {
		t.Errorf("both poll:\n%s", second)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // it was killed
	second.await(t, "this process polls")
}
