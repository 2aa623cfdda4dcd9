package money_test

import (
	"strings"
	"testing"

	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// The bridge leads from what was booked in the days to what was received in them: an order of these days has 20 euros, and one from
// before had its ticket of 50 cancelled and paid back in them.
func TestBridgeLeadsFromTileToTile(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "Tosca", "Zaal", "19:00", "20:15", 500, webtest.OnDay(30))
	euros := func(cents int64) record.Money { return record.Money{Amount: cents, Currency: "EUR"} }
	today, old := webtest.At("12:00"), webtest.At("12:00").AddDate(0, 0, -40)
	price := euros(5000)
	for id, status := range map[string]record.TicketStatus{"old": record.TicketVoid, "new": record.TicketValid} {
		k := record.Ticket{ID: id, EventID: e.ID, OrderID: id, Status: status, Price: new(euros(2000)), SoldAt: today, UpdatedAt: webtest.ShowTime}
		if id == "old" {
			k.Price, k.SoldAt, k.CancelledAt = &price, old, today
		}
		h.Apply(&k)
		h.Apply(&record.Payment{ID: "pay " + id, OrderID: id, EventID: e.ID, Amount: *k.Price, Status: record.PaymentPaid, PaidAt: k.SoldAt, UpdatedAt: webtest.ShowTime})
	}
	h.Apply(&record.Payment{ID: "back", ParentID: "pay old", OrderID: "old", EventID: e.ID, Kind: record.KindOfRefund, Amount: price, Status: record.PaymentPaid, PaidAt: today, UpdatedAt: webtest.ShowTime})
	c := webtest.Content(t, r, webtest.RevenueView(7).As(web.Manager), h.Snapshot(), webtest.ShowTime)
	webtest.Wants(t, "tiles", webtest.FigureText(c.HTML["glance"]), "€30.00")
	_, all, _ := strings.Cut(webtest.FigureText(c.HTML["events-1"]), "¦ All §")
	webtest.Wants(t, "all performances", all, "§ −€30.00 § €50.00 against €0.00 § −€30.00 against €0.00 §")
	webtest.Wants(t, "bridge", webtest.FigureText(c.HTML["bridge-1"]), "Booked in these days § −€30.00", "Returned from earlier orders, less later returns § + €50.00", "Tickets of these orders § = €20.00",
		"Received for these orders, net § = €20.00", "Received for earlier orders, less what came later § − €50.00", "Received in these days, net § = −€30.00")
}
