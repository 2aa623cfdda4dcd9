package sums

import (
	"housecount/aggregator/figures"
)

// DayCache is a calendar that remembers when days begin. It holds a few years at a time.
type DayCache struct {
	figures.Calendar
	starts *[2048]dayStart
}

// dayStart is when a day begins, in Unix seconds.
type dayStart struct {
	day   figures.DayNumber
	known bool
	at    int64
}

func NewDayCache(c figures.Calendar) DayCache { return DayCache{c, new([2048]dayStart)} }

func (a DayCache) DayOf(s figures.Stamp) figures.DayNumber { return a.NumberOf(s.Seconds(), a.StartOf) }

func (a DayCache) StartOf(n figures.DayNumber) int64 {
	s := &a.starts[uint32(n)%uint32(len(a.starts))]
	if s.day != n || !s.known {
		*s = dayStart{n, true, a.Calendar.StartOf(n)}
	}
	return s.at
}
