package evening

import (
	"cmp"
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
	of := func(part float64) int { return model.Unscanned(s.Inside.Value, scanned, part) }
	s.LeftBand = figures.Band{Low: of(gone.Low), Median: of(gone.Median), High: of(gone.High)}
	return figures.New(of(gone.Median), c)
}

// emptyBy returns when everybody has left a performance at the latest: Calendar.Grace after its end or, while people are scanned out of
// it and leavingFewest or more, and more than a tenth of its visitors, are still inside, exitWindow after the last one who went out. Then
// it is no later than the doors of what is next in its hall: the hall was cleared.
func (v *Evening) emptyBy(e *figures.EventFigures) time.Time {
	closed := v.endOf(e).Add(grace(v.Snapshot.Calendar))
	if v.Now.Before(closed) || !e.EndScanned() && (e.PresentNow.Value < leavingFewest || !v.exits(e).leaving) {
		return closed
	}
	by, out := closed, 0
	for _, m := range e.DepartureMinutes {
		at := time.Unix(60*m.Minute, 0)
		if !at.Before(by) || at.After(v.Now) {
			break
		}
		out += m.Count
		came := figures.CountBefore(e.ArrivalMinutes, at.Add(time.Minute))
		if by = figures.Later(closed, at); came-out >= leavingFewest && 10*(came-out) > came {
			by = figures.Later(closed, at.Add(exitWindow))
		}
	}
	if !by.After(closed) {
		return closed
	}
	if cleared := v.doorsAfter(e); !cleared.IsZero() && cleared.Before(by) {
		return figures.Later(closed, cleared)
	}
	return by
}

// doorsAfter returns when, after the end of a performance, the next doors in its hall open; zero where none is known.
func (v *Evening) doorsAfter(e *figures.EventFigures) (next time.Time) {
	for _, o := range v.Snapshot.Events {
		if doors := o.Hours().Doors; o != e && e.Event.Hall != "" && o.Event.Hall == e.Event.Hall && v.phase(o).GoesAhead() && !doors.Before(ended(e)) && (next.IsZero() || doors.Before(next)) {
			next = doors
		}
	}
	return next
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
