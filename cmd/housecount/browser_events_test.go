package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"housecount/web/words"
)

// press sends keys to whatever has the focus.
func (p *tab) press(keys string) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(keys))
}

// slash presses the key that leads to the search. It is one event: as two, the letter would be
// typed whatever the page says to the key.
func (p *tab) slash() {
	p.t.Helper()
	p.do(command(input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: "/", Code: "Slash", Text: "/"}),
		command(input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyUp, Key: "/", Code: "Slash"}))
	p.await(inSearch)
}

// What the browser is asked about Events.
const (
	titlesFound = `[...document.querySelectorAll("#found th a[id]")].map(a => a.textContent)`
	inSearch    = `document.activeElement.name === "q"`
	atRow       = `[...document.querySelectorAll("#found th a[id]")].indexOf(document.activeElement) === %d`
)

// TestBrowserEvents finds a performance without a mouse: a key to the search, a few letters,
// arrows and Enter; and comes back to what it had found.
func TestBrowserEvents(t *testing.T) {
	h := newTestHouse(t)
	p := newBrowser(t).newTab(1440, 900)
	p.login(h, "manager")
	p.open(h.url + "/events")
	p.live()
	eval[bool](p, "window.neverReloaded = true")
	all, of := p.found(), len(h.demo.program.figures.Snapshot().Events)

	p.slash()
	took := time.Now()
	p.press("groTe  zàal")
	p.await(`location.search === "?q=groTe++z%C3%A0al" && document.querySelectorAll("#found tbody tr:not(.now)").length < ` + fmt.Sprint(all))
	t.Logf("%s from the first key to the list", time.Since(took).Round(time.Millisecond))
	p.await(`[...document.querySelectorAll("#found .hall bdi")].every(e => e.textContent === "Grote Zaal")`)
	if found := eval[[]string](p, titlesFound); len(found) < 2 || !eval[bool](p, inSearch+` && document.activeElement.value === "groTe  zàal"`) {
		t.Fatalf("found %q; the search has the focus: %v", found, eval[bool](p, inSearch))
	}
	p.shoot("found")

	for _, step := range []struct {
		key string
		at  string
	}{
		{kb.ArrowDown, fmt.Sprintf(atRow, 0)}, {kb.ArrowDown, fmt.Sprintf(atRow, 1)}, {kb.ArrowUp, fmt.Sprintf(atRow, 0)},
		{kb.ArrowUp, inSearch}, {kb.ArrowUp, inSearch}, {kb.ArrowDown, fmt.Sprintf(atRow, 0)},
	} {
		p.press(step.key)
		p.await(step.at)
	}
	p.slash()
	if !eval[bool](p, "window.neverReloaded === true") {
		t.Error("the page was loaded anew")
	}

	// The minute passes: what was found is found anew, and the row that was chosen keeps the focus.
	eval[bool](p, "Math.random = () => 0, true") // at once, of the seconds that pages spread it over
	p.press(kb.ArrowDown)
	before := eval[string](p, `document.querySelector("#clock").textContent`)
	h.demo.service.Advance(time.Minute)
	p.await(`(now => now !== "` + before + `" && document.querySelector("#found .count").textContent === ` + quote(p.count(p.found(), of, "NOW")) + `.replace("NOW", now))(document.querySelector("#clock").textContent)`)
	p.await(fmt.Sprintf(atRow, 0))

	first := eval[string](p, `document.activeElement.getAttribute("href")`)
	p.press(kb.Enter)
	p.await(fmt.Sprintf("location.pathname === %q && document.readyState === 'complete'", first))
	eval[bool](p, "setTimeout(() => history.back()), true") // once this is answered
	p.await(`location.pathname === "/events" && document.readyState === "complete" && document.querySelector("[name=q]").value.includes("zàal")`)
	if found := eval[[]string](p, titlesFound); len(found) == 0 || len(found) >= all {
		t.Errorf("back from a performance %d are listed, want those that were found", len(found))
	}
	p.live()
	p.slash()
	p.press(kb.Escape)
	p.await(`location.search === "" && document.querySelectorAll("#found tbody tr:not(.now)").length === ` + fmt.Sprint(all))

	eval[bool](p, `(s => (s.value = "over", s.dispatchEvent(new Event("input", {bubbles: true}))))(document.querySelector("[name=status]"))`)
	p.await(`location.search === "?status=over" && [...document.querySelectorAll("#found .status")].slice(1).every(e => e.textContent.trim() === ` + quote(p.words.Code("status", "over")) + `)`)

	// A minute that passes while a search is under way does not lose it.
	eval[bool](p, `(Math.random = () => 0, window.network = window.fetch, window.fetch = (address, options) => new Promise((_, fail) => {
		document.body.dataset.asked = address;
		options.signal.addEventListener("abort", () => fail(options.signal.reason));
	}), true)`)
	p.await(inSearch)
	p.press("zaal")
	p.await(`(document.body.dataset.asked ?? "").includes("q=zaal")`)
	eval[bool](p, "window.fetch = window.network, true")
	h.demo.service.Advance(time.Minute)
	p.await(`location.search === "?q=zaal&status=over"`)
	p.quiet()
}

// found returns how many performances are listed.
func (p *tab) found() int {
	p.t.Helper()
	return len(eval[[]string](p, titlesFound))
}

// count returns what the list says of itself at a time.
func (p *tab) count(n, of int, at string) string {
	return p.words.Text("found.count_of_at", words.Int("n", n), words.Int("of", of), words.Text("time", at))
}

// TestBrowserEventsInEveryLanguage finds what is on today by the word that the language has for
// that, and what is over by its status.
func TestBrowserEventsInEveryLanguage(t *testing.T) {
	h := newTestHouse(t)
	b := newBrowser(t)
	b.newTab(1440, 900).login(h, "door")
	for _, p := range b.newTabs(1440, 900) {
		l := p.words.Language()
		p.open(h.url + "/events")
		p.live()
		s := h.demo.program.figures.Snapshot()
		today := 0
		for _, e := range s.Events {
			if e.Date == s.Calendar.Day(h.demo.service.Now()) {
				today++
			}
		}
		now := eval[string](p, `document.querySelector("#clock").textContent`)
		near, _, _ := strings.Cut(p.words.Text("near.today"), ",")
		p.slash()
		p.press(near)
		p.await(`document.querySelector("#found .count").textContent === ` + quote(p.count(today, len(s.Events), now)))
		p.press(kb.Escape)
		eval[bool](p, `(s => (s.value = "over", s.dispatchEvent(new Event("input", {bubbles: true}))))(document.querySelector("[name=status]"))`)
		p.await(`location.search === "?status=over"`)
		shown := eval[[]string](p, `[...new Set([...document.querySelectorAll("#found tbody .status")].map(e => e.textContent.trim()))]`)
		if want := p.words.Code("status", "over"); len(shown) != 1 || shown[0] != want || today == 0 || today == len(s.Events) {
			t.Errorf("%s: of %d, %d are today; the status of what is over is %q, want %q", l, len(s.Events), today, shown, want)
		}
		p.quiet()
	}
}

// TestBrowserEventsOnAPhone searches on a phone, and without a script.
func TestBrowserEventsOnAPhone(t *testing.T) {
	h := newTestHouse(t)
	b := newBrowser(t)
	p := b.newTab(390, 844)
	p.login(h, "door")
	p.open(h.url + "/events")
	p.live()
	const drawn = `.querySelector(".title a").checkVisibility({contentVisibilityAuto: true})`
	p.await(`document.querySelector("#found tbody tr:not(.now)")` + drawn)
	if last := `[...document.querySelectorAll("#found tbody tr:not(.now)")].at(-1)`; eval[bool](p, last+drawn) {
		t.Error("a card far out of sight is laid out")
	} else {
		eval[bool](p, "("+last+".scrollIntoView(), true)")
		p.await(last + drawn)
	}
	title := h.grote().Event.Title
	p.do(chromedp.SendKeys(chromedp.CSS("[name=q]"), title))
	p.await(`document.querySelectorAll("#found tbody tr:not(.now)").length > 0 && ` + titlesFound + `.every(t => t === ` + quote(title) + `)`)
	if eval[bool](p, `document.documentElement.scrollWidth > innerWidth || getComputedStyle(document.querySelector("#found tbody tr:not(.now)")).display !== "grid"`) {
		t.Error("the rows are no cards, or the page is wider than the screen")
	}
	p.shoot("cards")
	p.quiet()

	still := b.newTab(390, 844)
	still.do(command(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))
	still.open(h.url + "/events")
	// A condition that waits for changes would be a script: the page found has what was asked for in its HTML.
	still.do(chromedp.SendKeys(chromedp.CSS("[name=q]"), title+kb.Enter), chromedp.WaitReady(chromedp.CSS(`[name=q]:not([value=""])`)), chromedp.WaitReady(chromedp.CSS(".keys")))
	if found := eval[[]string](still, titlesFound); len(found) == 0 || found[0] != title {
		t.Errorf("without a script %q are found, want %q", found, title)
	}
	still.quiet()
}
