package sandbox

import (
	"hash/fnv"
	"slices"
	"time"
)

// storeVersions stores the versions of all records from now on.
func (h *house) storeVersions() {
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

// reported is r as it is served at now when changes are reported up to delay late, each by a
// time of its own; nil when nothing is reported yet, and r itself when nothing is late.
func (st *stream) reported(r *row, now time.Time, delay time.Duration) *row {
	stored := st.versions[r]
	for i, v := range slices.Backward(stored) {
		if !v.old && now.Before(v.updated.time().Add(lateness(r.record.RecordID(), v.updated, delay))) {
			continue
		}
		if i == len(stored)-1 {
			return r
		}
		return &row{record: v.record, created: r.created, updated: v.updated}
	}
	if len(stored) == 0 {
		return r
	}
	return nil
}

// lateness is how late a change is reported.
func lateness(id string, updated milli, delay time.Duration) time.Duration {
	h := fnv.New64a()
	h.Write([]byte(id))
	share := float64(mix(h.Sum64()^uint64(updated))>>11) / (1 << 53)
	return time.Duration(share * float64(delay))
}

// lateList is what list serves at now when changes are reported up to delay late.
func (st *stream) lateList(q query, now time.Time, delay time.Duration) []*row {
	late := map[*row]bool{}
	var instead []*row
	for r := st.newest; r != nil && !r.updated.before(now.Add(-delay)); r = r.older {
		served := st.reported(r, now, delay)
		if served == r {
			continue
		}
		late[r] = true
		if served != nil && q.matches(served) && !served.updated.before(q.since) {
			instead = append(instead, served)
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
