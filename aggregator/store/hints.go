package store

import (
	"sync"

	"housecount/aggregator/store/engine"
)

// Subject is a part of the store that changes on its own.
type Subject string

// The subjects.
const (
	SubjectLog      Subject = "log"
	SubjectSessions Subject = "sessions"
	SubjectScreens  Subject = "screens"
	SubjectAudit    Subject = "audit"
	SubjectPresence Subject = "presence"
	SubjectNudge    Subject = "nudge"
	SubjectLetters  Subject = "letters"

	subjectLease Subject = engine.LeaseFreed
)

var subjects = []Subject{SubjectLog, SubjectSessions, SubjectScreens, SubjectAudit, SubjectPresence, SubjectNudge, SubjectLetters, subjectLease}

// hints passes on that subjects changed.
type hints struct {
	mu       sync.Mutex
	watchers map[Subject]map[chan struct{}]bool
}

func newHints() *hints { return &hints{watchers: map[Subject]map[chan struct{}]bool{}} }

func (h *hints) watch(of []Subject) (<-chan struct{}, func()) {
	c := make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, subject := range of {
		if h.watchers[subject] == nil {
			h.watchers[subject] = map[chan struct{}]bool{}
		}
		h.watchers[subject][c] = true
	}
	return c, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		for _, subject := range of {
			delete(h.watchers[subject], c)
		}
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

// engineHints passes on what an engine notices of other processes.
type engineHints struct{ *hints }

func (h engineHints) Hint(subject string) { h.hint(Subject(subject)) }

func (h engineHints) HintLog() { h.hint(SubjectLog, subjectLease) }

func (h engineHints) HintHolders() {
	h.hint(SubjectSessions, SubjectScreens, SubjectAudit, SubjectPresence)
}

func (h engineHints) HintAll() { h.hint(subjects...) }
