package main

import (
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"housecount/apiclient/sandbox"
	"housecount/web/words"
)

// TestBrowserLogoutReachesTheProvider logs out with pages open: the provider, which keeps
// sessions of its own, asks for the password again. Its logout may be at another origin.
func TestBrowserLogoutReachesTheProvider(t *testing.T) {
	o := sandbox.Options{Seed: 7, Speed: -1, Start: testEvening(t), Past: 1, Coming: 1}
	elsewhere := httptest.NewUnstartedServer(nil)
	elsewhere.Start()
	t.Cleanup(elsewhere.Close)
	for name, front := range map[string]func(http.Handler) http.Handler{
		"the issuer's origin": nil,
		"another origin": func(s http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !strings.HasPrefix(r.URL.Path, "/.well-known/") {
					s.ServeHTTP(w, r)
					return
				}
				answer := httptest.NewRecorder()
				s.ServeHTTP(answer, r)
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprint(w, strings.ReplaceAll(answer.Body.String(), "http://"+r.Host+"/oauth/logout", elsewhere.URL+"/bye"))
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := startTestHouseBehind(t, o, front)
			elsewhere.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, h.sandboxURL+"/oauth/logout?"+r.URL.RawQuery, http.StatusSeeOther)
			})
			b := newBrowser(t)
			one, other := b.newTab(1440, 900), b.newTab(1440, 900)
			one.login(h, "manager")
			for range 3 {
				other.open(h.url + "/wall")
				other.live()
				one.open(h.url + "/tonight")
				one.live()
				one.click(`form[action="/logout"] button`)
				one.await(`location.href === ` + quote(h.url+"/signed-out") + ` && document.querySelector("main a.button")`)
				other.await(`location.pathname === "/signed-out"`)
				one.do(chromedp.Click(chromedp.CSS("main a.button")))
				one.await(`document.querySelector("#login [name=password]")`)
				one.login(h, "manager")
			}
			one.quiet()
		})
	}
}

// TestBrowserLogoutClosesEveryTab logs out in one tab and looks at the other.
func TestBrowserLogoutClosesEveryTab(t *testing.T) {
	h := newTestHouse(t)
	b := newBrowser(t)
	one, other := b.newTab(1440, 900), b.newTab(1440, 900)
	one.login(h, "manager")
	one.speak(words.Dutch)
	other.speak(words.German)
	other.open(h.url + "/wall")
	other.live()
	cookies, err := chromedp.Call(one.ctx, network.GetCookies, network.GetCookiesParams{})
	if err != nil {
		t.Fatal(err)
	}
	if sessions := h.demo.program.hub.Holders(); len(sessions) != 1 {
		t.Errorf("the sockets are of %d logins, want 1", len(sessions))
	}
	one.click(`form[action="/logout"] button`)
	t.Logf("the other tab left %s after the logout", other.await(`location.pathname === "/signed-out"`).Round(time.Millisecond))
	for _, p := range []*tab{one, other} {
		p.await(`location.pathname === "/signed-out" && document.querySelector("h1")?.textContent === ` + quote(p.words.Text("signed_out.title")))
	}

	// The old cookie stays dead.
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	base, err := url.Parse(h.url)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cookies.Cookies {
		jar.SetCookies(base, []*http.Cookie{{Name: c.Name, Value: c.Value, Path: "/"}})
	}
	client := &http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	a, err := client.Get(h.url + "/tonight")
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	if to := a.Header.Get("Location"); a.StatusCode != http.StatusSeeOther || !strings.HasPrefix(to, "/login") {
		t.Errorf("the old cookie still opens a page: %s %s", a.Status, to)
	}
}
