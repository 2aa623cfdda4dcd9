// Package arriving holds how visitors usually come to a performance, by past ones whose visitors were scanned, and what that lets
// expect of one while its visitors arrive: who is still to come, and whether it can start on time. It is pure. It decides neither
// which past performances count nor which moment it is: package evening does. What it holds is safe for concurrent use.
package arriving

import (
	"math"
	"slices"
	"sync"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/model"
)

// Basis is which past performances are used for what is usual.
type Basis uint8

// The bases, the best first.
const (
	NoBasis Basis = iota
	OfComparables
	OfHall
	OfHouse
)

// String returns the basis's name.
func (b Basis) String() string { return [...]string{"none", "comparables", "hall", "house"}[b] }

// Usual is how visitors usually come to a performance.
type Usual struct {
	Basis  Basis
	Nights []*Night
	// NoShow is the median part of the expected that did not come, and mostAway the part that one performance in ten exceeded.
	NoShow, mostAway float64
	// LeastAway is the part of the expected that nine in ten performances exceeded.
	LeastAway float64
	// arrived holds, for each minute from figures.UsualFrom before the curtain to figures.UsualUntil after it, what has come.
	arrived [figures.UsualFrom + figures.UsualUntil + 1]Part
	// LastFrom and LastTo are the quartiles of the last arrival, in minutes after curtain.
	LastFrom, LastTo int
	asked            figures.Day // when it was asked for last; guarded by Made.mu

	errorsOnce sync.Once
	errors     Errors

	curvesOnce sync.Once
	curves     *model.Curves
}

// Part is the 10th, 50th and 90th percentile of a part of the visitors over past performances.
type Part struct{ Low, Median, High float64 }

// Night is how visitors came to a past performance.
type Night struct {
	*figures.EventFigures
	away    float64 // no-shows as a part of the expected
	last    int     // the last arrival, in minutes after curtain
	arrived [figures.UsualFrom + figures.UsualUntil + 1]float64
}

// Known reports whether there are enough past performances.
func (u *Usual) Known() bool { return u.Basis != NoBasis }

// after returns what part of the visitors usually comes m minutes after curtain or later.
func (u *Usual) after(m int) float64 { return 1 - u.arrived[usualAt(m)].Median }

// Through returns what part of the visitors of a performance usually comes through a gate after one minute and up to another.
func (u *Usual) Through(e *figures.EventFigures, g *figures.GateFigures, usually model.UsualGate, from, to time.Time) float64 {
	curtain, all := e.Hours().Curtain, 0
	for i := range e.Gates {
		all += e.Gates[i].Entries
	}
	share := max(usually.Share, float64(g.Entries)/float64(max(1, all))) // tonight's, where the gate is new
	return (u.Come(curtain, to) - u.Come(curtain, from)) * share
}

// Come returns what part of the visitors has usually come by a minute, of a performance with such a curtain.
func (u *Usual) Come(curtain, at time.Time) float64 {
	return u.arrived[usualAt(int(figures.StampOf(at).Minute()-figures.StampOf(curtain).Minute()))].Median
}

// Arrived returns what part of the visitors has usually come m minutes after curtain.
func (u *Usual) Arrived(m int) Part { return u.arrived[usualAt(m)] }

// usualAt returns the index in Usual.arrived of m minutes after curtain.
func usualAt(m int) int {
	return min(max(m+figures.UsualFrom, 0), figures.UsualFrom+figures.UsualUntil)
}

// usualOf returns how visitors came to past performances, at least one.
func usualOf(basis Basis, past []*figures.EventFigures) *Usual {
	nights := make([]*Night, len(past))
	for i, e := range past {
		nights[i] = nightOf(e)
	}
	return usualNights(basis, nights)
}

// usualNights returns what is usual by such nights.
func usualNights(basis Basis, nights []*Night) *Usual {
	u := &Usual{Basis: basis, Nights: nights}
	values := make([]float64, len(nights))
	of := func(value func(*Night) float64) func(part float64) float64 {
		for i, n := range nights {
			values[i] = value(n)
		}
		slices.Sort(values)
		return func(part float64) float64 { return model.Quantile(values, part) }
	}
	away := of(func(n *Night) float64 { return n.away })
	u.NoShow, u.mostAway, u.LeastAway = away(.5), away(.9), away(.1)
	for i := range u.arrived {
		arrived := of(func(n *Night) float64 { return n.arrived[i] })
		u.arrived[i] = Part{arrived(.1), arrived(.5), arrived(.9)}
	}
	last := of(func(n *Night) float64 { return float64(n.last) })
	u.LastFrom, u.LastTo = int(last(.25)), int(last(.75))
	return u
}

// nightOf returns how visitors came to a past performance.
func nightOf(e *figures.EventFigures) *Night {
	_, away := NoShow(e)
	curtain := figures.StampOf(e.Hours().Curtain).Minute()
	n := &Night{EventFigures: e, away: away.Value, last: int(figures.StampOf(LastArrival(e)).Minute() - curtain)}
	come, next := 0, 0
	for i := range n.arrived {
		for ; next < len(e.ArrivalMinutes) && e.ArrivalMinutes[next].Minute < curtain+int64(i-figures.UsualFrom); next++ {
			come += e.ArrivalMinutes[next].Count
		}
		n.arrived[i] = float64(come) / float64(max(1, e.Arrived.Value))
	}
	return n
}

// NoShow returns expected − arrived of a performance that is over, and that as a part of expected.
func NoShow(e *figures.EventFigures) (away figures.Figure[int], rate figures.Figure[float64]) {
	away = figures.Minus(e.Expected, e.Arrived)
	c := away.Caveat()
	c.AddIf(e.Attendance.Known() && e.Attendance.Value == 0, figures.Unknown, figures.ReasonNoScans)
	c.AddIf(e.Expected.Known() && e.Expected.Value == 0, figures.Unknown, figures.ReasonNobodyExpected)
	return figures.New(away.Value, c), figures.New(float64(away.Value)/float64(max(1, e.Expected.Value)), c)
}

// LastArrival returns the minute of the last first entry before the end. The performance must have entries.
func LastArrival(e *figures.EventFigures) time.Time {
	last := e.ArrivalMinutes[0].Minute
	for _, m := range e.ArrivalMinutes {
		if m.Minute < figures.StampOf(e.Hours().End).Minute() {
			last = m.Minute
		}
	}
	return time.Unix(last*60, 0)
}

// findCurves computes the courses that the model knows.
func (u *Usual) findCurves() { u.curves = model.NewCurves(u.arrivals()) }

// arrivals returns what is usual for the model of how visitors arrive.
func (u *Usual) arrivals() model.Usual {
	if !u.Known() {
		return model.DefaultUsual()
	}
	usual := model.Usual{Course: make([]float64, len(u.arrived)), Share: 1 - u.NoShow, Nights: len(u.Nights)}
	for i := range usual.Course {
		usual.Course[i] = u.arrived[i].Median
	}
	center, shareSpread, shiftSpread := model.MedianMinute(usual.Course), 0., 0.
	for _, n := range u.Nights {
		away, shift := n.away-u.NoShow, model.MedianMinute(n.arrived[:])-center
		shareSpread, shiftSpread = shareSpread+away*away, shiftSpread+shift*shift
	}
	n := float64(len(u.Nights))
	usual.ShareSpread, usual.ShiftSpread = math.Sqrt(shareSpread/n), math.Sqrt(shiftSpread/n)
	return usual
}
