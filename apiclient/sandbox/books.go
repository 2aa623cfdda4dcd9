package sandbox

import (
	"slices"
	"time"

	"housecount/apiclient/record"
)

// stream holds the records of one kind in the two orders in which they are served.
type stream struct {
	name    string // as in the path
	rows    map[string]*row
	created []*row // by created_at, then id
	// oldest and newest are the ends of a list linked by updated_at, then id: a change
	// moves its row to the end.
	oldest, newest   *row
	byEvent, byOrder map[string][]*row
	// versions are those of each record that may still be told, oldest first and the record
	// as it is last; nil when they are not kept.
	versions map[*row][]version

	revision uint64 // counts additions and changes
	memo     memo   // the last query
}

// row is a record in its stream.
type row struct {
	record           record.Record
	created, updated milli
	older, newer     *row
}

// milli is a moment in milliseconds since 1970, as fine as the house's clock goes: a large
// house has millions of them.
type milli int64

func milliOf(t time.Time) milli         { return milli(t.UnixMilli()) }
func (m milli) time() time.Time         { return time.UnixMilli(int64(m)).UTC() }
func (m milli) before(t time.Time) bool { return m.time().Before(t) }

func newStream(name string) *stream {
	return &stream{name: name, rows: map[string]*row{}, byEvent: map[string][]*row{}, byOrder: map[string][]*row{}}
}

func (st *stream) len() int { return len(st.created) }

// add takes in a record that was made at now, which is no earlier than any before it.
func (st *stream) add(rec record.Record, now time.Time) {
	r := &row{record: rec, created: milliOf(now)}
	st.rows[rec.RecordID()] = r
	i := len(st.created)
	for i > 0 && st.created[i-1].created == r.created && st.created[i-1].record.RecordID() > rec.RecordID() {
		i--
	}
	st.created = slices.Insert(st.created, i, r)
	event, order := belongings(rec)
	if event != "" {
		st.byEvent[event] = append(st.byEvent[event], r)
	}
	if order != "" {
		st.byOrder[order] = append(st.byOrder[order], r)
	}
	stampCreated(rec, now)
	st.link(r, now)
}

// touch says that the record changed at now.
func (st *stream) touch(rec record.Record, now time.Time) {
	r := st.rows[rec.RecordID()]
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
	st.link(r, now)
}

// link puts r where a change at now belongs: at the end, but for ties.
func (st *stream) link(r *row, now time.Time) {
	st.revision++
	r.updated = milliOf(now)
	stampUpdated(r.record, now)
	if st.versions != nil {
		st.keepVersion(r, now)
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

// belongings are the event and the order that a record says it belongs to.
func belongings(rec record.Record) (event, order string) {
	switch rec := rec.(type) {
	case *record.Ticket:
		return rec.EventID, rec.OrderID
	case *record.Payment:
		return rec.EventID, rec.OrderID
	case *record.Planning:
		return rec.EventID, ""
	}
	return "", ""
}

func statusOf(rec record.Record) string {
	switch rec := rec.(type) {
	case *record.Event:
		return string(rec.Status)
	case *record.Ticket:
		return string(rec.Status)
	case *record.Payment:
		return string(rec.Status)
	case *record.Planning:
		return rec.Status
	}
	return ""
}

// copyOf is a record that can be encoded while the original goes on changing: changes
// replace what pointers and slices point to.
func copyOf(rec record.Record) record.Record {
	switch rec := rec.(type) {
	case *record.Event:
		return new(*rec)
	case *record.Ticket:
		return new(*rec)
	case *record.Payment:
		return new(*rec)
	case *contact:
		return new(*rec)
	case *record.Planning:
		return new(*rec)
	}
	return rec
}

func stampCreated(rec record.Record, now time.Time) {
	switch rec := rec.(type) {
	case *record.Event:
		rec.CreatedAt = now
	case *record.Ticket:
		rec.CreatedAt = now
	case *record.Payment:
		rec.CreatedAt = now
	case *contact:
		rec.CreatedAt = now
	case *record.Planning:
		rec.CreatedAt = now
	}
}

func stampUpdated(rec record.Record, now time.Time) {
	switch rec := rec.(type) {
	case *record.Event:
		rec.UpdatedAt = now
	case *record.Ticket:
		rec.UpdatedAt = now
	case *record.Payment:
		rec.UpdatedAt = now
	case *contact:
		rec.UpdatedAt = now
	case *record.Planning:
		rec.UpdatedAt = now
	}
}
