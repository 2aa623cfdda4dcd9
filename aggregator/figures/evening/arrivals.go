package evening

import (
	"math"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/arriving"
)

// rushOver is for how long the busiest minutes are over before they are said to have been.
const rushOver = 10 * time.Minute

// Arrivals compares how visitors come to a performance with how they came to past ones: the comparables of its
// Pace or, if too few of those were scanned, the last performances in its hall, or else of the house.
type Arrivals struct {
	// Basis is which past performances are compared, and Past their number. If there are too few, Basis is arriving.NoBasis
	// and nothing is forecast.
	Basis arriving.Basis
	Past  int
	// Points are minutes. They begin five minutes before the doors, or usualFrom before curtain if that is later.
	Points []ArrivalPoint
	// RushFrom and RushTo are, while visitors arrive, the model.Rush, and RushPeople is how many come in it; all are zero if few do, if
	// it is over, or if it is not clear when. Before anybody has come they are the shortest time within which half of those who come
	// usually do. After the curtain they are that of those who came, and RushCame is true: that is no forecast, and nothing that was
	// forecast is compared with it. Both are zero if nothing is usual.
	RushFrom, RushTo time.Time
	RushPeople       int
	RushCame         bool
	// LastFrom and LastTo are the minutes between which the last visitor is expected; both are zero if that is not known. Until
	// arriving.VerdictFrom minutes before curtain they are the quartiles of past performances, then those of the Verdict.
	LastFrom, LastTo time.Time

	usual *arriving.Usual // from which Errors are found; nil if nothing is forecast
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
	if s.Phase != Arriving || !s.Hours().CurtainReported || !ArrivedShare(s.EventFigures).Known() || !u.Known() {
		return 0, 0, false
	}
	by := u.Come(curtain, at)
	if !at.Before(v.At) {
		at = AfterMinute(v.At)
		by = (u.Come(curtain, v.At) + u.Come(curtain, at)) / 2
	}
	return int(math.Round((1 - u.NoShow) * by * float64(s.Expected.Value))), figures.CountBefore(s.ArrivalMinutes, at.Truncate(time.Minute)), true
}

// Arrivals returns the arrivals of a performance that goes ahead and has a curtain; the result is empty for others.
func (v *Evening) Arrivals(s *Show) (a Arrivals) {
	h := s.Hours()
	if !s.Phase.GoesAhead() || !h.CurtainReported {
		return a
	}
	u := v.usualArrivals(s.EventFigures)
	if a.Basis, a.Past = u.Basis, len(u.Nights); !u.Known() {
		return a
	}
	curtain := h.Curtain.Truncate(time.Minute)
	known, come := ArrivedShare(s.EventFigures).Known() && s.Phase != Before, 1-u.NoShow
	for m := max(-figures.UsualFrom, int(h.Doors.Sub(curtain).Minutes())-5); m <= arriving.PointsUntil; m++ {
		b := u.Arrived(m)
		p := ArrivalPoint{At: curtain.Add(time.Duration(m) * time.Minute), Low: b.Low * come, Median: b.Median * come, High: b.High * come, Came: -1, AheadLow: -1, Ahead: -1, AheadHigh: -1}
		if known && !p.At.After(v.At) {
			p.Came = float64(figures.CountBefore(s.ArrivalMinutes, p.At)) / float64(s.Expected.Value)
		}
		if s.ahead != nil && m >= s.ahead.From {
			by := s.ahead.ByMinute(m)
			p.AheadLow, p.Ahead, p.AheadHigh = by.Low/s.ahead.Expected, by.Median/s.ahead.Expected, by.High/s.ahead.Expected
		}
		a.Points = append(a.Points, p)
	}
	a.RushFrom, a.RushTo, a.RushCame = densestHalf(a.Points)
	switch {
	case s.Phase == Running && a.RushCame && v.At.Before(a.RushTo.Add(rushOver)): // who comes now may be among the busiest minutes
		a.RushFrom, a.RushTo, a.RushCame = time.Time{}, time.Time{}, false
	case s.Phase != Arriving:
	case s.ahead != nil && (s.ahead.Come > 0 || !a.RushFrom.After(v.At)):
		a.RushFrom, a.RushTo, a.RushPeople = v.rush(s, v.heldUsual(s.EventFigures))
		a.RushCame = false
	case a.RushCame: // half of those who came until now is no half of all
		a.RushFrom, a.RushTo, a.RushCame = time.Time{}, time.Time{}, false
	}
	switch {
	case s.Verdict.Call != arriving.NoCall && s.Verdict.Call != arriving.Begun:
		a.LastFrom, a.LastTo = s.Verdict.From, s.Verdict.To
	case s.Phase == Before || s.Phase == Arriving:
		a.LastFrom, a.LastTo = curtain.Add(time.Duration(u.LastFrom)*time.Minute), curtain.Add(time.Duration(u.LastTo)*time.Minute)
	}
	a.usual = u
	return a
}

// Errors returns the errors of forecasts like that of the arrivals.
func (a *Arrivals) Errors() arriving.Errors {
	if a.usual == nil {
		return arriving.NoErrors()
	}
	return a.usual.Errors()
}

// ArrivedShare returns arrived / expected.
func ArrivedShare(e *figures.EventFigures) figures.Figure[float64] {
	c := e.Arrived.Caveat().And(e.Expected.Caveat())
	c.AddIf(e.Expected.Known() && e.Expected.Value <= 0, figures.Unknown, figures.ReasonNobodyExpected)
	return figures.New(float64(e.Arrived.Value)/float64(max(1, e.Expected.Value)), c)
}
