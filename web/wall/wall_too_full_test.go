package wall_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// The main number of a wall stays the people inside of what the wall is about. Where that, or another place that the wall is about, holds as
// many as are allowed or more, that none may enter comes second, with the place where it is another, and else how full the sale is.
func TestTooManyPeopleAreTheMainNumber(t *testing.T) {
	r := webtest.Renderer(t)
	for _, c := range []struct {
		name              string
		allowed, building int64
		wall              webtest.View
		first             string
		bad               bool // the main number has the colour of the alert
		second            string
	}{
		{"as many as are allowed", 150, 1600, webtest.View{Page: "wall"}, "170 in the building , 1,600 allowed", false, "0 more may enter Zaal : 150 of 150 allowed"},
		{"too many, the house", 120, 1600, webtest.View{Page: "wall"}, "170 in the building , 1,600 allowed", false, "30 too many Zaal : 150 of 120 allowed"},
		{"too many, its hall", 120, 1600, webtest.HallView("Zaal"), "150 inside , 120 allowed, 170 still to come", true, "30 too many 320 of 400 places sold let nobody in"},
		{"too many, its performance", 120, 1600, webtest.View{Page: web.PerformancePage, Params: webtest.EventPart("evt_full", "").Params}, "150 inside , 120 allowed, 170 still to come", true, "30 too many 320 of 400 places sold let nobody in"},
		{"too many, another hall", 120, 1600, webtest.HallView("Foyer"), "20", false, "30%"},
		{"too many in the building", 400, 140, webtest.View{Page: "wall"}, "170 in the building , 140 allowed, 180 still to come", true, "≥ 10 too many 350 of 500 places sold"},
		{"the building is fuller", 140, 100, webtest.HallView("Zaal"), "150 inside", true, "≥ 50 too many The building: ≤ 170 of 100 allowed let nobody in"},
		{"too many, alone in the house", 120, 1600, webtest.View{Page: "wall"}, "150 inside , 120 allowed, 170 still to come", true, "30 too many 320 of 400 places sold let nobody in"},
		{"one without a hall", 120, 1600, webtest.View{Page: web.PerformancePage, Params: webtest.EventPart("evt_foyer", "").Params}, "20", false, "30%"},
	} {
		hall := "Foyer"
		if c.name == "one without a hall" {
			hall = ""
		}
		h := fillingHall(c.allowed, 150)
		h.Apply(&record.Setting{Name: record.SettingLicensed, Value: &c.building, At: webtest.ShowTime.AddDate(0, 0, -9)})
		if c.name != "too many, alone in the house" {
			h.Sell(h.Event("evt_foyer", "Rustig", hall, "19:10", "20:10", 100), webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 30, Scans: true,
				In: []webtest.GateIn{{Gate: "A", N: 20, From: webtest.At("19:20"), To: webtest.At("19:40")}}})
		}
		main := webtest.Content(t, r, c.wall.As(web.Door), h.Snapshot(), webtest.ShowTime).HTML["wall-main"]
		first, second, _ := strings.Cut(main, `<div class="second`)
		if bad := strings.Contains(first, `<div class="first people bad"`); bad != c.bad || !strings.Contains(first, `<div class="first people`) {
			t.Errorf("%s: the main number is the alert's: %t: %s", c.name, bad, first)
		}
		webtest.Wants(t, c.name, strings.ReplaceAll(webtest.FigureText(first), "\u00a0", " "), c.first)
		webtest.Wants(t, c.name+", second", strings.ReplaceAll(webtest.FigureText(`<div class="second`+second), "\u00a0", " "), c.second)
		if plate := strings.HasPrefix(second, ` excess people bad"`); plate != strings.Contains(c.second, "too many") {
			t.Errorf("%s: how many are too many is a plate: %t: %s", c.name, plate, second)
		}
		if none := strings.HasPrefix(strings.TrimPrefix(second, " excess"), ` people bad"`); none != (strings.Contains(c.second, "may enter") || strings.Contains(c.second, "too many")) {
			t.Errorf("%s: how many are too many is the alert's: %t: %s", c.name, none, second)
		}
		if hall == "" {
			webtest.Lacks(t, c.name, webtest.FigureText(main), "allowed")
		}
	}
}

// The screen of free places says how many of them may be sold, as Tonight does, and strangers are not told of places that may not be
// sold; once a performance has begun, it is said that its free places are still sold, and not until when: the service may end that at any moment.
func TestFreePlacesSayWhatMayBeSold(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	sold := webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 55}
	h.Sell(h.Event("evt_some", "Enkele", "Kelder", "19:30", "20:30", 100, webtest.Available(45)), sold)
	h.Sell(h.Event("evt_none", "Geen", "Zolder", "19:30", "20:30", 100, webtest.Available(45)), sold)
	h.Sell(h.Event("evt_on", "Begonnen", "Foyer", "18:30", "19:40", 100, webtest.Available(44)), sold)
	h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Kelder", Value: new(int64(60)), At: webtest.ShowTime.AddDate(0, 0, -9)})
	h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Zolder", Value: new(int64(55)), At: webtest.ShowTime.AddDate(0, 0, -9)})
	read := func(q web.Request) string {
		return webtest.FigureText(webtest.All(t, webtest.Content(t, r, q, h.Snapshot(), webtest.ShowTime)))
	}
	places := webtest.View{Page: "places"}.As(web.Door)
	webtest.Wants(t, "the screen of staff", read(places), "5 free · 45 empty", "0 free · sell no more, 45 empty")
	places.Access.Public = true
	if got := read(places); strings.Count(got, "Places free") != 1 {
		t.Errorf("strangers are told of places that may not be sold: %s", got)
	}
	for page, q := range map[string]web.Request{"Tonight": webtest.View{Page: "tonight"}.As(web.Door), "the wall": webtest.HallView("Foyer").As(web.Door), "the event": webtest.EventPart("evt_on", "").As(web.Door)} {
		webtest.Wants(t, page, read(q), "still on sale")
	}
}

// A full hall stops people also where no curtain is known, and no verdict on a start is made of it.
func TestFullHallWithoutACurtain(t *testing.T) {
	r, h := webtest.Renderer(t), fillingHall(120, 150)
	e := h.Snapshot().Event("evt_full").Event
	e.StartsAt, e.UpdatedAt = time.Time{}, webtest.At("19:00")
	h.Apply(&e)
	read := func(v webtest.View) map[string]string {
		return webtest.Content(t, r, v.As(web.Door), h.Snapshot(), webtest.ShowTime).HTML
	}
	tonight := read(webtest.View{Page: "tonight"})
	webtest.Wants(t, "what needs attention", webtest.FigureText(tonight["attention"]), "30 people too many in Zaal")
	webtest.Lacks(t, "its figures", webtest.FigureText(read(webtest.EventPart("evt_full", ""))["figs"]), "Curtain")
	webtest.Lacks(t, "its row", webtest.FigureText(strings.Join(webtest.FragmentsOf(tonight, "shows-"), " ")), "let nobody in")
}

// When more people were inside than are allowed stays on Tonight once they have gone, until the morning has it of last night: in the
// row of the performance, and in its line once it is folded beside what is still on. It is never called finished alone.
func TestTonightKeepsThatAHallWasTooFull(t *testing.T) {
	h := webtest.NewHouse()
	h.Event("evt_late", "Nachtconcert", "Zaal", "23:00", "23:30", 40)
	e := h.Event("evt_full", "Volle Bak", "Zaal", "19:00", "20:00", 40, func(e *record.Event) { e.EndsAt = webtest.At("22:00") })
	for i := range 12 {
		h.Apply(&record.Ticket{ID: fmt.Sprint("in", i), EventID: e.ID, Status: record.TicketValid, SoldAt: e.DoorsAt.AddDate(0, 0, -3), UpdatedAt: e.EndsAt,
			Scans: []record.Scan{{At: webtest.At("19:30"), Gate: "A", Direction: record.Entry}, {At: webtest.At("22:05"), Gate: "A", Direction: record.Exit}}})
	}
	h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Zaal", Value: new(int64(10)), At: webtest.ShowTime.AddDate(0, 0, -9)})
	read := func(clock string) (row, folded string) {
		at := webtest.At(clock)
		h.AsOf, h.Health = at, webtest.Healthy(at)
		c := webtest.Content(t, webtest.Renderer(t), webtest.View{Page: "tonight"}.As(web.Door), h.Snapshot(), at).HTML
		summary, _, _ := strings.Cut(c["finished"], "</summary>")
		return webtest.FigureText(strings.Join(webtest.FragmentsOf(c, "shows-"), " ")), webtest.FigureText(summary)
	}
	const when = "Zaal : 12 of 10 allowed at 19:30, 2 too many, 19:30 to 22:05"
	for clock, want := range map[string][2]bool{"21:00": {}, "22:04": {}, "22:06": {false, true}, "22:50": {false, true}} {
		if row, folded := read(clock); strings.Contains(row, when) != want[0] || strings.Contains(folded, when) != want[1] {
			t.Errorf("at %s: in the row %q, folded %q", clock, row, folded)
		}
	}
	late := h.Snapshot().Event("evt_late").Event
	late.Status, late.UpdatedAt = record.EventCancelled, webtest.At("22:30")
	h.Apply(&late) // nothing is on any more, so that nothing is folded
	if row, folded := read("23:50"); !strings.Contains(row, when) || strings.Contains(folded, "Zaal") {
		t.Errorf("with nothing on: in the row %q, folded %q", row, folded)
	}
}

// Once everybody was scanned out Tonight and the wall of the house say so, and when the last was, for whoever locks up; about 0 where a
// hall does not scan who leaves, and nothing where somebody was not scanned out.
func TestEverybodyIsOut(t *testing.T) {
	for name, c := range map[string]struct {
		inside, unscanned, never, away bool
		role                           web.Access
		tonight, wall                  string
	}{
		"all out":                 {role: web.Door.Access(), tonight: "In the building 0 last out 22:09", wall: "0 in the building, last out 22:09"},
		"one did not come":        {away: true, role: web.Door.Access(), tonight: "In the building 0 last out 22:09 · 1 did not come", wall: "0 in the building, last out 22:09"},
		"one not scanned out":     {inside: true, role: web.Door.Access()},
		"a hall without any scan": {never: true, role: web.Door.Access()},
		"a hall without exits": {unscanned: true, role: web.Door.Access(), tonight: "In the building ≈ 0 last out 22:09",
			wall: "≈ 0 in the building, last out 22:09"},
		"who sees one hall": {role: web.Door.Access().InHalls("Zaal")},
	} {
		h := webtest.NewHouse()
		e := h.Event("evt_one", "Een", "Zaal", "19:00", "20:00", 40, func(e *record.Event) { e.EndsAt = webtest.At("22:00") })
		scan := func(id string, event *record.Event, scans ...record.Scan) {
			h.Apply(&record.Ticket{ID: id, EventID: event.ID, Status: record.TicketValid, SoldAt: e.DoorsAt.AddDate(0, 0, -3), UpdatedAt: e.EndsAt, Scans: scans})
		}
		in := record.Scan{At: webtest.At("19:30"), Gate: "A", Direction: record.Entry}
		for i := range 20 {
			scan(fmt.Sprint("in", i), e, in, record.Scan{At: webtest.At("22:00").Add(time.Duration(i/2) * time.Minute), Gate: "A", Direction: record.Exit})
		}
		if c.away {
			scan("away", e)
		}
		if c.inside {
			scan("left", e, in)
		}
		if c.unscanned {
			other := h.Event("evt_two", "Twee", "Foyer", "19:00", "20:00", 40, func(e *record.Event) { e.EndsAt = webtest.At("21:00") })
			scan("foyer", other, in)
		}
		if c.never {
			scan("sold", h.Event("evt_two", "Twee", "Foyer", "19:00", "20:00", 40, func(e *record.Event) { e.EndsAt = webtest.At("21:00") }))
		}
		at := webtest.At("23:50")
		h.AsOf, h.Health = at, webtest.Healthy(at)
		read := func(v webtest.View, fragment string) string {
			return strings.ReplaceAll(webtest.FigureText(webtest.Content(t, webtest.Renderer(t), asSeen(v, c.role), h.Snapshot(), at).HTML[fragment]), "\u00a0", " ")
		}
		tonight, wall := read(webtest.View{Page: "tonight"}, "figs"), read(webtest.HallView(""), "wall-top")
		if strings.Contains(tonight, "In the building") != (c.tonight != "") || !strings.Contains(tonight, c.tonight) || strings.Contains(wall, "last out") != (c.wall != "") || !strings.Contains(wall, c.wall) {
			t.Errorf("%s: Tonight %q, wall %q", name, tonight, wall)
		}
	}
}

// asSeen returns the request for a view with an access.
func asSeen(v webtest.View, a web.Access) web.Request {
	q := v.As(web.Door)
	q.Access = a
	return q
}

// A club night that was full empties: the wall of the house has its hall until it ends, for more are sold than are allowed and who went
// out may come back.
func TestHallThatMayFillAgainStaysOnTheWall(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	h.Event("evt_early", "Vroeg", "Zaal", "17:00", "17:30", 100, func(e *record.Event) { e.EndsAt = webtest.At("18:30") })
	for night := range 6 {
		past := h.Event(fmt.Sprint("evt_past", night), "Eerder", "Kelder", "18:00", "18:30", 400, webtest.OnDay(-1-night))
		for i := range 100 {
			h.Apply(&record.Ticket{ID: fmt.Sprint(past.ID, i), EventID: past.ID, Status: record.TicketValid, SoldAt: past.DoorsAt.AddDate(0, 0, -3), UpdatedAt: past.EndsAt,
				Scans: []record.Scan{{At: past.DoorsAt.Add(5 * time.Minute), Gate: "A", Direction: record.Entry}, {At: past.EndsAt.Add(time.Minute), Gate: "A", Direction: record.Exit}}})
		}
	}
	e := h.Event("evt_club", "Disco", "Kelder", "18:00", "18:30", 400, func(e *record.Event) { e.EndsAt = webtest.At("22:00") })
	allowed := int64(100)
	h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Kelder", Value: &allowed, At: webtest.ShowTime.AddDate(0, 0, -9)})
	for _, c := range [][2]string{{"20:25", "94 of 100 allowed"}, {"20:40", "79 of 100 allowed"}, {"21:30", "65 of 100 allowed"}} {
		clock, inside := c[0], c[1]
		at := webtest.At(clock)
		for i := range 120 {
			k := &record.Ticket{ID: fmt.Sprint("tonight", i), EventID: e.ID, Status: record.TicketValid, SoldAt: webtest.ShowTime.AddDate(0, 0, -3), UpdatedAt: at,
				Scans: []record.Scan{{At: webtest.At("18:10"), Gate: "A", Direction: record.Entry}}}
			if out := webtest.At("20:00").Add(time.Duration(i) * time.Minute); i < 55 && !out.After(at) {
				k.Scans = append(k.Scans, record.Scan{At: out, Gate: "A", Direction: record.Exit})
			}
			h.Apply(k)
		}
		h.AsOf, h.Health = at, webtest.Healthy(at)
		webtest.Wants(t, clock, webtest.FigureText(webtest.Content(t, r, webtest.View{Page: "wall"}.As(web.Door), h.Snapshot(), at).HTML["wall-main"]), "Kelder : "+inside)
	}
}
