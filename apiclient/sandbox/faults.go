package sandbox

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// faultKinds are the ways in which the service can be bad, each with what it does. None
// changes the books: what Truth tells stays true. Those marked "served" change what is
// told of records while they are in force, and clients that believe it are wrong until
// they read the records again.
var faultKinds = map[string]string{
	"stall":      "answers nothing until the fault ends, then as always",
	"latency":    "answers late, by half to one and a half times the delay",
	"error":      "answers with the given status; 500 unless given, with a rate one of 500, 502, 503 and 504",
	"rate-limit": "answers 429 with Retry-After",
	"storm":      "answers 429 to a row of 3 to 10 requests",
	"truncate":   "ends the JSON in the middle",
	"reset":      "resets the connection",
	"reset-body": "resets the connection in the middle of the body",
	"endless":    "answers with a body that never ends",
	"huge":       "answers with a body of 1 GB",
	"garbage":    "answers with something that is not JSON",
	"loop":       "answers with page 1 whatever page was asked for",
	"clock-skew": "tells a Date that is off by the delay, which may be negative",
	"duplicate":  "begins a page with the last row of the page before",
	"late":       "tells changes up to the delay late, each by a time of its own, as from a copy; a list is late from its first page on",
	"shift":      "moves the pages after the first on by a row, as if one had come in front; not those by cursor",

	"vanish":         "served: leaves a row out, answers 404 for a single record",
	"test-record":    "served: adds a row that is not in the books, with test true and an id that ends in _test",
	"unknown-status": "served: gives rows a status that nobody knows",
	"absent":         "served: leaves out a field of rows, never one that all services tell",
	"null":           "served: tells null for a field of rows, never one that all services tell",
}

// FaultKinds lists the kinds of fault, in alphabetical order.
func FaultKinds() []string { return slices.Sorted(maps.Keys(faultKinds)) }

// Delays of faults that have one but were not given any.
const (
	defaultLatency = time.Second
	defaultSkew    = 5 * time.Minute
	defaultLate    = 90 * time.Second
)

// Fault is a fault that is in force from the start until it is cleared.
type Fault struct {
	Kind   string
	Stream string // empty for every stream
	// Rate is the chance that a request meets the fault, more than 0 and at most 1. A
	// generator seeded with Options.Seed decides, by the number of the request.
	Rate   float64
	Delay  time.Duration // of latency, clock-skew and late; a default when zero
	Status int           // of error; see there
}

// ParseFaults reads a list like "latency=0.2:800ms,reset,unknown-status=0.05": kinds with
// their rates, 0.1 unless given, and delays. clock-skew has rate 1 unless given.
func ParseFaults(text string) ([]Fault, error) {
	var list []Fault
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		rest, delay, hasDelay := strings.Cut(part, ":")
		kind, rate, hasRate := strings.Cut(rest, "=")
		x := Fault{Kind: kind, Rate: .1}
		if kind == "clock-skew" {
			x.Rate = 1
		}
		var err error
		if hasRate {
			if x.Rate, err = strconv.ParseFloat(rate, 64); err != nil {
				return nil, fmt.Errorf("fault %q: the rate %q is not a number", part, rate)
			}
		}
		if hasDelay {
			if x.Delay, err = time.ParseDuration(delay); err != nil {
				return nil, fmt.Errorf("fault %q: the delay %q is not a duration like 800ms", part, delay)
			}
		}
		if err := x.check(); err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	return list, nil
}

func (x Fault) check() error {
	c := faultCall{Kind: x.Kind, Stream: x.Stream, For: 1, Status: x.Status, Rate: x.Rate, Delay: x.Delay.Seconds()}
	if x.Kind == "" || !(x.Rate > 0) {
		return fmt.Errorf("fault %q has rate %g: it must be a kind with a rate that is more than 0", x.Kind, x.Rate)
	}
	if wrong := c.wrong(); len(wrong) > 0 {
		return fmt.Errorf("fault %q: %s", x.Kind, strings.Join(wrong, "; "))
	}
	return nil
}

// faults are those that are in force. They live in real time and are not journaled.
type faults struct {
	seed uint64

	mu    sync.Mutex
	inUse []*fault
	// shifts are how many rows came in front of the lists that are being read, by reader. A
	// list stays as it is when the fault has ended: rows do not go again.
	shifts map[uint64]int
}

type fault struct {
	kind   string
	stream string // empty for every stream
	status int
	every  int     // only each nth request, when rate is 0
	rate   float64 // the chance to meet it
	delay  time.Duration
	until  time.Time     // zero for as long as it is not cleared
	ended  chan struct{} // closed when cleared before until

	// Guarded by faults.mu:
	seen  int             // requests
	storm int             // requests that are still to meet it
	late  map[uint64]bool // the lists that are, by reader
}

// hit is a fault that a request meets, with the randomness that is its own.
type hit struct {
	*fault
	chance chance
}

func newFaults(o Options) *faults {
	f := &faults{seed: o.Seed, shifts: map[uint64]int{}}
	for _, x := range o.Faults {
		f.inUse = append(f.inUse, &fault{
			kind: x.Kind, stream: x.Stream, status: x.Status, every: 1, rate: x.Rate, delay: x.Delay,
			ended: make(chan struct{}), late: map[uint64]bool{},
		})
	}
	return f
}

// faultCall is the body of /sandbox/fault.
type faultCall struct {
	Kind   string  `json:"kind"`
	Stream string  `json:"stream"`
	For    float64 `json:"for"` // real seconds; 0 clears
	Status int     `json:"status"`
	Every  int     `json:"every"`
	Rate   float64 `json:"rate"`  // instead of every
	Delay  float64 `json:"delay"` // seconds, of latency, clock-skew and late
}

// wrong tells all that is wrong with a call.
func (c faultCall) wrong() []string {
	var wrong []string
	if _, known := faultKinds[c.Kind]; !known && (c.Kind != "" || c.For != 0) {
		wrong = append(wrong, fmt.Sprintf("kind must be one of %s, not %q", strings.Join(FaultKinds(), ", "), c.Kind))
	}
	if c.Stream != "" && !slices.Contains(streamNames(), c.Stream) {
		wrong = append(wrong, fmt.Sprintf("stream must be %s or left out, not %q", strings.Join(streamNames(), ", "), c.Stream))
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
	if !(c.Rate >= 0 && c.Rate <= 1) {
		wrong = append(wrong, "rate must be from 0 to 1")
	}
	if !(c.Delay >= -86400 && c.Delay <= 86400) || c.Delay < 0 && c.Kind != "clock-skew" {
		wrong = append(wrong, "delay must be from 0 to 86400 seconds, that of clock-skew from -86400")
	}
	if c.Kind == "late" && c.Delay > maxLate.Seconds() {
		wrong = append(wrong, fmt.Sprintf("delay of late must be at most %g seconds", maxLate.Seconds()))
	}
	return wrong
}

// set puts a fault in force, in place of one of the same kind and stream, or clears it.
// An empty kind clears every kind, an empty stream every stream.
func (f *faults) set(c faultCall) error {
	if wrong := c.wrong(); len(wrong) > 0 {
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
		kind: c.Kind, stream: c.Stream, status: c.Status, every: max(c.Every, 1), rate: c.Rate,
		delay: time.Duration(c.Delay * float64(time.Second)), late: map[uint64]bool{},
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

// strike returns the faults that a request for the stream meets, and what they do to the
// cut of its page.
func (f *faults) strike(stream string, r *http.Request) ([]hit, tampering) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	f.inUse = slices.DeleteFunc(f.inUse, func(x *fault) bool { return !x.until.IsZero() && !now.Before(x.until) })
	if len(f.inUse) == 0 && len(f.shifts) == 0 {
		return nil, tampering{}
	}
	var hits []hit
	var t tampering
	list, first := listOf(r)
	if first {
		delete(f.shifts, list)
	}
	for _, x := range f.inUse {
		if x.stream != "" && x.stream != stream {
			continue
		}
		h := hit{x, x.draw(f.seed)}
		met := x.seen%x.every == 0
		if x.rate > 0 {
			met = h.chance.in(x.rate)
		}
		switch x.kind {
		case "storm":
			if met && x.storm == 0 {
				x.storm = 3 + h.chance.IntN(8)
			}
			if met = x.storm > 0; met {
				x.storm--
			}
		case "shift":
			if met && !first {
				f.shifts[list]++
			}
		case "late":
			if met = x.isLate(list, first && r.URL.Query().Get("cursor") == "", met); met {
				t.late = max(t.late, cmp.Or(x.delay, defaultLate))
			}
		case "duplicate":
			t.repeat = t.repeat || met
		}
		if met {
			hits = append(hits, h)
		}
	}
	if len(f.shifts) > 1000 { // lists that nobody reads any more
		clear(f.shifts)
	}
	t.shift = f.shifts[list]
	return hits, t
}

// draw counts a request and returns the randomness that belongs to its number.
func (x *fault) draw(seed uint64) chance {
	x.seen++
	h := fnv.New64a()
	h.Write([]byte(x.kind + "/" + x.stream))
	n := mix(mix(seed^h.Sum64()) ^ uint64(x.seen))
	return chance{rand.New(rand.NewPCG(n, mix(n+1)))}
}

// isLate says whether a list is late, which its first page decides.
func (x *fault) isLate(list uint64, first, met bool) bool {
	switch {
	case !first:
	case !met:
		delete(x.late, list)
	default:
		if len(x.late) > 1000 { // lists that nobody reads any more
			clear(x.late)
		}
		x.late[list] = true
	}
	return x.late[list]
}

// listOf tells one reader's list from others; first says that r is for the first page of
// it, or is cut by cursor.
func listOf(r *http.Request) (list uint64, first bool) {
	v := r.URL.Query()
	one := func(name, text string) bool { return v.Get(name) == "" || v.Get(name) == text }
	h := fnv.New64a()
	fmt.Fprint(h, r.Header.Get("Authorization"), " ", r.URL.Path, "?", filtersOf(v))
	return h.Sum64(), one("page", "1") && one("offset", "0")
}

// streamNames are those of all streams, as in their paths.
func streamNames() []string {
	return []string{"events", "tickets", "payments", "contacts", "planning"}
}
