package live

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/gorilla/websocket"
)

// Socket is the page's end of a socket, for programs that watch as a page does. It has one
// reader.
type Socket struct {
	ws   *websocket.Conn
	read atomic.Int64
}

// writeBuffers are shared by the sockets of Dial, which write little.
var writeBuffers sync.Pool

// Dial opens the socket at an address like wss://example.org/live?view=tonight, as a page of the
// origin does whose cookies are in the jar.
func Dial(ctx context.Context, address, origin string, jar http.CookieJar) (*Socket, error) {
	s := new(Socket)
	d := websocket.Dialer{
		HandshakeTimeout: writeTimeout, Jar: jar, EnableCompression: true,
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

// counted counts the bytes that are read.
type counted struct {
	net.Conn
	n *atomic.Int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.n.Add(int64(n))
	return n, err
}

// Next waits for the next frame; beats and commands are passed over. It fails once the socket is
// closed, by Close or by the hub.
func (s *Socket) Next() (Frame, error) {
	for {
		_, text, err := s.ws.ReadMessage()
		if err != nil {
			return Frame{}, err
		}
		var f Frame
		if err := json.Unmarshal(text, &f); err != nil {
			return Frame{}, err
		}
		if f.Token != "" {
			return f, nil
		}
	}
}

// Bytes are how many came over the network, beats and all.
func (s *Socket) Bytes() int64 { return s.read.Load() }

// Close closes the socket without a word.
func (s *Socket) Close() error { return s.ws.Close() }
