package web_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// What two numbers of one performance are, and of which performances a sum is, can be read where they
// stand: from doors to the end of the sale.
func TestMomentsOfAnEvening(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	for i := range 6 {
		past := h.Event(fmt.Sprint("evt_past", i), "Eerder", "Kelder", "18:00", "19:00", 200, webtest.OnDay(-1-i))
		h.Sell(past, webtest.Sale{From: past.DoorsAt.AddDate(0, 0, -9), To: past.DoorsAt.AddDate(0, 0, -1), Paid: 100, Scans: true,
			In: []webtest.GateIn{{Gate: "A", N: 90, From: past.StartsAt.Add(-30 * time.Minute), To: past.StartsAt.Add(-8 * time.Minute)}, {Gate: "A", N: 4, From: past.StartsAt, To: past.StartsAt.Add(5 * time.Minute)}}})
	}
	e := h.Event("evt_a", "De Vader", "Kelder", "18:00", "19:00", 120, func(e *record.Event) { e.EndsAt = webtest.At("20:30") })
	h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.At("12:00"), Paid: 100, Scans: true, In: []webtest.GateIn{{Gate: "A", N: 40, From: webtest.At("18:48"), To: webtest.At("18:58")}}})
	h.Sell(h.Event("evt_late", "Nachtconcert", "Foyer", "22:00", "23:00", 50), webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 20})
	h.Apply(&record.WalkIn{ID: "w", EventID: e.ID, Gate: "A", Count: 3, At: webtest.At("18:40"), By: "Mia"})
	page := func(q web.Request, clock string) map[string]string {
		h.AsOf, h.Health = webtest.At(clock), webtest.Healthy(webtest.At(clock))
		html := webtest.Content(t, r, q, h.Snapshot(), webtest.At(clock)).HTML
		return html
	}
	of := func(q web.Request, clock, part string) string { return webtest.FigureText(page(q, clock)[part]) }
	tonight := webtest.View{Page: "tonight"}.As(web.Manager)
	event, wall := webtest.EventView(e.ID).As(web.Manager), webtest.View{Page: "wall"}.As(web.Manager)

	webtest.Wants(t, "doors are open", of(tonight, "18:50", "figs"), "Still to come 80 60 at open doors")
	webtest.Wants(t, "doors are open, on the wall", of(wall, "18:50", "wall-main"), "80 still to come")
	webtest.Lacks(t, "doors are open, on the wall", of(wall, "18:50", "wall-main"), "at open doors")
	webtest.Wants(t, "people without a ticket", of(tonight, "18:59", "shows-00"), "43 inside, 3 without a ticket; 100 expected · 60 to come")
	webtest.Wants(t, "their bar", page(tonight, "18:59")["shows-00"], "40 of 100 visitors are inside")
	webtest.Wants(t, "their bar on the wall", page(wall, "18:59")["wall-main"], `in the building"><rect class="in" x="0.00%" width="41.75%"`)
	webtest.Wants(t, "their tile", of(event, "18:59", "figures"), "3 without a ticket; 100 expected, 60 still to come")

	row := of(tonight, "19:02", "shows-00")
	webtest.Wants(t, "after curtain", row, "60 not in", "Late: about 37 of 60 still coming")
	webtest.Wants(t, "after curtain", of(event, "19:02", "attention"), "Late: 60 visitors not in yet, about 37 still coming since 19:00")

	webtest.Wants(t, "both are on sale", of(wall, "12:30", "wall-main"), "· ≈ 50 free")
	webtest.Wants(t, "one is on sale", of(wall, "19:45", "wall-main"), "≈ 30 free for one performance")
	webtest.Wants(t, "none is on sale", of(wall, "23:40", "wall-main"), "· the sale is over")
	webtest.Wants(t, "in its hall", of(webtest.HallView("Kelder").As(web.Manager), "19:45", "wall-main"), "100 sold of 120 the sale is over")

	webtest.Wants(t, "the sale is on", of(event, "12:30", "sales"), " today so far")
	webtest.Wants(t, "the sale is over", of(event, "19:45", "sales"), " today")
	webtest.Lacks(t, "the sale is over", of(event, "19:45", "sales")+page(event, "19:45")["sales-rows"], "so far")
}

// The bar of a performance that is over is who came of those expected: reserved tickets and whoever is still in the house are no
// part of it.
func TestBarOfWhatIsOver(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kelder", "16:00", "17:00", 200, func(e *record.Event) { e.EndsAt = webtest.At("18:00") })
	h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.At("12:00"), Paid: 80, Reserved: 20, Scans: true, In: []webtest.GateIn{{Gate: "A", N: 60, From: webtest.At("16:20"), To: webtest.At("16:58")}}})
	for i := range 8 { // their money went back after they had come in
		h.Apply(&record.Ticket{ID: fmt.Sprint("back_", i), EventID: e.ID, Status: record.TicketRefunded, SoldAt: webtest.At("12:00"), CancelledAt: webtest.At("17:30"), UpdatedAt: webtest.At("17:30"),
			Scans: []record.Scan{{At: webtest.At("16:40"), Gate: "A", Direction: record.Entry}}})
	}
	now := webtest.At("20:00")
	h.AsOf, h.Health = now, webtest.Healthy(now)
	s := h.Snapshot()
	if of := s.Event("evt_a"); of.Expected.Value != 80 || of.Arrived.Value != 60 || of.Attendance.Value != 68 {
		t.Fatalf("%d of %d came, %d in all", of.Arrived.Value, of.Expected.Value, of.Attendance.Value)
	}
	row := webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Manager), s, now).HTML["shows-00"]
	_, bar, _ := strings.Cut(row, `aria-label="60 of 80`)
	bar, _, _ = strings.Cut(bar, "</svg>")
	webtest.Wants(t, "who came, of those expected", bar, `width="75.00%"`)
	webtest.Lacks(t, "who came, of those expected", bar, `width="60.00%"`, `width="0.00%"`)
}

// Few places left and performances called off are on Tonight on their evening; before it the performance's own
// page and Events say calmly that one is nearly full, and Tonight does not.
func TestAttentionIsTheSameEverywhere(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	for i, day := range []int{0, 5} {
		h.Sell(h.Event(fmt.Sprint("evt_few", i), fmt.Sprint("Bijna vol ", i), "Kelder", "21:00", "22:00", 100, webtest.OnDay(day), webtest.Available(2)),
			webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 98})
	}
	all := webtest.Text(webtest.Content(t, r, webtest.Tonight, h.Snapshot(), webtest.ShowTime).HTML["attention"])
	webtest.Wants(t, "tonight", all, "Bijna vol 0: 2 left")
	webtest.Lacks(t, "tonight", all, "Bijna vol 0 has passed", "Bijna vol 1")
	h.Sell(h.Event("evt_over", "Te vol", "Kelder", "21:00", "22:00", 100, webtest.OnDay(6), webtest.Available(-4)),
		webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 104})
	found := webtest.FigureText(webtest.Page(t, r, webtest.EventsView(t, nil).As(web.Door), h.Snapshot(), webtest.ShowTime))
	webtest.Wants(t, "Events", found, "4 without a seat")
	if n := strings.Count(found, "nearly full"); n != 1 {
		t.Errorf("Events says %d times that a performance is nearly full, not once; an oversold one is more than that", n)
	}
	webtest.Wants(t, "its page", webtest.Text(webtest.Content(t, r, webtest.EventView("evt_few0").As(web.Door), h.Snapshot(), webtest.ShowTime).HTML["attention"]), "2 left")
	later := webtest.Text(webtest.Content(t, r, webtest.EventView("evt_few1").As(web.Door), h.Snapshot(), webtest.ShowTime).HTML["attention"])
	webtest.Wants(t, "five days before", later, "More than 90% sold. 98 sold of 100.")
	webtest.Lacks(t, "five days before", later, "2 left")
}

// While tickets are read for the first time, what was sold today less what was cancelled is no bound.
func TestSumsKeepTheirQuality(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Busy(t)
	h.Coverage.TicketsComplete = false
	c := webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML
	webtest.Wants(t, "the sum", webtest.FigureText(c["sum"]), "≈ 129 sold today", ": ≈ 157")
	webtest.Wants(t, "the sentence", webtest.FigureText(c["figs"]), "≈ 286 places")
}

// What was received is not what was booked, and the page says why.
func TestReceivedBesideBooked(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kelder", "21:00", "22:00", 40)
	for i, paid := range []int64{0, 3000} {
		order := fmt.Sprint("ord", i)
		h.Apply(&record.Ticket{ID: fmt.Sprint("tkt", i), EventID: e.ID, OrderID: order, Status: record.TicketValid, Price: &record.Money{Amount: 2000, Currency: "EUR"}, SoldAt: webtest.At("12:00"), UpdatedAt: webtest.ShowTime})
		if paid > 0 {
			h.Apply(&record.Payment{ID: "pay", OrderID: order, Amount: record.Money{Amount: paid, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: webtest.At("12:00"), UpdatedAt: webtest.ShowTime})
		}
	}
	webtest.Wants(t, "tiles", webtest.FigureText(webtest.Content(t, r, webtest.EventView(e.ID).As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML["figures"]),
		"Received, net: €40.00 booked − ≈ €20.00 not received + ≈ €10.00 overpaid = €30.00 .")
}

// The days of a performance's sales add up to what is sold: what is of no known day is a row.
func TestSalesOfNoKnownDay(t *testing.T) {
	h := webtest.Busy(t)
	r := webtest.Renderer(t)
	view := webtest.EventView("evt_mat").As(web.Manager)
	webtest.Lacks(t, "with a day for each sale", webtest.Page(t, r, view, h.Snapshot(), webtest.ShowTime), "of no known day")
	h.Apply(&record.Ticket{ID: "tkt_undated", EventID: "evt_mat", Price: &record.Money{Amount: 4100, Currency: "EUR"}, Status: record.TicketValid, Quantity: new(3), UpdatedAt: webtest.ShowTime})
	page := webtest.Text(webtest.Page(t, r, view, h.Snapshot(), webtest.ShowTime))
	if want := "of no known day33€123.00"; !strings.Contains(page, want) {
		t.Errorf("the page lacks %q: %.300s", want, page[max(0, strings.Index(page, "no known day")):])
	}
}

// In the interval those who went out are said beside those inside, and the three add up to those expected: in a hall whose
// exits are scanned on other evenings.
func TestIntervalSaysWhoIsOut(t *testing.T) {
	h := webtest.NewHouse()
	for _, r := range foldtest.ScannedOut("Foyer") {
		h.Apply(r)
	}
	e := h.Event("evt_1", "Met pauze", "Foyer", "18:00", "19:00", 50)
	for i := range 9 {
		scans := []record.Scan{{At: webtest.At("18:30"), Direction: record.Entry}}
		if i < 4 {
			scans = append(scans, record.Scan{At: webtest.At("19:45"), Direction: record.Exit})
		}
		if i == 8 {
			scans = nil
		}
		h.Apply(&record.Ticket{ID: h.ID("tkt"), EventID: e.ID, OrderID: "o", Price: &record.Money{Amount: 1000, Currency: "EUR"}, Status: record.TicketValid, SoldAt: webtest.At("12:00"), UpdatedAt: webtest.At("19:45"), Scans: scans})
	}
	got := webtest.FigureText(webtest.Content(t, webtest.Renderer(t), webtest.View{Page: "tonight"}.As(web.Door), h.Snapshot(), webtest.ShowTime).HTML["shows-00"])
	webtest.Wants(t, "tonight", strings.ReplaceAll(got, "\u00a0", " "), "4 inside of 9 · 4 out · 1 did not come")
	own := webtest.FigureText(webtest.Content(t, webtest.Renderer(t), webtest.EventPart("evt_1", "").As(web.Door), h.Snapshot(), webtest.ShowTime).HTML["figs"])
	webtest.Wants(t, "its own page", strings.ReplaceAll(own, "\u00a0", " "), "Inside 4 of 9 expected · 4 out · 1 did not come")
}
