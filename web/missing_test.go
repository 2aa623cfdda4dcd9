package web_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/web"
)

// What the service does not report, or reports wrongly, is not shown as something else.

func wants(t *testing.T, name, got string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("%s: no %q in %q", name, w, got)
		}
	}
}

func lacks(t *testing.T, name, got string, bad ...string) {
	t.Helper()
	if got == "" { // or a fragment of another name would lack all
		t.Errorf("%s: there is nothing to look at", name)
	}
	for _, b := range bad {
		if strings.Contains(got, b) {
			t.Errorf("%s: %q in %q", name, b, got)
		}
	}
}

func TestWithoutPayments(t *testing.T) {
	r, h := renderer(t), newHouse()
	e := h.event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	for range 3 {
		ticket(h, e, showTime.AddDate(0, 0, -1), 1000)
	}
	h.coverage.PaymentsOffered = false
	c := content(t, r, revenueView(7).as(web.Manager), h.snapshot(), showTime)
	wants(t, "figures", text(c.HTML["money-1"]), "Booked€30.00", "Revenue, as booked≈ €30.00", "Received— not known: the service offers no payments")
	wants(t, "days", figureText(c.HTML["days-rows-1"]), "¦ Thu 19 Nov § 3 § €30.00 § ≈ €30.00", "As booked")
	wants(t, "performances", figureText(c.HTML["events-1"]), "§ 3 § €30.00 § ≈ €30.00", "As booked")
	night := content(t, r, view{page: "tonight"}.as(web.Manager), h.snapshot(), showTime.Add(12*time.Hour)).HTML["night"]
	wants(t, "last night", figureText(night), "€30.00 booked for them; no payments are reported.", "As booked", "§ ≈ €30.00")
	lacks(t, "last night", figureText(night), "Received")
	lacks(t, "figures", text(c.HTML["money-1"]), "Received, net")
	wants(t, "performance", text(content(t, r, eventView("evt_a").as(web.Manager), h.snapshot(), showTime).HTML["figures"]), "Revenue, as booked≈ €30.00", "no payments are reported, so what was booked stands in")
}

// A void that gives no time is on the day of its first version by a guess: what was sold that day
// is estimated.
func TestSoldTodayWithAVoidWithoutATime(t *testing.T) {
	r, h := renderer(t), newHouse()
	e := h.event("evt_a", "De Vader", "Kleine Zaal", "21:00", "22:00", 0)
	for id, cancelled := range map[string]time.Time{"tkt_a": showTime.Add(-time.Hour), "tkt_b": {}} {
		tile := func() string {
			return text(content(t, r, eventView("evt_a").as(web.Manager), h.snapshot(), showTime).HTML["figures"])
		}
		lacks(t, id+" valid", tile(), "Net sold today≈")
		h.apply(&record.Ticket{ID: id, EventID: e.ID, Status: record.TicketVoid, Price: &record.Money{Amount: 1000, Currency: "EUR"},
			SoldAt: showTime.AddDate(0, 0, -1), CancelledAt: cancelled, UpdatedAt: showTime.Add(-time.Hour)})
		if cancelled.IsZero() {
			wants(t, id, tile(), "Net sold today≈")
		} else {
			lacks(t, id, tile(), "Net sold today≈")
		}
		h = newHouse()
		e = h.event("evt_a", "De Vader", "Kleine Zaal", "21:00", "22:00", 0)
	}
}

// Of a performance whose tickets were all cancelled it is said how many they were, and up to when.
func TestAllCancelled(t *testing.T) {
	r, h := renderer(t), newHouse()
	e := h.event("evt_a", "De Vader", "Kleine Zaal", "21:00", "22:00", 40, func(e *record.Event) { e.Status = record.EventCancelled })
	for i := range 3 {
		h.apply(&record.Ticket{ID: fmt.Sprint("tkt_", i), EventID: e.ID, Status: record.TicketVoid, Price: &record.Money{Amount: 1000, Currency: "EUR"},
			SoldAt: showTime.AddDate(0, 0, -5+i), CancelledAt: showTime.AddDate(0, 0, -1), UpdatedAt: showTime})
	}
	got := text(content(t, r, eventView("evt_a").as(web.Manager), h.snapshot(), showTime).HTML["sales"])
	wants(t, "sales", got, "3 places sold up to Tuesday 17 November, all of them cancelled since.")
	lacks(t, "sales", got, "so far", "since Sunday")
}

// A day of sale is the best so far only where there was one before it.
func TestBestDayNeedsADayBefore(t *testing.T) {
	r, h := renderer(t), newHouse()
	e := h.event("evt_a", "De Vader", "Kleine Zaal", "21:00", "22:00", 0)
	sales := func() string {
		return text(content(t, r, eventView("evt_a").as(web.Manager), h.snapshot(), showTime).HTML["sales"])
	}
	for range 2 {
		ticket(h, e, showTime.Add(-time.Hour), 1000)
	}
	wants(t, "the first day", sales(), "2 today so far")
	lacks(t, "the first day", sales(), "more than on any day before")
	ticket(h, e, showTime.AddDate(0, 0, -1), 1000)
	wants(t, "the second day", sales(), "2 today so far, more than on any day before")
}

func TestOnlyAvailable(t *testing.T) {
	r, h := renderer(t), newHouse()
	h.coverage.TicketsOffered, h.coverage.TicketsComplete = false, false
	h.event("evt_a", "De Vader", "Kleine Zaal", "21:00", "22:00", 1, available(51), func(e *record.Event) { e.Capacity = nil })
	zeros := []string{"0 sold", "0sold", "sold 0", "0 in the last hour", "0 in 24", "Net sold today0", "0 booked"}
	wantPage := func(name string, q web.Request, want ...string) {
		t.Helper()
		got := text(page(t, r, q, h.snapshot(), showTime))
		wants(t, name, got, want...)
		lacks(t, name, strings.ReplaceAll(got, "\n", ""), zeros...)
	}
	wantPage("tonight", tonight, "51 places can still be sold, for one performance.", "51 free", "— not known: the service offers no tickets net sold in 7 days", "— not known: the service offers no tickets net sold today")
	wantPage("event", eventView("evt_a").as(web.Manager), "51 places can still be sold", "Net sold today— not known: the service offers no tickets")
	e := h.event("evt_past", "Gisteren", "Kleine Zaal", "19:00", "20:00", 1, onDay(-1), available(9), func(e *record.Event) { e.Capacity = nil })
	past := text(page(t, r, eventView(e.ID).as(web.Manager), h.snapshot(), showTime))
	wants(t, "over", past, "How many places are sold is not known.")
	lacks(t, "over", past, "expected;")
	h.coverage.PaymentsOffered = false
	lacks(t, "last night", content(t, r, tonight, h.snapshot(), at("06:30")).HTML["night"], "Gisteren")
	wantPage("wall", hallView("Kleine Zaal").as(web.Door), "51places free")
	h.event("evt_b", "Ragazze", "Grote Zaal", "21:00", "22:00", 1, available(9), func(e *record.Event) { e.Capacity = nil })
	wantPage("the house", view{page: "wall"}.as(web.Door), "60places free")
	h.event("evt_c", "Morgen", "Foyer", "21:00", "22:00", 1, onDay(1), available(7), func(e *record.Event) { e.Capacity = nil })
	wantPage("coming", tonight, "7 free")
	h.event("evt_d", "Volle Bak", "Foyer", "21:00", "22:00", 1, available(-3), func(e *record.Event) { e.Capacity = nil })
	wantPage("oversold", tonight, "Volle Bak is oversold by 3 places.")
	h.event("evt_e", "Overmorgen", "Foyer", "21:00", "22:00", 1, onDay(2), available(-4), func(e *record.Event) { e.Capacity = nil })
	wantPage("coming, oversold", tonight, "Sold out", "oversold by 4")
	wantPage("coming, oversold, raised", tonight, "Overmorgen on Sunday 22 November is oversold by 4 places.")
	wantPage("found, oversold", eventsView(nil).as(web.Manager), "oversold by 3", "oversold by 4")
}

// ticket sells one place.
func ticket(h *house, e *record.Event, sold time.Time, cents int64) {
	h.apply(&record.Ticket{ID: h.id("tkt"), EventID: e.ID, Type: record.TypeRef{Name: "Rang 1"}, Status: record.TicketValid,
		Price: &record.Money{Amount: cents, Currency: "EUR"}, SoldAt: sold, CreatedAt: showTime, UpdatedAt: showTime})
}

// Places that were given away are places sold: the rows of the ranking sum to the headline.
func TestRankingSumsToItsHeadline(t *testing.T) {
	r, h := renderer(t), newHouse()
	e := h.event("evt_a", "Ragazze", "Grote Zaal", "19:15", "20:00", 100)
	ticket(h, e, showTime.Add(-time.Hour), 2500)
	free := h.event("evt_free", "Open dag", "Foyer", "19:15", "20:00", 100)
	for range 2 {
		ticket(h, free, showTime.Add(-time.Hour), 0)
	}
	for range 3 { // of a performance that has not come
		ticket(h, &record.Event{ID: "evt_lost"}, showTime.Add(-time.Hour), 2500)
	}
	c := content(t, r, revenueView(7).as(web.Manager), h.snapshot(), showTime)
	wants(t, "headline", text(c.HTML["head"]), "€100.00 booked for 6 places")
	wants(t, "rows", text(c.HTML["events-1"]), "Open dag", "2€0.00", "Unattributed: belongs to no performance 3€75.00")
}

// What was sold on one day and cancelled on another is nothing in the period, and still a row: in the
// currency that it was sold in.
func TestRankingHasWhatComesToNothing(t *testing.T) {
	r, h := renderer(t), newHouse()
	sell := func(id, title, currency string, cancelled bool) {
		e := h.event(id, title, "Foyer", "21:00", "22:00", 40, onDay(3))
		k := &record.Ticket{ID: "tkt_" + id, EventID: e.ID, Price: &record.Money{Amount: 1000, Currency: currency}, Status: record.TicketValid, SoldAt: showTime.AddDate(0, 0, -2), UpdatedAt: showTime}
		if cancelled {
			k.Status, k.CancelledAt = record.TicketVoid, showTime.AddDate(0, 0, -1)
		}
		h.apply(k)
	}
	sell("evt_a", "Blijft", "EUR", false)
	sell("evt_b", "Terug", "EUR", true)
	html := func(id string) string {
		return figureText(content(t, r, revenueView(7).as(web.Manager), h.snapshot(), showTime).HTML[id])
	}
	wants(t, "one currency", html("events-1"), "Blijft", "Terug Mon 23 Nov § 0 § €0.00")
	sell("evt_c", "Elders", "USD", false)
	wants(t, "of two", html("events-1"), "Blijft", "Terug")
	lacks(t, "of two", html("events-1"), "Elders")
	wants(t, "the other", html("events-2"), "Elders")
	lacks(t, "the other", html("events-2"), "Terug", "Blijft")
}

// A long ranking shows its first ten rows and what belongs to no performance, and folds away the
// others with what they come to. One that is hardly longer is not folded.
func TestLongRankingIsFolded(t *testing.T) {
	for _, c := range []struct {
		events, shown int
		line          string
	}{{12, 12, ""}, {13, 10, "3 more performances, €6.00 booked"}} {
		r, h := renderer(t), newHouse()
		for i := range c.events { // of €1.00, €2.00 and so on
			ticket(h, h.event(fmt.Sprint("evt_", i), fmt.Sprint("Avond ", i), "Foyer", "19:15", "20:00", 100), showTime.Add(-time.Hour), int64(i+1)*100)
		}
		ticket(h, &record.Event{ID: "evt_lost"}, showTime.Add(-time.Hour), 2500)
		html := content(t, r, revenueView(7).as(web.Manager), h.snapshot(), showTime).HTML["events-1"]
		first, rest, folded := strings.Cut(html, "<details>")
		if n := strings.Count(first, "Avond"); n != c.shown || !strings.Contains(first, "Unattributed") {
			t.Errorf("of %d performances %d stand before the fold: %q", c.events, n, text(first))
		}
		if folded != (c.line != "") || strings.Count(rest, "Avond") != c.events-c.shown || !strings.HasPrefix(text(rest), c.line) {
			t.Errorf("of %d performances there is folded %q, want %q", c.events, text(rest), c.line)
		}
	}
}

// axis is the categories of a chart.
func axis(t *testing.T, option json.RawMessage) []string {
	t.Helper()
	var o struct {
		XAxis struct{ Data []string }
	}
	if err := json.Unmarshal(option, &o); err != nil {
		t.Fatal(err)
	}
	return o.XAxis.Data
}

func TestAbsurdTimesOfSale(t *testing.T) {
	r, h := renderer(t), newHouse()
	e := h.event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	ticket(h, e, time.Date(1971, 1, 1, 12, 0, 0, 0, time.UTC), 1000)
	ticket(h, e, time.Date(2199, 1, 1, 12, 0, 0, 0, time.UTC), 1000)
	for i := range 5 {
		ticket(h, e, showTime.AddDate(0, 0, -i), 1000)
	}
	c := content(t, r, eventView("evt_a").as(web.Manager), h.snapshot(), showTime)
	days := axis(t, c.Charts["chart-sales"])
	if len(days) != 400 || days[len(days)-1] != "Fri 20 Nov" {
		t.Errorf("%d days up to %q, want 400 up to today", len(days), days[len(days)-1])
	}
	wants(t, "words", text(c.HTML["sales"]), "7 places sold, 1 of them before", "1 today so far")
	wants(t, "table", c.HTML["sales-rows"], `Fri 20 Nov, so far</th><td class="n">1</td><td class="n">6</td>`,
		`dated ahead of now</th><td class="n">1</td><td class="n">7</td><td class="n">€10.00</td>`,
		`before that</th><td class="n">1</td><td class="n">1</td><td class="n">€10.00</td>`)
}

// A curve of one day is a point, and one of more days a line without points.
func TestSaleOfOneDay(t *testing.T) {
	for _, c := range []struct {
		days, ahead int // of sale, and from now to the performance
		points      []string
	}{{1, 0, []string{"open"}}, {1, 30, []string{"open"}}, {1, -3, []string{"sold"}}, {2, 0, nil}, {2, -3, nil}} {
		h := newHouse()
		e := h.event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40, onDay(c.ahead))
		for i := range c.days {
			ticket(h, e, showTime.AddDate(0, 0, min(c.ahead, 0)-i), 1000)
		}
		var chart struct {
			Series []struct {
				ID         string `json:"id"`
				ShowSymbol bool   `json:"showSymbol"`
			} `json:"series"`
		}
		if err := json.Unmarshal(content(t, renderer(t), eventView("evt_a").as(web.Manager), h.snapshot(), showTime).Charts["chart-sales"], &chart); err != nil {
			t.Fatal(err)
		}
		var points []string
		for _, s := range chart.Series {
			if s.ShowSymbol {
				points = append(points, s.ID)
			}
		}
		if !slices.Equal(points, c.points) || len(chart.Series) == 0 {
			t.Errorf("%d days of sale, %d to the performance: points %q, want %q", c.days, c.ahead, points, c.points)
		}
	}
}

func TestOldSalesAlone(t *testing.T) {
	r, h := renderer(t), newHouse()
	e := h.event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	ticket(h, e, time.Date(1971, 1, 1, 12, 0, 0, 0, time.UTC), 1000)
	c := content(t, r, eventView("evt_a").as(web.Manager), h.snapshot(), showTime)
	wants(t, "table", c.HTML["sales-rows"], `before that</th><td class="n">1</td><td class="n">1</td><td class="n">€10.00</td>`)
}

func TestBookedBeforeTheTable(t *testing.T) {
	r, h := renderer(t), newHouse()
	e := h.event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 900)
	for i := range 450 {
		ticket(h, e, showTime.AddDate(0, 0, -i), 1000)
	}
	c := content(t, r, eventView("evt_a").as(web.Manager), h.snapshot(), showTime)
	wants(t, "table", c.HTML["sales-rows"], `before that</th><td class="n">390</td><td class="n">390</td><td class="n">€3,900.00</td>`)
}

func TestPlacesAreNotListedByCurrency(t *testing.T) {
	r, h := renderer(t), newHouse()
	e := h.event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	ticket(h, e, showTime.AddDate(0, 0, -1), 1000)
	q := revenueView(7).as(web.Manager)
	c := content(t, r, q, h.snapshot(), showTime)
	wants(t, "one currency", c.HTML["events-1"]+c.HTML["days-rows-1"], `<th scope="col" class="n">Sold</th>`, `<bdi>Sold</bdi>`)
	h.apply(&record.Ticket{ID: "tkt_usd", EventID: e.ID, Status: record.TicketValid, Price: &record.Money{Amount: 700, Currency: "USD"},
		SoldAt: showTime.AddDate(0, 0, -1), UpdatedAt: showTime})
	c = content(t, r, q, h.snapshot(), showTime)
	for _, id := range []string{"1", "2"} {
		lacks(t, "two currencies", figureText(c.HTML["events-"+id]+c.HTML["days-rows-"+id]), "Sold", "§ 2 ")
	}
	wants(t, "two currencies", figureText(c.HTML["days-rows-2"]), "¦ Thu 19 Nov § $7.00")
}

func TestDoorsWithoutCurtain(t *testing.T) {
	r, h := renderer(t), newHouse()
	e := h.event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40, func(e *record.Event) { e.StartsAt, e.EndsAt = time.Time{}, time.Time{} })
	h.sell(e, sale{from: showTime.AddDate(0, 0, -4), to: showTime.Add(-time.Hour), paid: 22, scans: true, in: []gateIn{{"A", 12, at("19:38"), showTime}}})
	wants(t, "tonight", text(content(t, r, tonight, h.snapshot(), showTime).HTML["head"]), "≤ 12 at most: nobody was ever scanned out in the building; 10 still to come")
	c := content(t, r, eventView("evt_a").as(web.Manager), h.snapshot(), showTime)
	wants(t, "event", text(c.HTML["arrivals"]), "12 of 22 visitors have come in")
	if minutes := axis(t, c.Charts["chart-arrivals"]); len(minutes) == 0 {
		t.Error("no arrivals are drawn")
	} else if minutes[0] != "19:15" || minutes[len(minutes)-1] != "21:00" {
		t.Errorf("arrivals from %s to %s", minutes[0], minutes[len(minutes)-1])
	}
	wants(t, "before the doors", text(page(t, r, tonight, h.snapshot(), at("19:10"))), "doors in 20 min")
	wants(t, "the evening", page(t, r, tonight, h.snapshot(), at("23:50")), `class="show running`)
}

func TestLateEntries(t *testing.T) {
	r, h := renderer(t), newHouse()
	e := h.event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 90)
	old := time.Date(1971, 1, 1, 12, 0, 0, 0, time.UTC)
	h.sell(e, sale{from: showTime.AddDate(0, 0, -4), to: showTime.Add(-time.Hour), paid: 80, scans: true,
		in: []gateIn{{"A", 60, at("19:35"), at("20:10")}, {"A", 7, at("21:20"), at("21:21")}, {"A", 2, old, old}}})
	now := at("21:30")
	c := content(t, r, eventView("evt_a").as(web.Manager), h.snapshot(), now)
	if minutes := axis(t, c.Charts["chart-arrivals"]); len(minutes) == 0 {
		t.Error("no arrivals are drawn")
	} else if minutes[0] != "19:15" || minutes[len(minutes)-1] != "21:20" {
		t.Errorf("arrivals from %s to %s", minutes[0], minutes[len(minutes)-1])
	}
	wants(t, "table", c.HTML["arrivals-rows"], `<th scope="row">21:20</th><td class="n">7</td>`, `at other times</th><td class="n">2</td>`)
	wants(t, "key", text(c.HTML["arrivals"]), "Gate A, 69")
}

func TestNothingBookedInAPart(t *testing.T) {
	r, h := renderer(t), newHouse()
	e := h.event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 90)
	free := &record.Ticket{ID: "tkt_free", EventID: e.ID, Type: record.TypeRef{Name: "Vrij"}, Status: record.TicketValid, SoldAt: showTime, UpdatedAt: showTime}
	h.apply(free)
	row := func() string {
		return figureText(content(t, r, eventView("evt_a").as(web.Manager), h.snapshot(), showTime).HTML["types"])
	}
	wants(t, "no price at all", row(), `§ ≈ 1 § —`)
	ticket(h, e, showTime, 1000)
	wants(t, "without a price", row(), `§ ≈ 1 § —`)
	priced := *free
	priced.Price, priced.UpdatedAt = &record.Money{Currency: "EUR"}, showTime.Add(time.Second)
	h.apply(&priced)
	wants(t, "free of charge", row(), `§ ≈ 0 § €0.00`)
}

// A ticket of a performance that no list gave counts in the totals, and Tonight says so.
func TestStrays(t *testing.T) {
	r, h := renderer(t), newHouse()
	e := h.event("evt_a", "Ragazze", "Grote Zaal", "19:15", "20:00", 100)
	ticket(h, e, showTime.Add(-time.Hour), 2500)
	lost := &record.Event{ID: "evt_lost"}
	for range 3 {
		ticket(h, lost, showTime.Add(-time.Hour), 2500)
	}
	said := func() string { return text(content(t, r, tonight, h.snapshot(), showTime).HTML["head"]) }
	const want = "for 4 places, 3 of them for performances that the service does not list."
	lacks(t, "while events are being read", said(), "does not list")
	h.coverage.EventsComplete = true
	wants(t, "with all events", said(), "€100.00 booked today over all performances, ", want)
	wants(t, "findings", text(content(t, r, tonight, h.snapshot(), showTime).HTML["findings"]), "a record of something that the service does not list", "names an event that no list gave")
	h.apply(&record.Event{ID: "evt_lost", Title: "Gevonden", Date: "2026-11-20", UpdatedAt: showTime})
	lacks(t, "when it has come", said(), "does not list")
}

// Places that are blocked are why a performance can be oversold of which fewer are sold than it has,
// and stand beside the number on every page; on the list of all it is marked as what is wrong.
func TestOversoldIntoTheBlocked(t *testing.T) {
	r, h := renderer(t), newHouse()
	blocked := func(e *record.Event) { e.Blocked = new(12) }
	for i, title := range []string{"Vol", "Morgen", "Later", "Nog later", "Heel laat"} {
		e := h.event(fmt.Sprint("evt_", i), title, "Foyer", "21:00", "22:00", 50, available(-7), blocked, onDay(i))
		h.sell(e, sale{from: showTime.AddDate(0, 0, -9), to: showTime.AddDate(0, 0, -1), paid: 45})
	}
	got := text(page(t, r, tonight, h.snapshot(), showTime))
	wants(t, "tonight", got, "Vol is oversold by 7 places. 45 sold; 12 of 50 places are blocked.", "oversold by 7, as 12 are blocked",
		"Morgen on Saturday 21 November is oversold by 7 places. 45 sold; 12 of 50 places are blocked.", "1 more notice about other days.")
	lacks(t, "tonight", got, "Heel laat on")
	wants(t, "event", text(page(t, r, eventView("evt_1").as(web.Door), h.snapshot(), showTime)), "oversold by 7, as 12 are blocked")
	wants(t, "wall", text(page(t, r, hallView("Foyer").as(web.Door), h.snapshot(), showTime)), "oversold by 7, as 12 are blocked")
	found := page(t, r, eventsView(nil).as(web.Door), h.snapshot(), at("21:30"))
	wants(t, "events", found, `class="shape bad"`)
	wants(t, "events", text(found), "doors open, oversold by 7", "oversold by 7")
}
