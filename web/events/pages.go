// Package events renders the list of all performances, as far as it is searched for.
package events

import (
	"housecount/web"
	"housecount/web/query"
)

// builder builds the pages of this package in the table of pages.
type builder struct{ *web.Builder }

func init() {
	web.AddPages(web.Page{Name: "events", Path: web.EventsPath, Still: true, Params: []query.Param{
		{Name: "q", Read: query.ReadWords}, {Name: "from", Read: query.ReadDay}, {Name: "to", Read: query.ReadDay}, {Name: "hall"},
		{Name: "status", Read: query.OneOf(statuses()...)}, {Name: "free", Read: query.ReadPlaces}, {Name: "sort", Default: defaultSort, Read: query.OneOf(sorts()...)},
		{Name: "skip", Read: query.ReadWhole},
	}, Nav: 2, Tabs: []web.Tab{{Place: 1, Text: "calendar.list"}}, Visible: web.Anybody, WokenBy: web.ByNothing,
		Sheets: func(b *web.Builder) ([]web.Sheet, error) { return builder{b}.foundSheets() },
		Build:  func(b *web.Builder) (web.View, error) { return builder{b}.list() }})
}
