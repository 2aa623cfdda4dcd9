package poller

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/apiclient"
	"housecount/apiclient/record"
)

// Source is what is polled; *apiclient.Client is one.
type Source interface {
	// Streams are the lists that it has, in the order in which a first sync reads them; they
	// never change.
	Streams() []apiclient.Stream
	// Read yields the records of a stream. Every iteration ends by itself or soon after its
	// context does.
	Read(ctx context.Context, stream string, q apiclient.Query) iter.Seq2[record.Record, error]
	// Paused is how long questions are still held back on our side, 0 when none is: what is
	// not asked is not the service's silence.
	Paused() time.Duration
	// Limited is how much of that the service has asked for.
	Limited() time.Duration
}

// Log is where records go; *store.Records is one.
type Log interface {
	// Lead calls lead while this process holds the lease, with a context that ends when the
	// lease is lost or ctx ends, and the lease's term; after a loss, of which lead may be the
	// first to know by aggregator.ErrLeaseLost, it waits for the lease again. It returns nil
	// when ctx has ended, else lead's error.
	Lead(ctx context.Context, lead func(ctx context.Context, term int64) error) error
	// Append stores those of the records that are new versions, each with the next revision,
	// and the stream states, all in one transaction. It fails with aggregator.ErrLeaseLost
	// when the term is not the lease's.
	Append(ctx context.Context, b aggregator.Batch) (aggregator.Appended, error)
	// Streams are the newest states, with the counter at which they are.
	Streams(ctx context.Context) ([]aggregator.StreamState, int64, error)
	// Heads yields the newest versions of all records of these kinds that are not deleted;
	// an error is the last thing yielded.
	Heads(ctx context.Context, kinds ...record.Kind) iter.Seq2[record.Record, error]
	// Fold folds versions seen before a time, that are not the newest of their record, into
	// what the newest remembers.
	Fold(ctx context.Context, term int64, before time.Time) (folded int, err error)
	// Record stores readings, and that all those of versions up to a revision are stored.
	Record(ctx context.Context, term int64, rows []figures.Reading, upTo int64) error
	// FirstReading is when the oldest reading from a time on was made; zero without any.
	FirstReading(ctx context.Context, from time.Time) (time.Time, error)
	// ThinReadings takes away the readings of some time but for the last of each event in every
	// bucket of it.
	ThinReadings(ctx context.Context, term int64, from, until time.Time, bucket time.Duration) error
	// Retire takes away what is retired, now and before, and returns how many versions that
	// changed. Where it changed any it ends the term. With nothing to retire it goes on with what
	// was begun, if anything was.
	Retire(ctx context.Context, term int64, what aggregator.Retirement) (changed int, err error)
}

// Figures are those of the same log; *aggregator.Figures are some. Polls go by them: how
// often, and which events come first.
type Figures interface {
	Snapshot() *figures.Snapshot
	Await(ctx context.Context, revision int64) error
	EventsOf(record.Record) []string
	// Readings are those that the log may not have, and the revision up to which it has all once
	// they are stored; Recorded says that it has.
	Readings() (rows []figures.Reading, upTo int64)
	Recorded(revision int64)
	// Retirement is what of the log can be retired: scans of performances that were over before a
	// time, and contacts that were not heard of since one; a zero time retires none.
	Retirement(now, scans, contacts time.Time) aggregator.Retirement
}

// Options configures a Poller. Source, Log and Figures are required.
type Options struct {
	Source   Source
	Log      Log
	Figures  Figures
	Calendar figures.Calendar
	Cadence  Cadence
	// KeepVersions is how long the versions of a record that are not its newest are stored
	// one by one; 0 for ever.
	KeepVersions time.Duration
	// KeepScans is how long after a performance its scans are stored one by one, and KeepContacts
	// how long contacts are stored of whom nothing is heard; 0 for ever.
	KeepScans, KeepContacts time.Duration
	// Polled, if set, is called after each poll, by one goroutine for each stream.
	Polled func(Poll)
	// Now is the venue's clock; time.Now when nil.
	Now    func() time.Time
	Logger *slog.Logger // discards when nil
}

// Poll is one poll of a stream.
type Poll struct {
	Stream string
	// Took is how long it took, with what was written and waited for.
	Took time.Duration
	// Fault is why it failed, empty when it did not.
	Fault figures.Fault
}

// withDefaults checks o and fills in what may be left out.
func (o Options) withDefaults() (Options, error) {
	var faults []error
	if o.Source == nil {
		faults = append(faults, errors.New("poller: Source is required"))
	}
	if o.Log == nil {
		faults = append(faults, errors.New("poller: Log is required"))
	}
	if o.Figures == nil {
		faults = append(faults, errors.New("poller: Figures is required"))
	}
	if c := o.Cadence; c.Busy < 0 || c.OnSale < 0 || c.Idle < 0 {
		faults = append(faults, errors.New("poller: a Cadence cannot be negative"))
	}
	if o.KeepVersions < 0 {
		faults = append(faults, errors.New("poller: KeepVersions cannot be negative"))
	}
	if o.KeepScans < 0 || o.KeepContacts < 0 {
		faults = append(faults, errors.New("poller: KeepScans and KeepContacts cannot be negative"))
	}
	o.Cadence = o.Cadence.withDefaults()
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o, errors.Join(faults...)
}
