package observe

import (
	"cmp"
	"encoding/json"
	"sync"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/web"
	"housecount/web/live"
)

// Topics gives the pages to a hub, and wakes them when what they show has changed.
type Topics struct {
	Renderer *web.Renderer
	Snapshot func() *figures.Snapshot
	Now      func() time.Time
	Wake     func(subjects ...string) // the hub's
	Trace    *Trace                   // nil for none

	mu sync.Mutex
	at time.Time // the minute of the figures
	// last is the snapshot that was published last; nil before the first.
	last *figures.Snapshot
}

// wallRest is the shortest time between two frames to a wall screen, so that it stays calm and does not strain
// small devices.
const wallRest = time.Second

// Open implements live.Options.Open.
func (p *Topics) Open(topic string) (live.Topic, error) {
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
			shown := p.Snapshot()
			p.Trace.rendering(topic, shown.Position.Revision)
			return p.Renderer.Content(q, shown, p.Now(), last)
		},
		Times:  func() json.RawMessage { return p.Renderer.Times(q, p.Snapshot(), p.Now()) },
		Failed: web.Failed(q.Locale),
	}, nil
}

// Published wakes the pages whose figures have changed. A poll without news wakes none, except the first one in a
// minute, because rates are measured up to the minute of the figures.
func (p *Topics) Published(c figures.Changes) {
	s, now := p.Snapshot(), p.Now()
	at := evening.MinuteOfFigures(s, now)
	p.mu.Lock()
	before := cmp.Or(p.last, s)
	p.last = s
	subjects := web.Wakes(c, before, s, now)
	if !at.Equal(p.at) {
		p.at = at
		subjects = append(subjects, live.Minute)
	}
	p.mu.Unlock()
	p.Wake(subjects...)
}
