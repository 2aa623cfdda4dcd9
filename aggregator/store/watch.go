package store

import (
	"context"
	"sync"
)

// Subject is a part of the store that changes on its own.
type Subject string

// The subjects.
const (
	SubjectLog      Subject = "log"
	SubjectSessions Subject = "sessions"

	subjectLease Subject = "lease" // somebody gave the lease back
)

var subjects = []Subject{SubjectLog, SubjectSessions, subjectLease}

// Watch returns a channel that receives after the subject may have changed: at once when
// this process changes it, and while Run runs also when another does. stop ends it; the
// channel is never closed.
func (s *Store) Watch(subject Subject) (hints <-chan struct{}, stop func()) {
	return s.hints.watch(subject)
}

// Run watches for what other processes change, until ctx ends; then it returns nil. With
// SQLite it notices within a second; with PostgreSQL at once, and where its notifications are
// lost within two seconds, or four for sessions. While the database cannot be reached it tries again, and hints
// everything once it can.
func (s *Store) Run(ctx context.Context) error {
	if err := s.database.watch(ctx, s); err != nil && ctx.Err() == nil {
		return s.failed("watch", err)
	}
	return nil
}

// hints passes on that subjects changed.
type hints struct {
	mu       sync.Mutex
	watchers map[Subject]map[chan struct{}]bool
}

func newHints() *hints { return &hints{watchers: map[Subject]map[chan struct{}]bool{}} }

func (h *hints) watch(subject Subject) (<-chan struct{}, func()) {
	c := make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watchers[subject] == nil {
		h.watchers[subject] = map[chan struct{}]bool{}
	}
	h.watchers[subject][c] = true
	return c, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.watchers[subject], c)
	}
}

// hint never blocks: a watcher that has a hint waiting needs no second.
func (h *hints) hint(of ...Subject) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, subject := range of {
		for c := range h.watchers[subject] {
			select {
			case c <- struct{}{}:
			default:
			}
		}
	}
}
