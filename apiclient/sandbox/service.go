package sandbox

import (
	"io"
	"log/slog"
	"sync"
	"time"

	"housecount/apiclient/sandbox/idp"
)

// service is what all handlers share.
type service struct {
	options Options
	log     *slog.Logger
	login   *idp.Provider
	faults  *faults
	limits  *limits
	edition string // of this run, for entity tags

	mu      sync.Mutex // guards the rest
	clock   clock
	house   *house
	paging  string
	repeats storedAnswers
	journal io.WriteCloser // nil without one
}

// catchUp lets happen everything up to now, which it returns. A happening may move the
// clock (a control call that is replayed), so the clock is read again for each.
func (s *service) catchUp() time.Time {
	for {
		now := s.clock.now()
		if !s.house.runNext(now) {
			s.house.now = now
			return now
		}
	}
}

// clock is the sandbox's time. It stands still until run.
type clock struct {
	base     time.Time // the sandbox's time at real
	real     time.Time // zero while it stands still
	speed    float64
	advances []clockAdvance
}

// move is how far the clock was moved on, and when by the machine's clock.
type clockAdvance struct {
	at time.Time
	by time.Duration
}

func (c *clock) run() {
	if c.speed > 0 {
		c.real = time.Now()
	}
}

func (c *clock) now() time.Time { return c.at(time.Now()) }

// at is what it showed, or will show, at a moment of the machine's clock.
func (c *clock) at(t time.Time) time.Time {
	at := c.base
	if !c.real.IsZero() {
		at = at.Add(time.Duration(float64(t.Sub(c.real)) * c.speed)).Truncate(time.Millisecond)
	}
	for _, m := range c.advances {
		if m.at.After(t) {
			at = at.Add(-m.by)
		}
	}
	return at
}

func (c *clock) advance(d time.Duration) {
	d = max(d, 0).Truncate(time.Millisecond)
	c.base, c.advances = c.base.Add(d), append(c.advances, clockAdvance{time.Now(), d})
}
