package web_test

import (
	"testing"

	"housecount/apiclient/record"
	"housecount/web/webtest"
)

// Where all who are expected have a ticket and nothing is on sale, their number stands once on top, with when the doors open.
func TestExpectedStandsBesideSoldOnlyIfItDiffers(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "21:00", "22:00", 2, func(e *record.Event) { e.Status = record.EventSalesClosed })
	for _, id := range []string{"a", "b"} {
		h.Apply(&record.Ticket{ID: id, EventID: e.ID, Status: record.TicketValid, SoldAt: webtest.ShowTime.AddDate(0, 0, -1), UpdatedAt: webtest.ShowTime})
	}
	figs := func() string {
		return webtest.FigureText(webtest.Content(t, r, webtest.Tonight, h.Snapshot(), webtest.ShowTime).HTML["figs"])
	}
	webtest.Wants(t, "all come", figs(), "Sold 2", "doors from 21:00")
	webtest.Lacks(t, "all come", figs(), "Expected")
	h.Event("evt_b", "Onbegrensd", "Foyer", "21:00", "22:00", 9)
	webtest.Wants(t, "places are free", figs(), "Free", "Expected 2")
}
