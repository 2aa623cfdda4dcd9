package web

import (
	"slices"
	"strings"
)

// Page is a row of the table of pages. Routes, live topics, navigation and the parsing of addresses follow
// from it. A new page is a row, a view_NAME.go that builds it, and a page_NAME.templ.
type Page struct {
	// Name is the page's name in topics, in the class of its document, and in its file names.
	Name string
	// Path is the page's address as a pattern of http.ServeMux without a method; its wildcards are
	// parameters. It is empty for a page that only screens show: screens have one address for all pages.
	Path   string
	Params []Param
	// Nav lists the page in the navigation, with the text nav.NAME of the catalogue.
	Nav bool
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

	// may reports whether the access includes the page with these parameters.
	may func(Access, Params) bool
	// source reads what the page shows besides the figures; nil for nothing.
	source *source
	// export returns the table of the page's export; nil for a page without one.
	export func(*builder) (exportTable, error)
	build  func(*builder) (view, error)
	// wakes returns the subjects that wake the page with these parameters, besides those that wake every
	// page.
	wakes func(Params) []string
	// same reports whether the page shows the same for b as for before, given the same minute and request.
	// Nil means that it shows figures of the whole snapshot.
	same func(b, before *builder) bool
}

var pages = []Page{
	{Name: "tonight", Path: tonightPath, Nav: true, Explained: true, may: anybody, wakes: anyFigures, source: fromScreenAlerts, export: (*builder).exportTonight, build: (*builder).tonight},
	{Name: "events", Path: eventsPath, Still: true, Params: []Param{
		{Name: "q", read: readWords}, {Name: "from", read: readDay}, {Name: "to", read: readDay}, {Name: "hall"},
		{Name: "status", read: oneOf(statuses()...)}, {Name: "free", read: readPlaces}, {Name: "sort", Default: defaultSort, read: oneOf(sorts()...)},
		{Name: "skip", read: readWhole},
	}, Nav: true, may: anybody, wakes: nothing, build: (*builder).allEvents},
	{Name: "event", Path: eventPath, Params: []Param{{Name: "event", Required: true, exists: eventExists}}, Explained: true, may: anybody, wakes: oneEvent, source: fromPastSoon, export: (*builder).exportEvent, build: (*builder).event, same: sameEvent},
	{Name: "replay", Path: eventPath + "/replay", Still: true, Params: []Param{{Name: "event", exists: eventExists}, {Name: "at", read: readMinute}}, may: seesNights, wakes: nothing, source: fromPast, build: (*builder).replay},
	{Name: "revenue", Path: revenuePath, Nav: true, Params: append(slices.Clone(periodParams), Param{Name: "against", Default: versus[0], read: oneOf(versus...)}, Param{Name: "vat", hasEffect: notBudget, read: oneOf(withoutVAT)}), Explained: true, may: wholeMoney, wakes: anyFigures, export: (*builder).exportRevenue, build: (*builder).revenue},
	{Name: "marketing", Path: marketingPath, Nav: true, Params: periodParams, Explained: true, may: wholeMoney, wakes: anyFigures, export: (*builder).exportMarketing, build: (*builder).marketing},
	{Name: "wall", Path: "/wall", Nav: true, Wall: true, Params: []Param{{Name: "hall", exists: hallExists}, {Name: languageParam, read: oneOf(languages()...)}}, may: hallOfAccess, wakes: anyFigures, build: (*builder).wall},
	{Name: "screens", Path: ScreensPath, Nav: true, may: admins, wakes: anyFigures, source: fromScreens, build: (*builder).screens},
	{Name: "sessions", Path: sessionsPath, Params: []Param{
		{Name: "who"}, {Name: "what", read: oneOf(Actions...)}, {Name: "days", Default: sessionsDays[0], read: oneOf(sessionsDays...)}, {Name: "skip", read: readWhole},
		{Name: "own", Own: true},
	}, Nav: true, may: admins, wakes: nothing, source: fromSessions, build: (*builder).sessions},
	{Name: "settings", Path: settingsPath, Still: true, Params: []Param{{Name: "saved", read: oneOf(settingSections...)}}, Nav: true, may: admins, wakes: nothing, build: (*builder).settings},
	{Name: "reconcile", Path: reconcilePath, Explained: true, may: mayReconcile, wakes: anyFigures, build: (*builder).reconcile},
	{Name: "changes", Path: changesPath, Still: true, Params: []Param{{Name: "since", Default: sinces[0], read: readSince}, {Name: "until", read: readUntil}}, Explained: true, may: wholeHouse, wakes: nothing, source: fromChanges, build: (*builder).changes},
	{Name: explainPage, Path: explainPath + "{figure}", Still: true, Params: explainParams, may: mayExplain, wakes: nothing, source: fromRecords, build: (*builder).explain},
	{Name: "board", Wall: true, Bare: true, Params: []Param{{Name: "hall", exists: hallExists}}, may: hallOfAccess, wakes: anyFigures, build: (*builder).board},
	{Name: "week", Wall: true, Bare: true, Params: []Param{{Name: "hall", exists: hallExists}}, may: hallOfAccess, wakes: anyFigures, build: (*builder).week},
	{Name: "next", Wall: true, Bare: true, Params: []Param{{Name: "hall", exists: hallExists}}, may: hallOfAccess, wakes: anyFigures, build: (*builder).nextUp},
	{Name: "places", Wall: true, Bare: true, Params: []Param{{Name: "hall", exists: hallExists}}, may: hallOfAccess, wakes: anyFigures, build: (*builder).freePlaces},
	{Name: "arrivals", Wall: true, Params: []Param{{Name: "hall", Required: true, exists: hallExists}}, may: hallOfAccess, wakes: anyFigures, build: (*builder).arrivals},
	{Name: PerformancePage, Wall: true, Params: []Param{{Name: "event", Required: true, exists: eventOn}}, may: anybody, wakes: anyFigures, build: (*builder).performance},
	{Name: "takings", Wall: true, may: todaysMoney, wakes: anyFigures, build: (*builder).takings},
	{Name: "message", Wall: true, Bare: true, Params: []Param{{Name: "text", Required: true, read: readText}}, may: anybody, wakes: nothing, build: (*builder).messageSign},
	{Name: DarkPage, Wall: true, Bare: true, may: anybody, wakes: nothing, build: (*builder).dark},
	{Name: waitingPage, Wall: true, Bare: true, may: anybody, wakes: nothing, build: (*builder).pairing},
}

// Pages returns the table, in the order of the navigation.
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

// LeastRole returns the first of Roles that may see the page, empty if none may.
func (p *Page) LeastRole() Role {
	for _, r := range Roles {
		if p.may(r.Access(), "") {
			return r
		}
	}
	return ""
}

// May reports whether the access includes the page, whatever its parameters.
func (p *Page) May(a Access) bool { return (!a.Public || p.Bare) && p.may(a, "") }

// Needs reports whether the page requires the parameter.
func (p *Page) Needs(param string) bool {
	return slices.ContainsFunc(p.Params, func(q Param) bool { return q.Name == param && q.Required })
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

func anybody(Access, Params) bool { return true }

// wholeHouse is the may of pages of the whole house.
func wholeHouse(a Access, _ Params) bool { return a.wholeHouse() }

// wholeMoney is the may of pages with all money of the whole house.
func wholeMoney(a Access, _ Params) bool { return a.seesMoney() && a.wholeHouse() }

// todaysMoney is the may of pages with today's takings of the whole house.
func todaysMoney(a Access, _ Params) bool { return a.seesToday() && a.wholeHouse() }

// hallOfAccess is the may of pages of one hall, or of all halls that the access includes.
func hallOfAccess(a Access, p Params) bool {
	hall := p.values().Get("hall")
	return hall == "" || a.seesHall(hall)
}
