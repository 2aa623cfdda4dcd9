package figures

import (
	"housecount/apiclient/record"
)

// Budget is what is to be booked on the days from..to, by what the venue has set for their months: that
// of a month is spread evenly over its days. It is Unknown where a currency that has one for a month of
// them has none for another.
func (s *Snapshot) Budget(from, to Day) Figure[Sums] {
	codes := map[string]bool{}
	for _, set := range s.settings.All(record.SettingBudget) {
		if set.From >= from.month() && set.From <= to.month() {
			codes[set.Of] = true
		}
	}
	if len(codes) == 0 {
		return unknown[Sums](ReasonNoBudget)
	}
	var sum Sums
	var c caveat
	for first := from; first <= to; {
		begins := Day(first.month() + "-01")
		next := begins.months(1)
		last := min(next.Add(-1), to)
		length, before, through := int64(next.Since(begins)), int64(first.Since(begins)), int64(last.Since(begins)+1)
		c.addIf(through-before < length, Estimated, ReasonSpread)
		for code := range codes {
			set := s.settings.Get(record.SettingBudget, code, first.month())
			if set == nil {
				return unknown[Sums](ReasonNoBudget)
			}
			part := *set.Value*through/length - *set.Value*before/length
			sum = sum.Plus(record.Money{Amount: part, Currency: code}, 1)
		}
		first = next
	}
	return figure(sum, c)
}

// OverBudget is what was booked in a period less its budget.
func (v *Evening) OverBudget(p *Period) Figure[Sums] {
	budget, c := v.snapshot.Budget(p.From, p.To), v.snapshot.Total.Of(Booked).caveat()
	return figure(p.Of(Booked).PlusAll(budget.Value, -1), c.and(budget.caveat()).ofDifference())
}

// month is the month of a day, YYYY-MM.
func (d Day) month() string { return string(d)[:min(len(d), len("2006-01"))] }
