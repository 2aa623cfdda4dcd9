package figures

import (
	"cmp"
	"slices"
	"time"

	"housecount/apiclient/record"
)

// Occupancy is sold / capacity as a fraction; not clipped, over 1 when oversold.
func (e *EventFigures) Occupancy() Figure[float64] { return ofCapacity(e.Sold, e.Capacity) }

func ofCapacity(n, capacity Figure[int]) Figure[float64] {
	c := n.caveat().and(capacity.caveat())
	c.addIf(capacity.Known() && capacity.Value <= 0, Unknown, ReasonNoCapacity)
	return figure(float64(n.Value)/float64(capacity.Value), c)
}

// StillToCome is expected − attendance, not below 0.
func (e *EventFigures) StillToCome() Figure[int] { return Minus(e.Expected, e.Attendance) }

// NoShow is (expected − attendance) / expected, not below 0, once the event has ended
// and where scanning took place (somebody was scanned); Unknown before.
func (e *EventFigures) NoShow(now time.Time) Figure[float64] {
	if !e.over(now) {
		return unknown[float64]()
	}
	still := e.StillToCome()
	c := still.caveat()
	c.addIf(e.Attendance.Known() && e.Attendance.Value == 0, Unknown, ReasonNoScans)
	c.addIf(e.Expected.Known() && e.Expected.Value == 0, Unknown, ReasonNoTickets)
	return figure(float64(still.Value)/float64(e.Expected.Value), c)
}

// over says that the performance has ended: by its status or its hours. One without any
// time is not over.
func (e *EventFigures) over(now time.Time) bool {
	end := e.Hours().End
	return e.Event.Status == record.EventEnded || !end.IsZero() && !now.Before(end)
}

// EntriesIn counts entries over all gates in (now − window, now], by whole minutes.
func (e *EventFigures) EntriesIn(now time.Time, window time.Duration) int {
	sum := 0
	for i := range e.Gates {
		sum += e.Gates[i].EntriesIn(now, window)
	}
	return sum
}

// SoldIn is the velocity: places sold minus cancelled in (now − window, now], by whole
// minutes.
func (e *EventFigures) SoldIn(now time.Time, window time.Duration) int {
	return countIn(e.SoldMinutes, now, window)
}

// EntriesIn counts the gate's entries in (now − window, now], by whole minutes.
func (g *GateFigures) EntriesIn(now time.Time, window time.Duration) int {
	return countIn(g.Minutes, now, window)
}

// LastEntry is the minute of the gate's last entry, zero when there was none.
func (g *GateFigures) LastEntry() time.Time {
	if len(g.Minutes) == 0 {
		return time.Time{}
	}
	return time.Unix(g.Minutes[len(g.Minutes)-1].Minute*60, 0)
}

// countIn sums the minutes up to that of now, as many as the window has.
func countIn(minutes []MinuteCount, now time.Time, window time.Duration) int {
	last := stampOf(now).minute()
	first := last - int64(window/time.Minute) + 1
	i, _ := slices.BinarySearchFunc(minutes, first, func(m MinuteCount, minute int64) int {
		return cmp.Compare(m.Minute, minute)
	})
	sum := 0
	for ; i < len(minutes) && minutes[i].Minute <= last; i++ {
		sum += minutes[i].Count
	}
	return sum
}

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
