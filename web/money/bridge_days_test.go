package money_test

import (
	"regexp"
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
	webtest.Wants(t, "bridge", webtest.FigureText(c.HTML["bridge-1"]), "Booked § −€30.00", "Received, net § = −€30.00")
}

// Each number of the bridge that stands in the table too is the same there, fees as well: those of the days, also where the order is
// of other days. What came for those orders is one step: 54 euros were paid for an old order and 3 of its fees were taken back.
func TestBridgeHasTheNumbersOfTheTable(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "Tosca", "Zaal", "19:00", "20:15", 500, webtest.OnDay(30))
	euros := func(cents int64) *record.Money { return &record.Money{Amount: cents, Currency: "EUR"} }
	today, old := webtest.At("12:00"), webtest.At("12:00").AddDate(0, 0, -40)
	for _, k := range []record.Ticket{
		{ID: "old", OrderID: "old", Price: euros(5000), Fee: euros(400), SoldAt: old},
		{ID: "gone", OrderID: "old", Price: euros(0), Fee: euros(300), SoldAt: old, Status: record.TicketVoid, CancelledAt: today},
		{ID: "new", OrderID: "new", Price: euros(2000), Fee: euros(100), SoldAt: today},
	} {
		k.EventID, k.UpdatedAt = e.ID, webtest.ShowTime
		if k.Status == "" {
			k.Status = record.TicketValid
		}
		h.Apply(&k)
	}
	pay := func(cents int64) map[string]string {
		h.Apply(&record.Payment{ID: "pay", OrderID: "old", EventID: e.ID, Amount: *euros(cents), Status: record.PaymentPaid, PaidAt: today, UpdatedAt: webtest.ShowTime})
		return webtest.Content(t, r, webtest.RevenueView(7).As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML
	}
	html := pay(5400)
	_, all, _ := strings.Cut(webtest.FigureText(html["events-1"]), "¦ All §")
	webtest.Wants(t, "all performances", all, "€20.00 § −€2.00", "€54.00")
	webtest.Wants(t, "bridge", webtest.FigureText(html["bridge-1"]), "Booked § €20.00", "Fees and goods § + −€2.00", "Not received § − €21.00", "Overpaid § + €0.00", "Orders or payments of other days § + €57.00", "Received, net § = €54.00")
	// The step has an explanation of its own: of which performances it is, and what it holds.
	link := regexp.MustCompile(`href="(/explain/other_days[^"]*)"`).FindStringSubmatch(html["bridge-1"])
	if link == nil {
		t.Fatalf("the step is not explained:\n%s", html["bridge-1"])
	}
	q, err := webtest.ExplainRequest(t, link[1], web.Manager)
	if err != nil {
		t.Fatal(err)
	}
	text := webtest.FigureText(webtest.Page(t, r, q, h.Snapshot(), webtest.ShowTime))
	webtest.Wants(t, "explanation", text, "Orders or payments of other days", "€57.00", "Tosca", "late payments, refunds, cancellations and exchanges")
	webtest.Lacks(t, "explanation", text, "one by one")
}

// What was paid back for a ticket that stays valid is a step of its own, of the orders of the days.
func TestBridgeHasGoodwill(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "Tosca", "Zaal", "19:00", "20:15", 500, webtest.OnDay(30))
	euros := func(cents int64) *record.Money { return &record.Money{Amount: cents, Currency: "EUR"} }
	at := webtest.At("12:00")
	h.Apply(&record.Ticket{ID: "new", OrderID: "new", EventID: e.ID, Status: record.TicketValid, Price: euros(2000), Fee: euros(100), SoldAt: at, UpdatedAt: webtest.ShowTime})
	h.Apply(&record.Payment{ID: "pay", OrderID: "new", EventID: e.ID, Amount: *euros(2100), Status: record.PaymentPaid, PaidAt: at, UpdatedAt: webtest.ShowTime})
	h.Apply(&record.Payment{ID: "back", ParentID: "pay", OrderID: "new", EventID: e.ID, Kind: record.KindOfRefund, Amount: *euros(500), Status: record.PaymentPaid, PaidAt: at, UpdatedAt: webtest.ShowTime})
	html := webtest.Content(t, r, webtest.RevenueView(7).As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML
	webtest.Wants(t, "bridge", webtest.FigureText(html["bridge-1"]), "Booked § €20.00", "Fees and goods § + €1.00", "Goodwill § − €5.00", "Received, net § = €16.00")
	webtest.Lacks(t, "bridge", webtest.FigureText(html["bridge-1"]), "of other days")
}
