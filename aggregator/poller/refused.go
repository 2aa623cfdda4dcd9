package poller

import (
	"maps"
	"slices"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

const (
	// maxRefused is the most refused records of a stream that are listed: the list is written
	// with every poll.
	maxRefused = 200
	// maxRefusedEvents is the most events by which the others of a kind are counted; those of
	// further ones are counted together.
	maxRefusedEvents = 2000
)

// refusals are the records of a stream that were refused and have not come in order since.
type refusals struct {
	list       []aggregator.RefusedRecord // the oldest first
	lastSeen   map[refusedKey]int         // those of list, with the whole read in, or after, which each came last
	unlisted   eventCounts                // those that found no room on it
	whole      int                        // whole reads begun
	sinceWhole readCounts                 // since the last began
	logged     int
}

// refusedKey tells refused records apart, as far as they can be: event is only told of those
// without an id.
type refusedKey struct {
	kind  record.Kind
	id    string
	event string
}

func keyOf(one aggregator.RefusedRecord) refusedKey {
	if one.ID != "" {
		return refusedKey{kind: one.Kind, id: one.ID}
	}
	return refusedKey{kind: one.Kind, event: one.EventID}
}

// tally counts records by their kind and event. A record that comes with every read is one: so
// those of one read are counted, and the most of any read is kept.
type eventCounts map[record.Kind]map[string]int

// add counts a record of a read, and returns the event by which it is counted and the number.
func (counts eventCounts) add(kind record.Kind, event string) (by string, n int) {
	if counts[kind] == nil {
		counts[kind] = map[string]int{}
	}
	if _, known := counts[kind][event]; !known && len(counts[kind]) >= maxRefusedEvents {
		event = figures.OtherEvents
	}
	counts[kind][event]++
	return event, counts[kind][event]
}

// raise makes a number at least n, and says whether it was less.
func (counts eventCounts) raise(kind record.Kind, event string, n int) bool {
	if n <= counts[kind][event] {
		return false
	}
	if counts[kind] == nil {
		counts[kind] = map[string]int{}
	}
	counts[kind][event] = n
	return true
}

func (counts eventCounts) clone() eventCounts {
	o := eventCounts{}
	for kind, events := range counts {
		o[kind] = maps.Clone(events)
	}
	return o
}

// counted are those of a read that are not listed one by one: those without an id, and those
// that found no room on the list.
type readCounts struct{ unnamed, unlisted eventCounts }

func newReadCounts() readCounts { return readCounts{eventCounts{}, eventCounts{}} }

func newRefusals(s aggregator.StreamState) refusals {
	r := refusals{list: slices.Clone(s.Refused), lastSeen: map[refusedKey]int{}, sinceWhole: newReadCounts(), unlisted: eventCounts(s.Unlisted).clone()}
	for _, one := range r.list {
		r.lastSeen[keyOf(one)] = 0
	}
	return r
}

// stored is what goes into the log.
func (r *refusals) stored() (list []aggregator.RefusedRecord, unlisted map[record.Kind]map[string]int) {
	if len(r.unlisted) > 0 {
		unlisted = r.unlisted.clone()
	}
	return slices.Clone(r.list), unlisted
}

// add takes up a record that was refused in a read of which came counts those that are not
// listed one by one, and says whether it is one more.
func (r *refusals) add(one aggregator.RefusedRecord, came readCounts) (more bool) {
	key := keyOf(one)
	_, known := r.lastSeen[key]
	if !known && len(r.list) >= maxRefused {
		event, n := came.unlisted.add(one.Kind, one.EventID)
		r.sinceWhole.unlisted.raise(one.Kind, event, n)
		return r.unlisted.raise(one.Kind, event, n)
	}
	if !known {
		r.list = append(r.list, aggregator.RefusedRecord{})
	}
	r.lastSeen[key] = r.whole
	listed := &r.list[len(r.list)-1]
	if known {
		listed = &r.list[r.index(key)]
	}
	if one.ID == "" {
		_, n := came.unnamed.add(one.Kind, one.EventID)
		r.sinceWhole.unnamed.raise(one.Kind, one.EventID, n)
		one.Count = max(listed.Count, n)
	}
	more = !known || one.Count > listed.Count
	*listed = one
	return more
}

// without is r without those that came in order; r is left as it was.
func (r refusals) excluding(records []record.Record) refusals {
	copied := false
	for _, one := range records {
		key := refusedKey{kind: one.RecordKind(), id: one.RecordID()}
		if _, known := r.lastSeen[key]; !known {
			continue
		}
		if !copied {
			r.list, r.lastSeen, copied = slices.Clone(r.list), maps.Clone(r.lastSeen), true
		}
		i := r.index(key)
		r.list = slices.Delete(r.list, i, i+1)
		delete(r.lastSeen, key)
	}
	return r
}

// beginWhole says that a read of everything begins.
func (r *refusals) beginWhole() {
	r.whole++
	r.sinceWhole = newReadCounts()
}

// some says that there are any.
func (r *refusals) any() bool { return len(r.list)+len(r.unlisted) > 0 }

// gone says that some of those on the list have not come since the last whole read began.
func (r *refusals) anyGone() bool {
	return slices.ContainsFunc(r.list, func(one aggregator.RefusedRecord) bool { return r.lastSeen[keyOf(one)] < r.whole })
}

// endWhole forgets, at the end of a whole read, what has not come since it began: it was
// taken away, or no record says that it was mended.
func (r *refusals) endWhole() {
	remaining := r.list[:0:0]
	for _, one := range r.list {
		if key := keyOf(one); r.lastSeen[key] < r.whole {
			delete(r.lastSeen, key)
			continue
		}
		if one.ID == "" {
			one.Count = r.sinceWhole.unnamed[one.Kind][one.EventID]
		}
		remaining = append(remaining, one)
	}
	r.list, r.unlisted = remaining, r.sinceWhole.unlisted.clone()
}

func (r *refusals) index(key refusedKey) int {
	return slices.IndexFunc(r.list, func(one aggregator.RefusedRecord) bool { return keyOf(one) == key })
}
