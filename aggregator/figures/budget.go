package figures

import (
	"slices"
	"time"

	"housecount/apiclient/record"
)

// Budget is what is to be booked on the days from..to, by what the venue has set for their months: that
// of a month is spread evenly over its days. It is Unknown where a currency that has one for a month of
// them has none for another.
func (s *Snapshot) Budget(from, to Day) Figure[Sums] { return s.budget(from, to, wholeDay) }

// Budget is that of a period until it ends: of the running day as much as has passed of it.
func (v *Evening) Budget(p *Period) Figure[Sums] { return v.snapshot.budget(p.From, p.To, v.passed(p)) }

// wholeDay is how many parts of a day are told apart.
const wholeDay = 24 * 60

// passed is how much has passed of the last day of a period, of wholeDay.
func (v *Evening) passed(p *Period) int64 {
	start, end := v.snapshot.Calendar.Start(p.To), v.snapshot.Calendar.Start(p.To.Add(1))
	if p.To != v.Today || !p.Until.Before(end) || !end.After(start) {
		return wholeDay
	}
	return int64(max(0, p.Until.Sub(start)) / time.Minute * wholeDay / (end.Sub(start) / time.Minute))
}

func (s *Snapshot) budget(from, to Day, passed int64) Figure[Sums] {
	codes := s.Budgeted(from, to)
	if len(codes) == 0 {
		return unknown[Sums](ReasonNoBudget)
	}
	var sum Sums
	var c caveat
	for _, code := range codes {
		of, without := s.budgetIn(code, from, to, passed, &c)
		if len(without) > 0 {
			return unknown[Sums](ReasonNoBudget)
		}
		sum = sum.Plus(record.Money{Amount: of, Currency: code}, 1)
	}
	return figure(sum, c)
}

// Budgeted are the currencies that have a budget for a month of the days from..to.
func (s *Snapshot) Budgeted(from, to Day) (codes []string) {
	for _, set := range s.settings.All(record.SettingBudget) {
		if set.From >= from.month() && set.From <= to.month() && !slices.Contains(codes, set.Of) {
			codes = append(codes, set.Of)
		}
	}
	return codes
}

// budgetIn sums the budgets in a currency of the days from..to, of the last so much as has passed, and names
// the months that have none.
func (s *Snapshot) budgetIn(code string, from, to Day, passed int64, c *caveat) (sum int64, without []string) {
	for first := from; first <= to; {
		begins := Day(first.month() + "-01")
		next := begins.months(1)
		last, of := min(next.Add(-1), to), int64(wholeDay)
		if last == to {
			of = passed
		}
		if set := s.settings.Get(record.SettingBudget, code, first.month()); set == nil {
			without = append(without, first.month())
		} else {
			length, before, through := int64(next.Since(begins))*wholeDay, int64(first.Since(begins))*wholeDay, int64(last.Since(begins))*wholeDay+of
			c.addIf(through-before < length, Estimated, ReasonSpread)
			sum += *set.Value*through/length - *set.Value*before/length
		}
		first = next
	}
	return sum, without
}

// OverBudget is what was booked in a period less its budget.
func (v *Evening) OverBudget(p *Period) Figure[Sums] {
	budget, c := v.Budget(p), v.snapshot.Total.Of(Booked).caveat()
	return figure(p.Of(Booked).PlusAll(budget.Value, -1), c.and(budget.caveat()).ofDifference())
}

// AgainstBudget is a period beside its budget in one currency, over those of its months that have one.
type AgainstBudget struct {
	Booked, Budget int64
	// Without are the months that have no budget, YYYY-MM, ascending: they count on neither side.
	Without []string
}

// AgainstBudget compares a period with its budget until it ends; ok is false where no month of it has one.
func (v *Evening) AgainstBudget(p *Period, code string) (a AgainstBudget, ok bool) {
	if !slices.Contains(v.snapshot.Budgeted(p.From, p.To), code) {
		return a, false
	}
	a.Budget, a.Without = v.snapshot.budgetIn(code, p.From, p.To, v.passed(p), new(caveat))
	for i := range p.Days {
		if d := &p.Days[i]; !slices.Contains(a.Without, d.Day.month()) {
			a.Booked += d.Of(Booked).In(code)
		}
	}
	return a, true
}

// month is the month of a day, YYYY-MM.
func (d Day) month() string { return string(d)[:min(len(d), len("2006-01"))] }
