// Package limits keeps the program within what the machine has. It limits how many connections visitors have and how many pages
// are open at once, by the open files that the operating system allows, and the memory that folding the log takes.
package limits

import (
	"container/list"
	"context"
	"log/slog"
	"math"
	"net"
	"net/http"
	"sync"
	"syscall"
)

// ownFiles is the number of open files that no visitor's connection gets: for the database, the service, letters and backups.
const ownFiles = 100

// Connections limits the connections of visitors, so that the program has open files left. When there are too many, the one that has
// waited longest for the rest of a request, or for another one, gives way. Those on which a request is answered, and live
// sockets, do not. Its methods may be called from any goroutine.
type Connections struct {
	most int

	mu    sync.Mutex
	conns map[string]*limitedConn // by their addresses
	idle  *list.List              // of *limitedConn, the longest first
}

// NewConnections returns a limiter for a number of open files that the operating system allows.
func NewConnections(files uint64) *Connections {
	most := int(min(files, math.MaxInt32))
	return &Connections{most: max(most-ownFiles, most/2, 1), conns: make(map[string]*limitedConn), idle: list.New()}
}

// OpenFiles returns how many open files the operating system allows this process.
func OpenFiles(log *slog.Logger) uint64 {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		log.Warn("the limit of open files cannot be read", "error", err)
		return math.MaxUint64
	}
	return files.Cur
}

// limitedConn is a visitor's connection.
type limitedConn struct {
	net.Conn
	limiter *Connections
	name    string
	// serving counts the requests that are answered, and the live socket; waits is its place in Connections.idle, nil for none.
	serving int
	waits   *list.Element
}

// SyscallConn returns the connection's; package live writes by it.
func (c *limitedConn) SyscallConn() (syscall.RawConn, error) {
	if s, ok := c.Conn.(syscall.Conn); ok {
		return s.SyscallConn()
	}
	return nil, syscall.ENOTSUP
}

func (c *limitedConn) Close() error {
	c.limiter.forget(c)
	return c.Conn.Close()
}

func addresses(c net.Conn) string { return c.LocalAddr().String() + " " + c.RemoteAddr().String() }

// Listen returns a listener whose connections the limiter limits.
func (l *Connections) Listen(ln net.Listener) net.Listener { return limitedListener{ln, l} }

type limitedListener struct {
	net.Listener
	limiter *Connections
}

func (l limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := &limitedConn{Conn: conn, limiter: l.limiter, name: addresses(conn)}
		if l.limiter.admit(c) {
			return c, nil
		}
		_ = conn.Close() // nothing was sent over it
	}
}

// admit adds a connection, for which another may give way; false if none does.
func (l *Connections) admit(c *limitedConn) bool {
	l.mu.Lock()
	var last *limitedConn
	if len(l.conns) >= l.most {
		first := l.idle.Front()
		if first == nil {
			l.mu.Unlock()
			return false
		}
		last = first.Value.(*limitedConn)
		l.remove(last)
	}
	l.conns[c.name] = c
	c.waits = l.idle.PushBack(c)
	l.mu.Unlock()
	if last != nil {
		_ = last.Close() // its reader ends by that
	}
	return true
}

func (l *Connections) forget(c *limitedConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(c)
}

// remove removes a connection; l.mu must be locked.
func (l *Connections) remove(c *limitedConn) {
	if l.conns[c.name] == c {
		delete(l.conns, c.name)
	}
	if c.waits != nil {
		l.idle.Remove(c.waits)
		c.waits = nil
	}
}

// serves adds to the requests that are answered on a connection.
func (l *Connections) serves(c *limitedConn, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.serving += n
	switch {
	case c.serving > 0 && c.waits != nil:
		l.idle.Remove(c.waits)
		c.waits = nil
	case c.serving == 0 && l.conns[c.name] == c:
		c.waits = l.idle.PushBack(c)
	}
}

// of returns what the limiter knows of a connection of a server; nil for nothing.
func (l *Connections) of(c net.Conn) *limitedConn {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.conns[addresses(c)]
}

// limitedKey is the key of a request's *limitedConn.
type limitedKey struct{}

// Guard has the limiter know which connections of a server are answered something. Its listener has to be one of Listen.
func (l *Connections) Guard(server *http.Server) *http.Server {
	h := server.Handler
	server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, limitedKey{}, l.of(c))
	}
	server.ConnState = func(c net.Conn, state http.ConnState) {
		if own := l.of(c); own != nil && state == http.StateHijacked {
			l.serves(own, 1) // for good
		}
	}
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if own, _ := r.Context().Value(limitedKey{}).(*limitedConn); own != nil {
			l.serves(own, 1)
			defer l.serves(own, -1)
		}
		h.ServeHTTP(w, r)
	})
	return server
}
