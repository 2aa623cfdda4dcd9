package live_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"housecount/web/live"
)

// stadium is a hub behind real sockets that shows one topic, the number of changes.
type stadium struct {
	t      testing.TB
	hub    *live.Hub
	server *httptest.Server
	now    atomic.Int64
	people atomic.Int64
	// filling makes the content as long as it is.
	filling string
}

func newStadium(t testing.TB, encrypted bool, size int) *stadium {
	s := &stadium{t: t, filling: strings.Repeat("x", size)}
	hub, err := live.New(live.Options{Origin: origin, Tick: time.Millisecond, Open: every(func(live.Content) (live.Content, error) {
		return live.Content{HTML: map[string]string{"p": fmt.Sprintf(`<p id=p>%08d%s</p>`, s.now.Load(), s.filling)}}, nil
	})})
	if err != nil {
		t.Fatal(err)
	}
	s.hub = hub
	run(t, hub)
	s.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hub.Serve(w, r, live.Watcher{Holder: live.Holder{Credential: fmt.Sprint(s.people.Add(1))}, Topics: map[string]string{"hall": ""}})
	}))
	s.server.Listener = live.Listen(smallBuffers{s.server.Listener})
	if encrypted {
		s.server.TLS = &tls.Config{}
		s.server.StartTLS()
	} else {
		s.server.Start()
	}
	t.Cleanup(s.server.Close)
	return s
}

// smallBuffers is a listener of whose sockets the operating system takes little.
type smallBuffers struct{ net.Listener }

func (l smallBuffers) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		err = c.(*net.TCPConn).SetWriteBuffer(1 << 16)
	}
	return c, err
}

// dial opens a socket that nobody reads.
func (s *stadium) dial() *websocket.Conn {
	s.t.Helper()
	d := websocket.Dialer{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, NetDialContext: (&net.Dialer{}).DialContext}
	conn, _, err := d.Dial("ws"+strings.TrimPrefix(s.server.URL, "http"), http.Header{"Origin": {origin}})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { conn.Close() })
	return conn
}

// change changes the topic; await returns once the page shows that.
func (s *stadium) change() { s.now.Add(1); s.hub.Wake("hall") }

func (s *stadium) await(conn *websocket.Conn) error {
	want := fmt.Sprintf(`<p id=p>%08d`, s.now.Load())
	conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	for {
		var f frame
		if err := conn.ReadJSON(&f); err != nil {
			return err
		}
		if strings.HasPrefix(f.HTML["p"], want) {
			if len(f.HTML["p"]) != len(`<p id=p>00000000</p>`)+len(s.filling) {
				return fmt.Errorf("a fragment of %d bytes", len(f.HTML["p"]))
			}
			return nil
		}
	}
}

// One watcher in twenty reads nothing; the rest get every change, over plain sockets and TLS.
// The one that reads again is brought to the newest state.
func TestStalledSocketsHoldUpNobody(t *testing.T) {
	for name, encrypted := range map[string]bool{"plain": false, "TLS": true} {
		t.Run(name, func(t *testing.T) {
			s := newStadium(t, encrypted, 60_000)
			const watchers, stalls, changes = 20, 1, 8
			var stalled []*websocket.Conn
			for range stalls {
				stalled = append(stalled, s.dial())
			}
			var healthy []*websocket.Conn
			for range watchers - stalls {
				healthy = append(healthy, s.dial())
			}
			all := func() {
				var pages sync.WaitGroup
				for _, conn := range healthy {
					pages.Go(func() {
						if err := s.await(conn); err != nil {
							t.Error(err)
						}
					})
				}
				pages.Wait()
			}
			all()
			for range changes {
				s.change()
				all()
			}
			if err := s.await(stalled[0]); err != nil {
				t.Errorf("the page that reads again: %v", err)
			}
			s.change()
			if err := s.await(stalled[0]); err != nil {
				t.Errorf("the page that reads again, at the next change: %v", err)
			}
		})
	}
}

// A message that is larger than what a page may be owed comes whole where nothing was owed, also
// over TLS, which writes it in many pieces.
func TestALargeMessageToAPageThatLags(t *testing.T) {
	for name, encrypted := range map[string]bool{"plain": false, "TLS": true} {
		s := newStadium(t, encrypted, 3*live.QueueLimit)
		conn := s.dial() // takes nothing yet
		for limit := time.Now().Add(20 * time.Second); s.hub.Owed() < 2*live.QueueLimit; {
			if time.Now().After(limit) {
				t.Fatalf("%s: %d bytes are owed", name, s.hub.Owed())
			}
			runtime.Gosched()
		}
		if err := s.await(conn); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A peer that sends pings and reads nothing is owed their answers up to a bound, and then closed.
func TestPingsOfWhoReadsNothing(t *testing.T) {
	s := newStadium(t, false, 100)
	conn := s.dial().NetConn()
	ping := append([]byte{0x89, 0x80 | 125, 0, 0, 0, 0}, make([]byte, 125)...)
	began := time.Now()
	var err error
	for err == nil && time.Since(began) < 30*time.Second {
		conn.SetWriteDeadline(time.Now().Add(5 * time.Second))
		_, err = conn.Write(ping)
	}
	if e, ok := err.(net.Error); err == nil || ok && e.Timeout() {
		t.Errorf("it is still open: %v", err)
	}
	if took := time.Since(began); took > 8*time.Second { // before the write deadline
		t.Errorf("closed after %v", took)
	}
}

// Thousands of sockets that close at once leave nothing behind, and a change reaches who stays.
// The race detector allows for no more than 8,128 goroutines.
func TestThousandsCloseAtOnce(t *testing.T) {
	n := 6000
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if room := int(limit.Cur) - 200; room < n {
		n = room
	}
	s := newStadium(t, false, 700)
	stays := s.dial()
	p := newPeers(t, "ws", s.server.Listener.Addr().String(), n)
	p.await("round") // each joins after its handshake
	p.stop()
	s.change()
	if err := s.await(stays); err != nil {
		t.Error(err)
	}
	for limit := time.Now().Add(30 * time.Second); s.hub.Watchers() > 1; {
		if time.Now().After(limit) {
			t.Fatalf("%d watchers are left", s.hub.Watchers())
		}
		s.change()
		if err := s.await(stays); err != nil {
			t.Fatal(err)
		}
	}
}

// A thousand that stop reading at once, and one that reads a byte a second, hold up nobody, and
// are given up in time.
func TestAThousandStopAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, live.Options{})
		healthy := h.watch("")
		stop := make(chan struct{})
		for i := range 1000 {
			d := h.dialer(nil)
			conn, _, err := d.Dial(fmt.Sprint("ws://house/live?holder=", i), http.Header{"Origin": {origin}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { conn.Close() })
			go func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					if _, _, err := conn.ReadMessage(); err != nil {
						return
					}
				}
			}()
		}
		slow := h.dial("").NetConn()
		go func() {
			for b := make([]byte, 1); ; time.Sleep(time.Second) {
				if _, err := io.ReadFull(slow, b); err != nil {
					return
				}
			}
		}()
		time.Sleep(time.Second)
		healthy.take()
		close(stop)
		for i := range 40 {
			h.show(paragraph(fmt.Sprint(i + 1)))
			h.hub.Wake("hall")
			time.Sleep(500 * time.Millisecond)
			if got := healthy.take(); len(got) != 1 || got[0].Token != paragraph(fmt.Sprint(i+1)).Token() {
				t.Fatalf("change %d: the healthy page got %+v", i+1, got)
			}
		}
		if n := h.hub.Watchers(); n != 1 {
			t.Errorf("%d watchers after 20 s, want the healthy one", n)
		}
	})
}
