package live_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"housecount/web/live"
)

// sockets returns the two ends of a connection with small buffers.
func sockets(t testing.TB) (server, client *net.TCPConn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	c, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	s, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(); c.Close() })
	server, client = s.(*net.TCPConn), c.(*net.TCPConn)
	if err := errors.Join(server.SetWriteBuffer(1<<16), client.SetReadBuffer(1<<17)); err != nil {
		t.Fatal(err)
	}
	return server, client
}

// Whatever is written while the peer takes it slowly, it gets in the order of writing.
func TestOrderOfWrites(t *testing.T) {
	server, client := sockets(t)
	c := live.NonBlocking(server, 10*time.Second, func() {})
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	const writes = 900 // less than may be owed
	go func() {
		for n := range writes {
			record := bytes.Repeat(binary.BigEndian.AppendUint32(nil, uint32(n)), 1+random.IntN(400))
			if _, err := c.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(record))), record...)); err != nil {
				t.Error(err)
			}
			for random.IntN(8) == 0 && c.Lags() {
				time.Sleep(time.Millisecond)
			}
		}
	}()
	for n := range writes {
		var size uint32
		if err := binary.Read(client, binary.BigEndian, &size); err != nil {
			t.Fatal(err)
		}
		record := make([]byte, size)
		if _, err := io.ReadFull(client, record); err != nil {
			t.Fatal(err)
		}
		if want := bytes.Repeat(binary.BigEndian.AppendUint32(nil, uint32(n)), int(size/4)); !bytes.Equal(record, want) {
			t.Fatalf("record %d is another", n)
		}
	}
}

// A write takes no time however little the peer takes. What it is owed has a bound, and the
// connection then fails.
func TestWhatIsOwedIsBounded(t *testing.T) {
	server, _ := sockets(t)
	var refused atomic.Bool // until then the operating system's buffers may grow and take all that is owed
	c := live.NonBlocking(server, time.Minute, func() {
		if refused.Load() {
			t.Error("drained")
		}
	})
	began, owed := time.Now(), 0
	var err error
	for err == nil && owed < 4*live.QueueLimit {
		var n int
		n, err = c.Write(make([]byte, 125))
		owed += n
	}
	refused.Store(true)
	if err == nil || owed > 2*live.QueueLimit { // the operating system's own buffers are beyond the bound
		t.Errorf("%d bytes are owed, %v", owed, err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	c.Close()
	c.Wait()
}

// One message is taken whole, whatever its size; it is no use in part.
func TestOneMessageIsTakenWhole(t *testing.T) {
	server, client := sockets(t)
	drained := make(chan struct{}, 1)
	c := live.NonBlocking(server, time.Minute, func() { drained <- struct{}{} })
	if n, err := c.Write(make([]byte, 3*live.QueueLimit)); n != 3*live.QueueLimit || err != nil {
		t.Fatal(n, err)
	}
	if !c.Lags() {
		t.Error("all of it was taken at once")
	}
	if _, err := io.CopyN(io.Discard, client, 3*live.QueueLimit); err != nil {
		t.Fatal(err)
	}
	<-drained
	if c.Lags() {
		t.Error("it lags though nothing is owed")
	}
}

// Messages that are held are taken whole as one is, where nothing was owed before; otherwise they
// are bounded.
func TestWhatIsHeldIsTakenWhole(t *testing.T) {
	server, client := sockets(t)
	drained := make(chan struct{}, 1)
	c := live.NonBlocking(server, time.Minute, func() { drained <- struct{}{} })
	const size = 3 * live.QueueLimit
	c.Hold()
	for _, n := range []int{40, size, 40} {
		if wrote, err := c.Write(make([]byte, n)); wrote != n || err != nil {
			t.Fatal(wrote, err)
		}
	}
	if err := c.Release(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, client, size+80); err != nil {
		t.Fatal(err)
	}
	<-drained

	if _, err := c.Write(make([]byte, size)); err != nil {
		t.Fatal(err)
	}
	c.Hold()
	if _, err := c.Write(make([]byte, 40)); err == nil {
		t.Error("what is held is taken though more than the bound was owed before")
	}
	c.Close()
	c.Wait()
}

// gaveWay is a listener of connections that count what they are to read from others.
type gaveWay struct {
	net.Listener
	n *atomic.Int64
}

func (l gaveWay) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &readsFrom{c.(*net.TCPConn), l.n}, nil
}

type readsFrom struct {
	*net.TCPConn
	n *atomic.Int64
}

func (c *readsFrom) ReadFrom(r io.Reader) (int64, error) {
	c.n.Add(1)
	return c.TCPConn.ReadFrom(r)
}

// Until it is taken over a connection is to a server what it is without Listen: it is given whole
// files, and it can end one direction and still read the other.
func TestTheUsualConnectionShowsThrough(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	var given atomic.Int64
	accepted := live.Listen(gaveWay{ln, &given})
	client, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server, err := accepted.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	if n, err := io.Copy(server, io.LimitReader(strings.NewReader("whole file"), 10)); n != 10 || err != nil || given.Load() != 1 {
		t.Errorf("%d bytes, %v, %d of 1 given to the connection beneath", n, err, given.Load())
	}
	half, ok := server.(interface{ CloseWrite() error })
	if !ok {
		t.Fatal("it cannot end one direction")
	}
	if err := half.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(client); string(got) != "whole file" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := client.Write([]byte("answer")); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 6)
	if _, err := io.ReadFull(server, got); string(got) != "answer" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// A connection that was taken over takes what it is to read from another without blocking.
func TestReadFromOnceTakenOver(t *testing.T) {
	server, _ := sockets(t)
	c := live.NonBlocking(server, time.Minute, func() {})
	if n, err := c.ReadFrom(bytes.NewReader(make([]byte, 3*live.QueueLimit))); n != 3*live.QueueLimit || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	if !c.Lags() {
		t.Error("all of it was taken at once")
	}
	if err := c.CloseWrite(); err == nil {
		t.Error("it ends while it owes")
	}
	c.Close()
	c.Wait()
}

// A peer that does not take what it is owed in time ends the connection; one that has taken it
// is written to at any later time.
func TestWriteTimeout(t *testing.T) {
	server, client := sockets(t)
	drained := make(chan struct{}, 9)
	const timeout = time.Second
	c := live.NonBlocking(server, timeout, func() { drained <- struct{}{} })
	for range 2 {
		if _, err := c.Write(make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(io.Discard, client, 1<<20); err != nil {
			t.Fatal(err)
		}
		<-drained
		<-time.After(timeout + 50*time.Millisecond) // by now the drainer's deadline has passed
	}
	if _, err := c.Write([]byte("late")); err != nil {
		t.Error("a write after the deadline of one before:", err)
	}
	if _, err := c.Write(make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Read(make([]byte, 4)); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	c.Wait()
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("given up after %v", took)
	}
	if _, err := c.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("then a write fails with %v", err)
	}
}

// A connection whose peer has gone fails, and leaves nothing behind.
func TestAPeerThatGoes(t *testing.T) {
	server, client := sockets(t)
	c := live.NonBlocking(server, time.Minute, func() {})
	client.Close()
	var err error
	for range 1000 {
		if _, err = c.Write(make([]byte, 10_000)); err != nil {
			break
		}
	}
	if err == nil {
		t.Error("writes to nobody do not fail")
	}
	c.Close()
	c.Wait()
}
