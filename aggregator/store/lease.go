package store

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"time"

	"housecount/aggregator"
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
		l, err := r.database.acquire(ctx, r.service)
		if err != nil && ctx.Err() == nil && !failed {
			r.Logger.Error("the lease cannot be had", "database", r.name, "error", r.database.withHint(err))
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
		lost, err := r.term(ctx, l, lead)
		if ctx.Err() != nil {
			return nil
		}
		if !lost {
			return err
		}
	}
	return nil
}

// term runs lead for one term and gives the lease back. lost is true if lead ended because the lease did.
func (r *Records) term(ctx context.Context, l lease, lead func(ctx context.Context, term int64) error) (lost bool, err error) {
	leading, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.keep(leading, l, cancel)
	}()
	r.leading.Store(l.began())
	err = lead(leading, l.began().term)
	lost = errors.Is(context.Cause(leading), aggregator.ErrLeaseLost) || errors.Is(err, aggregator.ErrLeaseLost)
	cancel(nil)
	<-done
	orderly, end := context.WithTimeout(context.WithoutCancel(ctx), leasePatience)
	defer end()
	if err := l.release(orderly); err != nil {
		r.Logger.Error("the lease could not be given back", "database", r.name, "error", err)
	}
	r.hints.hint(subjectLease)
	return lost, err
}

// keep renews the lease until ctx ends, or cancels it when the lease is lost or in doubt
// for too long.
func (r *Records) keep(ctx context.Context, l lease, cancel context.CancelCauseFunc) {
	sure := time.Now() // when the lease was held for sure
	for wait := l.every(); ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		asked := time.Now()
		attempt, end := context.WithTimeout(ctx, leasePatience)
		held, err := l.renew(attempt)
		end()
		switch {
		case err == nil && held:
			sure, wait = asked, l.every()
		case err == nil, time.Since(sure) > leaseDoubt:
			cancel(aggregator.ErrLeaseLost)
			return
		default:
			wait = min(leaseRetry, max(0, leaseDoubt-time.Since(sure)))
		}
	}
}

// fileLease is held by a lock on a file, which the system drops when the process ends,
// however it ends. Its term is in the database.
type fileLease struct {
	service int64
	tenure  *tenure
	file    *os.File
	held    *sql.Stmt // asked every second
}

func (d *sqliteDB) acquire(ctx context.Context, service int64) (lease, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	file, err := d.lock(service)
	if file == nil {
		return nil, err
	}
	l := &fileLease{service: service, file: file}
	if l.tenure, err = d.beginTerm(ctx, service); err == nil {
		l.held, err = d.reader.PrepareContext(ctx, `SELECT term FROM lease WHERE service = ?`)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return l, nil
}

// beginTerm ends the term before and begins one.
func (d *sqliteDB) beginTerm(ctx context.Context, service int64) (*tenure, error) {
	tx, err := d.writer.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback() // does nothing after Commit
	var term int64
	if err := tx.QueryRowContext(ctx, `INSERT INTO lease (service, term) VALUES (?, 1)
		ON CONFLICT (service) DO UPDATE SET term = term + 1 RETURNING term`, service).Scan(&term); err != nil {
		return nil, err
	}
	t, err := beginTenure(ctx, tx, d.sql, service, term)
	if err != nil {
		return nil, err
	}
	return t, tx.Commit()
}

func (l *fileLease) began() *tenure { return l.tenure }

func (l *fileLease) every() time.Duration { return time.Second }

func (l *fileLease) renew(ctx context.Context) (held bool, err error) {
	var term int64
	err = l.held.QueryRowContext(ctx, l.service).Scan(&term)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return term == l.tenure.term, err
}

func (l *fileLease) release(context.Context) error {
	return errors.Join(l.held.Close(), l.file.Close())
}
