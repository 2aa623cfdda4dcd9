package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"housecount/aggregator/store"
	"housecount/apiclient/sandbox"
	"housecount/web"
	"housecount/web/programme"
)

// wrongClock has every page of a tab believe that it is three hours later, and come back early where it
// is to come back within half a minute.
const wrongClock = `Date.now = (now => () => now() + 3 * 3600 * 1000)(Date.now.bind(Date)); Math.random = () => .02`

// code is what a device shows that waits.
const code = `[...document.querySelectorAll(".code span")].map(e => e.textContent).join("")`

// connected says that something stands on a screen, and not in grey.
const connected = `document.documentElement.dataset.socket === "open" && !!document.querySelector("main")?.textContent.trim()`

// shows says that a screen shows a page, and nothing that gives way any more.
func shows(page string) string {
	return fmt.Sprintf(`document.body?.dataset.topic?.split("?")[0].endsWith("/%s") && document.querySelectorAll("main").length === 1`, page)
}

// A screen is hung once: it is paired from a phone, follows what is asked of it and of its programme
// without being loaded again, shows its last figures when it is switched on while the server is
// gone, comes back by itself, and is a stranger again once it is revoked. Its clock is wrong by
// hours all the while. The night is the one that has no hour from two to three.
func TestBrowserScreen(t *testing.T) {
	zone, err := time.LoadLocation(sandboxZone)
	if err != nil {
		t.Fatal(err)
	}
	h := startTestHouse(t, sandbox.Options{Seed: 7, Speed: -1, Start: time.Date(2026, 3, 28, 19, 32, 0, 0, zone), Past: 4, Coming: 4})
	db := h.demo.program.store
	tv := newBrowser(t).newTab(1280, 720)
	tv.do(command(page.Enable, page.EnableParams{}), command(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: wrongClock}))
	tv.open(h.url + "/screen")
	tv.live()
	shown := eval[string](tv, code)
	phone := newBrowser(t).newTab(390, 844)
	phone.login(h, "admin")
	phone.open(h.url + "/screens/pair?code=" + shown)
	phone.await(`document.querySelector(".six")?.textContent === ` + quote(shown))
	eval[bool](phone, `document.querySelector("[name=name]").value = "Foyer <left>"; true`)
	phone.do(chromedp.Click(`button.go`))
	soon := func(what string, took time.Duration) {
		t.Helper()
		t.Logf("%s: %s", what, took.Round(time.Millisecond))
	}
	soon("paired", tv.await(shows("board")))
	tv.live()
	eval[bool](tv, "window.neverReloaded = true")
	list, err := db.Screens().List(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	screen := list[0]
	tell := func(command store.Command) {
		t.Helper()
		if ok, err := db.Screens().Tell(t.Context(), screen.ID, command, store.Act{Action: string(command)}); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}

	tell(store.CommandIdentify)
	soon("identified", tv.await(`document.querySelector("#identify")?.textContent === "Foyer <left>"`))
	tv.shoot("identify")
	p := programme.Programme{Views: []programme.View{{Page: "message", Text: "The bar is <open>", Seconds: 60}}}
	saved, err := db.Programmes().Save(t.Context(), store.Programme{Name: "Bar", Document: string(p.Document())}, store.Act{Action: "saved"})
	if err != nil {
		t.Fatal(err)
	}
	change := func(do func(*store.Screen)) {
		t.Helper()
		if ok, err := db.Screens().Change(t.Context(), screen.ID, store.Act{Action: store.ActScreenPaired}, do); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	change(func(s *store.Screen) { s.Programme, s.Margin = saved.ID, 40 })
	soon("another programme", tv.await(shows("message")+` && document.querySelector("main .name").textContent === "The bar is <open>"`))
	tv.await(`Math.abs(document.querySelector("main").getBoundingClientRect().top / innerHeight - .04) < .006`)
	// Views give way to each other and leave nothing behind.
	nodes := func() float64 { return eval[float64](tv, `document.querySelectorAll("*").length`) }
	before := nodes()
	for range 3 {
		p.Views[0].Page = "board"
		saved.Document = string(p.Document())
		if saved, err = db.Programmes().Save(t.Context(), saved, store.Act{Action: "saved"}); err != nil {
			t.Fatal(err)
		}
		tv.await(shows("board"))
		p.Views[0].Page = "message"
		saved.Document = string(p.Document())
		if saved, err = db.Programmes().Save(t.Context(), saved, store.Act{Action: "saved"}); err != nil {
			t.Fatal(err)
		}
		tv.await(shows("message"))
	}
	if after := nodes(); after > before {
		t.Errorf("%v elements after six changes of view, and %v before", after, before)
	}

	// A programme that is gone is no reason to show nothing, and an office screen may count.
	if err := db.Programmes().Delete(t.Context(), saved.ID, saved.Version, store.Act{Action: "deleted"}); err != nil {
		t.Fatal(err)
	}
	soon("without a programme", tv.await(shows("board")))
	tv.await(`!document.querySelector("#identify")`)
	if !eval[bool](tv, "window.neverReloaded") {
		t.Error("the screen was loaded again")
	}
	change(func(s *store.Screen) { s.Access, s.Language = web.Access{Money: web.NoMoney}.String(), "en" })
	soon("the office's", tv.await(shows("wall")))
	tv.live()

	// Switched off, and on again while the server is gone.
	tv.await(`document.documentElement.dataset.socket === "open" && navigator.serviceWorker.controller`)
	tv.keeps("wall-main")
	figure := eval[string](tv, `document.querySelector("#wall-main").textContent`)
	h.cable.put(refused)
	tv.do(chromedp.Navigate("about:blank"))
	tv.do(chromedp.Navigate(h.url + "/screen"))
	tv.await(`document.documentElement.dataset.socket === "lost"`)
	tv.shoot("offline")
	if got := eval[string](tv, `document.querySelector("#wall-main").textContent`); got != figure {
		t.Errorf("without the server it shows %q, and before %q", got, figure)
	}
	// What time it is nobody knows who was off: its clock may be one that stood still.
	if got := eval[string](tv, `document.querySelector("#clock").textContent`); got != "" {
		t.Errorf("its clock shows %s", got)
	}
	if got := tv.lostText(); !regexp.MustCompile(`^Not connected since [A-Z][a-z]{2},? [0-9]{1,2} [A-Z][a-z]{2,3},? [0-9]{2}:[0-9]{2} [^0-9]*$`).MatchString(got) {
		t.Errorf("it says %q of its line", got)
	}
	h.cable.put(plugged)
	soon("back", tv.await(`document.documentElement.dataset.socket === "open" && document.querySelector("#clock").textContent === `+quote(h.clock())))

	tell(store.CommandReload)
	soon("loaded anew", tv.await(`performance.getEntriesByType("navigation")[0].type === "reload" && `+shows("wall")))
	tv.live()
	eval[bool](tv, "window.neverReloaded = true")
	tell(store.CommandIdentify)
	soon("identified again", tv.await(`document.querySelector("#identify") && window.neverReloaded`))
	tv.await(`!document.querySelector("#identify")`)

	// What is kept is the screen's page alone, for a day, and goes when the device is no screen any
	// more, whatever it is answered.
	tv.keeps("wall-main")
	tv.open(h.url + "/signed-out")
	tv.settles(`(async () => (await (await caches.open("screen")).keys()).map(r => new URL(r.url).pathname).every(p => p === "/screen" || p.startsWith("/assets/")))()`)
	age := func(hours int) {
		t.Helper()
		tv.settles(fmt.Sprintf(`(async () => { const cache = await caches.open("screen"), old = await cache.match("/screen"), headers = new Headers(old.headers);
			headers.set("Kept", Date.now() - %d * 3600 * 1000); await cache.put("/screen", new Response(await old.text(), {headers})); return true })()`, hours+3))
	}
	for _, old := range []struct {
		hours  int
		served bool
	}{{23, true}, {25, false}} {
		age(old.hours)
		h.cable.put(refused)
		tv.open(h.url + "/screen") // or else it is dark, and tries again
		if served := eval[bool](tv, `!!document.querySelector("#wall-main")`); served != old.served || served == eval[bool](tv, `!!document.querySelector("meta[http-equiv=refresh]")`) {
			t.Errorf("a page of %d hours ago is served: %v", old.hours, served)
		}
		h.cable.put(plugged)
		tv.open(h.url + "/screen")
		tv.await(shows("wall"))
		tv.await(`document.documentElement.dataset.socket === "open" && navigator.serviceWorker.controller`)
		tv.keeps("wall-main")
		tv.open(h.url + "/signed-out")
	}

	tv.open(h.url + "/screen")
	tv.await(connected)
	eval[bool](tv, "window.neverReloaded = true")
	for _, step := range []struct {
		what, want string
		to         time.Time
	}{
		{"before the hour that is left out", "01:59", time.Date(2026, 3, 29, 1, 59, 0, 0, zone)},
		{"the hour after it", "03:00", time.Date(2026, 3, 29, 3, 0, 0, 0, zone)},
		{"the day's cut-off", "06:00", time.Date(2026, 3, 29, 6, 0, 0, 0, zone)},
	} {
		h.demo.service.Advance(step.to.Sub(h.demo.service.Now()))
		soon(step.what, tv.await(`window.neverReloaded && document.querySelector("#clock")?.textContent === `+quote(step.want)+` && `+connected))
	}

	for i := range 20 {
		if err := db.Screens().Ask(t.Context(), fmt.Sprint("screen.", i), fmt.Sprint(i), store.Device{Address: "127.0.0.1"}, time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Screens().Revoke(t.Context(), screen.ID, store.Act{}); err != nil {
		t.Fatal(err)
	}
	tv.open(h.url + "/screen")
	if got := eval[int](tv, `performance.getEntriesByType("navigation")[0].responseStatus`); got != 429 {
		t.Errorf("one device too many is answered %d", got)
	}
	tv.settles(`caches.has("screen").then(kept => !kept)`)
	if _, err := db.Screens().Refuse(t.Context(), "0", store.Act{}); err != nil {
		t.Fatal(err)
	}
	tv.open(h.url + "/screen")
	soon("revoked", tv.await(code+`.length === 6`))
	for _, c := range tv.complained() {
		if !strings.Contains(c, "ERR_") && !strings.Contains(c, "WebSocket") && !strings.Contains(c, "429") && !strings.Contains(c, "503") { // of when the server was gone, and of one device too many
			t.Errorf("the screen complained: %s", c)
		}
	}
}

// settles waits until a promise settles to true, which no change of the document says.
func (p *tab) settles(promise string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	for {
		if ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool](promise, chromedp.EvalAwaitPromise)); err == nil && ok {
			return
		} else if ctx.Err() != nil {
			p.t.Fatalf("waited for %s: %v", promise, err)
		}
	}
}

// keeps has a screen keep its page, and waits until text is in what is kept.
func (p *tab) keeps(text string) {
	p.t.Helper()
	p.settles(`(async () => { document.dispatchEvent(new Event("visibilitychange")); const page = await (await caches.open("screen")).match("/screen"); return !!page && (await page.text()).includes(` + quote(text) + `) })()`)
}
