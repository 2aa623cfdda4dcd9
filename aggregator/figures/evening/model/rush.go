package model

import "math"

// When a rush is named.
const (
	// RushStep is the minutes by the clock in which the window of a rush is named, and by which it grows.
	RushStep = 5
	// rushLength is the minutes of a rush as it is named.
	rushLength = 15
	// rushPeople, or rushPart of the expected if that is more, must be likely to come in it.
	rushPeople = 10
	rushPart   = .2
	// rushIn is the part of all who will come from which, once they are in, a quarter of an hour that begins now is the end of a
	// rush: fewer come from minute to minute.
	rushIn = .5
	// rushAgain is the least part of the densest time that has passed: with fewer ahead, the rush is over.
	rushAgain  = .7
	rushBegun  = .9 // of what is ahead, at which a rush that has begun still is the one
	rushGoesOn = .5 // of a rush's mean rate, at which people must go on to come in it
	rushSure   = .7 // how likely these minutes are nearly as dense as any
)

// Rush is the window in which most visitors of a performance come, in minutes of the curves; From and To are equal where none is
// named. It is named anew at each step until it has begun. From then on From is held, and To moves only when the last step had more
// people than any before, or when the rush would be over while people go on to come as they do in it.
type Rush struct {
	From, To int
	Begun    bool
}

// rushOf follows the rush of one performance from step to step.
type rushOf struct {
	*Arrivals
	come  func(minute int) float64 // how many came before a minute of the curves
	until int                      // by when a rush is over
	most  float64                  // in one step so far,
	peak  int                      // which began there
	dense float64                  // the most within rushLength so far
	Rush
}

// FindRush returns the rush of a performance as it is known at a minute of the curves, which is a step by the clock; come returns how
// many came before a minute, and until is by when a rush is over. It depends on nothing but the expected and who came by the last step,
// so it is the same whoever asks. Where many places are sold at the door, it may still move.
func FindRush(c *Curves, expected float64, come func(minute int) float64, now, until int) Rush {
	r := rushOf{Arrivals: NewArrivals(c, expected), come: come, until: until}
	first, counted := (now%RushStep+RushStep)%RushStep, 0.
	for at := first; at <= now; at += RushStep {
		in := come(at)
		step := in - counted // in the first, all who came before
		r.dense = math.Max(r.dense, in-come(at-rushLength))
		var a *Ahead
		if !r.Begun && (in > 0 || at == now) || r.Begun && step > r.most {
			a = r.Ahead(at, step)
		}
		if step > r.most && at > first {
			r.most, r.peak = step, at-RushStep
		}
		switch {
		case a == nil && r.Begun && at == r.To && r.goesOn(at, step):
			r.To = at + RushStep
		case a == nil:
		case r.Begun:
			r.stretch(at, step, a)
		default:
			r.name(at, in, a)
			r.Begun = r.Begun && in > 0 // until somebody is in it is as usual
		}
		r.Arrive(at, step)
		counted = in
	}
	return r.Rush
}

// stretch has the window last until a step with more people than any before it is over, and through the next one where as many go on
// to come.
func (r *rushOf) stretch(at int, step float64, a *Ahead) {
	r.To = max(r.To, at)
	if next := a.Within(at, at+RushStep); next.Quantile(.5) >= nearlyDensest*step {
		r.To = max(r.To, at+RushStep)
	}
}

// goesOn reports whether as many came in the last step as make a rush, nearly as many as in its densest minutes, and half as many are
// likely to come in the next one.
func (r *rushOf) goesOn(at int, step float64) bool {
	if rushLength*step < RushStep*math.Max(r.least(), rushAgain*r.dense) {
		return false
	}
	next := r.Ahead(at, step).Within(at, at+RushStep)
	return next.Quantile(.5) >= rushGoesOn*step
}

// least returns how many must come within rushLength in a rush.
func (r *rushOf) least() float64 { return math.Max(rushPeople, rushPart*r.expected) }

// name sets the window in which most come: one that has begun, where it is dense enough and goes on, or else the densest ahead. There is
// none where few come in it, where it may as well be at another time, and where it is over.
func (r *rushOf) name(at int, in float64, a *Ahead) {
	r.Rush = Rush{}
	from, people := r.ahead(at, in, a)
	begun, most := 0, 0.
	for start := at - rushLength + RushStep; start < at; start += RushStep {
		left := start + rushLength - at
		coming := a.Within(at, at+left)
		more := coming.Quantile(.5)
		if all := in - r.come(start) + more; all > most && more*rushLength >= rushGoesOn*all*float64(left) {
			begun, most = start, all
		}
	}
	switch {
	case most >= math.Max(r.least(), rushBegun*people) && most >= r.dense:
		r.Rush = Rush{begun, begun + rushLength, true}
	case people > 0:
		r.Rush = Rush{from, from + rushLength, from <= at}
		most = people
	}
	if r.Begun && rushLength*r.most >= RushStep*most { // it began no later than the minutes that are its busiest so far
		r.From = min(r.From, r.peak)
	}
}

// ahead returns the step from which most come within rushLength, and how many do; 0 people where no rush is ahead.
func (r *rushOf) ahead(at int, in float64, a *Ahead) (from int, people float64) {
	densest, sure := a.Densest(rushLength, r.until)
	from = at + (densest-at+RushStep/2)/RushStep*RushStep
	within, after := a.Within(from, from+rushLength), a.After(at)
	people = within.Quantile(.5)
	ends := from <= at && in >= rushIn*(in+after.Quantile(.5))
	if sure < rushSure || ends || people < math.Max(r.least(), rushAgain*r.dense) {
		return 0, 0
	}
	return from, people
}
