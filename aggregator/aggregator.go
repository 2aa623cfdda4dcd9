// Package aggregator turns records into figures. It owns the definitions, the Ledger
// that folds records, and the poller that decides what to ask and when; it never speaks
// HTTP or SQL and never renders.
//
// The Ledger is pure: no clock, no lock, no I/O. The poller has one goroutine a stream,
// so that a stream that stalls holds up no other. They take turns, under one lock, at
// appending to the Log, applying what was kept to the Ledger, and publishing an immutable
// Snapshot through an atomic pointer; any number of goroutines read it. The Log's order is
// the Ledger's order, so that a restart folds to the same figures.
package aggregator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient"
	"housecount/apiclient/record"
)

// publishEvery keeps a first sync from publishing after every page.
const publishEvery = 200 * time.Millisecond

// Source is what the aggregator polls; *apiclient.Client is one.
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
}

// Log keeps records in revision order; *store.Store is one. Only one process appends
// to a Log at a time; the Log sees to that itself.
type Log interface {
	// Epoch names this log; it changes when the log is made anew.
	Epoch() string
	// Append keeps those of the records that are newer than what it holds, gives each the
	// next revision, and remembers the mark (if not nil), all in one transaction. It
	// returns the kept records in revision order and the revision of the last.
	Append(ctx context.Context, records []record.Record, mark *Mark) (kept []record.Record, revision int64, err error)
	// Replay yields every record after a revision, in revision order.
	Replay(ctx context.Context, after int64) iter.Seq2[record.Version, error]
	// Marks are the marks remembered by Append, by the names of their streams.
	Marks(ctx context.Context) (map[string]Mark, error)
}

// Mark is how far a stream has been read.
type Mark struct {
	Stream string
	// Since is the server's time of the first page of the last complete look, or ours where
	// that was earlier; everything changed before it has been read. It is zero until the first sync has ended.
	Since time.Time
	// Began is the server's time of the first page of a first sync under way, and From where
	// it goes on: the Page.Resume of the last page of which all records are kept. After it
	// both are empty.
	Began time.Time
	From  string
	// Whole is when, by the venue's clock, the list was last begun to be read whole; zero
	// when it never was.
	Whole time.Time
}

// Options configures an Aggregator. Source and Log are required.
type Options struct {
	Source   Source
	Log      Log
	Calendar figures.Calendar
	Cadence  Cadence
	// Now is the venue's clock; time.Now when nil.
	Now func() time.Time
	// Published is called after each publication; it must not block.
	Published func()
	Logger    *slog.Logger // discards when nil
}

// Aggregator polls the service and publishes figures.
type Aggregator struct {
	source    Source
	log       Log
	calendar  figures.Calendar
	cadence   Cadence
	now       func() time.Time
	published func()
	logger    *slog.Logger

	snapshot atomic.Pointer[figures.Snapshot]
	ready    atomic.Bool
	streams  []*stream // in the order of Source.Streams

	mu       sync.Mutex // guards what follows, and the pulse of every stream
	ledger   *figures.Ledger
	revision int64 // of the last record in the ledger
	// behind says that an append failed, so that the log may hold what the ledger does not.
	behind  bool
	refused []figures.Diagnostic // the last to come, at most maxRefused
	// told is when the last publication was, unpublished that something changed after it.
	told        time.Time
	unpublished bool
}

// New checks o and returns an Aggregator that has an empty Snapshot.
func New(o Options) (*Aggregator, error) {
	var faults []error
	if o.Source == nil {
		faults = append(faults, errors.New("aggregator: Source is required"))
	}
	if o.Log == nil {
		faults = append(faults, errors.New("aggregator: Log is required"))
	}
	if c := o.Cadence; c.Busy < 0 || c.OnSale < 0 || c.Idle < 0 {
		faults = append(faults, errors.New("aggregator: a Cadence cannot be negative"))
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	a := &Aggregator{
		source:    o.Source,
		log:       o.Log,
		calendar:  o.Calendar,
		cadence:   o.Cadence.withDefaults(),
		now:       o.Now,
		published: o.Published,
		logger:    cmp.Or(o.Logger, slog.New(slog.DiscardHandler)),
		ledger:    figures.NewLedger(o.Calendar),
		streams:   streams(o.Source),
	}
	if a.now == nil {
		a.now = time.Now
	}
	if a.published == nil {
		a.published = func() {}
	}
	a.snapshot.Store(a.figures())
	return a, nil
}

// Run replays the log, then polls until ctx ends; it returns when all that it started
// has ended, nil when that was because of ctx. An unreachable service is no error; a
// broken log is. Run may be called once.
func (a *Aggregator) Run(ctx context.Context) error {
	if err := a.restore(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return fmt.Errorf("aggregator: replay the log: %w", err)
	}
	var wg sync.WaitGroup
	for _, s := range a.streams {
		wg.Go(func() { a.poll(ctx, s) })
	}
	a.watch(ctx)
	wg.Wait()
	return nil
}

// Snapshot is the newest figures, never nil.
func (a *Aggregator) Snapshot() *figures.Snapshot { return a.snapshot.Load() }

// Ready says that the log has been replayed.
func (a *Aggregator) Ready() bool { return a.ready.Load() }

// figures are the ledger's, with everything that the poller knows beside them.
func (a *Aggregator) figures() *figures.Snapshot {
	health := figures.Health{Streams: make([]figures.StreamHealth, 0, len(a.streams))}
	var asOf time.Time
	for _, s := range a.streams {
		health.Streams = append(health.Streams, s.health)
		good := s.lastGood()
		if s.offered && s.health.Counts() && !good.IsZero() && (asOf.IsZero() || good.Before(asOf)) {
			asOf = good
		}
	}
	var c figures.Coverage
	_, c.EventsComplete = a.covered(record.KindEvent)
	c.TicketsOffered, c.TicketsComplete = a.covered(record.KindTicket)
	c.PaymentsOffered, c.PaymentsComplete = a.covered(record.KindPayment)
	c.ScansOffered, c.ScansComplete = a.covered(record.KindScan)
	planning, planned := a.covered(record.KindPlanning)
	c.PlanningPartial = planning && !planned
	snapshot := *a.ledger.Snapshot(figures.Position{Epoch: a.log.Epoch(), Revision: a.revision}, c)
	snapshot.AsOf = asOf
	snapshot.Health = health
	for _, s := range a.streams {
		snapshot.Diagnostics = append(snapshot.Diagnostics, s.alarms...)
		if s.unfiltered {
			snapshot.Diagnostics = append(snapshot.Diagnostics, figures.Diagnostic{Code: figures.CodeUnfiltered, Count: 1,
				Text: "the service sends all of " + s.Name + " though only changes are asked for"})
		}
	}
	snapshot.Diagnostics = slices.Concat(snapshot.Diagnostics, a.refused[max(0, len(a.refused)-shownRefused):])
	return &snapshot
}

// covered says that some stream which gives records of a kind is offered, and that the
// first sync of all of these has ended.
func (a *Aggregator) covered(kind record.Kind) (offered, complete bool) {
	complete = true
	for _, s := range a.streams {
		if s.offered && s.health.Gives(kind) {
			offered = true
			complete = complete && s.health.Complete
		}
	}
	return offered, offered && complete
}

// publish makes the figures as they are now those that everybody reads.
func (a *Aggregator) publish() {
	a.snapshot.Store(a.figures())
	a.ready.Store(true)
	a.told, a.unpublished = time.Now(), false
	a.published()
}

// publishSoon publishes what changed, unless that was done a moment ago; the end of the
// look or the watch then does it.
func (a *Aggregator) publishSoon() {
	if a.unpublished && time.Since(a.told) >= publishEvery {
		a.publish()
	}
}
