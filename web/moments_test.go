package web_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/web"
)

// What two numbers of one performance are, and of which performances a sum is, can be read where they
// stand: from doors to the end of the sale.
func TestMomentsOfAnEvening(t *testing.T) {
	r, h := renderer(t), newHouse()
	for i := range 6 {
		past := h.event(fmt.Sprint("evt_past", i), "Eerder", "Kelder", "18:00", "19:00", 200, onDay(-1-i))
		h.sell(past, sale{from: past.DoorsAt.AddDate(0, 0, -9), to: past.DoorsAt.AddDate(0, 0, -1), paid: 100, scans: true,
			in: []gateIn{{"A", 90, past.DoorsAt, past.StartsAt.Add(-10 * time.Minute)}, {"A", 4, past.StartsAt, past.StartsAt.Add(5 * time.Minute)}}})
	}
	e := h.event("evt_a", "De Vader", "Kelder", "18:00", "19:00", 120, func(e *record.Event) { e.EndsAt = at("20:30") })
	h.sell(e, sale{from: showTime.AddDate(0, 0, -3), to: at("12:00"), paid: 100, scans: true, in: []gateIn{{"A", 40, at("18:30"), at("18:58")}}})
	h.sell(h.event("evt_late", "Nachtconcert", "Foyer", "22:00", "23:00", 50), sale{from: showTime.AddDate(0, 0, -3), to: showTime.AddDate(0, 0, -1), paid: 20})
	h.apply(&record.WalkIn{ID: "w", EventID: e.ID, Gate: "A", Count: 3, At: at("18:40"), By: "Mia"})
	page := func(q web.Request, clock string) map[string]string {
		h.asOf, h.health = at(clock), healthy(at(clock))
		html := content(t, r, q, h.snapshot(), at(clock)).HTML
		return html
	}
	of := func(q web.Request, clock, part string) string { return figureText(page(q, clock)[part]) }
	tonight := view{page: "tonight"}.as(web.Manager)
	event, wall := eventView(e.ID).as(web.Manager), view{page: "wall"}.as(web.Manager)

	wants(t, "doors are open", of(tonight, "18:50", "head"), "still to come where doors are open")
	wants(t, "doors are open, on the wall", of(wall, "18:50", "wall-main"), "still to come where doors are open")
	wants(t, "people without a ticket", of(tonight, "18:59", "shows-00"), "43 inside, 3 without a ticket; 100 expected · 60 still to come")
	wants(t, "their bar", page(tonight, "18:59")["shows-00"], "40 of 100 visitors are in the building")
	wants(t, "their bar on the wall", page(wall, "18:59")["wall-main"], `aria-label="40 of 100 visitors"`)
	wants(t, "their tile", of(event, "18:59", "figures"), "3 without a ticket; 100 expected, 60 still to come")

	row := of(tonight, "19:02", "shows-00")
	wants(t, "after curtain", row, "60 not in yet", "Late: about 54 of 60 still coming")
	wants(t, "after curtain", of(event, "19:02", "attention"), "De Vader : 60 visitors are not in yet, about 54 of them still coming. since 19:00")

	wants(t, "both are on sale", of(wall, "12:30", "wall-main"), "· ≈ 50 free")
	wants(t, "one is on sale", of(wall, "19:45", "wall-main"), "· ≈ 30 free for one performance")
	wants(t, "none is on sale", of(wall, "23:40", "wall-main"), "· the sale is over")
	wants(t, "in its hall", of(hallView("Kelder").as(web.Manager), "19:45", "wall-main"), "100 of 120 places sold · the sale is over")

	wants(t, "the sale is on", of(event, "12:30", "sales"), " today so far")
	wants(t, "the sale is over", of(event, "19:45", "sales"), " today")
	lacks(t, "the sale is over", of(event, "19:45", "sales")+page(event, "19:45")["sales-rows"], "so far")
}

// Few places left and performances called off are on Tonight on their evening; before it the performance's own
// page and Events say calmly that one is nearly full, and Tonight does not.
func TestAttentionIsTheSameEverywhere(t *testing.T) {
	r, h := renderer(t), newHouse()
	for i, day := range []int{0, 5} {
		h.sell(h.event(fmt.Sprint("evt_few", i), fmt.Sprint("Bijna vol ", i), "Kelder", "21:00", "22:00", 100, onDay(day), available(2)),
			sale{from: showTime.AddDate(0, 0, -3), to: showTime.AddDate(0, 0, -1), paid: 98})
	}
	all := text(content(t, r, tonight, h.snapshot(), showTime).HTML["attention"])
	wants(t, "tonight", all, "Bijna vol 0 has 2 places left")
	lacks(t, "tonight", all, "Bijna vol 0 has passed", "Bijna vol 1")
	h.sell(h.event("evt_over", "Te vol", "Kelder", "21:00", "22:00", 100, onDay(6), available(-4)),
		sale{from: showTime.AddDate(0, 0, -3), to: showTime.AddDate(0, 0, -1), paid: 104})
	found := figureText(search(t, r, h.snapshot(), web.Door, ""))
	wants(t, "Events", found, "oversold by 4")
	if n := strings.Count(found, "nearly full"); n != 1 {
		t.Errorf("Events says %d times that a performance is nearly full, not once; an oversold one is more than that", n)
	}
	wants(t, "its page", text(content(t, r, eventView("evt_few0").as(web.Door), h.snapshot(), showTime).HTML["attention"]), "has 2 places left")
	later := text(content(t, r, eventView("evt_few1").as(web.Door), h.snapshot(), showTime).HTML["attention"])
	wants(t, "five days before", later, "has passed 90%. 98 sold of 100.")
	lacks(t, "five days before", later, "places left")
}

// While tickets are read for the first time, what was sold today is at least so much.
func TestSumsKeepTheirQuality(t *testing.T) {
	r, h := renderer(t), busy(t)
	h.coverage.TicketsComplete = false
	c := content(t, r, view{page: "tonight"}.as(web.Manager), h.snapshot(), showTime).HTML
	wants(t, "the sum", figureText(c["sum"]), "≥ 129 net sold today", ": ≥ 157", "in all ≥ 286")
	wants(t, "the sentence", figureText(c["head"]), "for ≥ 286 places")
}

// What was received is not what was booked, and the page says why.
func TestReceivedBesideBooked(t *testing.T) {
	r, h := renderer(t), newHouse()
	e := h.event("evt_a", "De Vader", "Kelder", "21:00", "22:00", 40)
	for i, paid := range []int64{0, 3000} {
		order := fmt.Sprint("ord", i)
		h.apply(&record.Ticket{ID: fmt.Sprint("tkt", i), EventID: e.ID, OrderID: order, Status: record.TicketValid, Price: &record.Money{Amount: 2000, Currency: "EUR"}, SoldAt: at("12:00"), UpdatedAt: showTime})
		if paid > 0 {
			h.apply(&record.Payment{ID: "pay", OrderID: order, Amount: record.Money{Amount: paid, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: at("12:00"), UpdatedAt: showTime})
		}
	}
	wants(t, "tiles", figureText(content(t, r, eventView(e.ID).as(web.Manager), h.snapshot(), showTime).HTML["figures"]),
		"Received, net: €40.00 booked − ≈ €20.00 not received + ≈ €10.00 to be paid back = €30.00 .")
}
