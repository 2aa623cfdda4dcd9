package figures_test

import (
	"testing"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// A month's budget is spread over its days so that they are the month together, to the cent; where a
// month has none, nothing is compared.
func TestBudget(t *testing.T) {
	budget := func(code, month string, amount int64) *record.Setting {
		return set(record.SettingBudget, code, month, amount, "09:00")
	}
	s := fold(complete, budget("EUR", "2026-10", 310_00), budget("EUR", "2026-11", 100_01), budget("EUR", "2027-02", 28_00), budget("CHF", "2027-02", 14_00),
		theEvent("a"), theTicket("t", "a", func(t *record.Ticket) { t.SoldAt = clock("10:00") }))
	for _, c := range []struct {
		from, to figures.Day
		want     string
	}{
		{"2026-11-01", "2026-11-30", "[{10001 EUR}]"},
		{"2026-10-01", "2026-11-30", "[{41001 EUR}]"},
		{"2026-11-01", "2026-11-15", "estimated [{5000 EUR}] spread"},
		{"2026-11-16", "2026-11-30", "estimated [{5001 EUR}] spread"},
		{"2026-10-31", "2026-11-01", "estimated [{1333 EUR}] spread"},
		{"2027-02-01", "2027-02-28", "[{1400 CHF} {2800 EUR}]"},
		{"2027-02-01", "2027-02-01", "estimated [{50 CHF} {100 EUR}] spread"},
		{"2026-11-30", "2026-12-01", "unknown no_budget"},
		{"2026-12-01", "2026-12-31", "unknown no_budget"},
		{"2026-12-31", "2027-02-28", "unknown no_budget"},
	} {
		if got := say(s.Budget(c.from, c.to)); got != c.want {
			t.Errorf("%s to %s: %s, want %s", c.from, c.to, got, c.want)
		}
	}
	var days figures.Sums
	for day := figures.Day("2026-11-01"); day <= "2026-11-30"; day = day.Add(1) {
		days = days.PlusAll(s.Budget(day, day).Value, 1)
	}
	if days.In("EUR") != 100_01 {
		t.Errorf("the days of November are %v together", days)
	}
	v := evening(s, clock("30 12:00"))
	for key, want := range map[figures.Key]int64{figures.KeyBudget: 100_01, figures.KeyOverBudget: 20_00 - 100_01} {
		if x, ok := v.Explain(key, figures.Scope{From: "2026-11-01", To: "2026-11-30", Currency: "EUR"}); !ok || x.Amount.In("EUR") != want || x.Quality != figures.Exact {
			t.Errorf("%s is %+v, want %d", key, x.Value, want)
		}
	}
}
