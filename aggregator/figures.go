// Package aggregator computes the figures of a log. Figures follows a Log, folds its versions into a
// Ledger, and publishes an immutable Snapshot through an atomic pointer, which any number of goroutines
// read. It runs on every replica and never asks the ticketing service: what is known of the service's
// lists, their health and gaps, is in the log as one StreamState each, written by the process that polls.
//
// So a Snapshot is a function of the log at its Position, and every process at that position publishes the
// same, whether it polls, follows, or has just started. There is one exception: if nothing has been written
// for longer than was planned, because nobody polls or the log cannot be read, a process notices by itself
// and shows the figures as not updated.
//
// The goroutine of Run owns what is folded. It holds a lock while it applies versions to the ledger, and
// never while it reads the log.
package aggregator

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// Options configures Figures. Log is required. All replicas of a log have the same Streams
// and Calendar.
type Options struct {
	Log Log
	// Streams are the lists of the service, in the order in which a first sync reads them.
	Streams  []Stream
	Calendar figures.Calendar
	// Published, if set, is called after each publication, by one goroutine at a time. It
	// must not block.
	Published func(figures.Changes)
	Logger    *slog.Logger // discards if nil
}

// Figures publishes the figures of a log.
type Figures struct {
	follower
	pasts pasts
}

// New checks o and returns Figures that have an empty Snapshot.
func New(o Options) (*Figures, error) {
	if o.Log == nil {
		return nil, errors.New("aggregator: Log is required")
	}
	f := &Figures{follower: follower{
		log:       o.Log,
		calendar:  o.Calendar,
		logger:    cmp.Or(o.Logger, slog.New(slog.DiscardHandler)),
		publisher: publisher{published: o.Published, ledger: ledger.New(o.Calendar), known: known{streams: o.Streams}},
	}}
	f.shown.Store(&publication{f.snapshotOf(pending{records: true}), ledger.Coverage{}, ledger.Knowledge{}, make(chan struct{})})
	return f, nil
}

// Run folds the log and follows it until ctx ends, and then returns nil. If the log cannot be read it tries again
// and the last figures stay; before the first figures, Figures is not Ready. Run may be called once.
func (f *Figures) Run(ctx context.Context) error {
	for err := f.foldAnew(ctx); ; err = f.foldAnew(ctx) {
		f.logTransition(ctx, err)
		if err == nil {
			break
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(followAgain):
		}
	}
	f.publish()
	for {
		var again, overdue, due <-chan time.Time
		if f.fault != "" {
			again = time.After(followAgain)
		}
		if at := f.known.overdue.rises(); !at.IsZero() {
			overdue = time.After(time.Until(at))
		}
		if f.pending.any {
			due = time.After(time.Until(f.due()))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-f.log.Changed():
			f.follow(ctx)
		case <-again:
			f.follow(ctx)
		case <-overdue:
			if f.known.overdue.count(time.Now()) {
				f.publish()
			}
		case <-due:
			f.publish()
		}
	}
}

// Snapshot returns the newest figures, never nil.
func (f *Figures) Snapshot() *figures.Snapshot { return f.shown.Load().Snapshot }

// Ready reports whether the log has been folded once.
func (f *Figures) Ready() bool { return f.ready.Load() }

// Await returns once the figures up to a revision are published, or with the error of ctx.
func (f *Figures) Await(ctx context.Context, revision int64) error {
	for {
		p := f.shown.Load()
		if f.Ready() && p.Position.Revision >= revision {
			return nil
		}
		select {
		case <-p.replaced:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// EventsOf returns the ids of the events that a record belongs to, as far as the log has been folded: several for
// a payment that is split, and an empty id for an unattributed part.
func (f *Figures) EventsOf(r record.Record) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ledger.EventsOf(r)
}
