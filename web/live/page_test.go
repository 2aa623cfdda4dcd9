package live_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"housecount/web/live"
)

const origin = "https://house.example"

// house is a Hub behind a real HTTP server, whose connections are pipes: all in one
// process, so that a synctest bubble's clock rules them.
type house struct {
	t      testing.TB
	hub    *live.Hub
	server *http.Server
	conns  chan net.Conn
	served sync.WaitGroup
	stop   func() // ends Run and waits for it

	mu      sync.Mutex
	content map[string]live.Content
	fail    error
	renders []time.Time
	nobody  int // holders without a name
}

// open starts a house with one topic, "hall", that shows <p>0</p>. It ends with the test.
func open(t testing.TB, o live.Options) *house {
	t.Helper()
	h := unstarted(t, o)
	h.start()
	return h
}

// unstarted returns a house whose Run was not called yet.
func unstarted(t testing.TB, o live.Options) *house {
	t.Helper()
	h := &house{t: t, conns: make(chan net.Conn), content: map[string]live.Content{"hall": paragraph("0")}}
	o.Origin = origin
	if o.Open == nil {
		o.Open = h.topic
	}
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	hub, err := live.New(o)
	if err != nil {
		t.Fatal(err)
	}
	h.hub = hub
	h.server = &http.Server{Handler: http.HandlerFunc(h.serve)}
	h.served.Go(func() { h.server.Serve(live.Listen(h)) })
	t.Cleanup(func() {
		h.server.Close()
		h.served.Wait()
	})
	return h
}

// serve serves the handler to real sockets, until the test ends.
func serve(t testing.TB, handler http.Handler) *httptest.Server {
	s := httptest.NewUnstartedServer(handler)
	s.Listener = live.Listen(s.Listener)
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func (h *house) start() { h.stop = run(h.t, h.hub) }

// run runs the hub until stop is called, or the test ends.
func run(t testing.TB, hub *live.Hub) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- hub.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// serve makes the watcher from the query; "refuse" in it refuses. Who names no holder is one of
// their own. A page may switch to any address, which is the topic, but to "secret".
func (h *house) serve(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Has("refuse") {
		var code live.CloseCode
		fmt.Sscan(q.Get("refuse"), &code)
		h.hub.Refuse(w, r, code)
		return
	}
	h.mu.Lock()
	h.nobody++
	holder := cmp.Or(q.Get("holder"), fmt.Sprint("nobody ", h.nobody))
	h.mu.Unlock()
	topics := map[string]string{}
	for _, topic := range strings.Split(cmp.Or(q.Get("topic"), "hall"), ",") {
		topics[topic] = q.Get("token")
	}
	h.hub.Serve(w, r, live.Watcher{Holder: live.Holder{Credential: holder, Stranger: q.Has("stranger"), Device: q.Get("device"), Person: q.Get("person")}, Address: q.Get("from"), Agent: q.Get("with"), Topics: topics, Version: q.Get("version"), State: json.RawMessage(q.Get("state")),
		Authorize: func(_ context.Context, address string) ([]string, live.CloseCode) {
			if address == "secret" {
				return nil, live.CloseForbidden
			}
			return []string{address}, 0
		}})
}

// topic is woken by its name.
func (h *house) topic(name string) (live.Topic, error) {
	return topicOf(name, func(live.Content) (live.Content, error) { return h.render(name) }), nil
}

// topicOf returns a topic that is woken by its name.
func topicOf(name string, render func(live.Content) (live.Content, error)) live.Topic {
	return live.Topic{Wakes: []string{name}, Render: render, Failed: "cannot be shown"}
}

// every opens each topic with the same rendering.
func every(render func(live.Content) (live.Content, error)) func(string) (live.Topic, error) {
	return func(name string) (live.Topic, error) { return topicOf(name, render), nil }
}

func (h *house) render(topic string) (live.Content, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.renders = append(h.renders, time.Now())
	return h.content[topic], h.fail
}

// show changes what the hall shows, without waking the hub.
func (h *house) show(c live.Content) { h.showAs("hall", c) }

func (h *house) showAs(topic string, c live.Content) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.content[topic] = c
}

func (h *house) renderCount() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.renders)
}

// Accept, Close and Addr make house the server's listener.
func (h *house) Accept() (net.Conn, error) {
	c, ok := <-h.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (h *house) Close() error   { close(h.conns); return nil }
func (h *house) Addr() net.Addr { return &net.TCPAddr{} }

// dialer connects through a pipe. wrap, when not nil, is given the page's end.
func (h *house) dialer(wrap func(net.Conn) net.Conn) *websocket.Dialer {
	return &websocket.Dialer{
		NetDialContext: func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			h.conns <- far
			if wrap != nil {
				near = wrap(near)
			}
			return near, nil
		},
	}
}

// dial opens a socket as a page of the house does.
func (h *house) dial(query string) *websocket.Conn {
	h.t.Helper()
	conn, _, err := h.dialer(nil).DialContext(h.t.Context(), "ws://house/live?"+query, http.Header{"Origin": {origin}})
	if err != nil {
		h.t.Fatalf("dial %q: %v", query, err)
	}
	h.t.Cleanup(func() { conn.Close() })
	return conn
}

// watch opens a socket and reads it until it closes.
func (h *house) watch(query string) *page {
	h.t.Helper()
	return read(h.t, h.dial(query))
}

func paragraph(text string) live.Content {
	return live.Content{HTML: map[string]string{"p": `<p id=p>` + text + `</p>`}}
}

// frame is the wire format as the page's script knows it.
type frame struct {
	Beat   int64                      `json:"beat"`
	Times  json.RawMessage            `json:"times"`
	Topic  string                     `json:"topic"`
	Woken  int64                      `json:"woken"`
	From   string                     `json:"from"`
	Token  string                     `json:"token"`
	Whole  bool                       `json:"whole"`
	HTML   map[string]string          `json:"html"`
	Parts  map[string]string          `json:"parts"`
	Charts map[string]json.RawMessage `json:"charts"`
	Edits  map[string][]live.Edit     `json:"edits"`
	Gone   []string                   `json:"gone"`
	Body   string                     `json:"body"`
	Say    *string                    `json:"say"`
	State  json.RawMessage            `json:"state"`
}

// page reads a socket as fast as it can.
type page struct {
	conn   *websocket.Conn
	closed chan struct{} // when reading ended

	mu     sync.Mutex
	frames []frame // but beats and words
	told   []frame // words and states
	times  []time.Time
	beats  []heard
	pings  []time.Time
	code   int // the close code, 0 while open, 1006 when there was none
}

// heard is a beat: when it came, and the time and the times that it says.
type heard struct {
	at, says time.Time
	times    string
}

func read(t testing.TB, conn *websocket.Conn) *page {
	p := &page{conn: conn, closed: make(chan struct{})}
	pong := conn.PingHandler()
	conn.SetPingHandler(func(data string) error {
		p.mu.Lock()
		p.pings = append(p.pings, time.Now())
		p.mu.Unlock()
		return pong(data)
	})
	go p.read(t)
	t.Cleanup(func() { conn.Close(); <-p.closed })
	return p
}

func (p *page) read(t testing.TB) {
	defer close(p.closed)
	for {
		var f frame
		err := p.conn.ReadJSON(&f)
		p.mu.Lock()
		if err != nil {
			p.code = websocket.CloseAbnormalClosure
			if e, ok := errors.AsType[*websocket.CloseError](err); ok {
				p.code = e.Code
			}
			p.mu.Unlock()
			return
		}
		if f.Beat != 0 {
			p.beats = append(p.beats, heard{time.Now(), time.UnixMilli(f.Beat), string(f.Times)})
		} else if f.Say != nil || f.State != nil {
			p.told = append(p.told, f)
		} else {
			p.frames = append(p.frames, f)
			p.times = append(p.times, time.Now())
		}
		p.mu.Unlock()
	}
}

// take waits until the bubble is at rest and returns the frames since the last take.
func (p *page) take() []frame {
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.frames
	p.frames, p.times = nil, nil
	return out
}

// heard waits until the bubble is at rest and returns the words and states since the last time.
func (p *page) heard() []frame {
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.told
	p.told = nil
	return out
}

func (p *page) closeCode() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.code
}

func (p *page) say(t testing.TB, text string) {
	t.Helper()
	if err := p.conn.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		t.Fatal(err)
	}
}
