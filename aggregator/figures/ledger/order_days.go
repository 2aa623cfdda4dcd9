package ledger

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
)

// orderDays are those of an account.
type orderDays struct {
	spans     []orderSpan // ascending
	last      int         // that was looked for
	changed   bool
	published figures.OrderDays
}

// orderSpan are some days that follow each other: what changes on one copies no more than those.
type orderSpan struct {
	number int32 // of the first day / spanDays
	timedSums
}

const spanDays = 64

// span returns where a day is, to be changed.
func (o *orderDays) span(d figures.DayNumber) *timedSums {
	number := int32(figures.FloorDiv(int64(d), spanDays))
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
		o.span(figures.DayNumber(s.number*spanDays)).addAll(&s.timedSums, n)
	}
}

func (o *orderDays) publish() figures.OrderDays {
	if o.changed {
		o.changed, o.published = false, figures.OrderDays{}
		for i := range o.spans {
			if rows := o.spans[i].publish(); rows != nil {
				o.published.Spans = append(o.published.Spans, rows)
			}
		}
	}
	return o.published
}
