package money

import (
	"housecount/aggregator/figures"
	"housecount/web"
)

// revenueSheets returns the days of the period that Revenue shows, and what was sold on them by performance, and refunded by
// reason.
func (b builder) revenueSheets() ([]web.Sheet, error) {
	c := b.comparison()
	var days []figures.Day
	for i := range c.This.Days {
		days = append(days, c.This.Days[i].Day)
	}
	name := "housecount-revenue-" + string(c.This.From) + "-" + string(c.This.To)
	sheets := []web.Sheet{b.DaySheet(name, days), b.PeriodSheet(name, c.This.From, c.This.To)}
	if all := figures.RefundsByReason(c.This.Days); len(all) > 0 {
		sheets = append(sheets, b.RefundSheet(name, all))
	}
	return sheets, nil
}
