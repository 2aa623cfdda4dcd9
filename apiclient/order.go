package apiclient

import "time"

// newestFirst watches a read of changes for rows that changed before since, which only
// come from a service that does not filter.
type newestFirst struct {
	since    time.Time
	last     time.Time
	disorder bool
	recent   bool // something on this page is not older
}

// older says that a row that changed at a time, if that is ok, did so before since.
func (n *newestFirst) older(at time.Time, ok bool) bool {
	if !ok {
		return false
	}
	if at.IsZero() || !n.last.IsZero() && at.After(n.last) {
		n.disorder = true
	}
	n.last = at
	if at.IsZero() || !at.Before(n.since) {
		n.recent = true
		return false
	}
	return true
}

// restIsOlder, asked at the end of a page, says that all that follows is older: that
// page was, and all pages came newest first.
func (n *newestFirst) pageIsOlder() bool {
	fresh := n.recent
	n.recent = false
	return !fresh && !n.disorder && !n.last.IsZero()
}

// loopDetector finds a list that goes in circles by a page that begins like an earlier one, or
// that has nothing which the page before had not. Whatever the length of a loopDetector, some
// page of it begins like an earlier one; so not every id need be kept.
type loopDetector struct {
	firstKeys map[uint64]bool
	previous  map[uint64]bool
}

// fresh is how many of the rows the page before had not.
func (d *loopDetector) countNew(keys []uint64) (n int) {
	for _, k := range keys {
		if !d.previous[k] {
			n++
		}
	}
	return n
}

func (d *loopDetector) repeats(keys []uint64) bool {
	if d.firstKeys[keys[0]] {
		return true
	}
	d.firstKeys[keys[0]] = true
	now, known := make(map[uint64]bool, len(keys)), true
	for _, k := range keys {
		now[k] = true
		known = known && d.previous[k]
	}
	d.previous = now
	return known
}
