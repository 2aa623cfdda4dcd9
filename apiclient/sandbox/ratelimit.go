package sandbox

import (
	"maps"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"housecount/apiclient/sandbox/idp"
)

// limits is a rate limit for each credential, in real time. Each has a token bucket that holds the requests of one
// minute.
type limits struct {
	mu        sync.Mutex
	perMinute int // 0 for no limit
	buckets   map[string]*rate.Limiter
}

// maxBuckets is the number of buckets from which full ones are removed.
const maxBuckets = 1000

func newLimits(perMinute int) *limits {
	return &limits{perMinute: perMinute, buckets: map[string]*rate.Limiter{}}
}

// set changes the limit and starts again with full buckets.
func (l *limits) set(perMinute int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.perMinute = perMinute
	clear(l.buckets)
}

// bucket returns the bucket of a credential, or nil without a limit.
func (l *limits) bucket(credential string) (perMinute int, b *rate.Limiter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.perMinute == 0 {
		return 0, nil
	}
	if b = l.buckets[credential]; b == nil {
		if now := time.Now(); len(l.buckets) >= maxBuckets {
			maps.DeleteFunc(l.buckets, func(_ string, b *rate.Limiter) bool { return b.TokensAt(now) >= float64(l.perMinute) })
		}
		b = rate.NewLimiter(rate.Limit(float64(l.perMinute)/60), l.perMinute)
		l.buckets[credential] = b
	}
	return l.perMinute, b
}

// spend takes a request from a credential's bucket. It reports false after writing a 429 response. RateLimit-Reset
// is the number of seconds until the bucket is full or, if it is empty, until one request is allowed.
func (l *limits) spend(w http.ResponseWriter, credential string) bool {
	perMinute, b := l.bucket(credential)
	if perMinute == 0 {
		return true
	}
	now := time.Now()
	allowed := b.AllowN(now, 1)
	left := b.TokensAt(now)
	until := func(tokens float64) string { // seconds until the bucket holds tokens
		return strconv.Itoa(max(0, int(math.Ceil((tokens-left)/float64(b.Limit())))))
	}
	h := w.Header()
	h.Set("RateLimit-Limit", strconv.Itoa(perMinute))
	h.Set("RateLimit-Remaining", strconv.Itoa(max(0, int(left))))
	h.Set("RateLimit-Reset", until(float64(perMinute)))
	if left < 1 {
		h.Set("RateLimit-Reset", until(1))
	}
	if !allowed {
		h.Set("Retry-After", until(1))
		idp.WriteProblem(w, http.StatusTooManyRequests, "The limit is "+strconv.Itoa(perMinute)+" requests a minute.")
	}
	return allowed
}

const maxRateLimit = 1_000_000
