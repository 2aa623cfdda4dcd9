package aggregator

import "time"

// graceOverdue is after what delay a stream's overdue state counts as a missed poll, and then as another one each
// time.
const graceOverdue = 20 * time.Second

// overdue tracks which streams' next states are overdue, by name, so that figures that are no longer updated do
// not look current. It uses our own clock, because the venue's may jump.
type overdue map[string]*dueNews

type dueNews struct {
	due    time.Time
	missed int // polls
}

// setDue stores by when a stream's next state should be in the log; zero for no time.
func (o overdue) setDue(stream string, due time.Time) {
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

// count counts missed polls and reports whether the counts changed.
func (o overdue) count(now time.Time) (changed bool) {
	for _, d := range o {
		missed := 0
		if graces := int(now.Sub(d.due) / graceOverdue); graces > 0 {
			missed = graces + 1 // the first one counts at once
		}
		changed = changed || missed != d.missed
		d.missed = missed
	}
	return changed
}

// rises returns when the next poll will count as missed; zero for never.
func (o overdue) rises() (at time.Time) {
	for _, d := range o {
		if rise := d.due.Add(time.Duration(max(1, d.missed)) * graceOverdue); at.IsZero() || rise.Before(at) {
			at = rise
		}
	}
	return at
}
