package web_test

import (
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// The list of scans has not answered for ten minutes, that of tickets has: how many are sold is of now, and the alert says of no other minute.
func TestAlertOfWhatIsSoldIsOfNow(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Zaal", "19:00", "20:00", 500)
	h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 410, Scans: true, In: []webtest.GateIn{{Gate: "A", N: 20, From: webtest.At("19:20"), To: webtest.At("19:40")}}})
	h.Sell(e, webtest.Sale{From: webtest.At("19:50"), To: webtest.At("19:51"), Paid: 5, Scans: true})
	allowed := int64(400)
	h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Zaal", Value: &allowed, At: webtest.ShowTime.AddDate(0, 0, -9)})
	for i := range h.Health.Streams {
		if s := &h.Health.Streams[i]; s.Name == "scan_list" {
			s.LastGood = webtest.ShowTime.Add(-10 * time.Minute)
		}
	}
	got := webtest.FigureText(webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.BoxOffice), h.Snapshot(), webtest.ShowTime).HTML["attention"])
	webtest.Wants(t, "people inside, of when they were counted", got, "395 still to come. As of 19:42.")
	webtest.Wants(t, "what is sold, of now", got, "15 too many . I'm on it")
}
