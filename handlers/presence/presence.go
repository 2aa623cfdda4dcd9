// Package presence knows who watches what, on this replica and on the others: it writes what the sockets here show, and
// adds that to what the others wrote.
package presence

import (
	"context"
	"crypto/rand"
	"slices"
	"sync"
	"time"

	"housecount/aggregator/store"
	"housecount/web/live"
)

const (
	// Every is how often Note is to be called: it finds who came, left or changed pages.
	Every = 2 * time.Second
	// writeEvery is how often presence is written that has not changed.
	writeEvery = 15 * time.Second
	// Lasts is how long a presence holds after a process last wrote it, so that two of three writes may fail.
	Lasts = 3 * writeEvery
)

// Seen is who watches what. Its methods may be called from any goroutine.
type Seen struct {
	store   *store.Presence
	hub     *live.Hub
	version string
	replica string // names this process among those that write presence

	noting sync.Mutex // locked while presence is written
	// watching is what was written last, at noted, by holder.
	watching map[string]store.Watching
	noted    time.Time
}

// New returns what the sockets of hub and the other replicas see. version is that of the pages that hub serves.
func New(stored *store.Presence, hub *live.Hub, version string) *Seen {
	return &Seen{store: stored, hub: hub, version: version, replica: rand.Text()}
}

// here returns the holders that watch something here, by name, without devices that wait to become a screen
// (live.Holder.Stranger).
func (s *Seen) here() map[string]store.Watching {
	now := make(map[string]store.Watching)
	for _, p := range s.hub.Presence() {
		w := store.Watching{Holder: store.HolderID(p.Credential), Sockets: p.Sockets, Topics: p.Topics, Address: p.Address, Agent: p.Agent, Loaded: p.Loaded, Version: s.version}
		now[w.Holder] = w
	}
	return now
}

// Note writes who watches what here, and who has left.
func (s *Seen) Note(ctx context.Context) error {
	s.noting.Lock()
	defer s.noting.Unlock()
	now, whole := s.here(), time.Since(s.noted) >= writeEvery
	var all []store.Watching
	for holder, w := range now {
		if before, known := s.watching[holder]; whole || !known || before.Sockets != w.Sockets || !slices.Equal(before.Topics, w.Topics) {
			all = append(all, w)
		}
	}
	for holder, w := range s.watching {
		if _, still := now[holder]; !still {
			w.Sockets, w.Topics = 0, nil
			all = append(all, w)
		}
	}
	if err := s.store.Write(ctx, s.replica, all); err != nil {
		return err // who left is written the next time
	}
	s.watching = now
	if whole {
		s.noted = time.Now()
	}
	return nil
}

// Of returns what the replicas see of holders, as store.Presence.Of does, with the present state of this process.
func (s *Seen) Of(ctx context.Context, holders []string) (map[string][]store.Watching, error) {
	all, err := s.store.Of(ctx, holders)
	if err != nil {
		return nil, err
	}
	openHere, now := s.here(), time.Now()
	for _, holder := range holders {
		var seen []store.Watching
		if w, ok := openHere[holder]; ok {
			w.Seen, w.Since = now, store.Unbroken(all[holder], w.Loaded, now)
			seen = append(seen, w)
		}
		for _, w := range all[holder] {
			if w.Replica == s.replica {
				w.Sockets, w.Topics = 0, nil // the present state of this process is already there
			}
			seen = append(seen, w)
		}
		all[holder] = seen
	}
	return all, nil
}
