package pages

import (
	"sync"

	"housecount/aggregator/store/bodies"
)

// mostAppended is how many bytes of bodies Appended holds at most.
const mostAppended = 8 << 20

// Version is a version as it was appended.
type Version struct {
	bodies.Row
	Body string
}

// Appended is what this process appended to a log last. Who follows the log takes it from here, once, instead of reading it back
// from the database; whoever asks again finds it there. It may be used by several goroutines.
type Appended struct {
	mu       sync.Mutex
	epoch    string // of the log
	tenure   string // the one that may write to it
	after    int64  // versions has all versions of the log after this revision, up to its last one
	versions []Version
	size     int // of their bodies
}

// Epoch returns the epoch of the log as it was last known.
func (a *Appended) Epoch() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.epoch
}

// In drops the versions if the log is in another epoch or tenure now: it may have lost them.
func (a *Appended) In(epoch, tenure string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if epoch != a.epoch || tenure != a.tenure {
		a.clear()
		a.epoch, a.tenure = epoch, tenure
	}
}

// Add adds versions with consecutive revisions, which were committed in an epoch and tenure.
func (a *Appended) Add(epoch, tenure string, versions []Version) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(versions) == 0 || epoch != a.epoch || tenure != a.tenure {
		return
	}
	after := versions[0].Revision - 1
	if n := len(a.versions); n == 0 || a.versions[n-1].Revision != after {
		a.clear()
		a.after = after
	}
	a.versions = append(a.versions, versions...)
	for _, v := range versions {
		a.size += len(v.Body)
	}
	if a.size > mostAppended { // nobody takes them
		a.clear()
	}
}

func (a *Appended) clear() { a.versions, a.size = nil, 0 }

// Take takes up to n versions that follow a revision into the room of a page; ok is false if they are not here.
func (a *Appended) Take(after int64, n int, room Page) (p Page, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.versions) == 0 || after < a.after {
		return room, false
	}
	for len(a.versions) > 0 && a.versions[0].Revision <= after { // read from the database before it came here
		a.drop(1)
	}
	if n = min(n, len(a.versions)); n == 0 {
		return room, false
	}
	p = room.emptied()
	for _, v := range a.versions[:n] {
		add(&p, v.Row, v.Body, "")
	}
	a.drop(n)
	return p, true
}

// drop drops the first n versions.
func (a *Appended) drop(n int) {
	for _, v := range a.versions[:n] {
		a.after, a.size = v.Revision, a.size-len(v.Body)
	}
	clear(a.versions[:n]) // the others may stay
	if a.versions = a.versions[n:]; len(a.versions) == 0 {
		a.versions = nil
	}
}
