// Package night renders the report of a day: the performances that took place, who came, what was sold, what was raised
// and what is still open. It is made to be printed on one sheet. The same goes out as letters by mail, which each person
// chooses on a page of their own.
package night

import (
	"housecount/web"
	"housecount/web/query"
)

// builder builds the pages of this package in the table of pages.
type builder struct{ *web.Builder }

func init() {
	web.AddPages(web.Page{Name: "night", Path: web.NightPath, Under: "tonight", Params: []query.Param{{Name: "day", Read: query.ReadDay}}, Explained: true, Visible: web.Anybody, WokenBy: web.ByFigures,
		Sheets: func(b *web.Builder) ([]web.Sheet, error) { return builder{b}.sheets() },
		Build:  func(b *web.Builder) (web.View, error) { return builder{b}.report() }},
		web.Page{Name: "alert", Path: web.AlertPath, Under: "tonight", Params: []query.Param{{Name: "id"}}, WokenBy: web.ByFigures, Source: fromTold,
			Visible: func(a web.Access, p query.Params) bool { return seesAlert(a, p.Values().Get("id")) },
			Build:   func(b *web.Builder) (web.View, error) { return builder{b}.alert() }},
		web.Page{Name: "letters", Path: web.LettersPath, Still: true, Params: []query.Param{{Name: "saved", Read: query.OneOf("yes")}, {Name: "own", Own: true}}, Visible: web.Anybody, WokenBy: web.ByNothing, Source: fromLetters,
			Build: func(b *web.Builder) (web.View, error) { return builder{b}.choices() }})
}

var fromLetters = &web.Source{Read: func(s web.Sources, b *web.Builder) (any, error) {
	if s.Letters == nil {
		return web.Letters{}, nil
	}
	return s.Letters(b.Values.Get("own"))
}}
