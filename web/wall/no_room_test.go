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

// Who comes late to a hall that is full finds no room: the row says so, and the house's number calls nobody of them a latecomer either,
// nor on the wall.
func TestLateToAFullHallFindsNoRoom(t *testing.T) {
	r := webtest.Renderer(t)
	for allowed, full := range map[int64]bool{250: true, 400: false} {
		h := webtest.NewHouse()
		for night := range 6 {
			pastWithLate(h, "Zaal", night, 25)
		}
		e := h.Event("evt_full", "Volle Bak", "Zaal", "19:00", "20:00", 400)
		h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 340, Scans: true,
			In: []webtest.GateIn{{Gate: "A", N: 250, From: webtest.At("19:40"), To: webtest.At("20:01")}}})
		h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Zaal", Value: &allowed, At: webtest.ShowTime.AddDate(0, 0, -9)})
		other := h.Event("evt_other", "Rustig", "Foyer", "19:10", "20:30", 100)
		h.Sell(other, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 30, Scans: true,
			In: []webtest.GateIn{{Gate: "B", N: 10, From: webtest.At("19:40"), To: webtest.At("20:01")}}})
		at := webtest.At("20:02")
		h.AsOf, h.Health = at, webtest.Healthy(at)
		read := func(page, part string) string {
			return webtest.FigureText(webtest.Content(t, r, webtest.View{Page: page}.As(web.Door), h.Snapshot(), at).HTML[part])
		}
		figs, row := read("tonight", "figs"), read("tonight", "shows-00")
		if strings.Contains(row, "no room for") != full || strings.Contains(figs, "no room for") != full || strings.Contains(figs, "latecomer") == full {
			t.Errorf("%d allowed: the house says %q, the row %q", allowed, figs, row)
		}
		if wall := read("wall", "wall-main"); strings.Contains(wall, "latecomer") || strings.Contains(wall, "will still come") {
			t.Errorf("%d allowed: the wall says %q", allowed, wall)
		}
	}
}

// pastWithLate adds a past night in a hall, on which late of a hundred come in the first twenty minutes after the curtain.
func pastWithLate(h *webtest.House, hall string, night, late int) {
	past := h.Event(fmt.Sprint("evt_past", hall, night), "Eerder", hall, "19:00", "20:00", 400, webtest.OnDay(-1-night))
	for i := range 100 {
		in := past.StartsAt.Add(time.Duration(i%40-42) * time.Minute / 2)
		if i < late {
			in = past.StartsAt.Add(time.Minute + time.Duration(i)*20*time.Minute/time.Duration(late))
		}
		h.Apply(&record.Ticket{ID: fmt.Sprint(past.ID, i), EventID: past.ID, Status: record.TicketValid, SoldAt: past.DoorsAt.AddDate(0, 0, -3), UpdatedAt: past.EndsAt,
			Scans: []record.Scan{{At: in, Gate: "A", Direction: record.Entry}, {At: past.EndsAt.Add(time.Duration(i%5) * time.Minute), Gate: "A", Direction: record.Exit}}})
	}
}

// Where one of two that have begun is full, those who are still expected are those of the other: they lead to its explanation. Where nobody
// is forecast to come to the full one, but somebody may, its row does not say so: nobody is let in.
func TestWhoMayComeToAFullHall(t *testing.T) {
	r := webtest.Renderer(t)
	for _, allowed := range []int64{250, 400} {
		h := webtest.NewHouse()
		for night := range 6 {
			pastWithLate(h, "Zaal", night, 3*(night/5))
			pastWithLate(h, "Foyer", night, 25)
		}
		for _, e := range []struct {
			id, hall string
			sold, in int
		}{{"evt_full", "Zaal", 340, 250}, {"evt_other", "Foyer", 60, 40}} {
			h.Sell(h.Event(e.id, e.id, e.hall, "19:00", "20:00", 400), webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: e.sold, Scans: true,
				In: []webtest.GateIn{{Gate: e.hall, N: e.in, From: webtest.At("19:40"), To: webtest.At("20:01")}}})
		}
		h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Zaal", Value: &allowed, At: webtest.ShowTime.AddDate(0, 0, -9)})
		read := func(clock, part string) string {
			at := webtest.At(clock)
			h.AsOf, h.Health = at, webtest.Healthy(at)
			return webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Door), h.Snapshot(), at).HTML[part]
		}
		if figs := read("20:02", "figs"); strings.Contains(figs, `/explain/outside?event=evt_other`) != (allowed == 250) {
			t.Errorf("%d allowed: what leads to the other says %q", allowed, webtest.FigureText(figs))
		}
		if row := webtest.FigureText(read("20:07", "shows-00")); strings.Contains(row, "will still come") != (allowed == 400) || strings.Contains(row, "no room for") {
			t.Errorf("%d allowed: the row says %q", allowed, row)
		}
	}
}

// A performance whose people are scanned out is due to end until a few are: nobody leaves by the timetable, in its row, on its page or
// on the wall.
func TestDueToEndIsSaidUntilPeopleGoOut(t *testing.T) {
	r := webtest.Renderer(t)
	for out, over := range map[int]bool{0: false, 1: false, 12: true} {
		h := webtest.NewHouse()
		end := webtest.At("20:00")
		for night := range 6 {
			past := h.Event(fmt.Sprint("evt_past", night), "Eerder", "Zaal", "18:00", "18:30", 400, webtest.OnDay(-1-night))
			for i := range 100 {
				h.Apply(&record.Ticket{ID: fmt.Sprint(past.ID, i), EventID: past.ID, Status: record.TicketValid, SoldAt: past.DoorsAt.AddDate(0, 0, -3), UpdatedAt: past.EndsAt,
					Scans: []record.Scan{{At: past.DoorsAt.Add(5 * time.Minute), Gate: "A", Direction: record.Entry}, {At: past.EndsAt.Add(time.Duration(4+i%5) * time.Minute), Gate: "A", Direction: record.Exit}}})
			}
		}
		e := h.Event("evt_tonight", "Lange Zit", "Zaal", "18:00", "18:30", 400, func(e *record.Event) { e.EndsAt = end })
		h.Event("evt_late", "Later", "Foyer", "21:00", "22:00", 100)
		for i := range 100 {
			k := &record.Ticket{ID: fmt.Sprint("tonight", i), EventID: e.ID, Status: record.TicketValid, SoldAt: end.AddDate(0, 0, -3), UpdatedAt: end,
				Scans: []record.Scan{{At: webtest.At("18:10"), Gate: "A", Direction: record.Entry}}}
			if i < out {
				k.Scans = append(k.Scans, record.Scan{At: end.Add(time.Minute), Gate: "A", Direction: record.Exit})
			}
			h.Apply(k)
		}
		at := end.Add(2 * time.Minute)
		h.AsOf, h.Health = at, webtest.Healthy(at)
		for _, q := range []web.Request{webtest.View{Page: "tonight"}.As(web.Door), webtest.EventPart(e.ID, "").As(web.Door), webtest.View{Page: "wall"}.As(web.Door)} {
			text := webtest.Text(webtest.All(t, webtest.Content(t, r, q, h.Snapshot(), at)))
			if strings.Contains(text, "due to end 20:00") == over || strings.Contains(text, "leaving") != over || strings.Contains(text, "over since") && !over {
				t.Errorf("%d went out, %s: %s", out, q.Page, text)
			}
		}
	}
}
