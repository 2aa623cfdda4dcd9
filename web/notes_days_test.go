package web_test

import (
	"maps"
	"strings"
	"testing"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/query"
	"housecount/web/webtest"
)

// A note about several days is in the lists of each of them, is one text above the days of Revenue, which are tinted, and calls
// all of them exceptional. What is no range is one day.
func TestNotesOverSeveralDays(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "Tosca", "Grote Zaal", "19:00", "20:00", 100, webtest.OnDay(30))
	for back := range 40 {
		at := webtest.ShowTime.AddDate(0, 0, -back)
		h.Sell(e, webtest.Sale{From: at.Add(-60e9), To: at, Paid: 1})
	}
	note := func(day, to, text string) {
		h.Apply(&record.Setting{Name: record.SettingNote, Of: record.NoteOf("", text), From: day, To: to, Value: new(int64(1)), At: webtest.ShowTime, By: "Mia"})
	}
	note("2026-11-13", "2026-11-15", "Storm")
	note("2026-11-18", "2026-11-17", "Backwards")
	note("2026-11-16", "2030-01-01", "For ever")
	s := h.Snapshot()
	want := map[figures.Day]bool{"2026-11-13": true, "2026-11-14": true, "2026-11-15": true, "2026-11-16": true, "2026-11-18": true}
	if days := s.Settings().ExceptionalDays(); !maps.Equal(days, want) {
		t.Errorf("the exceptional days are %v, want %v", days, want)
	}
	c := webtest.Content(t, r, webtest.RevenueView(30).As(web.Manager), s, webtest.ShowTime)
	webtest.Wants(t, "Revenue", webtest.Text(c.HTML["day-notes"]), "Fri 13 Nov to Sun 15 Nov", "Storm")
	chart := string(c.Charts["chart-days-1"])
	if strings.Count(chart, `"formatter":"Storm\nFor ever\nBackwards"`) != 1 || !strings.Contains(chart, `"markArea":{"silent":true,"itemStyle":{"color":"@ink","opacity":0.06},"data":[[{"xAxis":22},{"xAxis":24}]]}`) {
		t.Errorf("the chart is %s", chart)
	}
	for _, params := range []query.Params{"day=2026-11-15", "day=2026-11-13"} {
		webtest.Wants(t, string(params), webtest.Text(webtest.Page(t, r, webtest.View{Page: "night", Params: params}.As(web.Manager), s, webtest.ShowTime)), "Storm")
	}
	webtest.Lacks(t, "the day after", webtest.Text(webtest.Page(t, r, webtest.View{Page: "night", Params: "day=2026-11-16"}.As(web.Manager), s, webtest.ShowTime)), "Storm")
	webtest.Wants(t, "a week that the storm is in part of", webtest.Text(webtest.Content(t, r, webtest.RevenueView(7).As(web.Manager), s, webtest.ShowTime).HTML["day-notes"]), "Storm")
}

// What planning knows stands above the days of Revenue by itself: which performance went on sale, and the campaigns of Marketing
// to those who see that. What people noted about the day comes first.
func TestRevenueNotesWhatBegan(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	for title, back := range map[string]int{"Old": 40, "Tosca": 20, "Carmen": 12, "Aida": 12, "Salome": 3, "Parsifal": 2} {
		e := h.Event("evt_"+title, title, "Grote Zaal", "19:00", "20:00", 100, webtest.OnDay(30))
		for day := back; day >= 0; day-- {
			at := webtest.ShowTime.AddDate(0, 0, -day)
			h.Sell(e, webtest.Sale{From: at.Add(-60e9), To: at, Paid: 2})
		}
	}
	h.Apply(&record.Setting{Name: record.SettingCampaign, Of: "Radio </script>", From: "2026-11-02", Value: new(int64(2)), At: webtest.ShowTime, By: "Mia"})
	h.Apply(&record.Setting{Name: record.SettingNote, Of: record.NoteOf("", "Storm"), From: "2026-11-17", Value: new(int64(0)), At: webtest.ShowTime, By: "Mia"})
	chart := string(webtest.Content(t, r, webtest.RevenueView(30).As(web.Manager), h.Snapshot(), webtest.ShowTime).Charts["chart-days-1"])
	for _, want := range []string{"\"formatter\":\"2\u00a0performances on sale\"", `"formatter":"Radio \u003c/script\u003e"`, `"formatter":"Storm"`} {
		if !strings.Contains(chart, want) {
			t.Errorf("the chart lacks %s: %s", want, chart[strings.Index(chart, "markLine"):])
		}
	}
	for _, lacks := range []string{"Tosca", "Salome", "Parsifal", "Old"} { // Tosca is too close to the campaign
		if strings.Contains(chart, lacks) {
			t.Errorf("the chart has %s", lacks)
		}
	}
}
