package evening

import (
	"math"
	"time"

	"housecount/aggregator/figures"
)

// pointsUntil is how many minutes after curtain Arrivals.Points end.
const pointsUntil = 30

// Arrivals compares how visitors come to a performance with how they came to past ones: the comparables of its
// Pace or, if too few of those were scanned, the last performances in its hall, or else of the house.
type Arrivals struct {
	// Basis is which past performances are compared, and Past their number. If there are too few, Basis is NoBasis
	// and nothing is forecast.
	Basis Basis
	Past  int
	// Points are minutes. They begin five minutes before the doors, or usualFrom before curtain if that is later.
	Points []ArrivalPoint
	// RushFrom and RushTo are, while visitors arrive, the model.Rush, and RushPeople is how many come in it; all are zero if few do, if
	// it is over, or if it is not clear when. Before and afterwards they are the shortest time within which half of those who come do,
	// as usual or as they came, and RushPeople is 0. Both are zero if nothing is usual.
	RushFrom, RushTo time.Time
	RushPeople       int
	// LastFrom and LastTo are the minutes between which the last visitor is expected; both are zero if that is not known. Until
	// verdictFrom minutes before curtain they are the quartiles of past performances, then those of the Verdict.
	LastFrom, LastTo time.Time

	usual *usual // from which Errors are found; nil if nothing is forecast
}

// ArrivalPoint is the state at the beginning of a minute.
type ArrivalPoint struct {
	At time.Time
	// Low, Median and High are what part of the expected has usually come by then, given the usual no-shows.
	Low, Median, High float64
	// Came is the part of the expected that has come to this performance. It is negative after the minute of the
	// figures, and if it is not known.
	Came float64
	// Ahead is the part that will have come, in eight of ten cases from AheadLow to AheadHigh: from the minute of the
	// figures on, while visitors arrive. All three are below 0 elsewhere.
	AheadLow, Ahead, AheadHigh float64
}

// UsuallyIn returns how many have usually come to a performance by a minute, and how many have: by that of the figures, which is
// running, with those who came in it, and half of those who usually do. ok is false unless people arrive, if nothing is usual, and if it is not known who came.
func (v *Evening) UsuallyIn(s *Show, at time.Time) (usually, came int, ok bool) {
	u, curtain := v.usualArrivals(s.EventFigures), s.Hours().Curtain
	if s.Phase != Arriving || !s.Hours().CurtainReported || !ArrivedShare(s.EventFigures).Known() || !u.known() {
		return 0, 0, false
	}
	by := u.come(curtain, at)
	if !at.Before(v.At) {
		at = AfterMinute(v.At)
		by = (u.come(curtain, v.At) + u.come(curtain, at)) / 2
	}
	return int(math.Round((1 - u.noShow) * by * float64(s.Expected.Value))), figures.CountBefore(s.ArrivalMinutes, at.Truncate(time.Minute)), true
}

// Arrivals returns the arrivals of a performance that goes ahead and has a curtain; the result is empty for others.
func (v *Evening) Arrivals(s *Show) (a Arrivals) {
	h := s.Hours()
	if !s.Phase.GoesAhead() || !h.CurtainReported {
		return a
	}
	u := v.usualArrivals(s.EventFigures)
	if a.Basis, a.Past = u.basis, len(u.nights); !u.known() {
		return a
	}
	curtain := h.Curtain.Truncate(time.Minute)
	known, come := ArrivedShare(s.EventFigures).Known() && s.Phase != Before, 1-u.noShow
	for m := max(-figures.UsualFrom, int(h.Doors.Sub(curtain).Minutes())-5); m <= pointsUntil; m++ {
		b := &u.arrived[usualAt(m)]
		p := ArrivalPoint{At: curtain.Add(time.Duration(m) * time.Minute), Low: b.low * come, Median: b.median * come, High: b.high * come, Came: -1, AheadLow: -1, Ahead: -1, AheadHigh: -1}
		if known && !p.At.After(v.At) {
			p.Came = float64(figures.CountBefore(s.ArrivalMinutes, p.At)) / float64(s.Expected.Value)
		}
		if s.ahead != nil && m >= s.ahead.from {
			by := s.ahead.by(m)
			p.AheadLow, p.Ahead, p.AheadHigh = by.Low/s.ahead.expected, by.Median/s.ahead.expected, by.High/s.ahead.expected
		}
		a.Points = append(a.Points, p)
	}
	if a.RushFrom, a.RushTo = usualRush(a.Points); s.ahead != nil && (s.ahead.come > 0 || !a.RushFrom.After(v.At)) {
		a.RushFrom, a.RushTo, a.RushPeople = v.rush(s, v.heldUsual(s.EventFigures))
	}
	switch {
	case s.Verdict.Call != NoCall && s.Verdict.Call != Begun:
		a.LastFrom, a.LastTo = s.Verdict.From, s.Verdict.To
	case s.Phase == Before || s.Phase == Arriving:
		a.LastFrom, a.LastTo = curtain.Add(time.Duration(u.lastFrom)*time.Minute), curtain.Add(time.Duration(u.lastTo)*time.Minute)
	}
	a.usual = u
	return a
}

// ArrivalErrors are the mean errors of forecasts of past performances, made verdictFrom minutes before curtain, each from the other
// performances. They are Unknown if there are too few performances.
type ArrivalErrors struct {
	Last   figures.Figure[time.Duration] // how far the middle between LastFrom and LastTo was from the last arrival
	Coming figures.Figure[float64]       // the relative error of the number who came in the next QueueAhead
	Said   VerdictScore                  // how right the verdict would have been a quarter of an hour before curtain
}

// Errors returns the errors of forecasts like that of the arrivals. They are found on first use: few pages have them.
func (a *Arrivals) Errors() ArrivalErrors {
	if u := a.usual; u != nil && len(u.nights) > figures.FewestPast {
		u.errorsOnce.Do(func() { u.errors = u.findErrors() })
		return u.errors
	}
	return ArrivalErrors{Last: figures.NotKnown[time.Duration](figures.ReasonFewComparables), Coming: figures.NotKnown[float64](figures.ReasonFewComparables)}
}

// VerdictScore counts how often each call was made on past performances, and how often it was right: after Hold
// more people than are usual and tolerated were outside at curtain, after OnTime not more.
type VerdictScore struct{ Hold, HoldRight, OnTime, OnTimeRight int }

// scoredAt is how many minutes before curtain a verdict is scored.
const scoredAt = 15

// add scores a call, made where limit people may be outside.
func (s *VerdictScore) add(e *figures.EventFigures, said Call, limit float64) {
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

// findErrors forecasts every past evening from the others. It takes some milliseconds.
func (u *usual) findErrors() ArrivalErrors {
	var last, off, came float64
	var said VerdictScore
	for i, n := range u.nights {
		others := make([]*night, 0, len(u.nights)-1)
		others = append(append(others, u.nights[:i]...), u.nights[i+1:]...)
		o := usualNights(u.basis, others)
		curtain := n.Hours().Curtain.Truncate(time.Minute)
		at := curtain.Add(-verdictFrom * time.Minute)
		f := o.forecast(n.ArrivalMinutes, float64(n.Expected.Value), -verdictFrom, at)
		middle := f.from.Add(f.to.Sub(f.from) / 2)
		last += math.Abs(middle.Sub(lastArrival(n.EventFigures)).Minutes())
		verdict, _ := o.judge(n.EventFigures, -scoredAt)
		said.add(n.EventFigures, verdict.Call, o.limit(float64(n.Expected.Value)))
		coming := o.aheadAt(n.EventFigures, -verdictFrom).By(figures.UsualFrom - verdictFrom + int(QueueAhead/time.Minute))
		real := float64(figures.CountIn(n.ArrivalMinutes, at.Add(QueueAhead), QueueAhead))
		off, came = off+math.Abs(math.Round(coming.Quantile(.5))-real), came+real
	}
	nights := float64(len(u.nights))
	lasting := time.Duration(last / nights * float64(time.Minute)).Round(time.Second)
	return ArrivalErrors{figures.Figure[time.Duration]{Value: lasting}, figures.Figure[float64]{Value: off / max(1, came)}, said}
}

// ArrivedShare returns arrived / expected.
func ArrivedShare(e *figures.EventFigures) figures.Figure[float64] {
	c := e.Arrived.Caveat().And(e.Expected.Caveat())
	c.AddIf(e.Expected.Known() && e.Expected.Value <= 0, figures.Unknown, figures.ReasonNobodyExpected)
	return figures.New(float64(e.Arrived.Value)/float64(max(1, e.Expected.Value)), c)
}
