package figures

import "time"

// What is assumed of the times of a performance that are not reported.
const (
	doorsBefore   = time.Hour // the curtain
	assumedLength = 4 * time.Hour
)

// Hours are the times of a performance. One that the service does not report is assumed
// from the others: doors an hour before the curtain, an end four hours after it. All are
// zero where neither doors nor curtain is reported, but for an end that is.
type Hours struct {
	Doors, Curtain, End time.Time
	DoorsReported       bool
	CurtainReported     bool
}

// Hours returns the times of the performance.
func (e *EventFigures) Hours() Hours {
	h := Hours{
		Doors: e.Event.DoorsAt, Curtain: e.Event.StartsAt, End: e.Event.EndsAt,
		DoorsReported: !e.Event.DoorsAt.IsZero(), CurtainReported: !e.Event.StartsAt.IsZero(),
	}
	switch {
	case !h.DoorsReported && !h.CurtainReported:
		return h
	case !h.DoorsReported:
		h.Doors = h.Curtain.Add(-doorsBefore)
	case !h.CurtainReported:
		h.Curtain = h.Doors.Add(doorsBefore)
	}
	if h.End.IsZero() {
		h.End = h.Curtain.Add(assumedLength)
	}
	return h
}
