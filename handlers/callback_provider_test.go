package handlers_test

import (
	"net/http"
	"strings"
	"testing"

	"housecount/handlers"
)

func TestProviderDown(t *testing.T) {
	h := newHouseAt(t, func(p *standIn) { p.down = true })
	b := h.browser(t)
	p := b.get("/tonight")
	h.idp.set(func(p *standIn) { p.down = false })
	if p.status != http.StatusServiceUnavailable || !strings.Contains(p.body, "does not answer") {
		t.Errorf("status %d: %s", p.status, p.body)
	}
	if p := b.get("/healthz"); p.status != http.StatusOK {
		t.Errorf("healthz: status %d", p.status)
	}
	if p := b.get("/tonight"); p.status != http.StatusOK || p.path != "/tonight" {
		t.Errorf("after it came back: status %d at %s: %s", p.status, p.path, p.body)
	}

	// It goes down in the middle of a login.
	other := h.browser(t)
	at := other.stopBefore("/login/callback", "/login")
	h.idp.set(func(p *standIn) { p.down = true })
	p = other.get(at.String())
	h.idp.set(func(p *standIn) { p.down = false })
	h.refused(t, other, p, http.StatusServiceUnavailable)
}

// A sign-in service that changes its algorithm is discovered again at once, but not as often as
// strangers like.
func TestDiscoveredAgain(t *testing.T) {
	h := newHouseAt(t, func(p *standIn) { p.algorithm = "RS256" })
	publish := func(algorithm string) { h.idp.set(func(p *standIn) { p.algorithm = algorithm }) }
	discovered := func() int { return h.idp.called("/.well-known/openid-configuration") }
	b := h.browser(t)
	h.refused(t, b, b.get("/login"), http.StatusBadGateway) // it is discovered again, and says the same
	before := discovered()
	publish("ES256")
	b = h.browser(t)
	h.refused(t, b, b.get("/login"), http.StatusBadGateway)
	if n := discovered(); n != before {
		t.Errorf("discovered %d times more within a minute", n-before)
	}

	h = newHouseAt(t, func(p *standIn) { p.algorithm = "RS256" })
	at := h.browser(t).stopBefore("/authorize", "/login") // which waits for the discovery
	publish("ES256")
	if at == nil || discovered() == 0 {
		t.Fatal("it was not discovered")
	}
	if p := h.browser(t).get("/login"); p.status != http.StatusOK || p.path != "/tonight" {
		t.Errorf("after a change: status %d at %s", p.status, p.path)
	}
}

// A wrong issuer is logged before anybody logs in.
func TestWrongIssuerIsLogged(t *testing.T) {
	h := &house{}
	h.open(t, func(o *handlers.Options) {
		o.Login.Issuer = strings.Replace(o.Login.Issuer, "127.0.0.1", "localhost", 1)
	})
	h.log.await(t, "cannot be discovered")
	if log := h.log.String(); !strings.Contains(log, "level=ERROR") || !strings.Contains(log, "did not match") {
		t.Errorf("the log: %s", log)
	}
}
