package live

import (
	"net"
	"runtime"
	"time"
)

// Watchers returns the number of open sockets.
func (h *Hub) Watchers() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.watchers)
}

// Free reports whether the hub is not locked for as long as whoever asks waits.
func (h *Hub) Free() bool {
	for range 10_000 {
		if h.mu.TryLock() {
			h.mu.Unlock()
			return true
		}
		runtime.Gosched()
	}
	return false
}

// NonBlocking returns a connection as a Hub takes it over.
func NonBlocking(c net.Conn, timeout time.Duration, drained func()) *Conn {
	own := &conn{Conn: c}
	own.takeOver(timeout, drained)
	return own
}

type Conn = conn

// Lags reports whether the peer has not taken everything yet.
func (c *conn) Lags() bool { return c.lags() }

// Hold gathers what is written until Release.
func (c *conn) Hold() { c.hold() }

// Release sends what was gathered.
func (c *conn) Release() error { return c.release() }

// Wait returns once the closed connection has no goroutine any more.
func (c *conn) Wait() { c.wait() }

// Owed returns what all watchers are owed.
func (h *Hub) Owed() (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.watchers {
		w.conn.mu.Lock()
		n += w.conn.owed()
		w.conn.mu.Unlock()
	}
	return n
}

// QueueLimit is what may be owed.
const QueueLimit = queueLimit

// Change returns the frame from one content to another.
func Change(from, to Content) (Frame, bool) { return change(from, to) }
