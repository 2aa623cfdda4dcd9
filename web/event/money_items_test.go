package event_test

import (
	"fmt"
	"strings"
	"testing"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// What is to be paid back of a cancelled performance is said in words that fit it.
func TestCancelledInWords(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*webtest.House)
		want   string
	}{
		{"all", func(*webtest.House) {}, "€900.00 is still to pay back. Nobody is expected and nothing is for sale."},
		{"nothing", func(h *webtest.House) {
			h.Apply(&record.Payment{ID: "back", ParentID: "pay", EventID: "evt_a", Kind: record.KindOfRefund, Amount: record.Money{Amount: 90000, Currency: "EUR"},
				Status: record.PaymentPaid, PaidAt: webtest.At("19:30"), UpdatedAt: webtest.ShowTime})
		}, "Nothing is left to pay back. Nobody is expected and nothing is for sale."},
		{"nothing, some time", func(h *webtest.House) {
			h.Apply(&record.Payment{ID: "back", ParentID: "pay", EventID: "evt_a", Kind: record.KindOfRefund, Amount: record.Money{Amount: 90000, Currency: "EUR"},
				Status: record.PaymentPaid}) // at a time that nobody knows, which changes nothing
		}, "Nothing is left to pay back. Nobody is expected and nothing is for sale."},
		{"about nothing", func(h *webtest.House) {
			h.Apply(&record.Payment{ID: "back", ParentID: "pay", EventID: "evt_a", Kind: record.KindOfRefund, Amount: record.Money{Amount: 90000, Currency: "EUR"},
				Status: record.PaymentPaid})
			h.Apply(&record.Payment{ID: "odd", EventID: "evt_a", Amount: record.Money{Amount: 100, Currency: "EUR"}, Status: "odd"})
		}, "≈ €0.00 is still to pay back."},
		{"not known", func(h *webtest.House) { h.Coverage.PaymentsOffered = false },
			"What is still to pay back is not known . Nobody is expected and nothing is for sale."},
	} {
		r, h := webtest.Renderer(t), webtest.NewHouse()
		e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40, webtest.Available(39), func(e *record.Event) { e.Status = record.EventCancelled })
		h.SellOne(e, webtest.At("12:00"), 90000)
		h.Apply(&record.Payment{ID: "pay", EventID: e.ID, Kind: record.KindOfPayment, Amount: record.Money{Amount: 90000, Currency: "EUR"},
			Status: record.PaymentPaid, PaidAt: webtest.At("12:00"), UpdatedAt: webtest.ShowTime})
		c.change(h)
		html := webtest.Content(t, r, webtest.EventView("evt_a").As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML
		webtest.Wants(t, c.name, webtest.FigureText(html["in-words"]), c.want)
		webtest.Wants(t, c.name, webtest.FigureText(html["figures"]), "Sold 1 place; nothing is for sale")
		webtest.Wants(t, c.name, webtest.FigureText(html["sales"]), "1 place sold since")
	}
}

// A cancelled performance has no open items beside what is to be paid back of it.
func TestCancelledHasNoOpenItems(t *testing.T) {
	for status, want := range map[record.EventStatus]bool{record.EventOnSale: true, record.EventCancelled: false} {
		r, h := webtest.Renderer(t), webtest.NewHouse()
		e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40, func(e *record.Event) { e.Status = status })
		for id, cents := range map[string]int64{"paid": 2000, "not paid": 3000} {
			h.Apply(&record.Ticket{ID: id, EventID: e.ID, OrderID: id, Status: record.TicketValid, Price: &record.Money{Amount: cents, Currency: "EUR"}, SoldAt: webtest.At("12:00"), UpdatedAt: webtest.ShowTime})
		}
		h.Apply(&record.Payment{ID: "pay", OrderID: "paid", Amount: record.Money{Amount: 2000, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: webtest.At("12:00"), UpdatedAt: webtest.ShowTime})
		html := webtest.Content(t, r, webtest.EventView(e.ID).As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML
		if got := strings.Contains(webtest.FigureText(html["items"]), "€30.00"); got != want {
			t.Errorf("%s: %s", status, webtest.FigureText(html["items"]))
		}
		if tiles := webtest.FigureText(html["figures"]); !want {
			webtest.Wants(t, "tiles", tiles, "To pay back €20.00")
		}
	}
}

// From booked to received leads what is said to: where an order of two performances was paid for one
// of them alone, it is settled, and what that one has too much of is nobody's open item.
func TestStepsFromBookedToReceivedAddUp(t *testing.T) {
	for name, c := range map[string]struct {
		payment *record.Payment
		want    string
	}{
		"for both":         {&record.Payment{ID: "pay", OrderID: "o", Amount: record.Money{Amount: 3000, Currency: "EUR"}}, "Received, net: €20.00 booked − ≈ €5.00 not received + ≈ €0.00 overpaid = €15.00 ."},
		"for one of them":  {&record.Payment{ID: "pay", OrderID: "o", EventID: "evt_a", Amount: record.Money{Amount: 4000, Currency: "EUR"}}, ""},
		"in full for both": {&record.Payment{ID: "pay", OrderID: "o", Amount: record.Money{Amount: 4000, Currency: "EUR"}}, ""},
	} {
		r, h := webtest.Renderer(t), webtest.NewHouse()
		for _, id := range []string{"evt_a", "evt_b"} {
			h.Event(id, id, "Kleine Zaal", "19:30", "20:15", 40)
			h.Apply(&record.Ticket{ID: "tkt" + id, EventID: id, OrderID: "o", Status: record.TicketValid, Price: &record.Money{Amount: 2000, Currency: "EUR"}, SoldAt: webtest.At("12:00"), UpdatedAt: webtest.ShowTime})
		}
		c.payment.Status, c.payment.PaidAt, c.payment.UpdatedAt = record.PaymentPaid, webtest.At("12:00"), webtest.ShowTime
		h.Apply(c.payment)
		got := webtest.FigureText(webtest.Content(t, r, webtest.EventView("evt_a").As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML["figures"])
		if c.want == "" {
			webtest.Lacks(t, name, got, "Received, net:")
		} else {
			webtest.Wants(t, name, got, c.want)
		}
	}
}

// Beside what was booked stands the VAT in it and what it is without, and beside what was received net all that went back and what
// of it was won back: each is its own amount.
func TestNotesOfMoneyAreTheirOwn(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	euros := func(cents int64) record.Money { return record.Money{Amount: cents, Currency: "EUR"} }
	h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	price, vat := euros(2180), euros(180)
	h.Apply(&record.Ticket{ID: "tkt", EventID: "evt_a", OrderID: "o", Status: record.TicketValid, Price: &price, VAT: &vat, SoldAt: webtest.At("12:00"), UpdatedAt: webtest.ShowTime})
	h.Apply(&record.Payment{ID: "pay", OrderID: "o", EventID: "evt_a", Amount: price, Status: record.PaymentPaid, PaidAt: webtest.At("12:00"), UpdatedAt: webtest.ShowTime})
	for kind, cents := range map[record.PaymentKind]int64{record.KindOfRefund: 300, record.KindOfChargeback: 1000, record.KindOfReversal: 400} {
		h.Apply(&record.Payment{ID: string(kind), ParentID: "pay", OrderID: "o", EventID: "evt_a", Kind: kind, Amount: euros(cents), Status: record.PaymentPaid, PaidAt: webtest.At("13:00"), UpdatedAt: webtest.ShowTime})
	}
	got := webtest.FigureText(webtest.Content(t, r, webtest.EventView("evt_a").As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML["figures"])
	webtest.Wants(t, "booked", got, "€21.80", "VAT included (€1.80), fees excluded", "€20.00 without VAT")
	webtest.Wants(t, "received net", got, "€3.00 refunded", "€10.00 charged back", "€4.00 won back")
}

// Who was paid back for a ticket that stays valid owes nothing: what is booked and did not stay is goodwill, nothing is open, and
// no page of it says that somebody has not paid.
func TestPaidBackForAValidTicket(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	old := webtest.ShowTime.AddDate(0, 0, -40)
	h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	h.Apply(&record.Ticket{ID: "tkt", EventID: "evt_a", OrderID: "o", Status: record.TicketValid, Price: &record.Money{Amount: 2500, Currency: "EUR"}, Fee: &record.Money{Currency: "EUR"}, CreatedAt: old, SoldAt: old, UpdatedAt: old})
	h.Apply(&record.Payment{ID: "pay", OrderID: "o", Amount: record.Money{Amount: 2500, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: old, UpdatedAt: old})
	h.Apply(&record.Payment{ID: "back", ParentID: "pay", Kind: record.KindOfRefund, Amount: record.Money{Amount: 1000, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: old, UpdatedAt: old})
	s := h.Snapshot()
	if e := s.Event("evt_a"); e.Unpaid.Value != 0 || len(e.Revenue.Of(figures.ToBePaid).Value) != 0 || e.Revenue.Of(figures.Goodwill).Value.In("EUR") != 1000 {
		t.Fatalf("%d places unpaid, open %v", e.Unpaid.Value, e.Revenue.Of(figures.ToBePaid).Value)
	}
	event := webtest.Content(t, r, webtest.EventView("evt_a").As(web.Manager), s, webtest.ShowTime).HTML
	webtest.Wants(t, "the way to net", webtest.FigureText(event["figures"]), "Received, net: €25.00 booked + €0.00 fees and goods − €10.00 goodwill − €0.00 not received")
	if strings.Contains(event["items"], "€10.00") {
		t.Errorf("goodwill is open: %s", event["items"])
	}
	for name, of := range map[string]string{
		"performance":    event["figures"] + event["items"],
		"revenue":        webtest.All(t, webtest.Content(t, r, webtest.RevenueView(60).As(web.Manager), s, webtest.ShowTime)),
		"reconciliation": webtest.All(t, webtest.Content(t, r, webtest.View{Page: "reconcile"}.As(web.Manager), s, webtest.ShowTime)),
	} {
		webtest.Lacks(t, name, strings.ToLower(webtest.Text(of)), "not paid", "to be paid:")
	}
	explained := webtest.Text(webtest.Page(t, r, webtest.View{Page: "explain", Params: "event=evt_a&figure=goodwill"}.As(web.Manager), s, webtest.ShowTime))
	webtest.Wants(t, "explained", explained, "What was paid back for tickets that stay valid")
}

// What is not paid yet stays on the overview while people come and while it runs, as long as the desk can collect it: the amount for
// those who see it, and the places for the box office.
func TestNotYetPaidUntilTheEnd(t *testing.T) {
	h := webtest.NewHouse()
	h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	sold := webtest.At("12:00")
	for _, id := range []string{"t1", "t2"} {
		h.Apply(&record.Ticket{ID: id, EventID: "evt_a", OrderID: "o", Status: record.TicketValid, Price: &record.Money{Amount: 2500, Currency: "EUR"}, CreatedAt: sold, SoldAt: sold, UpdatedAt: sold})
	}
	h.Apply(&record.Payment{ID: "pay", OrderID: "p", EventID: "evt_a", Amount: record.Money{Amount: 100, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: sold, UpdatedAt: sold})
	for _, clock := range []string{"19:00", "19:45", "20:30"} {
		h.AsOf, h.Health = webtest.At(clock), webtest.Healthy(webtest.At(clock))
		webtest.Wants(t, clock+", a manager", overview(t, h, "evt_a", clock, "lines", web.Manager), "Not received ≈ €50.00")
		webtest.Wants(t, clock+", the box office", overview(t, h, "evt_a", clock, "lines", web.BoxOffice), "Places not yet paid 2")
		// While the doors are open the amounts are folded under their name: nobody works them with amounts.
		lines := webtest.Content(t, webtest.Renderer(t), webtest.EventPart("evt_a", "").As(web.BoxOffice), h.Snapshot(), webtest.At(clock)).HTML["lines"]
		if folded := strings.Contains(lines, `<details class="fold"><summary><h2 class="what">Money</h2>`); folded != (clock != "19:00") {
			t.Errorf("%s: the amounts are folded: %t: %s", clock, folded, lines)
		}
		if got := overview(t, h, "evt_a", clock, "lines", web.Door); got != "" {
			t.Errorf("%s, the door reads %q", clock, got)
		}
	}
	webtest.Lacks(t, "without fees", overview(t, h, "evt_a", "20:30", "lines", web.Manager), "Fees and goods")
}

// What is received net is with fees where some are known, and so more than what is booked: that stands beside it.
func TestReceivedIsWithFees(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	sold := webtest.At("12:00").AddDate(0, 0, -3)
	for id, day := range map[string]int{"evt_a": 0, "evt_b": -1} {
		h.Event(id, "De Vader", "Kleine Zaal", "18:30", "19:00", 40, webtest.OnDay(day))
		h.Apply(&record.Ticket{ID: "t" + id, EventID: id, OrderID: "o" + id, Status: record.TicketValid, Price: &record.Money{Amount: 2500, Currency: "EUR"}, Fee: &record.Money{Amount: 150, Currency: "EUR"}, CreatedAt: sold, SoldAt: sold, UpdatedAt: sold})
		h.Apply(&record.Payment{ID: "p" + id, OrderID: "o" + id, EventID: id, Amount: record.Money{Amount: 2650, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: sold, UpdatedAt: sold})
	}
	of := webtest.Content(t, r, webtest.EventView("evt_a").As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML
	webtest.Wants(t, "its figures", webtest.FigureText(of["figures"]), "€26.50 with fees")
	webtest.Wants(t, "its lines", overview(t, h, "evt_a", "19:30", "lines", web.Manager), "Booked in all €25.00", "Fees and goods €1.50", "Received, net €26.50")
	tonight := webtest.All(t, webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Manager), h.Snapshot(), webtest.At("12:00")))
	webtest.Wants(t, "last night", webtest.Text(tonight), "€26.50 received for them, net, with fees.")
}

// The lines of money lead from what is booked to what was received: a refund for a ticket that stays valid is a line, and the rest adds up.
func TestLinesOfMoneyAddUp(t *testing.T) {
	h := webtest.NewHouse()
	old := webtest.At("12:00").AddDate(0, 0, -3)
	euros := func(cents int64) record.Money { return record.Money{Amount: cents, Currency: "EUR"} }
	h.Event("evt_a", "De Vader", "Kleine Zaal", "18:30", "19:00", 40)
	fee := euros(150)
	for _, id := range []string{"a", "b", "c"} {
		price := euros(2500)
		h.Apply(&record.Ticket{ID: "t" + id, EventID: "evt_a", OrderID: id, Status: record.TicketValid, Price: &price, Fee: &fee, CreatedAt: old, SoldAt: old, UpdatedAt: old})
	}
	pay := func(p record.Payment) {
		p.EventID, p.Status, p.CreatedAt, p.PaidAt, p.UpdatedAt = "evt_a", record.PaymentPaid, old, old, old
		h.Apply(&p)
	}
	pay(record.Payment{ID: "pa", OrderID: "a", Amount: euros(2650)})
	pay(record.Payment{ID: "pb", OrderID: "b", Amount: euros(2750)})
	pay(record.Payment{ID: "back", ParentID: "pa", OrderID: "a", Kind: record.KindOfRefund, Amount: euros(1000)})
	want := "Booked in all €75.00 Fees and goods €4.50 Goodwill €10.00 Not received €26.50 Overpaid €1.00 Received, net €10.00 refunded €44.00"
	webtest.Wants(t, "the lines", strings.Join(strings.Fields(strings.ReplaceAll(overview(t, h, "evt_a", "19:30", "lines", web.Manager), "≈ ", "")), " "), want)
	webtest.Lacks(t, "nothing refunded", overview(t, webtest.Selling(), "evt_own", "19:00", "lines", web.Manager), "Refunded, tickets")
}

// What was booked today stays on the page of a performance that is over, as long as Tonight counts it.
func TestBookedTodayAfterTheEnd(t *testing.T) {
	for _, c := range []struct {
		days int
		want string
	}{{0, "Booked today 1 place €25.00"}, {3, "Booked today"}} {
		h := webtest.NewHouse()
		h.Event("evt_a", "De Vader", "Kleine Zaal", "18:30", "19:00", 40)
		sold := webtest.At("12:00").AddDate(0, 0, -c.days)
		h.SellOne(h.Event("evt_b", "Elders", "Zolder", "18:30", "19:00", 40), sold, 1000)
		h.Apply(&record.Ticket{ID: "t", EventID: "evt_a", Status: record.TicketValid, Price: &record.Money{Amount: 2500, Currency: "EUR"}, CreatedAt: sold, SoldAt: sold, UpdatedAt: sold})
		for _, role := range []web.Role{web.Manager, web.BoxOffice} {
			if got := overview(t, h, "evt_a", "23:00", "lines", role); strings.Contains(got, c.want) != (c.days == 0) {
				t.Errorf("sold %d days ago, %s: %s", c.days, role, got)
			}
		}
	}
}

// The reasons of refunds are a table in each currency, the largest amount first, and rows of the file; nobody sees them but who
// sees money.
func TestReasonsInEachCurrency(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	for i, of := range []struct {
		code, reason string
		cents        int64
	}{{"EUR", "Illness", 1000}, {"EUR", "", 3000}, {"EUR", "=Late", 200}, {"GBP", "Illness", 500}} {
		pay := record.Payment{ID: fmt.Sprint("pay", i), EventID: "evt_a", Amount: record.Money{Amount: of.cents, Currency: of.code}, Status: record.PaymentPaid, PaidAt: webtest.At("12:00"), UpdatedAt: webtest.ShowTime}
		back := pay
		back.ID, back.ParentID, back.Kind, back.Reason = "back"+pay.ID, pay.ID, record.KindOfRefund, of.reason
		h.Apply(&pay)
		h.Apply(&back)
	}
	got := webtest.Content(t, r, webtest.EventPart("evt_a", "money").As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML["reasons"]
	webtest.Wants(t, "reasons", webtest.FigureText(got), "Refunds by reason, EUR", "No reason given § 1 § €30.00 ¦ Illness § 1 § €10.00 ¦ =Late § 1 § €2.00 ¦ Together § 3 § €42.00", "Refunds by reason, GBP", "Illness § 1 § £5.00 ¦ Together § 1 § £5.00")
	rows, column := webtest.Export(t, r, webtest.EventView("evt_a").As(web.Manager), h.Snapshot(), ',')
	var reasons []string
	for _, row := range rows {
		if reason := row[column["reason"]]; reason != "" {
			reasons = append(reasons, row[column["figure"]]+" "+reason+" "+row[column["value"]]+" "+row[column["currency"]])
		}
	}
	if got, want := strings.Join(reasons, "; "), "refunded_by_reason No reason given 30.00 EUR; refunded_by_reason Illness 10.00 EUR; refunded_by_reason Illness 5.00 GBP; refunded_by_reason '=Late 2.00 EUR"; got != want {
		t.Errorf("in the file: %s, want %s", got, want)
	}
	door := webtest.Content(t, r, webtest.EventView("evt_a").As(web.Door), h.Snapshot(), webtest.ShowTime)
	webtest.Lacks(t, "the door", webtest.All(t, door), "Illness")
	for _, role := range []web.Role{web.Door, web.BoxOffice} {
		rows, column := webtest.Export(t, r, webtest.EventView("evt_a").As(role), h.Snapshot(), ',')
		if _, has := column["reason"]; has || strings.Contains(fmt.Sprint(rows), "Illness") {
			t.Errorf("the file of %s has reasons of refunds", role)
		}
	}
}
