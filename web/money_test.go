package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// Amounts that all differ, so that no line can stand in another's place: received 1,000, of it
// 200 refunded and 50 charged back, with 30 asked back and not settled.
func TestMoneyLinesAreTheirOwn(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	at := webtest.ShowTime.Add(-time.Hour)
	pay := func(id string, kind record.PaymentKind, cents int64, status record.PaymentStatus) {
		p := &record.Payment{ID: id, EventID: e.ID, Kind: kind, Amount: record.Money{Amount: cents, Currency: "EUR"}, Status: status, PaidAt: at, UpdatedAt: at}
		if kind != record.KindOfPayment {
			p.ParentID = "pay"
		}
		h.Apply(p)
	}
	ticket(h, e, at, 90000)
	pay("pay", record.KindOfPayment, 100000, record.PaymentPaid)
	pay("back", record.KindOfRefund, 20000, record.PaymentPaid)
	pay("bank", record.KindOfChargeback, 5000, record.PaymentPaid)
	pay("asked", record.KindOfRefund, 3000, record.PaymentPending)
	s := h.Snapshot()
	revenue := webtest.Content(t, r, webtest.RevenueView(7).As(web.Manager), s, webtest.ShowTime).HTML
	lines := webtest.FigureText(revenue["money-1"])
	webtest.Wants(t, "revenue", lines, "Booked €900.00", "Received, net €750.00", "Received €1,000.00", "Refunded €200.00", "€30.00 pending, not taken off", "Chargebacks €50.00")
	webtest.Wants(t, "day", webtest.FigureText(revenue["days-rows-1"]), "so far § 1 § €900.00 § €750.00 § —")
	webtest.Wants(t, "performance", webtest.FigureText(revenue["events-1"]), "De Vader Fri 20 Nov § 1 § €900.00 § €200.00 § €750.00")
	webtest.Wants(t, "tiles", webtest.FigureText(webtest.Content(t, r, webtest.EventView("evt_a").As(web.Manager), s, webtest.ShowTime).HTML["figures"]),
		"Booked in all €900.00", "Received, net €750.00 €200.00 refunded, €50.00 charged back, €30.00 pending")

	e.Status, e.UpdatedAt = record.EventCancelled, webtest.ShowTime.Add(-time.Minute)
	off := *e
	h.Apply(&off)
	s = h.Snapshot()
	webtest.Wants(t, "cancelled", webtest.FigureText(webtest.Content(t, r, webtest.EventView("evt_a").As(web.Manager), s, webtest.ShowTime).HTML["figures"]),
		"To pay back €750.00", "Of it pending €30.00", "Paid back €200.00", "Received before €1,000.00")
	door := webtest.FigureText(webtest.Content(t, r, webtest.EventView("evt_a").As(web.Door), s, webtest.ShowTime).HTML["figures"])
	webtest.Wants(t, "cancelled, at the door", door, "Sold 1")
	webtest.Lacks(t, "cancelled, at the door", door, "€", "pay back")
}

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
		{"about nothing", func(h *webtest.House) {
			h.Apply(&record.Payment{ID: "back", ParentID: "pay", EventID: "evt_a", Kind: record.KindOfRefund, Amount: record.Money{Amount: 90000, Currency: "EUR"},
				Status: record.PaymentPaid})
		}, "≈ €0.00 is still to pay back."},
		{"not known", func(h *webtest.House) { h.Coverage.PaymentsOffered = false },
			"What is still to pay back is not known . Nobody is expected and nothing is for sale."},
	} {
		r, h := webtest.Renderer(t), webtest.NewHouse()
		e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40, webtest.Available(39), func(e *record.Event) { e.Status = record.EventCancelled })
		ticket(h, e, webtest.At("12:00"), 90000)
		h.Apply(&record.Payment{ID: "pay", EventID: e.ID, Kind: record.KindOfPayment, Amount: record.Money{Amount: 90000, Currency: "EUR"},
			Status: record.PaymentPaid, PaidAt: webtest.At("12:00"), UpdatedAt: webtest.ShowTime})
		c.change(h)
		html := webtest.Content(t, r, webtest.EventView("evt_a").As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML
		webtest.Wants(t, c.name, webtest.FigureText(html["head"]), c.want)
		webtest.Wants(t, c.name, webtest.FigureText(html["figures"]), "Sold 1 place; nothing is for sale")
		webtest.Wants(t, c.name, webtest.FigureText(html["sales"]), "1 place sold since")
	}
}

// The period is shown with all that was booked, and compared by what was booked before the
// minute that has begun: in the one before, that minute is a whole one.
func TestRevenueIsComparedToTheMinute(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	begun := webtest.At("19:51") // the minute of the figures
	ticket(h, e, begun.Add(-time.Minute), 3000)
	ticket(h, e, begun, 1000)
	ticket(h, e, begun.AddDate(0, 0, -7).Add(-time.Second), 2000)
	ticket(h, e, begun.AddDate(0, 0, -7), 50000)
	revenue := webtest.Content(t, r, webtest.RevenueView(7).As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML
	webtest.Wants(t, "head", webtest.FigureText(revenue["head"]), "compared up to 19:51 on their last day",
		"€40.00 booked for 2 places . From Friday 20 November on, €30.00 against €20.00 for 1 place: +50.0% .")
	webtest.Wants(t, "notice", webtest.FigureText(revenue["attention"]), "Nothing is known of the days before Friday 13 November. Compared from Friday 20 November on.")
	webtest.Wants(t, "figures", webtest.FigureText(revenue["money-1"]), "Booked €40.00 +50.0% against €20.00")
	webtest.Wants(t, "days", webtest.FigureText(revenue["days-rows-1"]), "so far § 2 § €40.00", "§ €20.00")
}

// Every period stands beside all that it may be compared with, each a link to the page that says more, and the one
// that is shown is marked; a budget counts as far as the running day has passed, and only the months that have one.
func TestRevenueAtAGlance(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	for at, price := range map[time.Time]int64{webtest.At("19:30"): 3000, webtest.ShowTime.AddDate(0, 0, -1): 2000, webtest.ShowTime.AddDate(0, -1, 0).Add(-time.Hour): 1000, webtest.ShowTime.AddDate(0, 0, -364).Add(-time.Hour): 6000, webtest.ShowTime.AddDate(-1, 0, -40): 100} {
		ticket(h, e, at, price)
	}
	h.Apply(&record.Setting{Name: record.SettingBudget, Of: "EUR", From: "2026-11", Value: new(int64(30_00)), At: webtest.ShowTime, By: "Mia"})
	page := func(params web.Params) map[string]string {
		return webtest.Content(t, r, webtest.View{Page: "revenue", Params: params}.As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML
	}
	month := page("against=budget&period=month")
	webtest.Wants(t, "glance", webtest.FigureText(month["glance"]), "¦ Today § €30.00 § — § −50.0% § ×37 ¦", "¦ Month § €50.00 § +400.0% § −16.7% § +152.3%")
	webtest.Wants(t, "links", month["glance"], `href="/revenue?against=last_year&amp;period=week" aria-label="Week, last year: `, `href="/revenue?against=budget&amp;period=month" aria-label="Month, budget: +152.3%" aria-current="true"`, `href="/revenue?against=nothing&amp;period=season"`)
	webtest.Wants(t, "head", webtest.FigureText(month["head"]), "against its budget up to 19:51, spread evenly over the days of a month", "€50.00 against a budget of €19.82: +152.3%")
	webtest.Wants(t, "days", webtest.FigureText(month["days-rows-1"]), "Budget ¦ Fri 20 Nov, so far § 1 § €30.00 § €0.00 § €0.82", "¦ Thu 19 Nov § 1 § €20.00 § ", "§ €1.00")
	season := page("against=budget&period=season")
	webtest.Wants(t, "notice", webtest.FigureText(season["attention"]), "No budget in EUR is set for Sep and Oct. What is compared leaves that out on both sides.")
	webtest.Wants(t, "head", webtest.FigureText(season["head"]), "€60.00 booked", "€50.00 against a budget of €19.82")
	custom := page("against=budget&from=2026-10-01&period=custom&to=2026-10-31")
	webtest.Wants(t, "notice", webtest.FigureText(custom["attention"]), "No budget is set for this period")
	webtest.Wants(t, "own days", webtest.FigureText(custom["glance"]), "¦ These days § €10.00 § —")
}

// What was booked is shown without its VAT where that is asked for: headline, days and performances alike.
func TestRevenueWithoutVAT(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	ticket(h, e, webtest.At("12:00"), 10900)
	ticket(h, e, webtest.At("12:00").AddDate(0, 0, -1), 21800)
	shown := func() map[string]string {
		return webtest.Content(t, r, webtest.View{Page: "revenue", Params: "against=before&period=month&vat=excl"}.As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML
	}
	webtest.Wants(t, "VAT that is not known", webtest.FigureText(shown()["money-1"]), "Booked €327.00")
	h.Apply(&record.Setting{Name: record.SettingVATRate, Value: new(int64(9_00)), At: webtest.ShowTime, By: "Mia"})
	got := shown()
	webtest.Wants(t, "head", webtest.FigureText(got["head"]), "€300.00 without VAT booked for 2 places")
	webtest.Wants(t, "figures", webtest.FigureText(got["money-1"]), "Booked, excl. VAT ≈ €300.00")
	webtest.Wants(t, "glance", webtest.FigureText(got["glance"]), "¦ Today § ≈ €100.00", "Booked, excl. VAT")
	webtest.Wants(t, "days", webtest.FigureText(got["days-rows-1"]), "Booked, excl. VAT", "€200.00")
	webtest.Wants(t, "performances", webtest.FigureText(got["events-1"]), "Booked, excl. VAT", "¦ De Vader Fri 20 Nov § 2 § ≈ €300.00 §", "¦ All § 2 § ≈ €300.00 §")
	webtest.Wants(t, "links", got["glance"], "vat=excl")
	h.Apply(&record.Setting{Name: record.SettingBudget, Of: "EUR", From: "2026-11", Value: new(int64(300_00)), At: webtest.ShowTime, By: "Mia"})
	got = shown()
	webtest.Lacks(t, "beside the budget, which has VAT in it", webtest.FigureText(got["glance"])+got["glance"]+webtest.FigureText(got["money-1"]), "udget")
	if _, err := web.NewRequest("revenue", url.Values{"against": {"budget"}, "vat": {"excl"}}, web.Manager.Access(), web.English); err == nil {
		t.Error("what is without VAT is compared with the budget")
	}
	v := webtest.View{Page: "revenue", Params: "against=budget&period=month"}.As(web.Manager)
	got = webtest.Content(t, r, v, h.Snapshot(), webtest.ShowTime).HTML
	webtest.Wants(t, "with VAT", webtest.FigureText(got["head"])+webtest.FigureText(got["money-1"]), "€327.00 booked for 2 places . €327.00 against a budget of €198.27: +64.9%", "Budget ≈ €198.27", "Booked €327.00")
	webtest.Lacks(t, "with VAT", got["glance"], "vat=excl")
	webtest.Wants(t, "the way back", webtest.Page(t, r, v, h.Snapshot(), webtest.ShowTime), `href="/revenue?against=before&amp;period=month&amp;vat=excl"`)
}

// A period in which nothing is booked yet is beside its budget all the same.
func TestRevenueOfNothingBesideItsBudget(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	ticket(h, h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40), webtest.ShowTime.AddDate(0, 0, -1), 3000)
	h.Apply(&record.Setting{Name: record.SettingBudget, Of: "EUR", From: "2026-11", Value: new(int64(30_00)), At: webtest.ShowTime, By: "Mia"})
	got := webtest.Content(t, r, webtest.View{Page: "revenue", Params: "against=budget&period=today"}.As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML
	webtest.Wants(t, "glance", webtest.FigureText(got["glance"]), "¦ Today § 0 § — § — § −100.0%")
	webtest.Wants(t, "head", webtest.FigureText(got["head"]), "€0.00 against a budget of €0.82: −100.0%")
	webtest.Lacks(t, "notice", got["attention"], "No budget")
}

// Beside a performance stands what the one of its title or series had booked a year before, up to the same point.
func TestRevenueBesideLastYear(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	last := h.Event("evt_last", "Messiah", "Kleine Zaal", "19:30", "20:15", 40, webtest.OnDay(-360))
	early := h.Event("evt_early", "Messiah", "Kleine Zaal", "19:30", "20:15", 40, webtest.OnDay(-420))
	ticket(h, early, webtest.ShowTime.AddDate(0, 0, -500), 100)
	ticket(h, early, webtest.ShowTime.AddDate(0, 0, -366), 9900)
	ticket(h, last, webtest.ShowTime.AddDate(0, 0, -366), 4000)
	ticket(h, last, webtest.ShowTime.AddDate(0, 0, -364).Add(time.Hour), 7000) // later than the same minute
	ticket(h, h.Event("evt_now", "Messiah", "Kleine Zaal", "19:30", "20:15", 40, webtest.OnDay(5)), webtest.ShowTime.Add(-time.Hour), 5000)
	ticket(h, h.Event("evt_new", "Nieuw", "Kleine Zaal", "19:30", "20:15", 40, webtest.OnDay(6)), webtest.ShowTime.Add(-time.Hour), 3000)
	got := webtest.Content(t, r, webtest.View{Page: "revenue", Params: "against=last_year&period=week"}.As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML
	webtest.Wants(t, "performances", webtest.FigureText(got["events-1"]), "Last year", "¦ Messiah Wed 25 Nov § 1 § €50.00 § €0.00 § €0.00 § €40.00", "¦ Nieuw Thu 26 Nov § 1 § €30.00 § €0.00 § €0.00 § — ¦ All")
}

// One day is said as one, without a chart, and where it begins when that is not midnight.
func TestRevenueOfADay(t *testing.T) {
	for cutoff, zone := range map[time.Duration]string{0: "by day of sale, Europe/Amsterdam", 6 * time.Hour: "by day of sale, 06:00 to 06:00, Europe/Amsterdam"} {
		r, h := webtest.Renderer(t), webtest.NewHouse()
		ticket(h, h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40), webtest.At("12:00"), 3000)
		s := *h.Snapshot()
		s.Calendar.Cutoff = cutoff
		day := webtest.Content(t, r, webtest.View{Page: "revenue", Params: "against=before&period=today"}.As(web.Manager), &s, webtest.ShowTime)
		webtest.Wants(t, "head", webtest.FigureText(day.HTML["head"]), "Fri 20 Nov against Thu 19 Nov, compared up to 19:51 · "+zone)
		webtest.Wants(t, "figures", webtest.FigureText(day.HTML["money-1"]), "Booked €30.00")
		webtest.Lacks(t, "words", day.HTML["days-1"]+day.HTML["days-rows-1"]+day.HTML["bridge-1"], "best day", "by day", "from Fri")
		if !strings.Contains(day.HTML["days-1"], "chartless") {
			t.Errorf("a chart of one bar: %s", day.HTML["days-1"])
		}
	}
}

// Who came back has bought the same share above the lists of Marketing and in them: of the places whose
// buyer is known. The way in which most was paid stands first.
func TestSharesOfMarketing(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	for id, of := range map[string]struct {
		contact string
		sold    time.Time
	}{"first": {"mia", webtest.At("12:00").AddDate(0, 0, -3)}, "again": {"mia", webtest.At("12:00")}, "nobody's": {"", webtest.At("12:00")}} {
		h.Apply(&record.Ticket{ID: id, EventID: e.ID, ContactID: of.contact, Status: record.TicketValid, SoldAt: of.sold, UpdatedAt: webtest.ShowTime})
	}
	for method, cents := range map[string]int64{"cash": 1000, "ideal": 3000} {
		h.Apply(&record.Payment{ID: method, EventID: e.ID, Method: method, Amount: record.Money{Amount: cents, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: webtest.ShowTime, UpdatedAt: webtest.ShowTime})
	}
	html := webtest.Content(t, r, marketing.As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML
	webtest.Wants(t, "methods", webtest.FigureText(html["methods"]), "iDEAL § 75.0% § €30.00 ¦ cash § 25.0% § €10.00")
	webtest.Wants(t, "figures", webtest.FigureText(html["figures"]), "Bought by returning contacts 50.0% of 2 places whose buyer is known")
	webtest.Wants(t, "buyers", webtest.FigureText(html["buyers"]), "New contacts § 1 § 50.0%", "Returning contacts § 1 § 50.0%", "Without a contact § 1 § —")
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
		"for both":         {&record.Payment{ID: "pay", OrderID: "o", Amount: record.Money{Amount: 3000, Currency: "EUR"}}, "Received, net: €20.00 booked − ≈ €5.00 not received + ≈ €0.00 to be paid back = €15.00 ."},
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

// Who was paid back for a ticket that stays valid owes nothing: what is booked and did not stay is open, by its
// definition, and no page of it says that somebody has not paid.
func TestPaidBackForAValidTicket(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	old := webtest.ShowTime.AddDate(0, 0, -40)
	h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	h.Apply(&record.Ticket{ID: "tkt", EventID: "evt_a", OrderID: "o", Status: record.TicketValid, Price: &record.Money{Amount: 2500, Currency: "EUR"}, Fee: &record.Money{Currency: "EUR"}, CreatedAt: old, SoldAt: old, UpdatedAt: old})
	h.Apply(&record.Payment{ID: "pay", OrderID: "o", Amount: record.Money{Amount: 2500, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: old, UpdatedAt: old})
	h.Apply(&record.Payment{ID: "back", ParentID: "pay", Kind: record.KindOfRefund, Amount: record.Money{Amount: 1000, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: old, UpdatedAt: old})
	s := h.Snapshot()
	if e := s.Event("evt_a"); e.Unpaid.Value != 0 || e.Revenue.Of(figures.ToBePaid).Value.In("EUR") != 1000 {
		t.Fatalf("%d places unpaid, open %v", e.Unpaid.Value, e.Revenue.Of(figures.ToBePaid).Value)
	}
	event := webtest.Content(t, r, webtest.EventView("evt_a").As(web.Manager), s, webtest.ShowTime).HTML
	webtest.Wants(t, "the way to net", webtest.FigureText(event["figures"]), "Received, net: €25.00 booked + €0.00 fees − €10.00 not received")
	webtest.Wants(t, "open items", webtest.FigureText(event["items"]), "€10.00 booked, with fees, and not received")
	for name, of := range map[string]string{
		"performance":    event["figures"] + event["items"],
		"revenue":        webtest.All(t, webtest.Content(t, r, webtest.RevenueView(60).As(web.Manager), s, webtest.ShowTime)),
		"reconciliation": webtest.All(t, webtest.Content(t, r, webtest.View{Page: "reconcile"}.As(web.Manager), s, webtest.ShowTime)),
	} {
		webtest.Wants(t, name, strings.ToLower(strings.ReplaceAll(webtest.Text(of), "\u00a0", " ")), "not received")
		webtest.Lacks(t, name, strings.ToLower(webtest.Text(of)), "not paid", "to be paid:")
	}
	explained := webtest.Text(webtest.Page(t, r, webtest.View{Page: "explain", Params: "event=evt_a&figure=to_be_paid"}.As(web.Manager), s, webtest.ShowTime))
	webtest.Wants(t, "explained", explained, "or paid back for tickets that stay valid")
}

// What the parts beyond those with a row come to is as well known as they are: by the performances of the days
// shown, not by those of all days.
func TestOtherPartsAreAsWellKnown(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	for i := range 22 {
		h.Apply(&record.Ticket{ID: fmt.Sprint("tkt_", i), EventID: e.ID, Status: record.TicketValid, Referral: fmt.Sprintf("ref %02d", i), Price: &record.Money{Amount: 1000, Currency: "EUR"}, SoldAt: webtest.ShowTime, UpdatedAt: webtest.ShowTime})
	}
	later := h.Event("evt_b", "Later", "Kleine Zaal", "19:30", "20:15", 40, webtest.OnDay(60))
	h.Apply(&record.Ticket{ID: "unpriced", EventID: later.ID, Status: record.TicketValid, SoldAt: webtest.ShowTime, UpdatedAt: webtest.ShowTime})
	shown := webtest.FigureText(webtest.Content(t, r, marketing.As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML["referrals"])
	webtest.Wants(t, "referrals", shown, "ref 19 § 1 § 4.5% § €10.00", "§ 2 § 9.1% § €20.00")
}
