package main

import (
	"testing"

	"github.com/chromedp/cdproto/cdp"
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

// TestBrowserPagesOfAdministratorsAreSound asks axe whether everybody can use the pages that only administrators see,
// with somebody signed in twice.
func TestBrowserPagesOfAdministratorsAreSound(t *testing.T) {
	h := newTestHouse(t)
	b := newBrowser(t)
	p := b.newTab(1440, 900)
	p.login(h, "admin")
	p.do(command(network.ClearBrowserCookies, cdp.Empty{}))
	p.login(h, "admin")
	for _, path := range []string{"/sessions", "/services", "/screens", "/settings"} {
		p.open(h.url + path)
		p.live()
		if found := p.violations(); found != "" {
			t.Errorf("%s: axe found\n%s", path, found)
		}
	}
	p.open(h.url + "/sessions")
	p.await(`document.querySelector(".people .again")`)
	p.quiet()
}
