package screens

import (
	"time"

	"housecount/aggregator/store"
	"housecount/handlers/presence"
	"housecount/web"
	"housecount/web/programme"
)

// SilentAfter is how long a screen must be unseen to be missed, and how long a process listens before it misses any,
// because screens reconnect within half a minute.
const SilentAfter = 90 * time.Second

// Standing returns the state of a screen, and since when it has had it. seen is what the replicas see of it, the latest
// first; now is by the machine's clock.
func Standing(one *store.Screen, seen []store.Watching, at Moment, now time.Time) (state web.ScreenStatus, since time.Time) {
	last := one.Created
	// begun returns since when a device is known to have been there.
	begun := func(w store.Watching) time.Time {
		if w.Since.IsZero() {
			return w.Seen
		}
		return w.Since
	}
	for _, w := range seen {
		if w.Sockets > 0 && now.Sub(w.Seen) <= presence.Lasts {
			if at := begun(w); since.IsZero() || at.Before(since) {
				since = at
			}
		}
		if w.Seen.After(last) {
			last = w.Seen
		}
	}
	on := web.ScreenOn
	if one.Blank {
		on = web.ScreenBlank
	}
	switch {
	case one.Holder == "":
		return web.ScreenNew, one.Created
	case !since.IsZero():
		return on, since
	case !one.Off.IsZero():
		return web.ScreenOff, one.Off
	case programme.Hours(one.Dark).Has(at.Snapshot, at.Now):
		return web.ScreenResting, last
	}
	switch {
	case now.Sub(last) >= SilentAfter:
		return web.ScreenSilent, last
	case len(seen) > 0: // it has just left, and usually comes back by itself
		return on, begun(seen[0])
	}
	return web.ScreenNew, one.Created
}
