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
// known.
type curves struct {
	mu   sync.Mutex
	read map[string]curve // by the performance's id
}

type curve struct {
	at       time.Time
	readings []figures.Reading
}

// curve is web.Sources.Curve. A database that does not answer leaves it as it was.
func (p *program) curve(ctx context.Context, event string) []figures.Reading {
	e := p.figures.Snapshot().Event(event)
	if e == nil || e.Sold.Known() || !e.Available.Known() {
		return nil
	}
	p.curves.mu.Lock()
	defer p.curves.mu.Unlock()
	c := p.curves.read[event]
	if now := time.Now(); now.Sub(c.at) >= curveAgain {
		ctx, cancel := context.WithTimeout(ctx, curveTimeout)
		defer cancel()
		c.at = now
		if readings, err := p.readings(ctx, event); err == nil {
			c.readings = readings
		}
		if p.curves.read == nil || len(p.curves.read) > mostCurves {
			p.curves.read = map[string]curve{}
		}
		p.curves.read[event] = c
	}
	return c.readings
}

// mostCurves is how many performances are remembered.
const mostCurves = 1000
