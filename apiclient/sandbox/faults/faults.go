// Package faults has what can go wrong with a service on purpose: late, broken and refused answers, and rows that are
// changed. It changes answers, never the records behind them, and knows rows only as JSON.
package faults

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"housecount/apiclient/sandbox/idp"
)

// Setup is what the faults need of the service that they apply to.
type Setup struct {
	Log *slog.Logger
	// Streams are the names of all streams, as used in paths.
	Streams []string
	// Place returns where in a list a request asks.
	Place func(r *http.Request) Place
	// Draw returns the random numbers of the nth request that a fault sees; name is the fault's.
	Draw func(name string, n int) *rand.Rand
}

// Place is where in a list a request asks.
type Place struct {
	List uint64 // a hash of the list and its reader
	At   int    // the page counted from 0, or the offset; always 0 in cursor style
	Page int    // how far a page advances At
	// Cursor is true if the request has a cursor.
	Cursor bool
}

// Active holds the active faults. They run in real time and are not stored in the journal. It is safe for concurrent use.
type Active struct {
	Setup

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

	// Guarded by Active.mu:
	seen  int             // requests
	storm int             // requests left in the current storm
	late  map[uint64]bool // the delayed lists, by list and reader
}

// hit is a fault that applies to a request, with the random numbers of this request.
type hit struct {
	*fault
	rng *rand.Rand
}

// chance returns true with probability p.
func (h hit) chance(p float64) bool { return h.rng.Float64() < p }

// New returns faults that are active from the start until they are cleared.
func New(s Setup, from []Fault) *Active {
	f := &Active{Setup: s, reads: map[uint64][]shiftedRead{}}
	for _, x := range from {
		f.active = append(f.active, &fault{
			kind: x.Kind, stream: x.Stream, status: x.Status, every: 1, rate: x.Rate, delay: x.Delay,
			ended: make(chan struct{}), late: map[uint64]bool{},
		})
	}
	return f
}

// Set activates a fault, replacing one of the same kind and stream. With For 0 it clears faults instead: an empty
// kind means every kind, an empty stream every stream.
func (f *Active) Set(c Call) error {
	if wrong := c.problems(f.Streams); len(wrong) > 0 {
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

func (f *Active) clear(matches func(*fault) bool) {
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

// ClearAll clears all faults, which ends the responses that they hold open.
func (f *Active) ClearAll() { f.clear(func(*fault) bool { return true }) }

// match returns the faults that apply to a request for the stream, and their effect on the page.
func (f *Active) match(stream string, r *http.Request) ([]hit, Tampering) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	f.active = slices.DeleteFunc(f.active, func(x *fault) bool { return !x.until.IsZero() && !now.Before(x.until) })
	if len(f.active) == 0 && len(f.reads) == 0 {
		return nil, Tampering{}
	}
	var hits []hit
	var t Tampering
	at := f.Place(r)
	first, shift := at.At == 0, f.shiftOf(at)
	for _, x := range f.active {
		if x.stream != "" && x.stream != stream {
			continue
		}
		x.seen++
		h := hit{x, f.Draw(x.kind+"/"+x.stream, x.seen)}
		met := x.seen%x.every == 0
		if x.rate > 0 {
			met = h.chance(x.rate)
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
			if met = x.isLate(at.List, first && !at.Cursor, met); met {
				t.Late = max(t.Late, cmp.Or(x.delay, defaultLate))
			}
		case "duplicate":
			t.Repeat = t.Repeat || met
		}
		if met {
			hits = append(hits, h)
		}
	}
	if len(f.reads) > 1000 { // abandoned lists
		clear(f.reads)
	}
	if reads := f.reads[at.List]; shift > 0 || len(reads) > 0 {
		f.reads[at.List] = append([]shiftedRead{{at.At, shift}}, reads[:min(len(reads), 3)]...)
	}
	t.Shift = shift
	return hits, t
}

// shiftOf removes the read that this request continues and returns its shift, or 0 if there is none. A read that
// was interrupted may resume up to two pages earlier.
func (f *Active) shiftOf(p Place) int {
	reads := f.reads[p.List]
	i := slices.IndexFunc(reads, func(x shiftedRead) bool { return p.At > 0 && p.At >= x.at-2*p.Page && p.At <= x.at+p.Page })
	if i < 0 {
		return 0
	}
	shift := reads[i].shift
	f.reads[p.List] = slices.Delete(reads, i, i+1)
	return shift
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

// Tampering is the effect of faults on a page.
type Tampering struct {
	Shift  int           // rows inserted at the front since the first page
	Repeat bool          // the page starts with the last row of the previous one
	Late   time.Duration // the longest delay of changes
}

type tamperingKey struct{}

func (t Tampering) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, tamperingKey{}, t)
}

// TamperingOf returns the effect of faults on the page that a request asks for.
func TamperingOf(ctx context.Context) Tampering {
	t, _ := ctx.Value(tamperingKey{}).(Tampering)
	return t
}
