package model

import (
	"math"
	"time"

	"housecount/aggregator/figures"
)

// SoldLately returns how many of the places sold by a number of days before a performance were sold in the time before that
// which is as long as half of what is still to come, and a week at least. It is NaN where the sale had hardly begun before
// that time: the first days of a sale say little of those to come.
func SoldLately(e *figures.EventFigures, sold, days int, elapsed time.Duration, c figures.Calendar) float64 {
	back := days + max(7, days/2)
	if len(e.SaleDays) == 0 || e.SaleDays[0].Day > e.Date.Add(-back-openingDays) {
		return math.NaN()
	}
	return float64(sold - SoldAt(e, back, elapsed, c))
}

// openingDays is for how many days the beginning of a sale may sell more than what follows.
const openingDays = 3

// SoldByDay returns how many places had been sold by the end of each day; the index is days before the performance. On
// the day of the performance itself it is all of them.
func SoldByDay(e *figures.EventFigures, days int) []int {
	path := make([]int, days)
	date, _ := e.Date.Number()
	sum, next := 0, len(path)-1
	for _, d := range e.SaleDays {
		day, _ := d.Day.Number()
		for ; next > 0 && figures.DayNumber(next) > date-day; next-- {
			path[next] = sum
		}
		sum += d.Sold
	}
	for ; next > 0; next-- {
		path[next] = sum
	}
	path[0] = e.Sold.Value
	return path
}

// SoldAt returns how many places had been sold a number of days before the performance, when elapsed of that day had passed.
func SoldAt(e *figures.EventFigures, days int, elapsed time.Duration, c figures.Calendar) (sum int) {
	day := e.Date.Add(-days)
	for _, d := range e.SaleDays {
		switch {
		case d.Day < day:
			sum += d.Sold
		case d.Day == day:
			sum += d.UpTo(c.Start(day).Add(elapsed - time.Minute)).Sold
		}
	}
	return sum
}
