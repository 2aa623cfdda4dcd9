package wall_test

import (
	"strings"
	"testing"

	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// The building takes 210 and 320 are to come to the large hall: its own wall has the alert also where another performance in the building
// begins later.
func TestBuildingAlertOnTheWallOfEachHall(t *testing.T) {
	r := webtest.Renderer(t)
	for _, curtain := range []string{"19:50", "20:30"} {
		h, at := fillingUntil(0, 60, "19:35"), webtest.At("19:35")
		pastNights(h, 4, 9)
		allowed := int64(210)
		h.Apply(&record.Setting{Name: record.SettingLicensed, Value: &allowed, At: webtest.ShowTime.AddDate(0, 0, -9)})
		pastNightsIn(h, "Foyer", 0, 4)
		foyer := h.Event("evt_foyer", "Rustig", "Foyer", "19:00", curtain, 100)
		h.Sell(foyer, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 60, Scans: true,
			In: []webtest.GateIn{{Gate: "A", N: 20, From: webtest.At("19:02"), To: webtest.At("19:12")}}})
		h.AsOf, h.Health = at, webtest.Healthy(at)
		got := webtest.FigureText(webtest.Content(t, r, webtest.HallView("Zaal").As(web.Door), h.Snapshot(), at).HTML["wall-note"])
		if !strings.Contains(got, "The building") {
			t.Errorf("the foyer's begins at %s: the wall of the hall has %q", curtain, got)
		}
	}
}
