package main

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"housecount/web/words"
)

// TestBrowserSetsUp goes through the setup as far as the login, on both widths, in the dark and in every language.
func TestBrowserSetsUp(t *testing.T) {
	t.Parallel()
	service := newSetupService(t)
	s := newSetup(t, t.TempDir())
	b := newBrowser(t)
	p := b.newTab(1440, 1000)
	look := func(name string) {
		t.Helper()
		for _, c := range []struct {
			name     string
			language words.Locale
			width    int64
			scheme   string
		}{{"", words.English, 1440, "light"}, {"-dark", words.Dutch, 1440, "dark"}, {"-phone", words.German, 390, "light"}} {
			p.do(chromedp.EmulateViewport(c.width, 1000), command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: c.scheme}}}))
			p.speak(c.language)
			p.open(s.address)
			p.await(`document.readyState === "complete"`)
			if wide := eval[string](p, `[...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".sr")).map(e => e.outerHTML.slice(0, 80)).join()`); wide != "" {
				t.Errorf("%s%s: beyond the page: %s", name, c.name, wide)
			}
			p.shoot(name + c.name)
			if found := p.violations(); found != "" {
				t.Errorf("%s%s: axe found\n%s", name, c.name, found)
			}
		}
		p.do(chromedp.EmulateViewport(1440, 1000))
		p.speak(words.English)
		p.open(s.address)
	}
	look("code")
	p.do(chromedp.SendKeys(chromedp.CSS("[name=code]"), s.code()+"\r"))
	p.await(`document.querySelector("[name=profile]")`)
	look("service")
	p.click("[value=default]")
	p.click(".cur .go")
	p.await(`document.querySelector("[name=key]")`)
	p.do(chromedp.SendKeys(chromedp.CSS("[name=api_url]"), service.url), chromedp.SendKeys(chromedp.CSS("[name=key]"), testKey+"\r"))
	p.await(`document.querySelector("[name=venue]")`)
	look("venue")
	p.do(chromedp.SendKeys(chromedp.CSS("[name=venue]"), "De Waag\r"))
	p.await(`document.querySelector("[name=login_id]")`)
	p.click("[value=other]")
	p.do(chromedp.SendKeys(chromedp.CSS("[name=address]"), "@dewaag.example"))
	p.click("[value=add]")
	p.await(`document.querySelector("[name=remove]")`)
	look("login")
	p.do(chromedp.SendKeys(chromedp.CSS("[name=issuer]"), service.url), chromedp.SendKeys(chromedp.CSS("[name=login_id]"), "housecount"),
		chromedp.SendKeys(chromedp.CSS("[name=login_secret]"), "sesame"), chromedp.SendKeys(chromedp.CSS("[name=admin]"), "ruben@dewaag.example\r"))
	p.await(`document.querySelector("#step-5 .go")`)
	look("done")
	p.click("#step-5 .go")
	p.await(`document.querySelector("main a.button[href$='/tonight']")`)
	p.shoot("finished")
	s.out.await(t, "msg=listening")
	p.click("main a.button")
	p.await(`location.href.startsWith(` + quote(service.url) + `)`)
}
