package web

import (
	"sync"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/web/live"
)

// recent caches what a Renderer made in the running minute: contents, so that a page with several viewers is rendered once, and
// evenings, which pages share. A content is stored by its request, which includes the access, and an evening by the halls of the
// access. So nobody is shown what was made for a different access.
type recent struct {
	mu       sync.Mutex
	minute   time.Time
	contents map[Request]live.Content

	making     sync.Mutex // held while an evening is made, so that concurrent callers do not make the same one
	eveningsAt time.Time
	evenings   map[string]madeEvening // of that minute, by the halls of the access
	before     map[string]madeEvening // of the last minute before it that has any
}

// madeEvening is an evening with the snapshot that it was made from.
type madeEvening struct {
	*evening.Evening
	snapshot *figures.Snapshot
}

// mostRecent limits the number of cached requests; a festival views about as many pages.
const mostRecent = 64

// of returns the newest content of a request, the zero Content if none is cached.
func (r *recent) of(q Request) live.Content {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.contents[q]
}

// remember stores the content of a request, made for a minute.
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

// eveningOf returns the evening of a snapshot within an access, at a minute. It reuses what the last evening shares with it.
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
