package main

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"housecount/web/words"
)

// pass lets pages believe that time has passed, and gives them time to look at their lines.
func pass(d time.Duration, pages map[string]*tab) {
	for _, p := range pages {
		eval[bool](p, fmt.Sprintf(`{ const now = Date.now; Date.now = () => now() + %d;
			window.looked = new Promise(done => setTimeout(() => done(true), 1200)); true }`, d.Milliseconds()))
	}
	for _, p := range pages {
		ctx, cancel := context.WithTimeout(p.ctx, patience)
		defer cancel()
		if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("window.looked", chromedp.EvalAwaitPromise)); err != nil {
			p.t.Fatal(err)
		}
	}
}

// lostText is what a page says of its line, empty while it has not lost it.
const lostText = `(() => { const lost = document.querySelector(".lost"), strip = document.querySelector("#strip");
	return lost.checkVisibility() === strip.checkVisibility() ? "both or neither: " + lost.innerText : lost.checkVisibility() ? lost.innerText.replace(/\s+/g, " ") : "" })()`

func (p *tab) lostText() string {
	p.t.Helper()
	return eval[string](p, lostText)
}

// lostWords finds in what a page says of a lost line since when, and the minutes, if any, and seconds
// that its figures are old.
func (p *tab) lostWords() *regexp.Regexp {
	w := p.words
	since := w.Text("lost.since", words.Text("time", `(\d\d:\d\d:\d\d)`))
	age := func(of string) string { return w.Text("lost.age", words.Text("age", of)) }
	seconds := age(w.Text("lost.seconds", words.Text("s", `(\d+)`)))
	minutes := age(w.Text("lost.minutes", words.Text("min", `(\d+)`), words.Text("s", `(\d+)`)))
	text := "^" + since + " .*" + regexp.QuoteMeta(w.Text("lost.retry")) + ".* (?:" + minutes + "|" + seconds + ")$"
	return regexp.MustCompile(strings.ReplaceAll(text, "\u00a0", " "))
}

// TestBrowserLineLost pulls the cable and stops the server, and reads what three pages say, each in
// another language.
func TestBrowserLineLost(t *testing.T) {
	h := newTestHouse(t)
	b := newBrowser(t)
	tonight, wall, event := b.newTab(1440, 900), b.newTab(1920, 1080), b.newTab(1440, 900)
	tonight.login(h, "manager")
	wall.speak(words.German)
	wall.open(h.url + "/wall")
	event.speak(words.Dutch)
	event.open(h.url + "/events/" + h.grote().Event.ID)
	pages := map[string]*tab{"tonight": tonight, "wall": wall, "event": event}
	for _, p := range pages {
		p.live()
	}
	colour := func(p *tab) string {
		return eval[string](p, `getComputedStyle(document.querySelector(".figures-live")).color`)
	}
	zone := h.demo.program.figures.Snapshot().Calendar.Zone
	live := map[*tab]string{}
	for _, p := range pages {
		live[p] = colour(p)
	}

	for name, state := range map[string]cableState{"cable pulled": pulled, "server stopped": refused} {
		said := h.demo.service.Now() // the last word of a server whose clock stands still
		h.cable.put(state)
		cut := time.Now()
		old := time.Duration(0) // how long ago that is for the pages, and what has passed since it was cut
		for i, step := range []time.Duration{time.Second, 9 * time.Second, 20 * time.Second, 30 * time.Second} {
			old += step
			pass(step, pages)
			for page, p := range pages {
				early := i == 0 && state == pulled
				if !early {
					p.await(`document.documentElement.dataset.socket === "lost"`)
				}
				got := p.lostText()
				if early { // the last word may be 4 s older, and after 9 s the line is lost
					if (got != "" || colour(p) != live[p]) && time.Since(cut) < 4*time.Second-old {
						t.Errorf("%s: after %s, %s says %q", name, old, page, got)
					}
					continue
				}
				m := p.lostWords().FindStringSubmatch(got)
				if m == nil {
					t.Errorf("%s: after %s, %s says %q", name, old, page, got)
					continue
				}
				since, err := time.ParseInLocation("2006-01-02 15:04:05", said.In(zone).Format("2006-01-02 ")+m[1], zone)
				if err != nil || since.Sub(said).Abs() > 10*time.Second {
					t.Errorf("%s: after %s, %s is not connected since %s, want %s", name, old, page, m[1], said)
				}
				minutes, _ := strconv.Atoi(m[2])
				seconds, _ := strconv.Atoi(m[3] + m[4])
				if age := time.Duration(minutes*60+seconds) * time.Second; age < old || age > old+time.Since(cut)+10*time.Second {
					t.Errorf("%s: after %s, the figures on %s are %s old", name, old, page, age)
				}
				if colour(p) == live[p] {
					t.Errorf("%s: after %s, the figures on %s are not grey", name, old, page)
				}
			}
		}
		// A minute has passed on the pages, and their clocks have gone on.
		for page, p := range pages {
			shown, now := eval[string](p, `document.querySelector("#clock").textContent`), said.Add(time.Minute).In(zone)
			if late := now.Add(time.Since(cut) + 10*time.Second); shown < now.Format("15:04") || shown > late.Format("15:04") {
				t.Errorf("%s: the clock of %s shows %s, want %s to %s", name, page, shown, now.Format("15:04"), late.Format("15:04"))
			}
		}
		for part, want := range map[string]float64{"p > b": .075, ".age b": .04} { // since when, and how old the figures are
			if size := eval[float64](wall, `parseFloat(getComputedStyle(document.querySelector(".lost `+part+`")).fontSize) / innerHeight`); size < want {
				t.Errorf("%s: the letters of .lost %s take %.3f of the wall's height, want %g", name, part, size, want)
			}
		}
		wall.shoot("wall, " + name)
		tonight.shoot("tonight, " + name)

		h.cable.put(plugged)
		for page, p := range pages {
			t.Logf("%s: %s was back after %s", name, page, p.await(`document.documentElement.dataset.socket === "open"`).Round(time.Millisecond))
			if got := p.lostText(); got != "" || colour(p) != live[p] {
				t.Errorf("%s: back again, %s says %q", name, page, got)
			}
		}
		sold := h.grote().Sold.Value
		h.sell(h.grote().Event.ID, 1)
		tonight.text(fmt.Sprint(sold + 1))
	}
}

// TestBrowserOffline has the browser itself notice that it has no network, which pages say at
// once and take back as soon as they hear anything.
func TestBrowserOffline(t *testing.T) {
	h := newTestHouse(t)
	b := newBrowser(t)
	p := b.newTab(1440, 900)
	p.login(h, "manager")
	if got := eval[string](p, `{ const real = Intl.DateTimeFormat; Intl.DateTimeFormat = function() { throw new RangeError("no such zone") };
		window.dispatchEvent(new Event("offline")); Intl.DateTimeFormat = real; document.documentElement.dataset.socket }`); got != "lost" {
		t.Errorf("where a browser does not know the zone, a page without a network is %s", got)
	}
	// In one step: the next word takes it back.
	got := eval[[]string](p, `window.dispatchEvent(new Event("offline")), [document.documentElement.dataset.socket, `+lostText+`]`)
	if got[0] != "lost" || !p.lostWords().MatchString(got[1]) {
		t.Errorf("a page without a network is %s and says %q", got[0], got[1])
	}
	p.live()
	if got := p.lostText(); got != "" {
		t.Errorf("with a word from the server it says %q", got)
	}
	p.quiet("no such zone")
}

// TestBrowserMessageOfBefore has a page come back with a message above it that no longer holds: what
// its new socket does not say again goes with the first word.
func TestBrowserMessageOfBefore(t *testing.T) {
	h := newTestHouse(t)
	b := newBrowser(t)
	p := b.newTab(1440, 900)
	p.login(h, "manager")
	p.live()
	eval[bool](p, `document.body.insertAdjacentHTML("afterbegin", '<p id="message" role="alert">Cannot be shown</p>'); true`)
	h.cable.put(refused)
	p.await(`document.documentElement.dataset.socket !== "open"`)
	if !eval[bool](p, `document.getElementById("message") !== null`) {
		t.Error("without a word of the server the message is gone")
	}
	h.cable.put(plugged)
	p.await(`document.documentElement.dataset.socket === "open"`)
	p.await(`document.getElementById("message") === null`)
}
