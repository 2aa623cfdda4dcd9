package event_test

import (
	"testing"

	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// What is sold beside tickets is listed to who may see money, and the rows sum to the fees and goods of the performance.
func TestExtrasOnEvent(t *testing.T) {
	h := webtest.Small(t)
	e := h.Event("evt_x", "Met boekje", "Grote Zaal", "19:30", "20:15", 100)
	eur := func(amount int64) *record.Money { return &record.Money{Amount: amount, Currency: "EUR"} }
	sold := webtest.ShowTime.AddDate(0, 0, -2)
	h.Apply(&record.Ticket{ID: "t", EventID: e.ID, OrderID: "o", Price: eur(2000), Fee: eur(150), Status: record.TicketValid, SoldAt: sold, UpdatedAt: sold})
	h.Apply(&record.Ticket{ID: "p", EventID: e.ID, OrderID: "o", Kind: record.ExtraGoods, Type: record.TypeRef{ID: "b", Name: "Programme"}, Quantity: new(3), Price: eur(450), Status: record.TicketValid, SoldAt: sold, UpdatedAt: sold})
	h.Apply(&record.Ticket{ID: "d", EventID: e.ID, OrderID: "o", Kind: record.ExtraDonation, Price: eur(500), Status: record.TicketValid, SoldAt: sold, UpdatedAt: sold})
	for role, want := range map[web.Role]string{
		web.Manager: "Fees and goods €20.00 beside the prices of tickets. Fees and goods ¦ Name Kind Number Booked ¦ donation § donation § 1 § €5.00 ¦ Programme § goods § 3 § €13.50 ¦ with each ticket § fee § — § €1.50",
		web.Door:    "", web.BoxOffice: "",
	} {
		c := webtest.Content(t, webtest.Renderer(t), webtest.EventView(e.ID).As(role), h.Snapshot(), webtest.ShowTime)
		if got := webtest.FigureText(c.HTML["extras"]); got != want {
			t.Errorf("%s: %q, want %q", role, got, want)
		}
	}
}
