package evening

import (
	"cmp"
	"math"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/model"
)

// left returns an estimate of how many people have left a performance since its end without a scan, if people are not
// scanned out as they leave (see exits). They leave as people did at those doors of the house where exits are scanned. If
// there are none, half leave within Calendar.HalfLeft and 98 of 100 within three times as long: the part still inside
// after t is 2^-(t/HalfLeft)^1.5. Those who are scanned out all the same are among those who have left.
func (v *Evening) left(s *Show) figures.Figure[int] {
	if !s.Leaving || !s.Inside.Known() || s.exits.leaving {
		return figures.NotKnown[int]()
	}
	c := s.Inside.Caveat()
	c.Add(figures.Estimated, figures.ReasonLeft)
	end := ended(s.EventFigures)
	scanned := departedSince(s.EventFigures, end)
	gone := v.gone(v.Now.Sub(end))
	of := func(part float64) int { return unscanned(s.Inside.Value, scanned, part) }
	s.LeftBand = figures.Band{Low: of(gone.Low), Median: of(gone.Median), High: of(gone.High)}
	return figures.New(of(gone.Median), c)
}

// emptyBy returns when everybody has left a performance at the latest: Calendar.Grace after its end or, while people are scanned out of
// it and leavingFewest or more, and more than a tenth of its visitors, are still inside, exitWindow after the last one who went out.
func (v *Evening) emptyBy(e *figures.EventFigures) time.Time {
	by, out := v.endOf(e).Add(grace(v.Snapshot.Calendar)), e.DepartureMinutes
	if v.Now.Before(by) || len(out) == 0 || e.PresentNow.Value < leavingFewest || e.EndScanned() || !v.exits(e).leaving {
		return by
	}
	last := time.Unix(60*out[len(out)-1].Minute, 0)
	return figures.Later(by, figures.Earlier(last, v.Now).Add(exitWindow))
}

// unscanned returns how many of the people inside have left without a scan, if a part of those who were inside at the end
// has left and some of them were scanned out.
func unscanned(inside, scanned int, gone float64) int {
	return min(inside, max(0, int(math.Round(float64(inside+scanned)*gone))-scanned))
}

// gone returns what part of the people inside at an end has left after a time.
func (v *Evening) gone(past time.Duration) model.Left {
	if known := v.emptying(); known != nil {
		return known.After(past)
	}
	return model.LeftByHalves(past, cmp.Or(v.Snapshot.Calendar.HalfLeft, usualHalfLeft))
}

// emptying returns how the house empties; nil if there are too few performances.
func (v *Evening) emptying() *model.Emptying {
	_, all := v.past("")
	v.history.emptyingOnce.Do(func() { v.history.emptying = model.EmptyingOf(all, ended) })
	return v.history.emptying
}
