package compare_test

import (
	"slices"
	"testing"

	"housecount/aggregator/figures/evening/compare"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// A month's budget is spread over its days so that they are the month together, to the cent; where a
// month has none, nothing is compared.
func TestBudget(t *testing.T) {
	budget := func(code, month string, amount int64) *record.Setting {
		return foldtest.Set(record.SettingBudget, code, month, amount, "09:00")
	}
	s := foldtest.Fold(foldtest.Complete, budget("EUR", "2026-10", 310_00), budget("EUR", "2026-11", 100_01), budget("EUR", "2027-02", 28_00), budget("CHF", "2027-02", 14_00),
		foldtest.Event("a"), foldtest.Ticket("t", "a", func(t *record.Ticket) { t.SoldAt = foldtest.Clock("10:00") }))
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
		if got := foldtest.Say(compare.Budget(s, c.from, c.to)); got != c.want {
			t.Errorf("%s to %s: %s, want %s", c.from, c.to, got, c.want)
		}
	}
	var days figures.Sums
	for day := figures.Day("2026-11-01"); day <= "2026-11-30"; day = day.Add(1) {
		days = days.PlusAll(compare.Budget(s, day, day).Value, 1)
	}
	if days.In("EUR") != 100_01 {
		t.Errorf("the days of November are %v together", days)
	}
	// Of the running day counts as much as has passed of it, of others all.
	for at, of := range map[string]int64{"30 12:00": 98_34, "30 00:00": 96_67} {
		v := foldtest.Evening(s, foldtest.Clock(at))
		for key, want := range map[figures.Key]int64{figures.KeyBudget: of, figures.KeyOverBudget: 20_00 - of} {
			if x, ok := catalogue.Explain(v, key, figures.Scope{From: "2026-11-01", To: "2026-11-30", Currency: "EUR"}); !ok || x.Amount.In("EUR") != want || x.Quality != figures.Estimated {
				t.Errorf("at %s %s is %+v, want %d", at, key, x.Value, want)
			}
		}
	}
	// What a page compares with is what the catalogue says, to the minute.
	large := foldtest.Fold(foldtest.Complete, foldtest.Set(record.SettingBudget, "EUR", "2026-11", 500_000_00, "09:00"), foldtest.Event("a"),
		foldtest.Ticket("t", "a", func(t *record.Ticket) { t.SoldAt = foldtest.Clock("10:00") }))
	v := foldtest.Evening(large, foldtest.Clock("30 12:00"))
	c := compare.Compare(v, compare.NewSpan(v, "2026-11-01", "2026-11-30"), compare.TheBudget)
	x, _ := catalogue.Explain(v, figures.KeyBudget, figures.Scope{From: "2026-11-01", To: "2026-11-30", Currency: "EUR"})
	if got := compare.BudgetOf(v, &c.This); got.Value.In("EUR") != x.Amount.In("EUR") || x.Amount.In("EUR") != 491_678_24 {
		t.Errorf("the budget is %v, its explanation %v", got.Value, x.Amount)
	}
	november := compare.Compare(foldtest.Evening(s, foldtest.Clock("30 12:00").AddDate(0, 0, 20)), compare.Span{From: "2026-11-01", To: "2026-11-30"}, compare.TheBudget)
	if len(november.Before.Days) > 0 || november.Comparable() || len(november.Buckets) != 30 || november.Buckets[0].Before != nil {
		t.Errorf("beside its budget are the days %s to %s", november.Before.From, november.Before.To)
	}
}

// Months without a budget count on neither side.
func TestAgainstBudget(t *testing.T) {
	sold := func(id, at string, price int64) *record.Ticket {
		return foldtest.Ticket(id, "a", func(t *record.Ticket) {
			t.SoldAt, t.Price = foldtest.Clock(at), &record.Money{Amount: price, Currency: "EUR"}
		})
	}
	s := foldtest.Fold(foldtest.Complete, foldtest.Set(record.SettingBudget, "EUR", "2026-11", 300_00, "09:00"), foldtest.Event("a"), sold("t", "10:00", 20_00), sold("u", "10:00", 40_00),
		foldtest.Ticket("o", "a", func(t *record.Ticket) { t.SoldAt = foldtest.Clock("10:00").AddDate(0, -1, 0) }))
	v := foldtest.Evening(s, foldtest.Clock("30 12:00"))
	of := compare.Compare(v, compare.NewSpan(v, "2026-10-01", "2026-11-30"), compare.TheBudget).This
	if got, ok := compare.CompareBudget(v, &of, "EUR"); !ok || got.Booked != 60_00 || got.Budget != 295_00 || !slices.Equal(got.Without, []string{"2026-10"}) {
		t.Errorf("%t: %+v", ok, got)
	}
	if got, ok := compare.CompareBudget(v, &of, "CHF"); ok {
		t.Errorf("there is a budget in francs: %+v", got)
	}
}
