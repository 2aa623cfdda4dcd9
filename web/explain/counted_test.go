package explain_test

import (
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// A quotient is not counted: its explanation has a formula, or says what is divided by what.
func TestQuotientsSayWhatIsDivided(t *testing.T) {
	r, s := webtest.Renderer(t), webtest.Eventful(t).Snapshot()
	v, said := evening.At(s, webtest.ShowTime), 0
	for _, scope := range []figures.Scope{{}, {Event: s.Events[0].Event.ID}, {From: v.Today, To: v.Today.Add(30), Performances: true}, {Night: true, From: v.Today, To: v.Today}} {
		for _, d := range catalogue.All() {
			quotient := d.Unit.Ratio() || d.Key == figures.KeyAveragePrice || d.Key == figures.KeyRevenuePerPlace || d.Key == figures.KeyCostPerTicket
			if x, ok := catalogue.Explain(v, d.Key, scope); !ok || !quotient || len(x.Terms) > 0 {
				continue
			}
			q, err := webtest.ExplainRequest(t, web.ExplainHref(d.Key, scope), web.Manager)
			if err != nil {
				t.Fatal(err)
			}
			text := webtest.Text(webtest.Page(t, r, q, s, webtest.ShowTime))
			webtest.Wants(t, string(d.Key), text, " ÷ ")
			webtest.Lacks(t, string(d.Key), text, "one by one")
			said++
		}
	}
	if said < 4 {
		t.Errorf("%d quotients have no formula", said)
	}
}

// The explanation of today's budget says which part of it counts, by what; that of days that are over does not.
func TestBudgetSaysWhatCountsOfToday(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40, webtest.OnDay(20))
	h.Apply(&record.Setting{Name: record.SettingBudget, Of: "EUR", From: "2026-11", Value: new(int64(30_00)), At: webtest.ShowTime, By: "Mia"})
	explained := func(day figures.Day) string {
		q, err := webtest.ExplainRequest(t, web.ExplainHref(figures.KeyBudget, figures.Scope{From: day, To: day, Currency: "EUR"}), web.Manager)
		if err != nil {
			t.Fatal(err)
		}
		return webtest.Text(webtest.Page(t, r, q, h.Snapshot(), webtest.ShowTime))
	}
	today := h.Snapshot().Calendar.Day(webtest.ShowTime)
	h.SellOne(e, webtest.At("12:00"), 1000)
	webtest.Wants(t, "a house without a past", explained(today), "Set by month, under Settings.", "by the clock: too few earlier days are known")
	for week := range 5 {
		early := webtest.At("12:00").AddDate(0, 0, -7*(week+1))
		h.SellOne(e, early, 3000)
		h.SellOne(e, early.Add(11*time.Hour), 1000)
	}
	webtest.Wants(t, "a house with one", explained(today), "Of today 75.0% counts: usually booked by 19:51 on this weekday (the last 5).")
	webtest.Lacks(t, "a day that is over", explained(today.Add(-1)), "usually booked by 19:51", "by the clock", "one by one")
}
