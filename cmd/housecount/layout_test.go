package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
	"housecount/web/programme"
	"housecount/web/wall"
)

// brokenWords lists the words of a page that begin on one line and end on another.
const brokenWords = `(() => {
	const broken = [], range = document.createRange();
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let text; text = texts.nextNode();) {
		if (!text.parentElement.checkVisibility() || text.parentElement.closest("script, .sr, .why")) continue;
		for (const word of text.data.matchAll(/[^\s\-/–·]+/g)) {
			range.setStart(text, word.index);
			range.setEnd(text, word.index + word[0].length);
			const lines = [...range.getClientRects()].filter(r => r.width > 0);
			if (lines.some(r => r.top > (lines[0].top + lines[0].bottom) / 2)) broken.push(word[0]);
		}
	}
	return broken;
})()`

// hallCutBesideWords reports whether a board cuts the name of a hall where two words stand beside it; it puts both back.
const hallCutBesideWords = `(() => {
	const row = [...document.querySelectorAll(".rows li")].find(e => e.querySelector(".hall") && e.querySelector(".word"));
	const hall = row.querySelector(".hall"), word = row.querySelector(".word"), were = [hall.textContent, word.innerHTML];
	hall.textContent = "Kleine Zaal";
	word.textContent = "doors open, last places";
	const cut = hall.scrollWidth > hall.clientWidth;
	[hall.textContent, word.innerHTML] = were;
	return cut;
})()`

// TestBrowserEveryWidthFits opens every page on narrow screens, and on the narrowest and the widest
// of them in every language: nothing is cut at the side, and no word is broken.
func TestBrowserEveryWidthFits(t *testing.T) {
	h := newTestHouse(t)
	b := newBrowser(t)
	h.demo.service.Advance(20 * time.Minute)
	e := h.grote()
	var far struct {
		ID string `json:"event_id"`
	}
	h.control("event", map[string]any{"title": "Een avond met muziek van Beethoven, Mahler en Bartók door het Orkest van de Vecht", "hall": "Grote Zaal", "capacity": 1480,
		"starts_at": time.Date(2027, 1, 13, 19, 30, 0, 0, time.UTC), "price": map[string]any{"amount": 4500, "currency": "EUR"}}, &far)
	h.sell(far.ID, 1320)
	h.until("the far performance", func(s *figures.Snapshot) bool { e := s.Event(far.ID); return e != nil && e.Sold.Value == 1320 })
	at := e.Event.StartsAt.AddDate(0, 0, -9)
	if _, err := h.demo.program.records.Enter(t.Context(), at, &record.Setting{Name: record.SettingLicensed, Of: "Grote Zaal", Value: new(int64(900)), At: at, By: "Mia"}); err != nil {
		t.Fatal(err)
	}
	first := b.newTab(1440, 900)
	first.login(h, "manager")
	for _, screen := range []struct {
		width    int64
		language string
	}{{320, "en"}, {390, "en"}, {768, "en"}, {1024, "en"}, {1100, "en"}, {1440, "en"}, {320, "nl"}, {1024, "nl"}, {1100, "nl"}, {1440, "nl"}, {320, "de"}, {1024, "de"}, {1100, "de"}, {1440, "de"}} {
		width := screen.width
		p := b.newTab(width, 800)
		p.open(h.url + "/signed-out")
		eval[bool](p, `(document.cookie = "language=`+screen.language+`", true)`)
		for _, path := range []string{"/tonight", "/events", "/events/" + e.Event.ID, "/events/" + e.Event.ID + "?part=all", "/revenue?period=month"} {
			p.open(h.url + path)
			p.live()
			name := fmt.Sprintf("%s at %d in %s", path, width, screen.language)
			if got := eval[string](p, "document.documentElement.lang"); got != screen.language {
				t.Errorf("%s is in %s", name, got)
			}
			if wide := eval[float64](p, "document.documentElement.scrollWidth - innerWidth"); wide > 0 {
				t.Errorf("%s is %.0f pixels wider than the screen", name, wide)
			}
			if path == "/events" && !eval[bool](p, `document.querySelector(".found td.back:not(:empty)") !== null`) {
				t.Errorf("%s has no amount to pay back", name)
			}
			if path == "/events" && !eval[bool](p, `[...document.querySelectorAll(".found .status")].some(s => /sell no more|niets meer verkopen|nichts mehr verkaufen/.test(s.textContent))`) {
				t.Errorf("%s has no performance with more sold than are allowed", name)
			}
			if words := eval[[]string](p, brokenWords); len(words) > 0 {
				t.Errorf("%s breaks the words %q", name, words)
			}
			cut := eval[[]string](p, `[...document.querySelectorAll("h1, h2 a, .coming a, tbody th a")].filter(e => e.scrollWidth > e.clientWidth + 1 && e.clientWidth || e.scrollHeight > e.clientHeight + 4 && e.clientHeight).map(e => e.textContent)`)
			if len(cut) > 0 {
				t.Errorf("%s cuts the titles %q", name, cut)
			}
			if path == "/tonight" && eval[bool](p, `(e => {
				e.innerHTML = "<details open><div class=scroll><table><thead class=sr><tr><th>What</th></tr></thead><tbody><tr><th>refunded more than was paid</th><td>payment pay_0123456789abcdefghijklmnopqrstuvwxyz</td><td>How many 12</td><td>refunded more than was paid, by €1,234.50</td></tr></tbody></table></div></details>";
				return e.scrollWidth > e.clientWidth || e.querySelector(".scroll").scrollWidth > e.querySelector(".scroll").clientWidth;
			})(document.querySelector("#findings"))`) {
				t.Errorf("%s cuts what is to be checked", name)
			}
			if path == "/revenue?period=month" && width < 768 {
				if eval[bool](p, `[...document.querySelectorAll(".ranking .scroll")].some(e => e.scrollWidth > e.clientWidth)`) {
					t.Errorf("%s hides columns beside the screen", name)
				}
			}
		}
	}
}

// TestBrowserWallHasRoomForItsNote looks at a hall's wall while its show is oversold and ought to be held.
func TestBrowserWallHasRoomForItsNote(t *testing.T) {
	h := newTestHouse(t)
	b := newBrowser(t)
	b.newTab(1440, 900).login(h, "manager")
	h.demo.service.Advance(30 * time.Minute)
	h.sell(h.grote().Event.ID, 60)
	h.demo.service.Advance(3 * time.Minute)
	for _, size := range [][2]int64{{1920, 1080}, {1080, 1920}, {390, 844}} {
		p := b.newTab(size[0], size[1])
		p.open(h.url + "/wall?hall=Grote+Zaal")
		p.await(`document.querySelector(".last") && document.querySelector("#wall-note p")`)
		p.noteHasRoom(fmt.Sprintf("at %d by %d", size[0], size[1]))
		if got, want := eval[string](p, `(e => { e.style.setProperty("--drift", "2px, 2px"); return e.scrollWidth + " by " + e.scrollHeight })(document.documentElement)`), fmt.Sprintf("%d by %d", size[0], size[1]); got != want {
			t.Errorf("what drifts by 2 px makes a page of %s on a screen of %s", got, want)
		}
	}
	h.stopSandbox()
	for _, size := range [][2]int64{{1920, 1080}, {1080, 1920}} {
		p := b.newTab(size[0], size[1])
		p.open(h.url + "/wall")
		p.await(`document.querySelector("#wall-note p") && document.querySelector("#strip").dataset.light === "red"`)
		p.noteHasRoom(fmt.Sprintf("with old figures at %d by %d", size[0], size[1]))
	}
}

// noteHasRoom fails the test where the figures of a wall reach into its note, or that is cut.
func (p *tab) noteHasRoom(name string) {
	p.t.Helper()
	if lap := eval[float64](p, `Math.max(...[...document.querySelectorAll("#wall-main p, #wall-main svg")].map(e => e.getBoundingClientRect().bottom)) - document.querySelector("#wall-note p").getBoundingClientRect().top`); lap > 0 {
		p.t.Errorf("%s the figures reach %.0f pixels into the note", name, lap)
	}
	if eval[bool](p, `(e => e.scrollHeight > e.clientHeight + 2)(document.querySelector("#wall-note p"))`) {
		p.t.Errorf("%s the note is cut", name)
	}
}

// TestBrowserPhoneFoldsWhatIsLong opens pages on a phone: the head is two lines, there and on a
// tablet, and what is folded away unfolds, is there on a desk and is printed.
func TestBrowserPhoneFoldsWhatIsLong(t *testing.T) {
	h := newTestHouse(t)
	b := newBrowser(t)
	desk := b.newTab(1440, 900)
	desk.login(h, "manager")
	p := b.newTab(390, 800)
	look := func(on *tab, path string) {
		on.open(h.url + path)
		on.live()
	}
	is := func(on *tab, what, condition string) {
		t.Helper()
		if !eval[bool](on, condition) {
			t.Errorf("%s, %s", eval[string](on, "location.pathname + ' at ' + innerWidth"), what)
		}
	}
	inLine := `((...elements) => new Set(elements.map(e => Math.round((e.getBoundingClientRect().top + e.getBoundingClientRect().bottom) / 16))).size === 1)`
	nav, rest := `...document.querySelectorAll("nav a")`, `...document.querySelectorAll(".mark, .who button, .clock")`
	look(p, "/tonight")
	is(p, "the name, Sign out and the clock are in one line", inLine+`(`+rest+`)`)
	is(p, "the menu is one line", inLine+`(`+nav+`)`)
	tablet := b.newTab(768, 900)
	look(tablet, "/tonight")
	is(tablet, "the name, Sign out and the clock are in one line", inLine+`(`+rest+`)`)
	is(tablet, "the menu is one line, and none of it is cut off", inLine+`(`+nav+`) && [...document.querySelectorAll("nav a")].every(a => a.getBoundingClientRect().right <= innerWidth && a.closest("nav").scrollWidth <= a.closest("nav").clientWidth)`)

	look(desk, "/tonight")
	eval[bool](desk, `document.querySelector("main a.f").click(), true`)
	desk.await(`document.querySelector("#panel h1")`)
	is(desk, "beside an explanation the head is one line", inLine+`(`+nav+`, `+rest+`)`)
	is(desk, "the columns have room", `[...document.querySelectorAll(".show .taken, .show .title")].every(e => e.clientWidth > 220)`)
	look(desk, "/explain/free")
	is(desk, "the page is as wide as others", `document.querySelector("main").clientWidth > 1200`)

	const filter, unfold = `document.querySelector("[name=hall]").checkVisibility()`, `document.querySelector(".finder summary")`
	look(p, "/events")
	is(p, "the filters are folded", `!`+filter)
	eval[bool](p, unfold+`.click(), true`)
	is(p, "they unfold", filter)
	is(p, "none of them is cut", `[...document.querySelectorAll(".finder label")].every(l => l.checkVisibility() && l.getBoundingClientRect().left >= 0 && l.getBoundingClientRect().right <= innerWidth)`)
	look(desk, "/events")
	is(desk, "there is no need to unfold them", filter+` && !`+unfold+`.checkVisibility()`)

	const rows = `[...document.querySelectorAll("#events-1 tbody tr")]`
	look(p, "/revenue?period=season")
	const five = rows + `.filter(r => r.checkVisibility({contentVisibilityAuto: true}) && r.querySelector("a")).length === 5 && ` + rows + `.length > 20`
	is(p, "five performances are shown of many", five)
	const spare = `[...document.querySelectorAll("#events-1 tbody .spare")].some(c => c.checkVisibility())`
	is(p, "fees and refunds are folded", `!`+spare)
	eval[bool](p, `document.querySelector("#events-1 .spared > summary").click(), true`)
	is(p, "fees and refunds unfold", spare)
	eval[bool](p, `document.querySelector("#events-1 .spared > summary").click(), true`)
	p.do(command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}))
	is(p, "five are printed, and the others as a line", five+` && document.querySelector("#events-1 details:not(.spared) > summary").checkVisibility()`)
	p.do(command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{}))
	eval[bool](p, `document.querySelector("#events-1 details:not(.spared) > summary").click(), true`)
	is(p, "they unfold", rows+`.every(r => r.checkVisibility())`)
	p.do(command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}))
	is(p, "all are printed then", rows+`.every(r => r.checkVisibility())`)
	p.do(command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{}))
	look(desk, "/revenue?period=season")
	eval[bool](desk, `document.querySelector("#events-1 details:not(.spared) > summary").click(), true`)
	for _, on := range []*tab{p, desk} {
		is(on, "the columns are in line", `[1, 2, 3].every(i => new Set(`+rows+`.map(r => Math.round(r.cells[i].getBoundingClientRect().right))).size === 1)`)
	}
	for _, on := range []*tab{p, desk, tablet} {
		on.quiet()
	}
	p.open(h.url + "/nowhere")
	is(p, "the head is on top", `document.querySelector("header").getBoundingClientRect().top === 0`)
}

// TestBrowserNothingMoves loads pages with nothing stored and letters that come late, and sums by
// how much what is there moves.
func TestBrowserNothingMoves(t *testing.T) {
	h := newTestHouse(t)
	b := newBrowser(t)
	e := h.grote()
	b.newTab(1440, 900).login(h, "manager")
	for _, width := range []int64{390, 1440} {
		for _, path := range []string{"/tonight", "/events/" + e.Event.ID, "/revenue?period=week", "/revenue?period=month", "/marketing", "/wall"} {
			// A page moves each time that it loads; a push that came meanwhile does so once.
			moved := movement(t, b, h.url+path, width)
			for tries := 1; moved.Sum >= .01 && tries < 3; tries++ {
				moved = movement(t, b, h.url+path, width)
			}
			t.Logf("%s at %d moves by %.3f", path, width, moved.Sum)
			if moved.Sum >= .01 {
				t.Errorf("%s at %d moves by %.3f while it loads, want less than 0.01:\n%s", path, width, moved.Sum, strings.Join(moved.What, "\n"))
			}
		}
	}
}

// layoutShift is by how much a page moved, as the browser reckons it, and what in it.
type layoutShift struct {
	Sum  float64  `json:"sum"`
	What []string `json:"what"`
}

// movement loads a page in a new tab without a cache and with letters that come late.
func movement(t *testing.T, b *browser, url string, width int64) layoutShift {
	t.Helper()
	p := b.newTab(width, 900)
	p.do(command(network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true}),
		command(network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
			MatchedNetworkConditions: []*network.Conditions{{URLPattern: "*://*:*/*.woff2", Latency: 500, DownloadThroughput: -1, UploadThroughput: -1}}}))
	p.open(url)
	p.live()
	m, err := chromedp.Run(p.ctx, chromedp.Evaluate[layoutShift](`(async () => {
		let sum = 0;
		const what = [];
		const where = r => r.x + "," + r.y + " " + r.width + "×" + r.height;
		const add = list => { for (const e of list) if (!e.hadRecentInput) {
			sum += e.value;
			for (const s of e.sources) what.push(Math.round(e.startTime) + " ms: " + (s.node?.id || s.node?.className || s.node?.nodeName) + " from " + where(s.previousRect) + " to " + where(s.currentRect));
		} };
		const watch = new PerformanceObserver(list => add(list.getEntries()));
		watch.observe({type: "layout-shift", buffered: true});
		await document.fonts.load("16px " + getComputedStyle(document.body).fontFamily.split(",")[0]);
		await document.fonts.ready;
		for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
		await new Promise(done => setTimeout(done));
		add(watch.takeRecords());
		return {sum, what};
	})()`, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestBrowserStandInsAreAsWideAsInter measures a page's words in Inter and in what stands in
// for it until it has come, at the sizes of text, of bold text and of titles.
func TestBrowserStandInsAreAsWideAsInter(t *testing.T) {
	h := newTestHouse(t)
	p := newBrowser(t).newTab(1440, 900)
	p.login(h, "manager")
	for _, font := range []string{"400 17px", "620 17px", "690 32px"} {
		ratio, err := chromedp.Run(p.ctx, chromedp.Evaluate[float64](fmt.Sprintf(`(async () => {
			const measure = async family => {
				await document.fonts.load("%[1]s " + family).catch(() => {}); // one of the stand-ins is not here
				const words = document.createElement("span");
				words.style.cssText = "position: absolute; white-space: nowrap; font: %[1]s " + family;
				words.textContent = "1,217 of 1,480 places sold in three halls, 82.2 %%. Beethoven: Negende symfonie, Amstelfilharmonie, Grote Zaal, doors since 19:30";
				document.body.append(words);
				const width = words.getBoundingClientRect().width;
				words.remove();
				return width;
			};
			return await measure("'As Inter 1', 'As Inter 2', 'As Inter 3'") / await measure("'Inter Variable'");
		})()`, font), chromedp.EvalAwaitPromise))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %.3f of the width of Inter", font, ratio)
		if ratio < .98 || ratio > 1.02 {
			t.Errorf("%s: what stands in for Inter is %.3f as wide, want 0.98 to 1.02", font, ratio)
		}
	}
}

// TestBrowserChartsComeWhenSeen loads the script of the charts only where one is in view, and
// then draws what has come meanwhile.
func TestBrowserChartsComeWhenSeen(t *testing.T) {
	h := newTestHouse(t)
	b := newBrowser(t)
	e := h.grote()
	p := b.newTab(390, 700)
	p.login(h, "manager")
	loaded := `performance.getEntriesByType("resource").some(r => r.name.includes("/charts-"))`
	if eval[bool](p, loaded) {
		t.Error("Tonight has no chart and loads their script")
	}
	p.open(h.url + "/events/" + e.Event.ID + "?part=all")
	p.live()
	sold := e.Sold.Value + 2
	h.sell(e.Event.ID, 2)
	p.text(fmt.Sprint(sold))
	if eval[bool](p, loaded) {
		t.Error("the script of the charts was loaded before one was in view")
	}
	if option := eval[string](p, `document.querySelector("script[data-option-for=chart-sales]").textContent`); !strings.Contains(option, fmt.Sprint(sold)) {
		t.Errorf("the option that waits for its chart lacks the %d sold: %s", sold, option)
	}
	eval[bool](p, `document.querySelector("#chart-sales").scrollIntoView(), true`)
	p.await(`document.querySelector("#chart-sales canvas")?.checkVisibility({visibilityProperty: true})`)
	p.quiet()
	v := evening.At(h.demo.program.figures.Snapshot(), h.demo.service.Now())
	rushing := slices.IndexFunc(v.Shows, func(s *evening.Show) bool { return !v.Arrivals(s).RushFrom.IsZero() && s.Phase == evening.Arriving })
	if rushing < 0 {
		t.Fatal("no rush is named tonight")
	}
	for width, short := range map[int64]string{390: "rush", 1440: ""} {
		on := b.newTab(width, 900)
		on.open(h.url + "/events/" + v.Shows[rushing].Event.ID)
		eval[bool](on, `document.querySelector("#chart-arrived").scrollIntoView(), true`)
		on.await(`document.querySelector("#chart-arrived[data-short]")`)
		if got := eval[string](on, `document.querySelector("#chart-arrived").dataset.short`); got != short {
			t.Errorf("at %d the rush is %q in short, want %q", width, got, short)
		}
		// On a phone walk-ins are counted under the gates, and while the doors are open money is folded everywhere.
		want := map[int64]string{390: "gate-cards walk-ins free lines, folded", 1440: "free lines gate-cards walk-ins, folded"}[width]
		if got := eval[string](on, `["free", "lines", "gate-cards", "walk-ins"].map(id => document.getElementById(id)).sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top).map(e => e.id).join(" ") +
			(document.querySelector("#lines dd").checkVisibility({contentVisibilityAuto: true}) ? ", open" : document.querySelector("#lines summary h2").checkVisibility() ? ", folded" : ", nothing")`); got != want {
			t.Errorf("at %d the parts stand %q, want %q", width, got, want)
		}
	}
}

// cutOrOver lists the names on a screen of which something is cut, and the parts of a picture that reach
// into the next.
const cutOrOver = `(() => {
	const wrong = [...document.querySelectorAll("main h1, main .name, #wall-next b, #wall-top p, .hall")]
		.filter(e => e.clientHeight && (e.scrollHeight > e.clientHeight + 6 || e.scrollWidth > e.clientWidth + 1)).map(e => "cut: " + e.textContent);
	const boxes = [...document.querySelectorAll("main header, .rows li, .first > *, .second > *, .ahead > *, #wall-note p, #wall-next > *, .says > *, .two > *, .gates")]
		.filter(e => e.checkVisibility() && e.textContent.trim()).map(e => {
			const range = document.createRange();
			range.selectNodeContents(e);
			return [e, e.matches(".huge, .big, .gates, .two > *") ? e.getBoundingClientRect() : range.getBoundingClientRect()];
		});
	for (const [a, ra] of boxes) {
		if (ra.bottom > innerHeight || ra.right > innerWidth + 1) wrong.push("outside: " + a.textContent);
		for (const [b, rb] of boxes) {
			const over = Math.min(ra.bottom, rb.bottom) - Math.max(ra.top, rb.top), beside = Math.min(ra.right, rb.right) - Math.max(ra.left, rb.left);
			if (a.compareDocumentPosition(b) === Node.DOCUMENT_POSITION_FOLLOWING && over > 8 && beside > 8) wrong.push("over each other: " + a.textContent + " and " + b.textContent);
		}
	}
	return wrong;
})()`

// TestBrowserScreensHaveRoomForTitles has performances with long titles, and one that is a single word, on
// every view of a screen in both orientations: none is cut that there is room for, and nothing stands over
// anything else.
func TestBrowserScreensHaveRoomForTitles(t *testing.T) {
	h := newTestHouse(t)
	h.demo.service.Advance(10 * time.Minute)
	e := h.grote()
	saved, err := h.demo.program.store.Programmes().Save(t.Context(), store.Programme{Name: "Bar", Document: `{"views":[{"page":"board","seconds":60}]}`}, store.Act{})
	if err != nil {
		t.Fatal(err)
	}
	tv := newBrowser(t).newTab(1920, 1080)
	tv.becomes(h, store.Screen{Name: "Bar", Language: "en", Programme: saved.ID})
	const sentence = "Een avond met muziek van Beethoven, Mahler en Bartók door het Orkest van de Vecht, met een nagesprek in de foyer en een glas van het huis, en dan"
	for name, title := range map[string]string{"60 letters": sentence[:60], "90 letters": sentence[:90], "140 letters": sentence[:141], "one word": "Donaudampfschifffahrtsgesellschaftskapitän"} {
		for _, e := range h.demo.program.figures.Snapshot().Events {
			if !e.Event.StartsAt.Before(h.demo.service.Now().Add(-2 * time.Hour)) {
				h.control("rename", map[string]any{"event_id": e.Event.ID, "title": title}, nil)
			}
		}
		h.until("the new title", func(s *figures.Snapshot) bool {
			n := 0
			for _, e := range s.Events {
				if e.Event.Title == title {
					n++
				}
			}
			return n > 8
		})
		for _, view := range []string{`"page":"wall"`, `"page":"wall","hall":"Grote Zaal"`, `"page":"arrivals","hall":"Grote Zaal"`, `"page":"arrivals","hall":"Foyer"`, `"page":"performance","event":"` + e.Event.ID + `"`,
			`"page":"board"`, `"page":"week"`, `"page":"next"`, `"page":"places"`, `"page":"message","text":"` + title + `"`} {
			saved.Document = `{"views":[{` + view + `,"seconds":60}]}`
			if saved, err = h.demo.program.store.Programmes().Save(t.Context(), saved, store.Act{}); err != nil {
				t.Fatal(err)
			}
			p, err := programme.Parse([]byte(saved.Document), wall.ScreenPages())
			if err != nil {
				t.Fatal(err)
			}
			of := p.Views[0]
			tv.await(shows(of.Page) + ` && document.querySelector("main").textContent.includes(` + quote(title) + `) &&
				(q => (q.get("hall") ?? "") === ` + quote(of.Hall) + ` && (q.get("text") ?? "") === ` + quote(of.Text) + `)(new URLSearchParams(document.body.dataset.topic.split("?")[1]))`)
			for _, size := range [][2]int64{{1920, 1080}, {1080, 1920}} {
				tv.do(command(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: size[0], Height: size[1], DeviceScaleFactor: 1}))
				tv.await(fmt.Sprintf(`innerWidth === %d`, size[0]))
				wrong := eval[[]string](tv, cutOrOver)
				if of.Page == "board" && name == "one word" && eval[bool](tv, hallCutBesideWords) {
					t.Errorf("%d by %d: a hall's name is cut beside two words", size[0], size[1])
				}
				if name == "140 letters" && slices.Contains([]string{"wall", "week", "places"}, of.Page) { // which list others, too
					wrong = slices.DeleteFunc(wrong, func(w string) bool { return strings.HasPrefix(w, "cut: ") })
				}
				if len(wrong) > 0 {
					t.Errorf("%s, %s at %d by %d: %d: %q", name, view, size[0], size[1], len(wrong), wrong[:min(3, len(wrong))])
				}
				tv.shoot(fmt.Sprintf("%s-%s-%d", strings.NewReplacer(" ", "", `"`, "", ":", "-", ",", "-").Replace(name+view), of.Page, size[0]))
			}
		}
	}
}
