package observe

import (
	"context"
	"sync/atomic"

	"housecount/aggregator"
	"housecount/aggregator/store"
)

// LeadingLog is a log that knows the term of the lease under which this process polls, so that what is found out
// about the service is stored under that term.
type LeadingLog struct {
	*store.Records
	term atomic.Int64
	// Leads is true while this process has the lease; stored counts the versions that it has appended.
	Leads  atomic.Bool
	stored atomic.Int64
	Trace  *Trace // nil for none
}

// Lead implements poller.Log.
func (l *LeadingLog) Lead(ctx context.Context, lead func(ctx context.Context, term int64) error) error {
	return l.Records.Lead(ctx, func(ctx context.Context, term int64) error {
		l.term.Store(term)
		l.Leads.Store(true)
		defer l.Leads.Store(false)
		return lead(ctx, term)
	})
}

// Append implements poller.Log.
func (l *LeadingLog) Append(ctx context.Context, b aggregator.Batch) (aggregator.Appended, error) {
	a, err := l.Trace.append(ctx, b, l.Records.Append)
	if err == nil {
		l.stored.Add(int64(a.New))
	}
	return a, err
}

// SetAnswer stores what was found out about the service, unless another process polls now.
func (l *LeadingLog) SetAnswer(ctx context.Context, key string, answer []byte) error {
	return l.Records.SetAnswer(ctx, l.term.Load(), key, answer)
}
