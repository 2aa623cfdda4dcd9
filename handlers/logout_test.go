package handlers_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/handlers"
	"housecount/web"
	"housecount/web/live"
)

func TestCookies(t *testing.T) {
	h := newHouse(t, nil)
	secure := (&house{idp: h.idp, log: h.log}).build(t, "https://figures.example", func(o *handlers.Options) { o.SessionLifetime = time.Hour })
	for _, c := range []struct {
		name            string
		public          string
		handler         http.Handler
		login, session  string
		known           string
		language        string
		secure          bool
		sessionLifetime int
	}{
		{"https", "https://figures.example", secure, "__Host-login_", "__Host-session", "__Host-known", "__Host-language", true, 3600},
		{"http on loopback", h.URL, h.Config.Handler, "housecount_login_", "housecount_session", "housecount_known", "language", false, 12 * 3600},
	} {
		t.Run(c.name, func(t *testing.T) {
			serve := func(path string, cookies ...*http.Cookie) *http.Response {
				r := httptest.NewRequest("GET", c.public+path, nil)
				for _, c := range cookies {
					r.AddCookie(c)
				}
				w := httptest.NewRecorder()
				c.handler.ServeHTTP(w, r)
				return w.Result()
			}
			begun := serve("/login")
			authorize, err := h.Client().Transport.RoundTrip(httptest.NewRequest("GET", begun.Header.Get("Location"), nil))
			if err != nil {
				t.Fatal(err)
			}
			authorize.Body.Close()
			back, err := url.Parse(authorize.Header.Get("Location"))
			if err != nil || !strings.HasPrefix(back.String(), c.public+"/login/callback?") {
				t.Fatalf("the way back is %q: %v", authorize.Header.Get("Location"), err)
			}
			done := serve(back.RequestURI(), begun.Cookies()...)
			if done.StatusCode != http.StatusSeeOther || done.Header.Get("Location") != "/tonight" {
				t.Fatalf("status %d to %q", done.StatusCode, done.Header.Get("Location"))
			}
			var session *http.Cookie
			for _, k := range append(begun.Cookies(), done.Cookies()...) {
				if k.Secure != c.secure || !k.HttpOnly || k.SameSite != http.SameSiteLaxMode || k.Path != "/" || k.Domain != "" {
					t.Errorf("cookie %s", k.Raw)
				}
				switch {
				case k.Name == c.session:
					session = k
				case k.Name != c.known && !strings.HasPrefix(k.Name, c.login):
					t.Errorf("cookie %s", k.Raw)
				}
			}
			choice := httptest.NewRequest("POST", c.public+"/language", strings.NewReader("language=nl"))
			choice.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			w := httptest.NewRecorder()
			c.handler.ServeHTTP(w, choice)
			if k := w.Result().Cookies(); len(k) != 1 || k[0].Name != c.language || k[0].Secure != c.secure || !k[0].HttpOnly || k[0].SameSite != http.SameSiteLaxMode {
				t.Errorf("cookies of the language: %v", k)
			}
			if session == nil || session.MaxAge < c.sessionLifetime-60 || session.MaxAge > c.sessionLifetime+1 {
				t.Fatalf("session cookie %v", session)
			}
			if p := serve("/tonight", session); p.StatusCode != http.StatusOK {
				t.Errorf("with the cookie: status %d", p.StatusCode)
			}
			if p := serve("/tonight", &http.Cookie{Name: session.Name, Value: session.Value + "x"}); p.StatusCode != http.StatusSeeOther {
				t.Errorf("with another cookie: status %d", p.StatusCode)
			}
		})
	}
}

func TestLogout(t *testing.T) {
	h := newHouse(t, nil)
	b := h.loggedIn(t, web.Manager)
	token := b.session()
	sockets := []string{"view=tonight", "view=wall", "view=revenue&period=week"}
	colleague := h.loggedIn(t, web.Door).watch("view=tonight")

	start := time.Now()
	done := make(chan live.CloseCode, len(sockets))
	for _, q := range sockets {
		conn := b.watch(q)
		go func() { done <- closeCode(t, conn, 30*time.Second) }()
	}
	p := b.stay().do("POST", "/logout", nil)
	to := p.onward(t)
	q := to.Query()
	if !strings.HasPrefix(to.String(), h.idp.URL+"/end?") || q.Get("tenant") != "1" || q.Get("client_id") != clientID ||
		q.Get("post_logout_redirect_uri") != h.URL+"/signed-out" || strings.Count(q.Get("id_token_hint"), ".") != 2 {
		t.Errorf("logout leads to %s", to)
	}
	for range sockets {
		if code := <-done; code != live.CloseSignedOut {
			t.Errorf("a socket closed with %d, want %d", code, live.CloseSignedOut)
		}
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("the sockets closed after %v", took)
	}
	if b.session() != "" {
		t.Error("the browser still has the cookie")
	}
	if got := p.header.Get("Clear-Site-Data"); got != `"cache"` {
		t.Errorf("the browser is asked to clear %q", got)
	}
	if p := h.withSession(t, token).stay().get("/tonight"); p.status != http.StatusSeeOther {
		t.Errorf("the old cookie is logged in: status %d", p.status)
	}
	conn, _, err := h.withSession(t, token).dial("view=tonight", h.URL)
	if err != nil {
		t.Fatal(err)
	}
	if code := closeCode(t, conn, 30*time.Second); code != live.CloseSignedOut {
		t.Errorf("a socket with the old cookie closed with %d", code)
	}
	// Nobody else's socket closed.
	if err := colleague.WriteJSON(map[string]bool{"whole": true}); err != nil {
		t.Error(err)
	}
	if _, _, err := colleague.ReadMessage(); err != nil {
		t.Errorf("a colleague's socket: %v", err)
	}
	if !strings.Contains(p.body, `href="`+h.idp.URL+`/end?`) {
		t.Errorf("no link leads on to the sign-in service: %s", p.body)
	}
	// A second logout, and one of a stranger, only lead away.
	if p := b.stay().do("POST", "/logout", nil); p.status != http.StatusSeeOther || p.header.Get("Location") != "/signed-out" {
		t.Errorf("second logout: status %d to %q", p.status, p.header.Get("Location"))
	}
	for path, want := range map[string]string{"/signed-out": "signed out here", "/signed-out?return=%2Fwall": "has ended", "/signed-out?return=%2Fwall%3Fhall%3DFoyer": "/login?return=%2Fwall%3Fhall%3DFoyer"} {
		if p := b.get(path); p.status != http.StatusOK || !strings.Contains(p.body, want) {
			t.Errorf("%s: status %d, want %q in: %s", path, p.status, want, p.body)
		}
	}
}

// onward returns where a page goes on to by itself.
func (p page) onward(t testing.TB) *url.URL {
	t.Helper()
	address, ok := strings.CutPrefix(p.header.Get("Refresh"), "0; url=")
	to, err := url.Parse(address)
	if p.status != http.StatusOK || !ok || err != nil {
		t.Fatalf("status %d, and the page goes on to %q (%v)", p.status, p.header.Get("Refresh"), err)
	}
	return to
}

// A logout may end at another address than the issuer's, or nowhere.
func TestLogoutElsewhere(t *testing.T) {
	for name, c := range map[string]struct {
		end    string
		tamper func(header, claims map[string]any)
		want   string
		hint   bool
	}{
		"another origin": {end: "https://logout.example/end", want: "https://logout.example/end", hint: true},
		"a token too long for a header": {end: "https://logout.example/end", want: "https://logout.example/end",
			tamper: func(_, claims map[string]any) { claims["padding"] = strings.Repeat("x", 4000) }},
		"no address": {end: "javascript:alert(1)"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouseAt(t, func(p *standIn) { p.end, p.tamper = c.end, c.tamper })
			p := h.loggedIn(t, web.Door).do("POST", "/logout", nil)
			if c.want == "" {
				if p.status != http.StatusOK || p.path != "/signed-out?only=here" || !strings.Contains(p.body, "may still be signed in") {
					t.Errorf("status %d at %s: %s", p.status, p.path, p.body)
				}
				return
			}
			to := p.onward(t)
			if got := to.Scheme + "://" + to.Host + to.Path; got != c.want || to.Query().Has("id_token_hint") != c.hint {
				t.Errorf("logout leads to %s", to)
			}
		})
	}
}

// A sign-in service that hangs holds up nobody who leaves, even where it was never discovered.
func TestLogoutDoesNotWait(t *testing.T) {
	h := newHouse(t, nil)
	b := h.loggedIn(t, web.Door)
	h.idp.mu.Lock() // it accepts and does not answer
	defer h.idp.mu.Unlock()
	h.replica.Store(h.newReplica(t)) // which could not discover it
	start := time.Now()
	p := b.do("POST", "/logout", nil)
	if took := time.Since(start); took > time.Second {
		t.Errorf("the logout took %v", took)
	}
	if p.status != http.StatusOK || p.path != "/signed-out?only=here" || !strings.Contains(p.body, "may still be signed in") {
		t.Errorf("status %d at %s: %s", p.status, p.path, p.body)
	}
	if p := b.stay().get("/tonight"); p.status != http.StatusSeeOther {
		t.Errorf("still signed in: status %d", p.status)
	}
}

// A request that began before the logout ends after it.
func TestSlowRequestDoesNotRevive(t *testing.T) {
	h := newHouse(t, nil)
	b := h.loggedIn(t, web.Door)
	token := b.session()
	entered, leave := make(chan struct{}), make(chan struct{})
	first := snapshot()
	slow := func() *figures.Snapshot { close(entered); <-leave; return first }
	h.snapshot.Store(&slow)
	result := make(chan page)
	go func() { result <- h.withSession(t, token).stay().get("/tonight") }()
	<-entered
	if p := b.stay().do("POST", "/logout", nil); p.status != http.StatusOK {
		t.Errorf("logout: status %d", p.status)
	}
	close(leave)
	p := <-result
	if cookies := p.header.Values("Set-Cookie"); p.status != http.StatusOK || slices.ContainsFunc(cookies, func(c string) bool { return strings.Contains(c, "session") }) {
		t.Errorf("the slow request ends with status %d, cookies %q", p.status, cookies)
	}
	if p := h.withSession(t, token).stay().get("/tonight"); p.status != http.StatusSeeOther {
		t.Errorf("the slow request brought the session back: status %d", p.status)
	}
}

// Even who saves a session that was read before the logout does not bring it back.
func TestLateCommitDoesNotRevive(t *testing.T) {
	h := newHouse(t, nil)
	b := h.loggedIn(t, web.Door)
	token := b.session()
	sm := h.scsOf()
	ctx, err := sm.Load(t.Context(), token)
	if err != nil || len(sm.Keys(ctx)) == 0 {
		t.Fatalf("the session was not read: %v", err)
	}
	b.stay().do("POST", "/logout", nil)
	sm.Put(ctx, "late", true)
	if _, _, err := sm.Commit(ctx); err != nil {
		t.Logf("the store refuses: %v", err)
	}
	if p := h.withSession(t, token).stay().get("/tonight"); p.status != http.StatusSeeOther {
		t.Errorf("the late commit brought the session back: status %d", p.status)
	}
}

// Each page that is no wall has the form that signs out, and none has a token.
func TestSignOutIsOnEveryPage(t *testing.T) {
	h := newHouse(t, nil)
	b := h.loggedIn(t, web.Admin)
	looked := 0
	for _, row := range web.Pages() {
		if row.Path == "" || row.Wall || row.Bare || strings.Contains(row.Path, "{") {
			continue
		}
		p := b.get(row.Path)
		if looked++; p.status != http.StatusOK || !strings.Contains(p.body, `action="/logout"`) || strings.Contains(p.body, "eyJ") || strings.Contains(p.body, b.session()) {
			t.Errorf("%s is answered %d, and its page cannot be signed out from or has a token: %.2000s", row.Path, p.status, p.body)
		}
	}
	if looked < 10 {
		t.Errorf("only %d pages were looked at", looked)
	}
}
