package store

import (
	"sync"
	"time"
)

// failingLogged is how often it is to be logged that the database still fails.
const failingLogged = 10 * time.Minute

// Failing is what the database fails, by name. Its zero value is nothing, and Note may be called from any goroutine.
type Failing struct {
	mu            sync.Mutex
	names         map[string]bool
	since, logged time.Time
}

// Note notes how something ended, and since when something has been failing. It reports whether that is to be logged: when the
// first thing begins to fail, every ten minutes while any does, and when none does any more.
func (f *Failing) Note(name string, err error) (since time.Time, toLog bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	if err == nil {
		if len(f.names) == 0 {
			return time.Time{}, false
		}
		delete(f.names, name)
		return f.since, len(f.names) == 0
	}
	if len(f.names) == 0 {
		f.names, f.since, f.logged = map[string]bool{}, now, time.Time{}
	}
	f.names[name] = true
	if toLog = now.Sub(f.logged) >= failingLogged; toLog {
		f.logged = now
	}
	return f.since, toLog
}
