package main

import (
	"context"
	"sync/atomic"

	"housecount/aggregator"
	"housecount/aggregator/store"
)

// leadingLog is a log that knows the term of the lease under which this process polls, so that what is found out
// about the service is stored under that term.
type leadingLog struct {
	*store.Records
	term atomic.Int64
	// leads is true while this process has the lease; stored counts the versions that it has appended.
	leads  atomic.Bool
	stored atomic.Int64
	trace  *trace // nil for none
}

// Lead implements poller.Log.
func (l *leadingLog) Lead(ctx context.Context, lead func(ctx context.Context, term int64) error) error {
	return l.Records.Lead(ctx, func(ctx context.Context, term int64) error {
		l.term.Store(term)
		l.leads.Store(true)
		defer l.leads.Store(false)
		return lead(ctx, term)
	})
}

// Append implements poller.Log.
func (l *leadingLog) Append(ctx context.Context, b aggregator.Batch) (aggregator.Appended, error) {
	a, err := l.trace.append(ctx, b, l.Records.Append)
	if err == nil {
		l.stored.Add(int64(a.New))
	}
	return a, err
}

// SetAnswer stores what was found out about the service, unless another process polls now.
func (l *leadingLog) SetAnswer(ctx context.Context, key string, answer []byte) error {
	return l.Records.SetAnswer(ctx, l.term.Load(), key, answer)
}
