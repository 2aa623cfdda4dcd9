package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/store/engine"
)

const (
	// leaseRetry is how often a process that waits for the lease tries to take it.
	leaseRetry = time.Second
	// leaseDoubt is how long a lease that cannot be renewed counts as held.
	leaseDoubt = 5 * time.Second
)

// Lead calls lead while this process holds the lease of the service, with the lease's term
// and a context that ends, with aggregator.ErrLeaseLost as its cause, when the lease is
// lost. Until it gets the lease, and after each loss, it waits for it; lead has to return
// first. Lead returns nil when ctx has ended, else what lead returned. Two calls for one
// service exclude each other in one process as in two.
func (r *Records) Lead(ctx context.Context, lead func(ctx context.Context, term int64) error) error {
	freed, stop := r.Watch(subjectLease)
	defer stop()
	failed := false // logged once until the database answers
	for ctx.Err() == nil {
		l, t, err := r.acquire(ctx)
		if err != nil && ctx.Err() == nil && !failed {
			r.Logger.Error("the lease cannot be had", "database", r.name, "error", r.database.WithHint(err))
		}
		failed = err != nil
		if l == nil {
			select {
			case <-ctx.Done():
			case <-freed:
			case <-time.After(leaseRetry):
			}
			continue
		}
		lost, err := r.term(ctx, l, t, lead)
		if ctx.Err() != nil {
			return nil
		}
		if !lost {
			return err
		}
	}
	return nil
}

// acquire takes the lease and begins a term; nil if another process has the lease.
func (r *Records) acquire(ctx context.Context) (l engine.Lease, t *tenure, err error) {
	l, err = r.database.Acquire(ctx, r.service, func(ctx context.Context, tx *sql.Tx, term int64) (err error) {
		t, err = beginTenure(ctx, ofService{tx, r.database.SQL, r.service}, term)
		return err
	})
	return l, t, err
}

// term runs lead for one term and gives the lease back. lost is true if lead ended because the lease did.
func (r *Records) term(ctx context.Context, l engine.Lease, t *tenure, lead func(ctx context.Context, term int64) error) (lost bool, err error) {
	leading, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.keep(leading, l, cancel)
	}()
	r.leading.Store(t)
	err = lead(leading, t.term)
	lost = errors.Is(context.Cause(leading), aggregator.ErrLeaseLost) || errors.Is(err, aggregator.ErrLeaseLost)
	cancel(nil)
	<-done
	orderly, end := context.WithTimeout(context.WithoutCancel(ctx), engine.LeasePatience)
	defer end()
	if err := l.Release(orderly); err != nil {
		r.Logger.Error("the lease could not be given back", "database", r.name, "error", err)
	}
	r.hints.hint(subjectLease)
	return lost, err
}

// keep renews the lease until ctx ends, or cancels it when the lease is lost or in doubt
// for too long.
func (r *Records) keep(ctx context.Context, l engine.Lease, cancel context.CancelCauseFunc) {
	sure := time.Now() // when the lease was held for sure
	for wait := l.Every(); ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		asked := time.Now()
		attempt, end := context.WithTimeout(ctx, engine.LeasePatience)
		held, err := l.Renew(attempt)
		end()
		switch {
		case err == nil && held:
			sure, wait = asked, l.Every()
		case err == nil, time.Since(sure) > leaseDoubt:
			cancel(aggregator.ErrLeaseLost)
			return
		default:
			wait = min(leaseRetry, max(0, leaseDoubt-time.Since(sure)))
		}
	}
}
