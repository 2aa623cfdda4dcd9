package evening

import (
	"math"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/arriving"
	"housecount/aggregator/figures/evening/model"
)

// follow sets what a performance's arrivals up to the minute of the figures let expect: the verdict and what is ahead. The
// latter is nil where visitors do not arrive, or nothing is known of how they usually do; after the curtain it stands as long as a verdict does.
func (v *Evening) follow(s *Show) {
	h := s.Hours()
	if !s.Phase.Open() || !h.CurtainReported || v.Now.Sub(v.At) > answersWithin || !s.Still.Known() || s.Expected.Value == 0 {
		return
	}
	curtain := h.Curtain.Truncate(time.Minute)
	u, tau := v.heldUsual(s.EventFigures), int(v.At.Sub(curtain).Minutes())
	if tau < -arriving.VerdictFrom && !u.Known() {
		return // too early for a verdict, and nothing is made of what is ahead
	}
	var a *arriving.Ahead
	if !s.LateOver && !s.manyUncounted() && v.At.Sub(figures.Later(h.Curtain, s.Held)) < lateFor+lateQuiet {
		var verdict arriving.Verdict
		verdict, a = u.judged.Judge(u.Usual, s.EventFigures, tau, v.queuesBegan(s, tau)...)
		switch {
		case verdict.Call == arriving.Hold && v.Now.Sub(curtain) > arriving.HoldUntil*time.Minute, // nobody is waited for any more
			s.Phase == Running && (verdict.Call == arriving.OnTime || verdict.Call == arriving.Unsure): // by the figures of the minute before the curtain
			verdict.Call = arriving.Begun
		}
		s.Verdict = v.verdict(s, u.Usual, verdict)
		turnedAway := int(math.Round(float64(s.Expected.Value)*(1-u.NoShow))) - s.Licensed.Value // nobody waits for those who may not enter
		if verdict.Call != arriving.Begun && s.Licensed.Known() && turnedAway > 0 && s.Verdict.Outside.Value-turnedAway < s.Verdict.Limit {
			s.Verdict = arriving.Verdict{}
		}
	}
	if s.Phase != Arriving && (s.Verdict.Call == arriving.NoCall || tau > arriving.PointsUntil) || !u.Known() || tau < -figures.UsualFrom {
		return
	}
	if a == nil {
		a = u.judged.AheadAt(u.Usual, s.EventFigures, tau)
	}
	s.ahead = a
}

// rush returns when most come while people arrive, and how many do: those who did and those who will. It is zero where there is no rush,
// and where it is over.
func (v *Evening) rush(s *Show, u *heldUsual) (from, to time.Time, people int) {
	curtain, until := s.Hours().Curtain.Truncate(time.Minute), arriving.PointsUntil+figures.UsualFrom
	at := func(m int) time.Time { return curtain.Add(time.Duration(m-figures.UsualFrom) * time.Minute) }
	now := min(until, int(v.At.Sub(at(0)).Minutes()))
	r := u.judged.RushUntil(u.Usual, s.EventFigures, now-(now+at(0).Minute())%model.RushStep)
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

// densestHalf returns the shortest time between two points within which half of those who come do, in whole steps by the clock; of
// several the first. It is of those who came, where anybody did, and else as usual.
func densestHalf(points []ArrivalPoint) (from, to time.Time, came bool) {
	course := make([]float64, len(points))
	came = slices.ContainsFunc(points, func(p ArrivalPoint) bool { return p.Came > 0 })
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
		return points[first].At.Truncate(step), points[last].At.Add(step - 1).Truncate(step), came
	}
	return from, to, false
}
