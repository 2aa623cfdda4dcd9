package main

import (
	"encoding/json"
	"sync"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/web"
	"housecount/web/live"
)

// topics gives the pages to a hub, and wakes them when what they show has changed.
type topics struct {
	renderer *web.Renderer
	snapshot func() *figures.Snapshot
	now      func() time.Time
	wake     func(subjects ...string) // the hub's
	trace    *trace                   // nil for none

	mu sync.Mutex
	at time.Time // the minute of the figures
}

// wallRest is the shortest time between two frames to a wall screen, so that it stays calm and does not strain
// small devices.
const wallRest = time.Second

// open implements live.Options.Open.
func (p *topics) open(topic string) (live.Topic, error) {
	q, err := web.ParseTopic(topic)
	if err != nil {
		return live.Topic{}, err
	}
	rest := time.Duration(0)
	if q.OnWall() {
		rest = wallRest
	}
	return live.Topic{
		Wakes: q.Wakes(), Waits: q.Waits(), Aside: q.Custom(), Rest: rest,
		Render: func(last live.Content) (live.Content, error) {
			shown := p.snapshot()
			p.trace.rendering(topic, shown.Position.Revision)
			return p.renderer.Content(q, shown, p.now(), last)
		},
		Times:  func() json.RawMessage { return p.renderer.Times(q, p.snapshot(), p.now()) },
		Failed: web.Failed(q.Locale),
	}, nil
}

// published wakes the pages whose figures have changed. A poll without news wakes none, except the first one in a
// minute, because rates are measured up to the minute of the figures.
func (p *topics) published(c figures.Changes) {
	s, now := p.snapshot(), p.now()
	subjects := web.Wakes(c, s, s.Calendar.Day(now))
	at := evening.MinuteOfFigures(s, now)
	p.mu.Lock()
	if !at.Equal(p.at) {
		p.at = at
		subjects = append(subjects, live.Minute)
	}
	p.mu.Unlock()
	p.wake(subjects...)
}
