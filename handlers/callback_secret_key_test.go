package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"housecount/handlers"
	"housecount/web"
)

// restarted returns the house with another secret key.
func (h *house) restarted(t *testing.T, secret string) *handlers.Site {
	t.Helper()
	return (&house{idp: h.idp, log: h.log, database: h.database, secretKey: secret}).build(t, h.URL, nil)
}

// With a wrong secret key nobody is thrown out and nothing is lost: sessions go on, though the
// sign-in service is not asked about them, and with the right key they are as they were.
func TestWrongSecretKey(t *testing.T) {
	h := &house{secretKey: strings.Repeat("right", 8)}
	h.open(t, nil)
	right := h.replica.Load()
	h.idp.set(func(p *standIn) { p.refreshes = true })
	b, began := h.loggedIn(t, web.Manager), h.browser(t)
	callback := began.stopBefore("/login/callback", "/login?return=/wall").String()

	wrong := h.restarted(t, strings.Repeat("wrong", 8))
	h.replica.Store(wrong)
	before := h.idp.called("/token")
	h.later(t, 6*time.Minute)
	h.askAgain(t)
	if p := b.stay().get("/revenue"); p.status != http.StatusOK {
		t.Errorf("a session under the wrong key: status %d", p.status)
	}
	if n := h.idp.called("/token"); n != before || !strings.Contains(h.log.String(), "sealed with another secret key") {
		t.Errorf("the sign-in service was asked %d times; want the reason in the log", n-before)
	}
	h.refused(t, began, began.get(callback), http.StatusBadRequest)

	h.replica.Store(right)
	h.later(t, 6*time.Minute)
	h.idp.set(func(p *standIn) { p.who["roles"] = []string{"door"} })
	h.askAgain(t)
	if p := b.stay().get("/revenue"); p.status != http.StatusForbidden {
		t.Errorf("asked again under the right key: status %d", p.status)
	}
	h.replica.Store(wrong)
	if p := began.get("/login"); p.status != http.StatusOK {
		t.Errorf("a new login under the wrong key: status %d", p.status)
	}
}

// Cookies that another housecount gave, of a session and of a login under way, are worth nothing
// here, though staff of both sign in at one service.
func TestCookiesOfAnotherHost(t *testing.T) {
	h, other := newHouse(t, nil), &house{secretKey: strings.Repeat("theirs", 8)}
	other.open(t, nil)
	here, err := url.Parse(h.URL)
	if err != nil {
		t.Fatal(err)
	}
	session := other.loggedIn(t, web.Manager).session()
	if p := h.withSession(t, session).stay().get("/revenue"); p.status != http.StatusSeeOther {
		t.Errorf("a session of another host: status %d", p.status)
	}
	b, stranger := h.browser(t), other.browser(t)
	at := stranger.stopBefore("/login/callback", "/login")
	c := stranger.cookie("housecount_login_")
	b.Jar.SetCookies(here, []*http.Cookie{{Name: c.Name, Value: c.Value}})
	at.Host = here.Host
	h.refused(t, b, b.get(at.RequestURI()), http.StatusBadRequest)
}
