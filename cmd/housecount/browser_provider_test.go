package main

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"housecount/apiclient/sandbox"
	"housecount/handlers/oidctest"
)

// TestBrowserLogoutReachesAnotherProvider logs out at a provider that is not ours, which asks whether
// that is wanted: it asks for the password again afterwards. Its logout may be at another origin.
func TestBrowserLogoutReachesAnotherProvider(t *testing.T) {
	s := newService(t, func(o *sandbox.Options) { o.Past, o.Coming = 1, 1 })
	b := newBrowser(t)
	for _, name := range []string{"the issuer's origin", "another origin"} {
		t.Run(name, func(t *testing.T) {
			f := newFront(t)
			var issuer, end string
			if name == "another origin" {
				elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					http.Redirect(w, r, issuer+"/session/end?"+r.URL.RawQuery, http.StatusSeeOther)
				}))
				t.Cleanup(elsewhere.Close)
				end = elsewhere.URL + "/bye"
			}
			issuer = oidctest.Start(t, f.URL, "sesame", end)
			f.serve(t, s, filepath.Join(t.TempDir(), "housecount.db"),
				"--oidc-issuer", issuer, "--oidc-client-id", oidctest.ClientID, "--oidc-client-secret", "sesame")
			p := b.newTab(1440, 900)
			p.t = t
			p.open(f.URL + "/")
			p.await(`document.querySelector("[name=login]")`)
			p.do(chromedp.SendKeys(chromedp.CSS("[name=login]"), "manager"), chromedp.SendKeys(chromedp.CSS("[name=password]"), "any"))
			p.click("[type=submit]") // within the page: a click at a place misses while the page still moves
			p.await(`document.querySelector("[name=prompt][value=consent]")`)
			p.click("[type=submit]")
			p.await(`location.pathname === "/tonight"`)
			p.live()
			p.click(`form[action="/logout"] button`)
			p.await(`document.querySelector("[name=logout][value=yes]")`)
			p.click("[name=logout][value=yes]")
			p.await(`location.href === ` + quote(f.URL+"/signed-out") + ` && document.querySelector("main a.button")`)
			p.click("main a.button")
			p.await(`document.querySelector("[name=password]")`)
			p.quiet()
		})
	}
}
