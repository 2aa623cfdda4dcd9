// Package night renders the report of a day: the performances that took place, who came, what was sold, what was raised
// and what is still open. It is made to be printed on one sheet.
package night

import (
	"housecount/web"
)

// builder builds the pages of this package in the table of pages.
type builder struct{ *web.Builder }

func init() {
	web.AddPages(web.Page{Name: "night", Path: web.NightPath, Params: []web.Param{{Name: "day", Read: web.ReadDay}}, Explained: true, Visible: web.Anybody, WokenBy: web.ByFigures,
		Sheets: func(b *web.Builder) ([]web.Sheet, error) { return builder{b}.sheets() },
		Build:  func(b *web.Builder) (web.View, error) { return builder{b}.report() }})
}
