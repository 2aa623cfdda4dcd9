package live_test

import (
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"housecount/web/live"
)

// BenchmarkBroadcast1000 measures a change of 1 kB on its way to 1,000 sockets in this
// process, each drained by a goroutine: rendering, finding what changed, encoding once,
// and 1,000 writes. What a kernel adds to a write is not in it.
func BenchmarkBroadcast1000(b *testing.B) {
	const sockets = 1000
	filling := strings.Repeat("x", 850)
	h := open(b, live.Options{Tick: time.Nanosecond})
	var round, arrived atomic.Int64
	all := make(chan struct{}, 1)
	for range sockets {
		var raw net.Conn
		d := h.dialer(func(c net.Conn) net.Conn { raw = c; return c })
		if _, _, err := d.Dial("ws://house/live", http.Header{"Origin": {origin}}); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { raw.Close() })
		go func() {
			buf := make([]byte, 4096) // a frame is one write, so one read
			for {
				n, err := raw.Read(buf)
				if err != nil {
					return
				}
				if n < 100 { // a beat
					continue
				}
				if arrived.Add(1)%sockets == 0 {
					all <- struct{}{}
				}
			}
		}()
	}
	<-all // the whole topic
	for b.Loop() {
		h.show(paragraph(strconv.FormatInt(1_000_000+round.Add(1), 10) + filling))
		h.hub.Wake("hall")
		<-all
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*sockets), "ns/delivery")
}
