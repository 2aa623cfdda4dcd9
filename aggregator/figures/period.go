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
	// Until ends the two periods that are compared, and is not in them: To is [its beginning,
	// Until). Of the running day that is the minute of the figures, which has only begun, or the
	// day's beginning where those are of the day before; of the day that it is compared with it
	// is when as much of that day had passed.
	Until time.Time
	// Days has a row for every day, also where nothing happened. Flow is their sum, and what a
	// period is shown with. It ends at Until, or where the period is open, now.
	Days []DayFigures
	Flow
	// Compared is what a period is compared by: Flow, but ended at Until.
	Compared Flow
}

// Periods returns the n days up to and including the running day of sale, and the n days
// before those; n is at least 1. What is dated ahead of the clock is in neither.
func (v *Evening) Periods(n int) (this, before Period) {
	n = max(n, 1)
	start := v.snapshot.Calendar.Start(v.Today)
	until := later(v.At, start)
	this = v.period(v.Today.Add(1-n), v.Today, until, v.Now)
	this.Open = true
	to := v.Today.Add(-n)
	until = v.snapshot.Calendar.Start(to).Add(until.Sub(start))
	return this, v.period(to.Add(1-n), to, until, until.Add(-time.Minute))
}

// period sums days: the last up to a minute, that minute included, and for comparing until one.
func (v *Evening) period(from, to Day, until, upTo time.Time) Period {
	p := Period{From: from, To: to, Until: until}
	days := between(v.snapshot.Days, from, to)
	for d := from; d <= to; d = d.Add(1) {
		row := DayFigures{Day: d}
		if len(days) > 0 && days[0].Day == d {
			row, days = *days[0], days[1:]
		}
		compared := row.Flow
		if d == to {
			compared = row.UpTo(until.Add(-time.Minute)).Flow
			row = row.UpTo(upTo)
		}
		p.Days = append(p.Days, row)
		p.Flow, p.Compared = p.Flow.plus(row.Flow), p.Compared.plus(compared)
	}
	return p
}

// BookedToday is what moved on the running day of sale, up to now: of a performance by its
// SaleDays, of the house by Snapshot.Days. What is dated ahead of the clock is not in it.
func (v *Evening) BookedToday(days []*DayFigures) Flow {
	if today := between(days, v.Today, v.Today); len(today) > 0 {
		return today[0].UpTo(v.Now).Flow
	}
	return Flow{}
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
	currencies []string // of the money that moved on any day
}

// MovedIn says that money of a currency moved on a day of the period, also where it is nothing in
// all.
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

// ByEvent returns every event on which money or places moved in the days from..to, up to now,
// most booked first, and last what moved without an event; together they are what moved in
// all. Events are compared in the currency that most of them booked in, then in the next.
func (v *Evening) ByEvent(from, to Day) []EventPeriod {
	var rows []EventPeriod
	bookings := map[string]int{} // by currency
	for _, e := range v.snapshot.Events {
		if row, moved := v.eventPeriod(e, between(e.SaleDays, from, to)); moved {
			rows = append(rows, row)
			for _, m := range row.Of(Booked) {
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
	if row, moved := v.eventPeriod(nil, between(v.snapshot.UnattributedDays, from, to)); moved {
		rows = append(rows, row)
	}
	return rows
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
