package figures

import (
	"slices"
)

// OrderDays are the present sums of orders by the day of their sale, which is that of the first of their tickets. They are immutable; the zero
// value has no orders.
type OrderDays struct {
	Spans []TimedRows // ascending
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
	var rows []TimedRow // of one day
	end := func() {
		if len(rows) > 0 {
			days = append(days, orderDay(DayNumber(rows[0].At()).Day(), rows))
			rows = rows[:0]
		}
	}
	for _, span := range o.Spans {
		for r := range span.All() {
			if len(rows) > 0 && rows[0].At() != r.At() {
				end()
			}
			rows = append(rows, r)
		}
	}
	end()
	return days
}

// Between returns the sum of the orders sold on the days from..to; its Day is from.
func (o OrderDays) Between(from, to Day) OrderDay {
	first, _ := from.Number()
	last, _ := to.Number()
	var within []TimedRow
	for _, span := range o.Spans {
		within = slices.AppendSeq(within, span.Within(int64(first), int64(last)+1))
	}
	if len(within) == 0 {
		return OrderDay{Day: from}
	}
	return orderDay(from, within)
}

func orderDay(day Day, rows []TimedRow) OrderDay {
	sum := flowOf(slices.Values(rows))
	d := OrderDay{Day: day, Lacks: sum.Lacks, Amounts: sum.Amounts}
	for _, r := range rows {
		if r.Measure() == OrdersOpen {
			d.Open += int(r.Value)
		}
	}
	return d
}
