package apiclient

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// withRetries calls once until it succeeds, fails permanently or the retries are used up. It waits
// with full jitter between 0 and 0.5, 1, 2 … 8 s, or as long as the service asks if that is at most
// maxWait.
func withRetries[T any](ctx context.Context, c *caller, stream string, retries int, once func() (T, error)) (T, error) {
	slow := false
	op := func() (T, error) {
		v, err := once()
		if err == nil {
			return v, nil
		}
		e, ok := errors.AsType[*Error](err)
		if !ok || !e.transient || e.RetryAfter > maxWait || e.Kind == Slow && slow {
			return v, backoff.Permanent(err)
		}
		slow = slow || e.Kind == Slow
		if e.RetryAfter > 0 {
			return v, errors.Join(e, &backoff.RetryAfterError{Duration: e.RetryAfter})
		}
		return v, e
	}
	v, err := backoff.Retry(ctx, op,
		// The library spreads by ±100 % of the interval, so the first wait is 0 to 0.5 s.
		backoff.WithBackOff(&backoff.ExponentialBackOff{
			InitialInterval: 250 * time.Millisecond, RandomizationFactor: 1, Multiplier: 2, MaxInterval: 4 * time.Second,
		}),
		backoff.WithMaxTries(uint(retries)+1),
		backoff.WithMaxElapsedTime(0),
		backoff.WithNotify(func(err error, wait time.Duration) {
			if e, ok := errors.AsType[*Error](err); ok {
				c.log.Debug("call failed, trying again", "stream", stream, "kind", e.Kind, "status", e.Status, "wait", wait)
			}
		}),
	)
	if e, ok := errors.AsType[*Error](err); ok {
		return v, e
	}
	if err != nil && ctx.Err() != nil {
		return v, contextError(ctx, stream)
	}
	return v, err
}
