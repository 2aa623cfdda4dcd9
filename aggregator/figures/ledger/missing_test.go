package ledger_test

import (
	"fmt"
	"strings"
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// Records that refer to a record in no list are counted, once that list has been read.
func TestUnknownReferences(t *testing.T) {
	ordered := func(p *record.Payment) { p.OrderID = "o" }
	named := func(p *record.Payment) { p.TicketIDs = []string{"t"} }
	failed := func(p *record.Payment) { p.Status = record.PaymentFailed }
	for name, c := range map[string]struct {
		records  []record.Record
		coverage ledger.Coverage
		want     string
		strays   figures.Strays
	}{
		"all came": {[]record.Record{foldtest.Event("a"), foldtest.Ticket("t", "a", func(t *record.Ticket) { t.OrderID = "o" }), foldtest.Payment("p", 5, ordered, named),
			&record.TicketScan{ID: "s", TicketID: "t"}}, foldtest.ScansRead, "", figures.Strays{}},
		"tickets of no event": {[]record.Record{foldtest.Ticket("t", "z"), foldtest.Ticket("u", "z", func(t *record.Ticket) { t.Quantity = new(3) }),
			foldtest.Ticket("v", "z", func(t *record.Ticket) { t.Status = record.TicketReserved })}, foldtest.ScansRead, "ticket names an event that no list gave 3", figures.Strays{Tickets: 3, Places: 4}},
		"of a deleted event":  {[]record.Record{foldtest.Event("a", func(e *record.Event) { e.Deleted = true }), foldtest.Ticket("t", "a")}, foldtest.ScansRead, "", figures.Strays{}},
		"it came after all":   {[]record.Record{foldtest.Ticket("t", "a"), foldtest.Event("a")}, foldtest.ScansRead, "", figures.Strays{}},
		"events still read":   {[]record.Record{foldtest.Ticket("t", "z")}, foldtest.Complete, "", figures.Strays{}},
		"a payment":           {[]record.Record{foldtest.Payment("p", 5, func(p *record.Payment) { p.EventID = "z" })}, foldtest.ScansRead, "payment names an event that no list gave 1", figures.Strays{}},
		"an order":            {[]record.Record{foldtest.Payment("p", 5, ordered)}, foldtest.ScansRead, "payment names an order of which there is no ticket 1", figures.Strays{}},
		"an order never paid": {[]record.Record{foldtest.Payment("p", 5, ordered, failed)}, foldtest.ScansRead, "", figures.Strays{}},
		"a ticket":            {[]record.Record{foldtest.Payment("p", 5, named)}, foldtest.ScansRead, "payment names a ticket that no list gave 1", figures.Strays{}},
		"a scan":              {[]record.Record{&record.TicketScan{ID: "s", TicketID: "t"}}, foldtest.ScansRead, "scan names a ticket that no list gave 1", figures.Strays{}},
		"tickets still read": {[]record.Record{foldtest.Payment("p", 5, ordered, named), &record.TicketScan{ID: "s", TicketID: "t"}},
			ledger.Coverage{EventsComplete: true, TicketsOffered: true}, "", figures.Strays{}},
	} {
		t.Run(name, func(t *testing.T) {
			s := foldtest.Fold(c.coverage, c.records...)
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
	s := foldtest.Fold(foldtest.Complete, foldtest.Event("a"), foldtest.Ticket("t", "a"), foldtest.Payment("p", 5, func(p *record.Payment) { p.EventID = "a" }))
	var got []string
	for m := range figures.RefundsPending + 1 {
		got = append(got, m.String()+" "+foldtest.Say(s.Total.Of(m)))
	}
	const want = "booked [{2000 EUR}]; received [{5 EUR}]; refunded []; charged back []; won back []; fees unknown no_fees; VAT unknown no_vat; refunds pending []"
	if text := strings.Join(got, "; "); text != want {
		t.Errorf("got %q\nwant %q", text, want)
	}
}
