package money_test

import (
	"fmt"
	"testing"

	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/query"
	"housecount/web/webtest"
)

// Before the first sale that is usual nothing of the day's budget is due: it stands there with what the whole day has.
func TestBudgetOfTheMorning(t *testing.T) {
	h := webtest.NewHouse()
	e := h.Event("evt_a", "Tosca", "Zaal", "19:00", "20:15", 500, webtest.OnDay(30))
	h.Apply(&record.Setting{Name: record.SettingBudget, Of: "EUR", From: "2026-11", Value: new(int64(30 * 1000_00)), At: webtest.At("01:00").AddDate(0, -1, 0), By: "Mia"})
	for back := range 40 {
		at, id := webtest.At("19:00").AddDate(0, 0, -back), fmt.Sprint("t", back)
		if back == 0 {
			at = webtest.At("09:00")
		}
		h.Apply(&record.Ticket{ID: id, OrderID: id, EventID: e.ID, Status: record.TicketValid, Price: &record.Money{Amount: 1000, Currency: "EUR"}, SoldAt: at, UpdatedAt: at})
	}
	s, r := h.Snapshot(), webtest.Renderer(t)
	for clock, want := range map[string]string{"10:00": "Budget ≈ €0.00", "19:05": "Budget ≈ €1,000.00"} {
		s.AsOf = webtest.At(clock)
		money := webtest.FigureText(webtest.Content(t, r, webtest.View{Page: "revenue", Params: query.Params("against=before&period=today")}.As(web.Manager), s, webtest.At(clock)).HTML["money-1"])
		webtest.Wants(t, clock, money, want)
		if clock == "10:00" {
			webtest.Wants(t, clock, money, "€1,000.00 for the whole day")
		}
	}
}
