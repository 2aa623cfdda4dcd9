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
}

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

// rush returns when most come while people arrive, and how many do: those who did and those who will. It is zero where there is no rush,
// and where it is over.
func (v *Evening) rush(s *Show, u *heldUsual) (from, to time.Time, people int) {
	curtain, until := s.Hours().Curtain.Truncate(time.Minute), pointsUntil+figures.UsualFrom
	at := func(m int) time.Time { return curtain.Add(time.Duration(m-figures.UsualFrom) * time.Minute) }
	now := min(until, int(v.At.Sub(at(0)).Minutes()))
	r := u.judged.rushUntil(u.usual, s.EventFigures, now-(now+at(0).Minute())%model.RushStep)
	if r.From == r.To || r.To <= now {
		return from, to, 0
	}
	from, to = at(r.From), at(r.To)
	coming := s.ahead.Within(max(r.From, now), r.To)
	people = int(math.Round(coming.Quantile(.5)))
	if r.From < now {
		people += figures.CountBefore(s.ArrivalMinutes, at(now)) - figures.CountBefore(s.ArrivalMinutes, from)
	}
	return from, to, people
}

// usualRush returns the shortest time between two points within which half of those who come do, in whole steps by the clock; of several
// the first. Where some have come, nobody else comes; else they come as usual.
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
		const step = model.RushStep * time.Minute
		return points[first].At.Truncate(step), points[last].At.Add(step - 1).Truncate(step)
	}
	return from, to
}
