package figures

import (
	"cmp"
	"slices"
)

// OrderDays are what orders come to now, by the day on which they were placed. They are immutable;
// the zero value is of no order.
type OrderDays struct {
	spans [][]timedRow // ascending
}

// OrderDay is what the orders that were placed on one day come to now: Booked and Fees of their
// tickets that stand, Received, Refunded, ChargedBack and Reversed of their payments, and their open items,
// ToBePaid and ToBePaidBack.
type OrderDay struct {
	Day  Day
	Open int // orders that have an open item; not counted in UnattributedOrderDays
	Amounts
}

// All are the days on which orders were placed of which something is left, ascending.
func (o OrderDays) All() (days []OrderDay) {
	for _, rows := range o.spans {
		for len(rows) > 0 {
			n := 1
			for n < len(rows) && rows[n].at() == rows[0].at() {
				n++
			}
			days = append(days, orderDay(dayNumber(rows[0].at()).day(), rows[:n]))
			rows = rows[n:]
		}
	}
	return days
}

// Between is what the orders that were placed on the days from..to come to together; its Day is from.
func (o OrderDays) Between(from, to Day) OrderDay {
	first, _ := from.number()
	last, _ := to.number()
	var within []timedRow
	for _, rows := range o.spans {
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

func orderDay(day Day, rows []timedRow) OrderDay {
	d := OrderDay{Day: day, Amounts: flowOf(rows).Amounts}
	for _, r := range rows {
		if r.measure() == ordersOpen {
			d.Open += int(r.value)
		}
	}
	return d
}

// orderDays are those of an account.
type orderDays struct {
	spans     []orderSpan // ascending
	last      int         // that was looked for
	changed   bool
	published OrderDays
}

// orderSpan are some days that follow each other: what changes on one copies no more than those.
type orderSpan struct {
	number int32 // of the first day / spanDays
	timedSums
}

const spanDays = 64

// span is where a day is, to be changed.
func (o *orderDays) span(d dayNumber) *timedSums {
	number := int32(floorDiv(int64(d), spanDays))
	o.changed = true
	if o.last < len(o.spans) && o.spans[o.last].number == number {
		return &o.spans[o.last].timedSums
	}
	i, found := slices.BinarySearchFunc(o.spans, number, func(s orderSpan, n int32) int { return cmp.Compare(s.number, n) })
	if !found {
		o.spans = slices.Insert(o.spans, i, orderSpan{number: number})
	}
	o.last = i
	return &o.spans[i].timedSums
}

// addAll adds others n times.
func (o *orderDays) addAll(other *orderDays, n int) {
	for i := range other.spans {
		s := &other.spans[i]
		o.span(dayNumber(s.number*spanDays)).addAll(&s.timedSums, n)
	}
}

func (o *orderDays) publish() OrderDays {
	if o.changed {
		o.changed, o.published = false, OrderDays{}
		for i := range o.spans {
			if rows := o.spans[i].publish(); rows != nil {
				o.published.spans = append(o.published.spans, rows)
			}
		}
	}
	return o.published
}
