package handlers_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// Everybody reads the manual, in English whatever the browser asks for, under the same policy as every page and with nothing
// inline.
func TestManual(t *testing.T) {
	b := newHouse(t, nil).browser(t)
	contents := b.do("GET", "/manual", map[string][]string{"Accept-Language": {"de"}})
	for _, want := range []string{`<html lang="en"`, `<a href="/manual/tls">TLS</a>`, `href="/manual/sign-in#map-roles"`, `href="/manual/screens#raspberry-pi"`} {
		if !strings.Contains(contents.body, want) {
			t.Errorf("the contents have no %s", want)
		}
	}
	if csp := contents.header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'self'") {
		t.Errorf("the policy is %q", csp)
	}
	chapter := regexp.MustCompile(`href="(/manual/[a-z-]+)"`)
	read := map[string]bool{}
	for _, m := range chapter.FindAllStringSubmatch(contents.body, -1) {
		if read[m[1]] {
			continue
		}
		read[m[1]] = true
		p := b.get(m[1])
		if p.status != 200 || !strings.Contains(p.body, "<h1>") || !strings.Contains(p.body, "<h2 id=") {
			t.Errorf("%s: status %d", m[1], p.status)
		}
		if inline := regexp.MustCompile(`style=|onclick=|<!--|javascript:`).FindString(p.body); inline != "" {
			t.Errorf("%s has %s", m[1], inline)
		}
	}
	if len(read) < 15 {
		t.Errorf("the contents lead to %d chapters", len(read))
	}
}

// A search leads to the headings under which its words stand.
func TestManualSearch(t *testing.T) {
	b := newHouse(t, nil).browser(t)
	for _, c := range []struct{ query, want string }{
		{"raspberry", "/manual/screens#raspberry-pi"},
		{"Keycloak", "/manual/sign-in#providers"},
		{"make a backup", "/manual/backup#make-a-backup"},
		{"secret key change", "/manual/sign-in#the-secret-key"},
		{"--keep-scans", "/manual/privacy#what-is-kept-and-how-long"},
		{"no-show", "/manual/glossary#visitors"},
		{"cannot be reached", "/manual/troubleshooting#the-strip-names-a-fault"},
		{"tls", "/manual/tls"},
	} {
		p := b.get("/manual?q=" + url.QueryEscape(c.query))
		if !strings.Contains(p.body, `<a href="`+c.want+`"`) || !strings.Contains(p.body, "<mark>") {
			t.Errorf("%q does not find %s", c.query, c.want)
		}
	}
	if first := regexp.MustCompile(`<h2><a href="([^"]*)"`).FindStringSubmatch(b.get("/manual?q=TLS").body); first == nil || first[1] != "/manual/tls" {
		t.Errorf("TLS finds %q first", first)
	}
	for _, query := range []string{"zebra crossing", "(", "<script>alert(1)</script>", "  "} {
		p := b.get("/manual?q=" + url.QueryEscape(query))
		if p.status != 200 || !strings.Contains(p.body, "Nothing found") && query != "(" || strings.Contains(p.body, "<script>alert") {
			t.Errorf("%q: status %d: %s", query, p.status, p.body)
		}
	}
}

// Who cannot sign in, or may not see a page, is shown where the manual says what to do.
func TestRefusalsLeadToTheManual(t *testing.T) {
	h := newHouse(t, nil)
	if p := h.browser(t).get("/login/callback?state=old&code=x"); !strings.Contains(p.body, `href="/manual/sign-in#when-a-sign-in-fails"`) {
		t.Errorf("a sign-in that fails: status %d: %s", p.status, p.body)
	}
	if p := h.loggedIn(t, "door").get("/revenue"); !strings.Contains(p.body, `href="/manual/sign-in#roles"`) {
		t.Errorf("a page for others: status %d: %s", p.status, p.body)
	}
	if p := h.browser(t).get("/nowhere"); strings.Contains(p.body, "/manual") {
		t.Errorf("a page that is not there leads to the manual: %s", p.body)
	}
	for path, want := range map[string]string{"/tonight": "/manual/pages", "/screens": "/manual/screens", "/sessions": "/manual/people", "/settings": "/manual/pages#settings"} {
		if p := h.loggedIn(t, "admin").get(path); !strings.Contains(p.body, `<a href="`+want+`">`) {
			t.Errorf("%s does not lead to %s", path, want)
		}
	}
}
