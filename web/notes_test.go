package web_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/query"
	"housecount/web/webtest"
)

// A note about a performance is on its page, in the report of its night and in the spreadsheets for everybody who sees the
// performance; one about a day for those who see the whole house.
func TestNotesAreSeen(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	for _, e := range []struct{ id, title, hall string }{{"evt_a", "Tosca", "Grote Zaal"}, {"evt_b", "De Vader", "Foyer"}} {
		past := h.Event(e.id, e.title, e.hall, "19:00", "20:00", 100, webtest.OnDay(-1))
		h.Sell(past, webtest.Sale{From: past.DoorsAt.AddDate(0, 0, -9), To: past.DoorsAt.AddDate(0, 0, -8), Paid: 50, Scans: true})
	}
	note := func(event, day, text string, exceptional int64) {
		h.Apply(&record.Setting{Name: record.SettingNote, Of: record.NoteOf(event, text), From: day, Value: &exceptional, At: webtest.ShowTime, By: "Mia"})
	}
	note("evt_a", "2026-11-19", "Fire <b>alarm</b>", 0)
	note("evt_b", "2026-11-19", "Late start", 0)
	note("", "2026-11-19", "Storm", 1)
	note("", "2026-11-10", "Strike", 0)
	s := h.Snapshot()
	text := func(q web.Request) string { return webtest.Text(webtest.Page(t, r, q, s, webtest.ShowTime)) }
	inHalls := func(v webtest.View, role web.Role) web.Request {
		q := v.As(role)
		q.Access = q.Access.InHalls("Grote Zaal")
		return q
	}
	night := webtest.View{Page: "night"}
	for _, c := range []struct {
		name        string
		q           web.Request
		wants, lack []string
	}{
		{"its page", webtest.EventPart("evt_a", "").As(web.Door), []string{"Fire &lt;b&gt;alarm&lt;/b&gt;", "Mia"}, []string{"Late start", "Storm", "Add a note"}},
		{"its page, for the box office", webtest.EventPart("evt_a", "").As(web.BoxOffice), []string{"Add a note"}, []string{"An exceptional day"}},
		{"its page, for a manager", webtest.EventPart("evt_a", "").As(web.Manager), []string{"Add a note"}, []string{"An exceptional day"}},
		{"the night", night.As(web.Door), []string{"Fire &lt;b&gt;alarm&lt;/b&gt;", "Late start", "Storm", "exceptional", "Tosca"}, []string{"Strike", "Add a note"}},
		{"the night, of a hall", inHalls(night, web.Manager), []string{"Fire &lt;b&gt;alarm&lt;/b&gt;"}, []string{"Late start", "Storm", "Add a note"}},
		{"revenue", webtest.RevenueView(7).As(web.Manager), []string{"Storm", "Fire &lt;b&gt;alarm&lt;/b&gt;", "Add a note", "An exceptional day"}, []string{"Strike"}},
		{"revenue, longer", webtest.RevenueView(30).As(web.Manager), []string{"Storm", "Strike"}, nil},
	} {
		got := text(c.q)
		webtest.Wants(t, c.name, got, c.wants...)
		webtest.Lacks(t, c.name, got, c.lack...)
	}
	chart := webtest.Content(t, r, webtest.RevenueView(30).As(web.Manager), s, webtest.ShowTime).Charts
	if !strings.Contains(string(chart["chart-days-1"]), `"formatter":"Storm"`) {
		t.Error("the days' chart has no mark of the note")
	}

	period := func(params string) string {
		return webtest.FigureText(webtest.Page(t, r, webtest.View{Page: "revenue", Params: query.Params(params)}.As(web.Manager), s, webtest.ShowTime))
	}
	webtest.Wants(t, "of a week with an exceptional day", period("against=before&period=week"), "without 1 exceptional day")
	webtest.Lacks(t, "of a day without", period("against=before&period=today"), "without 1")
	left := webtest.Page(t, r, webtest.View{Page: "revenue", Params: "against=before&period=week&without=exceptional"}.As(web.Manager), s, webtest.ShowTime)
	webtest.Wants(t, "left out", left, `href="/revenue?against=before&amp;period=week" aria-current="true">without 1 exceptional day<`)

	f := workbook(t, r, night.As(web.Door), s)
	rows, column := raw(t, f, f.GetSheetList()[0])
	notes := map[string]string{}
	for _, row := range rows {
		notes[row[column["Performance"]]] = row[column["Note"]]
	}
	delete(notes, "Sum, without what is called off")
	if want := map[string]string{"Tosca": "Fire <b>alarm</b>", "De Vader": "Late start"}; !maps.Equal(notes, want) {
		t.Errorf("the workbook has the notes %q, want %q", notes, want)
	}
	f = workbook(t, r, webtest.RevenueView(30).As(web.Manager), s)
	rows, column = raw(t, f, f.GetSheetList()[0])
	notes = map[string]string{}
	for _, row := range rows {
		if text := row[column["Note"]]; text != "" {
			notes[text] = row[column["Day of sale"]]
		}
	}
	if want := []string{"Storm", "Strike"}; !slices.Equal(slices.Sorted(maps.Keys(notes)), want) || notes["Storm"] <= notes["Strike"] {
		t.Errorf("the days of the workbook have the notes %q, want %q", notes, want)
	}
}

// Where exceptional days are left out, a change is beside the numbers that it is of.
func TestChangeWithoutExceptionalDays(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "Tosca", "Grote Zaal", "19:00", "20:00", 100, webtest.OnDay(30))
	for daysAgo, n := range map[int]int{2: 10, 3: 5, 9: 2, 10: 4} {
		at := webtest.ShowTime.AddDate(0, 0, -daysAgo)
		h.Sell(e, webtest.Sale{From: at.Add(-time.Minute), To: at, Paid: n})
	}
	h.Apply(&record.Setting{Name: record.SettingNote, Of: record.NoteOf("", "Storm"), From: "2026-11-18", Value: new(int64(1)), At: webtest.ShowTime, By: "Mia"})
	said := func(params query.Params) string {
		return webtest.FigureText(webtest.Page(t, r, webtest.View{Page: "revenue", Params: params}.As(web.Manager), h.Snapshot(), webtest.ShowTime))
	}
	webtest.Wants(t, "all days", said("against=before&period=week"), "+150.0% against 6")
	webtest.Wants(t, "without the 18th and the 11th", said("against=before&period=week&without=exceptional"), "+25.0% , 5 against 4")
}

// A note has the same element whatever stands above it, in every list, so that the form in which somebody edits it is not taken
// for that of another note when one comes.
func TestNotesKeepTheirElements(t *testing.T) {
	h := webtest.NewHouse()
	e := h.Event("evt_a", "Tosca", "Grote Zaal", "19:00", "20:00", 100, webtest.OnDay(1))
	h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -2), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 5})
	note := func(event, day, text string) {
		h.Apply(&record.Setting{Name: record.SettingNote, Of: record.NoteOf(event, text), From: day, Value: new(int64(0)), At: webtest.ShowTime, By: "Mia"})
	}
	rows := regexp.MustCompile(`(?s)<tr id="([^"]*notes-[^"]*)">(.*?)</tr>`)
	of := func(q web.Request, text string) (id string, all int) {
		ids := map[string]bool{}
		for _, row := range rows.FindAllStringSubmatch(webtest.Page(t, webtest.Renderer(t), q, h.Snapshot(), webtest.ShowTime), -1) {
			if ids[row[1]] = true; strings.Contains(row[2], `name="was" value="`+text+`"`) {
				id = row[1]
			}
		}
		return id, len(ids)
	}
	day, performance := webtest.RevenueView(7).As(web.Manager), webtest.EventPart("evt_a", "").As(web.Manager)
	note("", "2026-11-18", "Storm")
	note("evt_a", "2026-11-18", "Storm")
	before, _ := of(day, "Storm")
	beforeOfEvent, n := of(performance, "Storm")
	note("", "2026-11-18", "Alarm")
	note("", "2026-11-19", "Storm again")
	note("evt_a", "2026-11-19", "Storm again")
	if after, all := of(day, "Storm"); before == "" || after != before || all < 5 {
		t.Errorf("on Revenue a note is %q, then %q, among %d", before, after, all)
	}
	if after, all := of(performance, "Storm"); beforeOfEvent == "" || after != beforeOfEvent || all != n+1 {
		t.Errorf("on its page a note is %q, then %q, among %d after %d", beforeOfEvent, after, all, n)
	}
}
