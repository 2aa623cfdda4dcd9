package web_test

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// 500 places, 400 people allowed, 410 sold, 70 places blocked: ten are too many, and the bar has ten of 500 in the colour of a warning.
func TestBarOverIsWhatIsTooMany(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Zaal", "21:00", "22:00", 500, func(e *record.Event) { n, m := 20, 70; e.Available, e.Blocked = &n, &m })
	h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 410})
	allowed := int64(400)
	h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Zaal", Value: &allowed, At: webtest.ShowTime.AddDate(0, 0, -9)})
	html := webtest.All(t, webtest.Content(t, r, webtest.Tonight, h.Snapshot(), webtest.ShowTime))
	over := regexp.MustCompile(`<rect class="over"[^>]*width="([^"]*)"`).FindStringSubmatch(html)
	if len(over) < 2 || over[1] != "2.00%" {
		t.Errorf("the part over is %v, want 2.00%%: 10 of 500", over)
	}
}

// A performance was cancelled today, 40 places were returned for it, and 30 are sold of another: what is sold today is still said on top.
func TestBookedOnADayOfACancellation(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "21:00", "22:00", 400)
	ticket := func(id string, sold, cancelled time.Time, cents int64) {
		k := &record.Ticket{ID: id, EventID: e.ID, Status: record.TicketValid, Price: &record.Money{Amount: cents, Currency: "EUR"}, SoldAt: sold, CancelledAt: cancelled, UpdatedAt: webtest.ShowTime}
		if !cancelled.IsZero() {
			k.Status = record.TicketVoid
		}
		h.Apply(k)
	}
	for i := range 30 {
		ticket(fmt.Sprint("new", i), webtest.ShowTime.Add(-time.Hour), time.Time{}, 4500)
	}
	for i := range 30 {
		ticket(fmt.Sprint("back", i), webtest.ShowTime.AddDate(0, 0, -9), webtest.ShowTime.Add(-3*time.Hour), 1000)
	}
	ticket("yesterday", webtest.ShowTime.AddDate(0, 0, -1), time.Time{}, 1000)
	for _, role := range []web.Role{web.Manager, web.BoxOffice} {
		got := webtest.FigureText(webtest.Content(t, r, webtest.View{Page: "tonight"}.As(role), h.Snapshot(), webtest.ShowTime).HTML["figs"])
		webtest.Wants(t, fmt.Sprint(role), got, "Booked today")
	}
}
