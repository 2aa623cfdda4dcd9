package evening

import (
	"cmp"
	"math"
	"slices"
	"time"

	"housecount/aggregator/figures"
)

const (
	// leavingMinutes are how many after an end are known of how a house empties.
	leavingMinutes = 60
	// leavingNights is the least number of performances by which that is known, and leavingPeople of people inside one of
	// them at its end.
	leavingNights = 3
	leavingPeople = 20
)

// emptying is how the house empties after an end: the part of those inside then that has left after so many minutes, on
// the performances whose exits were scanned.
type emptying [leavingMinutes + 1]leftBand

type leftBand struct{ low, median, high float64 } // the 10th, the 50th and the 90th percentile

// left returns the estimate of the people who have left a performance since its end, where nobody is scanned out: neither
// on this evening nor on one of the last in the hall. They leave as they did at the doors of the house that scan exits. Where
// there are none, half of them leave within Calendar.HalfLeft and nearly all (98 in 100) within three times as long: those
// still inside after t are 2^-(t/HalfLeft)^1.5 of all.
func (v *Evening) left(s *Show) figures.Figure[int] {
	if !s.Leaving || !s.Inside.Known() || s.Exits > 0 || v.scansExits(s.Event.Hall) {
		return figures.NotKnown[int]()
	}
	c := s.Inside.Caveat()
	c.Add(figures.Estimated, figures.ReasonLeft)
	gone := v.gone(v.Now.Sub(ended(s.EventFigures)))
	of := func(part float64) int { return int(math.Round(float64(s.Inside.Value) * part)) }
	s.LeftBand = figures.Band{Low: of(gone.low), Median: of(gone.median), High: of(gone.high)}
	return figures.New(of(gone.median), c)
}

// gone returns the part of the people inside at an end that has left after a time.
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

// emptying returns how the house empties; nil where too few performances tell.
func (v *Evening) emptying() *emptying {
	_, all := v.past("")
	v.history.emptyingOnce.Do(func() { v.history.emptying = emptyingOf(all) })
	return v.history.emptying
}

// emptyingOf returns how a house empties by performances that are over.
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

// scansExits reports whether the doors of a hall scan exits: on one of its last evenings they did.
func (v *Evening) scansExits(hall string) bool {
	here, _ := v.past(hall)
	return slices.ContainsFunc(here, func(past *figures.EventFigures) bool { return past.Exits > 0 })
}
