package arriving

import (
	"math"
	"time"

	"housecount/aggregator/figures"
)

// Errors are the mean errors of forecasts of past performances, made VerdictFrom minutes before curtain, each from the other
// performances. They are Unknown if there are too few performances.
type Errors struct {
	Last   figures.Figure[time.Duration] // how far the middle between LastFrom and LastTo was from the last arrival
	Coming figures.Figure[float64]       // the relative error of the number who came in the next ComingIn
	Said   Score                         // how right the verdict would have been a quarter of an hour before curtain
}

// Score counts how often each call was made on past performances, and how often it was right: after Hold
// more people than are usual and tolerated were outside at curtain, after OnTime not more.
type Score struct{ Hold, HoldRight, OnTime, OnTimeRight int }

// ComingIn is for how long the number who come is forecast.
const ComingIn = 15 * time.Minute

// scoredAt is how many minutes before curtain a verdict is scored.
const scoredAt = 15

// add scores a call, made where limit people may be outside.
func (s *Score) add(e *figures.EventFigures, said Call, limit float64) {
	outside := e.Arrived.Value - figures.CountBefore(e.ArrivalMinutes, e.Hours().Curtain.Truncate(time.Minute))
	late := float64(outside) > limit
	switch said {
	case Hold:
		s.Hold++
		if late {
			s.HoldRight++
		}
	case OnTime:
		s.OnTime++
		if !late {
			s.OnTimeRight++
		}
	}
}

// Errors returns the errors of forecasts like that of the arrivals. They are found on first use: few pages have them.
func (u *Usual) Errors() Errors {
	if len(u.Nights) > figures.FewestPast {
		u.errorsOnce.Do(func() { u.errors = u.findErrors() })
		return u.errors
	}
	return NoErrors()
}

// NoErrors returns what is not known without enough past performances.
func NoErrors() Errors {
	return Errors{Last: figures.NotKnown[time.Duration](figures.ReasonFewComparables), Coming: figures.NotKnown[float64](figures.ReasonFewComparables)}
}

// findErrors forecasts every past evening from the others. It takes some milliseconds.
func (u *Usual) findErrors() Errors {
	var last, off, came float64
	var said Score
	for i, n := range u.Nights {
		others := make([]*Night, 0, len(u.Nights)-1)
		others = append(append(others, u.Nights[:i]...), u.Nights[i+1:]...)
		o := usualNights(u.Basis, others)
		curtain := n.Hours().Curtain.Truncate(time.Minute)
		at := curtain.Add(-VerdictFrom * time.Minute)
		f := o.Forecast(n.ArrivalMinutes, float64(n.Expected.Value), -VerdictFrom, at)
		middle := f.From.Add(f.To.Sub(f.From) / 2)
		last += math.Abs(middle.Sub(LastArrival(n.EventFigures)).Minutes())
		verdict, _ := o.Judge(n.EventFigures, -scoredAt)
		said.add(n.EventFigures, verdict.Call, o.Limit(float64(n.Expected.Value)))
		coming := o.aheadAt(n.EventFigures, -VerdictFrom).By(figures.UsualFrom - VerdictFrom + int(ComingIn/time.Minute))
		real := float64(figures.CountIn(n.ArrivalMinutes, at.Add(ComingIn), ComingIn))
		off, came = off+math.Abs(math.Round(coming.Quantile(.5))-real), came+real
	}
	nights := float64(len(u.Nights))
	lasting := time.Duration(last / nights * float64(time.Minute)).Round(time.Second)
	return Errors{figures.Figure[time.Duration]{Value: lasting}, figures.Figure[float64]{Value: off / max(1, came)}, said}
}
