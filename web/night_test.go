package web_test

import (
	"strings"
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// Until the next doors open the result of the evening before stands on top: its rows sum to the line under
// them, which from noon on are folded away, and what was received is for those who may see it.
func TestLastNight(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Eventful(t)
	off := h.Event("evt_paid", "Ook afgelast", "Tuin", "19:15", "20:00", 20, func(e *record.Event) { e.Status = record.EventCancelled })
	h.Apply(&record.Payment{ID: "pay_off", EventID: off.ID, Amount: record.Money{Amount: 4200, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: webtest.At("10:00"), UpdatedAt: webtest.ShowTime})
	show := func(now time.Time, role web.Role) string {
		return webtest.FigureText(webtest.Content(t, r, webtest.View{Page: "tonight"}.As(role), h.Snapshot(), now).HTML["night"])
	}
	night := show(webtest.At("09:00").AddDate(0, 0, 1), web.Manager)
	webtest.Wants(t, "last night", night, "Last night, Friday 20 November", "Afgelast", "Afgelast § Foyer § cancelled ¦", "Ook afgelast § Tuin § cancelled, €42.00 to pay back", "¦ § Together, four performances §", "885 came, 432 did not, 32.9%.")
	table := night[strings.Index(night, "¦"):]
	rows := strings.Split(table, "¦")
	sum := rows[len(rows)-1]
	for what, pattern := range map[string]string{"sold": `§ ([\d,]+) of [\d,]+ § `, "came": `§ [\d,]+ of [\d,]+ § ([\d,]+)`, "net": ` (€[\d,.]+)$`} {
		all := 0
		for _, row := range rows[:len(rows)-1] {
			if !strings.Contains(row, "cancelled") {
				all += find(t, strings.TrimSpace(row), pattern)
			}
		}
		if got := find(t, strings.TrimSpace(sum), pattern); got == 0 || got != all {
			t.Errorf("%s: %d in the last row, the rows come to %d: %q", what, got, all, night)
		}
	}
	if box := show(webtest.At("09:00").AddDate(0, 0, 1), web.BoxOffice); strings.Contains(box, "€") || !strings.Contains(box, "came") {
		t.Errorf("box office is shown %q", box)
	}
	next := h.Event("evt_next_day", "De dag erna", "Tuin", "17:00", "18:00", 20, webtest.OnDay(1))
	raw := func(now time.Time) string {
		return webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Manager), h.Snapshot(), now).HTML["night"]
	}
	for _, clock := range []string{"11:59", "16:59"} {
		if html := raw(webtest.At(clock).AddDate(0, 0, 1)); !strings.Contains(html, "885</a></b> came") || !strings.Contains(html, "Ook afgelast") {
			t.Errorf("at %s %s says: %s", clock, next.Date, html)
		}
	}
	if doors := show(webtest.At("17:00").AddDate(0, 0, 1), web.Manager); doors != "" {
		t.Errorf("when the next doors open: %q", doors)
	}
	if evening := show(webtest.At("22:00"), web.Manager); evening != "" {
		t.Errorf("in the evening: %q", evening)
	}
}

// After midnight the evening is named as the night that it is, on its page and on that of a
// performance which begins then.
func TestNightIsNamed(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	club := h.Event("evt_club", "Clubnacht", "Kelder", "22:30", "23:30", 200, func(e *record.Event) { e.EndsAt = webtest.At("03:00").AddDate(0, 0, 1) })
	h.Sell(club, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime, Paid: 20, Scans: true, In: []webtest.GateIn{{Gate: "A", N: 9, From: webtest.At("22:40"), To: webtest.At("23:20")}}})
	head := func(v webtest.View, now time.Time) string {
		return webtest.FigureText(webtest.Content(t, r, v.As(web.Door), h.Snapshot(), now).HTML["head"])
	}
	webtest.Wants(t, "before midnight", head(webtest.View{Page: "tonight"}, webtest.At("23:59")), "Friday 20 November")
	webtest.Wants(t, "after it", head(webtest.View{Page: "tonight"}, webtest.At("00:30").AddDate(0, 0, 1)), "Night of Fri 20 Nov to Sat 21 Nov")
	wall := webtest.Content(t, r, webtest.View{Page: "wall"}.As(web.Door), h.Snapshot(), webtest.At("00:30").AddDate(0, 0, 1)).HTML
	webtest.Wants(t, "the wall", webtest.FigureText(wall["wall-top"]+wall["wall-main"]), "Clubnacht", "≤ 9 inside , 11 not in")

	// While others leave, the people are not of one performance, and the wall is not headed by it.
	early := h.Event("evt_early", "Antigone", "Foyer", "21:00", "21:30", 100, func(e *record.Event) { e.EndsAt = webtest.At("00:15").AddDate(0, 0, 1) })
	h.Sell(early, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime, Paid: 40, Scans: true, In: []webtest.GateIn{{Gate: "F", N: 30, From: webtest.At("21:05"), To: webtest.At("21:25")}}})
	wall = webtest.Content(t, r, webtest.View{Page: "wall"}.As(web.Door), h.Snapshot(), webtest.At("00:30").AddDate(0, 0, 1)).HTML
	webtest.Wants(t, "the wall of the house", webtest.FigureText(wall["wall-main"]), "≈ 11 in the building , ≈ 2 of them leaving, 11 not in")
	webtest.Lacks(t, "the wall of the house", webtest.FigureText(wall["wall-top"]), "Clubnacht")

	// Once all are thought to have left, the row says who came, and nothing of nobody.
	row := func(minute int) string {
		at, all := webtest.At("00:00").AddDate(0, 0, 1).Add(time.Duration(minute)*time.Minute), ""
		for _, html := range webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Door), h.Snapshot(), at).HTML {
			all += webtest.FigureText(html)
		}
		return all
	}
	webtest.Wants(t, "as they leave", row(30), "≈ 2 leaving · 30 came")
	webtest.Wants(t, "when all have left", row(43), "30 came")
	webtest.Lacks(t, "when all have left", row(43), "leaving")
}
