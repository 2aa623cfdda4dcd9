package main

import (
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"housecount/web/words"
)

// TestBrowserGivesARole has an administrator give a role to a domain and take it away again, by the keyboard, on
// both widths and in every language.
func TestBrowserGivesARole(t *testing.T) {
	h := newTestHouse(t)
	b := newBrowser(t)
	p := b.newTab(1440, 1000)
	p.login(h, "admin")
	for _, c := range []struct {
		language words.Locale
		width    int64
	}{{words.English, 1440}, {words.Dutch, 390}, {words.German, 390}} {
		p.do(chromedp.EmulateViewport(c.width, 1000))
		p.speak(c.language)
		p.open(h.url + "/sessions")
		p.live()
		p.do(chromedp.SendKeys(chromedp.CSS(".give-role [name=address]"), "@De-Waag.example\r"))
		p.await(`document.querySelector("#roles [name=address][value='@de-waag.example']")`)
		p.live()
		p.shoot("roles-" + string(c.language))
		if wide := eval[string](p, `[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".sr")).map(e => e.outerHTML.slice(0, 80)).join()`); wide != "" {
			t.Errorf("%s: beyond the page: %s", c.language, wide)
		}
		p.click("#roles .end button")
		p.await(`!document.querySelector("#roles [name=address]")`)
		p.quiet()
	}
	p.speak(words.English)
	p.open(h.url + "/sessions")
	p.do(chromedp.SendKeys(chromedp.CSS(".give-role [name=address]"), "@gmail.com\r"))
	p.await(`document.querySelector("main").textContent.includes("Anybody can have an address at @gmail.com")`)
}

// TestBrowserPagesOfAdministratorsAreSound asks axe whether everybody can use the pages that administrators see, with all
// that unfolds and with somebody signed in twice.
func TestBrowserPagesOfAdministratorsAreSound(t *testing.T) {
	h := newTestHouse(t)
	b := newBrowser(t)
	p := b.newTab(1440, 900)
	p.login(h, "admin")
	p.do(command(network.ClearBrowserCookies, cdp.Empty{}))
	p.login(h, "admin")
	h.demo.service.Advance(35 * time.Minute)
	alert := ""
	for i := 0; i < 20 && alert == ""; i++ { // until the log has one
		h.demo.service.Advance(20 * time.Second)
		time.Sleep(2 * alertInterval)
		p.open(h.url + "/tonight")
		alert = eval[string](p, `document.querySelector("a[href^='/night/alert']")?.getAttribute("href") ?? ""`)
	}
	if alert == "" {
		t.Fatal("no alert leads to its page")
	}
	pages := []string{alert, "/night", "/calendar", "/reconcile", "/sessions", "/services", "/screens", "/screens/programme", "/screens/message", "/screens/pair", "/settings", "/letters", "/marketing?period=month"}
	for _, c := range []struct {
		scheme string
		width  int64
	}{{"light", 1440}, {"dark", 1440}, {"light", 390}, {"dark", 390}} {
		p.do(chromedp.EmulateViewport(c.width, 900), command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: c.scheme}},
		}))
		for _, path := range pages {
			p.open(h.url + path)
			if p.await(`document.readyState === "complete"`); slices.Contains([]string{"/sessions", "/services", "/screens", "/settings"}, path) {
				p.live()
			}
			// On a phone the open menu of languages lies over what is to be measured.
			eval[bool](p, `document.querySelectorAll(innerWidth < 500 ? "details:not(.languages)" : "details").forEach(d => d.open = true), true`)
			if found := p.violations(); found != "" {
				t.Errorf("%s at %d, %s, unfolded: axe found\n%s", path, c.width, c.scheme, found)
			}
		}
	}
	p.open(h.url + "/sessions")
	p.await(`document.querySelector(".people td details")`)
	p.quiet()
}
