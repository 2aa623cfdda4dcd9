package apiclient

import "time"

// newestFirst checks, for a service that does not filter changes, whether the rows come newest
// first and which changed before since.
type newestFirst struct {
	since    time.Time
	last     time.Time
	disorder bool
	recent   bool // a row on this page changed at or after since
}

// older reports whether a row that changed at a time changed before since. ok is false if the time
// is unknown.
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

// pageIsOlder is called at the end of a page. It reports whether the rest of the list is older than
// since: every row of the page was, and all pages so far were sorted newest first.
func (n *newestFirst) pageIsOlder() bool {
	fresh := n.recent
	n.recent = false
	return !fresh && !n.disorder && !n.last.IsZero()
}

// loopDetector detects a list that repeats: a page begins like an earlier one, or has no row that
// the previous page did not have. In a loop of any length some page begins like an earlier one, so
// the ids of two pages and the first id of each page are enough.
type loopDetector struct {
	firstKeys map[uint64]bool
	previous  map[uint64]bool
}

// countNew returns how many of the rows were not on the previous page.
func (d *loopDetector) countNew(keys []uint64) (n int) {
	for _, k := range keys {
		if !d.previous[k] {
			n++
		}
	}
	return n
}

// repeats reports whether a page with these rows repeats an earlier one.
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
