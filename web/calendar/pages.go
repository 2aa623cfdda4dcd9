package calendar

import (
	"housecount/aggregator/figures/evening"
	"housecount/web"
	"housecount/web/query"
)

// builder builds the page in the table of pages.
type builder struct {
	*web.Builder
	// around are the performances of the weeks that are shown and of those around them.
	around []*evening.Show
	// kinds are the words in which the names of several of their halls end.
	kinds map[string]bool
}

func init() {
	web.AddPages(web.Page{Name: "calendar", Path: web.CalendarPath, Under: "events", Params: []query.Param{
		{Name: "span", Default: spanMonth, Read: query.OneOf(spanMonth, spanWeek)}, {Name: "day", Read: readDay},
	}, Tabs: []web.Tab{{Place: 2, Text: "calendar.month", Param: "span", Value: spanMonth}, {Place: 3, Text: "calendar.week", Param: "span", Value: spanWeek}}, Visible: web.Anybody, WokenBy: web.ByFigures, Build: func(b *web.Builder) (web.View, error) { return builder{Builder: b}.calendar() }})
}
