package live_test

import (
	"bufio"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// A test that needs thousands of sockets has their other ends in another process, this program
// again, so that what it measures is the server's own.
func TestMain(m *testing.M) {
	if spec := os.Getenv("SOCKET_PEER"); spec != "" {
		if err := peer(spec); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// large is the size in bytes from which a frame is one of the rounds that are counted.
const large = 600

// peer opens sockets and reads them until its input ends. It writes a line each time every
// socket has got one more large frame. The spec is mode, address and number, with spaces
// between; the mode is ws, wss, or bare for sockets without a handshake.
func peer(spec string) error {
	var mode, address string
	var n int
	if _, err := fmt.Sscan(spec, &mode, &address, &n); err != nil {
		return err
	}
	var frames atomic.Int64
	var lines sync.Mutex
	for range n {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return err
		}
		if mode == "wss" {
			conn = tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
		}
		r := bufio.NewReaderSize(conn, 2048)
		if mode != "bare" {
			fmt.Fprintf(conn, "GET /live HTTP/1.1\r\nHost: house\r\nOrigin: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
				"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", origin)
			for line := ""; line != "\r\n"; {
				if line, err = r.ReadString('\n'); err != nil {
					return err
				}
			}
		}
		go func() {
			for {
				size, err := skipFrame(r)
				if err != nil {
					return
				}
				if size >= large && frames.Add(1)%int64(n) == 0 {
					lines.Lock()
					fmt.Println("round")
					lines.Unlock()
				}
			}
		}()
	}
	fmt.Println("open")
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

// skipFrame reads one frame of a server and returns the length of what is in it.
func skipFrame(r *bufio.Reader) (int, error) {
	var head [8]byte
	if _, err := io.ReadFull(r, head[:2]); err != nil {
		return 0, err
	}
	size := int(head[1])
	switch size {
	case 126:
		if _, err := io.ReadFull(r, head[:2]); err != nil {
			return 0, err
		}
		size = int(binary.BigEndian.Uint16(head[:2]))
	case 127:
		if _, err := io.ReadFull(r, head[:8]); err != nil {
			return 0, err
		}
		size = int(binary.BigEndian.Uint64(head[:8]))
	}
	return r.Discard(size)
}

// peers is a process of peers.
type peers struct {
	t     testing.TB
	lines *bufio.Scanner
	said  map[string]int // the lines that nobody has awaited yet
	// stop closes the sockets.
	stop func()
}

// newPeers starts n of them, and returns when all are open. They end with the test at the latest.
func newPeers(t testing.TB, mode, address string, n int) *peers {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "SOCKET_PEER="+strings.Join([]string{mode, address, strconv.Itoa(n)}, " "))
	cmd.Stderr = t.Output()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &peers{t: t, lines: bufio.NewScanner(out), said: make(map[string]int)}
	p.stop = sync.OnceFunc(func() {
		in.Close()
		for p.lines.Scan() {
		}
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(p.stop)
	p.await("open")
	return p
}

// await returns once they have said what as often as it was awaited. The first round may come
// before they say that all are open.
func (p *peers) await(what string) {
	p.t.Helper()
	for p.said[what] == 0 {
		if !p.lines.Scan() {
			p.t.Fatalf("the peers end before they say %q: %v", what, p.lines.Err())
		}
		p.said[p.lines.Text()]++
	}
	p.said[what]--
}
