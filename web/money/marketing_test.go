package money_test

import (
	"fmt"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
	"testing"
	"time"
)

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
	html := webtest.Content(t, r, webtest.Marketing.As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML
	webtest.Wants(t, "methods", webtest.FigureText(html["methods"]), "iDEAL § 75.0% § €30.00 ¦ cash § 25.0% § €10.00")
	webtest.Wants(t, "figures", webtest.FigureText(html["figures"]), "Bought by returning contacts 50.0% of 2 places whose buyer is known")
	webtest.Wants(t, "buyers", webtest.FigureText(html["buyers"]), "New contacts § 1 § 50.0%", "Returning contacts § 1 § 50.0%", "Without a contact § 1 § —")
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
	shown := webtest.FigureText(webtest.Content(t, r, webtest.Marketing.As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML["referrals"])
	webtest.Wants(t, "referrals", shown, "ref 19 § 1 § 4.5% § €10.00", "§ 2 § 9.1% § €20.00")
}
