package main

import (
	"testing"
	"time"

	"housecount/aggregator/figures"
)

// shortPage is what a page shows without unfolding anything.
type shortPage struct {
	Words  []string `json:"words"`
	Height int      `json:"height"`
	Sizes  []string `json:"sizes"`
}

// readShortPage collects the words in sight of the main part of a page, its height, and the sizes of type on it.
const readShortPage = `(() => {
	const words = [], sizes = new Set(), range = document.createRange();
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let text; text = texts.nextNode();) {
		const parent = text.parentElement;
		if (!text.data.trim() || !parent.checkVisibility({visibilityProperty: true}) || parent.closest("script, .sr, .why") || getComputedStyle(parent).clipPath !== "none") continue;
		range.selectNodeContents(text);
		if (![...range.getClientRects()].some(r => r.width > 1 && r.height > 1)) continue;
		sizes.add(Math.round(parseFloat(getComputedStyle(parent).fontSize) * (parent.ownerSVGElement?.getScreenCTM().a ?? 1)) + "px"); // as it is seen
		if (parent.closest("main")) words.push(...text.data.match(/\p{L}[\p{L}'’-]*/gu) ?? []);
	}
	return {words, height: document.documentElement.scrollHeight, sizes: [...sizes].sort()};
})()`

// TestBrowserPagesAreShort holds the pages of a desk to few words beside their numbers, to a height and to the sizes of one scale.
func TestBrowserPagesAreShort(t *testing.T) {
	h := newTestHouse(t)
	h.demo.service.Advance(33 * time.Minute)
	e := h.grote()
	p := newBrowser(t).newTab(1440, 900)
	p.login(h, "manager")
	h.until("every list once read", func(s *figures.Snapshot) bool { return !s.Unread() })
	for path, most := range map[string]struct{ words, height int }{
		"/tonight": {177, 1000}, "/events/" + e.Event.ID: {271, 1600}, "/revenue?period=month": {271, 2000}, "/marketing?period=month": {138, 2400}, "/events": {400, 1600},
	} {
		p.open(h.url + path)
		p.live()
		got := eval[shortPage](p, readShortPage)
		t.Logf("%s: %d words, %d px, %d sizes of type", path, len(got.Words), got.Height, len(got.Sizes))
		if len(got.Words) == 0 || len(got.Words) > most.words {
			t.Errorf("%s has %d words, at most %d: %q", path, len(got.Words), most.words, got.Words)
		}
		if got.Height > most.height {
			t.Errorf("%s is %d px high, at most %d", path, got.Height, most.height)
		}
		unfolded := eval[shortPage](p, `(document.querySelectorAll("main details").forEach(d => d.open = true), `+readShortPage+")")
		if len(got.Sizes) > 7 || len(unfolded.Sizes) > 7 {
			t.Errorf("%s has the sizes of type %q, unfolded %q, at most seven", path, got.Sizes, unfolded.Sizes)
		}
		if narrow := eval[[]string](p, `[...document.querySelectorAll(".side .f")].filter(f => f.checkVisibility() && f.getBoundingClientRect().width < 24).map(f => f.textContent)`); len(narrow) > 0 {
			t.Errorf("%s has numbers alone that are less than 24 px wide: %q", path, narrow)
		}
	}
}
