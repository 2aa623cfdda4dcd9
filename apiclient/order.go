package apiclient

import "time"

// newestFirst watches a read of changes for rows that changed before since, which only
// come from a service that does not filter.
type newestFirst struct {
	since    time.Time
	last     time.Time
	disorder bool
	fresh    bool // something on this page is not older
}

// older says that a row that changed at a time, if that is ok, did so before since.
func (o *newestFirst) older(at time.Time, ok bool) bool {
	if !ok {
		return false
	}
	if at.IsZero() || !o.last.IsZero() && at.After(o.last) {
		o.disorder = true
	}
	o.last = at
	if at.IsZero() || !at.Before(o.since) {
		o.fresh = true
		return false
	}
	return true
}

// restIsOlder, asked at the end of a page, says that all that follows is older: that
// page was, and all pages came newest first.
func (o *newestFirst) restIsOlder() bool {
	fresh := o.fresh
	o.fresh = false
	return !fresh && !o.disorder && !o.last.IsZero()
}

// loopDetector finds a list that goes in circles by a page that begins like an earlier one, or
// that has nothing which the page before had not. Whatever the length of a loopDetector, some
// page of it begins like an earlier one; so not every id need be kept.
type loopDetector struct {
	begins map[uint64]bool
	before map[uint64]bool
}

// fresh is how many of the rows the page before had not.
func (c *loopDetector) fresh(keys []uint64) (n int) {
	for _, k := range keys {
		if !c.before[k] {
			n++
		}
	}
	return n
}

func (c *loopDetector) closes(keys []uint64) bool {
	if c.begins[keys[0]] {
		return true
	}
	c.begins[keys[0]] = true
	now, known := make(map[uint64]bool, len(keys)), true
	for _, k := range keys {
		now[k] = true
		known = known && c.before[k]
	}
	c.before = now
	return known
}
