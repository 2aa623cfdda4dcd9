package handlers_test

import (
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"housecount/aggregator/store"
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

// In a browser that was not here before, the last visit is the person's last sign-in before this session, if that is long enough ago to be
// another visit. Those of others do not count.
func TestSinceVisitOfAnotherBrowser(t *testing.T) {
	var later atomic.Int64
	h := newHouse(t, func(o *handlers.Options) {
		o.Now = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
		o.At = func(at time.Time) time.Time { return at }
	})
	since := func(b *browser) string {
		t.Helper()
		to, err := url.Parse(b.stay().get(web.VisitPath).header.Get("Location"))
		if err != nil {
			t.Fatal(err)
		}
		return to.Query().Get("since")
	}
	h.loggedIn(t, web.Door)
	if got := since(h.loggedIn(t, web.Manager)); got != "day" {
		t.Errorf("of the first session: since %s, want what changed today", got)
	}
	later.Store(int64(20 * time.Minute))
	if got := since(h.loggedIn(t, web.Manager)); got != "day" {
		t.Errorf("of another device 20 minutes later: since %s, want what changed today", got)
	}
	later.Store(int64(24 * time.Hour))
	b := h.loggedIn(t, web.Manager)
	acts, err := h.store.Audit().Acts(t.Context(), store.ActQuery{Action: store.ActLogin}, 1, 1)
	if err != nil || len(acts) != 1 {
		t.Fatal(acts, err)
	}
	if got, want := since(b), acts[0].At.UTC().Format("2006-01-02T15:04"); got != want {
		t.Errorf("a day later: since %s, want the sign-in before this one, %s", got, want)
	}
}
