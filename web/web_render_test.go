package web_test

import (
	"bytes"
	"cmp"
	"strings"
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/live"
	"housecount/web/webtest"
)

// ownViews returns the pages of web itself, of the small house.
func ownViews(t testing.TB) []webtest.View {
	return []webtest.View{{Page: "tonight"}, webtest.EventsView(t, nil), webtest.EventView("evt_a")}
}

func TestGolden(t *testing.T) { webtest.GoldenRoles(t, ownViews(t)...) }

// The page shows exactly the fragments that a frame would carry, each once, and its
// token names them.
func TestPageIsItsFragments(t *testing.T) {
	r := webtest.Renderer(t)
	ofAnyHouse := func(p *web.Page) bool { return p.Name != "replay" && p.Name != web.ExplainPage } // which one without performances lacks
	for _, s := range []*figures.Snapshot{webtest.Busy(t).Snapshot(), webtest.NewHouse().Snapshot()} {
		for _, v := range append(webtest.Views(t, "evt_mat", "Grote Zaal", ofAnyHouse), webtest.EventView("evt_unknown")) {
			q := v.As(web.Admin)
			c, p := webtest.Content(t, r, q, s, webtest.ShowTime), webtest.Page(t, r, q, s, webtest.ShowTime)
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

func TestDoorSeesNoMoney(t *testing.T) {
	r, s := webtest.Renderer(t), webtest.Busy(t).Snapshot()
	for _, v := range webtest.Views(t, "evt_mat", "Grote Zaal") {
		q := v.As(web.Door)
		if !v.SeenBy(web.Door) {
			if _, err := r.Content(q, s, webtest.ShowTime, live.Content{}); err == nil {
				t.Error("door gets ", v.Page)
			}
			continue
		}
		for _, text := range []string{webtest.All(t, webtest.Content(t, r, q, s, webtest.ShowTime)), webtest.Page(t, r, q, s, webtest.ShowTime)} {
			if m := webtest.Amounts.FindString(text); m != "" {
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
	r, s := webtest.Renderer(t), webtest.Busy(t).Snapshot()
	today := map[string]bool{}
	note := func(days []*figures.DayFigures) {
		for _, d := range days {
			if d.Day == "2026-11-20" {
				for _, m := range d.Of(figures.Booked) {
					today[webtest.Euros(m.Amount)] = true
				}
			}
		}
	}
	note(s.Days)
	for _, e := range s.Events {
		note(e.SaleDays)
	}
	house := evening.At(s, webtest.ShowTime).House // the rows together, and what was booked elsewhere
	for _, f := range []figures.Flow{house.Here, house.Elsewhere} {
		today[webtest.Euros(f.Of(figures.Booked).In("EUR"))] = true
	}
	seen := 0
	for _, v := range webtest.Views(t, "evt_mat", "Grote Zaal") {
		q := v.As(web.BoxOffice)
		if !v.SeenBy(web.BoxOffice) {
			if v.Page == "tonight" || v.Page == "event" || v.Page == "events" || v.Page == "wall" {
				t.Error("box office may not see ", v.Page)
			}
			continue
		}
		for _, text := range []string{webtest.All(t, webtest.Content(t, r, q, s, webtest.ShowTime)), webtest.Page(t, r, q, s, webtest.ShowTime)} {
			for _, m := range webtest.Amounts.FindAllString(text, -1) {
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

// They do where nothing is left for an administrator to set.
func TestManagerAndAdminSeeTheSame(t *testing.T) {
	h := webtest.Busy(t)
	h.Apply(&record.Setting{Name: record.SettingVATRate, Value: new(int64(900)), At: webtest.ShowTime, By: "Mia"})
	h.Apply(&record.Setting{Name: record.SettingBudget, Of: "EUR", From: "2026-11", Value: new(int64(100_000_00)), At: webtest.ShowTime, By: "Mia"})
	h.Apply(&record.Setting{Name: record.SettingBudget, Of: "EUR", From: "2026-10", Value: new(int64(0)), At: webtest.ShowTime, By: "Mia"})
	r, s := webtest.Renderer(t), h.Snapshot()
	for _, v := range webtest.Views(t, "evt_mat", "Grote Zaal", webtest.SeenBy(web.Manager)) {
		a := webtest.All(t, webtest.Content(t, r, v.As(web.Manager), s, webtest.ShowTime))
		b := webtest.All(t, webtest.Content(t, r, v.As(web.Admin), s, webtest.ShowTime))
		if a != b {
			t.Errorf("%s differs between manager and admin", v.Page)
		}
	}
}

func TestRefusals(t *testing.T) {
	r, s := webtest.Renderer(t), webtest.NewHouse().Snapshot()
	inFoyer := web.Admin.Access().InHalls("Foyer")
	for _, q := range []web.Request{
		webtest.View{Page: "tonight"}.As(""),
		webtest.View{Page: "tonight"}.As("owner"),
		{Page: "tonight", Access: web.Admin.Access()},
		{Page: "tonight", Access: web.Admin.Access(), Locale: "xx"},
		{Page: "tonight", Access: web.Access{Money: "some"}, Locale: web.English},
		webtest.RevenueView(7).As(web.BoxOffice),
		webtest.View{Page: "revenue", Params: "against=before&period=year"}.As(web.Admin),
		webtest.View{Page: "revenue", Params: "against=before&from=2026-11-01&period=week"}.As(web.Admin),
		{Page: "revenue", Params: "against=before&period=week", Access: inFoyer, Locale: web.English},
		{Page: "wall", Params: "hall=Grote+Zaal", Access: inFoyer, Locale: web.English},
		webtest.View{Page: "revenue"}.As(web.Admin), // not in normal form, which names the days
		webtest.View{Page: "event"}.As(web.Admin),
		webtest.View{Page: "attic"}.As(web.Admin),
	} {
		var b bytes.Buffer
		if err := r.Page(&b, web.Frame{Request: q, Snapshot: s, Now: webtest.ShowTime}); err == nil || b.Len() > 0 {
			t.Errorf("%+v: error %v, %d bytes; want an error and nothing written", q, err, b.Len())
		}
	}
	if _, err := web.New(web.Options{}); err == nil {
		t.Error("a Renderer without a bundle")
	}
}

// Who is refused reads as whom, and what to ask for.
func TestMessageNamesWhoIsRefused(t *testing.T) {
	r := webtest.Renderer(t)
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
		webtest.Wants(t, "message", webtest.Text(b.String()), test.want)
	}
	// The roles are here a second time on purpose: a page that more people see has to be meant.
	least := map[string]web.Role{"revenue": web.Manager, "marketing": web.Manager, "reconcile": web.Manager, "sessions": web.Admin, "screens": web.Admin, "settings": web.Admin, "services": web.Admin, "takings": web.BoxOffice, "replay": web.Manager}
	for _, p := range web.Pages() {
		want := cmp.Or(least[p.Name], web.Door)
		if got := p.LeastRole(); got != want {
			t.Errorf("the page %s is seen from the role %q on, want %q: if that is meant, name it in least", p.Name, got, want)
		}
	}
}

func TestMessage(t *testing.T) {
	r := webtest.Renderer(t)
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
