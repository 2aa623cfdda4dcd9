package handlers_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"housecount/handlers"
	"housecount/handlers/signin"
)

// door is a site in a bubble, whose sign-in service is never asked.
type door struct {
	t *testing.T
	h *house
	http.Handler
}

// newDoor opens a door where nothing runs in the background, which would be a day's work where a test
// lets a day pass.
func newDoor(t *testing.T) door { return openDoor(t, &house{still: true}) }

func openDoor(t *testing.T, h *house) door {
	t.Helper()
	h.idp, h.log = &standIn{Server: &httptest.Server{URL: "http://127.0.0.1:1"}}, newLog(t)
	return door{t, h, h.build(t, "http://127.0.0.1:2", func(o *handlers.Options) {
		o.Login = signin.Login{AuthURL: "http://127.0.0.1:1/a", TokenURL: "http://127.0.0.1:1/t", JWKSURL: "http://127.0.0.1:1/k", ClientID: "c"}
	})}
}

// admin returns what an administrator's browser sends who has signed in.
func (d door) admin() []*http.Cookie {
	d.t.Helper()
	sm := d.h.scsOf()
	session, err := sm.Load(d.t.Context(), "")
	if err != nil {
		d.t.Fatal(err)
	}
	who, err := json.Marshal(map[string]any{"issuer": "http://127.0.0.1:1/a", "subject": "mia", "claim": "roles", "values": []string{"admin"}, "name": "Mia"})
	if err != nil {
		d.t.Fatal(err)
	}
	sm.Put(session, "staff", who)
	token, _, err := sm.Commit(session)
	if err != nil {
		d.t.Fatal(err)
	}
	return []*http.Cookie{{Name: "housecount_session", Value: token}}
}

func (d door) get(address, from string, cookies []*http.Cookie) *http.Response {
	return d.send(httptest.NewRequest(http.MethodGet, "http://127.0.0.1:2"+address, nil), from, cookies)
}

func (d door) post(address, from string, form url.Values, cookies []*http.Cookie) *http.Response {
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:2"+address, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return d.send(r, from, cookies)
}

func (d door) send(r *http.Request, from string, cookies []*http.Cookie) *http.Response {
	r.RemoteAddr = from
	r.Header.Set("X-Forwarded-For", rand.Text()) // of a stranger: nobody is trusted
	r.Header.Add("X-Forwarded-For", fmt.Sprintf("203.0.113.%d", mathrand.IntN(256)))
	for _, c := range cookies {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w.Result()
}

// begin begins a login and returns the way back, which says that it was cancelled: no sign-in
// service has to be asked for that.
func (d door) begin(address string) (callback string, cookies []*http.Cookie) {
	d.t.Helper()
	begun := d.get(address, "192.0.2.1:1", nil)
	to, err := url.Parse(begun.Header.Get("Location"))
	if err != nil || to.Query().Get("state") == "" {
		d.t.Fatalf("login leads to %q", begun.Header.Get("Location"))
	}
	return "/login/callback?error=access_denied&state=" + to.Query().Get("state"), begun.Cookies()
}

// A login that takes longer than ten minutes is begun again, once; the page that was wanted is
// remembered for a day.
func TestLoginExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDoor(t)
		for _, c := range []struct {
			login  string
			after  time.Duration
			status int
			to     string
		}{
			{"/login?return=/wall", 9 * time.Minute, http.StatusForbidden, ""},
			{"/login?return=/wall", 11 * time.Minute, http.StatusSeeOther, "/login?again=1&return=%2Fwall"},
			{"/login?return=/wall", 23 * time.Hour, http.StatusSeeOther, "/login?again=1&return=%2Fwall"},
			{"/login?again=1&return=/wall", 11 * time.Minute, http.StatusBadRequest, ""},
		} {
			callback, cookies := d.begin(c.login)
			time.Sleep(c.after) // of the bubble
			if len(cookies) != 1 || cookies[0].MaxAge != 24*3600 {
				t.Errorf("the login's cookies are %v", cookies)
			}
			got := d.get(callback, "192.0.2.1:1", cookies)
			if got.StatusCode != c.status || got.Header.Get("Location") != c.to {
				t.Errorf("%s after %v: status %d to %q, want %d to %q", c.login, c.after, got.StatusCode, got.Header.Get("Location"), c.status, c.to)
			}
		}
	})
}

// Whoever guesses codes, or the secrets of addresses, does so by their address's turns, in whichever way:
// a hundred at once, ten a second, and no more than wait in its queue.
func TestGuessesTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDoor(t)
		admin := d.admin()
		const guesser = "192.0.2.7:1"
		guesses := []func(code string) *http.Response{
			func(code string) *http.Response { return d.get("/screens/pair?code="+code, guesser, admin) },
			func(code string) *http.Response {
				return d.post("/screens/pair", guesser, url.Values{"do": {"pair"}, "code": {code}, "name": {"Bar"}, "language": {"en"}}, admin)
			},
			func(code string) *http.Response {
				return d.post("/screens/pair", guesser, url.Values{"do": {"refuse"}, "code": {code}}, admin)
			},
			func(code string) *http.Response {
				return d.post("/screen", guesser, url.Values{"secret": {code}}, nil)
			},
		}
		start := time.Now()
		for i := range 100 {
			if got := guesses[0](fmt.Sprintf("FFFF%02d", i)); got.StatusCode != http.StatusOK || time.Since(start) > 0 {
				t.Fatalf("guess %d: status %d after %v", i, got.StatusCode, time.Since(start))
			}
		}
		for way, guess := range guesses {
			start := time.Now()
			if got, took := guess("FFFFFF"), time.Since(start); got.StatusCode >= http.StatusBadRequest || took < 100*time.Millisecond || took > 200*time.Millisecond {
				t.Errorf("way %d: one guess more is answered %d after %v", way, got.StatusCode, took)
			}
		}
		var refused atomic.Int64
		var wg sync.WaitGroup
		for i := range 300 {
			wg.Go(func() {
				if guesses[i%len(guesses)]("FFFFFF").StatusCode == http.StatusTooManyRequests {
					refused.Add(1)
				}
			})
		}
		synctest.Wait()
		if n := refused.Load(); n < 90 || n > 110 {
			t.Errorf("of 300 at once %d are refused", n)
		}
		start = time.Now()
		if got := d.get("/screens/pair?code=FFFFFF", "192.0.2.9:1", admin); got.StatusCode != http.StatusOK || time.Since(start) > 0 {
			t.Errorf("from another address: %d after %v", got.StatusCode, time.Since(start))
		}
		wg.Wait()
	})
}

// Logout tokens that somebody made up, as many as they like, keep nobody from signing in; those that
// do not even look like the sign-in service's keep none of its own from their effect.
func TestFloodOfLogoutTokens(t *testing.T) {
	h := newHouse(t, nil)
	b, _ := h.mia(t, "sid-of-mia")
	for _, token := range []string{"x", h.idp.logoutToken(func(_, claims map[string]any) { claims["aud"] = "another" }),
		h.idp.logoutToken(func(_, claims map[string]any) { claims["iss"] = "https://evil.example" })} {
		for range 120 { // more than pass at once
			start := time.Now()
			if p := h.backchannel(t, token); p.status != http.StatusBadRequest {
				t.Fatalf("status %d: %s", p.status, p.body)
			}
			if took := time.Since(start); took > time.Second {
				t.Fatalf("a token waited %v", took)
			}
		}
	}
	if p := h.backchannel(t, h.idp.logoutToken(nil)); p.status != http.StatusOK {
		t.Fatalf("status %d: %s", p.status, p.body)
	}
	if p := b.stay().get("/tonight"); p.status != http.StatusSeeOther {
		t.Errorf("mia is signed in: %d", p.status)
	}

	// These look right and are not, so they wait for their turns, until no more may.
	ctx, cancel := context.WithCancel(t.Context())
	var flood sync.WaitGroup
	defer flood.Wait()
	defer cancel()
	full := make(chan struct{})
	var once sync.Once
	token := h.idp.logoutToken(nil)
	forged := url.Values{"logout_token": {token[:strings.LastIndexByte(token, '.')] + ".AAAA"}}
	for range 350 {
		flood.Go(func() {
			for { // a machine that is slow to send has answered the first before the last is there
				r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL+"/backchannel-logout", strings.NewReader(forged.Encode()))
				if err != nil {
					t.Error(err)
					return
				}
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				resp, err := h.Client().Do(r)
				if err != nil {
					return // it was still waiting at the end
				}
				resp.Body.Close()
				if resp.StatusCode == http.StatusTooManyRequests {
					once.Do(func() { close(full) })
					return
				}
			}
		})
	}
	select {
	case <-full:
	case <-time.After(30 * time.Second):
		t.Fatal("nobody was turned away")
	}
	start := time.Now() // whoever waits behind them, waits for 200 at ten a second
	if p := h.browser(t).get("/login"); p.status != http.StatusOK || p.path != "/tonight" || time.Since(start) > 15*time.Second {
		t.Errorf("a login: status %d at %s after %v", p.status, p.path, time.Since(start))
	}
}

// forwarded sends requests as a proxy does for an address.
type forwarded struct {
	http.RoundTripper
	address string
}

func (f forwarded) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Forwarded-For", f.address)
	return f.RoundTripper.RoundTrip(r)
}
