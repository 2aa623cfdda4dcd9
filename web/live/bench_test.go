package live_test

import (
	"fmt"
	"net"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkPush sends changes of 1 kB to sockets of another process on this machine, and after
// each the same number of bytes by a bare loop of write(2) to as many bare sockets. It reports
// what both cost this process in CPU, and how many times the bare loop the hub costs.
func BenchmarkPush(b *testing.B) {
	for _, n := range []int{1000, 5000, 9000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchmarkPush(b, "ws", n) })
	}
	b.Run("tls/1000", func(b *testing.B) { benchmarkPush(b, "wss", 1000) })
}

func benchmarkPush(b *testing.B, mode string, n int) {
	change, _ := crowd(b, mode, n)
	write := bareLoop(b, n)
	var hub, bare time.Duration
	for b.Loop() {
		began := cpu(b)
		change()
		between := cpu(b)
		write()
		hub, bare = hub+between-began, bare+cpu(b)-between
	}
	messages := float64(b.N * n)
	b.ReportMetric(float64(hub.Microseconds())/messages, "hub-µs/message")
	b.ReportMetric(float64(bare.Microseconds())/messages, "bare-µs/message")
	b.ReportMetric(float64(hub)/float64(bare), "ratio")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkIdleSocket reports what an open socket costs in memory when nothing happens.
func BenchmarkIdleSocket(b *testing.B) {
	const n = 5000
	for _, mode := range []string{"ws", "wss"} {
		b.Run(mode, func(b *testing.B) {
			var heap, stacks uint64
			for b.Loop() {
				_, leave := crowd(b, mode, n)
				heap, stacks = memory()
				leave()
				h, s := memory()
				heap, stacks = heap-h, stacks-s
			}
			b.ReportMetric(float64(heap+stacks)/n, "B/socket")
			b.ReportMetric(float64(stacks)/n, "stack-B/socket")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// memory returns what the heap and the stacks hold.
func memory() (heap, stacks uint64) {
	runtime.GC()
	runtime.GC() // stacks shrink, pools are emptied
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc, m.StackInuse
}

// crowd opens n sockets of one topic. change changes it and returns once all have got it; leave
// closes them.
func crowd(b *testing.B, mode string, n int) (change, leave func()) {
	s := newStadium(b, mode == "wss", 700)
	p := newPeers(b, mode, s.server.Listener.Addr().String(), n)
	p.await("round") // the whole topic
	change = func() {
		s.change()
		p.await("round")
	}
	return change, func() {
		p.stop()
		for s.hub.Watchers() > 0 {
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// bareLoop returns a function that writes a frame to each of n sockets and returns once all have
// got it.
func bareLoop(b *testing.B, n int) (write func()) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { ln.Close() })
	conns := make(chan []net.Conn)
	go func() {
		var all []net.Conn
		for range n {
			c, err := ln.Accept()
			if err != nil {
				break
			}
			all = append(all, c)
		}
		conns <- all
	}()
	p := newPeers(b, "bare", ln.Addr().String(), n)
	var fds []int
	for _, c := range <-conns {
		b.Cleanup(func() { c.Close() })
		raw, err := c.(*net.TCPConn).SyscallConn()
		if err != nil {
			b.Fatal(err)
		}
		raw.Control(func(fd uintptr) { fds = append(fds, int(fd)) })
	}
	frame := append([]byte{0x81, 126, 0x03, 0xb6}, strings.Repeat("x", 950)...)
	return func() {
		for _, fd := range fds {
			if n, err := syscall.Write(fd, frame); n != len(frame) || err != nil {
				b.Fatal(n, err)
			}
		}
		p.await("round")
	}
}

// cpu returns what this process has used of it.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
