// Package poller decides what to ask the ticketing service and when. It reads the lists of
// a Source into the Log, and writes what it learned of each list with them: how far it was
// read, when it last answered, what failed, what was refused. It computes no figure and
// shows nothing; aggregator.Figures follows the log.
//
// Only the process that holds the log's lease polls. It takes up the lists as the log says
// that they were left, by whatever process. Each list has a goroutine of its own, so that
// one that stalls holds up no other; in a first sync a list waits for the first poll of the
// list before it. No lock is held while the service or the log is waited for.
//
// A log that takes nothing for a while costs polls and no records: a mark only moves with
// the append that has the records before it, and what else was learned is kept and written
// as soon as the log takes it.
package poller

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"log/slog"
	"sync"
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
}

// Figures are those of the same log; *aggregator.Figures are some. Polls go by them: how
// often, and which events come first.
type Figures interface {
	Snapshot() *figures.Snapshot
	Await(ctx context.Context, revision int64) error
	EventsOf(record.Record) []string
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
	// Now is the venue's clock; time.Now when nil.
	Now    func() time.Time
	Logger *slog.Logger // discards when nil
}

// Poller polls the service while it holds the lease.
type Poller struct {
	source       Source
	log          Log
	figures      Figures
	calendar     figures.Calendar
	cadence      Cadence
	keepVersions time.Duration
	now          func() time.Time
	logger       *slog.Logger
}

// New checks o and returns a Poller.
func New(o Options) (*Poller, error) {
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
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	p := &Poller{
		source:       o.Source,
		log:          o.Log,
		figures:      o.Figures,
		calendar:     o.Calendar,
		cadence:      o.Cadence.withDefaults(),
		keepVersions: o.KeepVersions,
		now:          o.Now,
		logger:       cmp.Or(o.Logger, slog.New(slog.DiscardHandler)),
	}
	if p.now == nil {
		p.now = time.Now
	}
	return p, nil
}

// Run polls whenever this process holds the lease, until ctx ends; it returns when all that
// it started has ended, nil when that was because of ctx. Neither an unreachable service nor
// a log that takes nothing is an error.
func (p *Poller) Run(ctx context.Context) error {
	return p.log.Lead(ctx, func(ctx context.Context, term int64) error {
		return (&tenure{Poller: p, term: term}).run(ctx)
	})
}

// tenure is the time in which this process polls: one term of the lease.
type tenure struct {
	*Poller
	term    int64
	streams []*stream // in the order of Source.Streams
	lost    context.CancelCauseFunc

	mu sync.Mutex // guards the status of every stream
}

// run takes up the streams and polls them until ctx ends, or until an append has failed with
// aggregator.ErrLeaseLost, which it then returns.
func (t *tenure) run(ctx context.Context) error {
	ctx, t.lost = context.WithCancelCause(ctx)
	defer t.lost(nil)
	states, ok := t.takeUp(ctx)
	if !ok {
		return nil
	}
	t.streams = t.newStreams(states)
	t.logger.Info("this process polls", "term", t.term)
	var wg sync.WaitGroup
	for _, s := range t.streams {
		wg.Go(func() { t.poll(ctx, s) })
	}
	wg.Go(func() { t.foldVersions(ctx) })
	t.watch(ctx)
	wg.Wait()
	if errors.Is(context.Cause(ctx), aggregator.ErrLeaseLost) {
		t.logger.Warn("another process polls", "term", t.term)
		return aggregator.ErrLeaseLost
	}
	return nil
}

// takeUp waits until the figures are there that polls go by, and returns the states of the
// streams; ok is false when ctx ended.
func (t *tenure) takeUp(ctx context.Context) (states map[string]aggregator.StreamState, ok bool) {
	if t.figures.Await(ctx, 0) != nil {
		return nil, false
	}
	for tries := 0; ; tries++ {
		all, _, err := t.log.Streams(ctx)
		if err == nil {
			states = map[string]aggregator.StreamState{}
			for _, s := range all {
				states[s.Name] = s
			}
			return states, true
		}
		if tries == 0 {
			t.logger.Error("the log cannot be read; it is tried again", "error", err)
		}
		select {
		case <-time.After(watchEvery):
		case <-ctx.Done():
			return nil, false
		}
	}
}

// poll polls s, one poll after the other, until ctx ends.
func (t *tenure) poll(ctx context.Context, s *stream) {
	if s.before != nil && !s.complete() {
		select {
		case <-s.before.polled:
		case <-ctx.Done():
			return
		}
	}
	for first := true; ; first = false {
		t.begin(s)
		read, err := t.readDue(ctx, s)
		if ctx.Err() != nil {
			return
		}
		var wait time.Duration
		if err == nil {
			wait, err = t.succeeded(ctx, s, read)
		}
		if err != nil {
			wait = t.failed(ctx, s, err)
		}
		if first {
			close(s.polled)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
	}
}

// foldVersions folds old versions in quiet hours, until ctx ends.
func (t *tenure) foldVersions(ctx context.Context) {
	if t.keepVersions == 0 {
		return
	}
	tick := time.NewTicker(time.Hour)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if now := t.now(); t.quiet(now) {
			if n, err := t.log.Fold(ctx, t.term, now.Add(-t.keepVersions)); err != nil && ctx.Err() == nil {
				t.logger.Error("old versions were not folded", "error", err)
			} else if n > 0 {
				t.logger.Info("old versions were folded", "versions", n)
			}
		}
	}
}
