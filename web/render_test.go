package web_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/assets"
	"housecount/web"
	"housecount/web/live"
)

var update = flag.Bool("update", false, "write the golden files")

func renderer(t testing.TB) *web.Renderer {
	t.Helper()
	return rendererWith(t, web.Sources{Sessions: signedIn})
}

func rendererWith(t testing.TB, sources web.Sources) *web.Renderer {
	t.Helper()
	b, err := assets.Open(fstest.MapFS{
		"manifest.json": {Data: []byte(`{"app.js":"app-1.js","app.css":"app-2.css","wall.css":"wall-5.css","service.js":"service-6.js","inter-latin-opsz-normal.woff2":"inter-3.woff2","inter-wall.woff2":"inter-4.woff2"}`)},
		"inter-3.woff2": {Data: []byte("font")},
		"inter-4.woff2": {Data: []byte("font of walls")},
		"app-1.js":      {Data: []byte("script")},
		"app-2.css":     {Data: []byte("style")},
		"wall-5.css":    {Data: []byte("wall")},
		"service-6.js":  {Data: []byte("worker")},
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := web.New(web.Options{Bundle: b, Venue: "De Schouwburg", Sources: sources})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func content(t testing.TB, r *web.Renderer, q web.Request, s *figures.Snapshot, now time.Time) live.Content {
	t.Helper()
	c, err := r.Content(q, s, now, live.Content{})
	if err != nil {
		t.Fatalf("%s: %v", q.Topic(), err)
	}
	return c
}

func page(t testing.TB, r *web.Renderer, q web.Request, s *figures.Snapshot, now time.Time) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Page(&b, web.Frame{Request: q, Snapshot: s, Now: now, User: "Fatima <b>"}); err != nil {
		t.Fatalf("%s: %v", q.Topic(), err)
	}
	return b.String()
}

// all is everything that a frame of the content carries, in a fixed order.
func all(t testing.TB, c live.Content) string {
	t.Helper()
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(c.HTML)) {
		fmt.Fprintf(&b, "== %s\n%s\n", id, c.HTML[id])
	}
	for _, id := range slices.Sorted(maps.Keys(c.Charts)) {
		var indented bytes.Buffer
		if err := json.Indent(&indented, c.Charts[id], "", " "); err != nil {
			t.Fatalf("chart %s: %v", id, err)
		}
		fmt.Fprintf(&b, "== %s\n%s\n", id, &indented)
	}
	return b.String()
}

// golden compares got with testdata/name.golden, which -update writes first.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("differs from %s (run with -update and look at the difference); got\n%s", file, got)
	}
}

// oneElementALine returns HTML with a line break between two tags that have at most a space
// between them. The HTML must be what joining the lines gives, so that no difference is hidden.
func oneElementALine(t *testing.T, html string) string {
	t.Helper()
	lines := strings.NewReplacer("><", ">\n<", "> <", ">\n <").Replace(html)
	if strings.NewReplacer(">\n<", "><", ">\n <", "> <").Replace(lines) != html {
		t.Fatalf("HTML has a line break of its own between tags:\n%s", html)
	}
	return lines
}

// view is a page with its parameters.
type view struct {
	page   string
	params web.Params
}

func eventView(id string) view { return view{"event", web.Params(url.Values{"event": {id}}.Encode())} }

// eventsView is a search.
func eventsView(values url.Values) view {
	q, err := web.NewRequest("events", values, web.Admin.Access(), web.English)
	if err != nil {
		panic(err)
	}
	return view{"events", q.Params}
}

// hallView is the wall of one hall; of the house where hall is empty.
func hallView(hall string) view {
	if hall == "" {
		return view{page: "wall"}
	}
	return view{"wall", web.Params(url.Values{"hall": {hall}}.Encode())}
}

// revenueView is the days up to the evening, and on.
func revenueView(days int) view {
	from := showTime.AddDate(0, 0, 1-days).Format(time.DateOnly)
	return view{"revenue", web.Params(url.Values{"period": {"custom"}, "from": {from}, "against": {"before"}}.Encode())}
}

// as is the request of a member of staff.
func (v view) as(role web.Role) web.Request {
	return web.Request{Page: v.page, Params: v.params, Access: role.Access(), Locale: web.English}
}

func (v view) seenBy(role web.Role) bool {
	_, err := web.ParseTopic(v.as(role).Topic())
	return err == nil
}

var marketing = view{"marketing", "period=month"}

// views are every page, of a house that has the named event and hall.
func views(event, hall string) []view {
	return []view{{page: "tonight"}, eventsView(nil), eventView(event), revenueView(7), marketing, {page: "reconcile"}, {page: "wall"}, hallView(hall)}
}

// small is a house that fits into a golden file: one performance tonight with a gate, and
// one tomorrow.
func small(t testing.TB) *house {
	t.Helper()
	h := newHouse()
	e := h.event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40, available(12))
	h.sell(e, sale{from: showTime.AddDate(0, 0, -4), to: showTime.Add(-time.Hour), paid: 22, comp: 3, reserved: 3, scans: true,
		in: []gateIn{{"A", 12, at("19:38"), showTime}}})
	next := h.event("evt_b", "Strijkkwartet", "Grote Zaal", "19:30", "20:15", 60, onDay(1))
	h.sell(next, sale{from: showTime.AddDate(0, 0, -10), to: showTime.AddDate(0, 0, -2), paid: 9})
	h.apply(&record.Payment{ID: h.id("pay"), Amount: record.Money{Amount: 2500, Currency: "EUR"},
		Status: record.PaymentPaid, PaidAt: showTime.AddDate(0, 0, -1), UpdatedAt: showTime.AddDate(0, 0, -1)})
	return h
}

func TestGolden(t *testing.T) {
	r, s := renderer(t), small(t).snapshot()
	for _, v := range views("evt_a", "Kleine Zaal") {
		for _, role := range []web.Role{web.Door, web.BoxOffice, web.Manager} {
			if !v.seenBy(role) || v.page == "events" || v.page == "wall" && role != web.Door {
				continue
			}
			name := v.page
			if v == hallView("Kleine Zaal") {
				name += "-hall"
			}
			t.Run(name+"-"+string(role), func(t *testing.T) {
				got := oneElementALine(t, all(t, content(t, r, v.as(role), s, showTime)))
				golden(t, name+"-"+string(role), got)
			})
		}
	}
}

// The page shows exactly the fragments that a frame would carry, each once, and its
// token names them.
func TestPageIsItsFragments(t *testing.T) {
	r := renderer(t)
	for _, s := range []*figures.Snapshot{busy(t).snapshot(), newHouse().snapshot()} {
		for _, v := range append(views("evt_mat", "Grote Zaal"), eventView("evt_unknown")) {
			q := v.as(web.Admin)
			c, p := content(t, r, q, s, showTime), page(t, r, q, s, showTime)
			for id, html := range c.HTML {
				if strings.Count(p, html) != 1 {
					t.Errorf("%s: fragment %s stands %d times in the page, want once", q.Topic(), id, strings.Count(p, html))
				}
				if strings.Count(p, ` id="`+id+`"`) != 1 || !strings.Contains(html[:strings.Index(html, ">")+1], ` id="`+id+`"`) {
					t.Errorf("%s: fragment %s is not one element with that id: %.120s", q.Topic(), id, html)
				}
				if strings.Contains(html, `class="chart"`) {
					t.Errorf("%s: fragment %s holds a chart's element", q.Topic(), id)
				}
			}
			for id := range c.Charts {
				if !strings.Contains(p, `id="`+id+`" role="img"`) || !strings.Contains(p, `data-option-for="`+id+`">{`) {
					t.Errorf("%s: chart %s is not in the page with its option", q.Topic(), id)
				}
			}
			if !strings.Contains(p, `data-token="`+c.Token()+`"`) {
				t.Errorf("%s: the page's token is not that of the content", q.Topic())
			}
			if strings.Contains(p, ` style="`) || strings.Contains(p, "<style") || strings.Contains(p, "ZgotmplZ") {
				t.Errorf("%s: inline style or a value that the template refused", q.Topic())
			}
		}
	}
}

// amounts are what looks like money.
var amounts = regexp.MustCompile(`[€$£¥][\d,.]*\d|\bEUR\b|\bUSD\b`)

func TestDoorSeesNoMoney(t *testing.T) {
	r, s := renderer(t), busy(t).snapshot()
	for _, v := range views("evt_mat", "Grote Zaal") {
		q := v.as(web.Door)
		if !v.seenBy(web.Door) {
			if _, err := r.Content(q, s, showTime, live.Content{}); err == nil {
				t.Error("door gets ", v.page)
			}
			continue
		}
		for _, text := range []string{all(t, content(t, r, q, s, showTime)), page(t, r, q, s, showTime)} {
			if m := amounts.FindString(text); m != "" {
				t.Errorf("%s shows %q", q.Topic(), m)
			}
			for _, word := range []string{"takings", "booked", "revenue", "received", "refund", "payment", "price"} {
				if i := strings.Index(strings.ToLower(text), word); i >= 0 {
					t.Errorf("%s speaks of money: …%s…", q.Topic(), text[max(0, i-40):min(len(text), i+40)])
				}
			}
		}
	}
}

func TestBoxOfficeSeesOnlyToday(t *testing.T) {
	r, s := renderer(t), busy(t).snapshot()
	today := map[string]bool{}
	note := func(days []*figures.DayFigures) {
		for _, d := range days {
			if d.Day == "2026-11-20" {
				for _, m := range d.Of(figures.Booked) {
					today[euros(m.Amount)] = true
				}
			}
		}
	}
	note(s.Days)
	for _, e := range s.Events {
		note(e.SaleDays)
	}
	house := evening.At(s, showTime).House // the rows together, and what was booked elsewhere
	for _, f := range []figures.Flow{house.Here, house.Elsewhere} {
		today[euros(f.Of(figures.Booked).In("EUR"))] = true
	}
	seen := 0
	for _, v := range views("evt_mat", "Grote Zaal") {
		q := v.as(web.BoxOffice)
		if !v.seenBy(web.BoxOffice) {
			if v.page == "tonight" || v.page == "event" || v.page == "events" || v.page == "wall" {
				t.Error("box office may not see ", v.page)
			}
			continue
		}
		for _, text := range []string{all(t, content(t, r, q, s, showTime)), page(t, r, q, s, showTime)} {
			for _, m := range amounts.FindAllString(text, -1) {
				if seen++; !today[m] {
					t.Errorf("%s shows %s, which was not booked today", q.Topic(), m)
				}
			}
		}
	}
	if seen == 0 {
		t.Error("box_office sees no takings at all")
	}
}

// euros writes cents by hand, to have a second opinion.
func euros(cents int64) string {
	s := fmt.Sprintf("%d.%02d", cents/100, cents%100)
	if i := len(s) - 6; i > 0 {
		s = s[:i] + "," + s[i:]
	}
	return "€" + s
}

// They do where nothing is left for an administrator to set.
func TestManagerAndAdminSeeTheSame(t *testing.T) {
	h := busy(t)
	h.apply(&record.Setting{Name: record.SettingVATRate, Value: new(int64(900)), At: showTime, By: "Mia"})
	h.apply(&record.Setting{Name: record.SettingBudget, Of: "EUR", From: "2026-11", Value: new(int64(100_000_00)), At: showTime, By: "Mia"})
	h.apply(&record.Setting{Name: record.SettingBudget, Of: "EUR", From: "2026-10", Value: new(int64(0)), At: showTime, By: "Mia"})
	r, s := renderer(t), h.snapshot()
	for _, v := range views("evt_mat", "Grote Zaal") {
		a := all(t, content(t, r, v.as(web.Manager), s, showTime))
		b := all(t, content(t, r, v.as(web.Admin), s, showTime))
		if a != b {
			t.Errorf("%s differs between manager and admin", v.page)
		}
	}
}

func TestRefusals(t *testing.T) {
	r, s := renderer(t), newHouse().snapshot()
	inFoyer := web.Admin.Access().InHalls("Foyer")
	for _, q := range []web.Request{
		view{page: "tonight"}.as(""),
		view{page: "tonight"}.as("owner"),
		{Page: "tonight", Access: web.Admin.Access()},
		{Page: "tonight", Access: web.Admin.Access(), Locale: "xx"},
		{Page: "tonight", Access: web.Access{Money: "some"}, Locale: web.English},
		revenueView(7).as(web.BoxOffice),
		view{"revenue", "against=before&period=year"}.as(web.Admin),
		view{"revenue", "against=before&from=2026-11-01&period=week"}.as(web.Admin),
		{Page: "revenue", Params: "against=before&period=week", Access: inFoyer, Locale: web.English},
		{Page: "wall", Params: "hall=Grote+Zaal", Access: inFoyer, Locale: web.English},
		view{page: "revenue"}.as(web.Admin), // not in normal form, which names the days
		view{page: "event"}.as(web.Admin),
		view{page: "attic"}.as(web.Admin),
	} {
		var b bytes.Buffer
		if err := r.Page(&b, web.Frame{Request: q, Snapshot: s, Now: showTime}); err == nil || b.Len() > 0 {
			t.Errorf("%+v: error %v, %d bytes; want an error and nothing written", q, err, b.Len())
		}
	}
	if _, err := web.New(web.Options{}); err == nil {
		t.Error("a Renderer without a bundle")
	}
}

// Pages are rendered by many handlers while the hub renders frames.
func TestConcurrentRendering(t *testing.T) {
	r, s := renderer(t), small(t).snapshot()
	var group sync.WaitGroup
	for _, v := range views("evt_a", "Kleine Zaal") {
		q := v.as(web.Admin)
		want := all(t, content(t, r, q, s, showTime))
		for range 4 {
			group.Go(func() {
				c, err := r.Content(q, s, showTime, live.Content{})
				if err != nil || all(t, c) != want {
					t.Errorf("%s: error %v, or another content than alone", q.Topic(), err)
				}
			})
		}
	}
	group.Wait()
}

// Who is refused reads as whom, and what to ask for.
func TestMessageNamesWhoIsRefused(t *testing.T) {
	r := renderer(t)
	for _, test := range []struct {
		m    web.Message
		want string
	}{
		{web.Message{User: "Anna <b>", Role: web.BoxOffice, Needs: web.Manager}, "You are signed in as Anna &lt;b&gt;, with the role Box office. This page needs the role Manager: ask an administrator for it."},
		{web.Message{Role: web.Door, Needs: web.Admin}, "You are signed in with the role Door. This page needs the role Administrator: ask an administrator for it."},
		{web.Message{User: "Anna"}, "You signed in as Anna."},
	} {
		var b strings.Builder
		if err := r.Message(&b, test.m); err != nil {
			t.Fatal(err)
		}
		wants(t, "message", text(b.String()), test.want)
	}
	least := map[string]web.Role{"revenue": web.Manager, "marketing": web.Manager, "reconcile": web.Manager, "sessions": web.Admin, "screens": web.Admin, "settings": web.Admin, "takings": web.BoxOffice, "replay": web.Manager}
	for _, p := range web.Pages() {
		want := cmp.Or(least[p.Name], web.Door)
		if got := p.LeastRole(); got != want {
			t.Errorf("%s needs %q, want %q", p.Name, got, want)
		}
	}
}

func TestMessage(t *testing.T) {
	r := renderer(t)
	var b bytes.Buffer
	if err := r.Message(&b, web.Message{Title: "Gone <i>", Text: "Come back & see.", RequestID: "R-1", SignIn: true, Return: "/wall?hall=Grote Zaal&\"x"}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Gone &lt;i&gt;", "Come back &amp; see.", "R-1", `href="/login?return=%2Fwall%3Fhall%3DGrote+Zaal%26%22x"`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in %s", want, &b)
		}
	}
	if strings.Contains(b.String(), "data-live") {
		t.Error("a message opens a socket")
	}
	b.Reset()
	if err := r.Message(&b, web.Message{Title: "Not found", Text: "x"}); err != nil || strings.Contains(b.String(), "/login") || strings.Contains(b.String(), "request") {
		t.Errorf("error %v, or a plain message offers what was not asked for: %s", err, &b)
	}
}
