package web

import (
	"sync"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/web/live"
)

// recent is what a Renderer made last in the running minute, so that a page which others look at
// is not rendered again for everybody who loads it, and an evening is not made again for every
// page of it. A request holds its access, so that nobody is shown what was made for another.
type recent struct {
	mu       sync.Mutex
	minute   time.Time
	contents map[Request]live.Content

	making     sync.Mutex // of evenings; whoever waits for one would make the same
	eveningsAt time.Time
	evenings   map[string]madeEvening // of that minute, by the halls of the access
	before     map[string]madeEvening // of the minute before in which there was any
}

// madeEvening is an evening with what it was made of.
type madeEvening struct {
	*evening.Evening
	snapshot *figures.Snapshot
}

// mostRecent is how many requests are remembered. A festival has as many pages that people look at.
const mostRecent = 64

// of is the newest content of a request, the zero Content where none is remembered.
func (r *recent) of(q Request) live.Content {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.contents[q]
}

// remember keeps the content of a request that was made for a minute.
func (r *recent) remember(q Request, minute time.Time, c live.Content) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !minute.Equal(r.minute) {
		r.minute, r.contents = minute, make(map[Request]live.Content)
	}
	if _, ok := r.contents[q]; !ok && len(r.contents) == mostRecent {
		for old := range r.contents {
			delete(r.contents, old)
			break
		}
	}
	r.contents[q] = c
}

// eveningOf is the evening of what an access includes of a snapshot, at a minute. What it shares
// with the last one is not made again.
func (r *recent) eveningOf(a Access, s *figures.Snapshot, minute time.Time) *evening.Evening {
	r.making.Lock()
	defer r.making.Unlock()
	if !minute.Equal(r.eveningsAt) {
		r.eveningsAt, r.evenings, r.before = minute, make(map[string]madeEvening), r.evenings
	}
	made, ok := r.evenings[a.halls]
	if !ok {
		made = r.before[a.halls]
	}
	if !ok || made.snapshot != s {
		made = madeEvening{evening.After(s, made.Evening, minute), s}
		r.evenings[a.halls] = made
	}
	return made.Evening
}
