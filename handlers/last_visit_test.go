package handlers_test

import (
	"sync/atomic"
	"testing"
	"time"

	"housecount/handlers"
	"housecount/web"
)

// What changed since the last visit is since that ended: since the last page that was looked at before half
// an hour of nothing. Without one the page says so, and shows what changed today.
func TestSinceVisit(t *testing.T) {
	var now atomic.Int64
	at := func(clock string) {
		moment, err := time.Parse("2006-01-02 15:04", clock)
		if err != nil {
			t.Fatal(err)
		}
		now.Store(moment.Unix())
	}
	at("2026-11-20 10:00")
	h := newHouse(t, func(o *handlers.Options) { o.Now = func() time.Time { return time.Unix(now.Load(), 0) } })
	b := h.loggedIn(t, web.Manager)
	for _, c := range []struct{ at, look, want string }{
		{"2026-11-20 10:00", "/tonight", "since=day&visit=first"},
		{"2026-11-20 10:20", "/events", "since=day&visit=first"},
		{"2026-11-20 14:00", "", "since=2026-11-20T10:20"},
		{"2026-11-20 14:01", "/tonight", "since=2026-11-20T10:20"},
		{"2026-11-20 14:10", "/tonight", "since=2026-11-20T10:20"},
		{"2026-11-21 09:00", "/tonight", "since=2026-11-20T14:10"},
	} {
		at(c.at)
		if c.look != "" {
			b.get(c.look)
		}
		if to := b.stay().get(web.VisitPath).header.Get("Location"); to != "/changes?"+c.want {
			t.Errorf("at %s after a look at %q: %s, want %s", c.at, c.look, to, c.want)
		}
	}
}
