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
			past := h.Event(fmt.Sprint("evt_past", night), "Eerder", "Zaal", "19:00", "20:00", 400, webtest.OnDay(-1-night))
			for i := range 100 { // a quarter comes in the first twenty minutes after the curtain
				in := past.StartsAt.Add(time.Duration(i%40-30) * time.Minute / 2)
				if i%4 == 0 {
					in = past.StartsAt.Add(time.Duration(1+i/5) * time.Minute)
				}
				h.Apply(&record.Ticket{ID: fmt.Sprint(past.ID, i), EventID: past.ID, Status: record.TicketValid, SoldAt: past.DoorsAt.AddDate(0, 0, -3), UpdatedAt: past.EndsAt,
					Scans: []record.Scan{{At: in, Gate: "A", Direction: record.Entry}, {At: past.EndsAt.Add(time.Duration(i%5) * time.Minute), Gate: "A", Direction: record.Exit}}})
			}
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
		if strings.Contains(row, "find no room") != full || strings.Contains(figs, "find no room") != full || strings.Contains(figs, "latecomer") == full {
			t.Errorf("%d allowed: the house says %q, the row %q", allowed, figs, row)
		}
		if wall := read("wall", "wall-main"); strings.Contains(wall, "latecomer") || strings.Contains(wall, "will still come") {
			t.Errorf("%d allowed: the wall says %q", allowed, wall)
		}
	}
}
