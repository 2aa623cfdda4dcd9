package calendar_test

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// A week has one Friday and one Saturday: no more than two evenings are empty in it, however many halls. A hall with a performance from the
// afternoon until the night is not empty in the evening.
func TestEmptyEvenings(t *testing.T) {
	h := webtest.NewHouse()
	h.Ledger = ledger.New(figures.Calendar{Zone: webtest.Amsterdam, Cutoff: 6 * time.Hour})
	for i := range 6 {
		for j, hall := range []string{"Foyer", "Grote Zaal", "Kleine Zaal", "Kelder"} {
			if i != 3 || j == 0 {
				h.Event(fmt.Sprint("evt", hall, i), "Jazz", hall, "19:30", "20:15", 40, webtest.OnDay(7*i-14))
			}
		}
	}
	h.Event("evt_ring", "Der Ring an einem Tag", "Grote Zaal", "13:30", "14:00", 40, webtest.OnDay(7), func(e *record.Event) { e.EndsAt = e.StartsAt.Add(9*time.Hour + 30*time.Minute) })
	html := of(t, h.Snapshot(), web.Door, "span=month", webtest.ShowTime)
	for _, n := range regexp.MustCompile(`(\d+).empty evenings`).FindAllStringSubmatch(webtest.FigureText(html), -1) {
		if n[1] > "2" {
			t.Errorf("%s in a week", n[0])
		}
	}
	webtest.Lacks(t, "the evening of the Ring", read(t, html, "2026-11-27"), "Grote Zaal, Kelder and", "Grote Zaal and", "Grote Zaal , ")
}
