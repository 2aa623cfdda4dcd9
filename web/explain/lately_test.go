package explain_test

import (
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// What was sold tonight is a part of the last hour's sales only where it is one: not where more was cancelled of other performances than
// was sold, and not where nothing of it is for tonight.
func TestLastHourWithoutItsPart(t *testing.T) {
	at := webtest.ShowTime.Add(-10 * time.Minute)
	for name, c := range map[string]struct {
		tonight, other, cancelled int
		want                      string
	}{
		"a part":                        {2, 4, 0, "6 sold in the last hour, 2 of them for tonight"},
		"all":                           {2, 0, 0, "2 sold in the last hour, 2 of them for tonight"},
		"more cancelled than sold":      {2, 0, 5, "−3 sold in the last hour"},
		"fewer in all than for tonight": {2, 0, 1, "1 sold in the last hour"},
		"none for tonight":              {0, 3, 0, "3 sold in the last hour"},
	} {
		h := webtest.NewHouse()
		a, b := h.Event("evt_a", "Stuk A", "Foyer", "19:00", "20:00", 80), h.Event("evt_b", "Stuk B", "Zaal", "19:00", "20:00", 80, webtest.OnDay(3))
		sell := func(n int, e *record.Event, sold, cancelled time.Time) {
			for range n {
				k := &record.Ticket{ID: h.ID("tkt"), EventID: e.ID, Status: record.TicketValid, Price: &record.Money{Amount: 1000, Currency: "EUR"}, SoldAt: sold, CreatedAt: sold, UpdatedAt: sold}
				if !cancelled.IsZero() {
					k.Status, k.CancelledAt, k.UpdatedAt = record.TicketRefunded, cancelled, cancelled
				}
				h.Apply(k)
			}
		}
		sell(c.tonight, a, at, time.Time{})
		sell(c.other, b, at, time.Time{})
		sell(c.cancelled, b, webtest.ShowTime.Add(-3*time.Hour), at)
		q, err := webtest.ExplainRequest(t, "/explain/sold_today", web.BoxOffice)
		if err != nil {
			t.Fatal(err)
		}
		text := webtest.Text(webtest.Page(t, webtest.Renderer(t), q, h.Snapshot(), webtest.ShowTime))
		webtest.Wants(t, name, text, c.want)
		if c.other == 0 && c.cancelled > 0 || c.tonight == 0 {
			webtest.Lacks(t, name, text, "of them")
		}
	}
}
