package explain_test

import (
	"strings"
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// What was sold today is said by channel, of the house and of a performance, and adds up to it: what was sold before and cancelled
// today is a row, what was sold before is in none.
func TestSoldTodayByChannel(t *testing.T) {
	h := webtest.NewHouse()
	sell := func(e *record.Event, channel string, n int, sold time.Time) (last *record.Ticket) {
		for range n {
			last = &record.Ticket{ID: h.ID("tkt"), EventID: e.ID, Channel: channel, Status: record.TicketValid, Price: &record.Money{Amount: 1000, Currency: "EUR"}, SoldAt: sold, CreatedAt: sold, UpdatedAt: sold}
			h.Apply(last)
		}
		return last
	}
	one, two := h.Event("evt_a", "Stuk A", "Foyer", "19:00", "20:00", 80), h.Event("evt_b", "Stuk B", "Zaal", "19:00", "20:00", 80, webtest.OnDay(3))
	today, before := webtest.At("15:00"), webtest.At("15:00").AddDate(0, 0, -1)
	sell(one, "box_office", 3, today)
	sell(one, "web", 1, today)
	sell(two, "box_office", 4, today)
	sell(two, "box_office", 5, before)
	back := *sell(one, "web", 2, before)
	back.Status, back.CancelledAt, back.UpdatedAt = record.TicketVoid, webtest.At("16:00"), webtest.At("16:00")
	h.Apply(&back)
	sell(two, "web", 2, webtest.At("23:30"))
	r := webtest.Renderer(t)
	for path, want := range map[string]string{
		"/explain/sold_today":             "Sold today by channelBox office7Web3Cancelled, sold before−1Dated later today−2",
		"/explain/sold_today?event=evt_a": "Sold today by channelBox office3Web1Cancelled, sold before−1",
		"/explain/sold_today?event=evt_b": "Sold today by channelBox office4Web2Dated later today−2",
		"/explain/booked_today":           "Sold today by channelBox office7€70.00Web3€30.00Cancelled, sold before−1−€10.00Dated later today−2−€20.00",
	} {
		q, err := webtest.ExplainRequest(t, path, web.BoxOffice)
		if err != nil {
			t.Fatal(path, err)
		}
		webtest.Wants(t, path, webtest.Text(webtest.Page(t, r, q, h.Snapshot(), webtest.ShowTime)), want)
	}
	q, err := webtest.ExplainRequest(t, "/explain/sold?event=evt_a", web.BoxOffice)
	if err != nil {
		t.Fatal(err)
	}
	webtest.Lacks(t, "what is sold in all", webtest.Text(webtest.Page(t, r, q, h.Snapshot(), webtest.ShowTime)), "Sold today by channel")
}

// What is asked next of the day's sales is how they go now: the last hour's are said, of the house and of a performance, less what was
// cancelled in it, and how many of them are for tonight.
func TestSoldInTheLastHour(t *testing.T) {
	h := webtest.NewHouse()
	one, two := h.Event("evt_a", "Stuk A", "Foyer", "19:00", "20:00", 80), h.Event("evt_b", "Stuk B", "Zaal", "19:00", "20:00", 80, webtest.OnDay(3))
	for i, e := range []*record.Event{one, one, two, two, two, two, two} {
		at := webtest.ShowTime.Add(-time.Duration(1+i*10) * time.Minute)
		h.Apply(&record.Ticket{ID: h.ID("tkt"), EventID: e.ID, Status: record.TicketValid, Price: &record.Money{Amount: 1000, Currency: "EUR"}, SoldAt: at, CreatedAt: at, UpdatedAt: at})
	}
	r := webtest.Renderer(t)
	for path, want := range map[string]string{
		"/explain/sold_today":             "6 sold in the last hour, 2 of them for tonight",
		"/explain/booked_today":           "6 sold in the last hour, 2 of them for tonight",
		"/explain/sold_today?event=evt_b": "4 sold in the last hour",
	} {
		q, err := webtest.ExplainRequest(t, path, web.BoxOffice)
		if err != nil {
			t.Fatal(path, err)
		}
		webtest.Wants(t, path, webtest.Text(webtest.Page(t, r, q, h.Snapshot(), webtest.ShowTime)), want)
	}
	q, err := webtest.ExplainRequest(t, "/explain/sold_here", web.BoxOffice)
	if err != nil {
		t.Fatal(err)
	}
	webtest.Lacks(t, "a part of it", webtest.Text(webtest.Page(t, r, q, h.Snapshot(), webtest.ShowTime)), "in the last hour")
}

// The people a minute of five minutes have the last minute beside them, which they hide.
func TestLastMinuteAtAGate(t *testing.T) {
	r := webtest.Renderer(t)
	s := webtest.Eventful(t).Snapshot()
	for path, want := range map[string]string{"/explain/entries_5?event=evt_mat&gate=B": " in the last minute", "/explain/entries_15?event=evt_mat&gate=B": ""} {
		q, err := webtest.ExplainRequest(t, path, web.Door)
		if err != nil {
			t.Fatal(path, err)
		}
		text := webtest.Text(webtest.Page(t, r, q, s, webtest.ShowTime))
		if has := strings.Contains(text, "in the last minute"); has != (want != "") {
			t.Errorf("%s: %s", path, text)
		}
	}
}
