package figures_test

import (
	"fmt"
	"strings"
	"testing"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// What names something that no list gave is counted once those lists have been read.
func TestUnknownReferences(t *testing.T) {
	ordered := func(p *record.Payment) { p.OrderID = "o" }
	named := func(p *record.Payment) { p.TicketIDs = []string{"t"} }
	failed := func(p *record.Payment) { p.Status = record.PaymentFailed }
	for name, c := range map[string]struct {
		records  []record.Record
		coverage figures.Coverage
		want     string
		strays   figures.Strays
	}{
		"all came": {[]record.Record{theEvent("a"), theTicket("t", "a", func(t *record.Ticket) { t.OrderID = "o" }), thePayment("p", 5, ordered, named),
			&record.TicketScan{ID: "s", TicketID: "t"}}, scansRead, "", figures.Strays{}},
		"tickets of no event": {[]record.Record{theTicket("t", "z"), theTicket("u", "z", func(t *record.Ticket) { t.Quantity = new(3) }),
			theTicket("v", "z", func(t *record.Ticket) { t.Status = record.TicketReserved })}, scansRead, "ticket names an event that no list gave 3", figures.Strays{Tickets: 3, Places: 4}},
		"of a deleted event":  {[]record.Record{theEvent("a", func(e *record.Event) { e.Deleted = true }), theTicket("t", "a")}, scansRead, "", figures.Strays{}},
		"it came after all":   {[]record.Record{theTicket("t", "a"), theEvent("a")}, scansRead, "", figures.Strays{}},
		"events still read":   {[]record.Record{theTicket("t", "z")}, complete, "", figures.Strays{}},
		"a payment":           {[]record.Record{thePayment("p", 5, func(p *record.Payment) { p.EventID = "z" })}, scansRead, "payment names an event that no list gave 1", figures.Strays{}},
		"an order":            {[]record.Record{thePayment("p", 5, ordered)}, scansRead, "payment names an order of which there is no ticket 1", figures.Strays{}},
		"an order never paid": {[]record.Record{thePayment("p", 5, ordered, failed)}, scansRead, "", figures.Strays{}},
		"a ticket":            {[]record.Record{thePayment("p", 5, named)}, scansRead, "payment names a ticket that no list gave 1", figures.Strays{}},
		"a scan":              {[]record.Record{&record.TicketScan{ID: "s", TicketID: "t"}}, scansRead, "scan names a ticket that no list gave 1", figures.Strays{}},
		"tickets still read": {[]record.Record{thePayment("p", 5, ordered, named), &record.TicketScan{ID: "s", TicketID: "t"}},
			figures.Coverage{EventsComplete: true, TicketsOffered: true}, "", figures.Strays{}},
	} {
		t.Run(name, func(t *testing.T) {
			s := fold(c.coverage, c.records...)
			var got []string
			for _, d := range s.Diagnostics {
				got = append(got, fmt.Sprintf("%s %s %d", d.Kind, d.Text, d.Count))
			}
			if text := strings.Join(got, "; "); text != c.want || s.Strays != c.strays {
				t.Errorf("found %q and %+v, want %q and %+v", text, s.Strays, c.want, c.strays)
			}
		})
	}
}

// Every measure has a name and stands on something that is said.
func TestMeasures(t *testing.T) {
	s := fold(complete, theEvent("a"), theTicket("t", "a"), thePayment("p", 5, func(p *record.Payment) { p.EventID = "a" }))
	var got []string
	for m := range figures.RefundsPending + 1 {
		got = append(got, m.String()+" "+say(s.Total.Of(m)))
	}
	const want = "booked [{2000 EUR}]; received [{5 EUR}]; refunded []; charged back []; won back []; fees unknown no_fees; VAT unknown no_vat; refunds pending []"
	if text := strings.Join(got, "; "); text != want {
		t.Errorf("got %q\nwant %q", text, want)
	}
}
