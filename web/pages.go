package web

import (
	"slices"
	"strings"

	"housecount/web/query"
)

// Page is a row of the table of pages. Routes, live topics, navigation and the parsing of addresses follow
// from it. A new page is a row and a function that builds it; packages of pages add their rows with AddPages.
type Page struct {
	// Name is the page's name in topics, in the class of its document, and in its file names.
	Name string
	// Path is the page's address as a pattern of http.ServeMux without a method; its wildcards are
	// parameters. It is empty for a page that only screens show: screens have one address for all pages.
	Path   string
	Params []query.Param
	// Nav is the page's place in the navigation, where the text nav.NAME of the catalogue names it; 0 for a
	// page that is not listed there.
	Nav int
	// Under is the name of the page in the navigation that this page belongs to; empty for none.
	Under string
	// Tabs are the page's places among the tabs of the page that it belongs to, which Builder.Tabs returns.
	Tabs []Tab
	// Still freezes the page at the moment of the request: only its strip and its clock are live, and all
	// its parameters share a topic.
	Still bool
	// Wall is for a page on a wall screen: dark, and without a pointer.
	Wall bool
	// Bare is for a page that strangers see: it shows nothing about the reading of the service, and its
	// frames do not name the state of the figures.
	Bare bool

	// Explained makes the page's figures lead to their explanations.
	Explained bool

	// Visible reports whether the access includes the page with these parameters.
	Visible func(Access, query.Params) bool
	// Source reads what the page shows besides the figures; nil for nothing.
	Source *Source
	// Export returns the table of the page's export; nil for a page without one.
	Export func(*Builder) (ExportTable, error)
	// Sheets returns the tables of the page's workbook; nil for a page without one.
	Sheets func(*Builder) ([]Sheet, error)
	Build  func(*Builder) (View, error)
	// WokenBy returns the subjects that wake the page with these parameters, besides those that wake every page.
	WokenBy func(query.Params) []string
	// Same reports whether the page shows the same for b as for before, given the same minute and request.
	// Nil means that it shows figures of the whole snapshot.
	Same func(b, before *Builder) bool
}

var pages = []Page{
	{Name: "tonight", Path: tonightPath, Nav: 1, Explained: true, Visible: Anybody, WokenBy: ByFigures, Source: fromScreenAlerts, Export: (*Builder).exportTonight, Sheets: (*Builder).tonightSheets, Build: (*Builder).tonight},
}

// AddPages adds rows to the table. A package of pages calls it in its init.
func AddPages(rows ...Page) { pages = append(pages, rows...) }

// Pages returns the table, in no particular order.
func Pages() []Page { return slices.Clone(pages) }

// OwnParam returns the name of the page's parameter that is Own, empty if it has none.
func (p *Page) OwnParam() string {
	for _, param := range p.Params {
		if param.Own {
			return param.Name
		}
	}
	return ""
}

// Needs reports whether the page requires the parameter.
func (p *Page) Needs(param string) bool {
	return slices.ContainsFunc(p.Params, func(q query.Param) bool { return q.Name == param && q.Required })
}

// PathParams returns the names of the parameters in the page's path.
func (p *Page) PathParams() []string {
	var names []string
	for _, param := range p.Params {
		if strings.Contains(p.Path, "{"+param.Name+"}") {
			names = append(names, param.Name)
		}
	}
	return names
}

// PageNamed returns a row of the table, nil if there is none of that name.
func PageNamed(name string) *Page {
	for i := range pages {
		if pages[i].Name == name {
			return &pages[i]
		}
	}
	return nil
}

// MayReconcile reports whether the access includes what does not agree in the whole house.
func MayReconcile(a Access, _ query.Params) bool { return a.Findings && a.WholeHouse() }

// HasParam reports whether a page has a parameter of that name.
func HasParam(page, name string) bool {
	p := PageNamed(page)
	return p != nil && slices.ContainsFunc(p.Params, func(param query.Param) bool { return param.Name == name })
}
