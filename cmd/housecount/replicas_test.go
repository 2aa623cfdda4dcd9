package main

import (
	"context"
	"encoding/json"
	"errors"
	"html"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/store"
	"housecount/aggregator/store/pgtest"
	"housecount/apiclient/sandbox"
	"housecount/apiclient/sandbox/idp"
	"housecount/assets"
	"housecount/cmd/housecount/options"
	"housecount/web"
	"housecount/web/live"
)

// front is the proxy that browsers ask: it passes everything on to one replica, whichever.
type front struct {
	*httptest.Server
	to atomic.Pointer[url.URL]
}

func newFront(t *testing.T) *front {
	f := new(front)
	f.Server = httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(f.to.Load())
		r.Out.Host = r.In.Host
	}})
	t.Cleanup(f.Close)
	return f
}

// replica is a `housecount serve` of its own process.
type replica struct {
	*exec.Cmd
	out *output
	url *url.URL
}

// start starts a replica on the database behind the front, with args more.
func (f *front) start(t *testing.T, s *countedService, database string, args ...string) *replica {
	t.Helper()
	r := &replica{out: newOutput()}
	r.Cmd = child(t, r.out, append(append(s.arguments(database), "--public-url", f.URL, "--oidc-client-id", sandboxClient), args...)...)
	r.out.await(t, "msg=listening")
	r.url = &url.URL{Scheme: "http", Host: regexp.MustCompile(`msg=listening address=(\S+)`).FindStringSubmatch(r.out.String())[1]}
	return r
}

// serve serves s behind the front in this process, with args more, until its first sync has ended.
func (f *front) serve(t *testing.T, s *countedService, database string, args ...string) *served {
	t.Helper()
	p := f.run(t, f.configuration(t, s, database, args...))
	(&testHouse{t: t, demo: &demo{program: p.program}}).awaitFirstSync()
	return p
}

// configuration returns the configuration of a program on the database that reads s by its clock, with args more.
func (f *front) configuration(t *testing.T, s *countedService, database string, args ...string) configuration {
	t.Helper()
	args = append(append(s.arguments(database)[1:], "--public-url", f.URL, "--oidc-client-id", sandboxClient), args...)
	c, err := serveCommandFor(t, nil, args...).validate()
	if err != nil {
		t.Fatal(err)
	}
	c.now = s.Now
	return c
}

// run runs a program behind the front in this process.
func (f *front) run(t *testing.T, c configuration) *served {
	t.Helper()
	p, err := newProgram(t.Context(), c, slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		t.Fatal(err)
	}
	ln := listen(t, "127.0.0.1:0")
	f.to.Store(&url.URL{Scheme: "http", Host: ln.Addr().String()})
	ctx, cancel := context.WithCancel(context.Background())
	measured := listen(t, "127.0.0.1:0")
	ended := make(chan error, 1)
	go func() { ended <- p.run(ctx, listeners{pages: ln, metrics: measured}) }()
	stop := sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return &served{p, "http://" + measured.Addr().String() + "/metrics", stop}
}

// served is a program that runs in this process until stop.
type served struct {
	*program
	metricsURL string
	stop       func()
}

func (r *replica) polls() bool { return strings.Contains(r.out.String(), "this process polls") }

// loginAt lets staff of the front log in at the sandbox.
func loginAt(f *front) func(*sandbox.Options) {
	return func(o *sandbox.Options) {
		o.Clients = []idp.Client{{ID: sandboxClient, RedirectURIs: []string{f.URL + "/login/callback"}}}
	}
}

// follow follows a database in this process, by a venue's clock, without polling. stop ends
// that before the test ends.
func (s *countedService) follow(t *testing.T, database string, now func() time.Time) *follower {
	t.Helper()
	c, err := serveCommandFor(t, nil, s.arguments(database)[1:]...).validate()
	if err != nil {
		t.Fatal(err)
	}
	client, err := options.NewClient(c.service)
	if err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	f := &follower{t: t, published: make(chan struct{}, 1)}
	if f.log, err = openRecords(t.Context(), db, c); err != nil {
		t.Fatal(err)
	}
	f.Figures, err = aggregator.New(aggregator.Options{Log: f.log, Streams: streamsOf(client),
		Calendar: figures.Calendar{Zone: c.zone, Cutoff: c.cutoff, Grace: c.Grace},
		Published: func(figures.Changes) {
			select {
			case f.published <- struct{}{}:
			default:
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	go func() { ended <- db.Run(ctx) }()
	go func() { ended <- f.Run(ctx) }()
	f.stop = sync.OnceFunc(func() {
		cancel()
		if err := errors.Join(<-ended, <-ended, db.Close()); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(f.stop)
	return f
}

// follower is figures of a log that others write.
type follower struct {
	*aggregator.Figures
	t         *testing.T
	log       *store.Records
	published chan struct{}
	stop      func()
}

// until waits for figures as they are wanted.
func (f *follower) until(what string, wanted func(*figures.Snapshot) bool) *figures.Snapshot {
	f.t.Helper()
	limit := time.After(patience)
	for {
		if s := f.Snapshot(); f.Ready() && wanted(s) {
			return s
		}
		select {
		case <-f.published:
		case <-limit:
			f.t.Fatalf("waited %s for %s", patience, what)
		}
	}
}

// complete reports whether the first sync of every stream has ended.
func complete(s *figures.Snapshot) bool {
	for _, stream := range s.Health.Streams {
		if !stream.Complete {
			return false
		}
	}
	return true
}

// truth waits for the figures to be those of the sandbox's books.
func (f *follower) truth(s *countedService) *figures.Snapshot {
	f.t.Helper()
	var last disagreements
	defer func() {
		if f.t.Failed() {
			f.t.Log(strings.Join(last, "\n"))
		}
	}()
	return f.until("the truth", func(shown *figures.Snapshot) bool {
		last = differences(shown, s.Sandbox)
		return len(last) == 0
	})
}

// visitor is a browser without a screen.
type visitor struct {
	*http.Client
	t     *testing.T
	front *front
}

func (f *front) visitor(t *testing.T) *visitor {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{&http.Client{Jar: jar, Timeout: patience}, t, f}
}

// send returns the address at which a request ended, and what was there.
func (v *visitor) send(method, address string, form url.Values) (status int, at, body string) {
	v.t.Helper()
	q, err := http.NewRequestWithContext(v.t.Context(), method, address, strings.NewReader(form.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	a, err := v.Do(q)
	if err != nil {
		v.t.Fatal(err)
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return a.StatusCode, a.Request.URL.String(), string(b)
}

// login signs a manager in.
func (v *visitor) login() {
	v.t.Helper()
	_, form, _ := v.send(http.MethodGet, v.front.URL+"/tonight", nil)
	status, at, body := v.send(http.MethodPost, form, url.Values{"username": {"manager"}, "password": {"manager-demo"}})
	if status != http.StatusOK || at != v.front.URL+"/tonight" {
		v.t.Fatalf("login ends with %d at %s: %s", status, at, body)
	}
}

// socket is one that is open.
type socket struct {
	*websocket.Conn
	t     *testing.T
	query string
	// shows is what a page would show that took up every frame.
	shows live.Content
	topic string
}

// watch opens the socket of a view.
func (v *visitor) watch(query string) *socket {
	v.t.Helper()
	bundle, err := assets.Load()
	if err != nil {
		v.t.Fatal(err)
	}
	d := websocket.Dialer{Jar: v.Jar, HandshakeTimeout: patience}
	conn, _, err := d.DialContext(v.t.Context(), "ws"+strings.TrimPrefix(v.front.URL, "http")+"/live?"+query+"&version="+bundle.Version(),
		http.Header{"Origin": {v.front.URL}})
	if err != nil {
		v.t.Fatal(err)
	}
	v.t.Cleanup(func() { conn.Close() })
	s := &socket{Conn: conn, t: v.t, query: query}
	if err := s.next(); err != nil {
		v.t.Fatal(err)
	}
	return s
}

// next takes up the next frame.
func (s *socket) next() error {
	if err := s.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	var f live.Frame
	for f.Topic == "" { // a beat has none
		_, message, err := s.ReadMessage()
		if err != nil {
			return err
		}
		if err := json.Unmarshal(message, &f); err != nil {
			return err
		}
	}
	s.topic = f.Topic
	var err error
	s.shows, err = f.Apply(s.shows)
	return err
}

// agree takes up frames until the page shows what the figures are, but for the strip and
// the clock, which say when they were read.
func (s *socket) agree(f *follower) {
	s.t.Helper()
	q, err := web.ParseTopic(s.topic)
	if err != nil {
		s.t.Fatal(err)
	}
	bundle, err := assets.Load()
	if err != nil {
		s.t.Fatal(err)
	}
	renderer, err := web.New(web.Options{Bundle: bundle, Sources: web.Sources{PastFrom: func() time.Time { return f.PastFrom(0, time.Now()) }}})
	if err != nil {
		s.t.Fatal(err)
	}
	timeless := func(c live.Content) string {
		c.HTML, c.Same = maps.Clone(c.HTML), nil
		delete(c.HTML, "strip")
		delete(c.HTML, "clock")
		return c.Token()
	}
	for limit := time.Now().Add(patience); ; {
		want, err := renderer.Content(q, f.Snapshot(), time.Now(), live.Content{})
		if err != nil {
			s.t.Fatal(err)
		}
		if timeless(s.shows) == timeless(want) {
			return
		}
		if time.Now().After(limit) {
			s.t.Fatalf("%s shows other figures for %s:\n%v\nwant\n%v", s.topic, patience, s.shows.HTML, want.HTML)
		}
		if err := s.next(); err != nil {
			s.t.Fatal(err)
		}
	}
}

// Two processes serve one PostgreSQL database. Who is logged in at one is at the other, a
// logout at one closes the sockets of the other, and when the one that polls is killed the
// other takes over: positions go on, and its pages are the truth.
func TestReplicas(t *testing.T) {
	database, f := pgtest.New(t), newFront(t)
	s := newService(t, loginAt(f))
	one := f.start(t, s, database)
	one.out.await(t, "this process polls")
	other := f.start(t, s, database)
	figuresOf := s.follow(t, database, time.Now)
	figuresOf.until("the first sync", complete)
	before := figuresOf.truth(s).Position
	if other.polls() {
		t.Errorf("both poll:\n%s", other.out)
	}

	f.to.Store(one.url)
	v := f.visitor(t)
	v.login()
	f.to.Store(other.url)
	if status, at, body := v.send(http.MethodGet, f.URL+"/revenue", nil); status != http.StatusOK || at != f.URL+"/revenue" {
		t.Fatalf("who is logged in at one is sent to %s by the other: %d %s", at, status, body)
	}
	goes := v.watch("view=tonight")
	f.to.Store(one.url)
	began := time.Now()
	status, at, body := v.send(http.MethodPost, f.URL+"/logout", nil)
	onward := regexp.MustCompile(`class="button" href="([^"]+)"`).FindStringSubmatch(body)
	if status != http.StatusOK || onward == nil {
		t.Fatalf("logout ends with %d at %s: %s", status, at, body)
	}
	var err error
	for err == nil {
		err = goes.next()
	}
	took := time.Since(began)
	if !websocket.IsCloseError(err, int(live.CloseSignedOut)) || took > 5*time.Second {
		t.Errorf("after the logout the socket at the other ended after %s with %v", took, err)
	}
	t.Logf("the socket at the other closed %s after the logout", took.Round(time.Millisecond))

	f.to.Store(other.url)
	if status, at, body := v.send(http.MethodGet, html.UnescapeString(onward[1]), nil); status != http.StatusOK || at != f.URL+"/signed-out" {
		t.Fatalf("the provider's logout ends with %d at %s: %s", status, at, body)
	}
	v.login()
	truth := s.Truth()
	sockets := []*socket{v.watch("view=tonight"), v.watch("view=wall"), v.watch("view=revenue&period=week")}
	for id := range truth.Events {
		if len(sockets) < 30 { // a session has 32 at most
			sockets = append(sockets, v.watch("view=event&event="+id))
		}
	}
	began = time.Now()
	if err := one.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = one.Wait() // it was killed
	house := &testHouse{t: t, demo: &demo{sandboxURL: s.url}}
	for id := range truth.Events {
		house.sell(id, 2)
	}
	other.out.await(t, "this process polls")
	took = time.Since(began)
	if took > 10*time.Second {
		t.Errorf("the other polled %s after the kill, want 10s at most", took)
	}
	t.Logf("the other polled %s after the kill", took.Round(time.Millisecond))
	after := figuresOf.truth(s).Position
	if after.Epoch != before.Epoch || after.Revision <= before.Revision || after.Streams <= before.Streams {
		t.Errorf("positions do not go on: %+v after %+v", after, before)
	}
	for _, socket := range sockets {
		socket.agree(figuresOf)
	}
}
