package sandbox

import (
	"hash/fnv"
	"slices"
	"time"
)

// keepVersions keeps the versions of all records from now on.
func (h *house) keepVersions() {
	for _, st := range h.streams() {
		if st.versions != nil {
			continue
		}
		st.versions = make(map[*row][]version, st.len())
		for _, r := range st.created {
			st.versions[r] = []version{{copyOf(r.record), r.updated, true}}
		}
	}
}

// told is r as it is told at now when changes are told up to delay late, each by a time of
// its own; nil when there is nothing to tell yet, and r itself when nothing is late.
func (st *stream) told(r *row, now time.Time, delay time.Duration) *row {
	kept := st.versions[r]
	for i, v := range slices.Backward(kept) {
		if !v.old && now.Before(v.updated.time().Add(lateness(r.record.RecordID(), v.updated, delay))) {
			continue
		}
		if i == len(kept)-1 {
			return r
		}
		return &row{record: v.record, created: r.created, updated: v.updated}
	}
	if len(kept) == 0 {
		return r
	}
	return nil
}

// lateness is how late a change is told.
func lateness(id string, updated milli, delay time.Duration) time.Duration {
	h := fnv.New64a()
	h.Write([]byte(id))
	share := float64(mix(h.Sum64()^uint64(updated))>>11) / (1 << 53)
	return time.Duration(share * float64(delay))
}

// lateList is what list tells at now when changes are told up to delay late.
func (st *stream) lateList(q query, now time.Time, delay time.Duration) []*row {
	late := map[*row]bool{}
	var instead []*row
	for r := st.newest; r != nil && !r.updated.before(now.Add(-delay)); r = r.older {
		told := st.told(r, now, delay)
		if told == r {
			continue
		}
		late[r] = true
		if told != nil && q.matches(told) && !told.updated.before(q.since) {
			instead = append(instead, told)
		}
	}
	if len(late) == 0 {
		return st.list(q)
	}
	rows := slices.DeleteFunc(slices.Clone(st.list(q)), func(r *row) bool { return late[r] })
	rows = append(rows, instead...)
	slices.SortFunc(rows, q.compare)
	return rows
}
