package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/sandbox/idp"
)

// login signs in at the sandbox's own page, as one of the demonstration's staff, and waits
// for Tonight.
func (p *tab) login(h *testHouse, user string) {
	p.t.Helper()
	for _, s := range idp.DemoStaff {
		if s.User != user {
			continue
		}
		p.open(h.url + "/")
		p.await(`document.querySelector("#login")`)
		p.do(chromedp.SendKeys(chromedp.CSS("#login [name=username]"), s.User), chromedp.SendKeys(chromedp.CSS("#login [name=password]"), s.Password),
			chromedp.Click(chromedp.CSS("#login button")))
		p.await(`location.pathname === "/tonight" && document.readyState === "complete"`)
		p.live()
		return
	}
	p.t.Fatalf("nobody called %s works here", user)
}

// live waits for the page's socket to be open.
func (p *tab) live() {
	p.t.Helper()
	p.await(`document.documentElement.dataset.socket === "open"`)
}

// grote is tonight's performance in the large hall.
func (h *testHouse) grote() *figures.EventFigures {
	h.t.Helper()
	for _, e := range evening.At(h.demo.program.figures.Snapshot(), h.demo.service.Now()).Shows {
		if e.Event.Hall == "Grote Zaal" {
			return e.EventFigures
		}
	}
	h.t.Fatal("nothing is on in the Grote Zaal tonight")
	return nil
}

type sale struct {
	OrderID   string   `json:"order_id"`
	TicketIDs []string `json:"ticket_ids"`
	PaymentID string   `json:"payment_id"`
}

func (h *testHouse) sell(event string, quantity int) (s sale) {
	h.t.Helper()
	h.control("sell", map[string]any{"event_id": event, "quantity": quantity}, &s)
	return s
}

// showing is a JavaScript expression of what the main part of a page shows, and of what its charts
// are drawn from.
const showing = `(() => {
	const main = document.querySelector("main").cloneNode(true);
	for (const chart of main.querySelectorAll(".chart")) chart.replaceWith(chart.ariaLabel);
	for (const option of main.querySelectorAll("script")) option.textContent = JSON.stringify(JSON.parse(option.textContent));
	return main.innerHTML;
})()`

// TestBrowserASaleTravels follows one sale from the service to four open pages. They then show what
// a page shows that is loaded anew.
func TestBrowserASaleTravels(t *testing.T) {
	h := newTestHouse(t)
	b := newBrowser(t)
	e := h.grote()
	tonight, event, wall, revenue := b.newTab(1440, 900), b.newTab(1440, 900), b.newTab(1920, 1080), b.newTab(1440, 900)
	tonight.login(h, "manager")
	revenue.open(h.url + "/revenue")
	event.open(h.url + "/events/" + e.Event.ID + "?part=all")
	wall.open(h.url + "/wall?hall=" + url.QueryEscape(e.Event.Hall))
	for _, p := range []*tab{event, wall, revenue} {
		p.live()
	}
	for _, p := range []*tab{tonight, event, wall, revenue} {
		eval[bool](p, "window.neverReloaded = true")
	}

	sold := e.Sold.Value + 3
	h.sell(e.Event.ID, 3)
	h.until("the sale to be read", func(s *figures.Snapshot) bool { return s.Event(e.Event.ID).Sold.Value == sold })
	for name, p := range map[string]*tab{"tonight": tonight, "event": event, "wall": wall} {
		t.Logf("%s shows the sale %s after the poll that read it", name, p.text(fmt.Sprint(sold)).Round(time.Millisecond))
	}
	event.await(`[...document.querySelectorAll("table")].some(t => t.textContent.includes("` + fmt.Sprint(sold) + `"))`)
	chart := false
	for _, f := range event.received() {
		chart = chart || strings.Contains(f, `"chart-sales"`) && strings.Contains(f, fmt.Sprint(sold))
	}
	if !chart {
		t.Errorf("no frame brought the sales chart to %d", sold)
	}
	anew := b.newTab(1440, 900)
	for _, p := range []*tab{tonight, event, revenue} {
		anew.open(eval[string](p, "location.href"))
		anew.live()
		h.until("both to show the same", func(*figures.Snapshot) bool { return eval[string](p, showing) == eval[string](anew, showing) })
	}
	edited := false
	for _, f := range revenue.received() {
		edited = edited || strings.Contains(f, `"edits":{"chart-days-1"`) && !strings.Contains(f, `"charts"`) && !strings.Contains(f, `"html"`)
	}
	if !edited {
		t.Error("no frame brought Revenue alone what is new")
	}
	for name, p := range map[string]*tab{"tonight": tonight, "event": event, "wall": wall, "revenue": revenue} {
		if !eval[bool](p, "window.neverReloaded === true") {
			t.Errorf("%s was loaded anew", name)
		}
		p.quiet()
	}
}

// randomly finds what a page and a frame have of letters and digits that mean nothing.
var randomly = regexp.MustCompile(`(?:"token":|"from":|data-token=)"[\w-]{20}"`)

// awaitFrames waits until the page has received n frames.
func (p *tab) awaitFrames(n int) {
	p.t.Helper()
	limit := time.After(patience)
	for len(p.received()) < n {
		select {
		case <-p.more:
		case <-limit:
			p.t.Fatalf("waited %s for a frame on %s", patience, eval[string](p, "location.href"))
		}
	}
}

// hostile are titles that have broken dashboards.
var hostile = []string{
	`</script><script>window.broken = 1</script>`,
	`__f__(function(){window.broken = 2})__f__`,
	`<img src=x onerror="window.broken = 3">`,
	`"><svg onload=window.broken=4>`,
	`{{7*7}} ${7*7} @house`,
	"\u202Egnirts a\u202C " + strings.Repeat("A very long title without end ", 40),
}

func TestBrowserHostileTitlesAreInert(t *testing.T) {
	h := newTestHouse(t)
	b := newBrowser(t)
	p := b.newTab(1440, 900)
	p.login(h, "admin")
	e := h.grote()
	for _, title := range hostile {
		p.open(h.url + "/tonight")
		p.live()
		h.control("rename", map[string]any{"event_id": e.Event.ID, "title": title}, nil)
		s := h.until("the new title", func(s *figures.Snapshot) bool { return s.Event(e.Event.ID).Event.Title != e.Event.Title })
		e = s.Event(e.Event.ID)
		start := title[:min(len(title), 24)]
		p.await(fmt.Sprintf("document.body.textContent.includes(%s)", quote(start))) // it came by the socket
		for _, path := range []string{"/tonight", "/events/" + e.Event.ID, "/wall", "/wall?hall=Grote+Zaal", "/revenue"} {
			p.open(h.url + path)
			p.live()
			if path != "/revenue" {
				p.await(fmt.Sprintf("document.body.textContent.includes(%s)", quote(start)))
			}
			if got := eval[string](p, "String(window.broken)"); got != "undefined" {
				t.Errorf("%s with the title %q ran code: %s", path, start, got)
			}
			if wide := eval[bool](p, "document.documentElement.scrollWidth > innerWidth"); wide {
				t.Errorf("%s with the title %q is wider than the screen", path, start)
			}
		}
	}
	p.quiet()
}

// TestBrowserServiceDown takes the service away and brings it back.
func TestBrowserServiceDown(t *testing.T) {
	h := newTestHouse(t)
	b := newBrowser(t)
	p := b.newTab(1440, 900)
	p.login(h, "manager")
	others := b.newTabs(390, 844)
	for _, o := range others {
		o.open(h.url + "/tonight")
		o.live()
	}
	sold := h.grote().Sold.Value
	p.await(`document.querySelector("#strip").dataset.light === "green"`)
	eval[bool](p, `window.lights = []; new MutationObserver(() => lights.push(document.querySelector("#strip").dataset.light))
		.observe(document.body, {subtree: true, attributes: true, attributeFilter: ["data-light"]}); true`)
	h.stopSandbox()
	for _, o := range others {
		o.text(o.words.Code("fault", string(figures.FaultUnreachable)))
	}
	p.await(`document.querySelector("#strip").dataset.light === "red"`)
	if lights := eval[[]string](p, `[...new Set(lights)]`); !slices.Equal(lights, []string{"amber", "red"}) {
		t.Errorf("the light became %q", lights)
	}
	const dull = `getComputedStyle(document.querySelector(".figures-live")).color === getComputedStyle(document.querySelector(".show .side")).color`
	p.await(dull)
	p.shoot("red")
	p.text(fmt.Sprint(sold))
	h.startSandbox()
	p.await(`document.querySelector("#strip").dataset.light === "green"`)
	p.await(`!(` + dull + `)`)
	h.sell(h.grote().Event.ID, 1)
	p.text(fmt.Sprint(sold + 1))
	p.quiet()
}

// violations returns what axe finds that keeps people from using the page; on a phone also what a finger would miss.
func (p *tab) violations() string {
	p.t.Helper()
	axe, err := os.ReadFile(filepath.Join("..", "..", "assets", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		p.t.Fatal(err)
	}
	eval[bool](p, string(axe)+"; true")
	found, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](`axe.run(document, {resultTypes: ["violations"], rules: {"target-size": {enabled: innerWidth < 500}}}).then(r =>
		r.violations.map(v => v.id + ": " + v.nodes.map(n => n.target.join(" ") + " " + (n.any[0]?.message ?? "")).join("; ")).join("\n"))`, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatal(err)
	}
	return found
}

// TestBrowserEveryPageIsSound opens every page at every size, light and dark, and asks
// axe whether everybody can use it.
func TestBrowserEveryPageIsSound(t *testing.T) {
	h := newTestHouse(t)
	b := newBrowser(t)
	h.demo.service.Advance(20 * time.Minute)
	e := h.grote()
	first := b.newTab(1440, 900)
	first.login(h, "manager")
	pages := []string{"/tonight", "/events", "/calendar", "/events/" + e.Event.ID, "/events/" + e.Event.ID + "?part=all", "/revenue?period=week"}
	walls := []string{"/wall", "/wall?hall=Grote+Zaal"}
	for _, c := range []struct {
		name, scheme  string
		width, height int64
		paths         []string
	}{
		{"desk", "light", 1440, 900, pages},
		{"desk", "dark", 1440, 900, pages},
		{"phone", "light", 390, 844, append(pages, walls...)},
		{"narrow", "dark", 320, 640, pages},
		{"wall", "dark", 1920, 1080, walls},
		{"portrait", "light", 1080, 1920, walls},
	} {
		p := b.newTab(c.width, c.height)
		p.do(command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: c.scheme}},
		}))
		for _, path := range c.paths {
			p.open(h.url + path)
			p.live()
			name := c.name + "_" + c.scheme + strings.NewReplacer("/", "_", "?", "-", "=", "-", "+", "-").Replace(path)
			t.Log(name)
			p.await("document.documentElement.scrollWidth <= innerWidth") // on a slow machine it is made to fit a moment later
			p.shoot(name)
			if found := p.violations(); found != "" {
				t.Errorf("%s: axe found\n%s", name, found)
			}
		}
		p.quiet()
	}
	for _, p := range b.newTabs(320, 640) {
		for path, code := range map[string]string{"/nowhere": "not_found", "/events/evt_none": "no_performance", "/events?from=soon": "address"} {
			p.open(h.url + path)
			if eval[bool](p, "document.documentElement.scrollWidth > innerWidth") {
				t.Errorf("%s is wider than the screen in %s", path, p.words.Language())
			}
			if got, want := eval[string](p, `document.querySelector("h1").textContent`), p.words.Code("error_title", code); got != want {
				t.Errorf("%s in %s is %q, want %q", path, p.words.Language(), got, want)
			}
		}
	}
}
