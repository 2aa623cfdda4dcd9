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
	// Open says that To is the day of now, so that the period is still running.
	Open bool
	// Until is the time up to which the period was summed, a whole five minutes: the end
	// of those that now is in and, in the period before, the same time of day.
	Until time.Time
	// Days has a row for every day, also where nothing happened. The last is summed up to
	// Until.
	Days []DayFigures
	Flow
}

// Periods returns the n days up to and including the venue day of now, and the n days
// before those; n is at least 1. The last day is still running, so the other's last day
// is counted up to the same time of day, to the end of the five minutes that now is in.
func (s *Snapshot) Periods(now time.Time, n int) (this, before Period) {
	n = max(n, 1)
	today := s.Calendar.number(now.Unix(), s.Calendar.start)
	slot := s.Calendar.slot(now.Unix(), today)
	this = s.period(today, n, slot)
	this.Open = true
	return this, s.period(today-dayNumber(n), n, slot)
}

// period sums n days up to a slot of the last.
func (s *Snapshot) period(to dayNumber, n, slot int) Period {
	from := to - dayNumber(n) + 1
	p := Period{From: from.day(), To: to.day(), Until: s.Calendar.slotEnd(to, slot), Days: make([]DayFigures, n)}
	for i := range p.Days {
		p.Days[i].Day = (from + dayNumber(i)).day()
	}
	for _, d := range between(s.Days, p.From, p.To) {
		row := *d
		if d.Day == p.To {
			row = d.upTo(slot)
		}
		number, _ := d.Day.number()
		p.Days[number-from] = row
		p.Flow = p.Flow.plus(row.Flow)
	}
	return p
}

// upTo is what the day came to at the end of a slot.
func (d *DayFigures) upTo(slot int) DayFigures {
	row := DayFigures{Day: d.Day}
	for i, s := range d.Slots {
		if s.Slot > slot {
			break
		}
		row.Slots = d.Slots[: i+1 : i+1]
		row.Flow = row.Flow.plus(s.Flow)
	}
	return row
}

// between are the days from..to.
func between(days []*DayFigures, from, to Day) []*DayFigures {
	search := func(day Day) int {
		i, _ := slices.BinarySearchFunc(days, day, func(d *DayFigures, day Day) int { return cmp.Compare(d.Day, day) })
		return i
	}
	return days[search(from):max(search(from), search(to.Add(1)))]
}

// EventPeriod is what one event did in a period, by day of sale.
type EventPeriod struct {
	Event *EventFigures // nil for unattributed money
	Flow
}

// ByEvent returns every event on which money or places moved in the days from..to, most
// booked first, and last what moved without an event. Events are compared in the currency
// that most of them booked in, then in the next.
func (s *Snapshot) ByEvent(from, to Day) []EventPeriod {
	var rows []EventPeriod
	bookings := map[string]int{} // by currency
	for _, e := range s.Events {
		if row, moved := eventPeriod(e, between(e.SaleDays, from, to)); moved {
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
	if row, moved := eventPeriod(nil, between(s.UnattributedDays, from, to)); moved {
		rows = append(rows, row)
	}
	return rows
}

func eventPeriod(e *EventFigures, days []*DayFigures) (row EventPeriod, moved bool) {
	row.Event = e
	for _, d := range days {
		moved = moved || d.moved()
		row.Flow = row.Flow.plus(d.Flow)
	}
	return row, moved
}
