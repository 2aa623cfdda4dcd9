package store_test

import (
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"housecount/aggregator/store"
	"housecount/aggregator/store/rowtest"
)

// seriesHouse is a screen, with devices that hold credentials of its series, and two processes that they come to in turns.
type seriesHouse struct {
	stores []*store.Store
	now    time.Time
	id     string
	holds  map[string]store.ScreenKey
	former map[string]store.ScreenKey // before the last page
	visits int
}

func newSeriesHouse(t *testing.T, database string) *seriesHouse {
	t.Helper()
	h := &seriesHouse{now: noon, former: map[string]store.ScreenKey{}}
	for range 2 {
		st := open(t, database)
		st.SetNow(func() time.Time { return h.now })
		h.stores = append(h.stores, st)
	}
	first := "screen." + rand.Text()
	h.holds = map[string]store.ScreenKey{"a": {Credential: first}}
	code := rand.Text()
	ask(t, h.stores[0].Screens(), first, code, h.now)
	id, paired, err := h.stores[0].Screens().Pair(t.Context(), code, store.Screen{Name: "Foyer"}, store.Act{})
	if err != nil || !paired {
		t.Fatal(paired, err)
	}
	h.id = id
	return h
}

func (h *seriesHouse) screens() *store.Screens {
	h.visits++
	return h.stores[h.visits%2].Screens()
}

var copied = store.Act{Actor: store.ActorStranger, Action: store.ActScreenTaken}

// load has a device load the page, and returns what it is sent; empty if it is refused.
func (h *seriesHouse) load(t *testing.T, key store.ScreenKey) (sent store.ScreenKey, ok bool) {
	t.Helper()
	credential, ok, err := h.screens().Renew(t.Context(), key, func(number int64) string {
		sent.Number = number
		return store.Series(key.Credential) + "." + rand.Text()
	}, copied)
	if err != nil {
		t.Fatal(err)
	}
	sent.Credential = credential
	return sent, ok
}

// do does a step: "a" a device loads the page, "a!" and the answer is lost, "a~" and it is refused, "as" it opens a socket,
// "as~" that is refused, "a." its socket is open still, "a<" it has lost what it was sent last, "a>b" is copied to b, "+1m"
// is a minute later.
func (h *seriesHouse) do(t *testing.T, step string) {
	t.Helper()
	if step[0] == '+' {
		later, err := time.ParseDuration(step[1:])
		if err != nil {
			t.Fatal(err)
		}
		h.now = h.now.Add(later)
		return
	}
	device, what := step[:1], step[1:]
	key := h.holds[device]
	switch what {
	case "", "!", "~":
		sent, ok := h.load(t, key)
		if ok == (what == "~") {
			t.Errorf("%s: it is sent another: %v", step, ok)
		}
		if ok && what == "" {
			h.holds[device], h.former[device] = sent, key
		}
	case "s", "s~":
		held := h.alive(t, key)
		valid := held.Valid(key)
		if held.Presented(key) {
			now, err := h.screens().Present(t.Context(), key, copied)
			if err != nil || now != valid {
				t.Errorf("%s: %v, and before %v (%v)", step, now, valid, err)
			}
		}
		if valid == (what == "s~") {
			t.Errorf("%s: it has a socket: %v", step, valid)
		}
	case ".":
		holder := store.HolderID(key.Credential)
		if held := h.alive(t, key); held.Settles(holder, h.now) {
			if err := h.screens().Settle(t.Context(), []string{holder}); err != nil {
				t.Fatal(err)
			}
		}
	case "<":
		h.holds[device] = h.former[device]
	default:
		h.holds[strings.TrimPrefix(what, ">")] = key
	}
}

func (h *seriesHouse) alive(t *testing.T, key store.ScreenKey) store.Holds {
	t.Helper()
	all, err := h.screens().Alive(t.Context(), []string{key.Credential})
	if err != nil {
		t.Fatal(err)
	}
	held, ok := all[key.Credential]
	if !ok || held.Screen == nil {
		t.Fatalf("%s is of no screen", key.Credential)
	}
	return held
}

// A device that comes again with the credential before, because what it was sent did not arrive or was not stored, is the
// screen. Two devices with one credential are noticed when either loads the page once more, and one of them is out.
func testSeries(t *testing.T, database string) {
	acts := 0
	for _, c := range []struct {
		name, steps string
		copies      int
	}{
		{"it loads its page again and again", "a as a as a +72h a", 0},
		{"an answer does not arrive", "a a! a as +2m a. a", 0},
		{"the first answer does not arrive", "a! a as a", 0},
		{"an answer does not arrive, and it is off for days", "a as a! +72h a as a", 0},
		{"an answer does not arrive, and its page goes on", "a as a! as +1h a. as a a", 0},
		{"it loses power before it has stored it", "a as +2m a. a as +20s a. a< a as +2m a. a", 0},
		{"it loses power before it has stored the first", "a as +20s a< a as +2m a. a", 0},
		{"two tabs at once, whose answers change places", "a>b a b as bs as +2m a. as a", 0},
		{"two tabs at once, of which the other's answer stays", "a>b a b as bs +2m b. bs b", 0},

		{"a copy loads the page, and the device does", "a as +2m a. a>b b +20s a b~ a as", 1},
		{"a copy loads the page, and the device does at once", "a as +2m a. a>b b a b a~ as~ b", 1},
		{"the device loads the page, and a copy does", "a as +2m a. a>b a +20s b a~ b", 1},
		{"the device loads the page, and a copy does at once", "a as +2m a. a>b a b a b~ bs~ a as", 1},
		{"a copy of before, after the device has stored its own", "a as +2m a. a>b a as +2m a. b~ bs~ b~ as a", 1},
		{"a copy loads the page twice", "a as +2m a. a>b b b as~ a~", 1},
		{"a copy loads the page without taking what it is sent", "a as +2m a. a>b b! b! b~ as~ a~ b~", 1},
		{"a copy stays", "a as +2m a. a>b b bs +2m b. as~ a~ bs b", 1},
		{"a copy within the minute", "a as +20s a>b a as +20s b as~ bs +2m b. a~ b", 1},
		{"a copy at once that stays as the device does", "a as +20s a>b a b bs as +11m a. b. bs~ a", 1},
		{"a copy that comes again is recorded once an hour", "a a>b a a b~ b~ +2h b~ a", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newSeriesHouse(t, database)
			for _, step := range strings.Fields(c.steps) {
				h.do(t, step)
			}
			acts += c.copies
			all, err := h.stores[0].Audit().Acts(t.Context(), store.ActQuery{Action: store.ActScreenTaken}, 0, 99)
			if err != nil || len(all) != acts {
				t.Fatalf("%d are recorded, want %d more (%v)", len(all), c.copies, err)
			}
			held := h.alive(t, h.holds["a"])
			if held.Screen.Copied.IsZero() != (c.copies == 0) {
				t.Errorf("noticed at %v", held.Screen.Copied)
			}
			if c.copies == 0 {
				return
			}
			if all[0].Object != h.id || all[0].ObjectName != "Foyer" {
				t.Errorf("recorded %+v", all[0])
			}
			ok, err := h.stores[0].Screens().Change(t.Context(), h.id, store.Act{Action: store.ActScreenKnown}, func(s *store.Screen) { s.Copied = time.Time{} })
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			if at := h.alive(t, h.holds["a"]).Screen.Copied; !at.IsZero() {
				t.Errorf("noticed at %v still", at)
			}
		})
	}
}

// Twenty loads with one credential at once, at two processes, are two pages.
func testSeriesAtOnce(t *testing.T, database string) {
	h := newSeriesHouse(t, database)
	h.do(t, "a")
	key := h.holds["a"]
	var mu sync.Mutex
	sent := 0
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			_, ok, err := h.stores[i%2].Screens().Renew(t.Context(), key, func(n int64) string { return fmt.Sprint(store.Series(key.Credential), ".", i, ".", n) }, copied)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if ok {
				sent++
			}
		})
	}
	wg.Wait()
	if n, err := h.stores[0].Audit().Count(t.Context(), store.ActQuery{Action: store.ActScreenTaken}); sent != 2 || n != 1 || err != nil {
		t.Errorf("%d pages and %d records, want 2 and 1 (%v)", sent, n, err)
	}
	if held := h.alive(t, key); held.Valid(key) {
		t.Error("the credential is valid")
	}
}

// A database that was set back to a backup takes the credentials that were sent since, and none of before.
func testSeriesSetBack(t *testing.T, database string) {
	h := newSeriesHouse(t, database)
	for _, step := range strings.Fields("a a>b a a>c a as") {
		h.do(t, step)
	}
	newest := h.holds["a"]
	newest.Number += 5 // what it was sent since
	newest.Credential = store.Series(newest.Credential) + ".since"
	h.holds["d"] = newest
	for _, step := range strings.Fields("ds d ds a~ b~ d") {
		h.do(t, step)
	}
	if n, err := h.stores[0].Audit().Count(t.Context(), store.ActQuery{Action: store.ActScreenTaken}); n != 2 || err != nil {
		t.Errorf("%d are recorded, want 2 (%v)", n, err)
	}
}

// A database that was restored without its key takes the first credential that comes of a series, as nobody knows numbers any
// more, but none of a series that has ended.
func testSeriesRestored(t *testing.T, database string) {
	h := newSeriesHouse(t, database)
	sealed := func() {
		t.Helper()
		if _, err := h.stores[0].Seal(t.Context(), "", ""); err != nil {
			t.Fatal(err)
		}
	}
	withoutKey := func() {
		t.Helper()
		if _, err := rowtest.Plain(t, database).ExecContext(t.Context(), `DELETE FROM meta WHERE key = 'seal_key'`); err != nil {
			t.Fatal(err)
		}
		sealed()
	}
	sealed()
	for _, step := range strings.Fields("a as a>b a as a as") {
		h.do(t, step)
	}
	sealed() // by another start, which changes nothing
	h.do(t, "b~")
	h.holds["a"] = store.ScreenKey{Credential: store.Series(h.holds["a"].Credential) + ".since"}
	withoutKey()
	for _, step := range strings.Fields("a as b~ a a! a! a~") {
		h.do(t, step)
	}
	withoutKey()
	h.do(t, "a~")
}

// Of a screen that was revoked, or whose link another device has used, no credential of the series is any more.
func testSeriesEnds(t *testing.T, database string) {
	h := newSeriesHouse(t, database)
	for _, step := range strings.Fields("a as a a>b") {
		h.do(t, step)
	}
	c := h.stores[0].Screens()
	if ok, err := c.Revoke(t.Context(), h.id, store.Act{Action: store.ActScreenRevoked}); !ok || err != nil {
		t.Fatal(ok, err)
	}
	checkHolds(t, c, "- ", h.holds["a"].Credential)
	if _, ok := h.load(t, h.holds["a"]); ok {
		t.Error("a revoked screen is sent a credential")
	}
	if _, err := c.Add(t.Context(), store.Screen{Name: "Kiosk"}, "the link", store.Act{}); err != nil {
		t.Fatal(err)
	}
	for _, first := range []string{"screen.one", "screen.two"} {
		if ok, err := c.Link(t.Context(), "the link", first, television, store.Act{}); !ok || err != nil {
			t.Fatal(ok, err)
		}
		h.holds["k"] = store.ScreenKey{Credential: first}
		for _, step := range strings.Fields("k ks k") {
			h.do(t, step)
		}
	}
	checkHolds(t, c, "- Kiosk ", "screen.one", h.holds["k"].Credential)
	if n, err := h.stores[0].Audit().Count(t.Context(), store.ActQuery{Action: store.ActScreenTaken}); n != 0 || err != nil {
		t.Errorf("%d are recorded (%v)", n, err)
	}
}
