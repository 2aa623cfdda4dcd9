package handlers

import (
	"slices"
	"sync"
	"time"
)

const (
	// pendingLimit is how long a session may answer what it was asked, and mostPending the most questions, of all sessions, that
	// wait for an answer: each view of a page asks anew for each service.
	pendingLimit = 10 * time.Minute
	mostPending  = 256
)

// pending holds what sessions were asked and have not answered yet. It is safe for concurrent use.
type pending[T any] struct {
	mu  sync.Mutex
	all []asked[T] // the oldest first
}

type asked[T any] struct {
	id, session string
	about       T
	until       time.Time
}

// put adds what a session is asked, by an id that nobody can guess.
func (p *pending[T]) put(id, session string, about T, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all[max(0, len(p.all)-mostPending+1):], asked[T]{id, session, about, now.Add(pendingLimit)})
}

// take returns what a session was asked and removes it, so that it is answered once.
func (p *pending[T]) take(id, session string, now time.Time) (about T, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.all, func(one asked[T]) bool { return one.id == id && one.session == session && now.Before(one.until) })
	if i < 0 {
		return about, false
	}
	about = p.all[i].about
	p.all = slices.Delete(p.all, i, i+1)
	return about, true
}
