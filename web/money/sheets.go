package money

import (
	"housecount/aggregator/figures"
	"housecount/web"
)

// revenueSheets returns the days of the period that Revenue shows, and what was sold on them by performance.
func (b builder) revenueSheets() ([]web.Sheet, error) {
	c := b.comparison()
	var days []figures.Day
	for i := range c.This.Days {
		days = append(days, c.This.Days[i].Day)
	}
	name := "housecount-revenue-" + string(c.This.From) + "-" + string(c.This.To)
	return []web.Sheet{b.DaySheet(name, days), b.PeriodSheet(name, c.This.From, c.This.To)}, nil
}
