package event_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/query"
	"housecount/web/webtest"
)

// Comparables that agree to the number make no band from a number to itself, and one alone makes none: on no page,
// in three languages.
func TestNoBandOfNothing(t *testing.T) {
	r := webtest.Renderer(t)
	for _, c := range []struct {
		name  string
		past  int
		words []string
		lacks []string
	}{
		{"all alike", 6, []string{"where eight of ten had 40", "will be sold, and the same in eight of ten cases.", "Eight of ten comparable ones ended at 40."}, nil},
		{"one alone", 1, []string{"where the one comparable performance had 40", "will be sold, by one comparable performance: how far off that may be is not known.", "The comparable one ended at 40."}, []string{"eight of ten had", "in eight of ten"}},
	} {
		h := webtest.NewHouse()
		series := func(e *record.Event) { e.Series = "cycle" }
		for i := range c.past {
			h.Sell(h.Event(fmt.Sprint("evt_past_", i), fmt.Sprint("Deel ", i), "Kelder", "19:00", "20:00", 100, webtest.OnDay(-7*(i+1)), series),
				webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -7*(i+1)-30), To: webtest.ShowTime.AddDate(0, 0, -7*(i+1)-10), Paid: 40})
		}
		h.Sell(h.Event("evt_own", "Het vervolg", "Kelder", "19:00", "20:00", 100, webtest.OnDay(7), series), webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -20), To: webtest.ShowTime.AddDate(0, 0, -2), Paid: 25})
		h.Apply(&record.Setting{Name: record.SettingComparableLeast, Value: new(int64(1)), At: webtest.ShowTime.Add(-time.Hour)})
		s := h.Snapshot()
		shown := webtest.Content(t, r, webtest.EventView("evt_own").As(web.Manager), s, webtest.ShowTime).HTML
		webtest.Wants(t, c.name, webtest.Text(shown["pace"]), c.words...)
		if attention := webtest.Text(shown["attention"]); c.past > 1 != strings.Contains(attention, "25 sold, usual 40 ") {
			t.Errorf("%s: needs attention: %s", c.name, attention)
		}
		webtest.Lacks(t, c.name, webtest.Text(shown["pace"]), append(c.lacks, "40 to 40", "25 to 25")...)
		webtest.Lacks(t, c.name+", tile", webtest.Text(shown["figures"]), "25 to 25")
		x, _ := catalogue.Explain(evening.At(s, webtest.ShowTime), figures.KeyFinish, figures.Scope{Event: "evt_own"})
		if got, want := x.Band, (figures.Band{Low: 25, Median: 25, High: 25}); c.past > 1 && got != want || c.past == 1 && got != (figures.Band{}) {
			t.Errorf("%s: the band is %+v", c.name, got)
		}
		explained := webtest.Text(webtest.Page(t, r, webtest.View{Page: "explain", Params: "event=evt_own&figure=finish"}.As(web.Manager), s, webtest.ShowTime))
		if c.past > 1 {
			webtest.Wants(t, c.name, explained, "Eight of ten come to 25.")
		} else {
			webtest.Lacks(t, c.name, explained, "Eight of ten")
		}
	}
}

// On the day itself comparables are counted up to the same hour, and their column is named so; before, it names the days.
func TestComparablesUpToThisHour(t *testing.T) {
	h := webtest.Selling()
	on := func(clock string, days int) string {
		at := webtest.At(clock).AddDate(0, 0, days)
		h.AsOf, h.Health = at, webtest.Healthy(at)
		return webtest.FigureText(webtest.Content(t, webtest.Renderer(t), webtest.EventPart("evt_own", "").As(web.Manager), h.Snapshot(), at).HTML["compared"])
	}
	webtest.Wants(t, "two days before", on("12:00", 5), "2 days before")
	webtest.Wants(t, "on the day", on("12:00", 7), "By this hour")
}

// Tonight says what will be sold also while most of it is in baskets.
func TestPaceBesideBaskets(t *testing.T) {
	h := webtest.NewHouse()
	series, day := func(e *record.Event) { e.Series = "cycle" }, 24*time.Hour
	sell := func(id string, daysAgo, onTheDay, baskets int) {
		e := h.Event(id, id, "Kelder", "19:00", "20:00", 100, webtest.OnDay(-daysAgo), series)
		h.Sell(e, webtest.Sale{From: e.StartsAt.Add(-30 * day), To: e.StartsAt.Add(-2 * day), Paid: 40, Reserved: baskets})
		h.Sell(e, webtest.Sale{From: e.StartsAt.Add(-8 * time.Hour), To: e.StartsAt.Add(-2 * time.Hour), Paid: onTheDay})
	}
	for i := range 6 {
		sell(fmt.Sprint("evt_past_", i), 7*(i+1), 20, 0)
	}
	sell("evt_own", 0, 0, 55)
	at := webtest.At("10:00")
	h.AsOf, h.Health = at, webtest.Healthy(at)
	row := webtest.Text(webtest.Content(t, webtest.Renderer(t), webtest.View{Page: "tonight"}.As(web.Manager), h.Snapshot(), at).HTML["shows-00"])
	webtest.Wants(t, "tonight", row, "40 of 100", "eventually sold, usual 60")
}

// The page of a performance that has comparable ones says how its sale goes beside theirs, in words, a
// tile and a table, and lists them, each to be taken out. Tonight says that it is far off, to those who
// see what is sold in a day.
func TestPaceOnThePage(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Selling()
	s := h.Snapshot()
	of := func(params string, role web.Role) map[string]string {
		v := webtest.EventView("evt_own")
		if params != "" {
			v.Params = query.Params(string(v.Params) + "&" + params)
		}
		return webtest.Content(t, r, v.As(role), s, webtest.ShowTime).HTML
	}
	page := of("", web.BoxOffice)
	// What is expected stands at the end of its line, unless that is where the places sold are said.
	for days, want := range map[int]bool{0: true, 2: true, 6: false} {
		drawn := string(webtest.Content(t, r, webtest.EventView("evt_own").As(web.BoxOffice), s, webtest.ShowTime.AddDate(0, 0, days)).Charts["chart-sales"])
		if got := strings.Contains(drawn, " at this pace}"); got != want || !strings.Contains(drawn, "25 sold") {
			t.Errorf("after %d days what is expected is at the end: %v: %s", days, got, drawn)
		}
	}
	webtest.Lacks(t, "without a licence", webtest.Text(webtest.Content(t, r, webtest.EventPart("evt_own", "").As(web.BoxOffice), s, webtest.ShowTime).HTML["figs"]), "allowed")
	tonight := func(h *webtest.House, role web.Role) string { // on the day of the performance, in the morning
		return webtest.Text(webtest.Content(t, r, webtest.View{Page: "tonight"}.As(role), h.Snapshot(), webtest.ShowTime.AddDate(0, 0, 7).Add(-10*time.Hour)).HTML["shows-00"])
	}
	webtest.Wants(t, "tonight", tonight(h, web.BoxOffice), "≈ 25 estimated: what comparable performances sold from here on eventually sold, usual 72")
	webtest.Lacks(t, "the door, tonight", tonight(h, web.Door), "at this pace")
	licensed := webtest.Selling()
	licensed.Apply(&record.Setting{Name: record.SettingLicensed, Of: s.Event("evt_own").Event.Hall, Value: new(int64(34)), At: webtest.ShowTime.AddDate(0, 0, -9)})
	webtest.Wants(t, "fewer are allowed", webtest.Text(webtest.Content(t, r, webtest.EventPart("evt_own", "").As(web.BoxOffice), licensed.Snapshot(), webtest.ShowTime).HTML["figs"]), "Free≈ 9", "empty · 34 allowed", "≈ 35", "34 allowed · usual")
	licensed.Apply(&record.Setting{Name: record.SettingLicensed, Of: s.Event("evt_own").Event.Hall, Value: new(int64(25)), At: webtest.ShowTime.AddDate(0, 0, -8)})
	webtest.Lacks(t, "tonight, fewer are allowed", tonight(licensed, web.BoxOffice), "at this pace")
	webtest.Wants(t, "words", webtest.Text(page["pace"]), "25 sold", "27 fewer than usual", "eight of ten had 44 to 60", "At this pace ≈ 35", "ended at 72 (64 to 80)")
	webtest.Wants(t, "tile", webtest.Text(page["figures"]), "≈ 35")
	webtest.Wants(t, "explained", page["pace"], `href="/explain/finish?event=evt_own"`, `href="/explain/usual?event=evt_own"`, `href="/explain/finish_error?event=evt_own"`)
	webtest.Wants(t, "table", webtest.Text(page["pace"]), "7 days", "Deel 0", "series")
	webtest.Wants(t, "link", page["pace"], `href="/events/evt_past_5"`)
	webtest.Lacks(t, "who may not take them out", page["pace"], "/comparables")
	webtest.Wants(t, "a manager", of("", web.Manager)["pace"], `action="/comparables"`, `name="past" value="evt_past_0"`)
	webtest.Wants(t, "attention", webtest.Text(page["attention"]), "Far behind · 25 sold, usual 44 to 60")
	webtest.Lacks(t, "the door", of("", web.Door)["pace"]+of("", web.Door)["attention"], "sold", "Deel")
	for role, want := range map[web.Role]bool{web.Door: false, web.BoxOffice: true} {
		got := webtest.Content(t, r, webtest.View{Page: "tonight"}.As(role), s, webtest.ShowTime).HTML["attention"]
		if want {
			webtest.Wants(t, "tonight", webtest.Text(got), "Het vervolg, Fri 27 Nov is far behind")
		} else {
			webtest.Lacks(t, "tonight at the door", got, "Het vervolg")
		}
	}
	revenue := webtest.Content(t, r, webtest.View{Page: "revenue", Params: "against=before&period=month"}.As(web.Manager), s, webtest.ShowTime).HTML
	webtest.Wants(t, "what needs help", webtest.FigureText(revenue["help"]), "sold up to yesterday · mark: usual by then", "¦ Het vervolg Fri 27 Nov · Kelder § 25 § 52 § 27 §", "§ 7 days")
	webtest.Wants(t, "the same word", webtest.Text(revenue["help"]), "far behind")
	webtest.Wants(t, "the same one on Events", webtest.Text(webtest.Page(t, r, webtest.View{Page: "events", Params: "sort=date"}.As(web.Manager), s, webtest.ShowTime)), "far behind")
	webtest.Wants(t, "the same one in the calendar", webtest.Content(t, r, webtest.View{Page: "calendar", Params: "span=month"}.As(web.Manager), s, webtest.ShowTime).HTML["week-1"], `aria-label="far behind"`)
	webtest.Wants(t, "the way there", revenue["head"], `href="#help"`, "1\u00a0performance needs help")
	h.Apply(&record.Setting{Name: record.SettingLeftOut, Of: record.LeftOutOf("evt_own", "evt_past_0"), Value: new(int64(1)), At: webtest.ShowTime.Add(-time.Hour), By: "Mia"})
	s = h.Snapshot()
	out := of("", web.Manager)
	webtest.Wants(t, "taken out", webtest.Text(out["pace"]), "Taken out: Deel 0", "by Mia, ")
	webtest.Wants(t, "to be put back", out["pace"], `name="undo" value="1"`)
	webtest.Lacks(t, "taken out", out["pace"], `id="pace-evt_past_0"`)
}

// Screens that are silent can be seen by a person, as other alerts.
func TestScreensAreSeen(t *testing.T) {
	h := webtest.NewHouse()
	h.Apply(&record.Acknowledgement{Alert: "silent_screen:s1", At: webtest.ShowTime.Add(-time.Minute), By: "Mia"})
	v := evening.At(h.Snapshot(), webtest.ShowTime)
	screens := []web.ScreenAlert{{ID: "s1", Name: "Bar", Since: webtest.ShowTime.Add(-time.Hour)}, {ID: "s2", Name: "Foyer", Since: webtest.ShowTime.Add(-time.Hour)}}
	got := ""
	for _, a := range web.HouseAlerts(v, web.Manager.Access(), screens) {
		got += fmt.Sprint(a.Key, " ", a.Seen != nil, "; ")
	}
	if want := "silent_screen:s1 true; silent_screen:s2 false; "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if all := web.HouseAlerts(v, web.Manager.Access().InHalls("Kelder"), screens); len(all) != 0 {
		t.Errorf("who sees a hall is told of %+v", all)
	}
	screens[0].Since = webtest.ShowTime // it came back, and fell silent again
	if all := web.HouseAlerts(v, web.Door.Access(), screens[:1]); len(all) != 1 || all[0].Seen != nil {
		t.Errorf("silent again: %+v", all)
	}
}
