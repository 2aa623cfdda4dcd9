package event

import (
	"housecount/aggregator/figures"
	"housecount/web"
	"housecount/web/live"
)

// past is what is known of a performance before now.
type past struct {
	replays bool // there is something to replay
	minutes []figures.MinuteFigures
}

// fromPast reads the past of a performance. The live topic names no performance, and gets none.
var fromPast = &web.Source{Subject: web.WakeRecords, AtOnce: false, Read: func(s web.Sources, b *web.Builder) (any, error) {
	event := b.Values.Get("event")
	if s.Past == nil || event == "" {
		return past{}, nil
	}
	minutes, err := s.Past(event)
	return past{minutes: minutes}, err
}}

// fromPastSoon is asked again every minute. It gives the minutes only for a performance whose sales curve
// is made from them.
var fromPastSoon = &web.Source{Subject: live.Minute, AtOnce: true, Read: func(s web.Sources, b *web.Builder) (any, error) {
	var p past
	e := b.Event(b.Values.Get("event"))
	if e == nil {
		return p, nil
	}
	if s.PastFrom != nil {
		p.replays = builder{b}.replays(e, s.PastFrom())
	}
	if s.PastSoon != nil && e.OnlyAvailableKnown() {
		p.minutes = s.PastSoon(e.Event.ID)
	}
	return p, nil
}}
