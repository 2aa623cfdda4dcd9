// Package logtest is a log in memory, for tests of those that follow one and of those that
// append to it: a database that any number of processes open, with one lease.
package logtest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// Database holds the log. Its fields are changed by Set while processes use it.
type Database struct {
	FailAppend error // of every append
	FailRetire error // of every Retire
	Retiring   bool  // a Retire was begun and not ended
	StoresAll  bool  // a failing append stores the records all the same
	FailRead   error // of every read

	mu       sync.Mutex
	lease    chan struct{} // holds a token while there is a leader
	ended    chan struct{} // closed when the term ends
	term     int64
	tenures  []tenure
	epoch    int
	versions []record.Version
	byRecord map[string][]int // indices into versions, the head last of all that are one
	states   map[string]aggregator.StreamState
	given    map[aggregator.RowRecord]bool
	retired  []aggregator.Retirement
	counter  int64
	appends  int
	opened   []*Log
}

// tenure is a term in which a process led.
type tenure struct {
	id       string
	revision int64 // the newest when it began
}

// Log is the database as one process has it open.
type Log struct {
	*Database
	changed chan struct{}
}

// New makes an empty database.
func New() *Database {
	return &Database{lease: make(chan struct{}, 1), ended: make(chan struct{}), byRecord: map[string][]int{}, states: map[string]aggregator.StreamState{}, given: map[aggregator.RowRecord]bool{}}
}

// Open opens it for a process.
func (d *Database) Open() *Log {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := &Log{d, make(chan struct{}, 1)}
	d.opened = append(d.opened, l)
	return l
}

// Set changes how the database behaves.
func (d *Database) Set(change func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change()
}

// Steal gives the lease to whoever waits for it. The process that had it is not told.
func (d *Database) Steal() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.end()
}

// end ends the term.
func (d *Database) end() {
	d.term++
	close(d.ended)
	d.ended = make(chan struct{})
	select {
	case <-d.lease:
	default:
	}
}

// Copy returns the database as it is now, without its processes, as a backup has it.
func (d *Database) Copy() *Database {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := New()
	c.term, c.epoch, c.counter = d.term, d.epoch, d.counter
	c.tenures = slices.Clone(d.tenures)
	c.versions, c.states, c.given = slices.Clone(d.versions), maps.Clone(d.states), maps.Clone(d.given)
	for key, at := range d.byRecord {
		c.byRecord[key] = slices.Clone(at)
	}
	return c
}

// Restore puts a backup in the place of what the database holds.
func (d *Database) Restore(backup *Database) {
	b := backup.Copy()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.epoch, d.versions, d.byRecord, d.states, d.given, d.counter = b.epoch, b.versions, b.byRecord, b.states, b.given, b.counter
	d.tenures = b.tenures
	d.hint()
}

// State returns the newest of a stream.
func (d *Database) State(stream string) aggregator.StreamState {
	d.mu.Lock()
	defer d.mu.Unlock()
	return copied(d.states[stream])
}

// SetState puts a state in the place of a stream's newest.
func (d *Database) SetState(s aggregator.StreamState) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.put(s)
}

// Newest returns the newest version of a record, nil when there is none.
func (d *Database) Newest(kind record.Kind, id string) record.Record {
	d.mu.Lock()
	defer d.mu.Unlock()
	if head := d.head(key(kind, id)); head != nil {
		return head.Record
	}
	return nil
}

// Revision is that of the newest version.
func (d *Database) Revision() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return int64(len(d.versions))
}

// Written counts the states that were written, and the appends.
func (d *Database) Written() (states int64, appends int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.counter, d.appends
}

func key(kind record.Kind, id string) string { return string(kind) + " " + id }

func (d *Database) head(key string) *record.Version {
	at := d.byRecord[key]
	for _, i := range slices.Backward(at) {
		if d.versions[i].Head {
			return &d.versions[i]
		}
	}
	return nil
}

func (d *Database) hint() {
	for _, l := range d.opened {
		select {
		case l.changed <- struct{}{}:
		default:
		}
	}
}

func (d *Database) put(s aggregator.StreamState) {
	d.states[s.Name] = copied(s)
	d.counter++
}

// copied returns a state that shares nothing that may be changed, as if it had been written and read.
func copied(s aggregator.StreamState) aggregator.StreamState {
	s.Refused, s.Alarms, s.Missing = slices.Clone(s.Refused), slices.Clone(s.Alarms), slices.Clone(s.Missing)
	for i := range s.Missing {
		s.Missing[i].Parts = slices.Clone(s.Missing[i].Parts)
	}
	s.Unlisted = maps.Clone(s.Unlisted)
	for kind, events := range s.Unlisted {
		s.Unlisted[kind] = maps.Clone(events)
	}
	return s
}

// Lead calls lead with the lease, one process at a time.
func (l *Log) Lead(ctx context.Context, lead func(ctx context.Context, term int64) error) error {
	for {
		select {
		case l.lease <- struct{}{}:
		case <-ctx.Done():
			return nil
		}
		l.mu.Lock()
		l.term++
		term, ended := l.term, l.ended
		l.tenures = append(l.tenures, tenure{fmt.Sprint("term ", term), int64(len(l.versions))})
		l.mu.Unlock()
		err := l.tenure(ctx, term, ended, lead)
		l.mu.Lock()
		if l.term == term {
			l.end()
		}
		l.mu.Unlock()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil && !errors.Is(err, aggregator.ErrLeaseLost) {
			return err
		}
	}
}

// tenure calls lead with a context that ends three seconds after the term.
func (l *Log) tenure(ctx context.Context, term int64, ended <-chan struct{}, lead func(ctx context.Context, term int64) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var news sync.WaitGroup
	news.Go(func() {
		select {
		case <-ended:
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(3 * time.Second):
			cancel()
		case <-ctx.Done():
		}
	})
	defer news.Wait()
	defer cancel()
	return lead(ctx, term)
}

// Append stores a batch.
func (l *Log) Append(ctx context.Context, b aggregator.Batch) (a aggregator.Appended, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.appends++
	switch {
	case b.Term != l.term:
		return a, aggregator.ErrLeaseLost
	case ctx.Err() != nil:
		return a, ctx.Err()
	case l.FailAppend != nil && !l.StoresAll:
		return a, l.FailAppend
	}
	for _, r := range b.Records {
		if head := l.head(key(r.RecordKind(), r.RecordID())); head != nil && record.Newer(head.Record, r) {
			sameTime := r.RecordUpdated().IsZero() || r.RecordUpdated().Equal(head.Record.RecordUpdated())
			damage := record.Damage(r, head.Record, sameTime)
			if damage != nil && (b.Confirmed == nil || !b.Confirmed(r.RecordKind(), r.RecordID())) {
				a.Damaged = append(a.Damaged, damage)
				continue
			}
		}
		if l.append(r, b.SeenAt) {
			a.New++
		}
	}
	l.appendRows(b, &a)
	for _, s := range b.Streams {
		l.put(s)
	}
	a.Revision = int64(len(l.versions))
	l.hint()
	return a, l.FailAppend
}

// appendRows stores what the rows of a batch give, and as deleted what no row gives any more.
func (l *Log) appendRows(b aggregator.Batch, a *aggregator.Appended) {
	var before []aggregator.RowRecord
	for one := range l.given {
		if slices.ContainsFunc(b.Rows, func(row record.Row) bool { return row.List == one.List && row.ID == one.Row }) {
			before = append(before, one)
		}
	}
	changes := aggregator.CompareRows(b.Rows, before)
	for _, one := range changes.Added {
		l.given[one] = true
	}
	for _, lost := range changes.Lost {
		delete(l.given, lost)
		other := false
		for one := range l.given {
			other = other || one.Key == lost.Key
		}
		head := l.head(key(lost.Kind, lost.ID))
		if other || head == nil || record.Deleted(head.Record) || slices.Contains(b.Moved, lost.Kind) {
			continue
		}
		if damage := changes.Damage(lost, head.Record, b.Confirmed); damage != nil {
			a.Damaged = append(a.Damaged, damage)
			l.given[lost] = true
			continue
		}
		l.append(record.Tombstone(head.Record), b.SeenAt)
		a.New++
		a.Gone = append(a.Gone, lost)
	}
}

// Enter stores what people entered.
func (l *Log) Enter(_ context.Context, at time.Time, entered ...record.Record) (revision int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.FailAppend != nil {
		return 0, l.FailAppend
	}
	for _, r := range entered {
		l.append(r, at)
	}
	l.hint()
	return int64(len(l.versions)), nil
}

// Spoil puts a record in the place of the newest of the same kind and id, as nothing but a fault of the
// database does.
func (d *Database) Spoil(r record.Record) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.head(key(r.RecordKind(), r.RecordID())).Record = r
}

func (l *Log) append(r record.Record, seenAt time.Time) (stored bool) {
	k := key(r.RecordKind(), r.RecordID())
	head := l.head(k)
	replaces := head == nil || record.Newer(head.Record, r)
	if !replaces {
		for _, i := range l.byRecord[k] {
			if v := l.versions[i].Record; !record.Newer(v, r) && !record.Newer(r, v) {
				return false
			}
		}
	}
	l.byRecord[k] = append(l.byRecord[k], len(l.versions))
	l.versions = append(l.versions, record.Version{Revision: int64(len(l.versions)) + 1, SeenAt: seenAt, Head: replaces, Record: r})
	return true
}

// Position returns where the log is.
func (l *Log) Position(context.Context) (figures.Position, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return figures.Position{Epoch: fmt.Sprint("memory ", l.epoch), Revision: int64(len(l.versions)), Streams: l.counter, Tenure: l.newestTenure()}, l.FailRead
}

func (d *Database) newestTenure() string {
	if len(d.tenures) == 0 {
		return ""
	}
	return d.tenures[len(d.tenures)-1].id
}

// Continues reports whether nothing was lost before the tenure after that of p began.
func (l *Log) Continues(_ context.Context, p figures.Position) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.tenures, func(t tenure) bool { return t.id == p.Tenure })
	if i < 0 && p.Tenure != "" {
		return false, l.FailRead
	}
	return i+1 == len(l.tenures) || l.tenures[i+1].revision >= p.Revision, l.FailRead
}

// Versions yields the versions after a revision.
func (l *Log) Versions(_ context.Context, after int64) iter.Seq2[record.Version, error] {
	l.mu.Lock()
	versions, fail := slices.Clone(l.versions[min(after, int64(len(l.versions))):]), l.FailRead
	l.mu.Unlock()
	return func(yield func(record.Version, error) bool) {
		for _, v := range versions {
			if !yield(v, nil) {
				return
			}
		}
		if fail != nil {
			yield(record.Version{}, fail)
		}
	}
}

// At returns the versions of revisions.
func (l *Log) At(_ context.Context, revisions []int64) (versions []record.Version, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, v := range l.versions {
		if _, wanted := slices.BinarySearch(revisions, v.Revision); wanted {
			versions = append(versions, v)
		}
	}
	return versions, l.FailRead
}

// Streams returns the newest states.
func (l *Log) Streams(context.Context) (states []aggregator.StreamState, counter int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.states {
		states = append(states, copied(s))
	}
	return states, l.counter, l.FailRead
}

// Changed receives after every change.
func (l *Log) Changed() <-chan struct{} { return l.changed }

// Renew returns the log a new epoch.
func (l *Log) Renew(_ context.Context, old string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if old == fmt.Sprint("memory ", l.epoch) {
		l.epoch++
		l.end()
	}
	return nil
}

// Heads yields the newest versions that are not deleted.
func (l *Log) Heads(_ context.Context, kinds ...record.Kind) iter.Seq2[record.Version, error] {
	l.mu.Lock()
	var heads []record.Version
	for _, k := range slices.Sorted(maps.Keys(l.byRecord)) {
		if v := l.head(k); slices.Contains(kinds, v.Record.RecordKind()) && !record.Deleted(v.Record) {
			heads = append(heads, *v)
		}
	}
	fail := l.FailRead
	l.mu.Unlock()
	return func(yield func(record.Version, error) bool) {
		for _, v := range heads {
			if !yield(v, nil) {
				return
			}
		}
		if fail != nil {
			yield(record.Version{}, fail)
		}
	}
}
