package handlers_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"housecount/aggregator/store"
	"housecount/aggregator/store/pgtest"
	"housecount/handlers"
	"housecount/web"
	"housecount/web/live"
)

// databases are what replicas may share, and how soon one notices what another writes: at
// once, or with the next poll of the file, once a second.
var databases = []struct {
	name  string
	open  func(testing.TB) string
	hints time.Duration
}{
	{"SQLite", newDatabase, time.Second},
	{"PostgreSQL", pgtest.New, 0},
}

// newReplica is another replica of the house: the same address, database and sign-in service.
func (h *house) newReplica(t *testing.T) *handlers.Site {
	t.Helper()
	return (&house{idp: h.idp, log: h.log, database: h.database}).build(t, h.URL, nil)
}

// onBoth runs a test of two replicas on both databases.
func onBoth(t *testing.T, test func(t *testing.T, h *house, other *handlers.Site, hints time.Duration)) {
	for _, d := range databases {
		t.Run(d.name, func(t *testing.T) {
			h := &house{database: d.open(t)}
			h.open(t, nil)
			test(t, h, h.newReplica(t), d.hints)
		})
	}
}

// A proxy may send the way to the sign-in service and the way back to different replicas.
func TestLoginAcrossReplicas(t *testing.T) {
	onBoth(t, func(t *testing.T, h *house, other *handlers.Site, _ time.Duration) {
		one := h.replica.Load()
		b := h.browser(t)
		at := b.stopBefore("/login/callback", "/login?return=/wall")
		cookie := b.cookie("housecount_login_")
		h.replica.Store(other)
		if p := b.get(at.String()); p.status != http.StatusOK || p.path != "/wall" {
			t.Fatalf("status %d at %s: %s", p.status, p.path, p.body)
		}
		// The state is used up on both.
		for _, replica := range []*handlers.Site{one, other} {
			h.replica.Store(replica)
			thief := h.browser(t)
			u, _ := url.Parse(h.URL)
			thief.Jar.SetCookies(u, []*http.Cookie{{Name: cookie.Name, Value: cookie.Value}})
			h.beginsAnew(t, thief, at.String())
		}
	})
}

// A stranger who knows an address of the way back cannot use it up.
func TestAnotherBrowserDoesNotUseAnAttemptUp(t *testing.T) {
	h := newHouse(t, nil)
	b, stranger := h.browser(t), h.browser(t)
	at := b.stopBefore("/login/callback", "/login")
	u, _ := url.Parse(h.URL)
	stranger.Jar.SetCookies(u, []*http.Cookie{{Name: b.cookie("housecount_login_").Name, Value: "guessed"}})
	h.refused(t, stranger, stranger.get(at.String()), http.StatusBadRequest)
	if p := b.get(at.String()); p.status != http.StatusOK {
		t.Errorf("status %d", p.status)
	}
}

// A session that ends on one replica, in any way, closes its sockets on another.
func TestSessionEndsOnAnotherReplica(t *testing.T) {
	onBoth(t, func(t *testing.T, h *house, other *handlers.Site, hints time.Duration) {
		one := h.replica.Load()
		elsewhere, err := store.Open(t.Context(), h.database)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { elsewhere.Close() })
		revoke := func(which store.Which) func(*testing.T, *browser) {
			return func(t *testing.T, _ *browser) {
				if n, err := elsewhere.Sessions().Revoke(t.Context(), which, store.Act{}); len(n) != 1 || err != nil {
					t.Errorf("%d sessions ended, want 1 (%v)", len(n), err)
				}
			}
		}
		colleague := h.loggedIn(t, web.Manager).watch("view=tonight")
		for _, test := range []struct {
			name string
			end  func(*testing.T, *browser)
		}{
			{"logout", func(t *testing.T, b *browser) {
				if p := b.stay().do(http.MethodPost, "/logout", nil); p.status >= http.StatusBadRequest {
					t.Errorf("logout: status %d", p.status)
				}
			}},
			{"by the person", revoke(byIssuer(h, "mia"))},
			{"by the sign-in service's session", revoke(store.BySID(h.idp.URL+" sid-of-mia", ""))},
		} {
			t.Run(test.name, func(t *testing.T) {
				h.replica.Store(one)
				h.idp.set(func(p *standIn) {
					p.who = map[string]any{"sub": "mia", "sid": "sid-of-mia", "roles": []string{"manager"}}
				})
				b := h.browser(t)
				if p := b.get("/login"); p.status != http.StatusOK {
					t.Fatalf("login: status %d", p.status)
				}
				sockets := []*websocket.Conn{b.watch("view=tonight"), b.watch("view=wall")}
				h.replica.Store(other)
				start := time.Now()
				test.end(t, b)
				for _, conn := range sockets {
					if code := closeCode(t, conn, 30*time.Second); code != live.CloseSignedOut {
						t.Errorf("closed with %d, want %d", code, live.CloseSignedOut)
					}
				}
				if took := time.Since(start); took > hints+time.Second {
					t.Errorf("the sockets closed after %v", took)
				}
				if p := b.stay().get("/tonight"); p.status != http.StatusSeeOther {
					t.Errorf("the session lives on: status %d", p.status)
				}
			})
		}
		if err := colleague.WriteJSON(map[string]bool{"whole": true}); err != nil {
			t.Error(err)
		}
		if _, _, err := colleague.ReadMessage(); err != nil {
			t.Errorf("a colleague's socket: %v", err)
		}
	})
}

// byIssuer returns the sessions of a subject of the house's sign-in service.
func byIssuer(h *house, subject string) store.Which {
	return store.BySubject(h.idp.URL + " " + subject)
}
