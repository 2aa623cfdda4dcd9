package aggregator

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// recorder makes readings of what is folded. Whatever of it a process folds, the versions after any
// revision at which a minute ended give the same readings. It belongs to who holds its ledger.
type recorder struct {
	// after is the revision up to which readings are stored; begun says that versions after it are
	// folded.
	after int64
	begun bool
	// from is the first minute of which there are readings: of those before a first sync ended only a
	// part was known, of the moment when it was read.
	from int64
	// minute is the running one, 0 where it is not known, and changed are the events that changed in it.
	minute   int64
	revision int64 // of the newest version
	changed  map[string]bool
	last     map[string]figures.Reading // the newest of each event
	rows     []taken                    // those after after, not of the running minute
	asked    int                        // how many rows there were when it was last asked which are stored
}

// taken is a reading, with the revision up to which versions are in it.
type taken struct {
	figures.Reading
	revision int64
}

func newRecorder(after int64) *recorder { return &recorder{after: after, changed: map[string]bool{}} }

// readingsFrom is the minute in which the last first sync ended of a list that readings come from, after
// all minutes while one goes on: while it is read or its turn comes, and not while it fails.
func (k *known) readingsFrom(states []StreamState) (minute int64) {
	for _, stream := range k.streams {
		if !(figures.StreamHealth{Kinds: stream.Kinds}).Counts() {
			continue
		}
		i := slices.IndexFunc(states, func(s StreamState) bool { return s.Name == stream.Name })
		if i < 0 && len(states) > 0 || i >= 0 && states[i].syncing() {
			return math.MaxInt64
		}
		if i >= 0 && !states[i].Synced.IsZero() {
			minute = max(minute, states[i].Synced.Unix()/60)
		}
	}
	return minute
}

func (s *StreamState) syncing() bool {
	return !s.Complete() && !s.Withdrawn && s.Missed < figures.FailingPolls
}

// mostBack is by how many minutes clocks may differ: a version that was seen so long before the running
// minute counts as of that minute. Before that, the clock of the running minute was wrong, and it has
// ended.
const mostBack = 10

// ends says that the running minute ended before a version was seen.
func (r *recorder) ends(v *record.Version) bool {
	if v.Revision <= r.after || !r.begun {
		return v.Revision > r.after
	}
	minute := minuteSeen(v)
	return minute > r.minute || minute > 0 && minute < r.minute-mostBack
}

// end makes the readings of the running minute, before a version is applied for which it ends.
func (r *recorder) end(l *ledger.Ledger, v *record.Version) {
	if !r.begun {
		r.begun, r.last = true, l.Readings()
	}
	if r.minute < r.from { // what changed is of the first reading; till then none is stored
		r.minute = minuteSeen(v)
		return
	}
	for _, event := range slices.Sorted(maps.Keys(r.changed)) {
		now, shown := l.Reading(event)
		if last, ok := r.last[event]; !shown || ok && last.Same(now) {
			continue
		}
		r.last[event] = now
		if now.Minute = r.minute; r.minute > 0 {
			r.rows = append(r.rows, taken{now, r.revision})
		}
	}
	clear(r.changed)
	r.minute, r.after = minuteSeen(v), max(r.after, r.revision)
}

func minuteSeen(v *record.Version) int64 {
	if v.SeenAt.IsZero() {
		return 0
	}
	return v.SeenAt.Unix() / 60
}

// note takes in what versions changed, up to one of a revision.
func (r *recorder) note(c ledger.Changes, revision int64) {
	for _, event := range c.Events {
		r.changed[event] = true
	}
	r.revision = revision
}

// stored lets go of the readings of versions up to a revision.
func (r *recorder) stored(revision int64) {
	kept, _ := slices.BinarySearchFunc(r.rows, revision, func(t taken, revision int64) int {
		if t.revision <= revision {
			return -1
		}
		return 1
	})
	r.rows = slices.Clone(r.rows[kept:])
	r.asked = len(r.rows)
}

// Readings are those that the log may not have, and the revision up to which it has all readings once
// they are stored.
func (f *Figures) Readings() (rows []figures.Reading, upTo int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, t := range f.recorder.rows {
		rows = append(rows, t.Reading)
	}
	return rows, f.recorder.after
}

// Recorded says that the log has the readings of all versions up to a revision.
func (f *Figures) Recorded(revision int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recorder.stored(revision)
}

// WithHeld are readings of an event that the log has, ascending, with those that it may not have, which
// take the place of those of the same minute.
func (f *Figures) WithHeld(event string, stored []figures.Reading) []figures.Reading {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := slices.Clone(stored)
	for _, t := range f.recorder.rows {
		if t.Event != event {
			continue
		}
		i, found := slices.BinarySearchFunc(all, t.Minute, func(r figures.Reading, minute int64) int { return cmp.Compare(r.Minute, minute) })
		if found {
			all[i] = t.Reading
		} else {
			all = slices.Insert(all, i, t.Reading)
		}
	}
	return all
}
