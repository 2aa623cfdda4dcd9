package poller

import (
	"maps"
	"slices"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

const (
	// maxRefused is the most refused records of a stream that are listed, because the list is
	// written with every poll.
	maxRefused = 200
	// maxRefusedEvents is the most events by which unlisted records of a kind are counted; those of
	// other events are counted together.
	maxRefusedEvents = 2000
)

// refusals are the records of a stream that were refused and have not come in a valid form since.
type refusals struct {
	list       []aggregator.RefusedRecord // oldest first
	lastSeen   map[refusedKey]int         // of those in list: the number of the whole read in or after which each last came
	unlisted   eventCounts                // those beyond maxRefused
	whole      int                        // number of whole reads begun
	sinceWhole readCounts                 // since the last whole read began
	logged     int
}

// refusedKey identifies a refused record; event is set only if the record has no id.
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

// eventCounts counts records by kind and event. A record comes with every read, so counts are per
// read and the highest count of any read is stored.
type eventCounts map[record.Kind]map[string]int

// add counts a record and returns the event under which it is counted and the new count.
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

// raise makes a count at least n and reports whether it was lower.
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

// readCounts counts the records of a read that cannot be listed one by one: those without an id,
// and those beyond maxRefused.
type readCounts struct{ unnamed, unlisted eventCounts }

func newReadCounts() readCounts { return readCounts{eventCounts{}, eventCounts{}} }

func newRefusals(s aggregator.StreamState) refusals {
	r := refusals{list: slices.Clone(s.Refused), lastSeen: map[refusedKey]int{}, sinceWhole: newReadCounts(), unlisted: eventCounts(s.Unlisted).clone()}
	for _, one := range r.list {
		r.lastSeen[keyOf(one)] = 0
	}
	return r
}

// oldest returns the service's time of the oldest record that is listed, without those that are known; zero for none. A
// record that a whole read refuses again is as the service says.
func (r *refusals) oldest(known map[refusedKey]int) (at time.Time) {
	for _, one := range r.list {
		if _, again := known[keyOf(one)]; !again && !one.Since.IsZero() && (at.IsZero() || one.Since.Before(at)) {
			at = one.Since
		}
	}
	return at
}

// stored returns what goes into the log.
func (r *refusals) stored() (list []aggregator.RefusedRecord, unlisted map[record.Kind]map[string]int) {
	if len(r.unlisted) > 0 {
		unlisted = r.unlisted.clone()
	}
	return slices.Clone(r.list), unlisted
}

// add adds a record that was refused in a read; came counts those of the read that are not listed
// one by one. It reports whether the record is an additional one.
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

// excluding returns r without those that came in a valid form: before records are stored, without those that the client
// had refused, and once they are stored without those that were damaged. r is not modified.
func (r refusals) excluding(records []record.Key, stored bool) refusals {
	copied := false
	for _, one := range records {
		key := refusedKey{kind: one.Kind, id: one.ID}
		if _, known := r.lastSeen[key]; !known {
			continue
		}
		i := r.index(key)
		if r.list[i].Damaged != stored {
			continue
		}
		if !copied {
			r.list, r.lastSeen, copied = slices.Clone(r.list), maps.Clone(r.lastSeen), true
		}
		r.list = slices.Delete(r.list, i, i+1)
		delete(r.lastSeen, key)
	}
	return r
}

// forgetSince forgets the listed records that a read of the changes since a service's time would have had, but did not
// refuse.
func (r *refusals) forgetSince(from time.Time) {
	remaining := r.list[:0:0]
	for _, one := range r.list {
		if one.Since.IsZero() || one.Since.Before(from) {
			remaining = append(remaining, one)
		} else {
			delete(r.lastSeen, keyOf(one))
		}
	}
	r.list = remaining
}

// beginWhole marks the start of a read of everything.
func (r *refusals) beginWhole() {
	r.whole++
	r.sinceWhole = newReadCounts()
}

// any reports whether there are refusals.
func (r *refusals) any() bool { return len(r.list)+len(r.unlisted) > 0 }

// anyGone reports whether some listed records have not come since the last whole read began.
func (r *refusals) anyGone() bool {
	return slices.ContainsFunc(r.list, func(one aggregator.RefusedRecord) bool { return r.lastSeen[keyOf(one)] < r.whole })
}

// endWhole is called at the end of a whole read. It forgets what has not come since the read began:
// such records were deleted, or were corrected without giving a record.
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
