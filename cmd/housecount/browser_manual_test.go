package main

import (
	"slices"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"housecount/assets"
	"housecount/web/manual"
)

// TestBrowserManual reads every chapter without a login, at a desk and on the narrowest phone, light and dark:
// everybody can use it, nothing is wider than the screen, and nothing breaks the page's policy.
func TestBrowserManual(t *testing.T) {
	book, err := manual.Open(assets.Manual)
	if err != nil {
		t.Fatal(err)
	}
	h := newTestHouse(t)
	b := newBrowser(t)
	paths := []string{"/manual", "/manual?q=certificate", "/manual?q=zebra"}
	for _, topic := range book.Topics() {
		paths = append(paths, "/manual/"+topic)
	}
	for _, c := range []struct {
		scheme        string
		width, height int64
	}{{"light", 1440, 900}, {"dark", 320, 640}} {
		p := b.newTab(c.width, c.height)
		p.do(command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: c.scheme}},
		}))
		for _, path := range paths {
			p.open(h.url + path)
			if wide := eval[[]string](p, `[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.parentElement.closest(".scroll, pre")).map(e => e.outerHTML.slice(0, 80))`); len(wide) > 0 {
				t.Errorf("%s at %d is wider than the screen: %q", path, c.width, wide)
			}
			if !slices.Contains([]string{"/manual", "/manual?q=certificate", "/manual/options", "/manual/databases"}, path) {
				continue // chapters are made alike
			}
			if found := p.violations(); found != "" {
				t.Errorf("%s at %d, %s: axe found\n%s", path, c.width, c.scheme, found)
			}
		}
		p.open(h.url + "/manual/options")
		if wide := eval[bool](p, `[...document.querySelectorAll("article .scroll")].some(e => e.scrollWidth > e.clientWidth)`); wide != (c.width == 320) {
			t.Errorf("at %d, a table that scrolls: %t", c.width, wide)
		}
		if shown := eval[bool](p, `document.querySelector(".here a").checkVisibility()`); shown != (c.width > 1000) {
			t.Errorf("at %d, the chapter's contents stand open: %t", c.width, shown)
		}
		p.open(h.url + "/manual")
		p.do(chromedp.SendKeys(chromedp.CSS(".ask input"), "raspberry"), chromedp.Click(chromedp.CSS(".ask button")))
		p.await(`location.search === "?q=raspberry" && document.querySelector(".hits a")`)
		p.click(`.hits a[href="/manual/screens#raspberry-pi"]`)
		p.await(`location.pathname === "/manual/screens" && location.hash === "#raspberry-pi"`)
		p.quiet()
	}
}
