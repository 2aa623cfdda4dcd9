package aggregator

import (
	"context"
	"errors"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

const (
	// recomputeApply is how many versions a recompute applies at once, and recomputeRest how long it then
	// rests, so that it takes a fraction of one core.
	recomputeApply = 256
	recomputeRest  = 10 * time.Millisecond
)

// errReplaced says that the log got another epoch during a recompute.
var errReplaced = errors.New("the log was replaced meanwhile")

// Recompute folds all stored versions into a second ledger and compares what that comes to with the
// figures that are published at the same position. It holds no lock, works in one goroutine beside those
// that read the log, and rests so that the others hardly notice; it needs as much memory again as the
// ledger. It changes no figure. at is the venue's time of the record that it returns, to be entered.
func (f *Figures) Recompute(ctx context.Context, at time.Time) (*record.Reconciliation, error) {
	began := time.Now()
	first, err := f.log.Position(ctx)
	if err != nil {
		return nil, err
	}
	ledger, versions := figures.NewLedger(f.calendar), 0
	fold := func(after, upTo int64) error {
		n := 0
		for v, err := range f.log.Versions(ctx, after) {
			if err != nil {
				return err
			}
			if v.Revision > upTo {
				break
			}
			ledger.Apply(v)
			versions++
			if n++; n%recomputeApply == 0 {
				select {
				case <-time.After(recomputeRest):
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}
		return nil
	}
	if err := fold(0, first.Revision); err != nil {
		return nil, err
	}
	// What was folded away meanwhile went to versions that the log has by now.
	now, err := f.log.Position(ctx)
	if err != nil {
		return nil, err
	}
	if err := f.Await(ctx, now.Revision); err != nil {
		return nil, err
	}
	shown := f.shown.Load()
	if shown.Position.Epoch != first.Epoch {
		return nil, errReplaced
	}
	if err := fold(first.Revision, shown.Position.Revision); err != nil {
		return nil, err
	}
	if now, err := f.log.Position(ctx); err != nil {
		return nil, err
	} else if now.Epoch != first.Epoch { // what was read is of two logs
		return nil, errReplaced
	}
	proper := ledger.Snapshot(shown.Position, shown.coverage)
	found, differ := figures.Unequal(shown.Snapshot, proper, at)
	return &record.Reconciliation{Check: string(figures.CheckRecompute), At: at, Found: found, Differ: differ, Compared: len(shown.Events),
		Revision: shown.Position.Revision, Versions: versions, Took: time.Since(began).Round(time.Millisecond)}, nil
}
