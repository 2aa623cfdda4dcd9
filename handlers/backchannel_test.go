package handlers_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"housecount/aggregator/store"
	"housecount/handlers"
	"housecount/web/live"
)

// logoutToken returns one that the sign-in service issues, unless it is tampered with.
func (p *standIn) logoutToken(tamper func(header, claims map[string]any)) string {
	header := map[string]any{"alg": "ES256", "kid": "one", "typ": "logout+jwt"}
	claims := map[string]any{
		"iss": p.URL, "aud": clientID, "iat": time.Now().Unix(), "exp": time.Now().Add(2 * time.Minute).Unix(), "jti": rand.Text(),
		"sub": "mia", "sid": "sid-of-mia", "events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}},
	}
	if tamper != nil {
		tamper(header, claims)
	}
	return p.sign(header, claims)
}

func (h *house) backchannel(t *testing.T, token string) page {
	t.Helper()
	return h.browser(t).post(h.URL+"/backchannel-logout", url.Values{"logout_token": {token}})
}

// mia logs in with a session of the sign-in service's, and looks at two pages.
func (h *house) mia(t *testing.T, sid string) (*browser, []*websocket.Conn) {
	t.Helper()
	h.idp.set(func(p *standIn) {
		p.who = map[string]any{"sub": "mia", "roles": []string{"manager"}}
		if sid != "" {
			p.who["sid"] = sid
		}
	})
	b := h.browser(t)
	if p := b.get("/login"); p.status != http.StatusOK {
		t.Fatalf("login: status %d", p.status)
	}
	return b, []*websocket.Conn{b.watch("view=tonight"), b.watch("view=wall")}
}

// The sign-in service ends sessions: their pages and sockets are closed within a second, on the
// replica that it told and on others.
func TestBackchannelLogout(t *testing.T) {
	onBoth(t, func(t *testing.T, h *house, other *handlers.Site, hints time.Duration) {
		one := h.replica.Load()
		drop := func(names ...string) func(header, claims map[string]any) {
			return func(_, claims map[string]any) {
				for _, name := range names {
					delete(claims, name)
				}
			}
		}
		for _, c := range []struct {
			name   string
			sid    string // of mia's session
			tamper func(header, claims map[string]any)
			told   *handlers.Site
			ends   bool
		}{
			{"its session", "sid-of-mia", nil, one, true},
			{"on another replica", "sid-of-mia", nil, other, true},
			{"only by its id", "sid-of-mia", drop("sub"), one, true},
			{"only by the person", "sid-of-mia", drop("sid"), one, true},
			{"a session that never had an id", "", nil, one, true},
			{"another session of the person", "another", nil, one, false},
			{"another person", "", func(_, claims map[string]any) { claims["sub"] = "dan" }, one, false},
			{"without an expiry", "sid-of-mia", drop("exp"), one, true},
			{"without a type", "sid-of-mia", func(header, _ map[string]any) { delete(header, "typ") }, one, true},
			{"from a clock that is two minutes ahead", "sid-of-mia", func(_, claims map[string]any) {
				claims["iat"], claims["exp"] = time.Now().Add(2*time.Minute).Unix(), time.Now().Add(4*time.Minute).Unix()
			}, one, true},
			{"from a clock that is two minutes behind", "sid-of-mia", func(_, claims map[string]any) {
				claims["iat"], claims["exp"] = time.Now().Add(-2*time.Minute).Unix(), time.Now().Add(-time.Second).Unix()
			}, one, true},
		} {
			t.Run(c.name, func(t *testing.T) {
				h.replica.Store(one)
				b, sockets := h.mia(t, c.sid)
				h.replica.Store(c.told)
				start := time.Now()
				if p := h.backchannel(t, h.idp.logoutToken(c.tamper)); p.status != http.StatusOK || p.header.Get("Cache-Control") != "no-store" {
					t.Fatalf("status %d: %s", p.status, p.body)
				}
				if p := b.stay().get("/tonight"); (p.status == http.StatusSeeOther) != c.ends {
					t.Errorf("the page is answered %d", p.status)
				}
				for _, conn := range sockets {
					if !c.ends {
						conn.Close()
						continue
					}
					if code := closeCode(t, conn, 30*time.Second); code != live.CloseSignedOut {
						t.Errorf("closed with %d", code)
					}
				}
				limit := time.Second
				if c.told != one {
					limit += hints
				}
				if took := time.Since(start); took > limit {
					t.Errorf("it took %v", took)
				}
				if _, err := h.store.Sessions().Revoke(t.Context(), byIssuer(h, "mia"), store.Act{}); err != nil {
					t.Fatal(err)
				}
			})
		}
	})
}

// Who logs in again with a new session of the sign-in service's has a new session here, which the
// end of the old one does not end; with the same they keep theirs.
func TestLoginWithAnotherSID(t *testing.T) {
	h := newHouse(t, nil)
	b, _ := h.mia(t, "sid-of-mia")
	first := b.session()
	if b.get("/login?another=1"); b.session() != first {
		t.Error("another tab's login with the same session began another")
	}
	h.idp.set(func(p *standIn) { p.who["sid"] = "another" })
	if b.get("/login?another=1"); b.session() == first {
		t.Error("the new session was dropped")
	}
	if p := h.backchannel(t, h.idp.logoutToken(nil)); p.status != http.StatusOK {
		t.Fatalf("status %d: %s", p.status, p.body)
	}
	if p := b.stay().get("/tonight"); p.status != http.StatusOK {
		t.Errorf("mia is signed out: %d", p.status)
	}
}

// What is no logout token of the sign-in service's for us ends nothing.
func TestLogoutTokenRefused(t *testing.T) {
	h := newHouse(t, nil)
	b, _ := h.mia(t, "sid-of-mia")
	stranger, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	claim := func(name string, value any) func(_, claims map[string]any) {
		return func(_, claims map[string]any) { claims[name] = value }
	}
	for _, c := range []struct {
		name   string
		tamper func(header, claims map[string]any)
		signer *ecdsa.PrivateKey
	}{
		{name: "another audience", tamper: claim("aud", "the-api")},
		{name: "another issuer", tamper: claim("iss", "https://evil.example")},
		{name: "a nonce", tamper: claim("nonce", "n")},
		{name: "no event", tamper: claim("events", map[string]any{})},
		{name: "another event", tamper: claim("events", map[string]any{"http://schemas.openid.net/event/other": map[string]any{}})},
		{name: "an event that is no object", tamper: claim("events", map[string]any{"http://schemas.openid.net/event/backchannel-logout": true})},
		{name: "no id", tamper: claim("jti", "")},
		{name: "nobody", tamper: func(_, claims map[string]any) { delete(claims, "sub"); delete(claims, "sid") }},
		{name: "a control character", tamper: claim("sid", "sid-of-mia\x00")},
		{name: "issued long ago", tamper: claim("iat", time.Now().Add(-time.Hour).Unix())},
		{name: "issued in an hour", tamper: claim("iat", time.Now().Add(time.Hour).Unix())},
		{name: "never issued", tamper: func(_, claims map[string]any) { delete(claims, "iat") }},
		{name: "expired", tamper: claim("exp", time.Now().Add(-4*time.Minute).Unix())},
		{name: "an access token", tamper: func(header, _ map[string]any) { header["typ"] = "at+jwt" }},
		{name: "unsigned", tamper: func(header, _ map[string]any) { header["alg"] = "none" }},
		{name: "signed by a stranger", signer: stranger},
	} {
		t.Run(c.name, func(t *testing.T) {
			h.idp.set(func(p *standIn) { p.signer = c.signer })
			if p := h.backchannel(t, h.idp.logoutToken(c.tamper)); p.status != http.StatusBadRequest {
				t.Errorf("status %d: %s", p.status, p.body)
			}
			if p := b.stay().get("/tonight"); p.status != http.StatusOK {
				t.Errorf("mia is signed out: %d", p.status)
			}
		})
	}
	h.idp.set(func(p *standIn) { p.signer = nil })
	for _, token := range []string{"", "x", "a.b.c"} {
		if p := h.backchannel(t, token); p.status != http.StatusBadRequest {
			t.Errorf("token %q: status %d", token, p.status)
		}
	}
	if p := b.stay().get("/backchannel-logout"); p.status != http.StatusMethodNotAllowed {
		t.Errorf("asked for with GET: status %d", p.status)
	}
}

// A logout token that comes again, to any replica, ends no session that began since.
func TestLogoutTokenReplayed(t *testing.T) {
	h := newHouse(t, nil)
	h.mia(t, "sid-of-mia")
	token := h.idp.logoutToken(nil)
	if p := h.backchannel(t, token); p.status != http.StatusOK {
		t.Fatalf("status %d", p.status)
	}
	b, _ := h.mia(t, "sid-of-mia")
	for range 2 {
		if p := h.backchannel(t, token); p.status != http.StatusBadRequest {
			t.Errorf("again: status %d", p.status)
		}
		h.replica.Store(h.newReplica(t))
	}
	if p := b.stay().get("/tonight"); p.status != http.StatusOK {
		t.Errorf("mia is signed out: %d", p.status)
	}
}

// Logout tokens with unknown key ids have the sign-in service asked for its keys once, and not each time.
func TestForgedLogoutTokensFetchKeysOnce(t *testing.T) {
	h := newHouse(t, nil)
	h.mia(t, "sid-of-mia")
	before := h.idp.called("/keys")
	for range 10 {
		forged := h.idp.logoutToken(func(header, _ map[string]any) { header["kid"] = rand.Text() })
		if p := h.backchannel(t, forged); p.status != http.StatusBadRequest {
			t.Fatalf("status %d: %s", p.status, p.body)
		}
	}
	if n := h.idp.called("/keys") - before; n != 1 {
		t.Errorf("the keys are fetched %d times", n)
	}
	if p := h.backchannel(t, h.idp.logoutToken(nil)); p.status != http.StatusOK {
		t.Errorf("an honest token: status %d: %s", p.status, p.body)
	}
}
