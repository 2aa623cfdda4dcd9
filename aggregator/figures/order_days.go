package figures

import (
	"slices"
)

// OrderDays are the present sums of orders by the day of their sale, which is that of the first of their tickets. They are immutable; the zero
// value has no orders.
type OrderDays struct {
	Spans [][]TimedRow // ascending
}

// OrderDay is the present sum of the orders sold on one day: Booked and Fees of their sold tickets; Received,
// Refunded, ChargedBack and Reversed of their payments; and their open items, ToBePaid and ToBePaidBack, and Goodwill.
type OrderDay struct {
	Day   Day
	Open  int // orders with an open item; not counted in UnattributedOrderDays
	Lacks     // only Unpriced and Feeless
	Amounts
}

// All returns the days with orders whose sums are not all 0, ascending.
func (o OrderDays) All() (days []OrderDay) {
	for _, rows := range o.Spans {
		for len(rows) > 0 {
			n := 1
			for n < len(rows) && rows[n].At() == rows[0].At() {
				n++
			}
			days = append(days, orderDay(DayNumber(rows[0].At()).Day(), rows[:n]))
			rows = rows[n:]
		}
	}
	return days
}

// Between returns the sum of the orders sold on the days from..to; its Day is from.
func (o OrderDays) Between(from, to Day) OrderDay {
	first, _ := from.Number()
	last, _ := to.Number()
	var within []TimedRow
	for _, rows := range o.Spans {
		some := rows[rowsBefore(rows, int64(first)):rowsBefore(rows, int64(max(first, last+1)))]
		if len(within) == 0 {
			within = slices.Clip(some)
		} else {
			within = append(within, some...)
		}
	}
	if len(within) == 0 {
		return OrderDay{Day: from}
	}
	return orderDay(from, within)
}

func orderDay(day Day, rows []TimedRow) OrderDay {
	sum := FlowOf(rows)
	d := OrderDay{Day: day, Lacks: sum.Lacks, Amounts: sum.Amounts}
	for _, r := range rows {
		if r.Measure() == OrdersOpen {
			d.Open += int(r.Value)
		}
	}
	return d
}
