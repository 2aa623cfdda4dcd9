package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// faultKinds are the ways in which the service can be bad, each with what it does.
var faultKinds = map[string]string{
	"stall":      "answers nothing until the fault ends, then as always",
	"error":      "answers with the given status, 500 unless given",
	"rate-limit": "answers 429 with Retry-After",
	"truncate":   "ends the JSON in the middle",
	"reset":      "resets the connection",
	"endless":    "answers with a body that never ends",
	"huge":       "answers with a body of 1 GB",
	"garbage":    "answers with something that is not JSON",
	"loop":       "answers with page 1 whatever page was asked for",
}

// faults are those that are in force. They live in real time and are not journaled.
type faults struct {
	mu    sync.Mutex
	inUse []*fault
}

type fault struct {
	kind   string
	stream string // empty for every stream
	status int
	every  int // only each nth request
	until  time.Time
	ended  chan struct{} // closed when cleared before until

	seen int // requests, guarded by faults.mu
}

func newFaults() *faults { return &faults{} }

// faultCall is the body of /sandbox/fault.
type faultCall struct {
	Kind   string  `json:"kind"`
	Stream string  `json:"stream"`
	For    float64 `json:"for"` // real seconds; 0 clears
	Status int     `json:"status"`
	Every  int     `json:"every"`
}

// set puts a fault in force, in place of one of the same kind and stream, or clears it.
// An empty kind clears every kind, an empty stream every stream.
func (f *faults) set(c faultCall) error {
	var wrong []string
	if _, known := faultKinds[c.Kind]; !known && (c.Kind != "" || c.For != 0) {
		wrong = append(wrong, fmt.Sprintf("kind must be one of %s, not %q", strings.Join(slices.Sorted(maps.Keys(faultKinds)), ", "), c.Kind))
	}
	if !slices.Contains([]string{"", "events", "tickets", "payments"}, c.Stream) {
		wrong = append(wrong, fmt.Sprintf("stream must be events, tickets, payments or left out, not %q", c.Stream))
	}
	if !(c.For >= 0 && c.For <= 86400) {
		wrong = append(wrong, "for must be from 0 to 86400 seconds")
	}
	if c.Status != 0 && (c.Status < 400 || c.Status > 599) {
		wrong = append(wrong, "status must be from 400 to 599")
	}
	if c.Every < 0 {
		wrong = append(wrong, "every must not be negative")
	}
	if len(wrong) > 0 {
		return badRequest(strings.Join(wrong, "; ") + ".")
	}
	if c.For == 0 {
		f.clear(func(x *fault) bool {
			return (c.Kind == "" || x.kind == c.Kind) && (c.Stream == "" || x.stream == c.Stream)
		})
		return nil
	}
	f.clear(func(x *fault) bool { return x.kind == c.Kind && x.stream == c.Stream })
	f.mu.Lock()
	defer f.mu.Unlock()
	f.inUse = append(f.inUse, &fault{
		kind: c.Kind, stream: c.Stream, status: c.Status, every: max(c.Every, 1),
		until: time.Now().Add(time.Duration(c.For * float64(time.Second))), ended: make(chan struct{}),
	})
	return nil
}

func (f *faults) clear(which func(*fault) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.inUse = slices.DeleteFunc(f.inUse, func(x *fault) bool {
		if !which(x) {
			return false
		}
		close(x.ended)
		return true
	})
}

func (f *faults) clearAll() { f.clear(func(*fault) bool { return true }) }

// strike returns the fault that a request for the stream meets, nil for none.
func (f *faults) strike(stream string) *fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	f.inUse = slices.DeleteFunc(f.inUse, func(x *fault) bool { return !now.Before(x.until) })
	for _, x := range f.inUse {
		if x.stream != "" && x.stream != stream {
			continue
		}
		if x.seen++; x.seen%x.every == 0 {
			return x
		}
	}
	return nil
}

// faulty lets requests for a stream meet the faults in force.
func (s *Sandbox) faulty(stream string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f := s.faults.strike(stream)
		if f == nil {
			next.ServeHTTP(w, r)
			return
		}
		s.log.Debug("fault", "kind", f.kind, "stream", stream)
		f.serve(w, r, next)
	})
}

func (f *fault) serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	switch f.kind {
	case "stall":
		if f.wait(r.Context()) {
			next.ServeHTTP(w, r)
		}
	case "error":
		status := f.status
		if status == 0 {
			status = http.StatusInternalServerError
		}
		writeProblem(w, status, "This fault was asked for.")
	case "rate-limit":
		w.Header().Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(time.Until(f.until).Seconds())))))
		writeProblem(w, http.StatusTooManyRequests, "Too many requests; this fault was asked for.")
	case "truncate":
		whole := &buffered{header: w.Header(), status: http.StatusOK}
		next.ServeHTTP(whole, r)
		w.WriteHeader(whole.status)
		w.Write(whole.body.Bytes()[:whole.body.Len()/2])
	case "reset":
		reset(w)
	case "endless":
		w.Header().Set("Content-Type", "application/json")
		f.pour(w, math.MaxInt64)
	case "huge":
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(1<<30))
		f.pour(w, 1<<30)
	case "garbage":
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte("<!doctype html><title>Maintenance</title><p>Back soon."))
	case "loop":
		first := r.Clone(r.Context())
		q := first.URL.Query()
		q.Set("page", "1")
		first.URL.RawQuery = q.Encode()
		next.ServeHTTP(w, first)
	}
}

// wait lasts until the request or the fault is over; it says whether somebody still waits
// for an answer.
func (f *fault) wait(ctx context.Context) bool {
	timer := time.NewTimer(time.Until(f.until))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-f.ended:
	case <-timer.C:
	}
	return true
}

// pour writes the beginning of a list and then white space, n bytes in all, until the
// request or the fault is over.
func (f *fault) pour(w http.ResponseWriter, n int64) {
	// Where no deadline can be set, a reader that stops reading holds us until it goes.
	_ = http.NewResponseController(w).SetWriteDeadline(f.until)
	space := bytes.Repeat([]byte(" "), 64<<10)
	chunk := append([]byte(`{"data":[`), space...)
	for n > 0 {
		select {
		case <-f.ended:
			return
		default:
		}
		wrote, err := w.Write(chunk[:min(int64(len(chunk)), n)])
		if err != nil {
			return
		}
		n -= int64(wrote)
		chunk = space
	}
}

// reset ends the connection with a TCP reset.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil { // HTTP/2 has no connection to give: abort the stream
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close() // it is gone either way
}

// buffered keeps an answer back.
type buffered struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (b *buffered) Header() http.Header         { return b.header }
func (b *buffered) WriteHeader(status int)      { b.status = status }
func (b *buffered) Write(p []byte) (int, error) { return b.body.Write(p) }
