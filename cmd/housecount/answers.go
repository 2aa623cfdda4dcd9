package main

import (
	"context"
	"sync/atomic"

	"housecount/aggregator/store"
)

// leadingLog is a log that knows the term of the lease under which this process polls, so
// that what is found out about the service is stored under it.
type leadingLog struct {
	*store.Records
	term atomic.Int64
}

// Lead is that of the records.
func (l *leadingLog) Lead(ctx context.Context, lead func(ctx context.Context, term int64) error) error {
	return l.Records.Lead(ctx, func(ctx context.Context, term int64) error {
		l.term.Store(term)
		return lead(ctx, term)
	})
}

// SetAnswer stores what was found out about the service, unless another process polls now.
func (l *leadingLog) SetAnswer(ctx context.Context, key string, answer []byte) error {
	return l.Records.SetAnswer(ctx, l.term.Load(), key, answer)
}
