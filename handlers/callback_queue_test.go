package handlers_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"housecount/handlers"
	"housecount/web"
)

// follow returns the last answer to a callback, and when it came, as a browser that follows redirects gets it.
func (d door) follow(callback, from string, cookies []*http.Cookie) (status int, at time.Time) {
	for {
		got := d.get(callback, from, cookies)
		to := got.Header.Get("Location")
		if !strings.HasPrefix(to, "/login/callback?") {
			return got.StatusCode, time.Now()
		}
		callback = to
	}
}

// A whole staff comes from one address: a hundred at once, the others one after another. Callbacks of no login, or of
// one that was used, take nobody's turn, and who comes from elsewhere does not wait for them.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDoor(t)
		const staff = "192.0.2.7:1"
		used, cookies := d.begin("/login")
		d.get(used, "192.0.2.8:1", cookies)
		for range 500 {
			if got := d.get("/login/callback?code=x&state=bogus", staff, nil); got.StatusCode != http.StatusBadRequest {
				t.Fatalf("a bogus callback is answered %d", got.StatusCode)
			}
			if got := d.get(used, staff, cookies); got.StatusCode != http.StatusSeeOther {
				t.Fatalf("a used callback is answered %d", got.StatusCode)
			}
		}
		start := time.Now()
		var mu sync.Mutex
		waited := map[int][]time.Duration{} // by status
		var wg sync.WaitGroup
		for range 310 {
			callback, cookies := d.begin("/login")
			wg.Go(func() {
				status, at := d.follow(callback, staff, cookies)
				mu.Lock()
				defer mu.Unlock()
				waited[status] = append(waited[status], at.Sub(start))
			})
		}
		synctest.Wait()
		callback, cookies := d.begin("/login")
		if status, at := d.follow(callback, "192.0.2.9:1", cookies); status != http.StatusForbidden || at.Sub(start) > 100*time.Millisecond {
			t.Errorf("from another address: %d after %v", status, at.Sub(start))
		}
		wg.Wait()
		passed := waited[http.StatusForbidden]
		slices.Sort(passed)
		if len(passed) != 310 || passed[98] > 0 || passed[101] == 0 || passed[309] > 8*time.Second {
			t.Errorf("%d of 310 passed; the hundredth waited %v, the last %v; %v", len(passed), passed[99], passed[len(passed)-1], waited)
		}
	})
}

// known returns the cookie of a browser in which somebody signed in before.
func (d door) known() *http.Cookie {
	d.t.Helper()
	c, err := handlers.MakeKnown(d.Handler.(*handlers.Site))
	if err != nil {
		d.t.Fatal(err)
	}
	return c
}

// flood begins and completes logins from an address, so many a second, without waiting for answers, until the test is
// done.
func (d door) flood(wg *sync.WaitGroup, done *atomic.Bool, every time.Duration, from func(n int) string) {
	for n := 0; !done.Load(); n++ {
		time.Sleep(every)
		callback, cookies := d.begin("/login")
		wg.Go(func() { d.get(callback, from(n), cookies) })
	}
}

// A hundred logins a second that nobody wants, from the staff's own address: whoever was signed in before in the same
// browser goes first, and a new browser gets in too, because it follows where it is sent and keeps its place.
func TestFloodFromTheStaffsOwnAddress(t *testing.T) {
	for name, from := range map[string]func(int) string{
		"one address":    func(int) string { return "192.0.2.7:1" },
		"many addresses": func(n int) string { return fmt.Sprintf("198.51.%d.%d:1", n/250%250, n%250) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDoor(t)
				const staff = "192.0.2.7:1"
				known := d.known()
				var wg sync.WaitGroup
				var done atomic.Bool
				wg.Go(func() { d.flood(&wg, &done, 10*time.Millisecond, from) })
				time.Sleep(20 * time.Second)
				var people sync.WaitGroup
				for i := range 12 {
					callback, cookies := d.begin("/login")
					limit := 5 * time.Second
					if i%3 == 0 {
						cookies, limit = append(cookies, known), 200*time.Millisecond
					}
					people.Go(func() {
						start := time.Now()
						if status, at := d.follow(callback, staff, cookies); status != http.StatusForbidden || at.Sub(start) > limit {
							t.Errorf("person %d: status %d after %v, want within %v", i, status, at.Sub(start), limit)
						}
					})
				}
				people.Wait()
				done.Store(true)
				wg.Wait()
			})
		})
	}
}

// A browser that is known goes first a few times, and then waits as all do: so nobody can fill the queue by it.
func TestKnownBrowserGoesFirstAFewTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDoor(t)
		known := d.known()
		var wg sync.WaitGroup
		var done atomic.Bool
		wg.Go(func() { d.flood(&wg, &done, 10*time.Millisecond, func(int) string { return "192.0.2.7:1" }) })
		time.Sleep(20 * time.Second)
		late := 0
		for range 20 {
			callback, cookies := d.begin("/login")
			start := time.Now()
			if d.follow(callback, "192.0.2.7:1", append(cookies, known)); time.Since(start) > 200*time.Millisecond {
				late++
			}
		}
		if late < 10 || late > 15 {
			t.Errorf("of 20 logins at once of a known browser %d wait", late)
		}
		done.Store(true)
		wg.Wait()
	})
}

// Whoever knows what the cookie of another browser looks like cannot make one.
func TestKnownBrowser(t *testing.T) {
	h := newHouse(t, nil)
	b := h.loggedIn(t, web.Door)
	first := b.cookie("housecount_known")
	if first == nil {
		t.Fatal("a browser in which somebody signed in is not known")
	}
	if got := handlers.KnownName(h.replica.Load(), first.Value); got == "" {
		t.Error("the cookie names no browser")
	}
	if got := handlers.KnownName(h.replica.Load(), "A"+first.Value[1:]); got != "" && first.Value[0] != 'A' {
		t.Errorf("a cookie that somebody made up names %q", got)
	}
	if fresh := h.browser(t).stay(); fresh.get("/login").status != http.StatusSeeOther || fresh.cookie("housecount_known") != nil {
		t.Error("a browser in which nobody signed in is known")
	}
}

// What a proxy says that was not named is ignored, and the log says so, once.
func TestForwarderThatIsNotTrusted(t *testing.T) {
	h := newHouse(t, nil)
	b := h.browser(t)
	b.Transport = forwarded{b.Transport, "203.0.113.9"}
	for range 3 {
		b.get("/healthz")
	}
	if n := strings.Count(h.log.String(), "X-Forwarded-For is ignored"); n != 1 || !strings.Contains(h.log.String(), "peer=127.0.0.1") {
		t.Errorf("it is logged %d times:\n%s", n, h.log)
	}
	trusting := newHouse(t, func(o *handlers.Options) { o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	b = trusting.browser(t)
	b.Transport = forwarded{b.Transport, "203.0.113.9"}
	b.get("/healthz")
	if strings.Contains(trusting.log.String(), "X-Forwarded-For is ignored") {
		t.Error("what a trusted proxy says is called ignored")
	}
}

// One address floods the door with logins that it began and codes that it made up. Fifty members
// of staff come from elsewhere at the same time, and all get in.
func TestFlood(t *testing.T) { loginsBesideFlood(t) }

// BenchmarkFlood is how long that takes them.
func BenchmarkFlood(b *testing.B) {
	var took []time.Duration
	bogus := int64(0)
	for b.Loop() {
		t, n := loginsBesideFlood(b)
		took, bogus = append(took, t...), bogus+n
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Milliseconds()), "ms/middle-login")
	b.ReportMetric(float64(took[len(took)-1].Milliseconds()), "ms/longest-login")
	b.ReportMetric(float64(bogus)/float64(b.N), "bogus/op")
}

// loginsBesideFlood returns how long fifty logins take beside how many bogus callbacks.
func loginsBesideFlood(t testing.TB) (took []time.Duration, bogus int64) {
	h := newHouse(t, func(o *handlers.Options) { o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	h.idp.as("staff", string(web.Door))
	from := func(b *browser, address string) *browser {
		b.Transport = forwarded{b.Transport, address}
		return b
	}
	var done atomic.Bool
	var sent atomic.Int64
	flooded := make(chan struct{}) // the address has used up its burst
	var flood, staff sync.WaitGroup
	for range 8 {
		flood.Go(func() {
			b := from(h.browser(t), "203.0.113.9").stay()
			for !done.Load() {
				begun := b.get("/login")
				at, err := url.Parse(begun.header.Get("Location"))
				if err != nil {
					t.Error(err)
					return
				}
				b.get("/login/callback?code=made-up&state=" + at.Query().Get("state"))
				b.get("/login/callback?code=made-up&state=nobodys")
				if sent.Add(2) == 200 {
					close(flooded)
				}
			}
		})
	}
	<-flooded
	took = make([]time.Duration, 50)
	for i := range took {
		b := from(h.browser(t), fmt.Sprint("198.51.100.", i))
		staff.Go(func() {
			start := time.Now()
			if p := b.get("/login"); p.status != http.StatusOK || p.path != "/tonight" {
				t.Errorf("login %d: status %d at %s", i, p.status, p.path)
			}
			took[i] = time.Since(start)
		})
	}
	staff.Wait()
	done.Store(true)
	flood.Wait()
	return took, sent.Load()
}
