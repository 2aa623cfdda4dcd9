package sandbox

import (
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"housecount/apiclient/record"
	"housecount/apiclient/sandbox/faults"
	"housecount/apiclient/sandbox/idp"
)

// stream holds the records of one kind, sorted by creation and by change.
type stream struct {
	name    string // as in the path
	rows    map[string]*row
	created []*row // by created_at, then id
	// oldest and newest are the ends of a list linked in the order of updated_at, then id. A changed row moves to
	// the newest end.
	oldest, newest   *row
	byEvent, byOrder map[string][]*row
	// versions holds the versions of each record that may still be served, oldest first and the current one last.
	// It is nil while versions are not stored.
	versions map[*row][]version
	// orders lists the tickets of this stream as parts of their orders; nil if it does not.
	orders *stream

	revision uint64 // counts additions and changes
	memo     memo   // the result of the last query
}

func newStream(name string) *stream {
	return &stream{name: name, rows: map[string]*row{}, byEvent: map[string][]*row{}, byOrder: map[string][]*row{}}
}

// streamNames returns the names of all streams, as used in paths.
func streamNames() []string {
	return []string{"events", "tickets", "orders", "payments", "contacts", "planning"}
}

func (st *stream) len() int { return len(st.created) }

// add adds a record created at now. Calls must be in order of time.
func (st *stream) add(rec record.Record, now time.Time) {
	r := &row{record: rec, created: milliOf(now)}
	st.rows[rec.RecordID()] = r
	i := len(st.created)
	for i > 0 && st.created[i-1].created == r.created && st.created[i-1].record.RecordID() > rec.RecordID() {
		i--
	}
	st.created = slices.Insert(st.created, i, r)
	event, order := eventAndOrder(rec)
	if event != "" {
		st.byEvent[event] = append(st.byEvent[event], r)
	}
	if order != "" {
		st.byOrder[order] = append(st.byOrder[order], r)
	}
	stampCreated(rec, now)
	st.link(r, now)
	if t, ok := rec.(*record.Ticket); ok && st.orders != nil {
		st.orders.listInOrder(t, now)
	}
}

// touch marks a record as changed at now.
func (st *stream) touch(rec record.Record, now time.Time) {
	r := st.rows[rec.RecordID()]
	st.unlink(r)
	st.link(r, now)
	if t, ok := rec.(*record.Ticket); ok && st.orders != nil {
		st.orders.listInOrder(t, now)
	}
}

// unlink takes r out of the list by updated_at.
func (st *stream) unlink(r *row) {
	if r.older != nil {
		r.older.newer = r.newer
	} else {
		st.oldest = r.newer
	}
	if r.newer != nil {
		r.newer.older = r.older
	} else {
		st.newest = r.older
	}
}

// link inserts r, changed at now, into the list by updated_at. Only rows changed in the same millisecond can come
// after it.
func (st *stream) link(r *row, now time.Time) {
	st.revision++
	r.updated = milliOf(now)
	stampUpdated(r.record, now)
	if st.versions != nil {
		st.storeVersion(r, now)
	}
	after := st.newest
	for after != nil && after.updated == r.updated && after.record.RecordID() > r.record.RecordID() {
		after = after.older
	}
	r.older = after
	if after == nil {
		r.newer, st.oldest = st.oldest, r
	} else {
		r.newer, after.newer = after.newer, r
	}
	if r.newer == nil {
		st.newest = r
	} else {
		r.newer.older = r
	}
}

// list returns the rows that match q, in its order. The result is cached until a record changes, for clients that
// read page after page.
func (st *stream) list(q query) []*row {
	if q == (query{}) { // everything by creation: nothing to do
		return st.created
	}
	if m := &st.memo; m.rows == nil || m.revision != st.revision || m.query != q {
		*m = memo{st.revision, q, st.find(q)}
	}
	return st.memo.rows
}

// memo is a cached result of a query at a revision of the stream.
type memo struct {
	revision uint64
	query    query
	rows     []*row
}

// find scans the smallest index that fits the query. Only the rows of an event or an order need sorting.
func (st *stream) find(q query) []*row {
	rows := []*row{}
	switch {
	case q.event != "" || q.order != "":
		of := st.byOrder[q.order]
		if q.order == "" {
			of = st.byEvent[q.event]
		}
		for _, r := range of {
			if q.matches(r) && !r.updated.before(q.since) {
				rows = append(rows, r)
			}
		}
		slices.SortFunc(rows, q.compare)
	case q.newestChange || q.oldestChange:
		if q.since.IsZero() {
			rows = make([]*row, 0, st.len())
		}
		for r := st.newest; r != nil && !r.updated.before(q.since); r = r.older {
			if q.matches(r) {
				rows = append(rows, r)
			}
		}
		if q.oldestChange {
			slices.Reverse(rows)
		}
	default:
		for _, r := range st.created {
			if q.matches(r) && !r.updated.before(q.since) {
				rows = append(rows, r)
			}
		}
	}
	return rows
}

// find returns the record with the id, or an error with status 404.
func find[R record.Record](st *stream, id string) (R, error) {
	if r, ok := st.rows[id]; ok {
		return r.record.(R), nil
	}
	var none R
	return none, idp.NotFound(fmt.Sprintf("%s has no record %q", st.name, id))
}

// storeVersions starts to store the versions of all records.
func (st *stream) storeVersions() {
	if st.versions != nil {
		return
	}
	st.versions = make(map[*row][]version, st.len())
	for _, r := range st.created {
		st.versions[r] = []version{{copyOf(r.record), r.updated, true}}
	}
}

// storeVersion adds a copy of r as of now, and drops versions that were replaced more than faults.MaxLate ago.
func (st *stream) storeVersion(r *row, now time.Time) {
	stored := append(st.versions[r], version{record: copyOf(r.record), updated: r.updated})
	for len(stored) > 1 && stored[1].updated.before(now.Add(-faults.MaxLate)) {
		stored = stored[1:]
	}
	st.versions[r] = stored
}

// reported returns r as served at now when each change is delayed by up to delay: r itself if its last change is
// visible, an older version, or nil if the record is not visible yet.
func (st *stream) reported(r *row, now time.Time, delay time.Duration) *row {
	stored := st.versions[r]
	for i, v := range slices.Backward(stored) {
		if !v.old && now.Before(v.updated.time().Add(reportDelay(r.record.RecordID(), v.updated, delay))) {
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

// reportDelay returns the delay of one change, from 0 up to delay. It depends only on the record's id and the time
// of the change.
func reportDelay(id string, updated milli, delay time.Duration) time.Duration {
	h := fnv.New64a()
	h.Write([]byte(id))
	share := float64(mix(h.Sum64()^uint64(updated))>>11) / (1 << 53)
	return time.Duration(share * float64(delay))
}

// lateList is like list, with changes delayed by up to delay.
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
