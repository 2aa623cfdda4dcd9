package evening

import (
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/arriving"
	"housecount/aggregator/figures/evening/model"
	"housecount/apiclient/record"
)

// Whether the people inside are counted or only the most that there may be depends on whether everybody who leaves is
// scanned out. The last evenings of a hall decide it, because then everybody has left: exits are scanned if they were on
// the larger part of those evenings. Where too few are known, tonight's own exits do. Exits that stay away when people
// left on those evenings say that nobody is scanned out tonight.
const (
	// exitNights is the most past performances that decide.
	exitNights = 10
	// comesBack is for how long somebody who went out before the end may come back.
	comesBack = 30 * time.Minute
	// Exits are missing if fewer than one in missingPart went out of those who should have, leavingFewest at least.
	missingPart   = 4
	leavingFewest = 8
	// exitWindow is the time in which they should have, and exitStep the time between two windows.
	exitWindow = time.Hour
	exitStep   = 5 * time.Minute
)

// exits is how far people are scanned out of a performance.
type exits struct {
	counted bool // the people inside are counted; otherwise they are the most that there may be
	leaving bool // people are scanned out as they leave after the end
	due     bool // Show.DueToEnd
}

// exits returns how far people are scanned out of a performance up to now.
func (v *Evening) exits(e *figures.EventFigures) exits {
	if e.EndScanned() {
		return exits{counted: true, leaving: true}
	}
	nights := v.exitNights(e)
	if len(nights) < model.EmptyingNights {
		counted := v.wentForGood(e)
		return exits{counted, counted && !v.nobodyLeaves(e), counted && v.nobodyOut(e)}
	}
	scanned := slices.DeleteFunc(slices.Clone(nights), func(e *figures.EventFigures) bool { return !e.EndScanned() })
	counted := 2*len(scanned) > len(nights) && !v.exitsMissing(e, scanned)
	return exits{counted, counted, counted && v.nobodyOut(e)}
}

const (
	// dueFor is how long after its hours a performance from which nobody is scanned out may still be on: later than that who leaves
	// is not scanned.
	dueFor = 15 * time.Minute
	// fewOut is how many who went out show that it is over, or a tenth of those inside where that is fewer, two at least. Of fewer than
	// leavingFewest inside nothing is said: the others have left.
	fewOut = 8
)

// nobodyOut reports whether a performance is over by its hours alone, for dueFor at most, and hardly anybody has been scanned out since. It
// is due to end only while the people inside are counted: an estimate of who has left says that it is over.
func (v *Evening) nobodyOut(e *figures.EventFigures) bool {
	end := e.Hours().End
	if v.phase(e) != Over || e.PresentNow.Value < leavingFewest || e.Event.Status == record.EventEnded || v.Now.Before(end) || v.Now.Sub(end) >= dueFor {
		return false
	}
	return departedSince(e, end) < min(fewOut, max(2, e.PresentNow.Value/10))
}

// exitNights returns the last performances like one in its hall or, if those are too few, the last ones in its hall.
func (v *Evening) exitNights(e *figures.EventFigures) []*figures.EventFigures {
	nights, _ := v.past(e.Event.Hall)
	if u := v.usualArrivals(e); u.Basis == arriving.OfComparables {
		var alike []*figures.EventFigures
		for _, n := range u.Nights {
			if n.Event.Hall == e.Event.Hall {
				alike = append(alike, n.EventFigures)
			}
		}
		if len(alike) >= model.EmptyingNights {
			slices.SortFunc(alike, func(a, b *figures.EventFigures) int { return b.Hours().Curtain.Compare(a.Hours().Curtain) })
			nights = alike
		}
	}
	return nights[:min(len(nights), exitNights)]
}

// wentForGood reports whether tonight's own exits show that people are scanned out at every gate, by those who will not
// come back: a tenth of the visitors, who left comesBack ago or after the end.
func (v *Evening) wentForGood(e *figures.EventFigures) bool {
	gone := figures.CountBefore(e.DepartureMinutes, v.Now.Add(-comesBack))
	if end := figures.Later(ended(e), v.Now.Add(-comesBack)); v.phase(e) == Over {
		gone += departedSince(e, end)
	}
	return e.ExitsScanned() && gone*10 >= e.Attendance.Value
}

// departedSince returns how many people went out since a time and did not come back.
func departedSince(e *figures.EventFigures, at time.Time) int {
	return figures.Total(e.DepartureMinutes[figures.IndexOf(e.DepartureMinutes, figures.StampOf(at).Minute()):])
}

// nobodyLeaves reports whether hardly anybody was scanned out since the end of a performance, though even in a house
// that empties slowly people have left by now.
func (v *Evening) nobodyLeaves(e *figures.EventFigures) bool {
	end := ended(e)
	if v.phase(e) != Over || !v.At.After(end) {
		return false
	}
	out := departedSince(e, end)
	should := float64(e.PresentNow.Value+out) * v.gone(v.At.Sub(end)).Low
	return should >= leavingFewest && float64(out*missingPart) < should
}

// exitsMissing reports whether there was an hour in which people should have left, as they did at past performances, and
// hardly anybody was scanned out. After the end only the last hour counts: then those who leave late make up for it.
func (v *Evening) exitsMissing(e *figures.EventFigures, past []*figures.EventFigures) bool {
	missing := func(at time.Time) bool {
		should := shouldLeave(e, past, at)
		return should >= leavingFewest && float64(figures.CountIn(e.DepartureMinutes, at, exitWindow)*missingPart) < should
	}
	switch {
	case v.At.IsZero():
		return false
	case missing(v.At):
		return true
	}
	last := figures.Earlier(v.At, ended(e))
	for at := last.Truncate(exitStep); at.After(e.Hours().Doors) && last.Sub(at) < longestCrowd; at = at.Add(-exitStep) {
		if missing(at) {
			return true
		}
	}
	return false
}

// shouldLeave returns how many visitors of a performance should have left in the exitWindow before a time: what nine in ten of the
// past performances had, as a part of their visitors, at that time from their end and, before the end, also from their curtain.
func shouldLeave(e *figures.EventFigures, past []*figures.EventFigures, at time.Time) float64 {
	end := ended(e)
	parts := make([]float64, len(past))
	for i, p := range past {
		left := figures.CountIn(p.DepartureMinutes, ended(p).Add(at.Sub(end)), exitWindow)
		if at.Before(end) {
			left = min(left, figures.CountIn(p.DepartureMinutes, p.Hours().Curtain.Add(at.Sub(e.Hours().Curtain)), exitWindow))
		}
		parts[i] = float64(left) / float64(max(1, p.Attendance.Value))
	}
	slices.Sort(parts)
	return model.Quantile(parts, .1) * float64(e.Attendance.Value)
}

// Present returns PresentNow: while people are inside with how certain that is as their number, which Inside follows too.
func (s *Show) Present() figures.Figure[int] {
	if !s.HasPeople() {
		return s.PresentNow
	}
	return s.inside()
}

// inside returns PresentNow with how certain it is as the number of people inside. While scans are behind, exits may be
// among those that are missing.
func (s *Show) inside() figures.Figure[int] {
	e, present := s.EventFigures, s.PresentNow
	if e.Date == "" { // whoever came on an earlier day and was not scanned out has left
		present.Value = min(present.Value, s.entered)
	}
	if !present.Known() || e.Attendance.Value == 0 || slices.Contains(present.Reasons, figures.ReasonBehind) {
		return present
	}
	c := figures.Caveat{Quality: present.Quality}
	for _, r := range present.Reasons {
		if r != figures.ReasonNoExits {
			c.Reasons = append(c.Reasons, r)
		}
	}
	if s.exits.counted {
		if len(c.Reasons) == 0 {
			c.Quality = figures.Exact
		}
		return figures.New(present.Value, c)
	}
	c.Add(figures.Estimated, figures.ReasonNoExits)
	if c.Quality == figures.LowerBound { // people may have left as well as come
		c.Quality = figures.Estimated
	}
	return figures.New(present.Value, c)
}
