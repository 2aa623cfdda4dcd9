package event_test

import (
	"testing"

	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// What a place costs stands beside its ticket type, of a performance that is sold out too: for who sees prices.
func TestTicketTypesHaveTheirPrices(t *testing.T) {
	h := webtest.Small(t)
	eur := func(amount int64) *record.Money { return &record.Money{Amount: amount, Currency: "EUR"} }
	types := []record.TicketType{{ID: "a", Name: "Parket", Price: eur(3200)}, {ID: "b", Name: "Balkon", Price: eur(1850)}, {ID: "c", Name: "Balkon", Price: eur(2250)}, {ID: "d", Name: "Gast"}}
	e := h.Event("evt_x", "Uitverkocht", "Grote Zaal", "19:30", "20:15", len(types), webtest.OnDay(3), webtest.Available(0), func(e *record.Event) { e.TicketTypes = types })
	sold := webtest.ShowTime.AddDate(0, 0, -2)
	for _, of := range types {
		h.Apply(&record.Ticket{ID: of.ID, EventID: e.ID, OrderID: "o", Type: record.TypeRef{ID: of.ID, Name: of.Name}, Price: of.Price, Status: record.TicketValid, SoldAt: sold, UpdatedAt: sold})
	}
	for role, want := range map[web.Role][]string{
		web.BoxOffice: {"Parket €32.00", "Balkon €18.50–€22.50", "Gast §"}, web.Manager: {"Parket €32.00", "Balkon €18.50–€22.50", "Gast §"}, web.Door: {"Parket §", "Balkon §", "Gast §"},
	} {
		text := webtest.FigureText(webtest.Content(t, webtest.Renderer(t), webtest.EventPart(e.ID, "sales").As(role), h.Snapshot(), webtest.ShowTime).HTML["types"])
		webtest.Wants(t, string(role), text, want...)
	}
}
