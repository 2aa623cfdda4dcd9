package main

import (
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"housecount/aggregator/figures"
	"housecount/apiclient/sandbox"
	"housecount/web/words"
)

// login signs in at the sandbox's own page, as one of the demonstration's staff, and waits
// for Tonight.
func (p *tab) login(h *testHouse, user string) {
	p.t.Helper()
	for _, s := range sandbox.DemoStaff {
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
	for _, e := range h.demo.program.figures.Snapshot().Evening(h.demo.service.Now()).Shows {
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
	event.open(h.url + "/events/" + e.Event.ID)
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

// TestBrowserRolesReceiveNoMoney reads everything that a page was sent: its HTML with the
// chart options in it, and every frame.
func TestBrowserRolesReceiveNoMoney(t *testing.T) {
	h := newTestHouse(t)
	e := h.grote()
	past := pastMoney(h)
	for _, c := range []struct {
		role  string
		money []string // what must be there
		never []string
		keys  []string // whose words must not be there, in any language
	}{
		{"door", nil, append([]string{"€", "EUR", "takings", "amount"}, past...), []string{"column.booked", "revenue.received", "revenue.refunded", "nav.revenue", "revenue.chargebacks"}},
		{"box_office", []string{"€"}, past, []string{"revenue.received", "revenue.refunded", "nav.revenue", "revenue.chargebacks"}},
	} {
		t.Run(c.role, func(t *testing.T) {
			b := newBrowser(t)
			b.newTab(1440, 900).login(h, c.role)
			tabs := b.newTabs(1440, 900)
			sent := map[*tab]string{}
			for _, path := range []string{"/tonight", "/events/" + e.Event.ID, "/wall", "/wall?hall=Grote+Zaal"} {
				frames := map[*tab]int{}
				for _, p := range tabs {
					p.open(h.url + path)
					p.live()
					frames[p] = len(p.received())
				}
				h.sell(e.Event.ID, 1)
				for _, p := range tabs {
					p.awaitFrames(frames[p] + 1)
					sent[p] += p.html()
				}
			}
			for _, p := range tabs {
				l, sent := p.words.Language(), randomly.ReplaceAllString(sent[p]+strings.Join(p.received(), "\n"), "")
				never := c.never
				for _, key := range c.keys {
					never = append(never[:len(never):len(never)], p.words.Text(key), strings.ToLower(p.words.Text(key)))
				}
				for _, word := range never {
					if at := around(sent, word); at != "" {
						t.Errorf("%s was sent %q in %s: …%s…", c.role, word, l, at)
					}
				}
				for _, word := range c.money {
					if !strings.Contains(sent, word) {
						t.Errorf("%s was not sent %q, today's takings, in %s", c.role, word, l)
					}
				}
				p.open(h.url + "/revenue")
				if body := eval[string](p, "document.body.innerText"); strings.Contains(body, "€") || !strings.Contains(body, p.words.Code("error_title", "role")) {
					t.Errorf("%s sees revenue in %s: %s", c.role, l, body)
				}
			}
		})
	}
}

// randomly finds what a page and a frame have of letters and digits that mean nothing.
var randomly = regexp.MustCompile(`(?:"token":|"from":|data-token=)"[\w-]{20}"`)

// around is a text with what stands on both sides of it, empty without. A number has to stand there whole: no
// digit is next to it, and it is no fraction.
func around(sent, text string) string {
	number := text[0] >= '0' && text[0] <= '9'
	digit := func(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }
	for from := 0; ; {
		i := strings.Index(sent[from:], text)
		if i < 0 {
			return ""
		}
		begin, end := from+i, from+i+len(text)
		before := strings.TrimSuffix(sent[:begin], ".")
		if !number || !digit(sent[end:]) && (before == "" || !digit(before[len(before)-1:])) {
			return sent[max(0, begin-80):min(len(sent), end+80)]
		}
		from = begin + 1
	}
}

// Money that is sent is found wherever it stands, and nothing else is taken for it.
func TestMoneyIsFound(t *testing.T) {
	for _, c := range []struct {
		sent, text string
		found      bool
	}{
		{`{"data":[12,365904,7]}`, "365904", true}, {`<p>365904`, "365904", true}, {"365904", "365904", true}, {`"of":365904.0`, "365904", true},
		{`"woken":1795365904037,"sum":365904}`, "365904", true}, {`"woken":1795365904037`, "365904", false}, {`"y":0.365904`, "365904", false},
		{"€3,659.04 today", "3,659.04", true}, {"€13,659.04", "3,659.04", false}, {"€3,659.04", "€3,659", true}, {`"3659.04 EUR"`, "3659.04", true},
		{`{"currency":"EUR"}`, "EUR", true}, {"12EUR", "EUR", true}, {"Omzet", "Omzet", true}, {"De omzetten", "omzet", true},
		{`{"from":"abEURcd-_fghijklmno9","token":"EURbcd-_fghijklmno90","parts":{}}`, "EUR", false}, {`data-token="xyEURcd-_fghijklmno9">`, "EUR", false},
		{`"token":"EUR"`, "EUR", true},
	} {
		if at := around(randomly.ReplaceAllString(c.sent, ""), c.text); (at != "") != c.found {
			t.Errorf("%q in %s: %q, want found: %v", c.text, c.sent, at, c.found)
		}
	}
}

// pastMoney is the house's money before today, as it could be written anywhere.
func pastMoney(h *testHouse) (texts []string) {
	s := h.demo.program.figures.Snapshot()
	today := s.Calendar.Day(h.demo.service.Now())
	forbid := func(sums ...figures.Sums) {
		for _, all := range sums {
			for _, m := range all {
				if m.Amount >= 1_000_00 && m.Amount < 1_000_000_00 { // a smaller number may well be something else
					texts = append(texts, fmt.Sprint(m.Amount), fmt.Sprintf("€%d,%03d", m.Amount/100_000, m.Amount/100%1000),
						fmt.Sprintf("%d,%03d.%02d", m.Amount/100_000, m.Amount/100%1000, m.Amount%100), fmt.Sprintf("%d.%02d", m.Amount/100, m.Amount%100))
				}
			}
		}
	}
	forbid(s.Total.Of(figures.Booked).Value, s.Total.Of(figures.Received).Value, s.Total.Net.Value)
	for _, e := range s.Events {
		forbid(e.Revenue.Of(figures.Booked).Value, e.Revenue.Net.Value)
	}
	for _, d := range s.Days {
		if d.Day != today {
			forbid(d.Of(figures.Booked), d.Of(figures.Received), d.Net())
		}
	}
	return texts
}

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

// TestBrowserLogoutReachesTheProvider logs out with pages open: the provider, which keeps
// sessions of its own, asks for the password again. Its logout may be at another origin.
func TestBrowserLogoutReachesTheProvider(t *testing.T) {
	o := sandbox.Options{Seed: 7, Speed: -1, Start: testEvening(t), Past: 1, Coming: 1}
	elsewhere := httptest.NewUnstartedServer(nil)
	elsewhere.Start()
	t.Cleanup(elsewhere.Close)
	for name, front := range map[string]func(http.Handler) http.Handler{
		"the issuer's origin": nil,
		"another origin": func(s http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !strings.HasPrefix(r.URL.Path, "/.well-known/") {
					s.ServeHTTP(w, r)
					return
				}
				answer := httptest.NewRecorder()
				s.ServeHTTP(answer, r)
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprint(w, strings.ReplaceAll(answer.Body.String(), "http://"+r.Host+"/oauth/logout", elsewhere.URL+"/bye"))
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := startTestHouseBehind(t, o, front)
			elsewhere.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, h.sandboxURL+"/oauth/logout?"+r.URL.RawQuery, http.StatusSeeOther)
			})
			b := newBrowser(t)
			one, other := b.newTab(1440, 900), b.newTab(1440, 900)
			one.login(h, "manager")
			for range 3 {
				other.open(h.url + "/wall")
				other.live()
				one.open(h.url + "/tonight")
				one.live()
				one.click(`form[action="/logout"] button`)
				one.await(`location.href === ` + quote(h.url+"/signed-out") + ` && document.querySelector("main a.button")`)
				other.await(`location.pathname === "/signed-out"`)
				one.do(chromedp.Click(chromedp.CSS("main a.button")))
				one.await(`document.querySelector("#login [name=password]")`)
				one.login(h, "manager")
			}
			one.quiet()
		})
	}
}

// TestBrowserLogoutClosesEveryTab logs out in one tab and looks at the other.
func TestBrowserLogoutClosesEveryTab(t *testing.T) {
	h := newTestHouse(t)
	b := newBrowser(t)
	one, other := b.newTab(1440, 900), b.newTab(1440, 900)
	one.login(h, "manager")
	one.speak(words.Dutch)
	other.speak(words.German)
	other.open(h.url + "/wall")
	other.live()
	cookies, err := chromedp.Call(one.ctx, network.GetCookies, network.GetCookiesParams{})
	if err != nil {
		t.Fatal(err)
	}
	if sessions := h.demo.program.hub.Holders(); len(sessions) != 1 {
		t.Errorf("the sockets are of %d logins, want 1", len(sessions))
	}
	one.click(`form[action="/logout"] button`)
	t.Logf("the other tab left %s after the logout", other.await(`location.pathname === "/signed-out"`).Round(time.Millisecond))
	for _, p := range []*tab{one, other} {
		p.await(`location.pathname === "/signed-out" && document.querySelector("h1")?.textContent === ` + quote(p.words.Text("signed_out.title")))
	}

	// The old cookie stays dead.
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	base, err := url.Parse(h.url)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cookies.Cookies {
		jar.SetCookies(base, []*http.Cookie{{Name: c.Name, Value: c.Value, Path: "/"}})
	}
	client := &http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	a, err := client.Get(h.url + "/tonight")
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	if to := a.Header.Get("Location"); a.StatusCode != http.StatusSeeOther || !strings.HasPrefix(to, "/login") {
		t.Errorf("the old cookie still opens a page: %s %s", a.Status, to)
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
	p.shoot("red")
	p.text(fmt.Sprint(sold))
	h.startSandbox()
	p.await(`document.querySelector("#strip").dataset.light === "green"`)
	h.sell(h.grote().Event.ID, 1)
	p.text(fmt.Sprint(sold + 1))
	p.quiet()
}

// TestBrowserEveryPageIsSound opens every page at every size, light and dark, and asks
// axe whether everybody can use it.
func TestBrowserEveryPageIsSound(t *testing.T) {
	axe, err := os.ReadFile(filepath.Join("..", "..", "assets", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	h := newTestHouse(t)
	b := newBrowser(t)
	h.demo.service.Advance(20 * time.Minute)
	e := h.grote()
	first := b.newTab(1440, 900)
	first.login(h, "manager")
	pages := []string{"/tonight", "/events", "/events/" + e.Event.ID, "/revenue?period=week"}
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
			if eval[bool](p, "document.documentElement.scrollWidth > innerWidth") {
				t.Errorf("%s is wider than the screen", name)
			}
			p.shoot(name)
			eval[bool](p, string(axe)+"; true")
			found, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](`axe.run(document, {resultTypes: ["violations"]}).then(r =>
				r.violations.map(v => v.id + ": " + v.nodes.map(n => n.target.join(" ") + " " + (n.any[0]?.message ?? "")).join("; ")).join("\n"))`, chromedp.EvalAwaitPromise))
			if err != nil {
				t.Fatal(err)
			}
			if found != "" {
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
