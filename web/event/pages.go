// Package event renders the page of one performance: what is decided about it now, its sales, its arrivals, its money and
// every figure of it, and its night minute by minute.
package event

import (
	"housecount/web"
	"housecount/web/query"
)

// builder builds the pages of this package in the table of pages.
type builder struct{ *web.Builder }

// page adapts a method of builder to the table of pages.
func page(build func(builder) (web.View, error)) func(*web.Builder) (web.View, error) {
	return func(b *web.Builder) (web.View, error) { return build(builder{b}) }
}

// Addresses to which the page of a performance posts.
const (
	// LeaveOutPath leaves a past performance out of the comparables of another, or includes it again. The form has their ids as past and
	// event, each query-escaped, and undo.
	LeaveOutPath = "/comparables"
	// WalkInPath enters walk-ins: a form with the id of the performance as event and the name of the gate, each query-escaped, and their
	// count, below 0 for people who went out.
	WalkInPath = "/walk-ins"
)

func init() {
	web.AddPages(
		web.Page{Name: "event", Path: web.EventPath, Under: "events", Params: []query.Param{{Name: "event", Required: true, Exists: query.EventExists}, {Name: "part", Read: query.OneOf(eventParts[1:]...)}}, Explained: true, Visible: web.Anybody, WokenBy: web.ByOneEvent, Source: fromPastSoon,
			Export: func(b *web.Builder) (web.ExportTable, error) { return builder{b}.exportEvent() }, Sheets: func(b *web.Builder) ([]web.Sheet, error) { return builder{b}.sheets() }, Build: page(builder.event), Same: sameEvent},
		web.Page{Name: "replay", Path: web.EventPath + "/replay", Under: "events", Still: true, Params: []query.Param{{Name: "event", Exists: query.EventExists}, {Name: "at", Read: query.ReadMinute}}, Visible: seesNights, WokenBy: web.ByNothing, Source: fromPast, Build: page(builder.replay)},
	)
}
