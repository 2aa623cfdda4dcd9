package handlers

import (
	"context"
	"maps"
	"net/netip"
	"sync"
	"time"

	"housecount/aggregator/store"
	"housecount/web/live"
)

// The credential of a screen is of one device, and who copies it, or all that a device stores, has
// two. The one that was there first stays, if it answers (live.Holder.Sole); the other is closed, its
// page gives up what it holds and shows a code, and the administrators are told. Where the first has its
// socket at another process nobody here can ask it: that process says by its presence that it goes
// on to hear of it.

const (
	// copyAfter is for how long a process may go on to see a device that has left it without a word:
	// it hears nothing of it for a minute first.
	copyAfter = 90 * time.Second
	// copyNoted is how long a second device of the same screen is no news.
	copyNoted = time.Hour
	// copyAlert is how long there is an alert of one.
	copyAlert = 3 * time.Hour
)

// doubted are screens that came here, by credential, while another process had a socket of theirs, and when
// that was.
type doubted struct {
	mu   sync.Mutex
	came map[string]time.Time
}

func (d *doubted) add(credential string, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.came == nil {
		d.came = make(map[string]time.Time)
	}
	d.came[credential] = at
}

func (d *doubted) all() map[string]time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.came)
}

func (d *doubted) remove(credential string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.came, credential)
}

// doubt has closeCopies look whether a screen that comes stays at another process as well.
func (s *site) doubt(ctx context.Context, credential string) {
	now := time.Now()
	last, err := s.elsewhere(ctx, credential)
	if err != nil {
		s.Log.Warn("where else a screen is was not found out", "err", err)
		return
	}
	if now.Sub(last) <= presentFor {
		s.doubted.add(credential, now)
	}
}

// elsewhere is when another process saw a screen last, with a socket; zero for never.
func (s *site) elsewhere(ctx context.Context, credential string) (last time.Time, err error) {
	id := store.HolderID(credential)
	all, err := s.Presence.Of(ctx, []string{id})
	for _, w := range all[id] {
		if w.Replica != s.replica && w.Sockets > 0 && w.Seen.After(last) {
			last = w.Seen
		}
	}
	return last, err
}

// closeCopies closes the screens that came here and that another process goes on to see.
func (s *site) closeCopies(ctx context.Context) error {
	came := s.doubted.all()
	if len(came) == 0 {
		return nil
	}
	here := make(map[string]string) // where they are, by credential
	for _, p := range s.Hub.Presence() {
		here[p.Credential] = p.Address
	}
	for credential, at := range came {
		address, is := here[credential]
		switch {
		case time.Since(at) < copyAfter+presentFor:
			continue
		case !is:
			s.doubted.remove(credential)
			continue
		}
		last, err := s.elsewhere(ctx, credential)
		if err != nil {
			return err
		}
		s.doubted.remove(credential)
		if last.Sub(at) < copyAfter {
			continue
		}
		held, err := s.Screens.Alive(ctx, []string{credential})
		if err != nil {
			return err
		}
		s.Hub.CloseHolder(credential, live.CloseTaken)
		if one := held[credential].Screen; one != nil {
			from, _ := netip.ParseAddr(address) // the zero value where there was none
			s.noteCopy(ctx, one, from)
		}
	}
	return nil
}

// noteCopy records that a second device has the credential of a screen. One that comes again and
// again is one.
func (s *site) noteCopy(ctx context.Context, screen *store.Screen, from netip.Addr) {
	err := s.codes.wait(ctx, from)
	s.copying.Lock() // or else two would both find none
	defer s.copying.Unlock()
	known := 0
	if err == nil {
		known, err = s.Audit.Count(ctx, store.ActQuery{Since: time.Now().Add(-copyNoted), Action: store.ActScreenCopied, Object: screen.ID})
	}
	if err != nil {
		s.Log.Warn("a second device of a screen was not noted", "screen", screen.ID, "err", err)
		return
	}
	if known > 0 {
		return
	}
	act := store.Act{Actor: store.ActorStranger, Action: store.ActScreenCopied, Object: screen.ID, ObjectName: screen.Name}
	if from.IsValid() {
		act.Address = from.String()
	}
	s.note(ctx, act)
}

// copied are the screens of which a second device has come lately, and when.
func (s *site) copied(ctx context.Context, now time.Time) (map[string]time.Time, error) {
	acts, err := s.Audit.Acts(ctx, store.ActQuery{Since: now.Add(-copyAlert), Action: store.ActScreenCopied}, 0, 100)
	all := make(map[string]time.Time, len(acts))
	for _, a := range acts { // the newest first
		if _, known := all[a.Object]; !known {
			all[a.Object] = a.At
		}
	}
	return all, err
}
