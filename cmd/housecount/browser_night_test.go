package main

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"housecount/aggregator/store"
	"housecount/apiclient/sandbox"
	"housecount/web"
	"housecount/web/programme"
	"housecount/web/wall"
)

// clock returns the time of day at the house.
func (h *testHouse) clock() string {
	h.t.Helper()
	zone, err := time.LoadLocation(sandboxZone)
	if err != nil {
		h.t.Fatal(err)
	}
	return h.demo.service.Now().In(zone).Format("15:04")
}

// becomes has a tab be a screen of the office, by its address.
func (p *tab) becomes(h *testHouse, s store.Screen) {
	p.t.Helper()
	s.Access = web.Access{Money: web.NoMoney}.String()
	if _, err := h.demo.program.store.Screens().Add(p.t.Context(), s, s.Name+"-secret", store.Act{Action: store.ActScreenAdded}); err != nil {
		p.t.Fatal(err)
	}
	p.open(h.url + "/screen#" + url.PathEscape(s.Name+"-secret"))
	p.await(`document.body?.dataset.topic`)
	p.live()
}

// A screen hangs through the night in which the hour from two to three comes twice, on a device whose
// clock is wrong: it turns through its programme, says what is written to it for as long as it was, goes on when the
// program is another, is nobody else's, and shows its figures when it is switched off and on without a
// program. It is never loaded again meanwhile.
func TestBrowserScreenThroughTheNight(t *testing.T) {
	zone, err := time.LoadLocation(sandboxZone)
	if err != nil {
		t.Fatal(err)
	}
	h := startTestHouse(t, sandbox.Options{Seed: 7, Speed: -1, Start: time.Date(2026, 10, 24, 22, 58, 0, 0, zone), Past: 4, Coming: 4})
	profile := t.TempDir()
	b := newBrowserIn(t, profile, windowless()...)
	wrong := func(p *tab) {
		p.do(command(page.Enable, page.EnableParams{}), command(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: wrongClock}))
	}
	tv := b.newTab(1280, 720)
	wrong(tv)
	tv.becomes(h, store.Screen{Name: "Bar", Language: "en"})
	eval[bool](tv, "window.neverReloaded = true")
	soon := func(what string, took time.Duration) {
		t.Helper()
		t.Logf("%s: %s", what, took.Round(time.Millisecond))
	}
	for _, step := range []struct {
		what string
		by   time.Duration
		want string
	}{
		{"the evening", 0, "22:58"}, {"midnight", 62 * time.Minute, "00:00"}, {"before the hour that comes twice", 179 * time.Minute, "02:59"},
		{"the hour again", time.Minute, "02:00"}, {"after it", time.Hour, "03:00"}, {"the day's cut-off", 3 * time.Hour, "06:00"},
	} {
		h.demo.service.Advance(step.by)
		soon(step.what, tv.await(`document.querySelector("#clock")?.textContent === `+quote(step.want)+` && `+connected))
	}

	p := programme.Programme{Views: []programme.View{{Page: "board", Seconds: 5}, {Page: "message", Text: "The bar is open", Seconds: 5}}}
	saved, err := h.demo.program.store.Programmes().Save(t.Context(), store.Programme{Name: "Bar", Document: string(p.Document())}, store.Act{Action: store.ActProgrammeSaved})
	if err != nil {
		t.Fatal(err)
	}
	list, err := h.demo.program.store.Screens().List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	follow := func(programme string) {
		t.Helper()
		if ok, err := h.demo.program.store.Screens().Change(t.Context(), list[0].ID, store.Act{Action: store.ActScreenChanged}, func(s *store.Screen) { s.Programme = programme }); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	follow(saved.ID)
	soon("its programme", tv.await(shows("board")))
	for _, next := range []string{"message", "board", "message"} {
		h.demo.service.Advance(5 * time.Second)
		soon("the next view", tv.await(shows(next)))
	}

	phone := newBrowser(t).newTab(390, 844)
	phone.login(h, "admin")
	phone.open(h.url + "/screens/message")
	eval[bool](phone, `document.querySelector("[name=text]").value = "Late entry to the Grote Zaal by <door> B until 20:40"; true`)
	phone.click(`button.go`)
	soon("a message", tv.await(`document.querySelector("#said")?.textContent === "Late entry to the Grote Zaal by <door> B until 20:40"`))
	// It has room of its own, however the screen is turned, and in its picture.
	const room = `document.querySelector("#said").getBoundingClientRect().top >= document.querySelector("main").getBoundingClientRect().bottom - 1`
	for _, size := range [][2]int64{{720, 1280}, {1280, 720}} {
		tv.do(chromedp.EmulateViewport(size[0], size[1]))
		tv.await(fmt.Sprintf(`innerWidth === %d && `, size[0]) + room)
	}
	phone.await(`(document => !!document?.querySelector("#said") && ` + room + `)(document.querySelector(".picture iframe")?.contentDocument)`)
	if failed := eval[string](tv, `window.failed ?? ""`); failed != "" {
		t.Errorf("the screen failed: %s", failed)
	}
	h.demo.service.Advance(20 * time.Minute)
	soon("its end", tv.await(`!document.querySelector("#said")`))

	// Screens come back spread over half a minute: this one near the end of it, where that is its lot.
	eval[bool](tv, `{ const set = setTimeout; Math.random = () => .9; window.waits = [];
		window.setTimeout = (does, after) => { waits.push(after); return set(does, Math.min(after, 1000)) }; true }`)
	h.restart()
	soon("another program", tv.await(`waits.length > 0 && `+connected))
	if waits := eval[[]float64](tv, `waits`); waits[0] != 27050 {
		t.Errorf("it waits %v ms, of at most 30000, for a program that ends", waits)
	}
	follow("")
	soon("its programme there", tv.await(shows("board")))
	if !eval[bool](tv, "window.neverReloaded") {
		t.Error("the screen was loaded again")
	}

	// Another tab of its own is the same device. Another device with its credential is the screen, until the
	// first uses the credential again.
	taken := func(want int) {
		t.Helper()
		if n, err := h.demo.program.store.Audit().Count(t.Context(), store.ActQuery{Action: store.ActScreenTaken}); err != nil || n != want {
			t.Errorf("%d other devices were recorded, want %d (%v)", n, want, err)
		}
	}
	second := b.newTab(1280, 720)
	wrong(second)
	second.open(h.url + "/screen")
	soon("the other tab", second.await(connected))
	tv.await(connected + ` && window.neverReloaded`)
	taken(0)
	tv.open("about:blank")
	credential := second.credential(h)
	hold := func(p *tab) {
		t.Helper()
		p.do(command(network.SetCookie, network.SetCookieParams{Name: "housecount_screen", Value: credential, URL: h.url}))
		p.open(h.url + "/screen")
		soon("another device", p.await(connected+` && !document.querySelector("main.pairing")`))
	}
	thief := newBrowser(t).newTab(800, 600)
	hold(thief)
	soon("a code on the first", second.await(code+`.length === 6`))
	taken(1)
	hold(second)
	soon("a code on the other", thief.await(code+`.length === 6`))
	taken(2)

	// Switched off, and on without a server.
	second.await(`navigator.serviceWorker.controller`)
	second.keeps(`id="board"`)
	figure := eval[string](second, `document.querySelector("#board").textContent`)
	b.close()
	h.cable.put(refused)
	again := newBrowserIn(t, profile, windowless()...).newTab(1280, 720)
	wrong(again)
	again.open(h.url + "/screen")
	again.await(`document.documentElement.dataset.socket === "lost"`)
	again.shoot("switched-on")
	if got := eval[string](again, `document.querySelector("#board").textContent`); got != figure {
		t.Errorf("without the server it shows %q, and before %q", got, figure)
	}
	// A stranger is told since when, and nothing of what is behind the screen.
	says := func(since string) {
		t.Helper()
		again.await(`document.querySelector(".lost").checkVisibility() && document.querySelector(".lost").getBoundingClientRect().bottom <= innerHeight`)
		if got := strings.TrimSpace(eval[string](again, `document.querySelector(".lost").innerText`)); !regexp.MustCompile("^Not connected since " + since + "$").MatchString(got) {
			t.Errorf("it says %q of its line", got)
		}
	}
	says(`[A-Z][a-z]{2},? [0-9]{1,2} [A-Z][a-z]{2,3},? [0-9]{2}:[0-9]{2}`)
	h.cable.put(plugged)
	soon("back", again.await(connected+` && document.querySelector("#clock").textContent === `+quote(h.clock())))
	h.cable.put(refused)
	again.await(`document.documentElement.dataset.socket === "lost"`)
	says(`[0-9]{2}:[0-9]{2}`)
	h.cable.put(plugged)
	again.await(connected)
	// Each view stands in the picture, also where it is what the page is loaded with.
	for _, view := range wall.ScreenPages() {
		v := programme.View{Page: view, Seconds: 60, Text: "The bar is open"}
		switch view {
		case "takings": // which an office without money does not show
			continue
		case "arrivals":
			v.Hall = h.demo.program.figures.Snapshot().Events[0].Event.Hall
		case "performance":
			v.Event = h.demo.program.figures.Snapshot().Events[0].Event.ID
		}
		p := programme.Programme{Views: []programme.View{v}}
		saved.Document = string(p.Document())
		if saved, err = h.demo.program.store.Programmes().Save(t.Context(), saved, store.Act{Action: store.ActProgrammeSaved}); err != nil {
			t.Fatal(err)
		}
		follow(saved.ID)
		again.await(shows(view))
		again.open(h.url + "/screen")
		again.await(shows(view))
		if !eval[bool](again, `[...document.querySelectorAll("main h1, main .huge, main .name")].some(e => { const r = e.getBoundingClientRect(); return r.width > 0 && r.height > 0 && r.left >= 0 && r.top >= 0 && r.right <= innerWidth && r.bottom <= innerHeight })`) {
			t.Errorf("%s is not in the picture", view)
			again.shoot(view)
		}
	}
}

// credential returns what makes a tab a screen, which its page cannot read.
func (p *tab) credential(h *testHouse) (value string) {
	p.t.Helper()
	p.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		answer, err := cdp.Call(ctx, t, network.GetCookies, network.GetCookiesParams{URLs: []string{h.url}})
		for _, c := range answer.Cookies {
			if c.Name == "housecount_screen" {
				value = c.Value
			}
		}
		return chromedp.Void{}, err
	})
	return value
}
