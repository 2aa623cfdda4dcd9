package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/page"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/store"
	"housecount/web/words"
)

// watched has every page of a tab note what its line to the server was, and how many sockets it opened.
// Where it is to come back within half a minute it comes at once. The first file that it keeps does not come.
const watched = `if (isSecureContext) { const add = Cache.prototype.add; Cache.prototype.add = () => { Cache.prototype.add = add; return Promise.reject(new TypeError("cut")) } }
	Math.random = () => .02; window.lines = []; window.sockets = 0;
	window.WebSocket = class extends WebSocket { constructor(address) { super(address); window.sockets++ } };
	document.addEventListener("DOMContentLoaded", () => new MutationObserver(() => lines.push(document.documentElement.dataset.socket))
		.observe(document.documentElement, {attributes: true, attributeFilter: ["data-socket"]}))`

// hung returns a screen of the office in a browser of its own, which has been hung while nobody counted.
func (h *testHouse) hung(name string) *tab {
	h.t.Helper()
	tv := newBrowser(h.t).newTab(1280, 720)
	tv.do(command(page.Enable, page.EnableParams{}), command(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: watched}))
	tv.becomes(h, store.Screen{Name: name, Language: "en"})
	tv.await(shows("wall"))
	eval[bool](tv, `window.lines = []; window.sockets = 0; window.neverReloaded = true`)
	return tv
}

// sellsOne sells a ticket for tonight and returns a condition: that a wall says how many are sold then.
func (h *testHouse) sellsOne() string {
	h.t.Helper()
	sold := func(s *figures.Snapshot) int { return evening.At(s, h.demo.service.Now()).House.Sold.Value }
	before := sold(h.demo.program.figures.Snapshot())
	h.sell(h.grote().Event.ID, 1)
	after := h.until("the sale", func(s *figures.Snapshot) bool { return sold(s) > before })
	return connected + ` && document.querySelector("#wall-main").textContent.includes(` + quote(words.Of(words.English).Count(sold(after))+" of") + `)`
}

// A proxy that cuts its sockets again and again, as some do every 30 seconds, is nothing that a screen
// shows: it opens another, says nothing of a lost line, is not loaded again, and misses no sale.
func TestBrowserScreenWhoseSocketsAreCut(t *testing.T) {
	h := newTestHouse(t)
	tv := h.hung("Bar")
	const cuts = 6
	for range cuts {
		h.cable.put(plugged) // which cuts what is there
		tv.await(h.sellsOne())
	}
	if sockets := eval[int](tv, `window.sockets`); sockets != cuts {
		t.Errorf("it opened %d sockets for %d that were cut", sockets, cuts)
	}
	if lines := eval[[]string](tv, `window.lines`); len(lines) > 0 {
		t.Errorf("its line was %q meanwhile", lines)
	}
	if !eval[bool](tv, `window.neverReloaded`) {
		t.Error("it was loaded again")
	}
	tv.keeps("wall-main")
	tv.settles(`(async () => { const kept = await caches.open("screen");
		return (await Promise.all([...document.querySelectorAll("script[src], link[rel=stylesheet]")].map(e => kept.match(e.src || e.href)))).every(Boolean) })()`)
	tv.quiet(withoutServer...)
}

// After the database was restored from a backup a screen that was paired before that goes on without being
// loaded again, with what was sold since; one that was paired since shows a code.
func TestBrowserScreenOfRestoredDatabase(t *testing.T) {
	h := newTestHouse(t)
	database := string(h.demo.settings.Database)
	backup := filepath.Join(t.TempDir(), "backup.db")
	copied := func(from, to string) {
		t.Helper()
		b, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(to, b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	old := h.hung("Bar")
	h.restartAfter(func() { copied(database, backup) })
	young := h.hung("Foyer")
	sold := h.sellsOne()
	for _, tv := range []*tab{old, young} {
		tv.await(sold)
	}
	h.restartAfter(func() {
		copied(backup, database)
		for _, more := range []string{"-wal", "-shm"} {
			if err := os.RemoveAll(database + more); err != nil {
				t.Fatal(err)
			}
		}
	})
	young.await(code + `.length === 6`)
	old.await(sold)
	old.await(h.sellsOne())
	if !eval[bool](old, `window.neverReloaded`) {
		t.Error("the screen that was paired before was loaded again")
	}
	list, err := h.demo.program.store.Screens().List(t.Context())
	if err != nil || len(list) != 1 || list[0].Name != "Bar" {
		t.Errorf("the screens are %+v (%v)", list, err)
	}
	old.quiet(withoutServer...)
}
