package main

import (
	"context"
	"sync"
	"time"

	"housecount/aggregator/figures"
)

const (
	// readingsTimeout is the most that reading what was known of a performance may take, and
	// curveTimeout where a page that is live waits for it.
	readingsTimeout = 3 * time.Second
	curveTimeout    = time.Second
	// curveAgain is how often it is read again for such a page.
	curveAgain = time.Minute
)

// readings are those of a performance: what the database has, and what it does not have yet.
func (p *program) readings(ctx context.Context, event string) ([]figures.Reading, error) {
	ctx, cancel := context.WithTimeout(ctx, readingsTimeout)
	defer cancel()
	stored, err := p.records.Readings(ctx, event, time.Unix(0, 0))
	if err != nil {
		return nil, err
	}
	return p.figures.WithHeld(event, stored), nil
}

// curves are the readings of the performances that somebody looks at of which only what is left is
// known, and the first one of those whose doors have opened.
type curves struct {
	asking sync.Mutex // one asks the database at a time
	failed time.Time  // when it did not answer last; asking is held

	mu   sync.Mutex
	read map[string]curve // by the performance's id
}

type curve struct {
	at       time.Time
	readings []figures.Reading
}

// held is the curve of a performance as it was read last, and whether that is long ago: never, where
// it is whether there is one, and there is.
func (c *curves) held(event string, onlyWhether bool) (readings []figures.Reading, old bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.read[event]
	if onlyWhether && len(known.readings) > 0 {
		return known.readings[:1], false
	}
	return known.readings, time.Since(known.at) >= curveAgain
}

func (c *curves) keep(event string, readings []figures.Reading) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.read == nil || len(c.read) > mostCurves {
		c.read = map[string]curve{}
	}
	c.read[event] = curve{time.Now(), readings}
}

// curve is web.Sources.Curve. A database that does not answer leaves it as it was, and is not asked
// again for a while, for this performance or any other: those who render wait for it.
func (p *program) curve(ctx context.Context, event string) []figures.Reading {
	e := p.figures.Snapshot().Event(event)
	if e == nil {
		return nil
	}
	onlyLeft := !e.Sold.Known() && e.Available.Known()
	if doors := e.Hours().Doors; !onlyLeft && (doors.IsZero() || p.now().Before(doors)) {
		return nil
	}
	c := &p.curves
	readings, old := c.held(event, !onlyLeft)
	if !old {
		return readings
	}
	c.asking.Lock()
	defer c.asking.Unlock()
	if readings, old = c.held(event, !onlyLeft); !old || time.Since(c.failed) < curveAgain { // somebody asked meanwhile
		return readings
	}
	ctx, cancel := context.WithTimeout(ctx, curveTimeout)
	defer cancel()
	asked, err := p.readings(ctx, event)
	if err != nil {
		c.failed = time.Now()
		return readings
	}
	if !onlyLeft {
		asked = asked[:min(1, len(asked))]
	}
	c.keep(event, asked)
	return asked
}

// mostCurves is how many performances are remembered.
const mostCurves = 1000
