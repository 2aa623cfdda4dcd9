package idp_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"housecount/apiclient/sandbox/idp"
)

func TestAccount(t *testing.T) {
	s := open(t, idp.Options{})
	b := newBrowser(t)
	account := s.url + "/account"
	answer, page := b.send(http.MethodGet, account, nil)
	if answer.StatusCode != 200 || !strings.Contains(page, `action="/account"`) {
		t.Fatalf("%s\n%s", answer.Status, page)
	}
	for _, path := range []string{"/keys", "/revoke"} {
		if answer, _ := b.send(http.MethodPost, account+path, url.Values{"name": {"x"}}); answer.StatusCode != 303 || answer.Header.Get("Location") != "/account" {
			t.Errorf("%s of nobody: %s", path, answer.Status)
		}
	}
	if answer, page := b.send(http.MethodPost, account, url.Values{"username": {"manager"}, "password": {"x"}}); answer.StatusCode != 422 || !strings.Contains(page, "nobody of that name") {
		t.Errorf("wrong password: %s", answer.Status)
	}
	if answer, _ := b.send(http.MethodPost, account, staff("manager")); answer.StatusCode != 303 || answer.Header.Get("Location") != "/account" {
		t.Fatalf("login: %s", answer.Status)
	}
	answer, page = b.send(http.MethodGet, account, nil)
	if !strings.Contains(page, "Marijke Terpstra") || strings.Contains(page, "<script") || strings.Contains(page, "style=") {
		t.Errorf("account page\n%s", page)
	}
	if csp := answer.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || !strings.HasSuffix(csp, "form-action 'self'") {
		t.Errorf("CSP %q", csp)
	}

	answer, page = b.send(http.MethodPost, account+"/keys", url.Values{"name": {"till <1>"}})
	found := regexp.MustCompile(`id="new-key">([^<]+)<`).FindStringSubmatch(page)
	if answer.StatusCode != 200 || found == nil || answer.Header.Get("Cache-Control") != "no-store" || !strings.Contains(page, "till &lt;1&gt;") {
		t.Fatalf("new key: %s\n%s", answer.Status, page)
	}
	key := found[1]
	if got := s.apiStatus(key); got != 200 {
		t.Errorf("the key at once: %d", got)
	}
	_, page = b.send(http.MethodGet, account, nil)
	id := regexp.MustCompile(`name="id" value="([^"]+)"`).FindStringSubmatch(page)
	if id == nil || strings.Contains(page, key) || !strings.Contains(page, "last used") {
		t.Fatalf("the key's row\n%s", page)
	}
	if answer, _ := b.send(http.MethodPost, account+"/keys", url.Values{"name": {" "}}); answer.StatusCode != 422 {
		t.Errorf("a key without a name: %s", answer.Status)
	}

	// Neither another site nor another user can revoke it.
	for _, origin := range []string{"same-site", "cross-site"} {
		r := httptest.NewRequest(http.MethodPost, "/account/revoke", strings.NewReader("id="+id[1]))
		r.Header.Set("Sec-Fetch-Site", origin)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for _, c := range b.Jar.Cookies(answer.Request.URL) {
			r.AddCookie(c)
		}
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, r); w.Code != http.StatusForbidden {
			t.Errorf("a form from %s: %d", origin, w.Code)
		}
	}
	other := newBrowser(t)
	other.send(http.MethodPost, account, staff("door"))
	other.send(http.MethodPost, account+"/revoke", url.Values{"id": {id[1]}})
	if got := s.apiStatus(key); got != 200 {
		t.Errorf("the key after others tried: %d", got)
	}
	if _, page := other.send(http.MethodGet, account, nil); strings.Contains(page, "till") {
		t.Error("others see the key")
	}
	if answer, _ := b.send(http.MethodPost, account+"/revoke", url.Values{"id": {id[1]}}); answer.StatusCode != 303 {
		t.Errorf("revoke: %s", answer.Status)
	}
	if got := s.apiStatus(key); got != 401 {
		t.Errorf("the key once revoked: %d", got)
	}

	for n := range 21 {
		answer, _ := b.send(http.MethodPost, account+"/keys", url.Values{"name": {"many"}})
		if want := map[bool]int{true: 409, false: 200}[n == 20]; answer.StatusCode != want {
			t.Errorf("key %d: %s", n+1, answer.Status)
		}
	}
	if answer, _ := b.send(http.MethodDelete, account+"/keys", nil); answer.StatusCode != 405 {
		t.Errorf("DELETE: %s", answer.Status)
	}
}
