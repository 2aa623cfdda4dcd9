package figures_test

import (
	"fmt"
	"testing"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// What is sold is paid, not yet paid, complimentary or free, each a line of its own.
func TestSplitOfSold(t *testing.T) {
	of := func(order string, change ...func(*record.Ticket)) func(*record.Ticket) {
		return func(t *record.Ticket) {
			t.OrderID = order
			for _, f := range change {
				f(t)
			}
		}
	}
	paying := func(order string, change ...func(*record.Payment)) func(*record.Payment) {
		return func(p *record.Payment) {
			p.OrderID = order
			for _, f := range change {
				f(p)
			}
		}
	}
	places := func(n int) func(*record.Ticket) { return func(t *record.Ticket) { t.Quantity = &n } }
	comp := func(t *record.Ticket) { t.Complimentary = true } // with a face price
	free := func(t *record.Ticket) { t.Price = eur(0) }
	pending := func(p *record.Payment) { p.Status, p.PaidAt = record.PaymentPending, clock("") }
	refunded := func(p *record.Payment) { p.Status = record.PaymentRefunded }
	chargedBack := func(p *record.Payment) { p.Status = record.PaymentChargedBack }
	failed := func(p *record.Payment) { p.Status = record.PaymentFailed }
	ofEvent := func(e string) func(*record.Payment) { return func(p *record.Payment) { p.EventID = e } }
	records := []record.Record{
		theEvent("a"), theEvent("b"), theEvent("c"),
		theTicket("paid", "a", of("o1", places(64))), thePayment("p1", 1, paying("o1")),
		theTicket("pending", "a", of("o2", places(32))), thePayment("p2", 64000, paying("o2", pending)),
		theTicket("nothing", "a", of("o3", places(16))),
		theTicket("failed", "a", of("o4", places(8))), thePayment("p4", 1, paying("o4", failed)),
		theTicket("comp", "a", of("o3", places(4), comp)),
		theTicket("free", "a", of("o3", places(2), free)),
		theTicket("given back", "a", of("o5", places(128))), thePayment("p5", 1, paying("o5", refunded)),
		theTicket("charged back", "a", of("o6", places(256))), thePayment("p6", 1, paying("o6", chargedBack)),
		theTicket("of one event", "a", of("o7", places(512))), theTicket("of the other", "b", of("o7", places(3))),
		thePayment("p7", 1, paying("o7", ofEvent("a"))),
		theTicket("of the third", "c", of("o7", places(5))), thePayment("p9", 1, paying("o7", ofEvent("c"))),
		theTicket("named", "a", of("o8", places(1024))), thePayment("p8", 1, paying("", func(p *record.Payment) { p.TicketIDs = []string{"named", "gone"} })),
	}
	line := func(e *figures.EventFigures) string {
		return fmt.Sprint(say(e.Sold), " = ", say(e.Paid), " + ", say(e.Unpaid), " + ", say(e.Complimentary), " + ", say(e.FreeTickets))
	}
	s := fold(complete, records...)
	if got, want := line(s.Event("a")), "2046 = 1984 + 56 + 4 + 2"; got != want {
		t.Errorf("a: %s, want %s", got, want)
	}
	if got, want := line(s.Event("b")), "3 = 0 + 3 + 0 + 0"; got != want {
		t.Errorf("b: %s, want %s", got, want)
	}
	if got, want := line(s.Event("c")), "5 = 5 + 0 + 0 + 0"; got != want {
		t.Errorf("c: %s, want %s", got, want)
	}
	if got := s.Event("a").Revenue.Of(figures.Booked).Value.In("EUR"); got != 2040*2000 {
		t.Errorf("%d booked: what is complimentary books nothing, whatever its face says", got)
	}
	withoutOrder := fold(complete, theEvent("a"), theTicket("t", "a")).Event("a")
	if got, want := line(withoutOrder), "1 = estimated 1 no_order + estimated 0 no_order + 0 + 0"; got != want {
		t.Errorf("without an order: %s, want %s", got, want)
	}
	// Nobody can say which of two orders a payment pays that names a ticket of each.
	ofTwo := fold(complete, theEvent("a"), theTicket("t", "a", of("o1")), theTicket("u", "a", of("o2")),
		thePayment("p", 4000, func(p *record.Payment) { p.EventID, p.TicketIDs = "a", []string{"t", "u"} })).Event("a")
	if got, want := line(ofTwo), "2 = estimated 0 no_order + estimated 2 no_order + 0 + 0"; got != want {
		t.Errorf("of two orders: %s, want %s", got, want)
	}
	if got := ofTwo.Revenue.Of(figures.ToBePaid); got.Quality != figures.Estimated {
		t.Errorf("of two orders, to be paid is %s", say(got))
	}
	for want, c := range map[string]figures.Coverage{
		"3 = estimated 3 no_payments + unknown no_payments + 0 + 0":                 {TicketsOffered: true, TicketsComplete: true},
		"3 = estimated 3 payments_incomplete + unknown payments_incomplete + 0 + 0": {TicketsOffered: true, TicketsComplete: true, PaymentsOffered: true},
	} {
		if got := line(fold(c, records...).Event("b")); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// Tickets of an order that were made on different days, and are the same else, are paid or unpaid
// each for itself.
func TestSplitOfTicketsMadeOnSeveralDays(t *testing.T) {
	made := func(id, day string) *record.Ticket {
		return theTicket(id, "a", func(t *record.Ticket) { t.OrderID, t.CreatedAt = "o", clock(day+" 10:00") })
	}
	l, log := figures.NewLedger(figures.Calendar{}), newLog()
	for want, r := range []record.Record{theEvent("a"), made("t", "18"), made("u", "19"), made("v", "20"), made("v", "19")} {
		v, _ := log.add(r, clock("10:00"))
		l.Apply(v)
		if e := l.Snapshot(figures.Position{}, complete).Event("a"); e.Paid.Value != 0 || e.Unpaid.Value != min(want, 3) {
			t.Errorf("%d tickets: %s paid, %s unpaid", want, say(e.Paid), say(e.Unpaid))
		}
	}
	v, _ := log.add(thePayment("p", 6000, func(p *record.Payment) { p.OrderID = "o" }), clock("10:00"))
	l.Apply(v)
	if e := l.Snapshot(figures.Position{}, complete).Event("a"); e.Paid.Value != 3 || e.Unpaid.Value != 0 {
		t.Errorf("with its payment: %s paid, %s unpaid", say(e.Paid), say(e.Unpaid))
	}
}
