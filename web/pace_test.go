package web_test

import (
	"fmt"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web"
)

// selling is a house with a performance, evt_own, that sells worse than six before it did.
func selling() *house {
	h := newHouse()
	series := func(e *record.Event) { e.Series = "cycle" }
	for i, then := range []int{40, 44, 48, 52, 56, 60} {
		e := h.event(fmt.Sprint("evt_past_", i), fmt.Sprint("Deel ", i), "Kelder", "19:00", "20:00", 100, onDay(-7*(i+1)), series)
		h.sell(e, sale{from: showTime.AddDate(0, 0, -7*(i+1)-30), to: showTime.AddDate(0, 0, -7*(i+1)-10), paid: then})
		h.sell(e, sale{from: showTime.AddDate(0, 0, -7*(i+1)-3), to: showTime.AddDate(0, 0, -7*(i+1)-1), paid: 20})
	}
	h.sell(h.event("evt_own", "Het vervolg", "Kelder", "19:00", "20:00", 100, onDay(7), series), sale{from: showTime.AddDate(0, 0, -20), to: showTime.AddDate(0, 0, -2), paid: 25})
	return h
}

// Comparables that agree to the number make no band from a number to itself, and one alone makes none: on no page,
// in three languages.
func TestNoBandOfNothing(t *testing.T) {
	r := renderer(t)
	for _, c := range []struct {
		name  string
		past  int
		words []string
		lacks []string
	}{
		{"all alike", 6, []string{"where eight of ten had 40", "will be sold, and the same in eight of ten cases.", "Eight of ten comparable ones ended at 40."}, nil},
		{"one alone", 1, []string{"where the one comparable performance had 40", "will be sold, by one comparable performance: how far off that may be is not known.", "The comparable one ended at 40."}, []string{"eight of ten had", "in eight of ten"}},
	} {
		h := newHouse()
		series := func(e *record.Event) { e.Series = "cycle" }
		for i := range c.past {
			h.sell(h.event(fmt.Sprint("evt_past_", i), fmt.Sprint("Deel ", i), "Kelder", "19:00", "20:00", 100, onDay(-7*(i+1)), series),
				sale{from: showTime.AddDate(0, 0, -7*(i+1)-30), to: showTime.AddDate(0, 0, -7*(i+1)-10), paid: 40})
		}
		h.sell(h.event("evt_own", "Het vervolg", "Kelder", "19:00", "20:00", 100, onDay(7), series), sale{from: showTime.AddDate(0, 0, -20), to: showTime.AddDate(0, 0, -2), paid: 25})
		h.apply(&record.Setting{Name: record.SettingComparableLeast, Value: new(int64(1)), At: showTime.Add(-time.Hour)})
		s := h.snapshot()
		shown := content(t, r, eventView("evt_own").as(web.Manager), s, showTime).HTML
		wants(t, c.name, text(shown["pace"]), c.words...)
		wants(t, c.name, text(shown["attention"]), "where 40 are usual")
		lacks(t, c.name, text(shown["pace"]), append(c.lacks, "40 to 40", "25 to 25")...)
		lacks(t, c.name+", tile", text(shown["figures"]), "25 to 25")
		x, _ := catalogue.Explain(evening.At(s, showTime), figures.KeyFinish, figures.Scope{Event: "evt_own"})
		if got, want := x.Band, (figures.Band{Low: 25, Median: 25, High: 25}); c.past > 1 && got != want || c.past == 1 && got != (figures.Band{}) {
			t.Errorf("%s: the band is %+v", c.name, got)
		}
		explained := text(page(t, r, view{"explain", "event=evt_own&figure=finish"}.as(web.Manager), s, showTime))
		if c.past > 1 {
			wants(t, c.name, explained, "Eight of ten come to 25.")
		} else {
			lacks(t, c.name, explained, "Eight of ten")
		}
	}
}

// The page of a performance that has comparable ones says how its sale goes beside theirs, in words, a
// tile and a table, and lists them, each to be taken out. Tonight says that it is far off, to those who
// see what is sold in a day.
func TestPaceOnThePage(t *testing.T) {
	r, h := renderer(t), selling()
	s := h.snapshot()
	of := func(params string, role web.Role) map[string]string {
		v := eventView("evt_own")
		if params != "" {
			v.params = web.Params(string(v.params) + "&" + params)
		}
		return content(t, r, v.as(role), s, showTime).HTML
	}
	page := of("", web.BoxOffice)
	wants(t, "words", text(page["pace"]), "25 sold", "27 fewer than usual", "eight of ten had 44 to 60", "At this pace ≈ 45", "ended at 72 (64 to 80)")
	wants(t, "tile", text(page["figures"]), "≈ 45")
	wants(t, "explained", page["pace"], `href="/explain/finish?event=evt_own"`, `href="/explain/usual?event=evt_own"`, `href="/explain/finish_error?event=evt_own"`)
	wants(t, "table", text(page["pace"]), "7 days", "Deel 0", "series")
	wants(t, "link", page["pace"], `href="/events/evt_past_5"`)
	lacks(t, "who may not take them out", page["pace"], web.LeaveOutPath)
	wants(t, "a manager", of("", web.Manager)["pace"], `action="/comparables"`, `name="past" value="evt_past_0"`)
	wants(t, "attention", text(page["attention"]), "Het vervolg on Friday 27 November sells far behind: 25 sold by last night, where 44 to 60 are usual 7 days before.")
	lacks(t, "the door", of("", web.Door)["pace"]+of("", web.Door)["attention"], "sold", "Deel")
	for role, want := range map[web.Role]bool{web.Door: false, web.BoxOffice: true} {
		got := content(t, r, view{page: "tonight"}.as(role), s, showTime).HTML["attention"]
		if want {
			wants(t, "tonight", text(got), "Het vervolg on Friday 27 November sells far behind")
		} else {
			lacks(t, "tonight at the door", got, "Het vervolg")
		}
	}
	revenue := content(t, r, view{"revenue", "against=before&period=month"}.as(web.Manager), s, showTime).HTML
	wants(t, "what needs help", figureText(revenue["help"]), "1 performance sells far worse", "¦ Het vervolg Fri 27 Nov · Kelder § 25 § 52 § 27 §", "§ 7 days")
	wants(t, "the way there", revenue["head"], `href="#help"`, "1\u00a0performance needs help")
	h.apply(&record.Setting{Name: record.SettingLeftOut, Of: record.LeftOutOf("evt_own", "evt_past_0"), Value: new(int64(1)), At: showTime.Add(-time.Hour), By: "Mia"})
	s = h.snapshot()
	out := of("", web.Manager)
	wants(t, "taken out", text(out["pace"]), "Taken out: Deel 0", "by Mia, ")
	wants(t, "to be put back", out["pace"], `name="undo" value="1"`)
	lacks(t, "taken out", out["pace"], `id="pace-evt_past_0"`)
}

// Screens that are silent can be seen by a person, as other alerts.
func TestScreensAreSeen(t *testing.T) {
	h := newHouse()
	h.apply(&record.Acknowledgement{Alert: "silent_screen:s1", At: showTime.Add(-time.Minute), By: "Mia"})
	v := evening.At(h.snapshot(), showTime)
	screens := []web.ScreenAlert{{ID: "s1", Name: "Bar", Since: showTime.Add(-time.Hour)}, {ID: "s2", Name: "Foyer", Since: showTime.Add(-time.Hour)}}
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
	screens[0].Since = showTime // it came back, and fell silent again
	if all := web.HouseAlerts(v, web.Door.Access(), screens[:1]); len(all) != 1 || all[0].Seen != nil {
		t.Errorf("silent again: %+v", all)
	}
}
