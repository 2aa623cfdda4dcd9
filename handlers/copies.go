package handlers

import (
	"context"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"housecount/aggregator/store"
	"housecount/web/live"
)

// The credential of a screen is of one device, and who copies it, or all that a device stores, has
// two. The one that was there first stays, if it answers (live.Holder.Sole); the other is closed. So is
// another tab of the same browser, which waits: the page alone knows of tabs. The page of another device
// gives up what it holds (leaveScreen) and shows a code, and the administrators are told, as they are of
// a device of another kind or address that goes on without giving up. Where the first
// has its socket at another process nobody here can ask it: that process says by its presence that it
// goes on to hear of it.

const (
	// copyAfter is for how long a process may go on to see a device that has left it without a word:
	// it hears nothing of it for a minute first.
	copyAfter = 90 * time.Second
	// copyAway is how long a screen may be away from here, as one is that loads its page again, and
	// have stayed here all the same.
	copyAway = 30 * time.Second
	// copyNoted is how long a second device of the same screen is no news.
	copyNoted = time.Hour
	// copyAlert is for how long there is an alert of one, since it came.
	copyAlert = 3 * time.Hour
)

// doubted are screens that came here, by credential, while another process had a socket of theirs.
type doubted struct {
	mu   sync.Mutex
	came map[string]came
}

// came is when a screen came and when it was last here.
type came struct{ first, last time.Time }

// see notes that a screen is here. It has come when that was first so, however often it comes again.
func (d *doubted) see(credential string, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.came == nil {
		d.came = make(map[string]came)
	}
	c, known := d.came[credential]
	if !known {
		c.first = at
	}
	c.last = at
	d.came[credential] = c
}

func (d *doubted) all() map[string]came {
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
		s.doubted.see(credential, now)
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

// closeCopies closes, at now, the screens that came here and that another process goes on to see.
func (s *site) closeCopies(ctx context.Context, now time.Time) error {
	all := s.doubted.all()
	if len(all) == 0 {
		return nil
	}
	here := make(map[string]bool) // by credential
	for _, p := range s.Hub.Presence() {
		here[p.Credential] = true
	}
	for credential, came := range all {
		switch {
		case here[credential]:
			s.doubted.see(credential, now)
		case now.Sub(came.last) > copyAway:
			s.doubted.remove(credential)
			continue
		}
		if !here[credential] || now.Sub(came.first) < copyAfter+presentFor {
			continue
		}
		last, err := s.elsewhere(ctx, credential)
		if err != nil {
			return err
		}
		s.doubted.remove(credential)
		if last.Sub(came.first) >= copyAfter {
			s.Hub.CloseHolder(credential, live.CloseTaken)
		}
	}
	return nil
}

// otherDevice says that a request comes from elsewhere, or from another kind of device, than the
// socket that is open here with its credential: it is no other tab of the same browser.
func (s *site) otherDevice(r *http.Request, credential string) bool {
	return slices.ContainsFunc(s.Hub.Presence(), func(p live.Presence) bool {
		return p.Credential == credential && (p.Address != s.from(r) || p.Agent != deviceKind(r.UserAgent()))
	})
}

// noteCopy records that a second device has the credential of a screen. One that comes again and
// again is one.
func (s *site) noteCopy(ctx context.Context, screen *store.Screen, from netip.Addr) error {
	if err := s.codes.wait(ctx, from); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sourceTimeout) // or others wait for the lock for ever
	defer cancel()
	s.copying.Lock() // or else two would both find none
	defer s.copying.Unlock()
	known, err := s.Audit.Count(ctx, store.ActQuery{Since: time.Now().Add(-copyNoted), Action: store.ActScreenCopied, Object: screen.ID})
	if err != nil || known > 0 {
		return err
	}
	act := store.Act{Actor: store.ActorStranger, Action: store.ActScreenCopied, Object: screen.ID, ObjectName: screen.Name}
	if from.IsValid() {
		act.Address = from.String()
	}
	return s.record(ctx, act)
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
