// Package wall renders what screens show to people who walk past: the wall, the board for the public, the
// views of a programme, and what a device shows that waits to become a screen.
package wall

import (
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/web"
	"housecount/web/query"
	"housecount/web/words"
)

// builder builds the pages of this package in the table of pages.
type builder struct{ *web.Builder }

// page adapts a method of builder to the table of pages.
func page(build func(builder) (web.View, error)) func(*web.Builder) (web.View, error) {
	return func(b *web.Builder) (web.View, error) { return build(builder{b}) }
}

func init() {
	hall := query.Param{Name: "hall", Exists: query.HallExists}
	oneHall := hall
	oneHall.Required = true
	web.AddPages(
		web.Page{Name: "wall", Path: "/wall", Nav: 5, Wall: true, Params: []query.Param{hall, language()}, Visible: inHall, WokenBy: web.ByFigures, Build: page(builder.wall)},
		web.Page{Name: "board", Wall: true, Bare: true, Params: []query.Param{hall}, Visible: inHall, WokenBy: web.ByFigures, Build: page(builder.board)},
		web.Page{Name: "week", Wall: true, Bare: true, Params: []query.Param{hall}, Visible: inHall, WokenBy: web.ByFigures, Build: page(builder.week)},
		web.Page{Name: "next", Wall: true, Bare: true, Params: []query.Param{hall}, Visible: inHall, WokenBy: web.ByFigures, Build: page(builder.nextUp)},
		web.Page{Name: "places", Wall: true, Bare: true, Params: []query.Param{hall}, Visible: inHall, WokenBy: web.ByFigures, Build: page(builder.freePlaces)},
		web.Page{Name: "arrivals", Wall: true, Params: []query.Param{oneHall}, Visible: inHall, WokenBy: web.ByFigures, Build: page(builder.arrivals)},
		web.Page{Name: web.PerformancePage, Wall: true, Params: []query.Param{{Name: "event", Required: true, Exists: eventOn}}, Visible: web.Anybody, WokenBy: web.ByFigures, Build: page(builder.performance)},
		web.Page{Name: TakingsPage, Wall: true, Visible: seesTakings, WokenBy: web.ByFigures, Build: page(builder.takings)},
		web.Page{Name: "message", Wall: true, Bare: true, Params: []query.Param{{Name: "text", Required: true, Read: query.ReadText}}, Visible: web.Anybody, WokenBy: web.ByNothing, Build: page(builder.messageSign)},
		web.Page{Name: web.DarkPage, Wall: true, Bare: true, Visible: web.Anybody, WokenBy: web.ByNothing, Build: page(builder.dark)},
		web.Page{Name: web.WaitingPage, Wall: true, Bare: true, Visible: web.Anybody, WokenBy: web.ByNothing, Build: page(builder.pairing)},
	)
}

// inHall reports whether the access includes the hall of a page, or the halls that it has of all.
func inHall(a web.Access, p query.Params) bool {
	hall := p.Values().Get("hall")
	return hall == "" || a.SeesHall(hall)
}

// TakingsPage is the name of the page with today's takings.
const TakingsPage = "takings"

// seesTakings reports whether the access includes today's takings of the whole house.
func seesTakings(a web.Access, _ query.Params) bool { return a.SeesToday() && a.WholeHouse() }

// eventOn is for ids of performances that go ahead and were announced.
func eventOn(s *figures.Snapshot, id string) bool {
	e := s.Event(id)
	return e != nil && evening.MayBeOn(e)
}

// ScreenPages returns the names of the pages that a programme of screens may show.
func ScreenPages() []string {
	var names []string
	for _, p := range web.Pages() {
		if p.Wall && p.Name != web.WaitingPage && p.Name != web.DarkPage {
			names = append(names, p.Name)
		}
	}
	return names
}

// language returns the parameter for the language of a page, whatever the viewer's is.
func language() query.Param {
	var all []string
	for _, l := range words.Locales {
		all = append(all, string(l))
	}
	return query.Param{Name: web.LanguageParam, Read: query.OneOf(all...)}
}
