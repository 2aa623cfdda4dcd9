package money_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// sellTo sells one place on each of some days ago to somebody with a postal code in a country.
func sellTo(h *webtest.House, event, contact, code, country string, daysAgo ...int) {
	h.Apply(&record.Contact{ID: contact, PostalArea: code, Country: country, UpdatedAt: webtest.ShowTime})
	for i, days := range daysAgo {
		h.Apply(&record.Ticket{ID: fmt.Sprint(contact, i), EventID: event, ContactID: contact, Status: record.TicketValid, SoldAt: webtest.At("12:00").AddDate(0, 0, -days), UpdatedAt: webtest.ShowTime})
	}
}

// Where buyers live is a list by postcode area of all countries, with a map of the one that most of them live in and whose areas
// are known. Without a country there is no map.
func TestPostcodesOfMarketing(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	sellTo(h, e.ID, "anna", "3511", "NL", 3, 2, 2, 1)
	sellTo(h, e.ID, "ben", "1011", "NL", 1)
	sellTo(h, e.ID, "carl", "2000", "BE", 1, 1)
	sellTo(h, e.ID, "dirk", "7500", "FR", 1, 1, 1, 1, 1, 1)
	sellTo(h, e.ID, "emma", "", "", 1)
	shown := func() string {
		return webtest.Content(t, r, webtest.Marketing.As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML["postcodes"]
	}
	html := shown()
	webtest.Wants(t, "the list", webtest.FigureText(html), "FR 75 § § 6 § 46.2%", "35 Utrecht § § 4 § 30.8%", "BE 20 Antwerpen § § 2 § 15.4%", "10 Amsterdam § § 1 § 7.7%", "not known § § 1 § —", "Netherlands 5")
	if list, folded, _ := strings.Cut(html, "<details"); !strings.Contains(folded, "tiles") || strings.Contains(list, "tiles") || !strings.Contains(list, "Antwerpen") {
		t.Errorf("the map is not folded under the list: %s", html)
	}
	webtest.Wants(t, "the map", html, `aria-label="Netherlands: places sold by postcode area"`, `<g class="o4"><rect x="50" y="60"`, "<title>NL 35 Utrecht: 4 places</title>", `<g class="o1"><rect x="40" y="40"`, "<title>NL 10 Amsterdam: one place</title>")
	if n := strings.Count(html, "<rect x="); n < 90 || strings.Count(html, `<g class="none">`) != 88 {
		t.Errorf("the map has %d rectangles", n)
	}
	webtest.Wants(t, "what is behind it", html, "by=postcodes&amp;")
	for _, contact := range []string{"anna", "ben", "carl"} {
		h.Apply(&record.Contact{ID: contact, PostalArea: "3511", UpdatedAt: webtest.ShowTime.Add(time.Minute)})
	}
	html = shown()
	webtest.Wants(t, "without countries", webtest.FigureText(html), "35 § § 7 § 53.8%", "FR 75")
	webtest.Lacks(t, "without countries", html, "<title>", "tiles", "Utrecht")
}

// New and returning buyers are drawn by day of sale, with those that have no name and those without a time: together they are
// what is sold. Somebody who buys twice on the first day is new both times.
func TestBuyersOverTime(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	sellTo(h, e.ID, "anna", "3511", "NL", 3, 3, 1)
	sellTo(h, e.ID, "ben", "3511", "NL", 1)
	sellTo(h, e.ID, "", "", "", 2)
	h.Apply(&record.Ticket{ID: "undated", EventID: e.ID, ContactID: "carl", Status: record.TicketValid, UpdatedAt: webtest.ShowTime})
	c := webtest.Content(t, r, webtest.Marketing.As(web.Manager), h.Snapshot(), webtest.ShowTime)
	webtest.Wants(t, "the key", webtest.FigureText(c.HTML["buyer-days"]), "New and returning over time New 3 Returning 1 No name 2")
	webtest.Wants(t, "the table", webtest.FigureText(c.HTML["buyer-days-rows"]), "Thu 19 Nov § 2 § 1 § 1 § 0", "Wed 18 Nov § 1 § 0 § 0 § 1", "Tue 17 Nov § 2 § 2 § 0 § 0", "No time § 1 § 0 § 0 § 1")
	webtest.Wants(t, "what is behind a day", c.HTML["buyer-days-rows"], "by=sale-days", "part=2026-11-17")
	webtest.Wants(t, "the chart", string(c.Charts["chart-buyer-days"]), `"stack":"buyer-days"`, `"name":"New"`, `"value":[0,2,"2"]`)
	rows, column := webtest.Export(t, r, webtest.Marketing.As(web.Manager), h.Snapshot(), ',')
	exported := map[string]string{}
	for _, row := range rows {
		if row[column["list"]] == "sale-days" {
			exported[row[column["part"]]+" "+row[column["figure"]]] = row[column["value"]]
		}
	}
	for what, want := range map[string]string{"2026-11-17 buyers_new": "2", "2026-11-19 buyers_returning": "1", "2026-11-18 buyers_unknown": "1", "2026-11-19 sold": "2"} {
		if exported[what] != want {
			t.Errorf("%s is exported as %q, want %q", what, exported[what], want)
		}
	}
}
