package live

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/gorilla/websocket"
)

// Socket is the client's end of a socket, for programs that watch as many pages do: it takes frames as they
// are, without compression, and reads only their headers. It has one reader.
type Socket struct {
	ws   *websocket.Conn
	read atomic.Int64
	head [1024]byte
}

// writeBuffers are shared by the sockets of Dial, which write little.
var writeBuffers sync.Pool

// Dial opens the socket at an address like wss://example.org/live?view=tonight, as a page of the
// origin does whose cookies are in the jar.
func Dial(ctx context.Context, address, origin string, jar http.CookieJar) (*Socket, error) {
	s := new(Socket)
	d := websocket.Dialer{
		HandshakeTimeout: writeTimeout, Jar: jar,
		ReadBufferSize: 1024, WriteBufferSize: 512, WriteBufferPool: &writeBuffers,
		NetDialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := new(net.Dialer).DialContext(ctx, network, address)
			return &counted{c, &s.read}, err
		},
	}
	var err error
	s.ws, _, err = d.DialContext(ctx, address, http.Header{"Origin": {origin}})
	return s, err
}

// counted counts the bytes read.
type counted struct {
	net.Conn
	n *atomic.Int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.n.Add(int64(n))
	return n, err
}

// Stall makes the operating system buffer as little as possible for a socket that is not read.
func (s *Socket) Stall() error {
	c, ok := s.ws.NetConn().(*counted)
	if !ok {
		return errors.ErrUnsupported
	}
	t, ok := c.Conn.(*net.TCPConn)
	if !ok {
		return errors.ErrUnsupported
	}
	return t.SetReadBuffer(1)
}

// Next waits for the next frame and returns when it was woken, its token and whether it is whole;
// beats and commands are passed over. It fails once the socket is closed, by Close or by the hub.
func (s *Socket) Next() (Frame, error) {
	for {
		_, r, err := s.ws.NextReader()
		if err != nil {
			return Frame{}, err
		}
		n, err := io.ReadFull(r, s.head[:])
		if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
			return Frame{}, err
		}
		if f := headOf(s.head[:n]); f.Token != "" {
			return f, nil
		}
	}
}

// headOf parses what comes before a frame's content. The content is text with escaped quotation marks, so these
// names cannot occur earlier.
func headOf(text []byte) (f Frame) {
	after := func(name, end string) string {
		_, rest, _ := bytes.Cut(text, []byte(name))
		value, _, _ := bytes.Cut(rest, []byte(end))
		return string(value)
	}
	f.Woken, _ = strconv.ParseInt(after(`"woken":`, ","), 10, 64) // 0 in a beat
	f.Token = after(`"token":"`, `"`)
	f.Whole = bytes.Contains(text, []byte(`","whole":true`))
	return f
}

// Bytes returns how many bytes came over the network, including beats.
func (s *Socket) Bytes() int64 { return s.read.Load() }

// Close closes the socket without a close frame.
func (s *Socket) Close() error { return s.ws.Close() }
