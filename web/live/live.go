// Package live pushes content to whoever watches it: topics, sockets, back-pressure.
// It knows nothing of figures, roles or sessions; topics are opaque strings.
//
// One goroutine, Run's, has each watched topic rendered when it is due. It compares the
// result with what the topic showed before and publishes the difference as the topic's
// newest state. Each socket has a writer that is woken and takes from that state what its
// page lacks: nothing, the last frame, or the whole topic. So there are no queues: however
// far a page has fallen behind, one whole topic brings it up to date, and a socket that
// does not drain holds up nobody else.
//
// Run also has every socket say a word every few seconds, a beat with the time, so that a page
// which hears nothing for twice as long knows that it is cut off. The beat is Run's because a
// page must not take a hub that renders nothing any more for one that has nothing new.
//
// A topic's frames reach a page in order. Each names, by its token, the content it
// starts from; a page that shows something else asks for the whole topic.
package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

// Options configures a Hub. Render and Origin are required.
type Options struct {
	// Render makes a topic's content. It is called by one goroutine at a time, and at most
	// once a tick for each topic, however many watch it. last is the content that it made
	// before, the zero Content at first, from which it may take what has not changed. When
	// it fails or panics, the watchers stay with the last content.
	Render func(topic string, last Content) (Content, error)
	// Origin is the only origin whose pages may open a socket, like https://example.org.
	Origin string
	// Version names the bundle; a page of another version has to reload.
	Version string
	// Tick is the least time between two frames of a topic; 250 ms when zero.
	Tick time.Duration
	// Refresh is how often topics are rendered though nobody called Wake, because clocks
	// and countdowns run; 1 s when zero.
	Refresh time.Duration
	// Recheck is how often each watcher's Check is called; 30 s when zero.
	Recheck     time.Duration
	MaxWatchers int // 20,000 when zero
	// Now is the time that beats say; time.Now when nil.
	Now func() time.Time
	Log *slog.Logger
}

// Hub owns every socket. Its methods may be called from any goroutine.
type Hub struct {
	o        Options
	upgrader websocket.Upgrader

	wake    chan struct{}   // figures changed
	joined  chan struct{}   // there is a topic that was never rendered
	started chan struct{}   // closed by Run
	ctx     context.Context // Run's, readable once started is closed

	open sync.WaitGroup          // requests and sockets
	beat atomic.Pointer[message] // the newest; nil before the first

	mu       sync.Mutex
	running  bool
	ended    bool
	topics   map[string]*topic
	watchers map[*watcher]struct{}
}

// topic is what at least one watcher watches.
type topic struct {
	name     string
	watchers map[*watcher]struct{} // guarded by Hub.mu
	now      atomic.Pointer[state] // nil until it could be rendered

	// Run's goroutine's own.
	last          Content // what Render made last
	rendered, due time.Time
	fault         string // the last failure's text, so that it is logged once
}

// New checks o and returns a Hub; nothing is sent before Run.
func New(o Options) (*Hub, error) {
	if o.Render == nil {
		return nil, errors.New("live: Options.Render is missing")
	}
	origin, err := normalOrigin(o.Origin)
	if err != nil {
		return nil, fmt.Errorf("live: Options.Origin: %w", err)
	}
	o.Origin = origin
	o.Tick = cmp.Or(o.Tick, 250*time.Millisecond)
	o.Refresh = cmp.Or(o.Refresh, time.Second)
	o.Recheck = cmp.Or(o.Recheck, 30*time.Second)
	o.MaxWatchers = cmp.Or(o.MaxWatchers, 20_000)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	h := &Hub{
		o:        o,
		wake:     make(chan struct{}, 1),
		joined:   make(chan struct{}, 1),
		started:  make(chan struct{}),
		topics:   make(map[string]*topic),
		watchers: make(map[*watcher]struct{}),
	}
	h.upgrader = websocket.Upgrader{
		HandshakeTimeout:  handshakeTimeout,
		ReadBufferSize:    512,
		WriteBufferSize:   512,
		WriteBufferPool:   &sync.Pool{},
		EnableCompression: true,
		CheckOrigin:       h.sameOrigin,
	}
	return h, nil
}

// normalOrigin is s as a browser writes an origin: lower case, no default port.
func normalOrigin(s string) (string, error) {
	u, err := url.Parse(s)
	if err != nil {
		return "", err
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.User != nil {
		return "", fmt.Errorf("%q is not an origin like https://example.org", s)
	}
	host := strings.ToLower(u.Host)
	if u.Scheme == "http" {
		host = strings.TrimSuffix(host, ":80")
	} else {
		host = strings.TrimSuffix(host, ":443")
	}
	return u.Scheme + "://" + host, nil
}

// sameOrigin refuses a missing Origin too: every browser sends one.
func (h *Hub) sameOrigin(r *http.Request) bool {
	origin := r.Header["Origin"]
	return len(origin) == 1 && origin[0] == h.o.Origin
}

// Wake has every topic rendered at its next tick. Call it when the figures have changed. It
// never blocks.
func (h *Hub) Wake() { signal(h.wake) }

// Watcher is who opens a socket, decided by the handler.
type Watcher struct {
	Topic string
	// Session names the login, to close its sockets by; may be empty.
	Session string
	// Token is the Content.Token of what the page shows, as the page sent it; may be
	// empty or nonsense.
	Token string
	// Version is the page's bundle, as the page sent it.
	Version string
	// Check is called once the socket is open, and then about every Options.Recheck; an
	// answer other than 0 closes the socket with it. It may be called from any goroutine, never twice
	// at once. Nil means no check.
	Check func(context.Context) CloseCode
}

// Serve upgrades the request, watches until the socket closes, and returns soon
// after the upgrade (the socket lives on in the Hub). A request of another origin is
// answered 403. One that comes before Run waits for it; one that comes after Run's end
// is answered 503.
func (h *Hub) Serve(w http.ResponseWriter, r *http.Request, v Watcher) {
	h.upgrade(w, r, func(conn *websocket.Conn) {
		if v.Version != h.o.Version {
			farewell(conn, CloseReload)
			return
		}
		if code := h.join(conn, v); code != 0 {
			farewell(conn, code)
		}
	})
}

// Refuse upgrades and closes with the code, because a page cannot read the status of
// a refused handshake.
func (h *Hub) Refuse(w http.ResponseWriter, r *http.Request, code CloseCode) {
	h.upgrade(w, r, func(conn *websocket.Conn) { farewell(conn, code) })
}

// upgrade hands the request's socket to then, while Run waits for it.
func (h *Hub) upgrade(w http.ResponseWriter, r *http.Request, then func(*websocket.Conn)) {
	select {
	case <-h.started:
	case <-r.Context().Done():
		return
	}
	if !h.enter() {
		http.Error(w, "shutting down", http.StatusServiceUnavailable)
		return
	}
	defer h.open.Done()
	conn, err := h.upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // Upgrade has answered
	}
	then(conn)
}

func (h *Hub) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended {
		return false
	}
	h.open.Add(1)
	return true
}

// join starts a watcher, or returns the code that says why not.
func (h *Hub) join(conn *websocket.Conn, v Watcher) CloseCode {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.ended:
		return CloseGoingAway
	case len(h.watchers) >= h.o.MaxWatchers:
		return CloseTryLater
	}
	t := h.topics[v.Topic]
	if t == nil {
		t = &topic{name: v.Topic, watchers: make(map[*watcher]struct{})}
		h.topics[v.Topic] = t
		signal(h.joined)
	}
	c := &watcher{
		topic:   t.name,
		state:   &t.now,
		conn:    conn,
		session: v.Session,
		recheck: h.o.Recheck,
		log:     h.o.Log,
		open:    &h.open,
		now:     h.o.Now,
		beat:    &h.beat,
		beats:   make(chan struct{}, 1),
		changed: make(chan struct{}, 1),
		shows:   v.Token,
		done:    make(chan struct{}),
	}
	if v.Check != nil {
		c.check = func() CloseCode { return v.Check(h.ctx) }
	}
	signal(c.changed)
	t.watchers[c] = struct{}{}
	h.watchers[c] = struct{}{}
	h.open.Go(func() {
		c.run()
		h.leave(c, t)
	})
	return 0
}

// leave forgets a watcher, and its topic when it was the last.
func (h *Hub) leave(c *watcher, t *topic) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.watchers, c)
	delete(t.watchers, c)
	if len(t.watchers) == 0 {
		delete(h.topics, t.name)
	}
}

// CloseSession closes every socket of a login, within a second even when its page does
// not drain it. It does not wait. An empty session names nobody.
func (h *Hub) CloseSession(session string, code CloseCode) {
	if session == "" {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.watchers {
		if c.session == session {
			c.close(code)
		}
	}
}

// Sessions lists the logins that have open sockets, each once, in no order.
func (h *Hub) Sessions() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	sessions := make(map[string]struct{})
	for c := range h.watchers {
		if c.session != "" {
			sessions[c.session] = struct{}{}
		}
	}
	return slices.Collect(maps.Keys(sessions))
}
