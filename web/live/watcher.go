package live

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

const (
	beatEvery    = 4 * time.Second
	pingEvery    = 6 // beats; proxies cut idle connections at 60 s, some at 30
	readTimeout  = 60 * time.Second
	writeTimeout = 10 * time.Second
	askEvery     = time.Second // the shortest time between two answers to a page's requests.
	readLimit    = 4 << 10
	compression  = 6 // flate's level

	handshakeTimeout = 2 * time.Second
	closeTimeout     = 800 * time.Millisecond // from the decision to close to the end of the connection
)

// CloseCode is why a page's socket was closed.
type CloseCode int

// The close codes beyond the standard's.
const (
	CloseGoingAway CloseCode = 1001 // shutdown: come back with jitter
	CloseTryLater  CloseCode = 1013 // too many watchers
	CloseSignedOut CloseCode = 4401 // the session ended: go to the login
	CloseForbidden CloseCode = 4403 // the role may not see this
	CloseReload    CloseCode = 4409 // a new version: reload the page
	CloseTaken     CloseCode = 4410 // another device uses this credential now
	CloseRenewed   CloseCode = 4411 // the browser has another credential: connect again with that
)

// watcher is one open socket. Its only goroutine, run, reads. Any goroutine may write; writing never blocks.
type watcher struct {
	hub       *Hub
	ws        *websocket.Conn
	conn      *conn // beneath ws
	holder    Holder
	address   string
	agent     string
	loaded    time.Time
	authorize func(ctx context.Context, address string) ([]string, CloseCode)
	lastHeard atomic.Int64 // Unix nanoseconds

	mu               sync.Mutex      // locked while writing; locked after Hub.mu
	subs             []subscription  // what is watched; changed only while Hub.mu is locked too
	sentFailure      *message        // the failure message that the page shows; nil for none
	state, sentState json.RawMessage // the page's state, and what was last sent of it
	encrypted        bool            // never changed
	// ended is true if the socket is being closed.
	ended bool
	kill  *time.Timer // closes the connection if it does not end by itself; nil for none
}

// subscription is a topic and what its page shows of it.
type subscription struct {
	topic *topic
	shows string // the token
	whole bool   // the page asked for everything
}

// run owns the socket until it is closed.
func (w *watcher) run() {
	w.greet()
	w.read()
	w.close(0)
	w.conn.wait()
	w.hub.leave(w)
}

// greet sends the page that it is connected, the time, and what it lacks.
func (w *watcher) greet() {
	w.mu.Lock()
	of := w.subs[0].topic
	w.mu.Unlock()
	times := w.hub.times(of)
	first, err := beat(w.hub.o.Now(), times)
	if err != nil {
		w.hub.o.Log.Error("a beat could not be written", "error", err)
		w.close(CloseTryLater)
		return
	}
	w.bring(first)
}

// bring sends the page what it lacks, after the message first (nil for none), in one write. A watcher that lags is
// skipped: bring is called again when it has caught up.
func (w *watcher) bring(first *message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended || w.conn.lags() {
		return
	}
	var few [4]*message
	messages := few[:0]
	if first != nil {
		messages = append(messages, first)
	}
	if !bytes.Equal(w.state, w.sentState) {
		if m, err := tell(w.state); err != nil {
			w.hub.o.Log.Error("the state of a page could not be written", "error", err)
		} else {
			messages = append(messages, m)
		}
		w.sentState = w.state
	}
	var failed *message
	for i := range w.subs {
		s := &w.subs[i]
		if failed == nil {
			failed = s.topic.failed.Load()
		}
		m, err := s.next()
		if err != nil {
			w.hub.o.Log.Error("a topic could not be written", "topic", s.topic.name, "error", err)
			continue
		}
		if m != nil {
			messages = append(messages, m)
			w.hub.frames.Add(1)
		}
	}
	if failed != w.sentFailure {
		w.sentFailure = failed
		if failed == nil {
			failed = allRight()
		}
		messages = append(messages, failed)
	}
	if len(messages) > 0 {
		w.send(messages)
	}
}

// next returns the message that the page lacks of the topic; nil for none. The caller must send it.
func (s *subscription) next() (*message, error) {
	now := s.topic.now.Load()
	if now == nil || s.shows == now.token && !s.whole {
		return nil, nil
	}
	from, asked := s.shows, s.whole
	s.shows, s.whole = now.token, false
	if from == now.from && now.delta != nil && !asked {
		return now.delta, nil
	}
	return now.whole()
}

// say sends a message regardless of other messages.
func (w *watcher) say(m *message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ended {
		w.send([]*message{m})
	}
}

// recordSize is how many bytes TLS writes at once.
const recordSize = 16 << 10

// send writes messages at once; w.mu is held. Where that would take several writes they are
// gathered, so that what a page is owed is bounded before a message and not within it. After a
// failed write the connection is dead.
func (w *watcher) send(messages []*message) {
	var err error
	gather := len(messages) > 1 || w.encrypted && messages[0].size > recordSize
	if gather {
		w.conn.hold()
	}
	for _, m := range messages {
		w.ws.EnableWriteCompression(m.compress)
		if err = w.ws.WritePreparedMessage(m.prepared); err != nil {
			break
		}
	}
	if gather {
		if e := w.conn.release(); err == nil {
			err = e
		}
	}
	if err != nil {
		w.end(0)
	}
}

// close ends the watcher with a code, 0 when the peer has gone. Only the
// first call counts. It does not wait, and holds within closeTimeout whatever the peer does.
func (w *watcher) close(code CloseCode) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if code == 0 && w.kill != nil {
		w.kill.Stop()
		w.ws.Close()
	}
	w.end(code)
}

// end is close with w.mu held. A closing connection stays until the peer has answered: closing
// it now could take the close frame from it.
func (w *watcher) end(code CloseCode) {
	if w.ended {
		return
	}
	w.ended = true
	if code == 0 || sendClose(w.ws, code) != nil {
		w.ws.Close()
		return
	}
	w.kill = time.AfterFunc(closeTimeout, func() { w.ws.Close() })
}

func (w *watcher) heardNow() { w.lastHeard.Store(time.Now().UnixNano()) }

func (w *watcher) heard() time.Time { return time.Unix(0, w.lastHeard.Load()) }

// asked is a request of a page.
type asked struct {
	// Whole asks for the whole topic.
	Whole bool `json:"whole"`
	// Switch is the address of the page to watch instead, and Token names what the page already shows of it.
	Switch string `json:"switch"`
	Token  string `json:"token"`
	// Shown is the mark of a Tracer that the page shows now.
	Shown int `json:"shown"`
}

// read takes what the page sends until the connection ends.
func (w *watcher) read() {
	w.ws.SetReadLimit(readLimit)
	w.ws.SetPongHandler(func(string) error { w.heardNow(); return nil })
	var last time.Time // when something that was asked for was answered
	for {
		_, r, err := w.ws.NextReader()
		if err != nil {
			return
		}
		w.heardNow()
		var a asked
		// The limit again: the connection's is on what was sent, before it is inflated.
		if json.NewDecoder(io.LimitReader(r, readLimit)).Decode(&a) != nil {
			continue
		}
		if a.Shown != 0 && w.hub.o.Trace != nil {
			w.hub.o.Trace.Shown(a.Shown)
		}
		if !a.Whole && a.Switch == "" {
			continue
		}
		time.Sleep(time.Until(last.Add(askEvery))) // it holds up this page alone
		last = time.Now()
		w.answer(a)
	}
}

// answer does what the page asked for.
func (w *watcher) answer(a asked) {
	if a.Switch != "" {
		if code := w.switchTo(a); code != 0 {
			w.close(code)
			return
		}
	}
	if a.Whole {
		w.mu.Lock()
		for i := range w.subs {
			w.subs[i].whole = true
		}
		w.mu.Unlock()
	}
	w.bring(nil)
}

// switchTo watches what is at another address.
func (w *watcher) switchTo(a asked) CloseCode {
	if w.authorize == nil {
		return CloseForbidden
	}
	names, code := w.authorize(w.hub.ctx, a.Switch)
	if code != 0 {
		return code
	}
	topics := make(map[string]string, len(names))
	for _, name := range names {
		topics[name] = a.Token
	}
	h := w.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.subscribe(w, topics)
}

// farewell closes a socket that was never watched, and waits up to a second for the
// peer to agree.
func farewell(ws *websocket.Conn, code CloseCode) {
	defer ws.Close()
	if sendClose(ws, code) != nil {
		return
	}
	ws.SetReadLimit(readLimit)
	ws.SetReadDeadline(time.Now().Add(closeTimeout))
	for {
		if _, _, err := ws.NextReader(); err != nil {
			return
		}
	}
}

func sendClose(ws *websocket.Conn, code CloseCode) error {
	return ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(int(code), ""), time.Now().Add(closeTimeout))
}
