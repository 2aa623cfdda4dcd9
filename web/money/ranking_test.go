package money_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/query"
	"housecount/web/webtest"
)

// Places that were given away are places sold: the rows of the ranking sum to the headline.
func TestRankingSumsToItsHeadline(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "Ragazze", "Grote Zaal", "19:15", "20:00", 100)
	h.SellOne(e, webtest.ShowTime.Add(-time.Hour), 2500)
	free := h.Event("evt_free", "Open dag", "Foyer", "19:15", "20:00", 100)
	for range 2 {
		h.SellOne(free, webtest.ShowTime.Add(-time.Hour), 0)
	}
	for range 3 { // of a performance that has not come
		h.SellOne(&record.Event{ID: "evt_lost"}, webtest.ShowTime.Add(-time.Hour), 2500)
	}
	c := webtest.Content(t, r, webtest.RevenueView(7).As(web.Manager), h.Snapshot(), webtest.ShowTime)
	webtest.Wants(t, "headline", webtest.FigureText(c.HTML["glance"]), "€100.00")
	webtest.Wants(t, "rows", webtest.Text(c.HTML["events-1"]), "Open dag", "2€0.00", "Without a performance 3€75.00")
}

// Beside a performance stands what it had booked in the days before: nothing where it was on sale and nothing was booked in them, and
// no number where it was not on sale yet.
func TestRankingBeforeTheSale(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	for id, days := range map[string][]int{"evt_new": {1}, "evt_old": {40, 1}, "evt_both": {9, 1}} {
		e := h.Event(id, id, "Foyer", "21:00", "22:00", 40, webtest.OnDay(3))
		for _, ago := range days {
			h.SellOne(e, webtest.ShowTime.AddDate(0, 0, -ago), 1000)
		}
	}
	v := webtest.View{Page: "revenue", Params: "against=before&period=week"}.As(web.Manager)
	events := webtest.Content(t, r, v, h.Snapshot(), webtest.ShowTime).HTML["events-1"]
	for id, want := range map[string]string{"evt_new": "—", "evt_old": "€0.00", "evt_both": "€10.00"} {
		_, row, _ := strings.Cut(events, `<tr id="events-1-of-`+id+`">`)
		row, _, _ = strings.Cut(row, "</tr>")
		if got := webtest.Text("<p>" + row); !strings.HasSuffix(strings.TrimSpace(got), want) {
			t.Errorf("%s: %q, want %q at its end", id, got, want)
		}
	}
}

// What was sold on one day and cancelled on another is nothing in the period, and still a row: in the
// currency that it was sold in.
func TestRankingHasWhatComesToNothing(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	sell := func(id, title, currency string, cancelled bool) {
		e := h.Event(id, title, "Foyer", "21:00", "22:00", 40, webtest.OnDay(3))
		k := &record.Ticket{ID: "tkt_" + id, EventID: e.ID, Price: &record.Money{Amount: 1000, Currency: currency}, Status: record.TicketValid, SoldAt: webtest.ShowTime.AddDate(0, 0, -2), UpdatedAt: webtest.ShowTime}
		if cancelled {
			k.Status, k.CancelledAt = record.TicketVoid, webtest.ShowTime.AddDate(0, 0, -1)
		}
		h.Apply(k)
	}
	sell("evt_a", "Blijft", "EUR", false)
	sell("evt_b", "Terug", "EUR", true)
	html := func(id string) string {
		return webtest.FigureText(webtest.Content(t, r, webtest.RevenueView(7).As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML[id])
	}
	webtest.Wants(t, "one currency", html("events-1"), "Blijft", "Terug Mon 23 Nov § 0 § €0.00")
	sell("evt_c", "Elders", "USD", false)
	webtest.Wants(t, "of two", html("events-1"), "Blijft", "Terug")
	webtest.Lacks(t, "of two", html("events-1"), "Elders")
	webtest.Wants(t, "the other", html("events-2"), "Elders")
	webtest.Lacks(t, "the other", html("events-2"), "Terug", "Blijft")
}

// A long ranking shows its first five rows and what belongs to no performance, and folds away the
// others with what they come to. One that is hardly longer is not folded.
func TestLongRankingIsFolded(t *testing.T) {
	for _, c := range []struct {
		events, shown int
		line          string
	}{{12, 12, ""}, {13, 5, "8 more performances, €36.00 booked"}} {
		r, h := webtest.Renderer(t), webtest.NewHouse()
		for i := range c.events { // of €1.00, €2.00 and so on
			h.SellOne(h.Event(fmt.Sprint("evt_", i), fmt.Sprint("Avond ", i), "Foyer", "19:15", "20:00", 100), webtest.ShowTime.Add(-time.Hour), int64(i+1)*100)
		}
		h.SellOne(&record.Event{ID: "evt_lost"}, webtest.ShowTime.Add(-time.Hour), 2500)
		html := webtest.Content(t, r, webtest.RevenueView(7).As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML["events-1"]
		first, rest, folded := strings.Cut(html, "<details>")
		if n := strings.Count(first, "Avond"); n != c.shown || !strings.Contains(first, "Without a performance") {
			t.Errorf("of %d performances %d stand before the fold: %q", c.events, n, webtest.Text(first))
		}
		if folded != (c.line != "") || strings.Count(rest, "Avond") != c.events-c.shown || !strings.HasPrefix(webtest.Text(rest), c.line) {
			t.Errorf("of %d performances there is folded %q, want %q", c.events, webtest.Text(rest), c.line)
		}
	}
}

// Of a very long ranking the fold has fifty at a time, with links to those before and after; its line is of all.
func TestVeryLongRankingIsFoldedInParts(t *testing.T) {
	const events = 140
	r, h := webtest.Renderer(t), webtest.NewHouse()
	for i := range events { // of €140.00, €139.00 and so on
		h.SellOne(h.Event(fmt.Sprint("evt_", i), fmt.Sprint("Avond ", i), "Foyer", "19:15", "20:00", 100), webtest.ShowTime.Add(-time.Hour), int64(events-i)*100)
	}
	for _, c := range []struct {
		skip           string
		from, to       int // of the fold
		earlier, later string
	}{
		{"", 5, 55, "", "skip=50#events-1-line: 85 more performances"},
		{"50", 55, 105, "skip=0#events-1-line: Back to the 50 performances before these", "skip=100#events-1-line: 35 more performances"},
		{"100", 105, 140, "skip=50#events-1-line: Back to the 50 performances before these", ""},
		{"9999", 105, 140, "skip=50#events-1-line: Back to the 50 performances before these", ""},
		{"135", 105, 140, "skip=50#events-1-line: Back to the 50 performances before these", ""},
	} {
		v := webtest.RevenueView(7)
		open := ""
		if c.skip != "" {
			v.Params += query.Params("&skip=" + c.skip)
			open = " open"
		}
		html := webtest.Content(t, r, v.As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML["events-1"]
		first, rest, folded := strings.Cut(html, "<details"+open+">")
		if n := len(regexp.MustCompile(`>Avond \d+<`).FindAllString(first, -1)); n != 5 || !folded {
			t.Errorf("skip %q: %d stand before the fold", c.skip, n)
		}
		var want, got []string
		for i := c.from; i < c.to; i++ {
			want = append(want, fmt.Sprintf(">Avond %d<", i))
		}
		if got = regexp.MustCompile(`>Avond \d+<`).FindAllString(rest, -1); !slices.Equal(got, want) {
			t.Errorf("skip %q: the fold has %d, %v", c.skip, len(got), got)
		}
		if line := "135 more performances, €9,180.00 booked"; !strings.HasPrefix(webtest.Text(rest), line) {
			t.Errorf("skip %q: the line is %.60q, want %q", c.skip, webtest.Text(rest), line)
		}
		links := map[string]string{}
		for _, m := range regexp.MustCompile(`href="/revenue\?[^"]*(skip=[^"]*)" rel="(prev|next)">([^<]*)<`).FindAllStringSubmatch(rest, -1) {
			links[m[2]] = m[1] + ": " + strings.ReplaceAll(m[3], "\u00a0", " ")
		}
		if links["prev"] != c.earlier || links["next"] != c.later {
			t.Errorf("skip %q: links %q", c.skip, links)
		}
		if glance := webtest.Content(t, r, v.As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML["glance"]; strings.Contains(glance, "skip") {
			t.Errorf("skip %q: another period does not begin with its first", c.skip)
		}
	}
}
