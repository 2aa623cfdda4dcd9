package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"

	"housecount/aggregator/store"
	"housecount/apiclient/sandbox"
)

// forbidden has every page of a tab be forbidden to store anything.
const forbidden = `if (isSecureContext) { const refuse = () => Promise.reject(new DOMException("forbidden", "SecurityError"));
	for (const name of ["sessionStorage", "localStorage", "caches"]) Object.defineProperty(window, name, {get() { throw new DOMException("forbidden", "SecurityError") }});
	ServiceWorkerContainer.prototype.register = refuse;
	addEventListener("unhandledrejection", e => { window.unhandled = String(e.reason) }) }`

// fading has a screen note how high the rows of its board are, and how high they are while they give way.
const fading = `{ const rows = () => document.querySelector("main:last-of-type .rows")?.getBoundingClientRect().height ?? 0;
	window.before = rows();
	new MutationObserver((_, watch) => { if (document.querySelector("main.leaving")) { window.during = rows(); watch.disconnect() } }).observe(document.body, {childList: true});
	true }`

// onlyHeads has no more have come than the head of any page within a tab's pages.
const onlyHeads = `Object.defineProperty(HTMLIFrameElement.prototype, "contentDocument", {get: () => new Document()})`

// locked has every page of a tab note what wake lock it asks for.
const locked = `if (isSecureContext) WakeLock.prototype.request = kind => { window.locked = kind; return Promise.resolve() }`

// wrongClock has every page of a tab believe that it is three hours later, come back early where it
// is to come back within half a minute, and note what went wrong.
const wrongClock = `Date.now = (now => () => now() + 3 * 3600 * 1000)(Date.now.bind(Date)); Math.random = () => .02;
	addEventListener("error", e => { window.failed = e.message })`

// code is what a device shows that waits.
const code = `[...document.querySelectorAll(".code span")].map(e => e.textContent).join("")`

// withoutServer are what a page may complain of while nothing answers it.
var withoutServer = []string{"ERR_", "WebSocket"}

// connected is true if something stands on a screen, and not in grey.
const connected = `document.documentElement.dataset.socket === "open" && !!document.querySelector("main")?.textContent.trim()`

// shows reports whether a screen shows a page, and nothing that gives way any more.
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
	tv.do(command(page.Enable, page.EnableParams{}), command(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: wrongClock + ";" + locked}))
	tv.open(h.url + "/screen")
	tv.live()
	shown := eval[string](tv, code)
	pocket := newBrowser(t)
	phone := pocket.newTab(390, 844)
	phone.login(h, "admin")
	phone.open(h.url + "/screens/pair?code=" + shown)
	phone.await(`document.querySelector(".six")?.textContent === ` + quote(shown))
	eval[bool](phone, `document.querySelector("[name=name]").value = "Foyer <left>"; true`)
	// reacts does something on the phone, and says how long it took until it was on the screen.
	reacts := func(what, press, until string) {
		t.Helper()
		began := time.Now()
		phone.click(press)
		tv.await(until)
		t.Logf("%s: %s after the tap", what, time.Since(began).Round(time.Millisecond))
	}
	soon := func(what string, took time.Duration) {
		t.Helper()
		t.Logf("%s: %s", what, took.Round(time.Millisecond))
	}
	reacts("paired", `button.go`, shows("board"))
	tv.live()
	tv.await(`window.locked === "screen"`)
	// Nothing is animated, for which a browser draws all the time: the script moves the picture against burn-in.
	tv.await(`document.getAnimations().length === 0 && document.documentElement.style.getPropertyValue("--drift") && getComputedStyle(document.body).transform.startsWith("matrix")`)
	eval[bool](tv, "window.neverReloaded = true")
	list, err := db.Screens().List(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	screen := list[0]
	// fleet has the phone show the screens, with all that can be done with the one.
	fleet := func() {
		t.Helper()
		phone.open(h.url + "/screens")
		phone.live()
		phone.click(`.hung summary`)
	}
	fleet()
	reacts("identified", `button[value=identify]`, `document.querySelector("#identify")?.textContent === "Foyer <left>"`)
	tv.shoot("identify")
	// A page is live also while no more has come of a screen's picture than its head.
	slow := pocket.newTab(390, 844)
	slow.do(command(page.Enable, page.EnableParams{}), command(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: onlyHeads}))
	slow.open(h.url + "/screens")
	slow.live()
	slow.quiet()
	slow.open("about:blank")

	// fill fills in a form on the phone.
	fill := func(path string, fields map[string]string) {
		t.Helper()
		phone.open(h.url + path)
		for name, value := range fields {
			eval[bool](phone, fmt.Sprintf(`{ const field = document.querySelector('[name="%s"]'); if (field.type === "checkbox") field.checked = %[2]s; else field.value = %[2]s; true }`, name, quote(value)))
		}
	}
	edit := "/screens/edit?screen=" + screen.ID
	fill("/screens/programme", map[string]string{"name": "Bar", "page.0": "message", "text.0": "The bar is <open>", "phase.0": "", "page.1": "", "page.2": "", "page.3": ""})
	phone.click(`button[value=save]`)
	phone.await(`new URL(location).searchParams.get("id")`)
	id := eval[string](phone, `new URL(location).searchParams.get("id")`)
	fill(edit, map[string]string{"programme": id, "margin": "40"})
	reacts("another programme", `button.go`, shows("message")+` && document.querySelector("main .name").textContent === "The bar is <open>"`)
	tv.await(`Math.abs(document.querySelector("main").getBoundingClientRect().top / innerHeight - .04) < .006`)
	phone.open(h.url + "/screens")
	phone.await(`(picture => Math.abs(picture?.querySelector("main")?.getBoundingClientRect().top / 720 - .04) < .006)(document.querySelector(".picture iframe")?.contentDocument)`)
	// Views give way to each other and leave nothing behind.
	nodes := func() float64 { return eval[float64](tv, `document.querySelectorAll("*").length`) }
	before := nodes()
	for range 2 {
		for _, view := range []string{"board", "message"} {
			fill("/screens/programme?id="+id, map[string]string{"page.0": view})
			eval[bool](tv, fading)
			reacts("its programme is changed to "+view, `button[value=save]`, shows(view))
			if view == "message" && !eval[bool](tv, `before > 100 && Math.abs(during - before) < 1`) {
				t.Errorf("the rows that give way are of %v pixels, and were of %v", eval[float64](tv, `during`), eval[float64](tv, `before`))
			}
		}
	}
	if after := nodes(); after > before {
		t.Errorf("%v elements after four changes of view, and %v before", after, before)
	}

	// A programme that is gone is no reason to show nothing, and an office screen may count.
	phone.open(h.url + "/screens/programme?delete=1&id=" + id)
	reacts("its programme is deleted", `main button`, shows("board"))
	tv.await(`!document.querySelector("#identify")`)
	if !eval[bool](tv, "window.neverReloaded") {
		t.Error("the screen was loaded again")
	}
	fill(edit, map[string]string{"language": "en"})
	eval[bool](phone, `document.querySelector("[name=shows][value=office]").checked = true`)
	reacts("it may show what is the office's", `button.go`, shows("wall"))
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

	fleet()
	reacts("loaded anew", `button[value=reload]`, `performance.getEntriesByType("navigation")[0].type === "reload" && `+shows("wall"))
	tv.live()
	eval[bool](tv, "window.neverReloaded = true")
	reacts("identified again", `button[value=identify]`, `document.querySelector("#identify") && window.neverReloaded`)
	reacts("sent dark", `button[value=dark]`, shows("dark"))
	reacts("lit again", `button[value=light]`, shows("wall"))
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

	phone.open(h.url + "/screens/revoke?screen=" + screen.ID)
	reacts("revoked", `main button`, code+`.length === 6`)
	tv.settles(`caches.has("screen").then(kept => !kept)`)

	// Revoked while it is off, it forgets what it kept, whatever it is answered.
	tv.becomes(h, store.Screen{Name: "Bar", Language: "en"})
	tv.await(`navigator.serviceWorker.controller`)
	tv.keeps("<main")
	tv.open("about:blank")
	for i, err := 0, error(nil); err == nil; i++ { // as many as may show a code at once
		err = db.Screens().Ask(t.Context(), fmt.Sprint("screen.", i), fmt.Sprint(i), store.Device{Address: "127.0.0.1"}, time.Now().Add(time.Hour))
	}
	if list, err = db.Screens().List(t.Context()); err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if _, err := db.Screens().Revoke(t.Context(), list[0].ID, store.Act{}); err != nil {
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
	tv.await(code + `.length === 6`)

	// Without room, and where the browser forbids to store anything, a screen does without.
	tv.do(command(storage.OverrideQuotaForOrigin, storage.OverrideQuotaForOriginParams{Origin: h.url, QuotaSize: new(1.0)}))
	tv.becomes(h, store.Screen{Name: "Kassa", Language: "en"})
	tv.settles(`caches.open("full").then(c => c.put("/full", new Response("full"))).catch(e => e.name === "QuotaExceededError")`)
	for _, c := range []struct{ kind, press, page string }{{"full", "dark", "dark"}, {"forbidden", "light", "board"}} {
		if c.kind == "forbidden" {
			tv.do(command(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: forbidden}))
		}
		tv.open(h.url + "/screen")
		tv.await(connected + ` || ` + shows("dark"))
		fleet()
		reacts(c.press+", while storage is "+c.kind, `button[value=`+c.press+`]`, shows(c.page)+` && !window.unhandled`)
	}
	tv.withoutStorage(h)
	// It is no screen any more once it is revoked, also there.
	tv.open(h.url + "/screen")
	tv.await(connected)
	if list, err = db.Screens().List(t.Context()); err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if _, err := db.Screens().Revoke(t.Context(), list[0].ID, store.Act{}); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Screens().Refuse(t.Context(), "1", store.Act{}); err != nil {
		t.Fatal(err)
	}
	tv.await(code + `.length === 6`)
	tv.quiet(append(withoutServer, "429", "503")...) // and of one device too many
}

// withoutStorage has the service worker run where the browser forbids to store anything, and be asked for
// a file of the page's and, with the server gone, for the page.
func (p *tab) withoutStorage(h *testHouse) {
	p.t.Helper()
	answer, err := http.Get(h.url + eval[string](p, `document.body.dataset.service`))
	if err != nil {
		p.t.Fatal(err)
	}
	defer answer.Body.Close()
	script, err := io.ReadAll(answer.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	p.open("about:blank") // whose contents no policy forbids
	p.settles(fmt.Sprintf(`(async () => {
		const refuse = () => Promise.reject(new DOMException("forbidden", "SecurityError")), listeners = {};
		const worker = {addEventListener: (type, listener) => { listeners[type] = listener }, location: {origin: "https://a.example"}};
		const fetch = async request => { if (request.mode === "navigate") throw new TypeError("no line"); return new Response("a file") };
		const run = new Function("self", "caches", "fetch", %s);
		const ask = (path, mode) => new Promise((done, failed) => listeners.fetch({request: {method: "GET", url: worker.location.origin + path, mode}, respondWith: answer => answer.then(done, failed)}));
		for (const open of [refuse, async () => ({match: refuse, delete: refuse})]) { // and where what was stored cannot be read
			run(worker, {open, delete: refuse}, fetch);
			if (await (await ask("/assets/app.js", "no-cors")).text() !== "a file" || (await ask("/screen", "navigate")).status !== 503) return false;
		}
		return true;
	})()`, quote(string(script))))
}

// settles waits until a promise settles to true. It is asked for anew until then.
func (p *tab) settles(promise string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	for {
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool](promise, chromedp.EvalAwaitPromise))
		if err == nil && ok {
			return
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			p.t.Fatalf("waited for %s: %v", promise, err)
		}
	}
}

// keeps has a screen keep its page, and waits until text is in what is kept.
func (p *tab) keeps(text string) {
	p.t.Helper()
	p.settles(`(async () => { document.dispatchEvent(new Event("visibilitychange")); const page = await (await caches.open("screen")).match("/screen"); return !!page && (await page.text()).includes(` + quote(text) + `) })()`)
}
