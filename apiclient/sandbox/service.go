package sandbox

import (
	"io"
	"log/slog"
	"sync"
	"time"

	"housecount/apiclient/sandbox/faults"
	"housecount/apiclient/sandbox/idp"
)

// service is the state shared by all handlers.
type service struct {
	options Options
	log     *slog.Logger
	login   *idp.Provider
	faults  *faults.Active
	limits  *limits
	edition string // random for each run; part of entity tags

	mu      sync.Mutex // guards the rest
	clock   clock
	house   *house
	paging  string
	repeats storedAnswers
	journal io.WriteCloser // nil without one
}

// catchUp runs all due tasks and returns the current time. A replayed call may move the clock, so the clock is
// read before each task.
func (s *service) catchUp() time.Time {
	for {
		now := s.clock.now()
		if !s.house.runNext(now) {
			s.house.now = now
			return now
		}
	}
}

// clock is the sandbox's clock. It stands still until run is called.
type clock struct {
	base     time.Time // the sandbox's time at real, including advances
	real     time.Time // zero while it stands still
	speed    float64
	advances []clockAdvance
}

// clockAdvance is an advance of the clock and its real time.
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

// at returns the sandbox's time at a past or future real time.
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
