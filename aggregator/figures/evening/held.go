package evening

import (
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/arriving"
)

// WasHeld reports whether somebody has taken on the alert that advises to hold the start of a performance: its timetable need not hold then.
func (v *Evening) WasHeld(e *figures.EventFigures) bool {
	return slices.ContainsFunc(v.Snapshot.Acknowledged[AlertHold+":"+e.Event.ID], func(k figures.Acknowledgement) bool { return !k.Undone || k.Passed })
}

// heldTo returns until when the start of a performance is held: somebody has taken on the alert that advises it, and the
// time is what was advised then. It is zero if nobody has, or if that time has passed.
func (v *Evening) heldTo(e *figures.EventFigures) time.Time {
	h := e.Hours()
	if !h.CurtainReported || e.Date != v.Day || v.Now.Before(h.Curtain.Add(-arriving.VerdictFrom*time.Minute)) || !v.Now.Before(h.Curtain.Add(arriving.HoldUntil*time.Minute)) {
		return time.Time{}
	}
	curtain := h.Curtain.Truncate(time.Minute)
	var last time.Time
	for _, k := range v.Snapshot.Acknowledged[AlertHold+":"+e.Event.ID] {
		if !k.Undone && k.At.After(last) && !k.At.Before(curtain.Add(-arriving.VerdictFrom*time.Minute)) {
			last = k.At
		}
	}
	if last.IsZero() {
		return time.Time{}
	}
	u := v.heldUsual(e)
	verdict, _ := u.judged.Judge(u.Usual, e, int(last.Sub(curtain).Minutes()))
	if v.Now.Before(verdict.Until) {
		return verdict.Until
	}
	return time.Time{}
}
