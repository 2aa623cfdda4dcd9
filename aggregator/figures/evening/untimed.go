package evening

import (
	"cmp"
	"time"

	"housecount/aggregator/figures"
)

// Untimed reports whether neither doors nor curtain of the performance are known, nor can be assumed. It lasts its day, from
// cut-off to cut-off; one without a date is where people were scanned today.
func Untimed(e *figures.EventFigures) bool { return e.Hours().Doors.IsZero() }

// enteredToday returns how many entries there were today, up to now, over all gates.
func (v *Evening) enteredToday(e *figures.EventFigures) (n int) {
	from, until := figures.StampOf(v.Snapshot.Calendar.Start(v.Today)).Minute(), figures.StampOf(v.Now).Minute()+1
	for _, g := range e.Gates {
		n += figures.Total(g.Minutes[figures.IndexOf(g.Minutes, from):figures.IndexOf(g.Minutes, until)])
	}
	return n
}

// openedEarly reports whether so many people are inside a performance of today before its doors that these have opened: its
// start was moved while they came, or the time of the doors is assumed. A few scans before the doors are tests of the scanners.
func (v *Evening) openedEarly(e *figures.EventFigures, h figures.Hours) bool {
	return e.Date == v.Today && v.Now.Before(h.Doors) && e.PresentNow.Known() && min(e.PresentNow.Value, v.enteredToday(e)) >= earlyPeople
}

// earlyPeople is how many people inside before the doors say that these are open.
const earlyPeople = 10

// cameToday reports whether somebody was scanned in today for a performance of today, or of no known date.
func (v *Evening) cameToday(e *figures.EventFigures) bool {
	return (e.Date == v.Today || e.Date == "") && v.enteredToday(e) > 0
}

// endOf returns when a performance ended: of one without any time at the end of its day.
func (v *Evening) endOf(e *figures.EventFigures) time.Time {
	if end := ended(e); !end.IsZero() {
		return end
	}
	return v.Snapshot.Calendar.Start(cmp.Or(e.Date, v.Today).Add(1))
}
