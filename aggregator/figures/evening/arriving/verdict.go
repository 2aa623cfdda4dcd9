package arriving

import (
	"math"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/model"
)

// MinOutsideShown is the fewest people outside at curtain, by the upper end of their band, that stand beside an OnTime.
const MinOutsideShown = 10

// Call is the advice of a Verdict.
type Call uint8

// The calls.
const (
	NoCall Call = iota // too early, too late, or not enough is known
	OnTime             // OnTime is given before the curtain only
	Hold
	Unsure // before the curtain: too likely late to say OnTime, and too little known, or too late, to hold
	Begun  // after the curtain without a hold: how many of those who are not in still come
)

// Verdict is whether a performance will start on time.
type Verdict struct {
	Call Call
	// Outside is the forecast of how many of those who will come are outside at curtain; after the curtain, how
	// many are outside now.
	Outside figures.Figure[int]
	// Band is the band of Outside that holds in eight of ten cases, and Sure the probability that Limit or more are outside.
	Band figures.Band
	Sure float64
	// HoldFrom is the probability from which a hold is advised.
	HoldFrom float64
	// From and To are the minutes between which the last of them is expected. Until is the minute to which to hold: when
	// no more than usual and tolerated are still outside, but at most HoldUntil after the curtain; zero without a hold.
	From, To, Until time.Time
	// Since is the minute since which Call has not changed.
	Since time.Time
	// NoShow is the usual part of the expected that does not come, over the past performances of Basis. Usual is
	// how many are usually outside at curtain. Rate is the entries per minute lately, and Limit the number outside
	// from which to hold: more than are usual and tolerated.
	NoShow float64
	Basis  Basis
	Past   int
	Usual  int
	Rate   float64
	Limit  int
}

// Lopsided reports whether the top of Band is several times Outside, and enough to hold for: whoever reads that 9 are outside would not
// think of 122.
func (v *Verdict) Lopsided() bool { return v.Band.High >= max(v.Limit, 3*v.Outside.Value+1) }

// HoldUntil is the number of minutes after curtain by which most of those outside must be in for a hold to be
// worthwhile, and to which a start is held at most.
const HoldUntil = 12

// When a verdict is given, and when it is to hold.
const (
	VerdictFrom = 20 // minutes before curtain
	// ToleratedPeople, or ToleratedPart of the expected if that is more, may be outside at curtain in addition to those
	// who usually are.
	ToleratedPeople = 10
	ToleratedPart   = .02
	// holdSure is how likely more than that must be; holdSureUnknown where no past nights are known.
	holdSure        = .75
	holdSureUnknown = .9
	// unsureFrom is how likely more than that must be so that nobody is told that it begins on time, and onTimeBelow how
	// likely at most, for HoldMinutes, to be told so again: a few who enter in one minute do not make a late start one on time.
	unsureFrom  = .33
	onTimeBelow = .25
	HoldMinutes = 3
	RateOver    = 10 * time.Minute // the time over which Rate is measured
)

// HoldFrom returns how likely it must be that more are late than are usual and tolerated for a hold.
func (u *Usual) HoldFrom() float64 {
	if u.Known() {
		return holdSure
	}
	return holdSureUnknown
}

// Judge goes through the minutes from VerdictFrom on to tau minutes after curtain (before it if tau is negative); earlier there is
// no call. It calls a hold if more people than are usual and tolerated will come after the curtain (or, after the curtain, from now
// on) with a probability of at least HoldFrom for HoldMinutes, and if holding until HoldUntil lets most of them in. A call is kept
// from minute to minute, so that one minute with many or no entries does not take it back. A hold ends when this has become less
// likely than not, within HoldMinutes when it has become unlikely, and at HoldUntil. Before the curtain, what is too likely for OnTime and not enough for a hold is Unsure, and after
// another call than OnTime until it was unlikely for HoldMinutes. What is ahead is that of tau, and of the minutes also.
func (u *Usual) Judge(e *figures.EventFigures, tau int, also ...int) (verdict Verdict, ahead map[int]*model.Ahead) {
	u.curvesOnce.Do(u.findCurves)
	curtain, expected := e.Hours().Curtain.Truncate(time.Minute), float64(e.Expected.Value)
	limit, sure := u.Limit(expected), u.HoldFrom()
	arrivals, counted, likely, doubted := model.NewArrivals(u.curves, expected), 0., 0, math.MinInt/2
	ahead = map[int]*model.Ahead{}
	for m := -figures.UsualFrom + model.Block; m <= tau; m++ {
		at := curtain.Add(time.Duration(m) * time.Minute)
		come := float64(figures.CountBefore(e.ArrivalMinutes, at))
		if slices.Contains(also, m) && m < tau {
			ahead[m] = arrivals.Ahead(m+figures.UsualFrom, come-counted)
		}
		if m >= -VerdictFrom {
			o := arrivals.Outlook(m+figures.UsualFrom, come-counted, figures.UsualFrom, max(0, HoldUntil-max(0, m)), limit)
			if likely++; o.Within < .5 || o.Sure < sure {
				likely = 0
			}
			if o.Sure >= onTimeBelow {
				doubted = m
			}
			call := OnTime
			switch {
			case m > HoldUntil:
				return Verdict{}, ahead
			case likely >= HoldMinutes, verdict.Call == Hold && ((m >= 0 || o.Within >= .5) && o.Sure >= .5 || o.Sure >= onTimeBelow && at.Sub(verdict.Since) < HoldMinutes*time.Minute):
				call = Hold
			case m < 0 && (o.Sure >= unsureFrom || verdict.Call != OnTime && !verdict.Since.IsZero() && m-doubted < HoldMinutes):
				call = Unsure
			case o.Sure >= sure && o.Within < .5: // late, but a hold would not help
				call = NoCall
			}
			if call != verdict.Call || verdict.Since.IsZero() {
				verdict.Call, verdict.Since = call, at
			}
			if verdict.Sure = o.Sure; m == tau {
				f := u.Forecast(e.ArrivalMinutes, expected, m, at)
				verdict.From, verdict.To, verdict.Band = f.From, f.To, o.Count.Band()
				if call == OnTime {
					verdict.Band = u.asUsual(e, m, o.Count)
				}
				verdict.Outside = figures.Figure[int]{Value: verdict.Band.Median}
				if late := o.FallsTo(limit); call == Hold && (late > 0 || m >= 0) {
					verdict.Until = curtain.Add(time.Duration(max(0, m)+late) * time.Minute)
				} else if call == Hold {
					verdict.Call = Unsure // nobody would wait: it is a young hold that has become unlikely
				}
			}
		}
		if (m+figures.UsualFrom)%model.Block == 0 {
			arrivals.Arrive(m+figures.UsualFrom, come-counted)
			counted = come
		}
	}
	ahead[tau] = arrivals.Ahead(tau+figures.UsualFrom, float64(figures.CountBefore(e.ArrivalMinutes, curtain.Add(time.Duration(tau)*time.Minute)))-counted)
	return verdict, ahead
}

// Limit returns how many may be outside at curtain without holding it: those who usually are, for whom no house waits,
// and in addition ToleratedPeople or ToleratedPart.
func (u *Usual) Limit(expected float64) float64 {
	return math.Ceil(u.Outside(expected) + max(ToleratedPeople, ToleratedPart*expected))
}

// Outside returns how many of the expected are usually outside at curtain; 0 if that is not known.
func (u *Usual) Outside(expected float64) float64 {
	if !u.Known() {
		return 0
	}
	return expected * (1 - u.NoShow) * u.after(0)
}

// Forecast is how many are outside at curtain, and between which minutes the last visitor is expected; zero where nothing is known.
type Forecast struct {
	Outside  float64
	From, To time.Time
}

// toCome returns how many are to be expected m minutes after the curtain or later, when come of the expected have come. It combines
// two estimates: the expected without the usual no-shows and those who have come; and the usual ratio of those still to come to
// those who have come. The first weighs more while many are still to come, because then the second is a guess; the second weighs
// more when few are, because then the first is only the error in the no-shows. If more are missing than any usual number of
// no-shows explains, only the first counts: they are late.
func (u *Usual) toCome(come, expected float64, m int) float64 {
	left := max(0, expected*(1-u.NoShow)-come)
	if !u.Known() {
		return left
	}
	if share := u.after(m); share < 1 {
		left = share*left + (1-share)*come*share/(1-share)
	}
	return max(left, expected*(1-u.mostAway)-come)
}

// Forecast forecasts the arrivals of the expected visitors m minutes after curtain, from the arrivals before at. Of those still to
// come, the usual part is outside at curtain. The last one comes when the last usually does, but not before all who are left can
// have come: at the present rate or, while the usual rush is still to come, at the rate of that.
//
// Without past performances everybody is expected to come, at the present rate.
func (u *Usual) Forecast(arrivals []figures.MinuteCount, expected float64, m int, at time.Time) Forecast {
	come := float64(figures.CountBefore(arrivals, at))
	rate := float64(figures.CountIn(arrivals, at, RateOver)) / RateOver.Minutes()
	left := u.toCome(come, expected, m)
	if !u.Known() {
		if rate == 0 && left >= 1 {
			return Forecast{}
		}
		f := Forecast{Outside: max(0, left-rate*float64(max(0, -m))), From: at, To: at}
		if left >= 1 {
			f.From = at.Add(minutes(left / rate))
			f.To = at.Add(minutes(left / rate * 1.5))
		}
		return f
	}
	f := Forecast{Outside: max(0, left-rate*float64(max(0, -m)))}
	if share := u.after(m); share > 0 {
		f.Outside = left * u.after(max(0, m)) / share
	}
	f.From = figures.Later(at, at.Add(minutes(float64(u.LastFrom-m))))
	if rate > 0 {
		ahead := (u.after(m) - u.after(m+int(RateOver.Minutes()))) * expected * (1 - u.NoShow) / RateOver.Minutes()
		f.From = figures.Later(f.From, at.Add(minutes(left/max(rate, ahead))))
	}
	f.To = f.From.Add(minutes(float64(u.LastTo - u.LastFrom)))
	return f
}

func minutes(n float64) time.Duration {
	return time.Duration(math.Round(min(n, 24*60))) * time.Minute
}
