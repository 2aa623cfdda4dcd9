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

// A club that was too full empties from one o'clock on, and whoever is out may come back: until it is empty the wall of the house has the
// hall, and while it could be full again how many may enter, as Tonight does in its row. Nobody is told so by an alert.
func TestClubThatEmptiesStaysOnTheWall(t *testing.T) {
	r, end := webtest.Renderer(t), webtest.At("23:30").Add(3*time.Hour)
	clubAt := func(at time.Time) *webtest.House {
		h := webtest.NewHouse()
		h.AsOf, h.Health = at, webtest.Healthy(at)
		for day := range 6 { // on other nights everybody was scanned out
			past := h.Event(fmt.Sprint("evt_past", day), "Nacht", "Kelder", "19:00", "20:00", 300, webtest.OnDay(-2-day))
			for i := range 10 {
				h.Apply(&record.Ticket{ID: fmt.Sprint("past", day, i), EventID: past.ID, Status: record.TicketValid, SoldAt: past.DoorsAt.AddDate(0, 0, -3), UpdatedAt: past.EndsAt, Scans: []record.Scan{
					{At: past.StartsAt, Gate: "K", Direction: record.Entry}, {At: past.EndsAt.Add(time.Minute), Gate: "K", Direction: record.Exit}}})
			}
		}
		h.Event("evt_play", "Stuk", "Zaal", "19:15", "20:00", 100, func(e *record.Event) { e.EndsAt = webtest.At("22:00") })
		club := h.Event("evt_club", "Nacht", "Kelder", "22:45", "23:30", 300, func(e *record.Event) { e.EndsAt = end })
		for i := range 270 {
			scans := []record.Scan{{At: webtest.At("22:50").Add(time.Duration(i) * 8 * time.Second), Gate: "K", Direction: record.Entry}}
			if out := webtest.At("23:30").Add(90*time.Minute + time.Duration(i)*30*time.Second); i < 250 && out.Before(at) { // two a minute from one o'clock on
				scans = append(scans, record.Scan{At: out, Gate: "K", Direction: record.Exit})
			}
			h.Apply(&record.Ticket{ID: fmt.Sprint("in", i), EventID: club.ID, Status: record.TicketValid, SoldAt: webtest.At("12:00"), UpdatedAt: at, Scans: scans})
		}
		h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Kelder", Value: new(int64(250)), At: webtest.ShowTime.AddDate(0, 0, -9)})
		return h
	}
	for after, want := range map[time.Duration]struct{ panel, tile, row string }{
		80 * time.Minute:  {"20 too many", "270 inside", ""},
		102 * time.Minute: {"246 of 250 allowed", "246 inside", "4 more may enter"},
		115 * time.Minute: {"220 of 250 allowed", "220 inside", "30 more may enter"},
		118 * time.Minute: {"", "214 inside", ""}, // far from full
		179 * time.Minute: {"", "92 inside", ""},
		185 * time.Minute: {"", "80 leaving", ""},
	} {
		at := webtest.At("23:30").Add(after)
		read := func(page string) map[string]string {
			return webtest.Content(t, r, webtest.View{Page: page}.As(web.Door), clubAt(at).Snapshot(), at).HTML
		}
		html := read("wall")
		main, next := webtest.FigureText(html["wall-main"]), webtest.FigureText(html["wall-next"])
		if strings.Contains(main, "may enter") != strings.Contains(want.panel, "may enter") || !strings.Contains(main, want.panel) {
			t.Errorf("after %v: the wall says %q, want %q", after, main, want.panel)
		}
		if !strings.Contains(next, "Kelder") || !strings.Contains(next, want.tile) {
			t.Errorf("after %v: beside it stands %q, want %q of Kelder", after, next, want.tile)
		}
		tonight := read("tonight")
		rows := webtest.FigureText(strings.Join(webtest.FragmentsOf(tonight, "shows-"), " "))
		if strings.Contains(rows, "may enter") != strings.Contains(want.row, "may enter") || !strings.Contains(rows, want.row) || !strings.Contains(rows, "Nacht") {
			t.Errorf("after %v: Tonight has %q, want %q", after, rows, want.row)
		}
		if said := webtest.FigureText(tonight["attention"]); strings.Contains(said, "may enter") || after > 100*time.Minute && strings.Contains(html["wall-main"], `second people warn`) {
			t.Errorf("after %v: of a hall that only empties there is an alert or its colour: %s, %s", after, said, html["wall-main"])
		}
	}
}

// Once all has begun the wall says how many are sold, as the rows do, and not a part of the places, in which those that are oversold in one
// hall would fill another. In an interval it says beside the people when that ends: of several the first, with its hall.
func TestWallOnceAllHasBegun(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	begun := func(id, hall string, capacity, sold int, back string) {
		e := h.Event(id, "Stuk "+id, hall, "19:00", "20:00", capacity, webtest.Available(capacity-sold), func(e *record.Event) {
			if e.EndsAt, e.Status = webtest.At("22:30"), record.EventSalesClosed; back != "" {
				e.IntervalStartsAt, e.IntervalEndsAt = webtest.At("20:50"), webtest.At(back)
			}
		})
		h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: sold, Scans: true, In: []webtest.GateIn{{Gate: "A", N: 40, From: webtest.At("19:10"), To: webtest.At("19:50")}}})
	}
	begun("a", "Zaal", 100, 112, "21:15")
	begun("b", "Foyer", 80, 60, "21:10")
	for _, c := range []struct{ hall, clock, second, not string }{
		{"", "19:55", "96% 172 of 180 places sold", "sold of"},
		{"Zaal", "19:55", "112% 112 of 100 places sold", "sold of"},
		{"", "20:40", "172 sold of 180 the sale is over", "%"},
		{"Zaal", "20:40", "112 sold of 100 the sale is over · 12 without a seat", "%"},
		{"", "20:55", "21:10 interval ends in 15 min Foyer", "sold"},
		{"Zaal", "20:55", "21:15 interval ends in 20 min", "Foyer"},
		{"", "21:12", "21:15 interval ends in 3 min Zaal", "Foyer"},
		{"", "21:15", "172 sold of 180", "interval"},
	} {
		at := webtest.At(c.clock)
		h.AsOf, h.Health = at, webtest.Healthy(at)
		view := webtest.View{Page: "wall"}
		if c.hall != "" {
			view = webtest.HallView(c.hall)
		}
		_, second, _ := strings.Cut(webtest.Content(t, r, view.As(web.Door), h.Snapshot(), at).HTML["wall-main"], `<div class="second`)
		got := strings.ReplaceAll(webtest.FigureText(`<div class="second`+second), "\u00a0", " ")
		if !strings.Contains(got, c.second) || strings.Contains(got, c.not) {
			t.Errorf("%q at %s: %q, want %q", c.hall, c.clock, got, c.second)
		}
	}
}

// The wall of the house has a share of the places sold only while none of its halls plays and all empty places may be sold: else it says how
// many are sold, and of how many.
func TestWallHasNoShareOfHallsThatPlay(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	for hall, curtain := range map[string]string{"Zaal": "20:00", "Foyer": "21:30"} {
		e := h.Event("evt_"+hall, "Stuk in "+hall, hall, "19:00", curtain, 100, webtest.Available(20))
		h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 80, Scans: true, In: []webtest.GateIn{{Gate: "A", N: 40, From: webtest.At("19:10"), To: webtest.At("19:50")}}})
	}
	said := func(clock string) string {
		at := webtest.At(clock)
		h.AsOf, h.Health = at, webtest.Healthy(at)
		return strings.ReplaceAll(webtest.FigureText(webtest.Content(t, r, webtest.View{Page: "wall"}.As(web.Door), h.Snapshot(), at).HTML["wall-main"]), "\u00a0", " ")
	}
	webtest.Wants(t, "before the curtains", said("19:55"), "80% 160 of 200 places sold")
	playing := said("20:10")
	webtest.Wants(t, "one plays", playing, "160 sold of 200")
	webtest.Lacks(t, "one plays", playing, "80%")
	h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Foyer", Value: new(int64(90)), At: webtest.ShowTime.AddDate(0, 0, -9)})
	limited := said("19:55")
	webtest.Wants(t, "fewer are allowed than there are places", limited, "160 sold")
	webtest.Lacks(t, "fewer are allowed than there are places", limited, "80%", "of 200")
}
