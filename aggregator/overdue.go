package aggregator

import "time"

// graceOverdue is how long after it was due news of a stream counts as one poll missed, and
// then again and again.
const graceOverdue = 20 * time.Second

// overdue is how long news of each stream, by name, is overdue, so that figures which are no longer updated
// are not silently old. It uses our own clock, because the venue's may jump.
type overdue map[string]*dueNews

type dueNews struct {
	due    time.Time
	missed int // polls
}

// expect notes by when a stream's next state should be in the log; zero is no time.
func (o overdue) expect(stream string, due time.Time) {
	if due.IsZero() {
		delete(o, stream)
		return
	}
	o[stream] = &dueNews{due: due}
}

// missed returns how many polls of a stream count as missed.
func (o overdue) missed(stream string) int {
	if d := o[stream]; d != nil {
		return d.missed
	}
	return 0
}

// count counts polls as missed that brought nothing into the log, and reports whether the counts changed.
func (o overdue) count(now time.Time) (changed bool) {
	for _, d := range o {
		missed := 0
		if graces := int(now.Sub(d.due) / graceOverdue); graces > 0 {
			missed = graces + 1 // the first is said at once
		}
		changed = changed || missed != d.missed
		d.missed = missed
	}
	return changed
}

// rises returns when count will find one more, zero for never.
func (o overdue) rises() (at time.Time) {
	for _, d := range o {
		if rise := d.due.Add(time.Duration(max(1, d.missed)) * graceOverdue); at.IsZero() || rise.Before(at) {
			at = rise
		}
	}
	return at
}
