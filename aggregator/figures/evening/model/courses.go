package model

import (
	"slices"
	"sync"

	"housecount/aggregator/figures"
)

// Courses holds what performances had sold by the end of each day, which no sale of another one changes. The indices are days
// before a performance. Its zero value holds nothing. It is safe for concurrent use.
type Courses struct {
	mu    sync.Mutex
	paths [][]int // of each performance
	usual []figures.Band
}

// Of returns the course of each of n performances, which are always the same, and what is usual by them, from so many days before on.
func (c *Courses) Of(n int, of func(i int) *figures.EventFigures, days int) (paths [][]int, usual []figures.Band) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.usual) == days+1 {
		return c.paths, c.usual
	}
	c.paths, c.usual = make([][]int, n), make([]figures.Band, days+1)
	for i := range c.paths {
		c.paths[i] = SoldByDay(of(i), days+1)
	}
	values := make([]int, n)
	for day := range c.usual {
		for i, path := range c.paths {
			values[i] = path[day]
		}
		if n > 0 {
			c.usual[day] = BandOf(values)
		}
	}
	return c.paths, c.usual
}

// BandOf returns the band of values, of which there is one at least. It sorts them. The ends of the band are values.
func BandOf(values []int) figures.Band {
	slices.Sort(values)
	at := func(part float64) int { return values[int(part*float64(len(values)-1)+.5)] }
	return figures.Band{Low: at(.1), Median: at(.5), High: at(.9)}
}
