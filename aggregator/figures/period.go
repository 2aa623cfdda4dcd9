package figures

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Period sums the days from From to To, both included.
type Period struct {
	From, To Day
	// Open says that To is the running day of sale.
	Open bool
	// Until ends what is compared, and is not in it. Of the running day that is the minute of the
	// figures, which has only begun, or the day's beginning where those are of the day before; of the
	// day that it is compared with it is when as much of that day had passed. Of any other day it is
	// its end.
	Until time.Time
	// Days has a row for every day, also where nothing happened. Flow is their sum, and what a
	// period is shown with. It ends at Until, or where the period is open, now.
	Days []DayFigures
	Flow
	// part says that it is of one performance, event, or of what belongs to none; its Days are those on
	// which something happened.
	part  bool
	event *EventFigures
}

// periodOf sums the days from..to of a performance, up to now; of what belongs to none where it is nil.
func (v *Evening) periodOf(e *EventFigures, from, to Day) Period {
	p := Period{From: from, To: to, part: true, event: e}
	days := v.snapshot.UnattributedDays
	if e != nil {
		days = e.SaleDays
	}
	for _, d := range between(days, from, to) {
		row := *d
		if d.Day == v.Today {
			row = d.UpTo(v.Now)
		}
		p.Days = append(p.Days, row)
		p.Flow = p.Flow.plus(row.Flow)
	}
	return p
}

// period sums days: the last up to a minute, that minute included.
func (v *Evening) period(from, to Day, until, upTo time.Time) Period {
	p := Period{From: from, To: to, Until: until}
	days := between(v.snapshot.Days, from, to)
	first, _ := from.number()
	last, _ := to.number()
	p.Days = make([]DayFigures, 0, max(0, last-first+1))
	var sum flowSum
	for n := first; n <= last; n++ {
		row := DayFigures{Day: n.day()}
		if len(days) > 0 && days[0].Day == row.Day {
			row, days = *days[0], days[1:]
		}
		if n == last {
			row = row.UpTo(upTo)
		}
		p.Days = append(p.Days, row)
		sum.add(row.Flow)
	}
	p.Flow = sum.flow()
	return p
}

// compared is what moved in the period from a day on and until it ends, which is what another
// period is compared with.
func (p *Period) compared(from Day) Flow {
	var sum flowSum
	for i := range p.Days {
		switch row := &p.Days[i]; {
		case row.Day < from:
		case row.Day == p.To:
			sum.add(row.UpTo(p.Until.Add(-time.Minute)).Flow)
		default:
			sum.add(row.Flow)
		}
	}
	return sum.flow()
}

// BookedToday is what moved on the running day of sale, up to now: of a performance by its
// SaleDays, of the house by Snapshot.Days. What is dated ahead of the clock is not in it.
func (v *Evening) BookedToday(days []*DayFigures) Flow {
	if today := between(days, v.Today, v.Today); len(today) > 0 {
		return today[0].UpTo(v.Now).Flow
	}
	return Flow{}
}

// RefundsPending are the refunds that were asked for in a period and have not settled; LowerBound where
// of some it is not said when.
func (v *Evening) RefundsPending(p *Period) Figure[Sums] {
	c := v.revenueOf(p).Of(RefundsPending).caveat()
	c.addIf(v.snapshot.undatedPending, LowerBound, ReasonUndated)
	return figure(p.Of(RefundsPending), c)
}

// Unattributed is what was received net in a period of payments that belong to no performance.
func (v *Evening) Unattributed(p *Period) Figure[Sums] {
	of := v.periodOf(nil, p.From, min(p.To, v.Today))
	return figure(of.Net(), v.snapshot.Unattributed.NetReceived().caveat())
}

// between are the days from..to.
func between(days []*DayFigures, from, to Day) []*DayFigures {
	if len(days) == 0 || days[len(days)-1].Day < from || days[0].Day > to {
		return nil
	}
	first, _ := slices.BinarySearchFunc(days, from, func(d *DayFigures, day Day) int { return cmp.Compare(d.Day, day) })
	end, found := slices.BinarySearchFunc(days, to, func(d *DayFigures, day Day) int { return cmp.Compare(d.Day, day) })
	if found {
		end++
	}
	return days[first:max(first, end)]
}

// EventPeriod is what one event did in a period, by day of sale.
type EventPeriod struct {
	Event *EventFigures // nil for unattributed money
	Flow
	// Orders are those that were placed in the period, as they stand now; none where orders are not known.
	Orders     OrderDay
	currencies []string // of the money that moved on any day
}

// MovedIn says that money of a currency moved on a day of the period, also where it is nothing in
// all, or is open of its orders.
func (p *EventPeriod) MovedIn(currency string) bool { return slices.Contains(p.currencies, currency) }

// SaleDays are the days of sale of a performance up to now, ascending, and what is dated ahead
// of it.
func (v *Evening) SaleDays(e *EventFigures) (days []DayFigures, ahead Flow) {
	for _, d := range e.SaleDays {
		switch {
		case d.Day < v.Today:
			days = append(days, *d)
		case d.Day == v.Today:
			row := d.UpTo(v.Now)
			days = append(days, row)
			ahead = ahead.plus(flowOf(d.minutes[len(row.minutes):]))
		default:
			ahead = ahead.plus(d.Flow)
		}
	}
	return days, ahead
}

// ByEvent returns every event on which money or places moved in the days from..to, up to now, or of
// whose orders of these days something is open, most booked first, and last what moved without an event; together they are what moved in
// all. Events are compared in the currency that most of them booked in, then in the next.
func (v *Evening) ByEvent(from, to Day) []EventPeriod {
	var rows []EventPeriod
	ordersKnown := v.snapshot.Total.Of(ToBePaid).Known()
	add := func(e *EventFigures, days []*DayFigures, orders OrderDay) bool {
		row, moved := v.eventPeriod(e, between(days, from, to))
		if open := ordersKnown && row.placed(orders); !moved && !open {
			return false
		}
		rows = append(rows, row)
		return true
	}
	bookings := map[string]int{} // by currency
	for _, e := range v.snapshot.Events {
		if add(e, e.SaleDays, e.OrderDays.Between(from, to)) {
			for _, m := range rows[len(rows)-1].Of(Booked) {
				bookings[m.Currency]++
			}
		}
	}
	currencies := slices.SortedFunc(maps.Keys(bookings), func(a, b string) int {
		return cmp.Or(cmp.Compare(bookings[b], bookings[a]), cmp.Compare(a, b))
	})
	slices.SortStableFunc(rows, func(a, b EventPeriod) int {
		for _, c := range currencies {
			if order := cmp.Compare(b.Of(Booked).In(c), a.Of(Booked).In(c)); order != 0 {
				return order
			}
		}
		return cmp.Compare(b.Sold, a.Sold)
	})
	add(nil, v.snapshot.UnattributedDays, v.snapshot.UnattributedOrderDays.Between(from, to))
	return rows
}

// placed puts in the orders of the period, and says whether any of them is open.
func (p *EventPeriod) placed(orders OrderDay) (open bool) {
	p.Orders = orders
	for _, m := range slices.Concat(orders.Of(ToBePaid), orders.Of(ToBePaidBack)) {
		if open = true; !p.MovedIn(m.Currency) {
			p.currencies = append(p.currencies, m.Currency)
		}
	}
	return open
}

func (v *Evening) eventPeriod(e *EventFigures, days []*DayFigures) (row EventPeriod, moved bool) {
	row.Event = e
	for _, d := range days {
		flow := d.Flow
		if d.Day == v.Today {
			flow = d.UpTo(v.Now).Flow
		}
		moved = moved || flow.moved()
		for _, m := range flow.rows {
			if !row.MovedIn(m.Currency) {
				row.currencies = append(row.currencies, m.Currency)
			}
		}
		row.Flow = row.Flow.plus(flow)
	}
	return row, moved
}
