package money_test

import (
	"regexp"
	"testing"

	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// Orders that are open lead to what is to be paid, and to what is to be paid back where nothing else is open.
func TestOpenOrdersLeadToWhatIsOpen(t *testing.T) {
	at := webtest.At("15:00")
	eur := func(n int64) record.Money { return record.Money{Amount: n, Currency: "EUR"} }
	for paid, want := range map[int64]string{1500: `/explain/to_be_paid?`, 2500: `/explain/to_be_paid_back?`} {
		r, h := webtest.Renderer(t), webtest.NewHouse()
		e := h.Event("evt_a", "Stuk A", "Zaal", "19:30", "20:15", 40)
		price := eur(2000)
		h.Apply(&record.Ticket{ID: "p", OrderID: "o", EventID: e.ID, Status: record.TicketValid, Price: &price, SoldAt: at, UpdatedAt: at})
		h.Apply(&record.Payment{ID: "y", OrderID: "o", EventID: e.ID, Amount: eur(paid), Status: record.PaymentPaid, PaidAt: at, UpdatedAt: at})
		html := webtest.All(t, webtest.Content(t, r, webtest.RevenueView(7).As(web.Manager), h.Snapshot(), webtest.ShowTime))
		i := openOrders.FindStringSubmatch(html)
		if i == nil {
			t.Fatal("no open order: ", html)
		}
		webtest.Wants(t, "the link", i[1], want)
	}
}

var openOrders = regexp.MustCompile(`<a href="([^"]*)">1.order open</a>`)
