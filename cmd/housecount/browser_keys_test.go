package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"housecount/aggregator/figures"
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
	p.await(stops + ` === 1 && document.querySelectorAll("#figs a.f").length > 4`)
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
	p.await(`document.querySelector("#strip").textContent !== ` + quoted(before) + ` && ` + stops + ` === 1`)
	p.press(kb.End + kb.Tab)
	if got := at(); got != -1 {
		t.Errorf("the Tab key leads on to the figure %d of the same group", got)
	}
	all := eval[int](p, `document.querySelectorAll("main a.f").length`)
	if reached := eval[int](p, `[...document.querySelectorAll("main a.f")].filter(f => f.tabIndex === 0).length`); reached*3 > all {
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
		pdf, err := chromedp.Run(p.ctx, func(ctx context.Context, t *chromedp.Target) ([]byte, error) {
			r, err := cdp.Call(ctx, t, page.PrintToPDF, page.PrintToPDFParams{PreferCSSPageSize: new(true), PrintBackground: new(true)})
			return r.Data, err
		})
		if err != nil {
			t.Fatal(err)
		}
		if pages := strings.Count(string(pdf), "/Type /Page\n"); pages < 1 || pages > sheet.most {
			t.Errorf("%s is printed on %d pages", path, pages)
		}
	}
}

func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text) + `"`
}
