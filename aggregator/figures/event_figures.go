package figures

import (
	"cmp"
	"slices"
	"time"
)

// Occupancy is sold / capacity as a fraction; not clipped, over 1 when oversold.
func (e *EventFigures) Occupancy() Figure[float64] { return ofCapacity(e.Sold, e.Capacity) }

// PaidOccupancy is paid / capacity, as Occupancy is.
func (e *EventFigures) PaidOccupancy() Figure[float64] { return ofCapacity(e.Paid, e.Capacity) }

func ofCapacity(n, capacity Figure[int]) Figure[float64] {
	c := n.caveat().and(capacity.caveat())
	c.addIf(capacity.Known() && capacity.Value <= 0, Unknown, ReasonNoCapacity)
	return figure(float64(n.Value)/float64(capacity.Value), c)
}

// EntriesIn counts the gate's entries in [end − length, end), as countIn does.
func (g *GateFigures) EntriesIn(end time.Time, length time.Duration) int {
	return countIn(g.Minutes, end, length)
}

// LastEntry is the minute of the gate's last entry, zero when there was none.
func (g *GateFigures) LastEntry() time.Time {
	if len(g.Minutes) == 0 {
		return time.Time{}
	}
	return time.Unix(g.Minutes[len(g.Minutes)-1].Minute*60, 0)
}

// lastSale is the minute in which places were last sold or cancelled, zero when none ever were.
func (e *EventFigures) lastSale() time.Time {
	if len(e.SoldMinutes) == 0 {
		return time.Time{}
	}
	return time.Unix(e.SoldMinutes[len(e.SoldMinutes)-1].Minute*60, 0)
}

// voidGuessedIn says that a ticket was voided in the window [end − length, end) by a guess.
func (e *EventFigures) voidGuessedIn(end time.Time, length time.Duration) bool {
	until := stampOf(end).minute()
	from := until - int64(length/time.Minute)
	for _, d := range slices.Backward(e.SaleDays) {
		if slices.ContainsFunc(d.minutes, func(r timedRow) bool {
			return r.measure() == voidsGuessed && int64(r.at()) >= from && int64(r.at()) < until
		}) {
			return true
		}
		if int64(d.minutes[0].at()) < from {
			break
		}
	}
	return false
}

// countIn sums the whole minutes of the window [end − length, end). The minute that end is in has
// only begun and is not among them: counted as a whole one it would make every rate too low.
func countIn(minutes []MinuteCount, end time.Time, length time.Duration) int {
	until := stampOf(end).minute()
	return total(minutes[indexOf(minutes, until-int64(length/time.Minute)):indexOf(minutes, until)])
}

// countBefore sums the whole minutes before that of end.
func countBefore(minutes []MinuteCount, end time.Time) int {
	return total(minutes[:indexOf(minutes, stampOf(end).minute())])
}

// indexOf is where a minute is among those that are counted, or would be.
func indexOf(minutes []MinuteCount, minute int64) int {
	i, _ := slices.BinarySearchFunc(minutes, minute, func(m MinuteCount, minute int64) int {
		return cmp.Compare(m.Minute, minute)
	})
	return i
}

func total(minutes []MinuteCount) (sum int) {
	for _, m := range minutes {
		sum += m.Count
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

// Interval is when the performance has its interval, as the service reports it: nothing is assumed. It
// is false where none is reported, or one that is not within the performance's own hours.
func (e *EventFigures) Interval() (from, to time.Time, ok bool) {
	h := e.Hours()
	from, to = e.Event.IntervalStartsAt, e.Event.IntervalEndsAt
	ok = !from.IsZero() && from.Before(to) && !h.Curtain.IsZero() && !from.Before(h.Curtain) && !to.After(h.End)
	return from, to, ok
}

// Opening is when the doors open or, where that is not reported, the curtain: an assumed time is
// for counting, and nobody is told to be there by it.
func (h Hours) Opening() (at time.Time, reported bool) {
	if h.DoorsReported {
		return h.Doors, true
	}
	return h.Curtain, false
}
