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
	return budget(s, from, to, func(string) DayShare { return DayShare{Part: wholeDay} })
}

// BudgetOf returns the budget of a period until it ends; today counts by its DayShare.
func BudgetOf(v *evening.Evening, p *evening.Period) figures.Figure[figures.Sums] {
	return budget(v.Snapshot, p.From, p.To, func(code string) DayShare { return ShareOf(v, p, code) })
}

// wholeDay is the number of parts into which a day is divided.
const wholeDay = 24 * 60

// DayShare is which part of a day's budget is due by a moment: the part that is usually booked by then.
type DayShare struct {
	Part int64 // of wholeDay
	// Days is how many earlier days it is the median of, Weekday that they are of the same weekday. Days is 0 where too few are known:
	// then the part is that of the clock.
	Days    int
	Weekday bool
}

// Share returns the part as a fraction.
func (d DayShare) Share() float64 { return float64(d.Part) / wholeDay }

// Whole reports whether all of the day is due.
func (d DayShare) Whole() bool { return d.Part == wholeDay && d.Days == 0 }

// shareWeeks is over how many weeks earlier days are looked at, and fewestShares how many of them are needed.
const (
	shareWeeks   = 8
	fewestShares = 4
)

// ShareOf returns which part of the budget of a period's last day is due when the period ends. Today it is the median of what
// part was booked by that time of the day on the same weekdays before; of all days before, where these are too few.
func ShareOf(v *evening.Evening, p *evening.Period, code string) DayShare {
	start, end := v.Snapshot.Calendar.Start(p.To), v.Snapshot.Calendar.Start(p.To.Add(1))
	if p.To != v.Today || !p.Until.Before(end) || !end.After(start) {
		return DayShare{Part: wholeDay}
	}
	passed := max(0, p.Until.Sub(start))
	for _, step := range []int{7, 1} {
		var parts []int64
		for back := step; back <= 7*shareWeeks && !v.Snapshot.Unread(); back += step {
			if part, ok := bookedBy(v, p.To.Add(-back), passed, code); ok {
				parts = append(parts, part)
			}
		}
		if n := len(parts); n >= fewestShares {
			slices.Sort(parts)
			return DayShare{(parts[(n-1)/2] + parts[n/2]) / 2, n, step == 7}
		}
	}
	return DayShare{Part: int64(passed / time.Minute * wholeDay / (end.Sub(start) / time.Minute))}
}

// bookedBy returns which part of what was booked on a day in a currency had been booked when some of the day had passed, of wholeDay;
// ok is false for a day on which nothing was booked, or that a note calls exceptional.
func bookedBy(v *evening.Evening, day figures.Day, passed time.Duration, code string) (part int64, ok bool) {
	rows := evening.Between(v.Snapshot.Days, day, day)
	if len(rows) == 0 || rows[0].Of(figures.Booked).In(code) <= 0 || v.Snapshot.House.ExceptionalDays()[day] {
		return 0, false
	}
	until := figures.Earlier(v.Snapshot.Calendar.Start(day).Add(passed), v.Snapshot.Calendar.Start(day.Add(1)))
	by := rows[0].UpTo(until.Add(-time.Minute))
	return max(0, min(by.Of(figures.Booked).In(code)*wholeDay/rows[0].Of(figures.Booked).In(code), wholeDay)), true
}

func budget(s *figures.Snapshot, from, to figures.Day, due func(code string) DayShare) figures.Figure[figures.Sums] {
	codes := Budgeted(s, from, to)
	if len(codes) == 0 {
		return figures.NotKnown[figures.Sums](figures.ReasonNoBudget)
	}
	var sum figures.Sums
	var c figures.Caveat
	for _, code := range codes {
		of := budgetIn(s, code, from, to, due(code))
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

// budgetIn sums the budgets in a currency of the days from..to. Of the last day only a share counts.
func budgetIn(s *figures.Snapshot, code string, from, to figures.Day, share DayShare) (b monthBudgets) {
	b.AddIf(share.Days > 0, figures.Estimated, figures.ReasonUsualDay)
	b.AddIf(share.Days == 0 && !share.Whole(), figures.Estimated, figures.ReasonByClock)
	for first := from; first <= to; {
		begins := figures.Day(first.Month() + "-01")
		next := begins.AddMonths(1)
		last, of := min(next.Add(-1), to), int64(wholeDay)
		if last == to {
			of = share.Part
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
	figures.Caveat // of the budget: that of a part of a month is an estimate
	Booked, Budget int64
	// Without are the months that have no budget, YYYY-MM, ascending: they count on neither side.
	Without []string
}

// CompareBudget compares a period with its budget until it ends; ok is false if no month of it has one.
func CompareBudget(v *evening.Evening, p *evening.Period, code string) (a AgainstBudget, ok bool) {
	if !slices.Contains(Budgeted(v.Snapshot, p.From, p.To), code) {
		return a, false
	}
	of := budgetIn(v.Snapshot, code, p.From, p.To, ShareOf(v, p, code))
	a.Caveat, a.Budget, a.Without = of.Caveat, of.sum, of.without
	for i := range p.Days {
		if d := &p.Days[i]; !slices.Contains(a.Without, d.Day.Month()) {
			a.Booked += d.Of(figures.Booked).In(code)
		}
	}
	return a, true
}
