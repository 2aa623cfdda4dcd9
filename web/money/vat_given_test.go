package money_test

import (
	"testing"

	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// The VAT that a service gives stands by the rates that follow from it, each with its amounts; what has none is a row as well, with what is
// too small to tell.
func TestGivenVATHasItsRate(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	at := webtest.At("15:00")
	for id, c := range map[string][2]int64{"low": {3250, 268}, "low too": {2600, 215}, "high": {1500, 260}, "odd": {2000, 171}, "small": {500, 37}} {
		h.Apply(&record.Ticket{ID: id, OrderID: id, EventID: e.ID, Status: record.TicketValid, SoldAt: at, UpdatedAt: at,
			Price: &record.Money{Amount: c[0], Currency: "EUR"}, VAT: &record.Money{Amount: c[1], Currency: "EUR"}})
	}
	html := webtest.All(t, webtest.Content(t, r, webtest.RevenueView(7).As(web.Manager), h.Snapshot(), webtest.ShowTime))
	webtest.Wants(t, "the rates", webtest.FigureText(html), "9%, from the VAT given § €58.50 § €4.83", "21%, from the VAT given § €15.00 § €2.60", "As the service gives it § €25.00 § €2.08")
	webtest.Wants(t, "the rates", html, "vat=given-900", "vat=given-2100")
}
