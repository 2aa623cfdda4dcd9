package live

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// queueLimit bounds in bytes what a socket that does not drain may be owed. What finds nothing
// owed is taken whole, a message or those between hold and release, so what is owed is at most
// that, or this.
const queueLimit = 1 << 20

var errQueueFull = errors.New("live: the peer does not take what it is sent")

// Listen wraps ln for a server whose sockets a Hub owns. Connections behave as usual until the Hub takes them
// over. TLS goes around it: tls.NewListener(live.Listen(ln), config).
func Listen(ln net.Listener) net.Listener { return listener{ln} }

type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c}, nil
}

// connOf returns the connection that Listen's listener accepted, also below TLS; nil for one of another listener.
func connOf(c net.Conn) *conn {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	own, _ := c.(*conn)
	return own
}

// conn is a connection that, once takeOver was called, never blocks a writer. Write gives to the
// operating system what it takes at once, and the rest to a goroutine that lives until the peer
// has taken it, or too little of it in time. The order of bytes is that of the calls, so control frames
// may be written at any time. Any goroutine may call its methods.
type conn struct {
	net.Conn

	mu sync.Mutex // guards what follows
	// taken is true if takeOver was called.
	taken bool
	raw   syscall.RawConn // nil if the operating system has no such socket, as for a pipe

	held     bool   // nothing is written before release
	before   int    // what was owed when hold was called
	queue    []byte // what comes after the bytes that the drainer is writing
	draining int    // the number of bytes that the drainer is writing
	drainer  sync.WaitGroup
	drained  func()        // called without locks when the peer has taken everything
	timeout  time.Duration // for each write of the drainer
	err      error         // why nothing is written any more
	// sent counts the bytes written since the connection was taken over; nil to count none.
	sent *atomic.Uint64
}

// takeOver makes the connection one that does not block, and that fails when the peer does not
// take what is owed within the timeout. drained is called, by a goroutine of the connection,
// whenever nothing is owed any more.
func (c *conn) takeOver(timeout time.Duration, drained func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taken, c.timeout, c.drained = true, timeout, drained
	if s, ok := c.Conn.(syscall.Conn); ok {
		c.raw, _ = s.SyscallConn() // without it the drainer writes everything
	}
}

// attempt is what a connection needs while it writes, so that those that are idle do not hold it.
type attempt struct {
	offered []byte                // what write writes
	wrote   int                   // its result
	failed  error                 // its result
	try     func(fd uintptr) bool // write as a function value, made once because a closure per write would cost more
}

var attempts = sync.Pool{New: func() any {
	a := new(attempt)
	a.try = a.write
	return a
}}

// write writes as much of offered, which is not empty, as the socket takes now. It always ends RawConn.Write. The socket
// does not block, so the call is a raw one: the scheduler need not know of it.
func (a *attempt) write(fd uintptr) bool {
	for {
		n, _, err := syscall.RawSyscall(syscall.SYS_WRITE, fd, uintptr(unsafe.Pointer(unsafe.SliceData(a.offered))), uintptr(len(a.offered)))
		switch err {
		case 0:
			a.wrote = int(n)
		case syscall.EINTR:
			continue
		case syscall.EAGAIN:
		default:
			a.failed = err
		}
		return true
	}
}

// Write takes all of p or fails. It does not block once the connection was taken over.
func (c *conn) Write(p []byte) (int, error) {
	c.mu.Lock()
	if !c.taken {
		c.mu.Unlock()
		return c.Conn.Write(p)
	}
	defer c.mu.Unlock()
	if c.err != nil {
		return 0, c.err
	}
	if c.sent != nil {
		c.sent.Add(uint64(len(p)))
	}
	rest := p
	if !c.held && c.owed() == 0 { // what is owed comes first
		n, err := c.writeNow(p)
		if err != nil {
			return n, err
		}
		rest = p[n:]
	}
	if len(rest) == 0 {
		return len(p), nil
	}
	owed := c.owed()
	before := owed
	if c.held {
		before = c.before
	}
	if before > 0 && owed+len(rest) > queueLimit {
		c.err = errQueueFull
		return len(p) - len(rest), c.err
	}
	c.queue = append(c.queue, rest...)
	c.drain()
	return len(p), nil
}

func (c *conn) owed() int { return len(c.queue) + c.draining }

// writeNow writes what the socket takes now. mu must be locked, and nothing owed before p.
func (c *conn) writeNow(p []byte) (int, error) {
	if c.raw == nil {
		return 0, nil
	}
	a := attempts.Get().(*attempt)
	a.offered, a.wrote, a.failed = p, 0, nil
	err := c.raw.Write(a.try)
	wrote, failed := a.wrote, a.failed
	a.offered, a.failed = nil, nil
	attempts.Put(a)
	if failed != nil {
		err = failed
	}
	c.err = err
	return wrote, err
}

// hold collects what is written until release, which sends it at once.
func (c *conn) hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held, c.before = true, c.owed()
}

func (c *conn) release() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = false
	if c.err == nil && c.draining == 0 && len(c.queue) > 0 {
		n, err := c.writeNow(c.queue)
		if err != nil {
			return err
		}
		c.queue = c.queue[n:]
	}
	c.drain()
	return c.err
}

// drain starts the drainer if there is something to write; mu must be locked.
func (c *conn) drain() {
	if c.held || c.draining > 0 || c.err != nil {
		return
	}
	if len(c.queue) == 0 {
		c.queue = nil
		return
	}
	batch := c.queue
	c.queue, c.draining = nil, len(batch)
	c.drainer.Go(func() { c.deliver(batch) })
}

// deliver writes what is owed until nothing is.
func (c *conn) deliver(batch []byte) {
	for {
		err := c.Conn.SetWriteDeadline(time.Now().Add(c.timeout))
		if err == nil {
			_, err = c.Conn.Write(batch)
		}
		c.mu.Lock()
		if c.err == nil {
			c.err = err
		}
		if c.err != nil {
			c.queue, c.draining = nil, 0
			c.mu.Unlock()
			c.Conn.Close() // so that the reader ends
			return
		}
		batch, c.queue, c.draining = c.queue, nil, len(c.queue)
		if len(batch) == 0 {
			c.Conn.SetWriteDeadline(time.Time{}) // once it has passed, writeNow would fail
		}
		c.mu.Unlock()
		if len(batch) == 0 {
			c.drained()
			return
		}
	}
}

// ReadFrom takes all of r. Until the connection is taken over it is the usual, efficient one.
func (c *conn) ReadFrom(r io.Reader) (int64, error) {
	if to, ok := c.Conn.(io.ReaderFrom); ok && !c.isTaken() {
		return to.ReadFrom(r)
	}
	return io.Copy(struct{ io.Writer }{c}, r)
}

// CloseWrite closes the writing side, unless the connection was taken over.
func (c *conn) CloseWrite() error {
	if to, ok := c.Conn.(interface{ CloseWrite() error }); ok && !c.isTaken() {
		return to.CloseWrite()
	}
	return errors.ErrUnsupported
}

func (c *conn) isTaken() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.taken
}

// lags reports whether the peer has not taken everything yet.
func (c *conn) lags() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.owed() > 0
}

// SetWriteDeadline has no effect once the connection was taken over: its drainer has deadlines
// of its own.
func (c *conn) SetWriteDeadline(t time.Time) error {
	if c.isTaken() {
		return nil
	}
	return c.Conn.SetWriteDeadline(t)
}

// Close drops what is owed.
func (c *conn) Close() error {
	c.mu.Lock()
	if c.err == nil {
		c.err = net.ErrClosed
	}
	c.mu.Unlock()
	return c.Conn.Close()
}

// wait returns when the closed connection has no goroutine left.
func (c *conn) wait() { c.drainer.Wait() }
