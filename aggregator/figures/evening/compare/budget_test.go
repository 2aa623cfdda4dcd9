package compare_test

import (
	"fmt"
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
	if got := compare.BudgetOf(v, &c.This); got.Value.In("EUR") != x.Amount.In("EUR") || x.Amount.In("EUR") != 491_666_66 {
		t.Errorf("the budget is %v, its explanation %v", got.Value, x.Amount)
	}
	november := compare.Compare(foldtest.Evening(s, foldtest.Clock("30 12:00").AddDate(0, 0, 20)), compare.Span{From: "2026-11-01", To: "2026-11-30"}, compare.TheBudget)
	if len(november.Before.Days) > 0 || november.Comparable() || len(november.Buckets) != 30 || november.Buckets[0].Before != nil {
		t.Errorf("beside its budget are the days %s to %s", november.Before.From, november.Before.To)
	}
}

// Of the running day counts what is usually booked by its minute: the median of the same weekdays before, of all days before where these
// are too few, and the part of the clock where hardly any are known. A day that a note calls exceptional does not count, nor does the
// running minute.
func TestBudgetOfTodayIsByTheUsualDay(t *testing.T) {
	day := func(back int, early, late int64) (all []record.Record) {
		for name, of := range map[string]struct {
			clock string
			euros int64
		}{"early": {"20:09", early}, "late": {"20:10", late}} {
			all = append(all, foldtest.Ticket(fmt.Sprint(name, back), "a", func(t *record.Ticket) {
				t.SoldAt, t.Price = foldtest.Clock("30 "+of.clock).AddDate(0, 0, -back), foldtest.Eur(of.euros*100)
			}))
		}
		return all
	}
	storm := &record.Setting{Name: record.SettingNote, Of: record.NoteOf("", "Storm"), From: "2026-11-02", Value: new(int64(1))}
	weeks := slices.Concat(day(7, 80, 20), day(14, 90, 10), day(21, 82, 18), day(28, 1, 99), day(35, 84, 16))
	days := slices.Concat(day(1, 50, 50), day(2, 60, 40), day(3, 70, 30), day(5, 40, 60), day(70, 1, 99))
	francs := day(100, 1, 1)
	for _, r := range weeks {
		of := *r.(*record.Ticket)
		of.ID, of.Price = "CHF "+of.ID, &record.Money{Amount: of.Price.Amount, Currency: "CHF"}
		francs = append(francs, &of)
	}
	for _, c := range []struct {
		name    string
		records []record.Record
		want    compare.DayShare
		reason  figures.Reason
	}{
		{"weekdays", append(slices.Clone(weeks), storm), compare.DayShare{Part: (1180 + 1209) / 2, Days: 4, Weekday: true}, figures.ReasonUsualDay},
		{"weekdays, none of them exceptional", weeks, compare.DayShare{Part: 1180, Days: 5, Weekday: true}, figures.ReasonUsualDay},
		{"days", slices.Concat(days, day(7, 80, 20)), compare.DayShare{Part: 864, Days: 5}, figures.ReasonUsualDay},
		{"too few", days[:6], compare.DayShare{Part: 20*60 + 10}, figures.ReasonByClock},
		{"in another currency", francs, compare.DayShare{Part: 20*60 + 10}, figures.ReasonByClock},
	} {
		records := append([]record.Record{foldtest.Set(record.SettingBudget, "EUR", "2026-11", 30*1440_00, "09:00"), foldtest.Event("a")}, c.records...)
		v := foldtest.Evening(foldtest.Fold(foldtest.Complete, records...), foldtest.Clock("30 20:10"))
		p := compare.Compare(v, compare.SpanOf(v, compare.ThisDay), compare.TheBudget).This
		got, f := compare.ShareOf(v, &p, "EUR"), compare.BudgetOf(v, &p)
		if got != c.want || f.Value.In("EUR") != c.want.Part*100 || f.Quality != figures.Estimated || !slices.Contains(f.Reasons, c.reason) {
			t.Errorf("%s: %+v, %v, want %+v", c.name, got, f, c.want)
		}
		if x, ok := catalogue.Explain(v, figures.KeyBudget, figures.Scope{From: p.To, To: p.To, Currency: "EUR"}); !ok || x.Amount.In("EUR") != f.Value.In("EUR") || x.Period == nil || compare.ShareOf(v, x.Period, "EUR") != c.want {
			t.Errorf("%s: explained as %+v", c.name, x.Value)
		}
		over := compare.NewSpan(v, "2026-11-29", "2026-11-29")
		if past := compare.Compare(v, over, compare.TheBudget).This; !compare.ShareOf(v, &past, "EUR").Whole() {
			t.Errorf("%s: of a day that is over counts a part", c.name)
		}
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
