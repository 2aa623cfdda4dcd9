package apiclient

import (
	"cmp"
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
	// maxPause is the longest pause that a call waits out; before a longer one it fails at once.
	// Limits per minute are common: a long read that failed at the end of every minute might never
	// complete.
	maxPause = time.Minute
	// maxRetryAfter is the longest wait that is believed and reported to the caller.
	maxRetryAfter = 15 * time.Minute
)

// budget limits our calls. It slows down to what the service reports as left of its own limit, and
// pauses all calls if nothing is left.
type budget struct {
	limiter  *rate.Limiter
	ownPace  rate.Limit
	ownBurst int
	// daily is nil without a limit per day.
	daily *rate.Limiter

	mu          sync.Mutex
	pausedUntil time.Time // no call before
	// slowUntil is when the service's limit that slows us down ends; zero for none.
	slowUntil time.Time
}

// newBudget allows perMinute calls, a twelfth of them (at most 20) at once, and at most perDay in
// any 24 hours if that is not zero.
func newBudget(perMinute, perDay int) *budget {
	b := &budget{ownPace: rate.Limit(float64(perMinute) / 60), ownBurst: min(max(perMinute/12, 1), 20)}
	b.limiter = rate.NewLimiter(b.ownPace, b.ownBurst)
	if perDay > 0 {
		atOnce := max(perDay/10, 1)
		b.daily = rate.NewLimiter(rate.Limit(float64(perDay-atOnce)/86400), atOnce)
	}
	return b
}

// wait returns once the next call to a stream may be made. If that takes longer than maxPause it
// returns an *Error at once. It may also return the cause that ended ctx.
func (b *budget) wait(ctx context.Context, stream string) error {
	for {
		left := b.pauseLeft()
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
			return contextError(ctx, stream)
		}
	}
	b.mu.Lock()
	if !b.slowUntil.IsZero() && !time.Now().Before(b.slowUntil) {
		b.setPace(b.ownPace, b.ownBurst, time.Time{})
	}
	b.mu.Unlock()
	for _, l := range []*rate.Limiter{b.daily, b.limiter} {
		if l == nil {
			continue
		}
		if err := l.Wait(ctx); err != nil {
			if ctx.Err() != nil {
				return contextError(ctx, stream)
			}
			// Wait fails early if the deadline of ctx comes first.
			return fmt.Errorf("apiclient: %s: %w", stream, context.DeadlineExceeded)
		}
	}
	return nil
}

// applyWindows adapts to what the service reports as left of its limits: it pauses if nothing is
// left, and otherwise spreads what is left over the rest of the window, with at least one call a
// minute. The pace rises again when the service reports more.
func (b *budget) applyWindows(all []window) {
	if len(all) == 0 {
		return
	}
	b.pause(min(untilReset(all), maxRetryAfter))
	pace, burst, ends := b.ownPace, b.ownBurst, time.Time{}
	for _, w := range all {
		if w.left <= 0 || w.ends <= 0 {
			continue
		}
		if p := max(rate.Limit(float64(w.left)/w.ends.Seconds()), rate.Every(maxPause)); p < pace {
			pace, burst, ends = p, min(burst, w.left), time.Now().Add(w.ends)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.setPace(pace, burst, ends)
}

// setPace must be called with b.mu held.
func (b *budget) setPace(pace rate.Limit, burst int, until time.Time) {
	if b.limiter.Limit() != pace {
		b.limiter.SetLimit(pace)
	}
	if b.limiter.Burst() != burst {
		b.limiter.SetBurst(burst)
	}
	b.slowUntil = until
}

// pauseLeft returns the rest of the pause of all calls, 0 if there is none.
func (b *budget) pauseLeft() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return max(0, time.Until(b.pausedUntil))
}

// heldFor returns how long the next call has to wait: for the pause of all calls, or for the
// callers ahead of it.
func (b *budget) heldFor() time.Duration {
	longest := b.pauseLeft()
	for _, l := range []*rate.Limiter{b.daily, b.limiter} {
		if l == nil {
			continue
		}
		if owed := -l.Tokens(); owed > 0 {
			longest = max(longest, time.Duration(owed/float64(l.Limit())*float64(time.Second)))
		}
	}
	return longest
}

// pause holds all calls back for d.
func (b *budget) pause(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if until := time.Now().Add(d); until.After(b.pausedUntil) {
		b.pausedUntil = until
	}
}

// retryAfter parses a Retry-After header, in seconds or as an HTTP date. It returns 0 if it cannot,
// and at most maxRetryAfter.
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

// seconds returns n seconds as a Duration, 0 if n is not positive, and at most maxRetryAfter.
func seconds(n float64) time.Duration {
	if math.IsNaN(n) || n <= 0 {
		return 0
	}
	return time.Duration(min(n, maxRetryAfter.Seconds()) * float64(time.Second))
}

// window is what is left of one of the service's limits.
type window struct {
	left int
	ends time.Duration // from now, at most maxRetryAfter; 0 if not reported
}

// limitHeaders are the prefixes of the headers that report what is left of a window and when it
// ends.
var limitHeaders = []string{"RateLimit-", "X-RateLimit-", "X-Rate-Limit-", "Rate-Limit-"}

// reportedLimits returns the headers in which h reports the service's limits.
func reportedLimits(h http.Header) (all []string) {
	for _, family := range limitHeaders {
		for _, of := range []string{"Limit", "Remaining", "Available", "Reset"} {
			if h.Get(family+of) != "" {
				all = append(all, family+"*")
				break
			}
		}
	}
	for _, name := range []string{"RateLimit", "RateLimit-Policy", "Retry-After"} {
		if h.Get(name) != "" {
			all = append(all, name)
		}
	}
	return all
}

// maxWindows is the most windows that are read of a response.
const maxWindows = 20

// windows parses the service's limits from h: the first prefix of limitHeaders that is there, and
// the structured fields RateLimit and RateLimit-Policy of draft-ietf-httpapi-ratelimit-headers-07
// and later, or RateLimit as in earlier drafts.
func windows(h http.Header, now time.Time) (all []window) {
	for _, family := range limitHeaders {
		// Some services use -Available.
		remaining := cmp.Or(h.Get(family+"Remaining"), h.Get(family+"Available"))
		if left, err := strconv.Atoi(strings.TrimSpace(remaining)); err == nil {
			all = append(all, window{max(left, 0), reset(h.Get(family+"Reset"), now)})
			break
		}
	}
	// RateLimit: "minute";r=0;t=12, "day";r=80;t=3600, or limit=60, remaining=0, reset=12.
	oldStyle, isOldStyle := window{left: -1}, false
	for _, params := range fields(h.Values("RateLimit")) {
		if r, ok := params["r"]; ok {
			if left, err := strconv.Atoi(r); err == nil {
				all = append(all, window{max(left, 0), reset(params["t"], now)})
			}
			continue
		}
		if r, ok := params["remaining"]; ok {
			if left, err := strconv.Atoi(r); err == nil {
				oldStyle.left, isOldStyle = max(left, 0), true
			}
		}
		if t, ok := params["reset"]; ok {
			oldStyle.ends = reset(t, now)
		}
	}
	if isOldStyle {
		all = append(all, oldStyle)
	}
	// The quota of a whole window also limits the pace.
	for _, params := range fields(h.Values("RateLimit-Policy")) {
		quota, err := strconv.Atoi(params["q"])
		if w := seconds(number(params["w"])); err == nil && quota > 0 && w > 0 && number(params["w"]) <= maxRetryAfter.Seconds() {
			all = append(all, window{quota, w})
		}
	}
	return all[:min(len(all), maxWindows)]
}

// fields splits a structured field into members and those into parameters. A member without a value
// of its own, such as remaining=0, is one parameter.
func fields(values []string) (all []map[string]string) {
	for _, v := range values {
		for _, item := range strings.Split(v, ",") {
			if len(all) == maxWindows {
				return all
			}
			params := map[string]string{}
			for _, p := range strings.Split(item, ";") {
				if name, value, ok := strings.Cut(p, "="); ok {
					params[strings.ToLower(strings.TrimSpace(name))] = strings.Trim(strings.TrimSpace(value), `"`)
				}
			}
			all = append(all, params)
		}
	}
	return all
}

// number parses s; it returns 0 if s is not a number.
func number(s string) float64 {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return n
}

// untilReset returns the time until every exhausted window has been renewed; 0 if no window is
// exhausted.
func untilReset(all []window) (longest time.Duration) {
	for _, w := range all {
		if w.left <= 0 {
			longest = max(longest, w.ends)
		}
	}
	return longest
}

// reset parses the end of a window: seconds from now, seconds or milliseconds since 1970, or a
// date.
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
