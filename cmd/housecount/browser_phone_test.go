package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
)

// TestBrowserAPhoneDoesLittleForManyRows has a phone lay out and paint the rows of an evening of many performances
// that are in sight. A desk has its bars glide and its columns named; on a phone, where that is work for each row with
// each sale, they do not.
func TestBrowserAPhoneDoesLittleForManyRows(t *testing.T) {
	h := newTestHouse(t)
	now := h.demo.service.Now()
	for i := range 20 {
		h.control("event", map[string]any{"title": fmt.Sprintf("Extra %d", i), "hall": "Foyer", "starts_at": now.Add(time.Hour + time.Duration(i)*time.Minute).Format(time.RFC3339), "capacity": 80}, nil)
	}
	h.until("the performances", func(s *figures.Snapshot) bool {
		return slices.ContainsFunc(s.Events, func(e *figures.EventFigures) bool { return e.Event.Title == "Extra 19" })
	})
	b := newBrowser(t)
	p := b.newTab(390, 844)
	p.login(h, "manager")
	p.open(h.url + "/tonight")
	p.live()
	const rows, drawn = `[...document.querySelectorAll(".shows > div > .show")]`, `.querySelector(".title a").checkVisibility({contentVisibilityAuto: true})`
	p.await(rows + `.length > 20 && ` + rows + `[0]` + drawn)
	if last := rows + `.at(-1)`; eval[bool](p, last+drawn) {
		t.Error("a row far out of sight is laid out")
	} else {
		eval[bool](p, "("+last+".scrollIntoView(), true)")
		p.await(last + drawn)
	}
	const glide = `getComputedStyle(document.querySelector(".show .bar rect")).transitionDuration`
	if got := eval[string](p, glide); got != "0s" {
		t.Errorf("on a phone the bars take %s to change", got)
	}
	// The names of rules that apply here and have the page, or the list of its rows, looked through with each change.
	const through = `(function find(rules) { return [...rules].flatMap(r => r.media && !matchMedia(r.media.mediaText).matches ? [] : [...(/^(html|body|:root|main|\.shows)[^ ]*:has\(/m.test((r.selectorText ?? "").replaceAll(", ", "\n")) ? [r.selectorText] : []), ...(r.cssRules ? find(r.cssRules) : [])]) })([...document.styleSheets].flatMap(s => s.media.length && !matchMedia(s.media.mediaText).matches ? [] : [...s.cssRules]))`
	if got := eval[[]string](p, through); len(got) > 0 {
		t.Errorf("with each change the page is looked through for\n%s", strings.Join(got, "\n"))
	}
	p.quiet()

	desk := b.newTab(1440, 900)
	desk.open(h.url + "/tonight")
	desk.live()
	if got := eval[string](desk, glide); !strings.Contains(got, "0.5s") {
		t.Errorf("on a desk the bars take %s to change", got)
	}
	if got := eval[int](desk, `[...document.querySelectorAll(".cols i")].filter(c => c.checkVisibility()).length`); got != 0 || len(eval[[]string](desk, through)) == 0 {
		t.Errorf("a desk names %d of the two kinds of figures that stand in one column", got)
	}
	desk.quiet()

	admin := newBrowser(t).newTab(1440, 900)
	admin.login(h, "admin")
	admin.open(h.url + "/screens/pair")
	if got := eval[string](admin, `[".top", "main"].map(e => document.querySelector(e).getBoundingClientRect()).map(r => r.left + " " + r.right).join(", ")`); got != "480 960, 480 960" {
		t.Errorf("on a desk the head and the form of a screen are from %s", got)
	}
	if got := eval[string](admin, `getComputedStyle(document.documentElement).scrollPaddingBottom`); got != "110px" {
		t.Errorf("what has the focus is %s above the lower edge", got)
	}
}
