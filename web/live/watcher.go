package live

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

const (
	beatEvery    = 4 * time.Second
	pingEvery    = 25 * time.Second // proxies cut idle connections at 60 s
	readTimeout  = 60 * time.Second
	writeTimeout = 10 * time.Second
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
)

// watcher is one open socket. Two goroutines serve it: run writes, read reads.
type watcher struct {
	topic   string
	state   *atomic.Pointer[state] // the topic's newest
	conn    *websocket.Conn
	session string
	check   func() CloseCode // nil for none
	recheck time.Duration
	log     *slog.Logger
	open    *sync.WaitGroup // what the hub waits for

	now   func() time.Time
	beat  *atomic.Pointer[message] // the hub's newest
	beats chan struct{}            // holds one: beat is to be sent

	changed chan struct{} // holds one: the topic's state may differ from what the page shows
	whole   atomic.Bool   // the page asked for the whole topic
	shows   string        // the token of what was last written; run's own

	once sync.Once
	code CloseCode // 0 when the peer went; readable once done is closed
	done chan struct{}
	kill *time.Timer
}

// close ends the watcher with a code, 0 when the peer has gone. Only the
// first call counts. It does not wait, and holds within closeTimeout even when a write
// hangs.
func (c *watcher) close(code CloseCode) {
	c.once.Do(func() {
		c.code = code
		c.kill = time.AfterFunc(closeTimeout, func() { c.conn.Close() })
		close(c.done)
	})
}

// run owns the socket until it is closed.
func (c *watcher) run() {
	var reader sync.WaitGroup
	reader.Go(c.read)
	c.write()
	<-c.done
	if c.code != 0 && sendClose(c.conn, c.code) == nil {
		reader.Wait() // for the peer's own close frame: closing now could take ours from it
	}
	c.kill.Stop()
	c.conn.Close()
	reader.Wait()
}

// write sends what is to be sent until done is closed.
func (c *watcher) write() {
	c.conn.SetCompressionLevel(compression)
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	var check <-chan time.Time // nil while an answer is awaited
	checked := make(chan struct{}, 1)
	// The first check is at once: the session may have ended between the handler's own
	// check and join, when CloseSession did not find this watcher yet.
	c.ask(checked)
	// The first beat tells the page that it is connected, and the time.
	first, err := beat(c.now())
	if err == nil {
		err = c.send(first)
	}
	for {
		if err != nil {
			c.close(0) // after a write error the connection is dead
			return
		}
		select {
		case <-c.done:
			return
		case <-c.changed:
			var m *message
			if m, err = c.next(); m != nil {
				err = c.send(m)
			}
		case <-c.beats:
			err = c.send(c.beat.Load())
		case <-ping.C:
			err = c.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeTimeout))
		case <-check:
			check = nil
			c.ask(checked)
		case <-checked:
			check = time.After(spread(c.recheck))
		}
	}
}

// next is what the page lacks, nil when nothing.
func (c *watcher) next() (*message, error) {
	s := c.state.Load()
	if s == nil {
		return nil, nil
	}
	switch asked := c.whole.Swap(false); {
	case c.shows == s.token && !asked:
		return nil, nil
	case c.shows == s.from && s.delta != nil && !asked:
		c.shows = s.token
		return s.delta, nil
	}
	c.shows = s.token
	return s.whole()
}

func (c *watcher) send(m *message) error {
	c.conn.EnableWriteCompression(m.compress)
	c.conn.SetWriteDeadline(time.Now().Add(writeTimeout))
	return c.conn.WritePreparedMessage(m.prepared)
}

// ask calls Check beside the writer, which a slow answer must not hold up.
func (c *watcher) ask(checked chan<- struct{}) {
	if c.check == nil {
		return
	}
	c.open.Go(func() {
		defer func() {
			if p := recover(); p != nil { // nobody knows whether the page may stay: it may not
				c.log.Error("panic in Check", "topic", c.topic, "error", fmt.Sprint(p), "stack", string(debug.Stack()))
				c.close(CloseTryLater)
			}
		}()
		if code := c.check(); code != 0 {
			c.close(code)
		}
		checked <- struct{}{}
	})
}

// spread is d give or take a quarter, so that those who came together are not checked
// together for ever.
func spread(d time.Duration) time.Duration {
	return d*3/4 + rand.N(d/2+1)
}

// read takes what the page sends until the connection ends.
func (c *watcher) read() {
	defer c.close(0)
	alive := func() error { return c.conn.SetReadDeadline(time.Now().Add(readTimeout)) }
	c.conn.SetReadLimit(readLimit)
	c.conn.SetPongHandler(func(string) error { return alive() })
	alive()
	for {
		_, r, err := c.conn.NextReader()
		if err != nil {
			return
		}
		var asked struct {
			Whole bool `json:"whole"`
		}
		// The limit again: the connection's is on what was sent, before it is inflated.
		if json.NewDecoder(io.LimitReader(r, readLimit)).Decode(&asked) == nil && asked.Whole {
			c.whole.Store(true)
			signal(c.changed)
		}
		alive()
	}
}

// farewell closes a socket that was never watched, and waits up to a second for the
// peer to agree.
func farewell(conn *websocket.Conn, code CloseCode) {
	defer conn.Close()
	if sendClose(conn, code) != nil {
		return
	}
	conn.SetReadLimit(readLimit)
	conn.SetReadDeadline(time.Now().Add(closeTimeout))
	for {
		if _, _, err := conn.NextReader(); err != nil {
			return
		}
	}
}

func sendClose(conn *websocket.Conn, code CloseCode) error {
	return conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(int(code), ""), time.Now().Add(closeTimeout))
}

// signal leaves a token in a channel of size one, which stands for any number of changes.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
