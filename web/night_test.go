package web_test

import (
	"strings"
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/web"
)

// Until the next doors open the result of the evening before stands on top: its rows sum to the line under
// them, which from noon on are folded away, and what was received is for those who may see it.
func TestLastNight(t *testing.T) {
	r, h := renderer(t), eventful(t)
	off := h.event("evt_paid", "Ook afgelast", "Tuin", "19:15", "20:00", 20, func(e *record.Event) { e.Status = record.EventCancelled })
	h.apply(&record.Payment{ID: "pay_off", EventID: off.ID, Amount: record.Money{Amount: 4200, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: at("10:00"), UpdatedAt: showTime})
	show := func(now time.Time, role web.Role) string {
		return figureText(content(t, r, view{page: "tonight"}.as(role), h.snapshot(), now).HTML["night"])
	}
	night := show(at("09:00").AddDate(0, 0, 1), web.Manager)
	wants(t, "last night", night, "Last night, Friday 20 November", "Afgelast", "Afgelast § Foyer § cancelled ¦", "Ook afgelast § Tuin § cancelled, €42.00 to pay back", "¦ § Together, four performances §", "885 came, 432 did not, 32.9%.")
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
	if box := show(at("09:00").AddDate(0, 0, 1), web.BoxOffice); strings.Contains(box, "€") || !strings.Contains(box, "came") {
		t.Errorf("box office is shown %q", box)
	}
	next := h.event("evt_next_day", "De dag erna", "Tuin", "17:00", "18:00", 20, onDay(1))
	raw := func(now time.Time) string {
		return content(t, r, view{page: "tonight"}.as(web.Manager), h.snapshot(), now).HTML["night"]
	}
	for clock, folds := range map[string]bool{"11:59": false, "12:00": true, "16:59": true} {
		if html := raw(at(clock).AddDate(0, 0, 1)); strings.Contains(html, "<details>") != folds || !strings.Contains(html, "885</a></b> came") || !strings.Contains(html, "Ook afgelast") {
			t.Errorf("at %s %s says: %s", clock, next.Date, html)
		}
	}
	if doors := show(at("17:00").AddDate(0, 0, 1), web.Manager); doors != "" {
		t.Errorf("when the next doors open: %q", doors)
	}
	if evening := show(at("22:00"), web.Manager); evening != "" {
		t.Errorf("in the evening: %q", evening)
	}
}

// After midnight the evening is named as the night that it is, on its page and on that of a
// performance which begins then.
func TestNightIsNamed(t *testing.T) {
	r, h := renderer(t), newHouse()
	club := h.event("evt_club", "Clubnacht", "Kelder", "22:30", "23:30", 200, func(e *record.Event) { e.EndsAt = at("03:00").AddDate(0, 0, 1) })
	h.sell(club, sale{from: showTime.AddDate(0, 0, -3), to: showTime, paid: 20, scans: true, in: []gateIn{{"A", 9, at("22:40"), at("23:20")}}})
	head := func(v view, now time.Time) string {
		return figureText(content(t, r, v.as(web.Door), h.snapshot(), now).HTML["head"])
	}
	wants(t, "before midnight", head(view{page: "tonight"}, at("23:59")), "Friday 20 November")
	wants(t, "after it", head(view{page: "tonight"}, at("00:30").AddDate(0, 0, 1)), "Night of Fri 20 Nov to Sat 21 Nov")
	wall := content(t, r, view{page: "wall"}.as(web.Door), h.snapshot(), at("00:30").AddDate(0, 0, 1)).HTML
	wants(t, "the wall", figureText(wall["wall-top"]+wall["wall-main"]), "Clubnacht", "≤ 9 in the building , 11 not in yet")

	// While others leave, the people are not of one performance, and the wall is not headed by it.
	early := h.event("evt_early", "Antigone", "Foyer", "21:00", "21:30", 100, func(e *record.Event) { e.EndsAt = at("00:15").AddDate(0, 0, 1) })
	h.sell(early, sale{from: showTime.AddDate(0, 0, -3), to: showTime, paid: 40, scans: true, in: []gateIn{{"F", 30, at("21:05"), at("21:25")}}})
	wall = content(t, r, view{page: "wall"}.as(web.Door), h.snapshot(), at("00:30").AddDate(0, 0, 1)).HTML
	wants(t, "the wall of the house", figureText(wall["wall-main"]), "≤ 39 in the building , ≤ 30 of them leaving, 11 not in yet")
	lacks(t, "the wall of the house", figureText(wall["wall-top"]), "Clubnacht")
}
