package aggregator

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
)

// Reconciler stores what the checks of the figures find, so that every replica shows the same findings,
// with the time since which they exist and who has seen them. Findings are log entries rather than state of
// each process, because what a page shows is a function of the log, and a recompute is expensive. Only the
// leading process does it.
type Reconciler struct {
	Figures *Figures
	// Enter stores records in the log.
	Enter func(ctx context.Context, at time.Time, entered ...record.Record) (revision int64, err error)
	// Leads reports whether this process stores the findings, and Quiet whether a recompute would disturb nobody
	// now.
	Leads func() bool
	Quiet func(now time.Time) bool
	Now   func() time.Time // the venue's clock
	// LowMemory, if set, runs a recompute so that it uses little memory, and returns when the recompute has ended.
	LowMemory func(recompute func())
	// Logger gets what could not be stored; required.
	Logger *slog.Logger
}

const (
	// reconcileEvery is how often the checks are made, and recomputeEvery the shortest time between two
	// recomputes.
	reconcileEvery = 15 * time.Second
	recomputeEvery = 20 * time.Hour
	// Between two full recomputes, one slice of the performances is recomputed every sliceEvery, each of
	// sliceCount in turn; a round takes 18 hours.
	sliceCount = 12
	sliceEvery = 90 * time.Minute
	// recomputeAgain is how long to wait after a failed recompute.
	recomputeAgain = 15 * time.Minute
)

// Run runs the checks until ctx ends, and then returns nil. A recompute runs alongside the checks.
func (r *Reconciler) Run(ctx context.Context) error {
	ticker := time.NewTicker(reconcileEvery)
	defer ticker.Stop()
	var recomputing sync.WaitGroup
	defer recomputing.Wait()
	var busy atomic.Bool
	var again time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		if !r.Leads() || !r.Figures.Ready() {
			continue
		}
		now := r.Now()
		s := r.Figures.Snapshot()
		r.enter(ctx, now, evening.At(s, now).Found(now)...)
		if busy.Load() || time.Now().Before(again) {
			continue
		}
		// A time in the future was stored by a clock that ran ahead.
		due := func(last time.Time, every time.Duration) bool {
			age := now.Sub(last)
			return age < 0 || age >= every
		}
		recompute := r.recompute
		if number, last := NextSlice(s, sliceCount); !due(Recomputed(s), recomputeEvery) || !r.Quiet(now) {
			if last.IsZero() || !due(last, sliceEvery) {
				continue
			}
			recompute = func(ctx context.Context) { r.recomputeSlice(ctx, number) }
		}
		again = time.Now().Add(recomputeAgain)
		busy.Store(true)
		recomputing.Go(func() {
			defer busy.Store(false)
			recompute(ctx)
		})
	}
}

// recompute stores the result of a recompute.
func (r *Reconciler) recompute(ctx context.Context) {
	var result *record.Reconciliation
	var err error
	recompute := func() { result, err = r.Figures.Recompute(ctx, r.Now()) }
	if r.LowMemory != nil {
		inFull := recompute
		recompute = func() { r.LowMemory(inFull) }
	}
	recompute()
	if r.recomputed(ctx, "figures recomputed from all stored versions", result, err) {
		r.enter(ctx, result.At, KeepSince(r.Figures.Snapshot(), result))
	}
}

// recomputeSlice stores the result of recomputing a slice, merged with those of the other slices.
func (r *Reconciler) recomputeSlice(ctx context.Context, number int) {
	result, err := r.Figures.RecomputeSlice(ctx, r.Now(), number, sliceCount)
	if r.recomputed(ctx, "figures of some performances recomputed from stored versions", result, err) {
		if all := WithSlice(r.Figures.Snapshot(), result, number, sliceCount); all != nil {
			r.enter(ctx, all.At, all)
		}
	}
}

// recomputed logs the result of a recompute and reports whether there is something to store.
func (r *Reconciler) recomputed(ctx context.Context, what string, result *record.Reconciliation, err error) bool {
	if err != nil {
		if ctx.Err() == nil {
			r.Logger.Error("the figures were not recomputed; it is tried again", "error", err)
		}
		return false
	}
	level := slog.LevelInfo
	if result.Differ > 0 {
		level = slog.LevelError
	}
	r.Logger.Log(ctx, level, what, "revision", result.Revision, "versions", result.Versions,
		"performances", result.Compared, "differ", result.Differ, "took", result.Took)
	return true
}

func (r *Reconciler) enter(ctx context.Context, at time.Time, found ...record.Record) {
	if len(found) == 0 {
		return
	}
	if _, err := r.Enter(ctx, at, found...); err != nil && ctx.Err() == nil {
		r.Logger.Warn("what the checks of the figures found is not stored", "error", err)
	}
}
