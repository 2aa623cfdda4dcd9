package night_test

import (
	"html"
	"regexp"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/query"
	"housecount/web/webtest"
	"housecount/web/words"
)

// house returns one with two performances last night, one of them cancelled, and one tonight.
func house(t *testing.T) *webtest.House {
	t.Helper()
	h := webtest.NewHouse()
	past := h.Event("evt_past", "Gisteren", "Kelder", "19:00", "20:00", 100, webtest.OnDay(-1))
	h.Sell(past, webtest.Sale{From: past.DoorsAt.AddDate(0, 0, -9), To: past.DoorsAt.AddDate(0, 0, -8), Paid: 50, Scans: true,
		In: []webtest.GateIn{{Gate: "A", N: 40, From: past.StartsAt.Add(-40 * time.Minute), To: past.StartsAt.Add(-8 * time.Minute)}}})
	h.Sell(past, webtest.Sale{From: past.DoorsAt.Add(-3 * time.Hour), To: past.DoorsAt.Add(-2 * time.Hour), Paid: 10, Scans: true})
	h.Event("evt_off", "Afgelast", "Zolder", "19:00", "20:00", 20, webtest.OnDay(-1), func(e *record.Event) { e.Status = record.EventCancelled })
	tonight := h.Event("evt_now", "Vanavond", "Foyer", "19:00", "20:00", 80)
	h.Sell(tonight, webtest.Sale{From: past.DoorsAt.Add(-3 * time.Hour), To: past.DoorsAt.Add(-2 * time.Hour), Paid: 5, Scans: true})
	for _, a := range []record.Acknowledgement{{Alert: "hold:evt_past", By: "Mia", At: past.StartsAt.Add(-5 * time.Minute)}, {Alert: "quiet_gate:evt_past:A", By: "Sam", At: past.StartsAt.Add(-9 * time.Minute), Undone: true},
		{Alert: "owed:evt_off", By: "Jo", At: past.StartsAt}, {Alert: "oversold:evt_now", By: "Al", At: webtest.At("10:00")}} {
		h.Apply(&a)
	}
	cleared := past.StartsAt.Add(-2 * time.Minute)
	for _, a := range []record.RaisedAlert{
		{Alert: "quiet_gate:evt_past:A", Number: 1, Level: "bad", EventID: "evt_past", Raised: past.StartsAt.Add(-10 * time.Minute), Cleared: cleared, By: []string{"Ann", "Bo"}, Taken: cleared},
		{Alert: "quiet_gate:evt_past:A", Number: 2, Level: "bad", EventID: "evt_past", Raised: past.StartsAt.Add(-time.Minute), Cleared: cleared.Add(2 * time.Minute)},
		{Alert: "crowded:evt_past", Number: 1, Level: "bad", EventID: "evt_past", Raised: past.StartsAt.Add(2 * time.Minute), Cleared: past.StartsAt.Add(3 * time.Minute), Took: []string{"Cis"}},
		{Alert: "streams", Number: 1, Level: "warn", Raised: past.StartsAt.Add(9 * time.Minute)},
		{Alert: "quiet_gate:evt_past:B", Number: 1, Level: "bad", EventID: "evt_past", Raised: past.StartsAt.Add(11 * time.Minute), Cleared: past.StartsAt.Add(12 * time.Minute), By: []string{"Dee"}, Taken: past.StartsAt.Add(13 * time.Hour)},
		{Alert: "refunds", Number: 1, Level: "warn", Raised: past.StartsAt.Add(10 * time.Minute)},
		{Alert: "oversold:evt_now", Number: 1, Level: "bad", EventID: "evt_now", Raised: past.StartsAt},
	} {
		h.Apply(&a)
	}
	return h
}

// read returns the words of the page's main part.
func read(page string) string {
	_, body, _ := strings.Cut(page, "<main")
	body = regexp.MustCompile(`(?s)<script.*?</script>|<[^>]*>`).ReplaceAllString(body, " ")
	return strings.Join(strings.Fields(body), " ")
}

func TestNightReport(t *testing.T) {
	r, h := webtest.Renderer(t), house(t)
	show := func(role web.Role, params query.Params, at string) string {
		return read(webtest.Page(t, r, webtest.View{Page: "night", Params: params}.As(role), h.Snapshot(), webtest.At(at)))
	}
	manager := show(web.Manager, "", "12:00")
	webtest.Wants(t, "the last day", manager, "Thursday 19 November", "Came 40 of 60 sold", "Did not come 20", "Booked on the day", "15 places",
		"20:00 Gisteren 100 60 40 0 20", "Afgelast cancelled", "5 places for other dates", "19:55 Hold the performance · Gisteren Mia", "20:00 Money to pay back · Afgelast Jo",
		"19:50–19:58 A gate is quiet · Gisteren · Gate A 19:58 Ann, Bo", "19:59–20:00 A gate is quiet · Gisteren · Gate A nobody", "20:02–20:03 The hall is full, or too full · Gisteren Cis since", "since 20:09 The service does not answer nobody", "20:11–20:12 A gate is quiet · Gisteren · Gate B Fri 20 Nov 09:00 Dee", "Friday 20 November", "Vanavond")
	webtest.Lacks(t, "the last day", manager, "Sam", "Al ", "refunds", "Oversold")
	webtest.Wants(t, "no licence", manager, "40 at most: people are not scanned out at 19:51")
	h.Apply(&record.Setting{Name: record.SettingLicensed, Value: new(int64(60)), At: webtest.ShowTime.AddDate(0, 0, -9)})
	h.ID("entry") // and with it a revision
	licensed := webtest.Page(t, r, webtest.View{Page: "night"}.As(web.Manager), h.Snapshot(), webtest.At("12:00"))
	webtest.Wants(t, "licence", read(licensed), "of 60 allowed, at 19:51")
	webtest.Wants(t, "licence", licensed, "/explain/most_inside?from=2026-11-19&amp;of=night&amp;to=2026-11-19", "/explain/licensed?from=2026-11-19&amp;of=night&amp;to=2026-11-19")
	webtest.Wants(t, "more allowed than places", read(licensed), "Sold 60.0% 60 of 100")
	// All were in one hall, in which fewer are allowed than in the building.
	h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Kelder", Value: new(int64(30)), At: webtest.ShowTime.AddDate(0, 0, -9)})
	h.ID("entry")
	webtest.Wants(t, "licence of the hall", show(web.Manager, "", "12:00"), "of 30 allowed, at 19:51", "Sold 60")
	webtest.Lacks(t, "more places than are allowed", show(web.Manager, "", "12:00"), "60.0%", "60 of 100")
	for _, role := range []web.Role{web.Door, web.BoxOffice} {
		text := show(role, "", "12:00")
		webtest.Wants(t, string(role), text, "Came 40 of 60 sold", "Hold the performance")
		webtest.Lacks(t, string(role), text, "€", "Booked", "Money to pay back", "other dates")
	}
	// Any day that is finished can be asked for.
	webtest.Wants(t, "another day", webtest.Page(t, r, webtest.View{Page: "night"}.As(web.Door), h.Snapshot(), webtest.At("12:00")), `action="/night"`, `name="day" value="2026-11-19" max="2026-11-19"`)
	webtest.Lacks(t, "none finished", webtest.Page(t, r, webtest.View{Page: "night"}.As(web.Door), webtest.NewHouse().Snapshot(), webtest.At("12:00")), `type="date"`)
	// Until everybody has left, tonight is not the last day; it can be asked for, and says that it is not finished.
	webtest.Wants(t, "in the evening", show(web.Manager, "", "21:00"), "Thursday 19 November")
	webtest.Wants(t, "tonight", show(web.Manager, "day=2026-11-20", "21:00"), "Friday 20 November", "Not finished yet.", "Thu 19 Nov")
	webtest.Wants(t, "a day without", show(web.Manager, "day=2026-11-18", "21:00"), "No performance on this day.", "Thu 19 Nov")
	webtest.Wants(t, "nothing yet", read(webtest.Page(t, r, webtest.View{Page: "night"}.As(web.Manager), webtest.NewHouse().Snapshot(), webtest.ShowTime)), "No performance has finished yet.")
}

// Who came late is summed where it is known of each performance, and else is a dash.
func TestNightReportSumsWhoCameLate(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	past := func(id string, late int, scans bool) {
		e := h.Event(id, id, "Zaal "+id, "19:00", "20:00", 100, webtest.OnDay(-1))
		s := webtest.Sale{From: e.DoorsAt.AddDate(0, 0, -9), To: e.DoorsAt.AddDate(0, 0, -8), Paid: 40, Scans: scans}
		if scans {
			s.In = []webtest.GateIn{{Gate: "A", N: 30, From: e.StartsAt.Add(-40 * time.Minute), To: e.StartsAt.Add(-8 * time.Minute)}, {Gate: "A", N: late, From: e.StartsAt.Add(2 * time.Minute), To: e.StartsAt.Add(9 * time.Minute)}}
		}
		h.Sell(e, s)
	}
	report := func() string {
		return read(webtest.Page(t, r, webtest.View{Page: "night"}.As(web.Manager), h.Snapshot(), webtest.At("12:00")))
	}
	past("a", 4, true)
	past("b", 3, true)
	webtest.Wants(t, "of each", report(), "a 100 40 34 4 6", "b 100 40 33 3 7", "All 200 80 67 7 13")
	page := webtest.Page(t, r, webtest.View{Page: "night"}.As(web.Manager), h.Snapshot(), webtest.At("12:00"))
	if n := strings.Count(page, `data-label="In all"`); n != 2 {
		t.Errorf("%d numbers are called in all, want those of two performances: their sum has none", n)
	}
	past("c", 0, false)
	webtest.Wants(t, "not of one", report(), "All 300 120 ≥ 67 at least: no scan data — ≥ 13")
}

// More people inside than are allowed are said strongly, with how many too many; where nobody is scanned out there may have been fewer,
// and nothing is said of too many.
func TestNightReportOverTheLicence(t *testing.T) {
	r := webtest.Renderer(t)
	for _, c := range []struct {
		language words.Locale
		licensed int64
		out      bool // people are scanned out
		want     string
		bad      bool
	}{
		{words.English, 30, true, "<b>40 of 30 allowed</b>, at 19:51: 10 too many", true},
		{words.Dutch, 30, true, "<b>40 van 30 toegestaan</b>, om 19:51: 10 te veel", true},
		{words.German, 30, true, "<b>40 von 30 zulässigen</b>, um 19:51: 10 zu viel", true},
		{words.English, 40, true, "40 of 40 allowed, at 19:51", false},
		{words.English, 30, false, "≤ 40 of 30 allowed, at 19:51", false},
	} {
		h := webtest.NewHouse()
		e := h.Event("evt_past", "Gisteren", "Kelder", "19:00", "20:00", 100, webtest.OnDay(-1))
		for range 40 {
			scans := []record.Scan{{At: e.StartsAt.Add(-9 * time.Minute), Gate: "A", Direction: record.Entry}}
			if c.out {
				scans = append(scans, record.Scan{At: e.EndsAt.Add(2 * time.Minute), Gate: "A", Direction: record.Exit})
			}
			h.Apply(&record.Ticket{ID: h.ID("tkt"), EventID: e.ID, Status: record.TicketValid, Price: &record.Money{Amount: 100, Currency: "EUR"}, SoldAt: e.DoorsAt, UpdatedAt: e.DoorsAt, Scans: scans})
		}
		h.Apply(&record.Setting{Name: record.SettingLicensed, Value: &c.licensed, At: webtest.ShowTime.AddDate(0, 0, -9)})
		q := webtest.View{Page: "night"}.As(web.Manager)
		q.Locale = c.language
		crowd := webtest.Content(t, r, q, h.Snapshot(), webtest.At("12:00")).HTML["crowd"]
		text := strings.NewReplacer("</b><b>", "", "\u00a0", " ").Replace(regexp.MustCompile(`<span class="why">[^<]*</span>|</?(a|span|p|div|h2|header)\b[^>]*>`).ReplaceAllString(crowd, ""))
		if !strings.Contains(text, c.want) || strings.Contains(crowd, `class="words bad"`) != c.bad {
			t.Errorf("%d allowed, in %s: %s, want %s, strongly: %t", c.licensed, c.language, crowd, c.want, c.bad)
		}
	}
}

// Whoever sees one hall sees its performances, and nothing that was raised elsewhere.
func TestNightReportOfAHall(t *testing.T) {
	r, h := webtest.Renderer(t), house(t)
	q := webtest.View{Page: "night"}.As(web.Manager)
	q.Access = q.Access.InHalls("Kelder")
	text := read(webtest.Page(t, r, q, h.Snapshot(), webtest.At("12:00")))
	webtest.Wants(t, "of a hall", text, "Gisteren", "Mia")
	webtest.Lacks(t, "of a hall", text, "Afgelast", "Jo", "other dates", "Booked on the day €")
}

// Titles are text.
func TestNightReportEscapes(t *testing.T) {
	r, h := webtest.Renderer(t), house(t)
	h.Event("evt_past2", "<img src=x>", "<b>", "19:00", "20:00", 100, webtest.OnDay(-1))
	h.Apply(&record.Acknowledgement{Alert: "hold:evt_past2", By: "<script>", At: webtest.At("19:00").AddDate(0, 0, -1)})
	if page := webtest.Page(t, r, webtest.View{Page: "night"}.As(web.Manager), h.Snapshot(), webtest.At("12:00")); strings.Contains(page, "<img") || strings.Contains(page, "<script>&") || !strings.Contains(page, "&lt;img") {
		t.Error("a title is not text")
	}
}

// Whoever sees a number of the report may ask what it is, and nobody else may ask for its amounts.
func TestNightReportIsExplained(t *testing.T) {
	r, h := webtest.Renderer(t), house(t)
	links := func(role web.Role) (all []string) {
		for _, m := range webtest.FigureLink.FindAllStringSubmatch(webtest.Page(t, r, webtest.View{Page: "night"}.As(role), h.Snapshot(), webtest.At("12:00")), -1) {
			all = append(all, html.UnescapeString(m[1]))
		}
		return all
	}
	for _, role := range web.Roles {
		night := 0
		for _, href := range links(role) {
			q, err := webtest.ExplainRequest(t, href, role)
			if err != nil {
				t.Errorf("%s may not ask %s: %v", role, href, err)
				continue
			}
			if strings.Contains(href, "of=night") {
				night++
				if page := read(webtest.Page(t, r, q, h.Snapshot(), webtest.At("12:00"))); !strings.Contains(page, "the performances of Thursday 19 November") {
					t.Errorf("%s is told of %s: %q", role, href, page)
				}
			}
		}
		if night < 5 {
			t.Errorf("%s can ask for %d numbers of the night", role, night)
		}
	}
	for _, href := range links(web.Manager) {
		if _, err := webtest.ExplainRequest(t, href, web.Door); strings.Contains(href, "/booked") && err == nil {
			t.Errorf("the door may ask %s", href)
		}
	}
}

// A day on which everything was called off is over all the same, with what was booked on it.
func TestNightReportOfADayCalledOff(t *testing.T) {
	h := webtest.NewHouse()
	h.Event("evt_off", "Afgelast", "Zolder", "19:00", "20:00", 20, webtest.OnDay(-2), func(e *record.Event) { e.Status = record.EventPostponed })
	next := h.Event("evt_next", "Straks", "Zolder", "19:00", "20:00", 20, webtest.OnDay(3))
	h.Sell(next, webtest.Sale{From: webtest.At("12:00").AddDate(0, 0, -2), To: webtest.At("13:00").AddDate(0, 0, -2), Paid: 4})
	text := read(webtest.Page(t, webtest.Renderer(t), webtest.View{Page: "night", Params: "day=2026-11-18"}.As(web.Manager), h.Snapshot(), webtest.At("12:00")))
	webtest.Wants(t, "called off", text, "Afgelast postponed", "Booked on the day", "4 places")
	webtest.Lacks(t, "called off", text, "Not finished", "Did not come")
	webtest.Wants(t, "where none is over", text, "All — — — — €")
}

// Of the alerts that the house has switched off, the report has those that somebody was on.
func TestNightReportOfWhatIsOff(t *testing.T) {
	r, h := webtest.Renderer(t), house(t)
	for _, code := range []string{evening.AlertQuietGate, evening.AlertStreams} {
		h.Apply(&record.Setting{Name: record.SettingAlertTold, Of: code, Value: new(int64(figures.AlertOff)), At: webtest.ShowTime, By: "Ann"})
	}
	text := read(webtest.Page(t, r, webtest.View{Page: "night"}.As(web.Manager), h.Snapshot(), webtest.At("12:00")))
	webtest.Wants(t, "with two switched off", text, "19:50–19:58 A gate is quiet · Gisteren · Gate A 19:58 Ann, Bo", "Hold the performance · Gisteren Mia")
	webtest.Lacks(t, "with two switched off", text, "19:59–20:00", "The service does not answer")
}

// What stands on the other pages of who took an alert on that has grown since stands in the report, too.
func TestNightReportOfAnAlertThatGrew(t *testing.T) {
	h := house(t)
	e := h.Event("evt_full", "Vol", "Zolder", "20:00", "21:00", 10, webtest.Available(-2))
	h.Sell(e, webtest.Sale{From: webtest.At("06:00"), To: webtest.At("07:00"), Paid: 12})
	h.Apply(&record.Acknowledgement{Alert: "oversold:evt_full", At: webtest.At("19:00"), By: "Karim", Personal: true, Count: 1})
	html := webtest.Content(t, webtest.Renderer(t), webtest.View{Page: "night"}.As(web.Manager), h.Snapshot(), webtest.At("19:30")).HTML["needs"]
	webtest.Wants(t, "the report", webtest.Text(html), "Vol: 2 without a seat", "Karim took it on at 19:00; it is worse now")
}

// The log of a day is the end of its report, and folded: what came of the day and what is to do stand before it.
func TestReportEndsWithItsLog(t *testing.T) {
	page := webtest.Page(t, webtest.Renderer(t), webtest.View{Page: "night"}.As(web.Manager), tooFull().Snapshot(), webtest.At("12:00"))
	last := -1
	for _, id := range []string{"head", "figs", "crowd", "performances", "next-day", "needs", "day-notes", "happened"} {
		at := strings.Index(page, `id="`+id+`"`)
		if at <= last {
			t.Errorf("%s is at %d, what stands before it at %d", id, at, last)
		}
		last = at
	}
	log := page[last:]
	if open := strings.Index(log, "<details>"); open < 0 || open > strings.Index(log, "<table>") {
		t.Error("the log is not folded")
	}
	webtest.Wants(t, "the fold", log[:strings.Index(log, "</summary>")], `<summary aria-label="What happened 2">`, ">2<")
}

// Of the next day no share is said of places that are more than people are allowed: how many may be sold is not what a share of them says.
func TestNextDaySaysWhatIsAllowed(t *testing.T) {
	h := webtest.NewHouse()
	for _, c := range []struct {
		id, hall string
		sold     int
	}{{"evt_over", "Club", 295}, {"evt_under", "Kelder", 200}, {"evt_plain", "Foyer", 200}} {
		e := h.Event(c.id, c.id, c.hall, "19:00", "20:00", 340, webtest.Available(340-c.sold))
		h.Sell(e, webtest.Sale{From: webtest.At("06:00"), To: webtest.At("07:00"), Paid: c.sold})
		if c.hall != "Foyer" {
			h.Apply(&record.Setting{Name: record.SettingLicensed, Of: c.hall, Value: new(int64(250)), At: webtest.ShowTime.AddDate(0, 0, -9)})
		}
	}
	h.Event("evt_before", "Gisteren", "Zolder", "19:00", "20:00", 20, webtest.OnDay(-1))
	q := webtest.View{Page: "night", Params: "day=2026-11-19"}.As(web.Manager)
	next := webtest.FigureText(webtest.Content(t, webtest.Renderer(t), q, h.Snapshot(), webtest.At("12:00")).HTML["next-day"])
	webtest.Wants(t, "the next day", next, "evt_over § 0 free · 295 sold, 250 allowed", "evt_under § 50 free to sell, 140 empty · 250 allowed", "evt_plain § 140 free · 58.8%")
	if strings.Count(next, "%") != 1 {
		t.Errorf("a share is of places that nobody may sell: %q", next)
	}
}
