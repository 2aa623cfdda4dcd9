package model

import (
	"math"
	"slices"
	"time"

	"housecount/aggregator/figures"
)

const (
	// emptyingMinutes is for how many minutes after an end it is known how a house empties.
	emptyingMinutes = 60
	// EmptyingNights is the least number of performances from which anything is known of how people leave, and emptyingPeople the least number
	// of people inside each of them at its end.
	EmptyingNights = 3
	emptyingPeople = 20
)

// Emptying is how a house empties: for each number of minutes after an end, the part of those inside at the end that has left,
// at performances whose exits were scanned.
type Emptying [emptyingMinutes + 1]Left

// Left is a part of the people inside at an end, from 0 to 1: the 10th, 50th and 90th percentile.
type Left struct{ Low, Median, High float64 }

// After returns what part has left after a time; after an hour, what had left then.
func (e *Emptying) After(past time.Duration) Left {
	at := min(max(0, past.Minutes()), emptyingMinutes)
	i := min(int(at), emptyingMinutes-1)
	between := func(a, b float64) float64 { return a + (b-a)*(at-float64(i)) }
	from, to := e[i], e[i+1]
	return Left{between(from.Low, to.Low), between(from.Median, to.Median), between(from.High, to.High)}
}

// LeftByHalves returns what part has left after a time where no exits are known: half within the time half, and 98 of 100 within three
// times as long. The part still inside after t is 2^-(t/half)^1.5.
func LeftByHalves(past, half time.Duration) Left {
	minutes := max(0, past.Minutes())
	by := func(half time.Duration) float64 { return 1 - math.Exp2(-math.Pow(minutes/half.Minutes(), 1.5)) }
	return Left{by(half * 2), by(half), by(half / 2)}
}

// EmptyingOf returns how a house empties, from performances that are over and when each ended; nil if too few of them say it.
func EmptyingOf(past []*figures.EventFigures, ended func(*figures.EventFigures) time.Time) *Emptying {
	var nights [][emptyingMinutes + 1]float64
	for _, e := range past {
		end := figures.StampOf(ended(e)).Minute()
		inside := e.Attendance.Value - e.PresentNow.Value
		var left [emptyingMinutes + 1]int
		for _, m := range e.DepartureMinutes {
			if after := m.Minute - end; after < 0 {
				inside -= m.Count
			} else {
				left[min(after+1, emptyingMinutes)] += m.Count
			}
		}
		if len(e.DepartureMinutes) == 0 || inside < max(emptyingPeople, e.PresentNow.Value) {
			continue
		}
		var night [emptyingMinutes + 1]float64
		sum := 0
		for i, n := range left {
			sum += n
			night[i] = float64(sum) / float64(inside)
		}
		nights = append(nights, night)
	}
	if len(nights) < EmptyingNights {
		return nil
	}
	var curve Emptying
	values := make([]float64, len(nights))
	for i := range curve {
		for n := range nights {
			values[n] = nights[n][i]
		}
		slices.Sort(values)
		curve[i] = Left{Quantile(values, .1), Quantile(values, .5), Quantile(values, .9)}
	}
	return &curve
}

// Quantile returns the value below which that part of the values lies. values must be ascending and not empty; the result is one
// of them.
func Quantile(values []float64, part float64) float64 {
	return values[int(part*float64(len(values)-1)+.5)]
}

// Unscanned returns how many of the people inside have left without a scan, if a part of those who were inside at the end
// has left and some of them were scanned out.
func Unscanned(inside, scanned int, gone float64) int {
	return min(inside, max(0, int(math.Round(float64(inside+scanned)*gone))-scanned))
}
