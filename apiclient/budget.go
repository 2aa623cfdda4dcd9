package apiclient

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// maxPause is the longest that all calls wait because the service's window is used up.
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

// wait returns when the next call may be made, or with what ended ctx.
func (b *budget) wait(ctx context.Context) error {
	for {
		b.mu.Lock()
		left := time.Until(b.until)
		b.mu.Unlock()
		if left <= 0 {
			break
		}
		t := time.NewTimer(left)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return context.Cause(ctx)
		}
	}
	if err := b.limiter.Wait(ctx); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return context.DeadlineExceeded // it sees that the deadline comes before our turn
	}
	return nil
}

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
