package sandbox

import (
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"
)

// service is what all handlers share.
type service struct {
	options Options
	log     *slog.Logger
	login   *login
	faults  *faults
	limits  *limits
	keys    *apiKeys
	edition string // of this run, for entity tags

	mu      sync.Mutex // guards the rest
	clock   clock
	house   *house
	paging  string
	repeats repeats
	journal io.WriteCloser // nil without one
}

// catchUp lets happen everything up to now, which it returns. A happening may move the
// clock (a control call that is replayed), so the clock is read again for each.
func (s *service) catchUp() time.Time {
	for {
		now := s.clock.now()
		if !s.house.next(now) {
			s.house.now = now
			return now
		}
	}
}

// issuer is the sandbox's own address.
func (s *service) issuer(r *http.Request) string {
	if s.options.PublicURL != "" {
		return strings.TrimRight(s.options.PublicURL, "/")
	}
	return "http://" + r.Host
}

// clock is the sandbox's time. It stands still until run.
type clock struct {
	base  time.Time // the sandbox's time at real
	real  time.Time // zero while it stands still
	speed float64
}

func (c *clock) run() {
	if c.speed > 0 {
		c.real = time.Now()
	}
}

func (c *clock) now() time.Time {
	if c.real.IsZero() {
		return c.base
	}
	passed := time.Duration(float64(time.Since(c.real)) * c.speed)
	return c.base.Add(passed).Truncate(time.Millisecond)
}

func (c *clock) advance(d time.Duration) {
	c.base = c.base.Add(max(d, 0).Truncate(time.Millisecond))
}
