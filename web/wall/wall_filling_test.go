package wall_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// fillingHall is a house with a hall in which people are scanned out and of which so many are allowed: its performance, with 320
// expected, begins at 20:00, and some have come since 19:00, three a minute. Where none are allowed, no number is set.
func fillingHall(allowed int64, come int) *webtest.House { return fillingUntil(allowed, come, "19:52") }

func fillingUntil(allowed int64, come int, clock string) *webtest.House {
	h := webtest.NewHouse()
	pastNights(h, 0, 4)
	e := h.Event("evt_full", "Volle Bak", "Zaal", "19:00", "20:00", 400)
	h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 320, Scans: true,
		In: []webtest.GateIn{{Gate: "A", N: come, From: webtest.At(clock).Add(-time.Duration(come) * 20 * time.Second), To: webtest.At(clock)}}})
	if allowed > 0 {
		h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Zaal", Value: &allowed, At: webtest.ShowTime.AddDate(0, 0, -9)})
	}
	return h
}

// pastNights adds nights in the hall to a house, on which all come from forty to five minutes before the curtain.
func pastNights(h *webtest.House, from, to int) { pastNightsIn(h, "Zaal", from, to) }

func pastNightsIn(h *webtest.House, hall string, from, to int) {
	for night := from; night < to; night++ {
		past := h.Event(fmt.Sprint("evt_past", hall, night), "Eerder", hall, "19:00", "20:00", 400, webtest.OnDay(-1-night))
		for i := range 60 {
			in := past.DoorsAt.Add(time.Duration(20+i%35) * time.Minute)
			h.Apply(&record.Ticket{ID: fmt.Sprint(past.ID, i), EventID: past.ID, Status: record.TicketValid, SoldAt: past.DoorsAt.AddDate(0, 0, -3), UpdatedAt: past.EndsAt,
				Scans: []record.Scan{{At: in, Gate: "A", Direction: record.Entry}, {At: past.EndsAt.Add(time.Duration(i%5) * time.Minute), Gate: "A", Direction: record.Exit}}})
		}
	}
}

// How many may still enter a hall is said wherever somebody sees who is to come, the number of those inside has the level of the
// fullest hall, and nobody is told that it begins on time while nobody may be let in.
func TestFillingHallIsSaidEverywhere(t *testing.T) {
	r := webtest.Renderer(t)
	for _, c := range []struct {
		name         string
		allowed      int64
		come         int
		alert, enter string
		verdict      string // in the row of Tonight, and its class
		level        string // of those inside
	}{
		{"room for all", 400, 150, "", "", "", ""},
		{"more to come than may enter", 280, 150, "Zaal : 130 more may enter, up to 40 find no room . 150 of 280 are inside, 170 still to come.", "130 more may enter", "", ""},
		{"nearly full", 160, 150, "Zaal is full any minute: 10 more may enter . 150 of 160 are inside. 170 still to come: up to 160 find no room.", "10 more may enter", "", "bad"},
		{"too many", 120, 150, "30 people too many in Zaal : let nobody else in . 150 are inside, 120 are allowed. 3 too many at 19:42, 27 more in since, 0 out.", "more may enter", `verdict bad">30 too many · let nobody in`, "bad"},
	} {
		h := fillingHall(c.allowed, c.come)
		for _, role := range []web.Role{web.Door, web.Manager} {
			read := func(v webtest.View) map[string]string {
				return webtest.Content(t, r, v.As(role), h.Snapshot(), webtest.ShowTime).HTML
			}
			tonight, wall, event := read(webtest.View{Page: "tonight"}), read(webtest.HallView("Zaal")), read(webtest.EventPart("evt_full", ""))
			row := tonight["shows-00"]
			for place, html := range map[string]string{"Tonight": tonight["attention"], "the wall": wall["wall-note"], "the event": event["attention"]} {
				if strings.Count(webtest.FigureText(html), "no room") > 1 {
					t.Errorf("%s, %s: two orders for the doors on %s: %s", c.name, role, place, webtest.FigureText(html))
				}
				if got := webtest.FigureText(html); c.alert == "" && strings.Contains(got, "Zaal") || !strings.Contains(got, c.alert) {
					t.Errorf("%s, %s: %s needs attention: %q, want %q", c.name, role, place, got, c.alert)
				}
			}
			for place, html := range map[string]string{"Tonight": row, "the wall": wall["wall-main"], "the event": event["figs"], "the gates": read(webtest.View{Page: "arrivals", Params: webtest.HallView("Zaal").Params})["arrivals"]} {
				want := c.enter
				if place == "the wall" && c.name == "too many" {
					want = "30 too many"
				}
				if got := webtest.FigureText(html); strings.Contains(got, "may enter") != strings.Contains(want, "may enter") || !strings.Contains(got, want) {
					t.Errorf("%s, %s: %s says %q, want %q", c.name, role, place, got, want)
				}
			}
			for place, html := range map[string]string{"the wall": wall["wall-main"], "the house": read(webtest.View{Page: "wall"})["wall-main"], "the event": event["figs"]} {
				calm := `people"`
				if strings.Contains(html, calm) != (c.level == "") || c.level != "" && !strings.Contains(html, c.level+`"`) { // as the alert is
					t.Errorf("%s, %s: the people inside are not %q on %s: %s", c.name, role, c.level, place, html)
				}
			}
			level := regexp.MustCompile(`class="c (bad|warn)"`).FindStringSubmatch(tonight["figs"])
			if want := c.level; len(level) > 0 != (want != "") || want != "" && level[1] != want {
				t.Errorf("%s, %s: the hall is said on Tonight as %v", c.name, role, level)
			}
			for place, html := range map[string]string{"the alert": tonight["attention"], "the row": row, "the wall": wall["wall-main"], "the wall's alert": wall["wall-note"]} {
				if plate := strings.Contains(html, "excess"); plate != (c.name == "too many") { // how many may enter is a plain number
					t.Errorf("%s, %s: %s is a plate: %t: %s", c.name, role, place, plate, html)
				}
			}
			if got := strings.Join(strings.Fields(webtest.OneElementALine(t, row)), " "); c.verdict != "" && !strings.Contains(got, "30 too many") {
				t.Errorf("%s: the row says %s", c.name, got)
			}
			for place, html := range map[string]string{"Tonight": row, "the wall": wall["wall-main"], "the event": event["figs"]} {
				got := webtest.FigureText(html)
				if calm := strings.Contains(got, "Start on time"); calm && c.verdict != "" {
					t.Errorf("%s: %s says that it begins on time: %s", c.name, place, got)
				}
				if c.verdict != "" {
					webtest.Wants(t, c.name+", "+place, got, "30 too many", "let nobody in")
				}
			}
			gates := read(webtest.View{Page: "arrivals", Params: webtest.HallView("Zaal").Params})["arrivals"]
			if said := strings.Contains(webtest.FigureText(gates), fmt.Sprintf("Zaal : 150 of %d allowed", c.allowed)); said != (c.level != "") {
				t.Errorf("%s: that the hall fills is said at its gates: %t: %s", c.name, said, webtest.FigureText(gates))
			}
			for place, html := range map[string]string{"Tonight": row, "the wall": wall["wall-main"], "the gates": gates} {
				if over := strings.Contains(html, `<rect class="fits" fill="var(--bad)" x="0.00%" width="80.00%" height="100%"></rect><rect class="over" fill="var(--bad)" stroke="var(--paper)" x="80.00%"`); over != (c.allowed == 120) {
					t.Errorf("%s: the bar of the people has a part over what is allowed on %s: %t: %s", c.name, place, over, html)
				}
			}
			said := fmt.Sprintf("150 inside , %d allowed", c.allowed) // the main number
			if got := strings.ReplaceAll(webtest.FigureText(wall["wall-main"]), "\u00a0", " "); strings.Contains(got, said) != (c.level != "") {
				t.Errorf("%s: the wall of the hall says %q of %q", c.name, got, said)
			}
			if places := webtest.FigureText(wall["wall-main"]); strings.Contains(places, fmt.Sprintf("%d allowed", c.allowed)) != (c.allowed < 400) {
				t.Errorf("%s: the places of the hall are %q", c.name, places)
			}
		}
	}
}

// An alert of how many are inside has the minute of its numbers where that is not now.
func TestAlertOfPeopleHasItsMinute(t *testing.T) {
	r := webtest.Renderer(t)
	for allowed, said := range map[int64]string{280: "170 still to come.", 160: "up to 160 find no room.", 150: "Let nobody else in.", 120: "120 are allowed."} {
		h := fillingHall(allowed, 150)
		h.AsOf, h.Health = webtest.ShowTime, webtest.Healthy(webtest.ShowTime)
		for now, stale := range map[string]bool{"19:53": false, "19:57": true} {
			for place, v := range map[string]webtest.View{"attention": {Page: "tonight"}, "wall-note": webtest.HallView("Zaal")} {
				got := strings.ReplaceAll(webtest.FigureText(webtest.Content(t, r, v.As(web.Door), h.Snapshot(), webtest.At(now)).HTML[place]), "\u00a0", " ")
				webtest.Wants(t, now, got, said)
				if main := webtest.Content(t, r, webtest.HallView("Zaal").As(web.Door), h.Snapshot(), webtest.At(now)).HTML["wall-main"]; allowed <= 160 && !strings.Contains(main, `class="first people bad"`) {
					t.Errorf("%d allowed: the number has not the colour of its alert: %s", allowed, main)
				}
				if strings.Contains(got, "As of 19:5") != stale {
					t.Errorf("%d allowed, %s, %s: %q", allowed, place, now, got)
				}
			}
		}
	}
}

// Where only the building has a licensed number, how many may still enter, about when it is full and who finds no room is said of it
// wherever it would be of a hall.
func TestBuildingAloneFillsUp(t *testing.T) {
	r := webtest.Renderer(t)
	for _, c := range []struct {
		name         string
		allowed      int64
		come         int
		clock        string
		alert, enter string
		main, house  string // on the wall of the hall and of the house, where it fills up
	}{
		{"room for all", 800, 150, "19:52", "", "", "", ""},
		{"more to come than may enter", 210, 60, "19:35", "The building fills up about 19:55: 130 more may enter, up to 170 find no room . 80 of 210 are inside, 300 still to come.", "130 more may enter, full about 19:55", "", ""},
		{"nearly full", 180, 150, "19:52", "The building is full any minute: 10 more may enter . 170 of 180 are inside. 210 still to come: up to 200 find no room.", "10 more may enter, full any minute", "10 more may enter full any minute The building: 170 of 180 allowed", "10 more may enter full any minute 380 of 500 places sold"},
		{"full", 170, 150, "19:52", "The building is full: 170 people are inside and 170 are allowed", "no more may enter", "0 more may enter The building: 170 of 170 allowed", "0 more may enter 380 of 500 places sold"},
	} {
		h, at := fillingUntil(0, c.come, c.clock), webtest.At(c.clock)
		pastNights(h, 4, 9)
		h.Apply(&record.Setting{Name: record.SettingLicensed, Value: &c.allowed, At: webtest.ShowTime.AddDate(0, 0, -9)})
		pastNightsIn(h, "Foyer", 0, 4)
		foyer := h.Event("evt_foyer", "Rustig", "Foyer", "19:00", "20:00", 100)
		h.Sell(foyer, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 60, Scans: true,
			In: []webtest.GateIn{{Gate: "A", N: 20, From: webtest.At("19:02"), To: webtest.At("19:12")}}})
		h.AsOf, h.Health = at, webtest.Healthy(at)
		read := func(v webtest.View) map[string]string {
			return webtest.Content(t, r, v.As(web.Door), h.Snapshot(), at).HTML
		}
		tonight, event, wall, house := read(webtest.View{Page: "tonight"}), read(webtest.EventPart("evt_full", "")), read(webtest.HallView("Zaal")), read(webtest.View{Page: "wall"})
		text := func(html string) string { return strings.ReplaceAll(webtest.FigureText(html), "\u00a0", " ") }
		for place, html := range map[string]string{"Tonight": tonight["attention"], "the wall": wall["wall-note"], "the event": event["attention"]} {
			if got := text(html); c.alert == "" && strings.Contains(got, "building") || !strings.Contains(got, c.alert) {
				t.Errorf("%s: %s needs attention: %q, want %q", c.name, place, got, c.alert)
			}
		}
		for place, html := range map[string]string{"Tonight": tonight["shows-00"], "its other row": tonight["shows-01"], "the event": event["figs"], "the gates": read(webtest.View{Page: "arrivals", Params: webtest.HallView("Zaal").Params})["arrivals"]} {
			if got := text(html); strings.Contains(got, "may enter") != (c.enter != "") || !strings.Contains(got, c.enter) {
				t.Errorf("%s: %s says %q, want %q", c.name, place, got, c.enter)
			}
		}
		if got, want := regexp.MustCompile(`class="v (bad|warn)"`).FindStringSubmatch(tonight["figs"]), map[string]string{"nearly full": "bad", "full": "bad"}[c.name]; len(got) > 0 != (want != "") || want != "" && got[1] != want {
			t.Errorf("%s: the building is said on Tonight as %v: %s", c.name, got, tonight["figs"])
		}
		if got := text(wall["wall-main"]); strings.Contains(got, "The building:") != (c.main != "") || !strings.Contains(got, c.main) {
			t.Errorf("%s: the wall has %q, want %q", c.name, got, c.main)
		}
		if got := text(house["wall-main"]); strings.Contains(got, "more may enter") != (c.house != "") || !strings.Contains(got, c.house) {
			t.Errorf("%s: the wall of the house has %q, want %q", c.name, got, c.house)
		}
	}
}

// Who is out and may come back counts against the licence as who is still to come does, and is named beside them: the numbers of the
// alert add up.
func TestWhoIsOutFindsNoRoomEither(t *testing.T) {
	r := webtest.Renderer(t)
	for _, c := range []struct {
		name          string
		allowed       int64
		waiting, out  int
		clock         string
		language      web.Locale
		first, second string
	}{
		{"nearly full", 155, 10, 8, "19:52", "en", "5 more may enter . 150 of 155 are inside.", "10 still to come, 8 out: up to 13 find no room."},
		{"nearly full", 155, 10, 8, "19:52", "nl", "nog ruimte voor 5 . 150 van 155 zijn binnen.", "10 nog verwacht, 8 buiten: voor hoogstens 13 is geen ruimte."},
		{"nearly full", 155, 10, 8, "19:52", "de", "Einlass noch für 5 . 150 von 155 sind drin.", "10 noch erwartet, 8 draußen: für bis zu 13 ist kein Platz."},
		{"nobody is still to come", 155, 0, 8, "19:52", "en", "5 more may enter . 150 of 155 are inside. 8 out: up to 3 find no room.", ""},
		{"long before it is nearly full", 280, 140, 8, "19:52", "en", "130 more may enter, up to 18 find no room . 150 of 280 are inside, 140 still to come, 8 out.", ""},
		{"nobody is out", 155, 10, 0, "19:52", "en", "5 more may enter . 150 of 155 are inside.", "10 still to come: up to 5 find no room."},
	} {
		h := webtest.NewHouse()
		h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Zaal", Value: &c.allowed, At: webtest.ShowTime.AddDate(0, 0, -9)})
		pastNights(h, 0, 4)
		e := h.Event("evt_full", "Volle Bak", "Zaal", "19:00", "20:00", 400)
		scanned := func(id string, n int, at ...string) {
			for i := range n {
				ticket := &record.Ticket{ID: fmt.Sprint(id, i), EventID: e.ID, Status: record.TicketValid, SoldAt: webtest.ShowTime.AddDate(0, 0, -3), UpdatedAt: webtest.At(c.clock), Scans: []record.Scan{}}
				for j, at := range at {
					ticket.Scans = append(ticket.Scans, record.Scan{At: webtest.At(at), Gate: "A", Direction: []record.Direction{record.Entry, record.Exit}[j]})
				}
				h.Apply(ticket)
			}
		}
		scanned("in", 145, "19:15")
		scanned("late", 5, "19:50")
		scanned("out", c.out, "19:16", "19:45")
		scanned("waiting", c.waiting)
		q := webtest.View{Page: "tonight"}.As(web.Door)
		q.Locale = c.language
		got := strings.ReplaceAll(webtest.FigureText(webtest.Content(t, r, q, h.Snapshot(), webtest.At(c.clock)).HTML["attention"]), "\u00a0", " ")
		webtest.Wants(t, c.name, got, c.first, c.second)
	}
}

// Where a hall is too full and the building is not, the number of the building is calm beside the name and the numbers of the hall,
// and the row of its performance has its colour and how many are allowed; other rows have neither.
func TestTooFullHallLeavesTheBuildingCalm(t *testing.T) {
	r := webtest.Renderer(t)
	for _, c := range []struct {
		building int64
		level    string // of the number of the building, and then nothing of the hall
	}{{1600, ""}, {150, "bad"}} {
		h := fillingHall(120, 150)
		h.Apply(&record.Setting{Name: record.SettingLicensed, Value: &c.building, At: webtest.ShowTime.AddDate(0, 0, -9)})
		foyer := h.Event("evt_foyer", "Rustig", "Foyer", "19:10", "20:10", 100)
		h.Sell(foyer, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 30, Scans: true,
			In: []webtest.GateIn{{Gate: "A", N: 20, From: webtest.At("19:20"), To: webtest.At("19:40")}}})
		for language, said := range map[web.Locale]string{"en": "Zaal : 150 of 120 allowed", "nl": "Zaal : 150 van 120 toegestaan", "de": "Zaal : 150 von 120 zulässigen"} {
			read := func(page string) map[string]string {
				q := webtest.View{Page: page}.As(web.Door)
				q.Locale = language
				return webtest.Content(t, r, q, h.Snapshot(), webtest.ShowTime).HTML
			}
			tonight, wall := read("tonight"), read("wall")["wall-main"]
			for place, html := range map[string]string{"Tonight": tonight["figs"], "the wall": wall} {
				number, hall := `class="v people"`, `class="c bad"`
				if place == "the wall" {
					number, hall = `class="first people"`, `class="second excess people bad"`
				}
				if strings.Contains(html, number) != (c.level == "") || strings.Contains(html, hall) != (c.level == "" || place == "the wall") {
					t.Errorf("%d allowed, %s: %s", c.building, place, html)
				}
				if got := webtest.FigureText(html); c.level == "" && !strings.Contains(strings.ReplaceAll(got, "\u00a0", " "), said) {
					t.Errorf("%s says %q, want %q", place, got, said)
				}
			}
			if row := tonight["shows-00"]; !strings.Contains(row, `class="arrived bad"`) || language == "en" && !strings.Contains(webtest.FigureText(row), "sold, 120 allowed") {
				t.Errorf("the row of the hall is %s", row)
			}
			if row := tonight["shows-01"]; !strings.Contains(row, `class="arrived"`) || strings.Contains(webtest.FigureText(row), "120") {
				t.Errorf("the row of another hall is %s", row)
			}
		}
	}
}

// Nobody is let in to a hall that is full after the curtain either, and its bar marks how many are allowed where more are inside. Where some
// went out who may come back, how many are allowed stays.
func TestFullHallAfterTheCurtain(t *testing.T) {
	r := webtest.Renderer(t)
	for _, c := range []struct {
		name         string
		allowed      int64
		out          int
		full, marked bool
		allowedSaid  int
	}{
		{"too many", 120, 0, true, true, 1},
		{"room for all", 400, 0, false, false, 0},
		{"many went out", 160, 40, false, false, 2},               // the other is when too many were inside
		{"room for more than went out", 220, 40, false, false, 1}, // beside the places sold
	} {
		h := fillingHall(c.allowed, 150)
		at := webtest.At("20:05")
		for i := range c.out {
			h.Apply(&record.Ticket{ID: fmt.Sprint("out", i), EventID: "evt_full", Status: record.TicketValid, SoldAt: at.AddDate(0, 0, -3), UpdatedAt: at,
				Scans: []record.Scan{{At: webtest.At("19:20"), Gate: "A", Direction: record.Entry}, {At: webtest.At("20:01"), Gate: "A", Direction: record.Exit}}})
		}
		h.AsOf, h.Health = at, webtest.Healthy(at)
		html := webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Door), h.Snapshot(), at).HTML["shows-00"]
		row := webtest.FigureText(html)
		if got := strings.Contains(row, "let nobody in"); got != c.full {
			t.Errorf("%s: nobody is to be let in: %t: %s", c.name, got, row)
		}
		if got := strings.Count(row, fmt.Sprintf("%d allowed", c.allowed)); got != c.allowedSaid {
			t.Errorf("%s: how many are allowed is said %d times: %s", c.name, got, row)
		}
		_, bar, _ := strings.Cut(html, `class="arrived`)
		if got := strings.Contains(bar, `class="over"`); got != c.marked {
			t.Errorf("%s: the bar has a part over what is allowed: %t: %s", c.name, got, bar)
		}
	}
}

// How many too many are inside stands in the order to let nobody in, wherever it is; the alert is a plate then, and not where it is full. Once the
// performance has begun, its page says so beside it, and not when the curtain was.
func TestOrderSaysHowManyAreTooMany(t *testing.T) {
	r := webtest.Renderer(t)
	for _, c := range []struct {
		allowed            int64
		clock, order, note string
		plate              bool
		phase              string
	}{
		{150, "19:52", "Full", "Zaal is full: 150 people are inside", false, "Curtain 20:00"},
		{145, "19:52", "5 too many", "5 people too many in Zaal : let nobody else in", true, "Curtain 20:00"},
		{142, "19:52", "8 too many", "8 people too many in Zaal : let nobody else in", true, "Curtain 20:00"},
		{120, "20:05", "30 too many", "30 people too many in Zaal : let nobody else in", true, "Running"},
	} {
		h, at := fillingHall(c.allowed, 150), webtest.At(c.clock)
		h.AsOf, h.Health = at, webtest.Healthy(at)
		read := func(v webtest.View) map[string]string {
			return webtest.Content(t, r, v.As(web.Door), h.Snapshot(), at).HTML
		}
		tonight, wall, event := read(webtest.View{Page: "tonight"}), read(webtest.HallView("Zaal")), read(webtest.EventPart("evt_full", ""))
		for place, html := range map[string]string{"Tonight": tonight["shows-00"], "the wall": wall["wall-main"], "the event": event["figs"], "the gates": read(webtest.View{Page: "arrivals", Params: webtest.HallView("Zaal").Params})["arrivals"]} {
			if got := strings.ReplaceAll(webtest.FigureText(html), "\u00a0", " "); !strings.Contains(got, c.order) || !strings.Contains(got, "let nobody in") {
				t.Errorf("%d allowed: %s says %q, want %q", c.allowed, place, got, c.order)
			}
		}
		for place, html := range map[string]string{"Tonight": tonight["attention"], "the wall": wall["wall-note"], "the event": event["attention"]} {
			got := strings.ReplaceAll(webtest.FigureText(html), "\u00a0", " ")
			if plate := strings.Contains(html, "bad excess"); plate != c.plate || !strings.Contains(got, c.note) {
				t.Errorf("%d allowed: the alert on %s is a plate: %t: %q", c.allowed, place, plate, got)
			}
		}
		got := webtest.FigureText(event["figs"])
		webtest.Wants(t, "the event", got, c.phase)
		if c.phase == "Running" {
			webtest.Lacks(t, "the event", got, "Curtain")
		}
	}
}

// Once nobody more is to come, the alert of a hall with too many is about who is inside, and since when, and whoever is out is not let back in. As
// long as anybody may come, it is an order for the doors.
func TestTooManyOnceNobodyIsAwaited(t *testing.T) {
	r := webtest.Renderer(t)
	for _, c := range []struct {
		name, clock string
		out         int
		change      func(*webtest.House)
		want        string
	}{
		{"nobody", "20:50", 0, nil, "30 people too many in Zaal since 19:42 . 200 are inside, 170 are allowed."},
		{"who is out", "20:50", 10, nil, "30 people too many in Zaal since 19:38 . 200 are inside, 170 are allowed. Let nobody back in."},
		{"who is late", "20:29", 0, nil, "30 people too many in Zaal : let nobody else in ."},
		{"all sold are in, and more are sold", "20:50", 0, func(h *webtest.House) {
			e := h.Event("evt_next", "Nog een", "Zaal", "20:30", "21:00", 50)
			h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 5, Scans: true, In: []webtest.GateIn{{Gate: "A", N: 5, From: webtest.At("20:31"), To: webtest.At("20:32")}}})
		}, "35 people too many in Zaal : let nobody else in ."},
	} {
		h, at := fillingHall(170, 200), webtest.At(c.clock)
		for i := range c.out {
			h.Apply(&record.Ticket{ID: fmt.Sprint("out", i), EventID: "evt_full", Status: record.TicketValid, SoldAt: at.AddDate(0, 0, -3), UpdatedAt: at,
				Scans: []record.Scan{{At: webtest.At("19:20"), Gate: "A", Direction: record.Entry}, {At: webtest.At("20:31"), Gate: "A", Direction: record.Exit}}})
		}
		if c.change != nil {
			c.change(h)
		}
		h.AsOf, h.Health = at, webtest.Healthy(at)
		got := strings.ReplaceAll(webtest.FigureText(webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Door), h.Snapshot(), at).HTML["attention"]), "\u00a0", " ")
		webtest.Wants(t, "the alert, "+c.name, got, c.want)
		if !strings.Contains(c.want, "else") {
			webtest.Lacks(t, "the alert, "+c.name, got, "let nobody else in")
		}
	}
}

// Where a hall fills up, how many more may enter has a place of its own on its wall and on the house's, with about when it is full, and who is
// inside stays the main number; before that the row, the alert, the page and the gates say about when it will be, as soon as more are to come than may enter. Until the
// doors open the main number is how full the sale is.
func TestWhenAHallIsFullIsSaidAhead(t *testing.T) {
	r := webtest.Renderer(t)
	for _, c := range []struct {
		name    string
		allowed int64
		come    int
		clock   string
		main    string
		second  string
		about   string // when it is full, on the pages and in the alert
	}{
		{"fills up", 160, 150, "19:52", "150 inside , 160 allowed", "10 more may enter full any minute 320 of 400 places sold", "full any minute"},
		{"more to come than may enter", 150, 60, "19:35", "60 inside", "80%", "full about 19:45"},
		{"room for all", 400, 60, "19:52", "60 inside", "80%", ""},
		{"before the doors", 250, 0, "18:40", "80 %", "", ""},
	} {
		h, at := fillingUntil(c.allowed, c.come, c.clock), webtest.At(c.clock)
		pastNights(h, 4, 9)
		h.AsOf, h.Health = at, webtest.Healthy(at)
		read := func(v webtest.View) map[string]string {
			return webtest.Content(t, r, v.As(web.Door), h.Snapshot(), at).HTML
		}
		tonight, event := read(webtest.View{Page: "tonight"}), read(webtest.EventPart("evt_full", ""))
		wall, house := read(webtest.HallView("Zaal"))["wall-main"], read(webtest.View{Page: "wall"})["wall-main"]
		for place, html := range map[string]string{"Tonight": tonight["shows-00"], "the event": event["figs"], "the wall": wall, "the house": house, "the gates": read(webtest.View{Page: "arrivals", Params: webtest.HallView("Zaal").Params})["arrivals"]} {
			if got := strings.ReplaceAll(webtest.FigureText(html), "\u00a0", " "); strings.Contains(got, "full about") != strings.HasPrefix(c.about, "full about") || !strings.Contains(got, c.about) {
				t.Errorf("%s: %s says %q, want %q", c.name, place, got, c.about)
			}
		}
		if got := webtest.FigureText(tonight["attention"]); c.about == "full any minute" && !strings.Contains(got, "Zaal is full any minute") || strings.HasPrefix(c.about, "full about") && !strings.Contains(got, "fills up about "+c.about[len(c.about)-5:]) {
			t.Errorf("%s: the alert is %q", c.name, got)
		}
		for place, html := range map[string]string{"the wall": wall, "the house": house} {
			first, second, _ := strings.Cut(html, `<div class="second`)
			if got := strings.ReplaceAll(webtest.FigureText(`<div class="second`+second), "\u00a0", " "); !strings.Contains(got, c.second) {
				t.Errorf("%s: the second number of %s is %q, want %q", c.name, place, got, c.second)
			}
			if got := strings.ReplaceAll(webtest.FigureText(first), "\u00a0", " "); !strings.HasPrefix(strings.TrimSpace(got), c.main) && !strings.Contains(got, " "+c.main) {
				t.Errorf("%s: the main number of %s is %q, want %q", c.name, place, got, c.main)
			}
		}
	}
}

// A sale that is to be stopped and goes on stands before all but what the doors must do at once, where a hall holds too many or fills up, with how many were sold since somebody took its
// alert on or else since it was raised; once nothing is sold any more it has its place among the others.
func TestSaleThatGoesOnStandsFirst(t *testing.T) {
	r := webtest.Renderer(t)
	for _, c := range []struct {
		name       string
		sold       int // from 19:10 to 19:40
		taken, out string
		first      bool
	}{
		{"raised days ago", 9, "", "9 sold in 1 h.", true},
		{"taken on", 9, "19:25", "5 sold since 19:25.", true},
		{"it stopped", 0, "19:25", "", false},
		{"it stopped, and nobody took it on", 0, "", "", false},
		{"it stopped once somebody took it on", 9, "19:41", "", false},
	} {
		for _, other := range []struct {
			name    string
			allowed int64
			come    int
			atOnce  bool // the doors have to do it within minutes
		}{{"30 people too many", 120, 150, true}, {"6 more may enter", 120, 114, true}, {"130 more may enter, up to", 280, 150, false}} {
			h := fillingHall(other.allowed, other.come)
			tooMany, sold := fmt.Sprintf("%d too many .", int64(320+c.sold)-other.allowed), fmt.Sprintf(" %d sold, %d allowed.", 320+c.sold, other.allowed)
			e := h.Snapshot().Event("evt_full").Event
			h.Sell(&e, webtest.Sale{From: webtest.At("19:10"), To: webtest.At("19:40"), Paid: c.sold})
			if c.taken != "" {
				at := webtest.At(c.taken)
				h.Apply(&record.Acknowledgement{Alert: "over_licensed:evt_full", At: at, By: "Mia", Personal: true, Count: map[string]int{"19:25": min(324, 320+c.sold), "19:41": 320 + c.sold}[c.taken]})
			}
			for place, v := range map[string]webtest.View{"Tonight": {Page: "tonight"}, "the wall": webtest.HallView("Zaal"), "the event": webtest.EventPart("evt_full", "")} {
				html := webtest.Content(t, r, v.As(web.BoxOffice), h.Snapshot(), webtest.ShowTime).HTML
				got := strings.ReplaceAll(webtest.FigureText(html["attention"]+html["wall-note"]), "\u00a0", " ")
				stop, others := strings.Index(got, "Stop the sale"), strings.Index(got, other.name)
				out := strings.TrimSpace(tooMany + sold + " " + c.out)
				if place == "Tonight" { // its row says how many are sold and allowed
					out = strings.TrimSpace(tooMany + " " + c.out)
				}
				if !strings.Contains(got, out) || stop < 0 || others < 0 || stop < others != (c.first && !other.atOnce) || strings.Contains(got, "sold since") != strings.Contains(c.out, "sold since") {
					t.Errorf("%s, %s, %s: %s", c.name, other.name, place, got)
				}
			}
		}
	}
	h := fillingHall(322, 150)
	e := h.Snapshot().Event("evt_full").Event
	h.Sell(&e, webtest.Sale{From: webtest.At("19:10"), To: webtest.At("19:40"), Paid: 9})
	got := webtest.FigureText(webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.BoxOffice), h.Snapshot(), webtest.ShowTime).HTML["attention"])
	webtest.Wants(t, "raised tonight", strings.ReplaceAll(got, "\u00a0", " "), "7 too many . 5 sold since 19:36.")
	webtest.Lacks(t, "raised tonight", got, "19:36. since")
}
