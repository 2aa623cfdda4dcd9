package evening

import (
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/arriving"
)

// Accuracy is how right the verdicts of past performances were, minute by minute from twenty
// minutes before curtain.
type Accuracy struct {
	Performances int
	// Outside is by how many people the number outside at curtain was off, on average, and
	// OfOutside how many there were.
	Outside, OfOutside float64
	// Last is by how much the middle of the forecast range missed the last arrival, on average.
	Last time.Duration
	// Right is the part of the calls that were right: to hold where more were outside at curtain than are
	// usual and tolerated, and not to where no more than twice as many were.
	Right float64
	// Unsure is the part of the calls that says neither.
	Unsure float64
	// Brief is how many times a call was taken back within less than arriving.HoldMinutes.
	Brief int
}

// VerdictAccuracy replays the last performances of the house.
func (v *Evening) VerdictAccuracy() Accuracy {
	_, all := v.past("")
	var a Accuracy
	var last, calls, right float64
	for _, e := range all {
		u := v.usualArrivals(e)
		curtain := e.Hours().Curtain
		outside := float64(e.Arrived.Value - figures.CountBefore(e.ArrivalMinutes, curtain))
		limit := u.Limit(float64(e.Expected.Value))
		var since int
		var call, before arriving.Call
		for m := -arriving.VerdictFrom; m <= 0; m++ {
			verdict, _ := u.Judge(e, m)
			calls++
			if verdict.Call != call {
				if m-since < arriving.HoldMinutes && verdict.Call == before && before != arriving.NoCall {
					a.Brief++
				}
				call, before, since = verdict.Call, call, m
			}
			if verdict.Call == arriving.Unsure {
				a.Unsure++
			}
			a.Outside += max(float64(verdict.Outside.Value)-outside, outside-float64(verdict.Outside.Value))
			middle := verdict.From.Add(verdict.To.Sub(verdict.From) / 2)
			last += max(middle.Sub(arriving.LastArrival(e)), arriving.LastArrival(e).Sub(middle)).Minutes()
			if verdict.Call == arriving.Hold && outside > limit || verdict.Call == arriving.OnTime && outside <= 2*limit {
				right++
			}
		}
		a.OfOutside += outside
	}
	if calls > 0 {
		a.Performances = len(all)
		a.Outside, a.OfOutside, a.Right = a.Outside/calls, a.OfOutside/float64(len(all)), right/(calls-a.Unsure)
		a.Unsure /= calls
		a.Last = time.Duration(last / calls * float64(time.Minute)).Round(time.Second)
	}
	return a
}

// HeldPace returns where an evening holds what is found out once of the pace of a performance.
func HeldPace(v *Evening, e *figures.EventFigures) any { return v.paces.held(v, e) }

// ForecastOutside returns how many are outside at curtain by the forecast from medians alone, m minutes after curtain.
func (v *Evening) ForecastOutside(e *figures.EventFigures, m int) float64 {
	curtain := e.Hours().Curtain.Truncate(time.Minute)
	return v.usualArrivals(e).Forecast(e.ArrivalMinutes, float64(e.Expected.Value), m, curtain.Add(time.Duration(m)*time.Minute)).Outside
}

// Comparing returns what is held of what a performance is compared with: another one if it was found anew.
func (v *Evening) Comparing(e *figures.EventFigures) any { return v.held(e).comparing }

// CallsOf returns the calls on the start of a past performance that was scanned, by the minute from 25 minutes before its curtain, before
// which there are none, to a quarter of an hour after it; nil for another.
func (v *Evening) CallsOf(e *figures.EventFigures) (calls []arriving.Call) {
	if !v.isPast(e) {
		return nil
	}
	u := v.usualArrivals(e)
	for m := -25; m <= 15; m++ {
		verdict, _ := u.Judge(e, m)
		if m >= 0 && verdict.Call != arriving.Hold && !verdict.Since.IsZero() {
			verdict.Call = arriving.Begun
		}
		calls = append(calls, verdict.Call)
	}
	return calls
}
