package compare

import (
	"slices"
	"time"

	"housecount/aggregator/figures/evening"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// Budget returns what is to be booked on the days from..to. A month's budget is spread evenly over its days. The
// result is Unknown if a currency has a budget for one of the months and none for another.
func Budget(s *figures.Snapshot, from, to figures.Day) figures.Figure[figures.Sums] {
	return budget(s, from, to, wholeDay)
}

// BudgetOf returns the budget of a period until it ends; today counts by how much of it has passed.
func BudgetOf(v *evening.Evening, p *evening.Period) figures.Figure[figures.Sums] {
	return budget(v.Snapshot, p.From, p.To, passed(v, p))
}

// wholeDay is the number of parts into which a day is divided.
const wholeDay = 24 * 60

// passed returns how much has passed of the last day of a period, of wholeDay.
func passed(v *evening.Evening, p *evening.Period) int64 {
	start, end := v.Snapshot.Calendar.Start(p.To), v.Snapshot.Calendar.Start(p.To.Add(1))
	if p.To != v.Today || !p.Until.Before(end) || !end.After(start) {
		return wholeDay
	}
	return int64(max(0, p.Until.Sub(start)) / time.Minute * wholeDay / (end.Sub(start) / time.Minute))
}

func budget(s *figures.Snapshot, from, to figures.Day, passed int64) figures.Figure[figures.Sums] {
	codes := Budgeted(s, from, to)
	if len(codes) == 0 {
		return figures.NotKnown[figures.Sums](figures.ReasonNoBudget)
	}
	var sum figures.Sums
	var c figures.Caveat
	for _, code := range codes {
		of := budgetIn(s, code, from, to, passed)
		if len(of.without) > 0 {
			return figures.NotKnown[figures.Sums](figures.ReasonNoBudget)
		}
		sum, c = sum.Plus(record.Money{Amount: of.sum, Currency: code}, 1), c.And(of.Caveat)
	}
	return figures.New(sum, c)
}

// Budgeted returns the currencies that have a budget for a month of the days from..to.
func Budgeted(s *figures.Snapshot, from, to figures.Day) (codes []string) {
	for _, set := range s.House.All(record.SettingBudget) {
		if set.From >= from.Month() && set.From <= to.Month() && !slices.Contains(codes, set.Of) {
			codes = append(codes, set.Of)
		}
	}
	return codes
}

// monthBudgets is the sum of the budgets of months, and the months that have none.
type monthBudgets struct {
	figures.Caveat
	sum     int64
	without []string // YYYY-MM, ascending
}

// budgetIn sums the budgets in a currency of the days from..to. Of the last day only passed (of wholeDay) counts.
func budgetIn(s *figures.Snapshot, code string, from, to figures.Day, passed int64) (b monthBudgets) {
	for first := from; first <= to; {
		begins := figures.Day(first.Month() + "-01")
		next := begins.AddMonths(1)
		last, of := min(next.Add(-1), to), int64(wholeDay)
		if last == to {
			of = passed
		}
		if set := s.House.Get(record.SettingBudget, code, first.Month()); set == nil {
			b.without = append(b.without, first.Month())
		} else {
			length, before, through := int64(next.Since(begins))*wholeDay, int64(first.Since(begins))*wholeDay, int64(last.Since(begins))*wholeDay+of
			b.AddIf(through-before < length, figures.Estimated, figures.ReasonSpread)
			b.sum += *set.Value*through/length - *set.Value*before/length
		}
		first = next
	}
	return b
}

// OverBudget returns what was booked in a period, less its budget.
func OverBudget(v *evening.Evening, p *evening.Period) figures.Figure[figures.Sums] {
	budget, c := BudgetOf(v, p), v.RevenueOf(p).Of(figures.Booked).Caveat()
	return figures.New(p.Of(figures.Booked).PlusAll(budget.Value, -1), c.And(budget.Caveat()).OfDifference())
}

// AgainstBudget compares a period with its budget in one currency, over those of its months that have one.
type AgainstBudget struct {
	Booked, Budget int64
	// Without are the months that have no budget, YYYY-MM, ascending: they count on neither side.
	Without []string
}

// CompareBudget compares a period with its budget until it ends; ok is false if no month of it has one.
func CompareBudget(v *evening.Evening, p *evening.Period, code string) (a AgainstBudget, ok bool) {
	if !slices.Contains(Budgeted(v.Snapshot, p.From, p.To), code) {
		return a, false
	}
	of := budgetIn(v.Snapshot, code, p.From, p.To, passed(v, p))
	a.Budget, a.Without = of.sum, of.without
	for i := range p.Days {
		if d := &p.Days[i]; !slices.Contains(a.Without, d.Day.Month()) {
			a.Booked += d.Of(figures.Booked).In(code)
		}
	}
	return a, true
}
