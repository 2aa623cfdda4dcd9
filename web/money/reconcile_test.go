package money_test

import (
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
	"housecount/web/words"
)

// differing returns a house in which no two figures agree.
func differing(t testing.TB) *webtest.House {
	t.Helper()
	h := webtest.Small(t)
	since := webtest.ShowTime.Add(-3 * time.Hour)
	off := h.Event("evt_off", "<b>Tel</b>", "Grote Zaal", "19:30", "20:15", 60, webtest.Available(50), func(e *record.Event) { e.Blocked, e.Sold = new(4), new(12) })
	h.Sell(off, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -60), To: webtest.ShowTime.AddDate(0, 0, -50), Paid: 9})
	h.Apply(&record.Payment{ID: "pay_gone", EventID: "evt_gone", Amount: record.Money{Amount: 1250, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: since, UpdatedAt: since})
	for _, id := range []string{"held", "held again"} {
		h.Apply(&record.Ticket{ID: id, EventID: "evt_off", Status: record.TicketReserved, UpdatedAt: since,
			Scans: []record.Scan{{At: webtest.At("19:40"), Gate: "A", Direction: record.Entry}}})
	}
	for i := range 9 {
		h.Apply(&record.Ticket{ID: "more " + string(rune('a'+i)), EventID: "evt_off", Status: record.TicketVoid, UpdatedAt: since,
			Scans: []record.Scan{{At: webtest.At("19:40"), Gate: "A", Direction: record.Entry}}})
	}
	h.Apply(&record.Reconciliation{Check: string(figures.CheckRecompute), At: webtest.ShowTime.AddDate(0, 0, -1), Differ: 2, Compared: 3, Versions: 12345, Revision: 12400, Took: 3_400_000_000,
		Slice: &record.RecomputedSlice{At: since, Number: 4, Of: 12, Compared: 17, Took: 2_000_000_000},
		Found: []record.Found{{Key: "recompute:", Since: since, Figures: []record.FoundFigure{{Figure: "booked", Shown: record.FoundValue{Amount: []record.Money{{Amount: 7700, Currency: "EUR"}}}, Proper: record.FoundValue{Unknown: true}}}},
			{Key: "recompute:evt_a", Event: "evt_a", Since: since, Figures: []record.FoundFigure{{Figure: "sold", Shown: record.FoundValue{Count: 25}, Proper: record.FoundValue{Count: 24}}},
				Records: []string{"pay_9"}, Kind: record.KindPayment}}})
	h.Apply(&record.Reconciliation{Check: string(figures.CheckPlaces), At: since, Found: []record.Found{{Key: "places:evt_off", Since: since}}})
	h.Apply(&record.Reconciliation{Check: string(figures.CheckPayments), At: since, Found: []record.Found{{Key: "payments:", Since: since}, {Key: "payments:evt_gone", Since: since}}})
	return h
}

// Every difference is on the page with its size, what it is of and its records, and on Tonight until it
// is seen; amounts are for those who see money.
func TestReconcilePage(t *testing.T) {
	r, s := webtest.Renderer(t), differing(t).Snapshot()
	shown := strings.ReplaceAll(webtest.All(t, webtest.Content(t, r, webtest.View{Page: "reconcile"}.As(web.Manager), s, webtest.ShowTime)), "\u00a0", " ")
	tonight := webtest.All(t, webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Manager), s, webtest.ShowTime))
	for _, want := range []string{
		`>&lt;b&gt;Tel&lt;/b&gt;</bdi></a> <small>`, `places too many`, `<b>`, `/explain/available?event=evt_off`, `12 sold, as the service counts`,
		`/explain/came_unsold?event=evt_off`, `1 payment, €25.00 net`, `evt_gone`, `1 payment, €12.50 net`, `not listed, or deleted`, `Sold: `, `/explain/sold?event=evt_a`, `24 recomputed`, `<code>pay_9</code>`,
		`Booked: €77.00 is shown, — recomputed`, `12,345 stored versions`, `By day, part by part: 5 of 12 last, 16:52, 17 performances in`, `First-time buyers are compared at night only`, `since 16:52`, `<i>Listed since</i>`,
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, want := range []string{`/reconcile#check-recompute`, `A recompute comes to other figures`, `/reconcile#check-places`, `name="alert" value="differs%3Aplaces"`, `name="event" value=""`} {
		if !strings.Contains(tonight, want) {
			t.Errorf("Tonight lacks %q", want)
		}
	}
	places := web.Request{Page: "reconcile", Access: web.Access{Money: web.NoMoney, Findings: true}, Locale: web.English}
	if m := webtest.Amounts.FindString(webtest.All(t, webtest.Content(t, r, places, s, webtest.ShowTime))); m != "" {
		t.Errorf("who sees no money sees %s", m)
	}
	for _, role := range []web.Role{web.Door, web.BoxOffice} {
		if (webtest.View{Page: "reconcile"}).SeenBy(role) || strings.Contains(webtest.All(t, webtest.Content(t, r, webtest.View{Page: "tonight"}.As(role), s, webtest.ShowTime)), "/reconcile") {
			t.Errorf("%s is shown what does not agree", role)
		}
	}
	look := webtest.LookForWords(t)
	for name, q := range map[string]web.Request{"the page": webtest.View{Page: "reconcile"}.As(web.Manager), "without money": places, "Tonight": webtest.View{Page: "tonight"}.As(web.Manager)} {
		look(name, webtest.Page(t, r, webtest.In(words.Pseudo, q), s, webtest.ShowTime))
	}
}

// What has been open for long is as certain as its own orders are: what others lack does not matter.
func TestOldOpenItemsAreAsCertainAsTheirOrders(t *testing.T) {
	r := webtest.Renderer(t)
	for lacking, want := range map[bool]string{false: "To be paid: €20.00,", true: "To be paid: ≈ €20.00,"} {
		h := webtest.NewHouse()
		e, at := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40), webtest.ShowTime.AddDate(0, 0, -45)
		old := record.Ticket{ID: "old", OrderID: "ord_old", EventID: e.ID, Status: record.TicketValid, Price: &record.Money{Amount: 2000, Currency: "EUR"}, Fee: &record.Money{Currency: "EUR"}, SoldAt: at, UpdatedAt: at}
		h.Apply(&old)
		h.Apply(&record.Payment{ID: "other", OrderID: "ord_other", EventID: e.ID, Amount: record.Money{Amount: 1000, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: webtest.ShowTime, UpdatedAt: webtest.ShowTime})
		today := record.Ticket{ID: "today", OrderID: "ord_other", EventID: e.ID, Status: record.TicketValid, SoldAt: webtest.ShowTime, UpdatedAt: webtest.ShowTime} // without a price
		if lacking {
			today.OrderID, today.SoldAt = old.OrderID, at
		}
		h.Apply(&today)
		head := webtest.FigureText(webtest.Content(t, r, webtest.View{Page: "reconcile"}.As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML["head"])
		webtest.Wants(t, "the headline", head, want)
	}
}

// Where some checks have nothing to compare it is not said that the figures agree, but of how many that is so,
// and of each why; what is still being read is not compared.
func TestNothingToCompare(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	h.Sell(h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40, webtest.Available(15)), webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -4), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 25})
	shown := func(page string) string {
		return strings.ReplaceAll(webtest.Text(webtest.All(t, webtest.Content(t, r, webtest.View{Page: page}.As(web.Manager), h.Snapshot(), webtest.ShowTime))), "\u00a0", " ")
	}
	webtest.Wants(t, "some have nothing", shown("reconcile"), "What can be compared agrees. In 3 checks there is nothing to compare.", "The service does not report how many places are sold",
		"The service reports no scans, or nobody came yet", "It is done once a night, from all that is stored")
	for i := range h.Health.Streams {
		h.Health.Streams[i].Behind = true
	}
	webtest.Wants(t, "what is behind", shown("reconcile"), "There is nothing to compare yet.", "What would be compared is still being read")
	webtest.Wants(t, "the strip", shown("tonight"), "reading what came in the meantime: ", "; the figures are not complete until then")
}

// Above items that have been open for long no headline says that the figures agree, on the page or on the way to it.
func TestOldOpenItemsAreNotCalledAgreement(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 40)
	at := webtest.ShowTime.AddDate(0, 0, -45)
	price := record.Money{Amount: 2000, Currency: "EUR"} // without a fee: it is not known what is open
	h.Apply(&record.Ticket{ID: "old", OrderID: "ord_old", EventID: e.ID, Status: record.TicketValid, Price: &price, SoldAt: at, UpdatedAt: at})
	h.Apply(&record.Payment{ID: "other", EventID: e.ID, Amount: record.Money{Amount: 1, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: at, UpdatedAt: at})
	head := webtest.FigureText(webtest.Content(t, r, webtest.View{Page: "reconcile"}.As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML["head"])
	webtest.Wants(t, "the headline", head, "Work for the office: orders of 1 performance have had open items for 30 days or more. To be paid: ≈ €20.00, of 1 performance. To be paid back: ≈ €0.01, of 1 performance. No figure is wrong. In ", "there is nothing to compare.")
	webtest.Lacks(t, "the headline", head, "agree")
	way := webtest.FigureText(webtest.All(t, webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Manager), h.Snapshot(), webtest.ShowTime)))
	webtest.Lacks(t, "the way to it", way, "ur figures agree")
	webtest.Wants(t, "the way to it", way, "Office: open items (1)")
	h.Event("evt_b", "Het vervolg", "Kleine Zaal", "19:30", "20:15", 40)
	h.Apply(&record.Payment{ID: "much", OrderID: "ord_much", EventID: "evt_b", Amount: record.Money{Amount: 3000, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: at, UpdatedAt: at})
	h.Apply(&record.Ticket{ID: "less", OrderID: "ord_much", EventID: "evt_b", Status: record.TicketValid, Price: &price, SoldAt: at, UpdatedAt: at})
	head = webtest.FigureText(webtest.Content(t, r, webtest.View{Page: "reconcile"}.As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML["head"])
	webtest.Wants(t, "by kind", head, "orders of 2 performances", "To be paid: ≈ €20.00, of 1 performance. To be paid back: ≈ €10.01, of 2 performances.")

	h.Apply(&record.Payment{ID: "other", EventID: e.ID, Amount: record.Money{Amount: 1, Currency: "EUR"}, Status: record.PaymentCanceled, UpdatedAt: at.Add(time.Hour)})
	h.Apply(&record.Payment{ID: "much", OrderID: "ord_much", EventID: "evt_b", Amount: record.Money{Amount: 2000, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: at, UpdatedAt: at.Add(time.Hour)})
	page := webtest.Content(t, r, webtest.View{Page: "reconcile"}.As(web.Manager), h.Snapshot(), webtest.ShowTime)
	head = webtest.FigureText(page.HTML["head"])
	webtest.Wants(t, "one kind", head, "To be paid: ≈ €20.00, of 1 performance.")
	webtest.Lacks(t, "one kind", head, "paid back")
	webtest.Wants(t, "its row", webtest.FigureText(webtest.All(t, page)), "≈ €20.00 not received for 30 days or more")
}
