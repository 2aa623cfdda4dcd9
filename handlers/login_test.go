package handlers_test

import (
	"crypto/rand"
	"database/sql"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"housecount/handlers"
	"housecount/web"
	"housecount/web/live"
)

func TestLogin(t *testing.T) {
	h := newHouse(t, nil)
	b := h.browser(t)

	p := b.stay().get("/revenue?period=month")
	if want := "/login?return=%2Frevenue%3Fperiod%3Dmonth"; p.status != http.StatusSeeOther || p.header.Get("Location") != want {
		t.Fatalf("logged out: status %d to %q, want 303 to %q", p.status, p.header.Get("Location"), want)
	}
	p = b.get("/revenue?period=month")
	if p.status != http.StatusOK || p.path != "/revenue?period=month" || !strings.Contains(p.body, "Name of mia") {
		t.Fatalf("after the login: status %d at %s: %s", p.status, p.path, p.body)
	}
	if b.cookie("housecount_login_") != nil {
		t.Error("the login's cookie is still there after it")
	}
	if p := b.stay().get("/login?return=/wall"); p.header.Get("Location") != "/wall" {
		t.Errorf("login when logged in leads to %q, want /wall", p.header.Get("Location"))
	}

	log := h.log.String()
	for name, secret := range map[string]string{"session": b.session(), "client secret": clientSecret, "a code or state": "state=", "an ID token": "eyJ"} {
		if secret == "" || strings.Contains(log, secret) {
			t.Errorf("%s %q is in the log, or empty", name, secret)
		}
	}
}

// A provider closes connections that nobody uses, after five seconds where it is a Node.js program: a login that comes
// just then is one all the same, though its code may be sent only once.
func TestLoginAtAProviderThatClosesConnections(t *testing.T) {
	h := newHouseAt(t, func(p *standIn) { p.closesIdle = true })
	if p := h.browser(t).get("/tonight"); p.status != http.StatusOK || p.path != "/tonight" {
		t.Errorf("status %d at %s: %s", p.status, p.path, p.body)
	}
}

func TestSessionIsRenewedAtLogin(t *testing.T) {
	h := newHouse(t, nil)
	b := h.withSession(t, "planted-by-somebody-else")
	if p := b.get("/login"); p.status != http.StatusOK {
		t.Fatalf("status %d", p.status)
	}
	if b.session() == "planted-by-somebody-else" {
		t.Error("the login used a token that it had not made")
	}
	if token, err := base64.RawURLEncoding.DecodeString(b.session()); err != nil || len(token) < 32 {
		t.Errorf("the token is %d bytes: %v", len(token), err)
	}
	if p := h.withSession(t, "planted-by-somebody-else").stay().get("/tonight"); p.status != http.StatusSeeOther {
		t.Errorf("the planted token is logged in: status %d", p.status)
	}
}

// A callback that is not the answer to a login under way in this browser.
func TestCallbackRefused(t *testing.T) {
	h := newHouse(t, nil)
	for _, c := range []struct {
		name   string
		status int
		// alter changes the address, and may swap the browser.
		alter func(b *browser, q url.Values) *browser
	}{
		{name: "another state", status: 400, alter: func(b *browser, q url.Values) *browser { q.Set("state", rand.Text()); return b }},
		{name: "a state that begins like it", status: 400, alter: func(b *browser, q url.Values) *browser { q.Set("state", q.Get("state")[:8]+rand.Text()); return b }},
		{name: "empty state", status: 400, alter: func(b *browser, q url.Values) *browser { q.Set("state", ""); return b }},
		{name: "no state", status: 400, alter: func(b *browser, q url.Values) *browser { q.Del("state"); return b }},
		{name: "two states", status: 400, alter: func(b *browser, q url.Values) *browser { q.Add("state", q.Get("state")); return b }},
		{name: "another browser", status: 400, alter: func(b *browser, q url.Values) *browser { return h.browser(t) }},
		{name: "a cookie made by hand", status: 400, alter: func(b *browser, q url.Values) *browser {
			other := h.browser(t)
			u, _ := url.Parse(h.URL)
			other.Jar.SetCookies(u, []*http.Cookie{{Name: b.cookie("housecount_login_").Name, Value: strings.Repeat("A", 300)}})
			return other
		}},
		{name: "another issuer", status: 502, alter: func(b *browser, q url.Values) *browser { q.Set("iss", "https://evil.example"); return b }},
		{name: "our issuer and another", status: 502, alter: func(b *browser, q url.Values) *browser {
			q["iss"] = []string{h.idp.URL, "https://evil.example"}
			return b
		}},
		{name: "no code", status: 502, alter: func(b *browser, q url.Values) *browser { q.Del("code"); return b }},
		{name: "a code that is not ours", status: 502, alter: func(b *browser, q url.Values) *browser { q.Set("code", "x"); return b }},
		{name: "cancelled", status: 403, alter: func(b *browser, q url.Values) *browser {
			q.Del("code")
			q.Set("error", "access_denied")
			q.Set("error_description", "<script>alert(1)</script>")
			return b
		}},
		{name: "hostile error", status: 502, alter: func(b *browser, q url.Values) *browser {
			q.Del("code")
			q.Set("error", "<script>alert(1)</script>")
			return b
		}},
		{name: "provider busy", status: 503, alter: func(b *browser, q url.Values) *browser {
			q.Del("code")
			q.Set("error", "temporarily_unavailable")
			return b
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := h.browser(t)
			at := b.stopBefore("/login/callback", "/login")
			q := at.Query()
			b = c.alter(b, q)
			p := b.get("/login/callback?" + q.Encode())
			h.refused(t, b, p, c.status)
			if strings.Contains(p.body, "alert(1)") {
				t.Errorf("the page repeats what the provider said: %s", p.body)
			}
		})
	}
	if strings.Contains(h.log.String(), "level=ERROR") {
		t.Error("what strangers made up is logged as an error")
	}
}

// refused checks that p is an error page and that nobody was logged in.
func (h *house) refused(t *testing.T, b *browser, p page, status int) {
	t.Helper()
	if p.status != status {
		t.Errorf("status %d, want %d: %s", p.status, status, p.body)
	}
	if id := p.header.Get("X-Request-Id"); id == "" || !strings.Contains(p.body, id) {
		t.Errorf("the page does not show the request id %q", id)
	}
	if s := b.session(); s != "" {
		t.Errorf("there is a session cookie %q", s)
	}
	if p := b.stay().get("/tonight"); p.status != http.StatusSeeOther {
		t.Errorf("logged in all the same: status %d", p.status)
	}
}

// TestCallbackNamesTheIssuer checks that a callback that names our issuer is good, also after one that named another.
func TestCallbackNamesTheIssuer(t *testing.T) {
	h := newHouse(t, nil)
	b := h.browser(t)
	q := b.stopBefore("/login/callback", "/login").Query()
	q.Set("iss", "https://evil.example")
	if p := b.get("/login/callback?" + q.Encode()); p.status != http.StatusBadGateway || b.session() != "" {
		t.Errorf("another issuer: status %d, session %q", p.status, b.session())
	}
	q.Set("iss", h.idp.URL)
	if p := b.get("/login/callback?" + q.Encode()); p.status != http.StatusOK || b.session() == "" {
		t.Errorf("our issuer: status %d, session %q", p.status, b.session())
	}
}

func TestStateIsUsedOnce(t *testing.T) {
	h := newHouse(t, nil)
	b := h.browser(t)
	at := b.stopBefore("/login/callback", "/login")
	stored := b.cookie("housecount_login_")
	if p := b.get(at.String()); p.status != http.StatusOK {
		t.Fatalf("first time: status %d", p.status)
	}
	// Somebody who has copied both the address and the cookie.
	thief := h.browser(t)
	u, _ := url.Parse(h.URL)
	thief.Jar.SetCookies(u, []*http.Cookie{{Name: stored.Name, Value: stored.Value}})
	before := h.idp.called("/token")
	h.beginsAnew(t, thief, at.String())
	if h.idp.called("/token") != before {
		t.Error("the code was sent to the provider again")
	}
}

// beginsAnew checks that a callback leads to a new login, and logs nobody in.
func (h *house) beginsAnew(t *testing.T, b *browser, callback string) {
	t.Helper()
	p := b.stay().get(callback)
	if to := p.header.Get("Location"); p.status != http.StatusSeeOther || !strings.HasPrefix(to, "/login?again=1&return=") {
		t.Errorf("status %d to %q: %s", p.status, to, p.body)
	}
	if s := b.session(); s != "" {
		t.Errorf("there is a session cookie %q", s)
	}
}

func TestNoRole(t *testing.T) {
	h := newHouse(t, func(o *handlers.Options) {
		o.Login.RoleClaim = "house.groups"
		o.Login.Roles = map[string]web.Role{"kassa": web.BoxOffice, "deur": web.Door}
	})
	h.idp.set(func(p *standIn) { p.who = map[string]any{"sub": "x", "house": map[string]any{"groups": "deur"}} })
	b := h.browser(t)
	first := b.stopBefore("/login/callback", "/login")
	second := b.stopBefore("/login/callback", "/login")
	if p := b.get(first.String()); p.status != http.StatusOK {
		t.Fatalf("status %d: %s", p.status, p.body)
	}
	socket := b.watch("view=tonight")
	old := b.session()

	// The role is taken away before another tab comes back from its login.
	h.idp.as("x", "admin")
	p := b.get(second.String())
	h.refused(t, b, p, http.StatusForbidden)
	for want, there := range map[string]bool{"Name of x": true, `href="/login?another=1&amp;return=%2Ftonight"`: true, "deur": false, "kassa": false, "Back to Tonight": false} {
		if strings.Contains(p.body, want) != there {
			t.Errorf("%q is on the page: %v: %s", want, !there, p.body)
		}
	}
	if log := h.log.String(); !strings.Contains(log, "claim house.groups") {
		t.Error("the log does not name the claim")
	}
	if code := closeCode(t, socket, 30*time.Second); code != live.CloseSignedOut {
		t.Errorf("the socket of the session closed with %d, want %d", code, live.CloseSignedOut)
	}
	if p := h.withSession(t, old).stay().get("/tonight"); p.status != http.StatusSeeOther {
		t.Errorf("the session outlived its role: status %d", p.status)
	}
}

// Who is signed in with the wrong account may choose another; the first session ends only when
// they have.
func TestAnotherAccount(t *testing.T) {
	for name, c := range map[string]struct {
		prompts []string
		want    string
	}{
		"a provider that does not say": {nil, "select_account"},
		"one that lets choose":         {[]string{"none", "login", "select_account"}, "select_account"},
		"one that does not":            {[]string{"none", "login"}, "login"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouseAt(t, func(p *standIn) { p.prompts = c.prompts })
			b := h.loggedIn(t, web.Door)
			old := b.session()
			p := b.get("/revenue?period=month")
			if link := `href="/login?another=1&amp;return=%2Frevenue%3Fperiod%3Dmonth"`; p.status != http.StatusForbidden || !strings.Contains(p.body, link) || !strings.Contains(p.body, "Back to Tonight") {
				t.Errorf("status %d, no link %s: %s", p.status, link, p.body)
			}
			at := b.stopBefore("/authorize", "/login?another=1&return=/revenue?period=month")
			if got := at.Query().Get("prompt"); got != c.want {
				t.Errorf("prompt %q, want %q", got, c.want)
			}
			if p := b.get("/tonight"); p.status != http.StatusOK {
				t.Errorf("who only asked is signed out: %d", p.status)
			}
			h.idp.as("boss", "manager")
			if p := b.get("/login?another=1&return=/revenue?period=month"); p.status != http.StatusOK || p.path != "/revenue?period=month" || b.session() == old {
				t.Errorf("status %d at %s", p.status, p.path)
			}
			if p := h.withSession(t, old).stay().get("/tonight"); p.status != http.StatusSeeOther {
				t.Errorf("the first session goes on: %d", p.status)
			}
			if at := h.browser(t).stopBefore("/authorize", "/login"); at.Query().Has("prompt") {
				t.Errorf("an ordinary login asks for %s", at)
			}
		})
	}
}

// Several tabs come back from their logins; the first stays as it is.
func TestTabs(t *testing.T) {
	h := newHouse(t, nil)
	b := h.browser(t)
	first := b.stopBefore("/login/callback", "/login?return=/wall")
	second := b.stopBefore("/login/callback", "/login?return=/revenue")
	if p := b.get(first.String()); p.status != http.StatusOK || p.path != "/wall" {
		t.Fatalf("first tab: status %d at %s: %s", p.status, p.path, p.body)
	}
	token := b.session()
	if p := b.get(second.String()); p.status != http.StatusOK || p.path != "/revenue" {
		t.Fatalf("second tab: status %d at %s: %s", p.status, p.path, p.body)
	}
	if b.session() != token {
		t.Error("the second tab replaced the session of the first")
	}
}

// Another person logs in in the same browser.
func TestAnotherPerson(t *testing.T) {
	h := newHouse(t, nil)
	b := h.browser(t)
	first := b.stopBefore("/login/callback", "/login")
	second := b.stopBefore("/login/callback", "/login")
	b.get(first.String())
	old := b.session()
	socket := b.watch("view=tonight")
	h.idp.as("dan", "manager")
	if p := b.get(second.String()); !strings.Contains(p.body, "Name of dan") {
		t.Fatalf("status %d: %s", p.status, p.body)
	}
	if p := h.withSession(t, old).stay().get("/tonight"); p.status != http.StatusSeeOther {
		t.Errorf("the session of the first person lives: status %d", p.status)
	}
	if code := closeCode(t, socket, 30*time.Second); code != live.CloseSignedOut {
		t.Errorf("the socket closed with %d, want %d", code, live.CloseSignedOut)
	}
}

// Whoever begins logins and ends none, twenty thousand times, writes nothing to the database, and
// keeps nobody out.
func TestBeginningWritesNothing(t *testing.T) {
	h := newHouse(t, func(o *handlers.Options) { o.Log = nil })
	db, err := sql.Open("sqlite", h.database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	version := func() (n int) { // changes with every write of somebody else
		t.Helper()
		if err := db.QueryRow(`PRAGMA data_version`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := version()
	h.browser(t).stay().get("/login") // now the provider is discovered
	for range 20_000 {
		w := httptest.NewRecorder()
		h.Config.Handler.ServeHTTP(w, httptest.NewRequest("GET", h.URL+"/login", nil))
		if w.Code != http.StatusSeeOther {
			t.Fatalf("login: status %d", w.Code)
		}
	}
	if now := version(); now != before {
		t.Error("the database was written to")
	}
	if p := h.browser(t).get("/login"); p.status != http.StatusOK {
		t.Errorf("another's login: status %d", p.status)
	}
}

func TestOpenAttemptsAreBounded(t *testing.T) {
	h := newHouse(t, nil)
	b := h.browser(t)
	var tabs []*url.URL
	u, _ := url.Parse(h.URL)
	open := func(path string, n int) {
		t.Helper()
		for range n {
			tabs = append(tabs, b.stopBefore("/login/callback", "/login?return="+url.QueryEscape(path)))
			time.Sleep(time.Millisecond) // which tells the older from the newer
		}
		size := 0
		for _, c := range b.Jar.Cookies(u) {
			size += len(c.Name) + len(c.Value)
		}
		if size > 6000 {
			t.Errorf("the cookies have %d bytes", size)
		}
	}
	open("/wall?hall="+strings.Repeat("a", 350), 30)
	b.Jar.SetCookies(u, []*http.Cookie{{Name: "housecount_login_none", Value: strings.Repeat("x", 600)}}) // the first to go
	open("/wall", 12)
	// The newest are those that are still there, each with its page.
	for _, at := range tabs[len(tabs)-12:] {
		if p := b.get(at.String()); p.status != http.StatusOK || p.path != "/wall" {
			t.Errorf("status %d at %s", p.status, p.path)
		}
	}
}

// Who is logged in gets to the page that they wanted, whatever became of another login.
func TestFailedLoginBesideASession(t *testing.T) {
	h := newHouse(t, nil)
	for name, alter := range map[string]func(q url.Values){
		"cancelled":    func(q url.Values) { q.Del("code"); q.Set("error", "access_denied") },
		"a wrong code": func(q url.Values) { q.Set("code", "x") },
		"another's":    func(q url.Values) { q.Set("state", rand.Text()) },
		"two states":   func(q url.Values) { q.Add("state", q.Get("state")) },
	} {
		t.Run(name, func(t *testing.T) {
			b := h.browser(t)
			first := b.stopBefore("/login/callback", "/login")
			second := b.stopBefore("/login/callback", "/login?return="+url.QueryEscape("/wall?hall=A%26B"))
			b.get(first.String())
			token := b.session()
			want, q := "/wall?hall=A%26B", second.Query()
			if alter(q); q.Get("state") != second.Query().Get("state") || len(q["state"]) > 1 {
				want = "/tonight"
			}
			p := b.get("/login/callback?" + q.Encode())
			if p.status != http.StatusOK || p.path != want || b.session() != token {
				t.Errorf("status %d at %s, the same session: %v", p.status, p.path, b.session() == token)
			}
			if !strings.Contains(h.log.String(), "beside a session that goes on") {
				t.Error("it is not logged")
			}
		})
	}
	// The same callback twice, as some browsers do it.
	b := h.browser(t)
	at := b.stopBefore("/login/callback", "/login?return=/wall")
	cookie := b.cookie("housecount_login_")
	b.get(at.String())
	u, _ := url.Parse(h.URL)
	b.Jar.SetCookies(u, []*http.Cookie{{Name: cookie.Name, Value: cookie.Value}})
	if p := b.stay().get(at.String()); p.header.Get("Location") != "/wall" {
		t.Errorf("the second leads to %q with status %d", p.header.Get("Location"), p.status)
	}
}

// A login that fails keeps the page that was wanted.
func TestFailedLoginKeepsThePage(t *testing.T) {
	h := newHouse(t, nil)
	b := h.browser(t)
	at := b.stopBefore("/login/callback", "/login?return=/wall")
	q := at.Query()
	q.Set("code", "x")
	if p := b.get("/login/callback?" + q.Encode()); p.status != http.StatusBadGateway || !strings.Contains(p.body, `href="/login?return=%2Fwall"`) {
		t.Errorf("status %d: %s", p.status, p.body)
	}
}

func TestReturnPath(t *testing.T) {
	h := newHouse(t, nil)
	b := h.loggedIn(t, web.Manager).stay()
	for asked, want := range map[string]string{
		"/wall":                         "/wall",
		"/wall?hall=Grote+zaal":         "/wall?hall=Grote+zaal",
		"/events/" + eventID:            "/events/" + eventID,
		"/revenue?period=season":        "/revenue?period=season",
		"":                              "/tonight",
		"/":                             "/tonight",
		"wall":                          "/tonight",
		"//evil.example":                "/tonight",
		"//evil.example/wall":           "/tonight",
		"/events/\\evil":                "/tonight",
		"/wall?hall=a b":                "/tonight",
		"///wall":                       "/tonight",
		"/\\evil.example":               "/tonight",
		"\\\\evil.example":              "/tonight",
		"/wall\\..\\evil":               "/tonight",
		"/\t/evil.example":              "/tonight",
		"\t//evil.example":              "/tonight",
		"/\n/evil.example":              "/tonight",
		"/wall\r\nSet-Cookie: a=b":      "/tonight",
		"https://evil.example/wall":     "/tonight",
		"https:/wall":                   "/tonight",
		"javascript:alert(1)":           "/tonight",
		"/wall\x00":                     "/tonight",
		"/wall\u2028":                   "/tonight",
		"/wall%zz":                      "/tonight",
		"/login":                        "/tonight", // would go round for ever
		"/login?return=/login":          "/tonight",
		"/%6cogin":                      "/tonight",
		"/login/callback?code=x":        "/tonight",
		"/logout":                       "/tonight",
		"/live?view=tonight":            "/tonight",
		"/signed-out":                   "/tonight",
		"/assets/app.js":                "/tonight",
		"/nowhere":                      "/tonight",
		"/" + strings.Repeat("a", 5000): "/tonight",
	} {
		p := b.get("/login?return=" + url.QueryEscape(asked))
		if p.status != http.StatusSeeOther || p.header.Get("Location") != want {
			t.Errorf("return=%q: status %d to %q, want %q", asked, p.status, p.header.Get("Location"), want)
		}
	}
	// And once through a whole login.
	if p := h.browser(t).get("/login?return=" + url.QueryEscape("//evil.example")); p.path != "/tonight" {
		t.Errorf("a login with a hostile return path leads to %s", p.path)
	}
}
