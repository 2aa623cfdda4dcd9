package figures_test

import (
	"maps"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// versionLog makes records into the versions that a log would hold: those that say nothing
// new are none.
type versionLog struct {
	heads    map[string]record.Record
	versions []record.Version
}

func newLog(records ...record.Record) *versionLog {
	l := &versionLog{heads: map[string]record.Record{}}
	for _, r := range records {
		l.add(r, time.Time{})
	}
	return l
}

func key(r record.Record) string { return string(r.RecordKind()) + " " + r.RecordID() }

// add appends a record as the next version and returns it; ok is false where it says nothing
// new.
func (l *versionLog) add(r record.Record, seen time.Time) (v record.Version, ok bool) {
	held := l.heads[key(r)]
	v = record.Version{Revision: int64(len(l.versions) + 1), SeenAt: seen, Record: r, Head: held == nil || record.Newer(held, r)}
	if v.Head {
		l.heads[key(r)] = r
	} else if !held.RecordUpdated().After(r.RecordUpdated()) || r.RecordUpdated().IsZero() {
		return v, false
	}
	l.versions = append(l.versions, v)
	return v, true
}

// folded is the newest version of each record, with what it remembers of all others.
func (l *versionLog) folded() (versions []record.Version) {
	memories, heads := map[string]record.Memory{}, map[string]record.Version{}
	for _, v := range l.versions {
		k := key(v.Record)
		memories[k] = memories[k].With(&v)
		if v.Head {
			heads[k] = v
		}
	}
	for _, k := range slices.Sorted(maps.Keys(heads)) {
		v := heads[k]
		v.Memory = memories[k]
		versions = append(versions, v)
	}
	return versions
}

func ledgerOf(c figures.Calendar, versions ...record.Version) *figures.Ledger {
	l := figures.NewLedger(c)
	for _, v := range versions {
		l.Apply(v)
	}
	return l
}
