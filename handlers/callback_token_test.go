package handlers_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"housecount/handlers"
	"housecount/handlers/signin"
	"housecount/web"
)

// Whom PostgreSQL cannot store does not get as far as the database.
func TestControlCharactersInAToken(t *testing.T) {
	h := newHouse(t, nil)
	for claim, value := range map[string]string{"sub": "anna\x00", "sid": "\x00s"} {
		h.idp.set(func(p *standIn) { p.tamper = func(header, claims map[string]any) { claims[claim] = value } })
		b := h.browser(t)
		h.refused(t, b, b.get("/login"), http.StatusBadGateway)
	}
}

// What is wrong with a token although its signature may be right.
func TestTokenRefused(t *testing.T) {
	h := newHouse(t, nil)
	stranger, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	shift := func(d time.Duration) func(header, claims map[string]any) {
		return func(_, claims map[string]any) {
			now := time.Now().Add(d)
			claims["iat"], claims["nbf"], claims["exp"] = now.Unix(), now.Unix(), now.Add(time.Minute).Unix()
		}
	}
	for _, c := range []struct {
		name   string
		tamper func(header, claims map[string]any)
		signer *ecdsa.PrivateKey
		good   bool
	}{
		{name: "untouched", tamper: func(header, claims map[string]any) {}, good: true},
		{name: "no type", tamper: func(header, claims map[string]any) { delete(header, "typ") }, good: true},
		{name: "our own authorized party", tamper: func(header, claims map[string]any) { claims["azp"] = clientID }, good: true},
		{name: "from a clock that is two minutes behind", tamper: shift(-2 * time.Minute), good: true},
		{name: "from a clock that is two minutes ahead", tamper: shift(2 * time.Minute), good: true},
		{name: "another nonce", tamper: func(header, claims map[string]any) { claims["nonce"] = rand.Text() }},
		{name: "empty nonce", tamper: func(header, claims map[string]any) { claims["nonce"] = "" }},
		{name: "no nonce", tamper: func(header, claims map[string]any) { delete(claims, "nonce") }},
		{name: "an access token", tamper: func(header, claims map[string]any) { header["typ"] = "at+jwt" }},
		{name: "an access token in full", tamper: func(header, claims map[string]any) { header["typ"] = "application/AT+JWT" }},
		{name: "a logout token", tamper: func(header, claims map[string]any) { header["typ"] = "logout+jwt" }},
		{name: "another audience", tamper: func(header, claims map[string]any) { claims["aud"] = "the-api" }},
		{name: "another authorized party", tamper: func(header, claims map[string]any) {
			claims["aud"] = []string{"the-api", clientID}
			claims["azp"] = "the-api"
		}},
		{name: "several audiences, and we are the authorized party", tamper: func(header, claims map[string]any) {
			claims["aud"] = []string{"the-api", clientID}
			claims["azp"] = clientID
		}, good: true},
		{name: "several audiences and no authorized party", tamper: func(header, claims map[string]any) { claims["aud"] = []string{"the-api", clientID} }},
		{name: "another issuer", tamper: func(header, claims map[string]any) { claims["iss"] = "https://evil.example" }},
		{name: "expired", tamper: func(header, claims map[string]any) { claims["exp"] = time.Now().Add(-time.Hour).Unix() }},
		{name: "no expiry", tamper: func(header, claims map[string]any) { delete(claims, "exp") }},
		{name: "no subject", tamper: func(header, claims map[string]any) { delete(claims, "sub") }},
		{name: "unsigned", tamper: func(header, claims map[string]any) { header["alg"] = "none" }},
		{name: "signed by a stranger", tamper: func(header, claims map[string]any) {}, signer: stranger},
		{name: "signed by a stranger with an unknown key", tamper: func(header, claims map[string]any) { header["kid"] = "two" }, signer: stranger},
	} {
		t.Run(c.name, func(t *testing.T) {
			h.idp.set(func(p *standIn) { p.tamper, p.signer = c.tamper, c.signer })
			b := h.browser(t)
			p := b.get("/login")
			if c.good {
				if p.status != http.StatusOK || p.path != "/tonight" {
					t.Errorf("status %d at %s: %s", p.status, p.path, p.body)
				}
				return
			}
			h.refused(t, b, p, http.StatusBadGateway)
		})
	}
}

// Roles may be only at the userinfo endpoint.
func TestUserinfo(t *testing.T) {
	roles := func(sub string, more ...any) map[string]any {
		m := map[string]any{"sub": sub, "name": "Mia", "roles": []string{"manager"}}
		for i := 0; i < len(more); i += 2 {
			m[more[i].(string)] = more[i+1]
		}
		return m
	}
	for _, c := range []struct {
		name     string
		token    map[string]any
		userinfo map[string]any
		status   int
		asked    int
	}{
		{"only there", map[string]any{"sub": "mia"}, roles("mia"), http.StatusOK, 1},
		{"in the token too", map[string]any{"sub": "mia", "roles": []string{"manager"}}, roles("mia", "roles", []string{"door"}), http.StatusOK, 0},
		{"none in the token", map[string]any{"sub": "mia", "roles": []string{}}, roles("mia"), http.StatusForbidden, 0},
		{"about somebody else", map[string]any{"sub": "mia"}, roles("dan"), http.StatusBadGateway, 1},
		{"about nobody", map[string]any{"sub": "mia"}, roles(""), http.StatusBadGateway, 1},
		{"nowhere", map[string]any{"sub": "mia"}, map[string]any{"sub": "mia"}, http.StatusForbidden, 1},
		{"no such endpoint", map[string]any{"sub": "mia"}, nil, http.StatusForbidden, 0},
		{"the token goes first", map[string]any{"sub": "mia", "name": "Mia of the token"}, roles("mia"), http.StatusOK, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouseAt(t, func(p *standIn) { p.who, p.userinfo = c.token, c.userinfo })
			b := h.browser(t)
			p := b.get("/login?return=/revenue")
			if got := h.idp.called("/userinfo"); got != c.asked {
				t.Errorf("asked %d times, want %d", got, c.asked)
			}
			if c.status != http.StatusOK {
				h.refused(t, b, p, c.status)
				return
			}
			want := "<bdi>Mia</bdi>"
			if name, ok := c.token["name"].(string); ok {
				want = "<bdi>" + name + "</bdi>"
			} else if c.asked == 0 {
				want = "<bdi>mia</bdi>"
			}
			if p.status != http.StatusOK || p.path != "/revenue" || !strings.Contains(p.body, want) {
				t.Errorf("status %d at %s, want %s: %s", p.status, p.path, want, p.body)
			}
		})
	}
	// It fails while somebody logs in.
	h := newHouseAt(t, func(p *standIn) {
		p.who, p.userinfo = map[string]any{"sub": "mia"}, roles("mia")
		p.refuseUserinfo = true
	})
	b := h.browser(t)
	h.refused(t, b, b.get("/login"), http.StatusBadGateway)
}

// An address gives a role unless the sign-in service says that it is not verified.
func TestUnverifiedAddress(t *testing.T) {
	for _, c := range []struct {
		verified any // absent when nil
		claim    string
		status   int
	}{
		{nil, "email", http.StatusOK},
		{true, "email", http.StatusOK},
		{"true", "email", http.StatusOK},
		{false, "email", http.StatusForbidden},
		{"false", "email", http.StatusForbidden},
		{0, "email", http.StatusForbidden},
		{false, "roles", http.StatusOK},
	} {
		t.Run(fmt.Sprint(c.claim, c.verified), func(t *testing.T) {
			h := newHouse(t, func(o *handlers.Options) {
				o.Login.RoleClaim, o.Login.Roles = c.claim, map[string]web.Role{"mia@house.example": web.Manager}
			})
			h.idp.set(func(p *standIn) {
				p.who = map[string]any{"sub": "mia", c.claim: "mia@house.example"}
				if c.verified != nil {
					p.who["email_verified"] = c.verified
				}
			})
			b := h.browser(t)
			p := b.get("/login")
			if c.status != http.StatusOK {
				h.refused(t, b, p, c.status)
				if !strings.Contains(h.log.String(), "not verified") {
					t.Error("the log does not say why")
				}
				return
			}
			if p.status != http.StatusOK || p.path != "/tonight" {
				t.Errorf("status %d at %s: %s", p.status, p.path, p.body)
			}
		})
	}
}

// Too many groups are left out of a token; the log says what to do.
func TestGroupOverage(t *testing.T) {
	h := newHouse(t, func(o *handlers.Options) { o.Login.RoleClaim = "groups" })
	h.idp.set(func(p *standIn) {
		p.who = map[string]any{"sub": "mia", "_claim_names": map[string]any{"groups": "src1"}, "_claim_sources": map[string]any{"src1": map[string]any{}}}
	})
	b := h.browser(t)
	h.refused(t, b, b.get("/login"), http.StatusForbidden)
	if !strings.Contains(h.log.String(), "too many values") {
		t.Error("the log does not say why")
	}
}

// An OAuth 2.0 service without discovery and ID tokens.
func TestConfiguredAddresses(t *testing.T) {
	var p *standIn
	h := newHouse(t, func(o *handlers.Options) {
		at := o.Login.Issuer
		o.Login = signin.Login{AuthURL: at + "/authorize?tenant=1", TokenURL: at + "/token", JWKSURL: at + "/keys",
			Audience: "the-api", LogoutURL: at + "/end?who=me", ClientID: clientID, ClientSecret: clientSecret, RoleClaim: "scope",
			Roles: map[string]web.Role{"figures:all": web.Manager, "figures:places": web.Door}}
	})
	p = h.idp
	p.set(func(p *standIn) {
		p.plain = true
		p.who = map[string]any{"sub": "mia", "preferred_username": "mia@house", "scope": "openid figures:places figures:all"}
	})
	b := h.browser(t)
	if got := b.get("/revenue"); got.status != http.StatusOK || got.path != "/revenue" || !strings.Contains(got.body, "mia@house") {
		t.Fatalf("status %d at %s: %s", got.status, got.path, got.body)
	}
	if got := b.do(http.MethodPost, "/logout", nil); got.path != "/signed-out?only=here" ||
		!strings.Contains(got.body, "may still be signed in") || !strings.Contains(got.body, `href="`+p.URL+`/end?who=me">Sign out there</a>`) {
		t.Errorf("logout leads to %s: %s", got.path, got.body)
	}
	if n := p.called("/.well-known/openid-configuration"); n != 0 {
		t.Errorf("discovery was asked for %d times", n)
	}

	for _, c := range []struct {
		name   string
		tamper func(header, claims map[string]any)
		good   bool
	}{
		{name: "a plain JWT", tamper: func(header, claims map[string]any) { header["typ"] = "JWT" }, good: true},
		{name: "several audiences", tamper: func(header, claims map[string]any) { claims["aud"] = []string{"x", "the-api"} }, good: true},
		{name: "an ID token by its audience", tamper: func(header, claims map[string]any) { header["typ"], claims["aud"] = "JWT", clientID }},
		{name: "an ID token by its nonce", tamper: func(header, claims map[string]any) { header["typ"], claims["nonce"] = "JWT", "n" }},
		{name: "an ID token by its hash", tamper: func(header, claims map[string]any) { header["typ"], claims["at_hash"] = "JWT", "n" }},
		{name: "an ID token by its word", tamper: func(header, claims map[string]any) { header["typ"], claims["token_use"] = "JWT", "id" }},
		{name: "another type", tamper: func(header, claims map[string]any) { header["typ"] = "logout+jwt" }},
		{name: "for another client", tamper: func(header, claims map[string]any) { claims["azp"] = "another" }},
		{name: "expired", tamper: func(header, claims map[string]any) { claims["exp"] = time.Now().Add(-time.Hour).Unix() }},
		{name: "unsigned", tamper: func(header, claims map[string]any) { header["alg"] = "none" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p.set(func(p *standIn) { p.tamper = c.tamper })
			b := h.browser(t)
			got := b.get("/login")
			if c.good {
				if got.status != http.StatusOK || got.path != "/tonight" {
					t.Errorf("status %d at %s: %s", got.status, got.path, got.body)
				}
				return
			}
			h.refused(t, b, got, http.StatusBadGateway)
		})
	}
}
