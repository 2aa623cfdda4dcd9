package sums

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
)

// OrderDays are sums by the day on which orders were placed.
type OrderDays struct {
	spans     []orderSpan // ascending
	last      int         // index of the span that was last looked up
	changed   bool
	published figures.OrderDays
}

// orderSpan is a run of consecutive days. Publishing a change on one day copies only its span.
type orderSpan struct {
	number int32 // of the first day, divided by spanDays
	TimedSums
}

const spanDays = 64

// Span returns the sums of a day's span for changing, and creates them if there are none.
func (o *OrderDays) Span(d figures.DayNumber) *TimedSums {
	number := int32(figures.FloorDiv(int64(d), spanDays))
	o.changed = true
	if o.last < len(o.spans) && o.spans[o.last].number == number {
		return &o.spans[o.last].TimedSums
	}
	i, found := slices.BinarySearchFunc(o.spans, number, func(s orderSpan, n int32) int { return cmp.Compare(s.number, n) })
	if !found {
		o.spans = slices.Insert(o.spans, i, orderSpan{number: number})
	}
	o.last = i
	return &o.spans[i].TimedSums
}

// AddAll adds others n times.
func (o *OrderDays) AddAll(other *OrderDays, n int) {
	for i := range other.spans {
		s := &other.spans[i]
		o.Span(figures.DayNumber(s.number*spanDays)).AddAll(&s.TimedSums, n)
	}
}

func (o *OrderDays) Publish() figures.OrderDays {
	if o.changed {
		o.changed, o.published = false, figures.OrderDays{}
		for i := range o.spans {
			if rows := o.spans[i].publish(); !rows.Empty() {
				o.published.Spans = append(o.published.Spans, rows)
			}
		}
	}
	return o.published
}
