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
	"housecount/web/webtest"
)

func TestWithoutPayments(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	for range 3 {
		h.SellOne(e, webtest.ShowTime.AddDate(0, 0, -1), 1000)
	}
	h.Coverage.PaymentsOffered = false
	c := webtest.Content(t, r, webtest.RevenueView(7).As(web.Manager), h.Snapshot(), webtest.ShowTime)
	webtest.Wants(t, "headline", webtest.FigureText(c.HTML["glance"]), "Fri 20 Nov €30.00")
	webtest.Wants(t, "figures", webtest.Text(c.HTML["money-1"]), "Revenue, as booked≈ €30.00", "Received before refunds— not known: the service offers no payments")
	webtest.Wants(t, "days", webtest.FigureText(c.HTML["days-rows-1"]), "¦ Thu 19 Nov § 3 § €30.00 § ≈ €30.00", "As booked")
	webtest.Wants(t, "performances", webtest.FigureText(c.HTML["events-1"]), "§ 3 § €30.00 § ≈ €30.00", "As booked")
	night := webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Manager), h.Snapshot(), webtest.ShowTime.Add(12*time.Hour)).HTML["night"]
	webtest.Wants(t, "last night", webtest.FigureText(night), "€30.00 booked for them; no payments are reported.", "As booked", "§ ≈ €30.00")
	webtest.Lacks(t, "last night", webtest.FigureText(night), "Received")
	webtest.Lacks(t, "figures", webtest.Text(c.HTML["money-1"]), "Received, net")
	webtest.Wants(t, "performance", webtest.Text(webtest.Content(t, r, webtest.EventView("evt_a").As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML["figures"]), "Revenue, as booked≈ €30.00", "no payments are reported, so what was booked stands in")
	over := webtest.Content(t, r, webtest.View{Page: "event", Params: "event=evt_a"}.As(web.Manager), h.Snapshot(), webtest.ShowTime.Add(12*time.Hour)).HTML["figs"]
	webtest.Wants(t, "performance that is over", webtest.Text(over), "As booked≈ €30.00")
	webtest.Lacks(t, "performance that is over", webtest.Text(over), "Received")
}

// A void that gives no time is on the day of its first version by a guess: what was sold that day
// is estimated.
func TestSoldTodayWithAVoidWithoutATime(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "21:00", "22:00", 0)
	for id, cancelled := range map[string]time.Time{"tkt_a": webtest.ShowTime.Add(-time.Hour), "tkt_b": {}} {
		tile := func() string {
			return webtest.Text(webtest.Content(t, r, webtest.EventView("evt_a").As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML["figures"])
		}
		webtest.Lacks(t, id+" valid", tile(), "Sold today≈")
		h.Apply(&record.Ticket{ID: id, EventID: e.ID, Status: record.TicketVoid, Price: &record.Money{Amount: 1000, Currency: "EUR"},
			SoldAt: webtest.ShowTime.AddDate(0, 0, -1), CancelledAt: cancelled, UpdatedAt: webtest.ShowTime.Add(-time.Hour)})
		if cancelled.IsZero() {
			webtest.Wants(t, id, tile(), "Sold today≈")
		} else {
			webtest.Lacks(t, id, tile(), "Sold today≈")
		}
		h = webtest.NewHouse()
		e = h.Event("evt_a", "De Vader", "Kleine Zaal", "21:00", "22:00", 0)
	}
}

// Of a performance whose tickets were all cancelled it is said how many they were, and up to when.
func TestAllCancelled(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "21:00", "22:00", 40, func(e *record.Event) { e.Status = record.EventCancelled })
	for i := range 3 {
		h.Apply(&record.Ticket{ID: fmt.Sprint("tkt_", i), EventID: e.ID, Status: record.TicketVoid, Price: &record.Money{Amount: 1000, Currency: "EUR"},
			SoldAt: webtest.ShowTime.AddDate(0, 0, -5+i), CancelledAt: webtest.ShowTime.AddDate(0, 0, -1), UpdatedAt: webtest.ShowTime})
	}
	got := webtest.Text(webtest.Content(t, r, webtest.EventView("evt_a").As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML["sales"])
	webtest.Wants(t, "sales", got, "3 places sold up to Tuesday 17 November, all of them cancelled since.")
	webtest.Lacks(t, "sales", got, "so far", "since Sunday")
}

// A day of sale is the best so far only where there was one before it.
func TestBestDayNeedsADayBefore(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "21:00", "22:00", 0)
	sales := func() string {
		return webtest.Text(webtest.Content(t, r, webtest.EventView("evt_a").As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML["sales"])
	}
	for range 2 {
		h.SellOne(e, webtest.ShowTime.Add(-time.Hour), 1000)
	}
	webtest.Wants(t, "the first day", sales(), "2 today so far")
	webtest.Lacks(t, "the first day", sales(), "more than on any day before")
	h.SellOne(e, webtest.ShowTime.AddDate(0, 0, -1), 1000)
	webtest.Wants(t, "the second day", sales(), "2 today so far, more than on any day before")
}

func TestOnlyAvailable(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	h.Coverage.TicketsOffered, h.Coverage.TicketsComplete = false, false
	h.Event("evt_a", "De Vader", "Kleine Zaal", "21:00", "22:00", 1, webtest.Available(51), func(e *record.Event) { e.Capacity = nil })
	zeros := []string{"0 sold", "0sold", "sold 0", "0 in the last hour", "0 in 24", "Sold today0", "0 booked"}
	wantPage := func(name string, q web.Request, want ...string) {
		t.Helper()
		got := webtest.Text(webtest.Page(t, r, q, h.Snapshot(), webtest.ShowTime))
		webtest.Wants(t, name, got, want...)
		webtest.Lacks(t, name, strings.ReplaceAll(got, "\n", ""), zeros...)
	}
	wantPage("tonight", webtest.Tonight, "Free51", "51 free", "— not known: the service offers no tickets sold today")
	wantPage("event", webtest.EventView("evt_a").As(web.Manager), "51 places can still be sold", "Sold today— not known: the service offers no tickets")
	e := h.Event("evt_past", "Gisteren", "Kleine Zaal", "19:00", "20:00", 1, webtest.OnDay(-1), webtest.Available(9), func(e *record.Event) { e.Capacity = nil })
	past := webtest.Text(webtest.Page(t, r, webtest.EventView(e.ID).As(web.Manager), h.Snapshot(), webtest.ShowTime))
	webtest.Wants(t, "over", past, "How many places are sold is not known.")
	webtest.Lacks(t, "over", past, "expected;")
	h.Coverage.PaymentsOffered = false
	webtest.Lacks(t, "last night", webtest.Content(t, r, webtest.Tonight, h.Snapshot(), webtest.At("06:30")).HTML["night"], "Gisteren")
	wantPage("wall", webtest.HallView("Kleine Zaal").As(web.Door), "51places free")
	h.Event("evt_b", "Ragazze", "Grote Zaal", "21:00", "22:00", 1, webtest.Available(9), func(e *record.Event) { e.Capacity = nil })
	wantPage("the house", webtest.View{Page: "wall"}.As(web.Door), "60places free")
	h.Event("evt_c", "Morgen", "Foyer", "21:00", "22:00", 1, webtest.OnDay(1), webtest.Available(7), func(e *record.Event) { e.Capacity = nil })
	wantPage("coming", webtest.Tonight, "7 free")
	h.Event("evt_d", "Volle Bak", "Foyer", "21:00", "22:00", 1, webtest.Available(-3), func(e *record.Event) { e.Capacity = nil })
	wantPage("oversold", webtest.Tonight, "Volle Bak: 3 without a seat.")
	h.Event("evt_e", "Overmorgen", "Foyer", "21:00", "22:00", 1, webtest.OnDay(2), webtest.Available(-4), func(e *record.Event) { e.Capacity = nil })
	wantPage("coming, oversold", webtest.Tonight, "Sold out", "4 without a seat")
	wantPage("coming, oversold, raised", webtest.Tonight, "Overmorgen, Sun 22 Nov: 4 without a seat.")
	wantPage("found, oversold", webtest.EventsView(t, nil).As(web.Manager), "3 without a seat", "4 without a seat")
}

// axis returns the categories of a chart.
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
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	h.SellOne(e, time.Date(1971, 1, 1, 12, 0, 0, 0, time.UTC), 1000)
	h.SellOne(e, time.Date(2199, 1, 1, 12, 0, 0, 0, time.UTC), 1000)
	for i := range 5 {
		h.SellOne(e, webtest.ShowTime.AddDate(0, 0, -i), 1000)
	}
	c := webtest.Content(t, r, webtest.EventView("evt_a").As(web.Manager), h.Snapshot(), webtest.ShowTime)
	days := axis(t, c.Charts["chart-sales"])
	if len(days) != 400 || days[len(days)-1] != "Fri 20 Nov" {
		t.Errorf("%d days up to %q, want 400 up to today", len(days), days[len(days)-1])
	}
	webtest.Wants(t, "words", webtest.Text(c.HTML["sales"]), "7 places sold, 1 of them before", "1 today so far")
	webtest.Wants(t, "table", c.HTML["sales-rows"], `Fri 20 Nov, so far</th><td class="n">1</td><td class="n">6</td>`,
		`dated ahead of now</th><td class="n">1</td><td class="n">7</td><td class="n">€10.00</td>`,
		`before that</th><td class="n">1</td><td class="n">1</td><td class="n">€10.00</td>`)
}

// The line that ends with the newest day has a point there, so that a curve of one day can be seen too.
func TestSaleOfOneDay(t *testing.T) {
	for _, c := range []struct {
		days, ahead int // of sale, and from now to the performance
		points      []string
	}{{1, 0, []string{"open"}}, {1, 30, []string{"open"}}, {1, -3, []string{"sold"}}, {2, 0, []string{"open"}}, {2, -3, []string{"sold"}}} {
		h := webtest.NewHouse()
		e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40, webtest.OnDay(c.ahead))
		for i := range c.days {
			h.SellOne(e, webtest.ShowTime.AddDate(0, 0, min(c.ahead, 0)-i), 1000)
		}
		var chart struct {
			Series []struct {
				ID         string `json:"id"`
				ShowSymbol bool   `json:"showSymbol"`
			} `json:"series"`
		}
		if err := json.Unmarshal(webtest.Content(t, webtest.Renderer(t), webtest.EventView("evt_a").As(web.Manager), h.Snapshot(), webtest.ShowTime).Charts["chart-sales"], &chart); err != nil {
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
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	h.SellOne(e, time.Date(1971, 1, 1, 12, 0, 0, 0, time.UTC), 1000)
	c := webtest.Content(t, r, webtest.EventView("evt_a").As(web.Manager), h.Snapshot(), webtest.ShowTime)
	webtest.Wants(t, "table", c.HTML["sales-rows"], `before that</th><td class="n">1</td><td class="n">1</td><td class="n">€10.00</td>`)
}

func TestBookedBeforeTheTable(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 900)
	for i := range 450 {
		h.SellOne(e, webtest.ShowTime.AddDate(0, 0, -i), 1000)
	}
	c := webtest.Content(t, r, webtest.EventView("evt_a").As(web.Manager), h.Snapshot(), webtest.ShowTime)
	webtest.Wants(t, "table", c.HTML["sales-rows"], `before that</th><td class="n">390</td><td class="n">390</td><td class="n">€3,900.00</td>`)
}

func TestDoorsWithoutCurtain(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40, func(e *record.Event) { e.StartsAt, e.EndsAt = time.Time{}, time.Time{} })
	h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -4), To: webtest.ShowTime.Add(-time.Hour), Paid: 22, Scans: true, In: []webtest.GateIn{{Gate: "A", N: 12, From: webtest.At("19:38"), To: webtest.ShowTime}}})
	webtest.Wants(t, "tonight", webtest.FigureText(webtest.Content(t, r, webtest.Tonight, h.Snapshot(), webtest.ShowTime).HTML["figs"]), "Still to come 10", "In the building ≤ 12")
	c := webtest.Content(t, r, webtest.EventView("evt_a").As(web.Manager), h.Snapshot(), webtest.ShowTime)
	webtest.Wants(t, "event", webtest.Text(c.HTML["arrivals"]), "12 of 22 visitors have come in")
	if minutes := axis(t, c.Charts["chart-arrivals"]); len(minutes) == 0 {
		t.Error("no arrivals are drawn")
	} else if minutes[0] != "19:15" || minutes[len(minutes)-1] != "21:00" {
		t.Errorf("arrivals from %s to %s", minutes[0], minutes[len(minutes)-1])
	}
	webtest.Wants(t, "before the doors", webtest.Text(webtest.Page(t, r, webtest.Tonight, h.Snapshot(), webtest.At("19:10"))), "doors in 20 min")
	webtest.Wants(t, "the evening", webtest.Page(t, r, webtest.Tonight, h.Snapshot(), webtest.At("23:50")), `class="show running`)
}

func TestLateEntries(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 90)
	old := time.Date(1971, 1, 1, 12, 0, 0, 0, time.UTC)
	h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -4), To: webtest.ShowTime.Add(-time.Hour), Paid: 80, Scans: true,
		In: []webtest.GateIn{{Gate: "A", N: 60, From: webtest.At("19:35"), To: webtest.At("20:10")}, {Gate: "A", N: 7, From: webtest.At("21:20"), To: webtest.At("21:21")}, {Gate: "A", N: 2, From: old, To: old}}})
	now := webtest.At("21:30")
	c := webtest.Content(t, r, webtest.EventView("evt_a").As(web.Manager), h.Snapshot(), now)
	if minutes := axis(t, c.Charts["chart-arrivals"]); len(minutes) == 0 {
		t.Error("no arrivals are drawn")
	} else if minutes[0] != "19:15" || minutes[len(minutes)-1] != "21:20" {
		t.Errorf("arrivals from %s to %s", minutes[0], minutes[len(minutes)-1])
	}
	webtest.Wants(t, "table", c.HTML["arrivals-rows"], `<th scope="row">21:20</th><td class="n">7</td>`, `at other times</th><td class="n">2</td>`)
	webtest.Wants(t, "key", webtest.Text(c.HTML["arrivals"]), "Gate A, 69")
}

func TestNothingBookedInAPart(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 90)
	free := &record.Ticket{ID: "tkt_free", EventID: e.ID, Type: record.TypeRef{Name: "Vrij"}, Status: record.TicketValid, SoldAt: webtest.ShowTime, UpdatedAt: webtest.ShowTime}
	h.Apply(free)
	row := func() string {
		return webtest.FigureText(webtest.Content(t, r, webtest.EventView("evt_a").As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML["types"])
	}
	webtest.Wants(t, "no price at all", row(), `§ ≈ 1 § —`)
	h.SellOne(e, webtest.ShowTime, 1000)
	webtest.Wants(t, "without a price", row(), `§ ≈ 1 § —`)
	priced := *free
	priced.Price, priced.UpdatedAt = &record.Money{Currency: "EUR"}, webtest.ShowTime.Add(time.Second)
	h.Apply(&priced)
	webtest.Wants(t, "free of charge", row(), `§ ≈ 0 § €0.00`)
}

// A ticket of a performance that no list gave counts in the totals, and Tonight says so.
func TestStrays(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "Ragazze", "Grote Zaal", "19:15", "20:00", 100)
	h.SellOne(e, webtest.ShowTime.Add(-time.Hour), 2500)
	lost := &record.Event{ID: "evt_lost"}
	for range 3 {
		h.SellOne(lost, webtest.ShowTime.Add(-time.Hour), 2500)
	}
	h.SellOne(lost, webtest.ShowTime.AddDate(0, 0, -2), 2500) // not of today
	said := func() string {
		return webtest.FigureText(webtest.Content(t, r, webtest.Tonight, h.Snapshot(), webtest.ShowTime).HTML["figs"])
	}
	webtest.Lacks(t, "while events are being read", said(), "not listed")
	h.Coverage.EventsComplete = true
	webtest.Wants(t, "with all events", said(), "Booked today €100.00 4 places · 3 not listed")
	webtest.Wants(t, "findings", webtest.Text(webtest.Content(t, r, webtest.Tonight, h.Snapshot(), webtest.ShowTime).HTML["findings"]), "a record of something that the service does not list", "names an event that no list gave")
	h.Apply(&record.Event{ID: "evt_lost", Title: "Gevonden", Date: "2026-11-20", UpdatedAt: webtest.ShowTime})
	webtest.Lacks(t, "when it has come", said(), "not listed")
}

// Blocked places that are sold are said beside the number on every page and as an alert; the performance is not oversold, as
// there are more places than are sold.
func TestBlockedPlacesThatAreSold(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	blocked := func(e *record.Event) { e.Blocked = new(12) }
	for i, title := range []string{"Vol", "Morgen", "Later", "Nog later", "Heel laat"} {
		e := h.Event(fmt.Sprint("evt_", i), title, "Foyer", "21:00", "22:00", 50, webtest.Available(-7), blocked, webtest.OnDay(i))
		h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -9), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 45})
	}
	of := func(v webtest.View, role web.Role) string {
		return webtest.Text(webtest.Page(t, r, v.As(role), h.Snapshot(), webtest.ShowTime))
	}
	tonight := of(webtest.View{Page: "tonight"}, web.Manager)
	webtest.Wants(t, "tonight", tonight, "Vol: 7 of the 12 blocked places are sold.", "7 of the 12 blocked are sold", "Morgen, Sat 21 Nov: 7 of the 12 blocked places are sold.", "1 more notice about other days.")
	for name, text := range map[string]string{"tonight": tonight, "event": of(webtest.EventView("evt_1"), web.Door), "wall": of(webtest.HallView("Foyer"), web.Door), "events": of(webtest.EventsView(t, nil), web.Door)} {
		webtest.Lacks(t, name, text, "without a seat", "Heel laat on")
		if name != "events" {
			webtest.Wants(t, name, text, "7 of the 12 blocked are sold")
		}
	}
	// Sold beyond all places, it is oversold, and the alert is one.
	e := h.Event("evt_over", "Boven", "Zolder", "21:00", "22:00", 50, webtest.Available(-14), blocked)
	h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -9), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 52})
	text := of(webtest.View{Page: "tonight"}, web.Manager)
	webtest.Wants(t, "tonight", text, "Boven: 2 without a seat. 52 sold of 50, which includes 12 blocked: even these do not suffice.", "2 without a seat, even with the 12 blocked")
	webtest.Lacks(t, "tonight", text, "Boven: 12 of", "12 of the 12", "14", "12 of 50 places")
}
