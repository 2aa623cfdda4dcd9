package web

import (
	"cmp"
	"net/url"
	"slices"

	"housecount/web/query"
)

// Tab is a page's place in the row of links that leads between pages that belong together, such as the list and the calendar
// of Events.
type Tab struct {
	Place int    // from left to right
	Text  string // its text in the catalogue
	// Param and Value are the choice that the tab opens; both are empty for the page with its defaults.
	Param, Value string
}

// Tabs returns links to the pages that belong together with the builder's page and that the access includes.
func (b *Builder) Tabs() []Link {
	type placed struct {
		place int
		Link
	}
	var row []placed
	for _, p := range pages {
		if p.belongsTo() != PageNamed(b.Page).belongsTo() || !p.May(b.Access) {
			continue
		}
		for _, t := range p.Tabs {
			row = append(row, placed{t.Place, Link{Href: p.tabHref(t), Text: b.Text(t.Text), Current: p.Name == b.Page && (t.Param == "" || b.Values.Get(t.Param) == t.Value)}})
		}
	}
	slices.SortFunc(row, func(t, o placed) int { return cmp.Compare(t.place, o.place) })
	links := make([]Link, len(row))
	for i := range row {
		links[i] = row[i].Link
	}
	return links
}

// belongsTo returns the name of the page in the navigation that the page belongs to, or is.
func (p *Page) belongsTo() string { return cmp.Or(p.Under, p.Name) }

// tabHref returns the address of a tab of the page, without a choice that is the default.
func (p *Page) tabHref(t Tab) string {
	if t.Param == "" || slices.ContainsFunc(p.Params, func(param query.Param) bool { return param.Name == t.Param && param.Default == t.Value }) {
		return p.Path
	}
	return p.Path + "?" + url.Values{t.Param: {t.Value}}.Encode()
}
