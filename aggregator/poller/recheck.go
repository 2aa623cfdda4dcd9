package poller

import "time"

const (
	// recheckFirst is the wait after the second reading of a doubtful time, and recheckLast the longest; it doubles
	// in between. It is at least recheckShare times as long as the reading took.
	recheckFirst = 15 * time.Second
	recheckLast  = time.Hour
	recheckShare = 10
)

// recheck is when a stream's doubtful time is read again. A record that was refused or damaged comes again in the
// overlap for a while only, so the changes since then are read again: with the next poll, and then ever more rarely, until
// nothing in them is refused or the list has been read whole. What was taken for sound in the same answers is read
// again with it.
type recheck struct {
	at       time.Time // monotonic
	wait     time.Duration
	rechecks bool // the current read does so
}

// changesFrom returns the time from which on changes are due to be read.
func (s *stream) changesFrom() time.Time {
	s.rechecks = !s.state.Doubted.IsZero() && !time.Now().Before(s.recheck.at)
	if s.rechecks && s.state.Doubted.Before(s.state.Since) {
		return s.state.Doubted
	}
	return s.state.Since
}

// doubt records what a successful read says about the doubtful time, and returns since when changes are doubted after
// it; zero for none.
func (t *tenure) doubt(s *stream, read *readResult) (since time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := &s.recheck
	switch since = s.state.Doubted; {
	case read.from.IsZero(): // read whole, or nothing to read again from
		return time.Time{}
	case read.whole:
		r.wait, r.at = 0, time.Now()
		return read.from
	case read.refused && since.IsZero():
		r.wait, r.at = 0, time.Now()
		return read.from
	case read.refused && r.rechecks:
		r.wait = min(max(2*r.wait, recheckFirst, recheckShare*read.took), recheckLast)
		r.at = time.Now().Add(r.wait)
	case r.rechecks:
		s.refused.forgetSince(read.from.Add(-overlap))
		return time.Time{}
	}
	return since
}

// beforeRecheck returns how long to wait for the next poll: wait, or less if the doubtful time is to be read again.
func (t *tenure) beforeRecheck(s *stream, wait time.Duration) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.state.Doubted.IsZero() {
		return wait
	}
	return min(wait, max(time.Until(s.recheck.at), t.Cadence.Busy, s.Every))
}
