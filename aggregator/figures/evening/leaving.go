package evening

import (
	"cmp"
	"math"
	"slices"
	"time"

	"housecount/aggregator/figures"
)

const (
	// leavingMinutes is for how many minutes after an end it is known how a house empties.
	leavingMinutes = 60
	// leavingNights is the least number of performances from which it is known, and leavingPeople the least number
	// of people inside each of them at its end.
	leavingNights = 3
	leavingPeople = 20
)

// emptying is how the house empties: for each number of minutes after an end, the part of those inside at the end
// that has left, at performances whose exits were scanned.
type emptying [leavingMinutes + 1]leftBand

type leftBand struct{ low, median, high float64 } // 10th, 50th and 90th percentile

// left returns an estimate of how many people have left a performance since its end without a scan, if people are not
// scanned out as they leave (see exits). They leave as people did at those doors of the house where exits are scanned. If
// there are none, half leave within Calendar.HalfLeft and 98 of 100 within three times as long: the part still inside
// after t is 2^-(t/HalfLeft)^1.5. Those who are scanned out all the same are among those who have left.
func (v *Evening) left(s *Show) figures.Figure[int] {
	if !s.Leaving || !s.Inside.Known() || s.exits.leaving {
		return figures.NotKnown[int]()
	}
	c := s.Inside.Caveat()
	c.Add(figures.Estimated, figures.ReasonLeft)
	end := ended(s.EventFigures)
	scanned := departedSince(s.EventFigures, end)
	gone := v.gone(v.Now.Sub(end))
	of := func(part float64) int { return unscanned(s.Inside.Value, scanned, part) }
	s.LeftBand = figures.Band{Low: of(gone.low), Median: of(gone.median), High: of(gone.high)}
	return figures.New(of(gone.median), c)
}

// unscanned returns how many of the people inside have left without a scan, if a part of those who were inside at the end
// has left and some of them were scanned out.
func unscanned(inside, scanned int, gone float64) int {
	return min(inside, max(0, int(math.Round(float64(inside+scanned)*gone))-scanned))
}

// gone returns what part of the people inside at an end has left after a time.
func (v *Evening) gone(past time.Duration) leftBand {
	minutes := max(0, past.Minutes())
	if curve := v.emptying(); curve != nil {
		at := min(minutes, leavingMinutes)
		i := min(int(at), leavingMinutes-1)
		between := func(a, b float64) float64 { return a + (b-a)*(at-float64(i)) }
		from, to := curve[i], curve[i+1]
		return leftBand{between(from.low, to.low), between(from.median, to.median), between(from.high, to.high)}
	}
	half := cmp.Or(v.Snapshot.Calendar.HalfLeft, usualHalfLeft)
	by := func(half time.Duration) float64 { return 1 - math.Exp2(-math.Pow(minutes/half.Minutes(), 1.5)) }
	return leftBand{by(half * 2), by(half), by(half / 2)}
}

// emptying returns how the house empties; nil if there are too few performances.
func (v *Evening) emptying() *emptying {
	_, all := v.past("")
	v.history.emptyingOnce.Do(func() { v.history.emptying = emptyingOf(all) })
	return v.history.emptying
}

// emptyingOf returns how a house empties, from performances that are over.
func emptyingOf(past []*figures.EventFigures) *emptying {
	var nights [][leavingMinutes + 1]float64
	for _, e := range past {
		end := figures.StampOf(ended(e)).Minute()
		inside := e.Attendance.Value - e.PresentNow.Value
		var left [leavingMinutes + 1]int
		for _, m := range e.DepartureMinutes {
			if after := m.Minute - end; after < 0 {
				inside -= m.Count
			} else {
				left[min(after+1, leavingMinutes)] += m.Count
			}
		}
		if len(e.DepartureMinutes) == 0 || inside < max(leavingPeople, e.PresentNow.Value) {
			continue
		}
		var night [leavingMinutes + 1]float64
		sum := 0
		for i, n := range left {
			sum += n
			night[i] = float64(sum) / float64(inside)
		}
		nights = append(nights, night)
	}
	if len(nights) < leavingNights {
		return nil
	}
	var curve emptying
	values := make([]float64, len(nights))
	for i := range curve {
		for n := range nights {
			values[n] = nights[n][i]
		}
		slices.Sort(values)
		curve[i] = leftBand{quantile(values, .1), quantile(values, .5), quantile(values, .9)}
	}
	return &curve
}
