package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
	"housecount/web/words"
)

// TestBrowserFiguresAreReachedInGroups has the Tab key stop once at each group of figures, and the arrow keys lead on
// within it, also once fragments have come.
func TestBrowserFiguresAreReachedInGroups(t *testing.T) {
	h := newTestHouse(t)
	h.demo.service.Advance(20 * time.Minute)
	e := h.grote()
	p := newBrowser(t).newTab(1440, 900)
	p.login(h, "manager")
	p.open(h.url + "/events/" + e.Event.ID)
	p.live()
	const stops = `[...document.querySelectorAll("#figs a.f, #figs .q[tabindex]")].filter(f => f.tabIndex === 0).length`
	p.await(`document.querySelectorAll("#figs a.f").length > 4`)
	at := func() int {
		return eval[int](p, `[...document.querySelectorAll("#figs a.f, #figs .q[tabindex]")].indexOf(document.activeElement)`)
	}
	eval[bool](p, `(document.querySelector("#figs a.f").focus(), true)`)
	p.press(kb.ArrowRight + kb.ArrowRight)
	if got := at(); got != 2 {
		t.Errorf("two steps lead to the figure %d", got)
	}
	before := eval[string](p, `document.querySelector("#strip").textContent`)
	h.demo.service.Advance(time.Minute)
	p.await(`document.querySelector("#strip").textContent !== ` + quoted(before))
	// Counted in the same turn as the focus moves: a frame that comes a moment later brings figures that are not yet in groups.
	eval[bool](p, `(document.addEventListener("focusin", () => { window.stopsInGroup = `+stops+`
		window.stopsInPage = [...document.querySelectorAll("main a.f")].filter(f => f.tabIndex === 0).length }), true)`)
	p.press(kb.End)
	if got := eval[int](p, `window.stopsInGroup ?? -1`); got != 1 {
		t.Errorf("the Tab key would stop at %d figures of the group that has the focus", got)
	}
	eval[bool](p, `(document.querySelectorAll("main a.f").forEach(f => f.removeAttribute("tabindex")), true)`) // as frames bring them
	p.press(kb.Tab)
	if got := at(); got != -1 {
		t.Errorf("the Tab key leads on to the figure %d of the same group", got)
	}
	all := eval[int](p, `document.querySelectorAll("main a.f").length`)
	if reached := eval[int](p, `window.stopsInPage ?? -1`); reached < 1 || reached*3 > all {
		t.Errorf("the Tab key stops at %d of %d figures", reached, all)
	}
	p.quiet()
}

// TestBrowserPrints has the overview of a performance, with its charts, on at most two pages, and the night report on one.
func TestBrowserPrints(t *testing.T) {
	h := newTestHouse(t)
	h.demo.service.Advance(20 * time.Minute)
	e := h.grote()
	p := newBrowser(t).newTab(1440, 900)
	p.login(h, "manager")
	h.until("every list once read", func(s *figures.Snapshot) bool { return !s.Unread() })
	for path, sheet := range map[string]struct {
		chart string
		most  int
	}{"/events/" + e.Event.ID: {"#chart-arrived", 2}, "/night": {"#chart-crowd", 1}, "/revenue": {"#chart-days-1", 2}, "/revenue?period=season": {"#chart-days-1", 2}} {
		p.open(h.url + path)
		p.live()
		p.await(`document.querySelector("` + sheet.chart + ` canvas") !== null`)
		if pages := strings.Count(p.pdf(), "/Type /Page\n"); pages < 1 || pages > sheet.most {
			t.Errorf("%s is printed on %d pages", path, pages)
		}
	}
}

// pdf returns the open page as the browser prints it to a file.
func (p *tab) pdf() string {
	p.t.Helper()
	pdf, err := chromedp.Run(p.ctx, func(ctx context.Context, t *chromedp.Target) ([]byte, error) {
		r, err := cdp.Call(ctx, t, page.PrintToPDF, page.PrintToPDFParams{PreferCSSPageSize: new(true), PrintBackground: new(true)})
		return r.Data, err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return string(pdf)
}

// TestBrowserPrintsAFullNight has the report of an evening of four performances, with eleven alerts, notes and money, on one page of A4 in
// every language.
func TestBrowserPrintsAFullNight(t *testing.T) {
	h := newTestHouse(t)
	h.demo.service.Advance(8 * time.Hour) // from 19:32, so that everybody has left
	s := h.until("every list once read", func(s *figures.Snapshot) bool { return !s.Unread() })
	e, day := h.grote(), h.grote().Date
	var all []record.Record
	for i := range 11 {
		raised := e.Event.StartsAt.Add(time.Duration(i-20) * time.Minute)
		a := &record.RaisedAlert{Alert: fmt.Sprintf("quiet_gate:%s:%c", e.Event.ID, 'A'+i), Number: 1, Level: "bad", EventID: e.Event.ID, Raised: raised, Cleared: raised.Add(9 * time.Minute)}
		if i%2 == 0 {
			a.By, a.Taken = []string{"Marijke van den Bergh", "Joost"}, raised.Add(time.Minute)
		}
		all = append(all, a)
	}
	for i := range 3 {
		note := fmt.Sprintf("Lift %d stood still for a quarter of an hour at curtain", i+1)
		all = append(all, &record.Setting{Name: record.SettingNote, Of: record.NoteOf("", note), From: string(day), Value: new(int64), At: s.AsOf, By: "Marijke van den Bergh"})
	}
	if err := h.demo.program.entries.enter(t.Context(), h.demo.service.Now(), all...); err != nil {
		t.Fatal(err)
	}
	p := newBrowser(t).newTab(1440, 900)
	p.login(h, "manager")
	for _, language := range words.Locales {
		p.open(h.url + "/night?day=" + string(day) + "&language=" + string(language))
		p.live()
		p.await(`document.documentElement.lang === ` + quoted(string(language)) + ` && document.querySelectorAll("#performances tbody tr[id]").length === 4 && document.querySelectorAll("#happened tr").length >= 11 && [1, 2, 3].every(n => document.querySelector("#day-notes").textContent.includes("Lift " + n)) && document.querySelector("#chart-crowd canvas") !== null`)
		pdf := p.pdf()
		if pages := strings.Count(pdf, "/Type /Page\n"); pages != 1 {
			t.Errorf("in %s it is printed on %d pages", language, pages)
		}
		if !regexp.MustCompile(`/MediaBox \[0 0 59[45][.\d]* 84[12][.\d]*\]`).MatchString(pdf) {
			t.Errorf("in %s the page is not A4: %s", language, regexp.MustCompile(`/MediaBox[^\n]*`).FindString(pdf))
		}
	}
}

func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text) + `"`
}
