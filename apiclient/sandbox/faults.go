package sandbox

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

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

// listOf distinguishes one reader's list from others; first is true when r is for the first page of
// it, or is cut by cursor.
func listOf(r *http.Request) (list uint64, first bool) {
	v := r.URL.Query()
	one := func(name, text string) bool { return v.Get(name) == "" || v.Get(name) == text }
	h := fnv.New64a()
	fmt.Fprint(h, r.Header.Get("Authorization"), " ", r.URL.Path, "?", filtersOf(v))
	return h.Sum64(), one("page", "1") && one("offset", "0")
}
