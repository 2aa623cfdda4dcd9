package webtest

import (
	"net/url"
	"slices"
	"testing"

	"housecount/web"
	"housecount/web/query"
)

// samples returns the views that tests of every page see, of a house that has the performance and the hall. A page that is not
// here is seen with its defaults alone; one that needs a parameter has to be here.
func samples(event, hall string) map[string][]View {
	of := func(page, param, value string) View {
		return View{page, query.Params(url.Values{param: {value}}.Encode())}
	}
	return map[string][]View{
		"event":             {EventPart(event, ""), EventPart(event, "sales"), EventPart(event, "arrivals"), EventPart(event, "money"), EventView(event)},
		"alert":             {of("alert", "id", "oversold:"+event+"#1")},
		"replay":            {ReplayView(event, "")},
		web.ExplainPage:     {{web.ExplainPage, query.Params(url.Values{"event": {event}, "figure": {"sold"}}.Encode())}},
		"revenue":           {RevenueView(7)},
		"calendar":          {Calendar, of("calendar", "span", "week")},
		"wall":              {HallView(""), HallView(hall)},
		"arrivals":          {of("arrivals", "hall", hall)},
		web.PerformancePage: {of(web.PerformancePage, "event", event)},
		"message":           {of("message", "text", "Foyer")},
	}
}

// Views returns views of every page of the table that passes the filters, of a house that has the performance and the hall. The
// test fails if a page needs a parameter and has no sample.
func Views(t testing.TB, event, hall string, filters ...func(*web.Page) bool) []View {
	t.Helper()
	var all []View
	known := samples(event, hall)
	for _, p := range web.Pages() {
		if slices.ContainsFunc(filters, func(passes func(*web.Page) bool) bool { return !passes(&p) }) {
			continue
		}
		views := known[p.Name]
		if views == nil {
			params, err := query.Read(p.Params, nil)
			if needs := needed(&p); needs != "" || err != nil {
				t.Fatalf("no test sees the page %q, which needs its parameter %q: add a view of it to samples in web/webtest/views.go (%v)", p.Name, needs, err)
			}
			views = []View{{p.Name, params}}
		}
		all = append(all, views...)
	}
	return all
}

// needed returns the name of a parameter without which the page has no address; empty if there is none.
func needed(p *web.Page) string {
	for _, param := range p.Params {
		if param.Required || slices.Contains(p.PathParams(), param.Name) {
			return param.Name
		}
	}
	return ""
}

// SeenBy returns a filter of the pages that a role may see.
func SeenBy(role web.Role) func(*web.Page) bool {
	return func(p *web.Page) bool { return p.May(role.Access()) }
}

// HasStrip is a filter of the pages that show the state of the figures.
func HasStrip(p *web.Page) bool { return !p.Bare }
