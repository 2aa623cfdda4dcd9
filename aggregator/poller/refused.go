package poller

import (
	"maps"
	"slices"

	"housecount/aggregator"
	"housecount/apiclient/record"
)

const (
	// maxRefused is the most refused records of a stream that are listed: the list is written
	// with every poll.
	maxRefused = 200
	// maxRefusedEvents is the most events by which the others of a kind are counted.
	maxRefusedEvents = 2000
)

// refusals are the records of a stream that were refused and have not come in order since.
type refusals struct {
	list     []aggregator.RefusedRecord // the oldest first
	known    map[refusedKey]struct{}    // those of list
	unlisted tally                      // those that found no room on it
	logged   int
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

// tally counts records by their kind and event. A record that comes with every read is one:
// so what came in one read is counted, and the most of any read kept.
type tally map[record.Kind]map[string]int

// add counts a record of a read, and returns the event by which it is counted and the number.
func (c tally) add(kind record.Kind, event string) (by string, n int) {
	if c[kind] == nil {
		c[kind] = map[string]int{}
	}
	if _, known := c[kind][event]; !known && len(c[kind]) >= maxRefusedEvents {
		event = ""
	}
	c[kind][event]++
	return event, c[kind][event]
}

// raise makes a number at least n, and says whether it was less.
func (c tally) raise(kind record.Kind, event string, n int) bool {
	if n <= c[kind][event] {
		return false
	}
	if c[kind] == nil {
		c[kind] = map[string]int{}
	}
	c[kind][event] = n
	return true
}

func (c tally) clone() tally {
	o := tally{}
	for kind, events := range c {
		o[kind] = maps.Clone(events)
	}
	return o
}

func newRefusals(s aggregator.StreamState) refusals {
	r := refusals{list: slices.Clone(s.Refused), known: map[refusedKey]struct{}{}, unlisted: tally(s.Unlisted).clone()}
	for _, one := range r.list {
		r.known[keyOf(one)] = struct{}{}
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

// add takes up a record that was refused in a read, of which came counts those that are not
// told apart, and says whether it is one more.
func (r *refusals) add(one aggregator.RefusedRecord, came tally) (more bool) {
	key := keyOf(one)
	_, known := r.known[key]
	if !known && len(r.list) >= maxRefused {
		event, n := came.add(one.Kind, one.EventID)
		return r.unlisted.raise(one.Kind, event, n)
	}
	if !known {
		r.list = append(r.list, aggregator.RefusedRecord{})
		r.known[key] = struct{}{}
	}
	listed := &r.list[len(r.list)-1]
	if known {
		listed = &r.list[r.at(key)]
	}
	if one.ID == "" {
		_, n := came.add(one.Kind, one.EventID)
		one.Count = max(listed.Count, n)
	}
	more = !known || one.Count > listed.Count
	*listed = one
	return more
}

// without is r without those that came in order; r is left as it was.
func (r refusals) without(records []record.Record) refusals {
	copied := false
	for _, one := range records {
		key := refusedKey{kind: one.RecordKind(), id: one.RecordID()}
		if _, known := r.known[key]; !known {
			continue
		}
		if !copied {
			r.list, r.known, copied = slices.Clone(r.list), maps.Clone(r.known), true
		}
		i := r.at(key)
		r.list = slices.Delete(r.list, i, i+1)
		delete(r.known, key)
	}
	return r
}

// beginWhole takes off the list the rows that became no record, and those that found no room
// on it, at the beginning of a whole read, with which they come again: no record says that
// they were mended.
func (r *refusals) beginWhole() {
	r.list = slices.DeleteFunc(r.list, func(one aggregator.RefusedRecord) bool {
		gone := one.Kind == "" || one.ID == ""
		if gone {
			delete(r.known, keyOf(one))
		}
		return gone
	})
	r.unlisted = tally{}
}

func (r *refusals) at(key refusedKey) int {
	return slices.IndexFunc(r.list, func(one aggregator.RefusedRecord) bool { return keyOf(one) == key })
}
