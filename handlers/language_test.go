package handlers_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"housecount/handlers"
	"housecount/web"
)

var langOf = regexp.MustCompile(`<html lang="([^"]*)"`)

// A person's choice wins over the browser's, which wins over the site's own. What a browser
// invents counts for nothing.
func TestLanguage(t *testing.T) {
	h := newHouse(t, func(o *handlers.Options) { o.Language = "de" })
	for _, c := range []struct{ name, cookie, accept, want string }{
		{"the site's own", "", "", "de"},
		{"the browser's", "", "nl", "nl"},
		{"a region of it", "", "nl-BE,nl;q=0.9,en;q=0.8", "nl"},
		{"the one it prefers", "", "en;q=0.2,nl;q=0.7", "nl"},
		{"none that there is", "", "ja,pt-BR;q=0.9", "de"},
		{"the second that it names", "", "ja,en-GB;q=0.9", "en"},
		{"invented", "", "klingon-ß-;;q=x,,*;q=9", "de"},
		{"very many", "", "nl,fr;q=.2" + strings.Repeat(",ja;q=0.1", 40), "nl"},
		{"very long", "", strings.Repeat("nl-", 4000), "de"},
		{"a person's choice", "en", "nl", "en"},
		{"a choice that there is not", "en-XA", "nl", "nl"},
		{"a choice that is hostile", `"><script>`, "", "de"},
	} {
		t.Run(c.name, func(t *testing.T) {
			header := http.Header{"Accept-Language": {c.accept}}
			if c.cookie != "" {
				header["Cookie"] = []string{"language=" + c.cookie}
			}
			if got := langOf.FindStringSubmatch(h.browser(t).do("GET", "/signed-out", header).body); got == nil || got[1] != c.want {
				t.Errorf("the page is in %q, want %s", got, c.want)
			}
		})
	}
}

// The choice is kept in a cookie and leads back to the page, never away from the site.
func TestChooseLanguage(t *testing.T) {
	h := newHouse(t, nil)
	for _, c := range []struct {
		language, back string
		status         int
		to             string
	}{
		{"nl", "/revenue?period=month", http.StatusSeeOther, "/revenue?period=month"},
		{"de", "/signed-out", http.StatusSeeOther, "/tonight"},
		{"de", "//elsewhere.example/", http.StatusSeeOther, "/tonight"},
		{"de", "", http.StatusSeeOther, "/tonight"},
		{"en-XA", "/tonight", http.StatusBadRequest, ""},
		{"", "/tonight", http.StatusBadRequest, ""},
	} {
		p := choose(t, h, c.language, c.back, nil)
		if p.status != c.status || p.header.Get("Location") != c.to {
			t.Errorf("%s, back to %s: %d to %q, want %d to %q", c.language, c.back, p.status, p.header.Get("Location"), c.status, c.to)
		}
		kept := ""
		for _, cookie := range (&http.Response{Header: p.header}).Cookies() {
			if cookie.Name == "language" {
				kept = cookie.Value
				if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" || cookie.MaxAge < 30*24*3600 {
					t.Errorf("the cookie is %v", cookie)
				}
			}
		}
		if want := map[int]string{http.StatusSeeOther: c.language}[c.status]; kept != want {
			t.Errorf("%s: %q is kept, want %q", c.language, kept, want)
		}
	}
	if p := choose(t, h, "nl", "/tonight", http.Header{"Origin": {"https://elsewhere.example"}}); p.status != http.StatusForbidden {
		t.Errorf("from another site: %d", p.status)
	}
}

// choose sends the form in which a person chooses a language.
func choose(t *testing.T, h *house, language, back string, header http.Header) page {
	t.Helper()
	form := url.Values{"language": {language}}.Encode()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL+"/language", strings.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range header {
		r.Header[name] = values
	}
	r.Header.Set("Referer", h.URL+back)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return h.browser(t).stay().send(r)
}

// A screen has a language of its own, whoever looks at it; the socket of a page is in the page's.
func TestLanguageOfScreensAndSockets(t *testing.T) {
	h := newHouse(t, nil)
	b := h.loggedIn(t, web.Door)
	german := http.Header{"Accept-Language": {"de"}}
	for path, want := range map[string]string{"/wall": "de", "/wall?language=nl": "nl"} {
		p := b.do("GET", path, german)
		if got := langOf.FindStringSubmatch(p.body); got == nil || got[1] != want {
			t.Errorf("%s is in %q, want %s", path, got, want)
		}
		socket := regexp.MustCompile(`data-live="/live\?([^"]*)"`).FindStringSubmatch(p.body)
		if socket == nil {
			t.Fatalf("%s has no socket", path)
		}
		conn, _, err := b.dial(strings.ReplaceAll(socket[1], "&amp;", "&"), h.URL)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if topic := firstTopic(t, conn); !strings.HasPrefix(topic, want+"/") {
			t.Errorf("the socket of %s watches %s", path, topic)
		}
	}
	// Of other pages the address's language is what the person chooses, and errors are in it too.
	p := b.stay().do("GET", "/events?language=nl&q=a+b", german)
	if to := p.header.Get("Location"); p.status != http.StatusSeeOther || to != "/events?q=a+b" || !strings.HasPrefix(p.header.Get("Set-Cookie"), "language=nl;") {
		t.Errorf("a page in a language: %d to %q with %q", p.status, to, p.header.Get("Set-Cookie"))
	}
	if p := b.do("GET", "/wall?language=nl&hall=Nergens", german); p.status != http.StatusNotFound || langOf.FindStringSubmatch(p.body)[1] != "nl" || !strings.Contains(p.body, "De zalen zijn") {
		t.Errorf("an error in a language: %d, %s", p.status, p.body)
	}
	if p := b.get("/wall?language=xx"); p.status != http.StatusBadRequest {
		t.Errorf("a language that there is not: %d", p.status)
	}
}
