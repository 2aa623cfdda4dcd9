package apiclient

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// maxPause is the longest pause that a call sits out; before a longer one it fails at
	// once. Windows of a minute are the usual ones: a long read that broke off at the end of
	// each might never come to its own.
	maxPause = time.Minute
	// maxRetryAfter is the longest wait that is believed and told to the caller.
	maxRetryAfter = 15 * time.Minute
)

// budget is our own limit of calls, and a pause of all calls when the service says that
// its limit has been reached.
type budget struct {
	limiter *rate.Limiter

	mu    sync.Mutex
	until time.Time // no call before
}

// newBudget allows perMinute calls, up to a twelfth of them (at most 20) at once.
func newBudget(perMinute int) *budget {
	burst := min(max(perMinute/12, 1), 20)
	return &budget{limiter: rate.NewLimiter(rate.Limit(float64(perMinute)/60), burst)}
}

// wait returns when the next call to a stream may be made: with an *Error, at once, when
// that is not within maxPause, or with what ended ctx.
func (b *budget) wait(ctx context.Context, stream Kind) error {
	for {
		left := b.left()
		if left == 0 {
			break
		}
		if left > maxPause {
			return &Error{Kind: RateLimited, Stream: stream, RetryAfter: left}
		}
		t := time.NewTimer(left)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return ended(ctx, stream)
		}
	}
	if err := b.limiter.Wait(ctx); err != nil {
		if ctx.Err() != nil {
			return ended(ctx, stream)
		}
		// It sees that the deadline comes before our turn.
		return fmt.Errorf("apiclient: %s: %w", stream, context.DeadlineExceeded)
	}
	return nil
}

// left is what is left of the pause of all calls, 0 when there is none.
func (b *budget) left() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return max(0, time.Until(b.until))
}

// Paused is how long all calls are still held back because the service's limit has been
// reached; 0 when they are not.
func (c *Client) Paused() time.Duration { return c.budget.left() }

// pause lets no call begin for d.
func (b *budget) pause(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if until := time.Now().Add(d); until.After(b.until) {
		b.until = until
	}
}

// retryAfter reads a Retry-After header, seconds or an HTTP date; 0 when it says
// nothing, at most maxRetryAfter.
func retryAfter(s string, now time.Time) time.Duration {
	s = strings.TrimSpace(s)
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		return seconds(n)
	}
	if t, err := http.ParseTime(s); err == nil {
		return min(max(t.Sub(now), 0), maxRetryAfter)
	}
	return 0
}

// seconds is n seconds, none when n is no sensible number, at most maxRetryAfter.
func seconds(n float64) time.Duration {
	if math.IsNaN(n) || n <= 0 {
		return 0
	}
	return time.Duration(min(n, maxRetryAfter.Seconds()) * float64(time.Second))
}

// The families of headers that tell what is left of a window and when it ends.
var limitHeaders = []string{"RateLimit-", "X-RateLimit-", "X-Rate-Limit-", "Rate-Limit-"}

// exhausted reads how long it takes until the service's window begins anew, if h says
// that nothing is left of the present one; otherwise 0. At most maxRetryAfter.
func exhausted(h http.Header, now time.Time) time.Duration {
	for _, family := range limitHeaders {
		if left, err := strconv.Atoi(h.Get(family + "Remaining")); err == nil && left <= 0 {
			return reset(h.Get(family+"Reset"), now)
		}
	}
	// RateLimit: "minute";r=0;t=12 as in draft-ietf-httpapi-ratelimit-headers-07 and later,
	// or limit=60, remaining=0, reset=12 as in earlier drafts. The longest wait counts.
	var longest time.Duration
	left, wait := -1, ""
	for _, part := range strings.FieldsFunc(h.Get("RateLimit"), func(r rune) bool { return r == ',' || r == ';' }) {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "r", "remaining":
			left, wait = -1, ""
			if n, err := strconv.Atoi(value); err == nil {
				left = n
			}
		case "t", "reset":
			wait = value
		}
		if left == 0 && wait != "" {
			longest = max(longest, reset(wait, now))
		}
	}
	return longest
}

// reset reads the end of a window: seconds from now, seconds or milliseconds since
// 1970, or a date.
func reset(s string, now time.Time) time.Duration {
	s = strings.TrimSpace(s)
	n, err := strconv.ParseFloat(s, 64)
	switch {
	case err == nil && n > 1e12:
		return seconds(n/1e3 - float64(now.UnixMilli())/1e3)
	case err == nil && n > 1e9:
		return seconds(n - float64(now.UnixMilli())/1e3)
	case err == nil:
		return seconds(n)
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return min(max(t.Sub(now), 0), maxRetryAfter)
	}
	return retryAfter(s, now)
}
