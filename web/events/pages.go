// Package events renders the list of all performances, as far as it is searched for.
package events

import (
	"housecount/web"
)

// builder builds the pages of this package in the table of pages.
type builder struct{ *web.Builder }

func init() {
	web.AddPages(web.Page{Name: "events", Path: web.EventsPath, Still: true, Params: []web.Param{
		{Name: "q", Read: web.ReadWords}, {Name: "from", Read: web.ReadDay}, {Name: "to", Read: web.ReadDay}, {Name: "hall"},
		{Name: "status", Read: web.OneOf(statuses()...)}, {Name: "free", Read: web.ReadPlaces}, {Name: "sort", Default: defaultSort, Read: web.OneOf(sorts()...)},
		{Name: "skip", Read: web.ReadWhole},
	}, Nav: 2, Visible: web.Anybody, WokenBy: web.ByNothing,
		Sheets: func(b *web.Builder) ([]web.Sheet, error) { return builder{b}.foundSheets() },
		Build:  func(b *web.Builder) (web.View, error) { return builder{b}.list() }})
}
