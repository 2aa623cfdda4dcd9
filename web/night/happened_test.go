package night_test

import (
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/night"
	"housecount/web/webtest"
	"housecount/web/words"
)

// tooFull is a night with two halls of which 30 and 10 are allowed, in a building of 200: in the one 40 come and are scanned out, in
// the other 20 who are not.
func tooFull() *webtest.House {
	h := webtest.NewHouse()
	allow := func(hall string, n int64) {
		h.Apply(&record.Setting{Name: record.SettingLicensed, Of: hall, Value: &n, At: webtest.ShowTime.AddDate(0, 0, -9)})
	}
	allow("", 200)
	allow("Kelder", 30)
	allow("Foyer", 10)
	come := func(e *record.Event, n int, at, out time.Time) {
		for range n {
			scans := []record.Scan{{At: at, Gate: "A", Direction: record.Entry}}
			if !out.IsZero() {
				scans = append(scans, record.Scan{At: out, Gate: "A", Direction: record.Exit})
			}
			h.Apply(&record.Ticket{ID: h.ID("tkt"), EventID: e.ID, Status: record.TicketValid, Price: &record.Money{Amount: 100, Currency: "EUR"}, SoldAt: e.DoorsAt, UpdatedAt: e.DoorsAt, Scans: scans})
		}
	}
	club := h.Event("evt_club", "Club", "Kelder", "19:00", "20:00", 100, webtest.OnDay(-1))
	come(club, 25, club.StartsAt.Add(-20*time.Minute), club.EndsAt.Add(2*time.Minute))
	come(club, 9, club.StartsAt.Add(-9*time.Minute), club.StartsAt.Add(45*time.Minute))
	come(club, 6, club.StartsAt.Add(5*time.Minute), club.StartsAt.Add(30*time.Minute))
	foyer := h.Event("evt_foyer", "Trio", "Foyer", "19:00", "20:00", 100, webtest.OnDay(-1))
	come(foyer, 20, foyer.StartsAt.Add(-9*time.Minute), time.Time{})
	for _, a := range []record.RaisedAlert{
		{Alert: "crowded:evt_club", Number: 1, Level: "bad", EventID: "evt_club", Raised: club.StartsAt.Add(-8 * time.Minute), Cleared: club.StartsAt.Add(46 * time.Minute)},
		{Alert: "crowded:evt_foyer", Number: 1, Level: "bad", EventID: "evt_foyer", Raised: foyer.StartsAt, Cleared: foyer.StartsAt.Add(time.Minute)},
	} {
		h.Apply(&a)
	}
	return h
}

// The report and both letters say at their top when more people were counted in a hall than are allowed, how many too many and from
// when to when, to everybody who sees the hall, and what happened has how many they were; what was only an upper bound is not said.
func TestPassedLicenceIsSaid(t *testing.T) {
	r, h := webtest.Renderer(t), tooFull()
	passed := map[words.Locale]string{
		words.English: "Kelder: 40 of 30 allowed at 20:05, 10 too many, 19:51 to 20:45",
		words.Dutch:   "Kelder: 40 van 30 toegestaan om 20:05, 10 te veel, van 19:51 tot 20:45",
		words.German:  "Kelder: 40 von 30 zulässigen um 20:05, 10 zu viel, von 19:51 bis 20:45",
	}
	for _, role := range []web.Role{web.Door, web.BoxOffice, web.Manager, web.Admin} {
		for l, want := range passed {
			q := webtest.View{Page: "night"}.As(role)
			q.Locale = l
			html := webtest.Content(t, r, q, h.Snapshot(), webtest.At("12:00")).HTML
			if got := strings.ReplaceAll(webtest.FigureText(html["passed"]), " :", ":"); got != want || strings.Contains(html["passed"], ` hidden`) {
				t.Errorf("%s, %s: the report says %q, want %q", role, l, got, want)
			}
			for name, day := range map[string]string{night.Morning: "2026-11-20", night.Close: "2026-11-19"} {
				letter := write(t, h, role, l, name, day, webtest.At("00:30"))
				if letter == nil {
					t.Fatalf("%s, %s: no letter", role, name)
				}
				if !strings.Contains(letter.HTML, "■ "+want+"<") || !strings.Contains(letter.Plain, "■ "+want+"\n") || !strings.HasPrefix(letter.Brief, want) {
					t.Errorf("%s, %s: the letter %s does not say %q:\n%s\n%s", role, l, name, want, letter.Plain, letter.Brief)
				}
				webtest.Lacks(t, name, letter.Plain, "Foyer:")
			}
		}
	}
	text := read(webtest.Page(t, r, webtest.View{Page: "night"}.As(web.Door), h.Snapshot(), webtest.At("12:00")))
	webtest.Wants(t, "what happened", text, "too full · Club · 40 of 30 at 20:05", "too full · Trio nobody")
	q := webtest.View{Page: "night"}.As(web.Manager)
	q.Access = q.Access.InHalls("Foyer")
	if got := webtest.Content(t, r, q, h.Snapshot(), webtest.At("12:00")).HTML["passed"]; !strings.Contains(got, ` hidden`) || strings.Contains(got, "Kelder") {
		t.Errorf("who sees another hall is told %s", got)
	}
}

// The line of a hall at the foot is drawn around when it was too full, and not across the people of other halls.
func TestLineOfAHallCrossesNoOther(t *testing.T) {
	halls := []evening.HallCrowd{{Inside: []int{0, 0, 10, 25, 40, 40, 25, 10, 0}}, {Inside: []int{90, 90, 15, 0, 50, 50, 0, 0, 90}}}
	for allowed, want := range map[int][2]int{30: {2, 8}, 20: {3, 8}, 40: {2, 8}, 200: {0, 9}} {
		if from, to := night.OwnStretch(halls, allowed); from != want[0] || to != want[1] {
			t.Errorf("of %d allowed it is from %d until %d, want %d", allowed, from, to, want)
		}
	}
}

// The people allowed in one hall of several have a line where more were inside: it stands at the foot.
func TestLineOfAHallAtTheFoot(t *testing.T) {
	r := webtest.Renderer(t)
	for _, c := range []struct {
		kelder, foyer int64
		line          string // empty for none
	}{
		{30, 10, "Kelder: 30 allowed"}, // too full, which is not sure of the other
		{30, 30, "Kelder: 30 allowed"},
		{39, 90, "Kelder: 39 allowed"},
		{41, 90, ""}, // 40 came
		{90, 28, ""},
		{100, 100, ""},
	} {
		h := tooFull()
		for hall, n := range map[string]int64{"Kelder": c.kelder, "Foyer": c.foyer} {
			h.Apply(&record.Setting{Name: record.SettingLicensed, Of: hall, Value: &n, At: webtest.ShowTime.AddDate(0, 0, -8)})
		}
		chart := string(webtest.Content(t, r, webtest.View{Page: "night"}.As(web.Manager), h.Snapshot(), webtest.At("12:00")).Charts["chart-crowd"])
		if has := strings.Contains(chart, "licensed-hall"); has != (c.line != "") || has && !strings.Contains(chart, c.line) {
			t.Errorf("of %d and %d: %s, want %q", c.kelder, c.foyer, chart, c.line)
		}
		hall, _, _ := strings.Cut(c.line, ":")
		if k, f := strings.Index(chart, "hall-Kelder"), strings.Index(chart, "hall-Foyer"); hall != "" && (k < f) != (hall == "Kelder") {
			t.Errorf("of %d and %d: %s is not at the foot", c.kelder, c.foyer, hall)
		}
	}
}

// What was raised on a day is in its report, also where sales of days before had led to it.
func TestHappenedIsOfTheDayOfTheAlert(t *testing.T) {
	r, h := webtest.Renderer(t), tooFull()
	h.Apply(&record.RaisedAlert{Alert: "over_licensed:evt_club", Number: 1, Level: "bad", EventID: "evt_club", Raised: webtest.At("17:00").AddDate(0, 0, -1), Since: webtest.At("12:00").AddDate(0, 0, -5), Cleared: webtest.At("18:00").AddDate(0, 0, -1)})
	text := read(webtest.Page(t, r, webtest.View{Page: "night"}.As(web.Door), h.Snapshot(), webtest.At("12:00")))
	webtest.Wants(t, "the report of the day", text, "17:00–18:00 More sold than allowed in the hall · Club")
}

// An alert about places has what it counted when it was raised and at its end, where that is more, and when it was taken on also if it
// has grown since.
func TestHappenedHasHowAnAlertGrew(t *testing.T) {
	r, h := webtest.Renderer(t), tooFull()
	at := func(clock string) time.Time { return webtest.At(clock).AddDate(0, 0, -1) }
	for _, a := range []record.RaisedAlert{
		{Alert: "over_licensed:evt_club", First: 291, Last: 327, Took: []string{"Mia"}, Taken: at("19:12")},
		{Alert: "oversold:evt_club", First: 2, Last: 5, By: []string{"Joost"}, Taken: at("19:30")},
		{Alert: "blocked_sold:evt_club", First: 1, Last: 3},
		{Alert: "oversold:evt_foyer", First: 5, Last: 2},
		{Alert: "few_left:evt_foyer", First: 2, Last: 9},
	} {
		a.Number, a.Level, a.Raised, a.Cleared = 1, "bad", at("19:05"), at("23:35")
		_, a.EventID, _ = strings.Cut(a.Alert, ":")
		h.Apply(&a)
	}
	text := read(webtest.Page(t, r, webtest.View{Page: "night"}.As(web.Manager), h.Snapshot(), webtest.At("12:00")))
	webtest.Wants(t, "the report", text, "19:05–23:35 More sold than allowed in the hall · Club · 291 → 327 sold 19:12 Mia", "Sold without a seat · Club · 2 → 5 without a seat 19:30 Joost",
		"· Club · 1 → 3 blocked places sold", "Sold without a seat · Trio nobody", "Few places left · Trio nobody")
}
