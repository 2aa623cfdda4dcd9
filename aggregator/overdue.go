package aggregator

import (
	"time"
)

// graceOverdue is how long after it was due news of a stream counts as one poll missed, and
// then again and again.
const graceOverdue = 20 * time.Second

// overdue is how long news of a stream has been due, by our own clock: the venue's may jump.
type overdue struct {
	due    time.Time
	missed int // polls
}

// expect notes by when a stream's next state should be in the log.
func (f *Figures) expect(s StreamState) {
	if s.Next.IsZero() {
		delete(f.overdue, s.Name)
		return
	}
	f.overdue[s.Name] = &overdue{due: time.Now().Add(max(0, s.Next.Sub(f.now())))}
}

// lookForOverdue counts polls of which nothing has come into the log as missed, so that
// figures which nobody renews are not silently old.
func (f *Figures) lookForOverdue() {
	changed := false
	for _, o := range f.overdue {
		missed := int(time.Since(o.due) / graceOverdue)
		if missed > 0 {
			missed++ // the first is said at once
		}
		changed = changed || missed != o.missed
		o.missed = missed
	}
	if changed {
		f.pending.any = true
		f.publish()
	}
}
