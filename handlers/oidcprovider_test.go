package handlers_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"housecount/aggregator/store/pgtest"
	"housecount/handlers"
	"housecount/handlers/oidctest"
	"housecount/handlers/signin"
	"housecount/web/live"
)

var (
	formAction = regexp.MustCompile(`<form[^>]* action="([^"]+)"`)
	formHidden = regexp.MustCompile(`<input[^>]* type="hidden" name="([^"]+)" value="([^"]*)"`)
)

// submit sends the form of a page, with what somebody filled in.
func (b *browser) submit(p page, filled url.Values) page {
	b.t.Helper()
	action := formAction.FindStringSubmatch(p.body)
	if action == nil {
		b.t.Fatalf("status %d at %s, and no form: %s", p.status, p.path, p.body)
	}
	for _, hidden := range formHidden.FindAllStringSubmatch(p.body, -1) {
		filled.Set(hidden[1], html.UnescapeString(hidden[2]))
	}
	return b.post(html.UnescapeString(action[1]), filled)
}

// asksForPassword reports whether oidc-provider wants to know who this is.
func (p page) asksForPassword() bool { return strings.Contains(p.body, `name="password"`) }

// consent logs in at oidc-provider, which then asks whether housecount may know who this is.
func (b *browser) consent(who string) page {
	b.t.Helper()
	p := b.get("/tonight")
	if !p.asksForPassword() {
		b.t.Fatalf("status %d at %s, and no password is asked for: %s", p.status, p.path, p.body)
	}
	p = b.submit(p, url.Values{"login": {who}, "password": {"any"}})
	if !strings.Contains(p.body, ">Continue<") {
		b.t.Fatalf("status %d at %s, and no consent is asked for: %s", p.status, p.path, p.body)
	}
	return b.submit(p, url.Values{})
}

// leave logs out here, and confirms it at oidc-provider.
func (b *browser) leave() page {
	b.t.Helper()
	p := b.do(http.MethodPost, "/logout", nil)
	return b.submit(b.get(p.onward(b.t).String()), url.Values{"logout": {"yes"}})
}

// Staff log in at a provider that is not ours, in every way that it has: it signs with RSA, asks for
// consent, has the roles at its userinfo endpoint alone, and keeps sessions.
func TestOIDCProvider(t *testing.T) {
	var login signin.Login
	configure := func(o *handlers.Options) { o.Login = login }
	h := &house{database: pgtest.New(t)}
	h.open(t, func(o *handlers.Options) {
		login = signin.Login{Issuer: oidctest.Start(t, o.PublicURL, clientSecret, ""), ClientID: clientID, ClientSecret: clientSecret}
		configure(o)
	})
	one := h.replica.Load()
	other := (&house{idp: h.idp, log: h.log, database: h.database}).build(t, h.URL, configure)

	// may expects what a browser is answered on both replicas.
	may := func(b *browser, tonight, revenue int) {
		t.Helper()
		for _, replica := range []*handlers.Site{other, one} {
			h.replica.Store(replica)
			for path, want := range map[string]int{"/tonight": tonight, "/revenue": revenue} {
				if p := b.stay().get(path); p.status != want {
					t.Errorf("%s is answered %d, want %d", path, p.status, want)
				}
			}
		}
	}
	manager, door, stranger := h.browser(t), h.browser(t), h.browser(t)
	for b, who := range map[*browser]string{manager: "manager", door: "door"} {
		if p := b.consent(who); p.status != http.StatusOK || p.path != "/tonight" {
			t.Fatalf("%s: status %d at %s: %s", who, p.status, p.path, p.body)
		}
	}
	may(manager, http.StatusOK, http.StatusOK)
	may(door, http.StatusOK, http.StatusForbidden)
	if p := stranger.consent("stranger"); p.status != http.StatusForbidden || stranger.session() != "" {
		t.Errorf("who has no role is answered %d at %s", p.status, p.path)
	}

	// Of itself it asks for no password again, until somebody logs out.
	forgetful := h.browser(t)
	forgetful.Jar = manager.Jar
	base, _ := url.Parse(h.URL)
	session := *manager.cookie("housecount_session")
	forgetful.Jar.SetCookies(base, []*http.Cookie{{Name: session.Name, MaxAge: -1, Path: "/"}})
	if p := forgetful.get("/tonight"); p.status != http.StatusOK || p.path != "/tonight" {
		t.Errorf("without our cookie: status %d at %s", p.status, p.path)
	}
	if p := manager.leave(); p.status != http.StatusOK || p.path != "/signed-out" {
		t.Errorf("the logout ends with %d at %s: %s", p.status, p.path, p.body)
	}
	if p := manager.get("/tonight"); !p.asksForPassword() {
		t.Errorf("after the logout: status %d at %s: %s", p.status, p.path, p.body)
	}
	// The session of the cookie that was forgotten came from the same session there.
	may(h.withSession(t, session.Value), http.StatusSeeOther, http.StatusSeeOther)

	// It renews refresh tokens: each is good once, and the next one was kept.
	for range 3 {
		h.later(t, 6*time.Minute)
		h.askAgain(t)
		may(door, http.StatusOK, http.StatusForbidden)
	}
	if log := h.log.String(); strings.Contains(log, "in vain") || !strings.Contains(log, "path=/backchannel-logout") {
		t.Error("it was asked about a session in vain, or never told of a logout")
	}

	// Logging out at the provider ends the session here, and closes all its pages.
	var sockets []*websocket.Conn
	for _, replica := range []*handlers.Site{one, other} {
		h.replica.Store(replica)
		sockets = append(sockets, door.watch("view=tonight"), door.watch("view=wall"))
	}
	confirm := door.get(login.Issuer + "/session/end")
	start := time.Now()
	door.submit(confirm, url.Values{"logout": {"yes"}})
	for _, conn := range sockets {
		if code := closeCode(t, conn, 30*time.Second); code != live.CloseSignedOut {
			t.Errorf("closed with %d", code)
		}
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("the sockets closed after %v", took)
	}
	may(door, http.StatusSeeOther, http.StatusSeeOther)
}

// The same provider as plain OAuth 2.0: the access token is a JWT of the type at+jwt, with the roles
// in it.
func TestOIDCProviderAccessToken(t *testing.T) {
	var issuer string
	h := newHouse(t, func(o *handlers.Options) {
		issuer = oidctest.Start(t, o.PublicURL, clientSecret, "")
		o.Login = signin.Login{AuthURL: issuer + "/auth", TokenURL: issuer + "/token", JWKSURL: issuer + "/jwks", Audience: oidctest.Audience,
			Scopes: []string{"profile"}, ClientID: clientID, ClientSecret: clientSecret, LogoutURL: issuer + "/session/end"}
	})
	b := h.browser(t)
	if p := b.consent("manager"); p.status != http.StatusOK || p.path != "/tonight" {
		t.Fatalf("status %d at %s: %s", p.status, p.path, p.body)
	}
	h.later(t, 6*time.Minute)
	h.askAgain(t)
	if p := b.get("/revenue"); p.status != http.StatusOK || strings.Contains(h.log.String(), "in vain") {
		t.Errorf("revenue is answered %d", p.status)
	}
	if p := b.do(http.MethodPost, "/logout", nil); p.status != http.StatusOK || !strings.Contains(p.body, `href="`+issuer+`/session/end"`) {
		t.Errorf("no way to its logout but status %d at %s: %s", p.status, p.path, p.body)
	}
}
