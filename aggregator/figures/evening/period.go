package evening

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// RevenueOf returns the money of all days of the performance or house that a period is of, with the period's quality.
func (v *Evening) RevenueOf(p *Period) *figures.Revenue {
	if p.Event != nil {
		return p.Event.Revenue.During(&p.Flow)
	}
	return v.Snapshot.Total.During(&p.Flow)
}

// PlacesOf returns the places sold in a period.
func (v *Evening) PlacesOf(p *Period) figures.Figure[int] {
	if p.Event != nil {
		return p.Event.Revenue.PlacesDuring(&p.Flow)
	}
	return v.Snapshot.Total.PlacesDuring(&p.Flow)
}

// flowSum adds up flows without changing them.
type flowSum struct {
	figures.Flow
	own bool
}

func (f *flowSum) add(o figures.Flow) {
	if !f.own || !f.Has(o.Amounts) {
		f.Flow, f.own = f.Flow.Plus(o), f.Flow.Rows != nil && o.Rows != nil
		return
	}
	f.Sold += o.Sold
	f.Lacks = f.Lacks.Plus(o.Lacks, 1)
	for m := range figures.MeasureCount {
		rows, i := f.Of(m), 0
		for _, r := range o.Of(m) {
			for rows[i].Currency != r.Currency {
				i++
			}
			rows[i].Amount += r.Amount
		}
	}
}

// flow returns the sum.
func (f *flowSum) flow() figures.Flow {
	if f.own && f.Rows != nil { // without rows that add up to nothing
		f.Amounts = f.Amounts.Plus(figures.Amounts{Rows: []record.Money{}})
	}
	return f.Flow
}

// Period sums the days from From to To, both included.
type Period struct {
	From, To figures.Day
	// Open is true if To is today.
	Open bool
	// Until is the exclusive end of what is compared. For today it is the minute of the figures, or the beginning
	// of the day if the figures are older. For a day that today is compared with it is the moment at which as much
	// of that day had passed. For any other day it is the day's end.
	Until time.Time
	// Days has a row for every day, even if nothing happened. Flow is their sum, which is what is shown. It ends
	// at Until, or at the present moment if the period is open.
	Days []figures.DayFigures
	figures.Flow
	// Part is true for the period of one performance, Event, or of what belongs to none. Days then has only days
	// on which something happened.
	Part  bool
	Event *figures.EventFigures
}

// Sum returns what moved on the days from..to of the period.
func (p *Period) Sum(from, to figures.Day) figures.Flow {
	var sum flowSum
	for _, d := range p.Days[from.Since(p.From) : to.Since(p.From)+1] {
		sum.add(d.Flow)
	}
	return sum.flow()
}

// PeriodOf returns a period of a performance, up to now, or on the last day up to the moment until unless it is
// zero. e is nil for what belongs to no performance.
func (v *Evening) PeriodOf(e *figures.EventFigures, from, to figures.Day, until time.Time) Period {
	p := Period{From: from, To: to, Part: true, Event: e}
	days := v.Snapshot.UnattributedDays
	if e != nil {
		days = e.SaleDays
	}
	for _, d := range Between(days, from, to) {
		row := *d
		if d.Day == v.Today {
			row = d.UpTo(v.Now)
		}
		if d.Day == to && !until.IsZero() {
			row = row.UpTo(until.Add(-time.Minute))
		}
		p.Days = append(p.Days, row)
		p.Flow = p.Flow.Plus(row.Flow)
	}
	return p
}

// Period adds up the days from..to, the last one up to and including the minute upTo.
func (v *Evening) Period(from, to figures.Day, until, upTo time.Time) Period {
	p := Period{From: from, To: to, Until: until}
	days := Between(v.Snapshot.Days, from, to)
	first, _ := from.Number()
	last, _ := to.Number()
	p.Days = make([]figures.DayFigures, 0, max(0, last-first+1))
	var sum flowSum
	for n := first; n <= last; n++ {
		row := figures.DayFigures{Day: n.Day()}
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

// Compared returns what moved in the period from a day on and before Until.
func (p *Period) Compared(from figures.Day, out map[figures.Day]bool) figures.Flow {
	var sum flowSum
	for i := range p.Days {
		switch row := &p.Days[i]; {
		case row.Day < from || out[row.Day]:
		case row.Day == p.To:
			sum.add(row.UpTo(p.Until.Add(-time.Minute)).Flow)
		default:
			sum.add(row.Flow)
		}
	}
	return sum.flow()
}

// BookedToday returns what moved today, up to now: of a performance, given its SaleDays, or of the house, given
// Snapshot.Days. Records dated later are not included.
func (v *Evening) BookedToday(days []*figures.DayFigures) figures.Flow {
	if today := Between(days, v.Today, v.Today); len(today) > 0 {
		return today[0].UpTo(v.Now).Flow
	}
	return figures.Flow{}
}

// RefundsPending returns the refunds that were requested in a period and have not settled; LowerBound if some have no time.
func (v *Evening) RefundsPending(p *Period) figures.Figure[figures.Sums] {
	c := v.RevenueOf(p).Of(figures.RefundsPending).Caveat()
	c.AddIf(v.Snapshot.UndatedPending, figures.LowerBound, figures.ReasonUndated)
	return figures.New(p.Of(figures.RefundsPending), c)
}

// Unattributed returns the net received in a period from payments that belong to no performance.
func (v *Evening) Unattributed(p *Period) figures.Figure[figures.Sums] {
	of := v.PeriodOf(nil, p.From, min(p.To, v.Today), time.Time{})
	return figures.New(of.Net(), v.Snapshot.Unattributed.During(&of.Flow).NetReceived().Caveat())
}

// Between returns those of days, which are ascending, that are from..to, both included.
func Between(days []*figures.DayFigures, from, to figures.Day) []*figures.DayFigures {
	if len(days) == 0 || days[len(days)-1].Day < from || days[0].Day > to {
		return nil
	}
	first, _ := slices.BinarySearchFunc(days, from, func(d *figures.DayFigures, day figures.Day) int { return cmp.Compare(d.Day, day) })
	end, found := slices.BinarySearchFunc(days, to, func(d *figures.DayFigures, day figures.Day) int { return cmp.Compare(d.Day, day) })
	if found {
		end++
	}
	return days[first:max(first, end)]
}

// EventPeriod is what happened to one event in a period, by day of sale.
type EventPeriod struct {
	Event *figures.EventFigures // nil for unattributed money
	figures.Flow
	// Orders are the orders placed in the period, in their present state; none if orders are not known.
	Orders     figures.OrderDay
	currencies []string // of the money that moved on any day
}

// MovedIn reports whether on some day of the period money of a currency moved, even if it adds up to nothing, or
// an order was placed that is open.
func (p *EventPeriod) MovedIn(currency string) bool { return slices.Contains(p.currencies, currency) }

// WentOnSale returns how many performances were sold for the first time on days from..to.
func (v *Evening) WentOnSale(from, to figures.Day) int { return len(v.FirstSold(from, to)) }

// SaleDays returns the days of sale of a performance up to now, ascending, and the sum of what is dated later.
func (v *Evening) SaleDays(e *figures.EventFigures) (days []figures.DayFigures, ahead figures.Flow) {
	days = slices.Grow(days, len(e.SaleDays))
	for _, d := range e.SaleDays {
		switch {
		case d.Day < v.Today:
			days = append(days, *d)
		case d.Day == v.Today:
			days = append(days, d.UpTo(v.Now))
			ahead = ahead.Plus(d.After(v.Now))
		default:
			ahead = ahead.Plus(d.Flow)
		}
	}
	return days, ahead
}

// Undated returns the places of a performance that were sold without a known day, and what was booked for them.
func (v *Evening) Undated(s *Show) (sold int, booked figures.Sums) {
	if !s.Sold.Known() {
		return 0, nil
	}
	sold, booked = s.Sold.Value, s.Revenue.Of(figures.Booked).Value
	for _, d := range s.SaleDays {
		sold, booked = sold-d.Sold, booked.PlusAll(d.Of(figures.Booked), -1)
	}
	return sold, booked
}

// ByEvent returns every event on which money or places moved in the days from..to, up to now, or for which orders
// of these days are open. The event with most booked is first, and what moved without an event last; together they
// are all that moved. Events are compared in the currency in which most events booked, then in the next.
func (v *Evening) ByEvent(from, to figures.Day) []EventPeriod {
	var rows []EventPeriod
	ordersKnown := v.Snapshot.Total.Of(figures.ToBePaid).Known()
	add := func(e *figures.EventFigures, days []*figures.DayFigures, orders figures.OrderDay) bool {
		row, moved := v.eventPeriod(e, Between(days, from, to))
		if open := ordersKnown && row.placed(orders); !moved && !open {
			return false
		}
		rows = append(rows, row)
		return true
	}
	bookings := map[string]int{} // by currency
	for _, e := range v.Snapshot.Events {
		if add(e, e.SaleDays, e.OrderDays.Between(from, to)) {
			for _, m := range rows[len(rows)-1].Of(figures.Booked) {
				bookings[m.Currency]++
			}
		}
	}
	currencies := slices.SortedFunc(maps.Keys(bookings), func(a, b string) int {
		return cmp.Or(cmp.Compare(bookings[b], bookings[a]), cmp.Compare(a, b))
	})
	slices.SortStableFunc(rows, func(a, b EventPeriod) int {
		for _, c := range currencies {
			if order := cmp.Compare(b.Of(figures.Booked).In(c), a.Of(figures.Booked).In(c)); order != 0 {
				return order
			}
		}
		return cmp.Compare(b.Sold, a.Sold)
	})
	add(nil, v.Snapshot.UnattributedDays, v.Snapshot.UnattributedOrderDays.Between(from, to))
	return rows
}

// ByEventUntil is ByEvent up to the moment until, unless it is zero. The events are then in order of time.
func (v *Evening) ByEventUntil(from, to figures.Day, until time.Time) (rows []EventPeriod) {
	if until.IsZero() {
		return v.ByEvent(from, to)
	}
	for _, e := range append(slices.Clip(v.Snapshot.Events), nil) {
		rows = append(rows, EventPeriod{Event: e, Flow: v.PeriodOf(e, from, to, until).Flow})
	}
	return rows
}

// placed adds orders of the period, and reports whether any of them is open or has goodwill.
func (p *EventPeriod) placed(orders figures.OrderDay) (open bool) {
	p.Orders = orders
	for _, m := range slices.Concat(orders.Of(figures.ToBePaid), orders.Of(figures.ToBePaidBack), orders.Of(figures.Goodwill)) {
		if open = true; !p.MovedIn(m.Currency) {
			p.currencies = append(p.currencies, m.Currency)
		}
	}
	return open
}

func (v *Evening) eventPeriod(e *figures.EventFigures, days []*figures.DayFigures) (row EventPeriod, moved bool) {
	row.Event = e
	for _, d := range days {
		flow := d.Flow
		if d.Day == v.Today {
			flow = d.UpTo(v.Now).Flow
		}
		moved = moved || flow.Moved()
		for _, m := range flow.Rows {
			if !row.MovedIn(m.Currency) {
				row.currencies = append(row.currencies, m.Currency)
			}
		}
		row.Flow = row.Flow.Plus(flow)
	}
	return row, moved
}

// FirstSold returns the performances that were sold for the first time on days from..to, in order of time.
func (v *Evening) FirstSold(from, to figures.Day) (all []*figures.EventFigures) {
	for _, e := range v.Snapshot.Events {
		if len(e.SaleDays) > 0 && from <= e.SaleDays[0].Day && e.SaleDays[0].Day <= to {
			all = append(all, e)
		}
	}
	return all
}
