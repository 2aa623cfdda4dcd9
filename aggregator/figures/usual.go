package figures

import (
	"slices"
	"time"
)

const (
	// fewestPast is how many past performances make what is usual: of the hall, or else of the
	// house.
	fewestPast = 5
	// mostPast is how many it is taken of, the last ones.
	mostPast = 40
)

// usual is how visitors come to a hall.
type usual struct {
	past int
	// noShow is the median part of the expected that did not come, and mostAway the part that
	// was passed by one performance in ten.
	noShow, mostAway float64
	// shares are the parts of those who come that come later than so many minutes after
	// curtain, from verdictFrom before it to verdictUntil after it.
	shares [verdictFrom + verdictUntil + 1]float64
	// lastFrom and lastTo are the quartiles of when the last comes, in minutes after curtain.
	lastFrom, lastTo int
}

// known says that there is enough to go by.
func (u *usual) known() bool { return u.past >= fewestPast }

// after is the part of those who come that comes later than m minutes after curtain.
func (u *usual) after(m int) float64 { return u.shares[min(m+verdictFrom, len(u.shares)-1)] }

// usualArrivals is how visitors came to the last performances in a hall or, where those are too
// few, in the house; with medians, so that one strange evening changes nothing. Performances
// without scans are not among them.
func (v *Evening) usualArrivals(hall string) *usual {
	here, all := v.past(hall)
	if len(here) >= fewestPast {
		all = here
	}
	u := &usual{past: len(all)}
	if len(all) == 0 {
		return u
	}
	away := func(e *EventFigures) float64 {
		_, rate := e.noShow()
		return rate.Value
	}
	u.noShow, u.mostAway = quantile(all, .5, away), quantile(all, .9, away)
	for i := range u.shares {
		u.shares[i] = quantile(all, .5, func(e *EventFigures) float64 { return 1 - e.arrivedBy(i-verdictFrom) })
	}
	last := func(e *EventFigures) float64 { return e.lastArrival().Sub(e.Hours().Curtain).Minutes() }
	u.lastFrom, u.lastTo = int(quantile(all, .25, last)), int(quantile(all, .75, last))
	return u
}

// past are the last performances that are over and to which visitors were scanned: in a hall,
// and in the house.
func (v *Evening) past(hall string) (here, all []*EventFigures) {
	for _, e := range slices.Backward(v.snapshot.Events) {
		if len(here) == mostPast {
			break
		}
		if e.Date >= v.Day || v.phase(e) != Over || !e.Hours().CurtainReported || len(e.ArrivalMinutes) == 0 {
			continue
		}
		if _, rate := e.noShow(); !rate.Known() {
			continue
		}
		if len(all) < mostPast {
			all = append(all, e)
		}
		if e.Event.Hall == hall {
			here = append(here, e)
		}
	}
	return here, all
}

// arrivedBy is the part of those who came that had come m minutes after curtain.
func (e *EventFigures) arrivedBy(m int) float64 {
	at := e.Hours().Curtain.Add(time.Duration(m) * time.Minute)
	return float64(countUpTo(e.ArrivalMinutes, at)) / float64(max(1, e.Arrived.Value))
}

// lastArrival is the minute of the last first entry before the end, of a performance that has
// some.
func (e *EventFigures) lastArrival() time.Time {
	last := e.ArrivalMinutes[0].Minute
	for _, m := range e.ArrivalMinutes {
		if m.Minute < stampOf(e.Hours().End).minute() {
			last = m.Minute
		}
	}
	return time.Unix(last*60, 0)
}

// quantile is the value below which that part of the events are; it lies on one of them.
func quantile(of []*EventFigures, part float64, value func(*EventFigures) float64) float64 {
	values := make([]float64, len(of))
	for i, e := range of {
		values[i] = value(e)
	}
	slices.Sort(values)
	return values[int(part*float64(len(values)-1)+.5)]
}

// Accuracy is how right the verdicts of past performances were, minute by minute from twenty
// minutes before curtain.
type Accuracy struct {
	Performances int
	// Outside is by how many people the number outside at curtain was off, on average, and
	// OfOutside how many there were.
	Outside, OfOutside float64
	// Last is by how much the middle of the forecast range missed the last arrival, on average.
	Last time.Duration
	// Right is the part of the calls that were right: to hold where as many were outside at
	// curtain as that takes.
	Right float64
}

// VerdictAccuracy replays the last performances of the house.
func (v *Evening) VerdictAccuracy() Accuracy {
	_, all := v.past("")
	var a Accuracy
	var last, calls, right float64
	for _, e := range all {
		u := v.usualArrivals(e.Event.Hall)
		curtain := e.Hours().Curtain
		outside := float64(e.Arrived.Value - countUpTo(e.ArrivalMinutes, curtain))
		limit := max(holdOutside, holdPart*float64(e.Arrived.Value))
		for m := -verdictFrom; m <= 0; m++ {
			verdict := u.judge(e, m)
			calls++
			a.Outside += max(float64(verdict.Outside.Value)-outside, outside-float64(verdict.Outside.Value))
			middle := verdict.From.Add(verdict.To.Sub(verdict.From) / 2)
			last += max(middle.Sub(e.lastArrival()), e.lastArrival().Sub(middle)).Minutes()
			if verdict.Call == Hold == (outside >= limit) {
				right++
			}
		}
		a.OfOutside += outside
	}
	if calls > 0 {
		a.Performances = len(all)
		a.Outside, a.OfOutside, a.Right = a.Outside/calls, a.OfOutside/float64(len(all)), right/calls
		a.Last = time.Duration(last / calls * float64(time.Minute)).Round(time.Second)
	}
	return a
}
