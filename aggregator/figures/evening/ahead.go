package evening

import (
	"math"
	"slices"
	"sync"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/model"
)

// ahead is the forecast of the visitors of a performance who are still to come, at the minute of its figures. It is the
// model's, with what is known of tonight, and one for all: the verdict, the chart, the rush and the gates.
type ahead struct {
	*model.Ahead
	from     int     // minutes after curtain
	come     float64 // who have come
	expected float64

	mu    sync.Mutex
	gates map[gateKey]gateAhead

	once   sync.Once
	points []model.Coming // by the minute, from from to pointsUntil

	rushOnce             sync.Once
	rushFrom, rushPeople int
}

// When a rush is shown.
const (
	rushMinutes = 15
	// rushPeople, or rushPart of the expected if that is more, must be likely to come in it.
	rushPeople = 10
	rushPart   = .2
	// rushIn is the part of all who will come from which, once they are in, a quarter of an hour that begins now is the end of a
	// rush: fewer come from minute to minute.
	rushIn = .5
	// rushAgain is the least part of the densest time that has passed: with fewer ahead, the rush is over.
	rushAgain  = .7
	rushBegun  = .9 // of what is ahead, at which a rush that has begun still is the one: it does not walk with the clock
	rushGoesOn = .5 // of a rush's mean rate, at which people must go on to come in it
	rushSure   = .7 // how likely these minutes are nearly as dense as any
)

// follow sets what a performance's arrivals up to the minute of the figures let expect: the verdict and what is ahead. The
// latter is nil where visitors do not arrive, or nothing is known of how they usually do.
func (v *Evening) follow(s *Show) {
	h := s.Hours()
	if !s.Phase.Open() || !h.CurtainReported || v.Now.Sub(v.At) > answersWithin || !s.Still.Known() || s.Expected.Value == 0 {
		return
	}
	curtain := h.Curtain.Truncate(time.Minute)
	u, tau := v.heldUsual(s.EventFigures), int(v.At.Sub(curtain).Minutes())
	if tau < -verdictFrom && !u.known() {
		return // too early for a verdict, and nothing is made of what is ahead
	}
	var a *ahead
	if late := v.Now.Sub(curtain) > HoldUntil*time.Minute; !late && !s.manyUncounted() {
		var verdict Verdict
		verdict, a = u.judge(s.EventFigures, tau, v.queuesBegan(s, tau)...)
		s.Verdict = v.verdict(s, u.usual, verdict, tau)
		turnedAway := int(math.Round(float64(s.Expected.Value)*(1-u.noShow))) - s.Licensed.Value // nobody waits for those who may not enter
		if s.Licensed.Known() && turnedAway > 0 && s.Verdict.Outside.Value-turnedAway < s.Verdict.Limit {
			s.Verdict = Verdict{}
		}
	}
	if s.Phase != Arriving || !u.known() || tau < -figures.UsualFrom {
		return
	}
	if a == nil {
		a = u.aheadAt(s.EventFigures, tau)
	}
	s.ahead = a
}

// aheadAt returns what the model expects from m minutes after curtain on, of what came before.
func (u *usual) aheadAt(e *figures.EventFigures, m int) *model.Ahead {
	u.curvesOnce.Do(u.findCurves)
	curtain := e.Hours().Curtain.Truncate(time.Minute)
	come := func(m int) float64 {
		return float64(figures.CountBefore(e.ArrivalMinutes, curtain.Add(time.Duration(m)*time.Minute)))
	}
	arrivals, counted := model.NewArrivals(u.curves, float64(e.Expected.Value)), 0.
	for block := -figures.UsualFrom + model.Block; block < m; block += model.Block {
		arrivals.Arrive(block+figures.UsualFrom, come(block)-counted)
		counted = come(block)
	}
	return arrivals.Ahead(m+figures.UsualFrom, come(m)-counted)
}

// by returns how many will have come by m minutes after curtain.
func (a *ahead) by(m int) model.Coming {
	a.once.Do(func() { a.points = a.Course(a.come, a.from+figures.UsualFrom, pointsUntil+figures.UsualFrom) })
	return a.points[min(max(0, m-a.from), len(a.points)-1)]
}

// rush returns what findRush does. Whoever asks knows of the same people until the same moment.
func (a *ahead) rush(minutes []figures.MinuteCount, now time.Time) (from, people int) {
	a.rushOnce.Do(func() { a.rushFrom, a.rushPeople = a.findRush(minutes, now) })
	return a.rushFrom, a.rushPeople
}

// findRush returns the quarter of an hour that is not over in which most come, in minutes after curtain, and how many do; 0 people if
// they are few, if it may as well be at another time, or if it is over. minutes are those in which people came before now.
func (a *ahead) findRush(minutes []figures.MinuteCount, now time.Time) (from, people int) {
	minutes = minutes[:figures.IndexOf(minutes, figures.StampOf(now).Minute())]
	passed := figures.MostIn(minutes, rushMinutes*time.Minute)
	from, people = a.rushAhead(passed)
	begun, n := 0, 0
	for start := a.from - rushMinutes + 1; start < a.from; start++ {
		left := start + rushMinutes - a.from
		within := a.Within(a.from+figures.UsualFrom, a.from+left+figures.UsualFrom)
		coming := within.Quantile(.5)
		all := figures.CountIn(minutes, now, time.Duration(a.from-start)*time.Minute) + int(math.Round(coming))
		if all > n && coming*rushMinutes >= rushGoesOn*float64(all*left) {
			begun, n = start, all
		}
	}
	if float64(n) >= max(rushPeople, rushPart*a.expected, rushBegun*float64(people)) && n >= passed {
		return begun, n
	}
	return from, people
}

// rushAhead returns the quarter of an hour ahead in which most come, as rush does; 0 people, too, if it has begun and most of those who
// will come are in, or if far fewer are ahead than passed, the most who came in a quarter of an hour so far.
func (a *ahead) rushAhead(passed int) (from, people int) {
	from, sure := a.Densest(rushMinutes, pointsUntil+figures.UsualFrom)
	within := a.Within(from, from+rushMinutes)
	n := within.Quantile(.5)
	after := a.After(a.from + figures.UsualFrom)
	ends := from <= a.from+figures.UsualFrom && a.come >= rushIn*(a.come+after.Quantile(.5))
	if sure < rushSure || ends || n < max(rushPeople, rushPart*a.expected, rushAgain*float64(passed)) {
		return 0, 0
	}
	return from - figures.UsualFrom, int(math.Round(n))
}

// usualRush returns the shortest time between two points within which half of those who come do; of several the first. Where
// some have come, nobody else comes; else they come as usual.
func usualRush(points []ArrivalPoint) (from, to time.Time) {
	course := make([]float64, len(points))
	came := slices.ContainsFunc(points, func(p ArrivalPoint) bool { return p.Came > 0 })
	for i, p := range points {
		switch {
		case !came:
			course[i] = p.Median
		case p.Came >= 0:
			course[i] = p.Came
		case i > 0:
			course[i] = course[i-1]
		}
	}
	if first, last, ok := model.ShortestHalf(course); ok {
		return points[first].At, points[last].At
	}
	return from, to
}
