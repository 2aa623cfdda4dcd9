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

// Log is where records are stored, such as *store.Records.
type Log interface {
	// Lead calls lead while this process holds the lease, with the lease's term and a context that
	// ends when the lease is lost or ctx ends. After a loss, which lead may be the first to notice
	// by aggregator.ErrLeaseLost, it waits for the lease again. It returns nil if ctx has ended,
	// else lead's error.
	Lead(ctx context.Context, lead func(ctx context.Context, term int64) error) error
	// Append stores those of the records that are new versions, each with the next revision, and
	// the stream states, in one transaction. It fails with aggregator.ErrLeaseLost if the term is
	// not the lease's.
	Append(ctx context.Context, b aggregator.Batch) (aggregator.Appended, error)
	// Streams returns the newest states and their counter.
	Streams(ctx context.Context) ([]aggregator.StreamState, int64, error)
	// Heads yields the newest versions of all records of these kinds that are not deleted, of which Record and SeenAt
	// are needed. An error is the last value yielded.
	Heads(ctx context.Context, kinds ...record.Kind) iter.Seq2[record.Version, error]
	// Fold folds versions seen before a time, except the newest of each record, into the memory of
	// the newest.
	Fold(ctx context.Context, term int64, before time.Time) (folded int, err error)
	// Retire removes what is to be retired, now and from before, and returns how many versions
	// changed. If any did, it ends the term. With an empty Retirement it continues an unfinished
	// one.
	Retire(ctx context.Context, term int64, what aggregator.Retirement) (changed int, err error)
}

// Figures are the figures of the same log, such as *aggregator.Figures. They determine how often to
// poll and which events come first.
type Figures interface {
	Snapshot() *figures.Snapshot
	Await(ctx context.Context, revision int64) error
	EventsOf(record.Record) []string
	// Retirement returns what can be retired from the log: scans of performances that ended before
	// a time, and contacts without activity since a time. A zero time retires none.
	Retirement(now, scans, contacts time.Time) aggregator.Retirement
}

// Options configures a Poller. Source, Log and Figures are required.
type Options struct {
	Source   apiclient.Source
	Log      Log
	Figures  Figures
	Calendar figures.Calendar
	Cadence  Cadence
	// KeepVersions is how long the older versions of a record are stored one by one; 0 means for
	// ever.
	KeepVersions time.Duration
	// KeepScans is how long after a performance its scans are stored one by one, and KeepContacts
	// how long contacts without activity are stored; 0 means for ever.
	KeepScans, KeepContacts time.Duration
	// Nudges, if set, returns how often the service has said that a list has news, by the list's name, "" for all
	// lists; Nudged receives after that may have changed. A list is then polled at once,
	// a few times in a row; in the long run no more often than every Cadence.Busy, never before its own Every is over, and not
	// while its polls fail.
	Nudges func(context.Context) (map[string]int64, error)
	Nudged <-chan struct{}
	// Polled, if set, is called after each poll, from one goroutine per stream.
	Polled func(Poll)
	// Now returns the venue's clock; time.Now when nil.
	Now    func() time.Time
	Logger *slog.Logger // discards when nil
}

// Poll is one poll of a stream.
type Poll struct {
	Stream string
	// Took includes writing and waiting.
	Took time.Duration
	// Fault is why the poll failed, empty if it did not.
	Fault figures.Fault
}

// withDefaults validates o and sets the defaults.
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
