// Package outage knows whether the database answers, and who was verified shortly before it did not, so that people go
// on seeing pages meanwhile.
package outage

import (
	"errors"
	"sync"
	"time"

	"housecount/aggregator/store"
)

const (
	// awayAfter is how long the database has to fail to count as away: a page that meets a shorter break waits for it.
	awayAfter = 2 * time.Second
	// verifiedFor is how long before that somebody was verified at the latest who goes on seeing pages.
	verifiedFor = time.Minute
	// awayLogged is how often it is logged that the database is still away.
	awayLogged = 10 * time.Minute
)

// Outage knows whether the database answers, and who was verified when; a person is a P. Its methods may be called from
// any goroutine.
type Outage[P any] struct {
	limit time.Duration

	mu sync.Mutex
	// failing is since when the database does not answer, or cannot be written; away is true once that counts.
	failing    time.Time
	away       bool
	unwritable bool // it answers
	logged     time.Time
	answering  time.Time                  // since when it answers, if it does
	verified   map[string]verification[P] // by token
}

// verification is who a session was of when it was last read.
type verification[P any] struct {
	who  P
	ends time.Time // the session does at the latest
	at   time.Time
}

// New returns an Outage of a database that answers. limit is for how long, while it does not, people are remembered who
// were verified shortly before; 0 for not at all.
func New[P any](limit time.Duration) *Outage[P] {
	return &Outage[P]{limit: limit, answering: time.Now(), verified: make(map[string]verification[P])}
}

// State is a state of the database: since when it is away, zero if it is not.
type State struct {
	Since      time.Time
	Until      time.Time // when pages are no longer shown; zero for never
	Unwritable bool      // it answers
}

// Failed returns the state of a database that failed just now, for those who asked it themselves.
func (o *Outage[P]) Failed(err error, now time.Time) State {
	return State{now, now.Add(o.limit), errors.Is(err, store.ErrUnwritable)}
}

// State returns the present state.
func (o *Outage[P]) State() (s State) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.away {
		s.Since, s.Unwritable = o.failing, o.unwritable
		if !s.Unwritable {
			s.Until = s.Since.Add(o.limit)
		}
	}
	return s
}

// Answers returns since when the database answers. It is of no meaning while it is away.
func (o *Outage[P]) Answers() time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.answering
}

// Noted notes what the database answered, and reports whether it is away now, whether that is new, and whether it is to
// be logged.
func (o *Outage[P]) Noted(err error, asked, now time.Time) (away, changed, toLog bool, since time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	before := o.away
	if err == nil {
		since = o.failing
		o.failing, o.away, o.unwritable = time.Time{}, false, false
		if before {
			o.answering = now
		}
		o.prune(now)
		return false, before, before, since
	}
	if o.failing.IsZero() {
		o.failing = asked
	}
	unwritable := errors.Is(err, store.ErrUnwritable)
	o.away = o.away || unwritable || now.Sub(o.failing) >= awayAfter
	changed = o.away != before || o.away && unwritable != o.unwritable
	o.unwritable = unwritable
	if toLog = o.away && (changed || now.Sub(o.logged) >= awayLogged); toLog {
		o.logged = now
	}
	return o.away, changed, toLog, o.failing
}

// prune forgets who was verified too long ago to count.
func (o *Outage[P]) prune(now time.Time) {
	for token, v := range o.verified {
		if now.Sub(v.at) > 2*verifiedFor {
			delete(o.verified, token)
		}
	}
}

// Verify notes that a session was read just now. It ends at the latest when ends is.
func (o *Outage[P]) Verify(token string, who P, ends, now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.verified[token] = verification[P]{who, ends, now}
}

// Forget forgets a session that has ended.
func (o *Outage[P]) Forget(token string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.verified, token)
}

// Recall returns who a session was of, if that was verified shortly before the database failed, and that is not too
// long ago; otherwise ok is false.
func (o *Outage[P]) Recall(token string, now time.Time) (who P, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	v, known := o.verified[token]
	from := now
	if !o.failing.IsZero() {
		from = o.failing
	}
	if !known || from.Sub(v.at) > verifiedFor || now.Sub(from) >= o.limit || !v.ends.After(now) {
		return who, false
	}
	return v.who, true
}
