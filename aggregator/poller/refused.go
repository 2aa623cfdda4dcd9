package poller

import (
	"maps"
	"slices"

	"housecount/aggregator"
	"housecount/apiclient/record"
)

// maxRefused is the most refused records of a stream that are remembered.
const maxRefused = 1000

// refusals are the records of a stream that were refused and have not come in order since.
type refusals struct {
	list      []aggregator.RefusedRecord // the oldest first
	known     map[refusedKey]struct{}    // those of list
	forgotten int
	beyond    int // those that found no room in this read
	logged    int
}

type refusedKey struct {
	kind record.Kind
	id   string
}

func newRefusals(s aggregator.StreamState) refusals {
	r := refusals{list: slices.Clone(s.Refused), known: map[refusedKey]struct{}{}, forgotten: s.Forgotten}
	for _, one := range r.list {
		r.known[refusedKey{one.Kind, one.ID}] = struct{}{}
	}
	return r
}

// stored is what goes into the log.
func (r *refusals) stored() (list []aggregator.RefusedRecord, forgotten int) {
	return slices.Clone(r.list), r.forgotten
}

// beginRead says that records come which may have come before.
func (r *refusals) beginRead() { r.beyond = 0 }

// add takes up a record that was refused, and says whether it is one more.
func (r *refusals) add(one aggregator.RefusedRecord) (more bool) {
	key := refusedKey{one.Kind, one.ID}
	if _, known := r.known[key]; known {
		r.list[r.at(key)] = one
		return false
	}
	if len(r.list) >= maxRefused {
		r.beyond++
		more = r.beyond > r.forgotten
		r.forgotten = max(r.forgotten, r.beyond)
		return more
	}
	r.list = append(r.list, one)
	r.known[key] = struct{}{}
	return true
}

// without is r without those that came in order; r is left as it was.
func (r refusals) without(records []record.Record) refusals {
	copied := false
	for _, one := range records {
		key := refusedKey{one.RecordKind(), one.RecordID()}
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
		if one.Kind == "" {
			delete(r.known, refusedKey{one.Kind, one.ID})
		}
		return one.Kind == ""
	})
	r.forgotten, r.beyond = 0, 0
}

func (r *refusals) at(key refusedKey) int {
	return slices.IndexFunc(r.list, func(one aggregator.RefusedRecord) bool { return one.Kind == key.kind && one.ID == key.id })
}
