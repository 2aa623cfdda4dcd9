package web

import (
	"fmt"
	"net/url"
	"testing"

	"housecount/aggregator/figures"
	"housecount/web/query"
)

// Tabs lead between the pages that belong together, from left to right, for those who see them; the one that is open is current.
func TestTabs(t *testing.T) {
	was := pages
	defer func() { pages = was }()
	span := query.Param{Name: "span", Default: "month", Read: query.OneOf("month", "week")}
	todaysMoney := func(a Access, _ query.Params) bool { return a.SeesToday() }
	pages = []Page{
		{Name: "halls", Path: "/halls", Under: "events", Tabs: []Tab{{Place: 4, Text: "column.hall"}}, Visible: todaysMoney},
		{Name: "calendar", Path: "/calendar", Under: "events", Params: []query.Param{span}, Tabs: []Tab{{2, "calendar.month", "span", "month"}, {3, "calendar.week", "span", "week"}}, Visible: Anybody},
		{Name: "events", Path: "/events", Nav: 2, Tabs: []Tab{{Place: 1, Text: "calendar.list"}}, Visible: Anybody},
		{Name: "event", Path: "/events/ID", Under: "events", Visible: Anybody},
		{Name: "night", Path: "/night", Under: "tonight", Tabs: []Tab{{Place: 1, Text: "nav.night"}}, Visible: Anybody},
	}
	for _, c := range []struct {
		page string
		of   url.Values
		role Role
		want string
	}{
		{"events", nil, Door, "[{/events List true} {/calendar Month false} {/calendar?span=week Week false}]"},
		{"calendar", nil, BoxOffice, "[{/events List false} {/calendar Month true} {/calendar?span=week Week false} {/halls Hall false}]"},
		{"calendar", url.Values{"span": {"week"}}, Door, "[{/events List false} {/calendar Month false} {/calendar?span=week Week true}]"},
		{"halls", nil, Manager, "[{/events List false} {/calendar Month false} {/calendar?span=week Week false} {/halls Hall true}]"},
		{"night", nil, Door, "[{/night Night report true}]"},
	} {
		q, err := NewRequest(c.page, c.of, c.role.Access(), English)
		if err != nil {
			t.Fatal(err)
		}
		b := NewBuilder(q, &figures.Snapshot{}, figures.Calendar{}.Start("2026-11-20"))
		if got := fmt.Sprint(b.Tabs()); got != c.want {
			t.Errorf("%s %v of %s has the tabs %s, want %s", c.page, c.of, c.role, got, c.want)
		}
	}
}
