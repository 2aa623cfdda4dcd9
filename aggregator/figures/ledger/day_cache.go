package ledger

import (
	"housecount/aggregator/figures"
)

// dayCache is a calendar that remembers when days begin, those of a few years at once.
type dayCache struct {
	figures.Calendar
	starts *[2048]dayStart
}

// dayStart is when a day begins, in Unix seconds.
type dayStart struct {
	day   figures.DayNumber
	known bool
	at    int64
}

func newDayCache(c figures.Calendar) dayCache { return dayCache{c, new([2048]dayStart)} }

func (a dayCache) dayOf(s figures.Stamp) figures.DayNumber { return a.NumberOf(s.Seconds(), a.startOf) }

func (a dayCache) startOf(n figures.DayNumber) int64 {
	s := &a.starts[uint32(n)%uint32(len(a.starts))]
	if s.day != n || !s.known {
		*s = dayStart{n, true, a.Calendar.StartOf(n)}
	}
	return s.at
}
