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

	"housecount/apiclient/sandbox/idp"
)

// faults holds the active faults. They run in real time and are not stored in the journal.
type faults struct {
	seed uint64

	mu     sync.Mutex
	active []*fault
	// reads are the list reads affected by shift, by list and reader, the most recent first.
	reads map[uint64][]shiftedRead
}

// shiftedRead is a read of a list whose rows were shifted. The shift stays for the rest of the read, even after
// the fault has ended. A request for the first page starts another read.
type shiftedRead struct {
	at    int // the page counted from 0, or the offset
	shift int // rows by which the list was shifted
}

type fault struct {
	kind   string
	stream string // empty for every stream
	status int
	every  int     // the fault applies to every nth request; used when rate is 0
	rate   float64 // the probability that it applies to a request
	delay  time.Duration
	until  time.Time     // zero for no limit
	ended  chan struct{} // closed when cleared before until

	// Guarded by faults.mu:
	seen  int             // requests
	storm int             // requests left in the current storm
	late  map[uint64]bool // the delayed lists, by list and reader
}

// hit is a fault that applies to a request, with the random numbers of this request.
type hit struct {
	*fault
	rng rng
}

func newFaults(o Options) *faults {
	f := &faults{seed: o.Seed, reads: map[uint64][]shiftedRead{}}
	for _, x := range o.Faults {
		f.active = append(f.active, &fault{
			kind: x.Kind, stream: x.Stream, status: x.Status, every: 1, rate: x.Rate, delay: x.Delay,
			ended: make(chan struct{}), late: map[uint64]bool{},
		})
	}
	return f
}

// set activates a fault, replacing one of the same kind and stream. With For 0 it clears faults instead: an empty
// kind means every kind, an empty stream every stream.
func (f *faults) set(c faultCall) error {
	if wrong := c.problems(); len(wrong) > 0 {
		return idp.BadRequest(strings.Join(wrong, "; ") + ".")
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
	f.active = append(f.active, &fault{
		kind: c.Kind, stream: c.Stream, status: c.Status, every: max(c.Every, 1), rate: c.Rate,
		delay: time.Duration(c.Delay * float64(time.Second)), late: map[uint64]bool{},
		until: time.Now().Add(time.Duration(c.For * float64(time.Second))), ended: make(chan struct{}),
	})
	return nil
}

func (f *faults) clear(matches func(*fault) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.active = slices.DeleteFunc(f.active, func(x *fault) bool {
		if !matches(x) {
			return false
		}
		close(x.ended)
		return true
	})
}

func (f *faults) clearAll() { f.clear(func(*fault) bool { return true }) }

// match returns the faults that apply to a request for the stream, and their effect on the page.
func (f *faults) match(stream string, r *http.Request) ([]hit, tampering) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	f.active = slices.DeleteFunc(f.active, func(x *fault) bool { return !x.until.IsZero() && !now.Before(x.until) })
	if len(f.active) == 0 && len(f.reads) == 0 {
		return nil, tampering{}
	}
	var hits []hit
	var t tampering
	list, at := listOf(r)
	first, shift := at == 0, f.shiftOf(list, at, r)
	for _, x := range f.active {
		if x.stream != "" && x.stream != stream {
			continue
		}
		h := hit{x, x.nextRNG(f.seed)}
		met := x.seen%x.every == 0
		if x.rate > 0 {
			met = h.rng.chance(x.rate)
		}
		switch x.kind {
		case "storm":
			if met && x.storm == 0 {
				x.storm = 3 + h.rng.IntN(8)
			}
			if met = x.storm > 0; met {
				x.storm--
			}
		case "shift":
			if met && !first {
				shift++
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
	if len(f.reads) > 1000 { // abandoned lists
		clear(f.reads)
	}
	if reads := f.reads[list]; shift > 0 || len(reads) > 0 {
		f.reads[list] = append([]shiftedRead{{at, shift}}, reads[:min(len(reads), 3)]...)
	}
	t.shift = shift
	return hits, t
}

// shiftOf removes the read that this request continues and returns its shift, or 0 if there is none. A read that
// was interrupted may resume up to two pages earlier.
func (f *faults) shiftOf(list uint64, at int, r *http.Request) int {
	page := 1
	if v := r.URL.Query(); v.Get("offset") != "" {
		page, _ = intParam(v, "limit", 1, defaultPerPage)
	}
	reads := f.reads[list]
	i := slices.IndexFunc(reads, func(x shiftedRead) bool { return at > 0 && at >= x.at-2*page && at <= x.at+page })
	if i < 0 {
		return 0
	}
	shift := reads[i].shift
	f.reads[list] = slices.Delete(reads, i, i+1)
	return shift
}

// nextRNG counts a request and returns its random numbers.
func (x *fault) nextRNG(seed uint64) rng {
	x.seen++
	h := fnv.New64a()
	h.Write([]byte(x.kind + "/" + x.stream))
	n := mix(mix(seed^h.Sum64()) ^ uint64(x.seen))
	return rng{rand.New(rand.NewPCG(n, mix(n+1)))}
}

// isLate reports whether a list is delayed. The first page of each read decides it.
func (x *fault) isLate(list uint64, first, met bool) bool {
	switch {
	case !first:
	case !met:
		delete(x.late, list)
	default:
		if len(x.late) > 1000 { // abandoned lists
			clear(x.late)
		}
		x.late[list] = true
	}
	return x.late[list]
}

// listOf identifies a list and its reader by the credential, path and filters. at is the page counted from 0, or
// the offset; it is always 0 in cursor style.
func listOf(r *http.Request) (list uint64, at int) {
	v := r.URL.Query()
	h := fnv.New64a()
	fmt.Fprint(h, r.Header.Get("Authorization"), " ", r.URL.Path, "?", filtersOf(v))
	page, _ := intParam(v, "page", 1, 1) // parseWindow reports invalid numbers
	offset, _ := intParam(v, "offset", 0, 0)
	return h.Sum64(), max(page-1, offset, 0)
}
