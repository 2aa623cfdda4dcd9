package evening

import (
	"math"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/arriving"
)

// answersWithin is how old the figures may be, because people who came in since then are not outside.
const answersWithin = 3 * time.Minute

// verdict completes what was judged of a performance.
func (v *Evening) verdict(s *Show, u *arriving.Usual, verdict arriving.Verdict) arriving.Verdict {
	if verdict.Call == arriving.NoCall {
		return verdict
	}
	c := s.Still.Caveat()
	if u.Known() {
		c.Add(figures.Estimated, figures.ReasonArrivals)
	} else {
		c.Add(figures.Estimated, figures.ReasonNoHistory)
	}
	verdict.NoShow, verdict.Basis, verdict.Past = u.NoShow, u.Basis, len(u.Nights)
	verdict.Usual = int(math.Round(u.Outside(float64(s.Expected.Value))))
	verdict.Rate = float64(figures.CountIn(s.ArrivalMinutes, v.At, arriving.RateOver)) / arriving.RateOver.Minutes()
	verdict.HoldFrom = u.HoldFrom()
	verdict.Limit = int(u.Limit(float64(s.Expected.Value))) + 1
	verdict.Outside = figures.New(verdict.Outside.Value, c)
	return verdict
}

// manyUncounted reports whether so many who came may not be counted that nobody is to be told that they are still outside:
// while tickets or scans are read for the first time, and where more are refused than may be late.
func (s *Show) manyUncounted() bool {
	for _, r := range s.Arrived.Reasons {
		if r == figures.ReasonScansPartial || r == figures.ReasonTicketsIncomplete {
			return true
		}
	}
	return s.RefusedVisits > max(arriving.ToleratedPeople, int(arriving.ToleratedPart*float64(s.Expected.Value)))
}
