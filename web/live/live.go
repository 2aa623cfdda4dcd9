// Package live pushes content to its watchers: topics, sockets, back-pressure. It knows nothing of figures,
// roles or sessions; topics and the subjects that wake them are opaque strings.
//
// A topic is rendered when it is first watched and when it is woken: at once after a quiet time, and
// otherwise after a pause that depends on the cost of its last frame. The pause is at most a tick unless
// the topic rests for longer, and not shorter than writing to all its watchers takes. Run gives woken
// topics to as many renderings at once as there are processors, topics woken only by the minute last;
// renderings that wait for something else run besides. Each compares its result with what the topic showed
// before, publishes the difference as the topic's newest state and writes it to every watcher. A watcher
// takes from that state what its page lacks: nothing, the last frame, or the whole topic. So there are no
// queues of frames: however far a page has fallen behind, one whole topic brings it up to date.
//
// The difference is as small as the ids in the content allow. Of a fragment, the contents of the smallest
// elements with an id that include all changes are sent (part.go), so rows, cells and sentences that change
// have ids; for a list whose elements came, went or changed places, the new order is sent. Of a chart, the
// changed values within its option are sent (edit.go). The token makes this safe: a page that shows
// anything else than the start of a frame, or fails at applying it, asks for the whole topic. The hub does
// not know what beats update within a fragment (Content.Same), so such a fragment is always sent whole.
//
// A write never blocks (see conn). A socket has one goroutine, which reads; a second one exists only while
// its peer does not take what was sent, and such a watcher is skipped until it does. So a slow page delays
// nobody else and costs only its own backlog. There is no timer for each socket: every few seconds Run
// sends all of them a beat with the time, so that a page which gets nothing for twice as long knows that it
// is cut off, and closes those that have been silent for a minute. Watchers of a topic whose rendering does
// not end get no beat, so that a page does not mistake a hub that no longer renders for one without news.
//
// A page watches what its socket was opened for, or switches itself, or is switched by Hub.Lead from one
// topic to another, as screens are: then the whole of a topic includes the element that contains it.
//
// A topic's frames reach a page in order. Each names, by its token, the content it starts from.
package live

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

// Topic is how a Hub gets what a topic shows. Its functions may be called from any goroutine.
type Topic struct {
	// Wakes are the subjects that wake the topic; see Hub.Wake.
	Wakes []string
	// Render makes the content, in one goroutine at a time. last is the content that it made before, at
	// first the zero Content; unchanged parts may be reused. If it fails or panics, the watchers keep the
	// last content and are sent Failed.
	Render func(last Content) (Content, error)
	// Waits is true if Render waits for something other than a processor, such as a database. It then does not
	// count against the limit of concurrent renderings.
	Waits bool
	// Aside makes the topic be rendered with the share of a processor that all such topics have together, one at a
	// time, so that however many there are, others do not wait for them.
	Aside bool
	// Rest is the least time from one rendering to the next, so that a page gets at most one frame of the
	// topic in that time; if zero, Options.Tick decides. State (see Lead) does not wait.
	Rest time.Duration
	// Times returns what pages count from, such as when the figures were read, as JSON: every beat
	// carries them. Nil for none.
	Times func() json.RawMessage
	// Failed is the text of the message to the watchers of a topic that cannot be rendered.
	Failed string
}

// Minute is the subject that is woken when the minute turns.
const Minute = "minute"

// MostWatchers is the default for the greatest number of sockets of a hub.
const MostWatchers = 20_000

// Options configures a Hub. Open and Origin are required.
type Options struct {
	// Open is called for a topic that nobody watched before; an error refuses it. It must not
	// block or call the Hub.
	Open func(topic string) (Topic, error)
	// Origin is the only origin whose pages may open a socket, like https://example.org.
	Origin string
	// Version names the bundle; a page of another version has to reload.
	Version string
	// Tick is the longest time that a topic rests between two renderings; 250 ms when zero. One
	// that costs little rests for less, a fifth of that at least.
	Tick        time.Duration
	MaxWatchers int // MostWatchers when zero
	MaxOfHolder int // sockets of one holder, or person; 32 when zero
	// Now returns the time for beats, whose minute wakes Minute; time.Now if nil.
	Now func() time.Time
	// MinuteWait is how long a minute that has turned is left to whoever else wakes Minute, when that is about to come, so that
	// topics are not rendered twice.
	MinuteWait time.Duration
	Log        *slog.Logger
	// Trace, if set, is told what becomes of renderings.
	Trace Tracer
}

// Tracer follows something from its rendering to the pages. Its methods must not block or call the Hub.
type Tracer interface {
	// Rendered is called when a topic that was rendered before is not as it was. If it returns a mark, which is not 0, the pages
	// to which it is sent say so once they show it.
	Rendered(topic string) (mark int)
	// Sent is called when a topic with a mark was written to so many pages.
	Sent(mark, pages int)
	// Shown is called with what a page says, which is somebody's word.
	Shown(mark int)
}

// Hub owns every socket. Its methods may be called from any goroutine.
type Hub struct {
	o        Options
	upgrader websocket.Upgrader
	workers  int

	woken   chan struct{}   // holds one token: there may be something to render
	started chan struct{}   // closed by Run
	ctx     context.Context // Run's, readable once started is closed

	open sync.WaitGroup // requests and sockets

	mu       sync.Mutex
	running  bool
	ended    bool
	topics   map[string]*topic
	subjects map[string]map[*topic]struct{} // the topics that each subject wakes
	watchers map[*watcher]struct{}
	// waiting is until when those whose topics were rendered wait for another one that they watch.
	waiting map[*watcher]time.Time
	// strangers counts the watchers that are strangers.
	strangers int
	holders   map[string][]*watcher // by credential, in the order of opening
	people    map[string]int        // sockets by Holder.counted
	agenda    agenda
	// rendering counts the current renderings; rendered is when the last one ended.
	rendering int
	rendered  time.Time
	// aside is true while a topic of those aside is rendered, and asideAfter is when the next one may be.
	aside      bool
	asideAfter time.Time
	minute     time.Time // in which Minute was last woken
	stats      Stats     // only its fields about renderings

	frames, bytes atomic.Uint64 // see Stats
}

// New checks o and returns a Hub; nothing is sent before Run.
func New(o Options) (*Hub, error) {
	if o.Open == nil {
		return nil, errors.New("live: Options.Open is missing")
	}
	origin, err := normalOrigin(o.Origin)
	if err != nil {
		return nil, fmt.Errorf("live: Options.Origin: %w", err)
	}
	o.Origin = origin
	o.Tick = cmp.Or(o.Tick, 250*time.Millisecond)
	o.MaxWatchers = cmp.Or(o.MaxWatchers, MostWatchers)
	o.MaxOfHolder = cmp.Or(o.MaxOfHolder, 32)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	h := &Hub{
		o:        o,
		workers:  runtime.GOMAXPROCS(0),
		woken:    make(chan struct{}, 1),
		started:  make(chan struct{}),
		topics:   make(map[string]*topic),
		subjects: make(map[string]map[*topic]struct{}),
		watchers: make(map[*watcher]struct{}),
		waiting:  make(map[*watcher]time.Time),
		holders:  make(map[string][]*watcher),
		people:   make(map[string]int),
	}
	h.upgrader = websocket.Upgrader{
		HandshakeTimeout:  handshakeTimeout,
		ReadBufferSize:    128, // pages say little
		WriteBufferSize:   512,
		WriteBufferPool:   &sync.Pool{},
		EnableCompression: true,
		CheckOrigin:       h.sameOrigin,
	}
	return h, nil
}

// normalOrigin returns s in the form in which browsers send an origin: lower case, without a default port.
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

// sameOrigin also refuses a missing Origin, because every browser sends one.
func (h *Hub) sameOrigin(r *http.Request) bool {
	origin := r.Header["Origin"]
	return len(origin) == 1 && origin[0] == h.o.Origin
}

// Holder is who watches: a person's session, or a screen.
type Holder struct {
	// Credential is what the socket was opened with. Its sockets are counted and closed together.
	Credential string
	// Access names what the credential gave access to at the time. The Hub does not interpret it.
	Access string
	// Stranger is true if nobody has let the holder in. All strangers together leave nearly every
	// socket to others, and Hub.Presence does not have them.
	Stranger bool
	// Device names the device that opened the socket; see Hub.CloseOtherDevices.
	Device string
	// Key distinguishes the credentials that a device has one after another, where Credential is what they share; empty
	// where there is one.
	Key string
	// Person names whose credential it is: the sockets of all credentials of one person are counted together. Empty
	// for nobody's.
	Person string
}

// counted returns what the holder's sockets are counted by.
func (h Holder) counted() string {
	if h.Person != "" {
		return "person " + h.Person
	}
	return "credential " + h.Credential
}

// The most sockets of one stranger, and of all strangers: a twentieth of Options.MaxWatchers, or fewer.
const (
	mostOfStranger = 2
	mostStrangers  = 1000
)

// Watcher is who opens a socket and what it watches, decided by the handler.
type Watcher struct {
	Holder Holder
	// Address is where the socket is opened from and Agent with what, for Hub.Presence; the Hub
	// makes nothing of them.
	Address, Agent string
	// Loaded is when the page was loaded, by its own report, for Hub.Presence; zero if it reports none.
	Loaded time.Time
	// Topics are what is watched: each with the Content.Token of what the page shows of it, as
	// the page sent it; may be empty or nonsense.
	Topics map[string]string
	// State is sent to the page first; see Lead.
	State json.RawMessage
	// Version is the page's bundle, as the page sent it.
	Version string
	// Authorize returns what the holder may watch at another address to which the page switches,
	// or the code to close the socket with. It may take its time; only this page waits. Nil
	// means that the page cannot switch.
	Authorize func(ctx context.Context, address string) (topics []string, code CloseCode)
}

// Serve upgrades the request, watches until the socket closes, and returns soon
// after the upgrade (the socket lives on in the Hub). A request of another origin is
// answered 403. One that comes before Run waits for it; one that comes after Run's end
// is answered 503. The server must listen through Listen. It reports whether v watches.
func (h *Hub) Serve(w http.ResponseWriter, r *http.Request, v Watcher) (watches bool) {
	h.upgrade(w, r, func(ws *websocket.Conn) {
		code := CloseReload
		if v.Version == h.o.Version {
			code = h.join(ws, v)
		}
		if watches = code == 0; !watches {
			farewell(ws, code)
		}
	})
	return watches
}

// Refuse upgrades and closes with the code, because a page cannot read the status of
// a refused handshake.
func (h *Hub) Refuse(w http.ResponseWriter, r *http.Request, code CloseCode) {
	h.upgrade(w, r, func(ws *websocket.Conn) { farewell(ws, code) })
}

// upgrade calls then with the request's socket, while Run waits for it.
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
	ws, err := h.upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // Upgrade has answered
	}
	then(ws)
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

// join starts a watcher, or returns the reason for refusing it.
func (h *Hub) join(ws *websocket.Conn, v Watcher) CloseCode {
	c := connOf(ws.NetConn())
	if c == nil {
		h.o.Log.Error("a socket was refused: its server does not listen through live.Listen")
		return CloseTryLater
	}
	h.mu.Lock()
	switch {
	case h.ended:
		h.mu.Unlock()
		return CloseGoingAway
	case h.full(v.Holder):
		h.mu.Unlock()
		return CloseTryLater
	}
	_, encrypted := ws.NetConn().(*tls.Conn)
	w := &watcher{hub: h, ws: ws, conn: c, encrypted: encrypted, holder: v.Holder, address: v.Address, agent: v.Agent, loaded: v.Loaded, authorize: v.Authorize, state: v.State}
	w.heardNow()
	ws.SetCompressionLevel(compression)
	c.sent = &h.bytes
	c.takeOver(writeTimeout, func() { w.bring(nil) }) // before anybody writes
	if code := h.subscribe(w, v.Topics); code != 0 {
		h.mu.Unlock()
		return code
	}
	h.watchers[w] = struct{}{}
	if w.holder.Stranger {
		h.strangers++
	}
	h.holders[w.holder.Credential] = append(h.holders[w.holder.Credential], w)
	h.people[w.holder.counted()]++
	h.open.Go(w.run)
	h.mu.Unlock()
	return 0
}

// full reports whether a holder may not have another socket now; h.mu must be locked.
func (h *Hub) full(holder Holder) bool {
	of := h.people[holder.counted()]
	if holder.Stranger && (of >= mostOfStranger || h.strangers >= max(1, min(mostStrangers, h.o.MaxWatchers/20))) {
		return true
	}
	return len(h.watchers) >= h.o.MaxWatchers || of >= h.o.MaxOfHolder
}

// subscribe makes w watch these topics instead of its present ones, or returns the reason for refusing. The
// caller holds h.mu.
func (h *Hub) subscribe(w *watcher, topics map[string]string) CloseCode {
	if len(topics) == 0 {
		return CloseForbidden
	}
	subs := make([]subscription, 0, len(topics))
	for name, shows := range topics {
		t, err := h.topic(name)
		if err != nil {
			h.forgetUnwatched(subs)
			h.o.Log.Warn("a topic was refused", "topic", name, "error", err)
			return CloseForbidden
		}
		subs = append(subs, subscription{topic: t, shows: shows})
	}
	h.watch(w, subs)
	return 0
}

// watch makes w watch only subs; h.mu must be locked.
func (h *Hub) watch(w *watcher, subs []subscription) {
	w.mu.Lock()
	before := w.subs
	w.subs = subs
	for _, s := range before {
		s.topic.watchers.leave(w)
	}
	for _, s := range subs {
		s.topic.watchers.join(w)
	}
	w.mu.Unlock()
	h.forgetUnwatched(before)
}

// topic returns the topic with a name, and opens it if needed; h.mu must be locked.
func (h *Hub) topic(name string) (*topic, error) {
	if t := h.topics[name]; t != nil {
		return t, nil
	}
	source, err := h.o.Open(name)
	if err != nil {
		return nil, err
	}
	t := &topic{Topic: source, name: name}
	h.topics[name] = t
	for _, subject := range t.Wakes {
		add(h.subjects, subject, t)
	}
	h.rouse(t, true)
	return t, nil
}

// forgetUnwatched removes those topics that nobody watches any more; h.mu must be locked.
func (h *Hub) forgetUnwatched(subs []subscription) {
	for _, s := range subs {
		if s.topic.watchers.size() > 0 || h.topics[s.topic.name] != s.topic {
			continue
		}
		delete(h.topics, s.topic.name)
		for _, subject := range s.topic.Wakes {
			remove(h.subjects, subject, s.topic)
		}
	}
}

// leave removes a watcher.
func (h *Hub) leave(w *watcher) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.watchers, w)
	if w.holder.Stranger {
		h.strangers--
	}
	of := w.holder.Credential
	if h.holders[of] = slices.DeleteFunc(h.holders[of], func(o *watcher) bool { return o == w }); len(h.holders[of]) == 0 {
		delete(h.holders, of)
	}
	if h.people[w.holder.counted()]--; h.people[w.holder.counted()] == 0 {
		delete(h.people, w.holder.counted())
	}
	h.watch(w, nil)
}

func add[K comparable, V comparable](sets map[K]map[V]struct{}, key K, v V) {
	if sets[key] == nil {
		sets[key] = make(map[V]struct{})
	}
	sets[key][v] = struct{}{}
}

func remove[K comparable, V comparable](sets map[K]map[V]struct{}, key K, v V) {
	delete(sets[key], v)
	if len(sets[key]) == 0 {
		delete(sets, key)
	}
}
