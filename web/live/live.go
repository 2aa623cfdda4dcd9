// Package live pushes content to whoever watches it: topics, sockets, back-pressure.
// It knows nothing of figures, roles or sessions; topics are opaque strings.
//
// One goroutine, Run's, renders every watched topic when its time has come, finds what
// changed and publishes it as the topic's newest state. Each socket has a writer that is
// woken and takes from that state what its page lacks: nothing, the last frame, or the
// whole topic. So nobody has a queue: however far a page has fallen behind, one whole
// topic brings it up to date, and a socket that does not drain holds up nobody else.
//
// A topic's frames reach a page in order. Each names, by its token, the content it
// starts from; a page that shows something else asks for the whole topic.
package live

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// Content is all that a topic shows at one moment: the outer HTML of elements by their
// id, and chart options by the id of the chart's element. It is not changed once it was
// given to a Hub.
type Content struct {
	// Position names the state of the figures that this was rendered from.
	Position string
	// AsOf is when the service last answered, RFC 3339, empty when it never did.
	AsOf   string
	HTML   map[string]string
	Charts map[string]json.RawMessage
}

// CloseCode tells a page why its socket was closed.
type CloseCode int

// The close codes beyond the standard's.
const (
	CloseGoingAway CloseCode = 1001 // shutdown: come back with jitter
	CloseTryLater  CloseCode = 1013 // too many watchers
	CloseSignedOut CloseCode = 4401 // the session ended: go to the login
	CloseForbidden CloseCode = 4403 // the role may not see this
	CloseReload    CloseCode = 4409 // a new version: reload the page
)

// Options configures a Hub. Render and Origin are required.
type Options struct {
	// Render makes a topic's content. It is called by one goroutine at a time, once a
	// tick and topic however many watch it. When it fails or panics the watchers keep the
	// last content.
	Render func(topic string) (Content, error)
	// Light, if set, makes only what runs with the seconds, for when Refresh comes and nobody
	// called Wake: fragments that take the place of those of the same ids in shown, which is
	// what the topic shows. ok is false where more than these has to be made, by Render. It is
	// called as Render is.
	Light func(topic string, shown Content) (light Content, ok bool, err error)
	// Origin is the only origin whose pages may open a socket, like https://example.org.
	Origin string
	// Version names the bundle; a page of another version is told to reload.
	Version string
	// Tick is the least time between two frames of a topic; 250 ms when zero.
	Tick time.Duration
	// Refresh is how often topics are rendered, or what is light of them, though nobody called
	// Wake, because clocks and countdowns run; 1 s when zero.
	Refresh time.Duration
	// Recheck is how often each watcher's Check is called; 30 s when zero.
	Recheck     time.Duration
	MaxWatchers int // 20,000 when zero
	Log         *slog.Logger
}

// Hub owns every socket. Its methods may be called from any goroutine.
type Hub struct {
	o        Options
	upgrader websocket.Upgrader

	wake    chan struct{}   // figures changed
	joined  chan struct{}   // there is a topic that was never rendered
	started chan struct{}   // closed by Run
	ctx     context.Context // Run's, readable once started is closed

	open sync.WaitGroup // requests and sockets

	mu       sync.Mutex
	running  bool
	ended    bool
	topics   map[string]*topic
	watchers map[*watcher]struct{}
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

// Wake says that the figures changed. It never blocks.
func (h *Hub) Wake() { signal(h.wake) }

// signal leaves a token in a channel of size one, which says "look again".
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

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
	// Check is called once the socket is open, and then now and then; an answer other
	// than 0 closes the socket with it. It may be called from any goroutine, never twice
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

// join starts a watcher, or says why not.
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
	c := newWatcher(h, t, conn, v)
	t.watchers[c] = struct{}{}
	h.watchers[c] = struct{}{}
	h.open.Go(c.run)
	return 0
}

// leave forgets a watcher, and its topic when it was the last.
func (h *Hub) leave(c *watcher) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.watchers, c)
	delete(c.topic.watchers, c)
	if len(c.topic.watchers) == 0 {
		delete(h.topics, c.topic.name)
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

// Watchers is the number of open sockets.
func (h *Hub) Watchers() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.watchers)
}
