package ledger_test

import (
	"fmt"
	"reflect"
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
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
	free := func(t *record.Ticket) { t.Price = foldtest.Eur(0) }
	pending := func(p *record.Payment) { p.Status, p.PaidAt = record.PaymentPending, foldtest.Clock("") }
	refunded := func(p *record.Payment) { p.Status = record.PaymentRefunded }
	chargedBack := func(p *record.Payment) { p.Status = record.PaymentChargedBack }
	failed := func(p *record.Payment) { p.Status = record.PaymentFailed }
	ofEvent := func(e string) func(*record.Payment) { return func(p *record.Payment) { p.EventID = e } }
	records := []record.Record{
		foldtest.Event("a"), foldtest.Event("b"), foldtest.Event("c"),
		foldtest.Ticket("paid", "a", of("o1", places(64))), foldtest.Payment("p1", 1, paying("o1")),
		foldtest.Ticket("pending", "a", of("o2", places(32))), foldtest.Payment("p2", 64000, paying("o2", pending)),
		foldtest.Ticket("nothing", "a", of("o3", places(16))),
		foldtest.Ticket("failed", "a", of("o4", places(8))), foldtest.Payment("p4", 1, paying("o4", failed)),
		foldtest.Ticket("comp", "a", of("o3", places(4), comp)),
		foldtest.Ticket("free", "a", of("o3", places(2), free)),
		foldtest.Ticket("given back", "a", of("o5", places(128))), foldtest.Payment("p5", 1, paying("o5", refunded)),
		foldtest.Ticket("charged back", "a", of("o6", places(256))), foldtest.Payment("p6", 1, paying("o6", chargedBack)),
		foldtest.Ticket("of one event", "a", of("o7", places(512))), foldtest.Ticket("of the other", "b", of("o7", places(3))),
		foldtest.Payment("p7", 1, paying("o7", ofEvent("a"))),
		foldtest.Ticket("of the third", "c", of("o7", places(5))), foldtest.Payment("p9", 1, paying("o7", ofEvent("c"))),
		foldtest.Ticket("named", "a", of("o8", places(1024))), foldtest.Payment("p8", 1, paying("", func(p *record.Payment) { p.TicketIDs = []string{"named", "gone"} })),
	}
	line := func(e *figures.EventFigures) string {
		return fmt.Sprint(foldtest.Say(e.Sold), " = ", foldtest.Say(e.Paid), " + ", foldtest.Say(e.Unpaid), " + ", foldtest.Say(e.Complimentary), " + ", foldtest.Say(e.FreeTickets))
	}
	s := foldtest.Fold(foldtest.Complete, records...)
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
	withoutOrder := foldtest.Fold(foldtest.Complete, foldtest.Event("a"), foldtest.Ticket("t", "a")).Event("a")
	if got, want := line(withoutOrder), "1 = estimated 1 no_order + estimated 0 no_order + 0 + 0"; got != want {
		t.Errorf("without an order: %s, want %s", got, want)
	}
	// A ticket that was moved to another event is paid by what paid for it, which still names the first.
	moved := foldtest.Fold(foldtest.Complete, foldtest.Event("a"), foldtest.Event("b"), foldtest.Ticket("t", "b", of("o1")), foldtest.Payment("p", 2000, paying("o1", ofEvent("a"))))
	if got, want := line(moved.Event("b")), "1 = 1 + 0 + 0 + 0"; got != want {
		t.Errorf("moved: %s, want %s", got, want)
	}
	// Nobody can say which of two orders a payment pays that names a ticket of each.
	ofTwo := foldtest.Fold(foldtest.Complete, foldtest.Event("a"), foldtest.Ticket("t", "a", of("o1")), foldtest.Ticket("u", "a", of("o2")),
		foldtest.Payment("p", 4000, func(p *record.Payment) { p.EventID, p.TicketIDs = "a", []string{"t", "u"} })).Event("a")
	if got, want := line(ofTwo), "2 = estimated 0 no_order + estimated 2 no_order + 0 + 0"; got != want {
		t.Errorf("of two orders: %s, want %s", got, want)
	}
	if got := ofTwo.Revenue.Of(figures.ToBePaid); got.Quality != figures.Estimated {
		t.Errorf("of two orders, to be paid is %s", foldtest.Say(got))
	}
	for want, c := range map[string]ledger.Coverage{
		"3 = estimated 3 no_payments + unknown no_payments + 0 + 0":                 {TicketsOffered: true, TicketsComplete: true},
		"3 = estimated 3 payments_incomplete + unknown payments_incomplete + 0 + 0": {TicketsOffered: true, TicketsComplete: true, PaymentsOffered: true},
		// More tickets may come, and the payments may show that some of these are not paid.
		"at least 3 tickets_incomplete = estimated 3 tickets_incomplete payments_incomplete + unknown payments_incomplete + at least 0 tickets_incomplete + at least 0 tickets_incomplete": {TicketsOffered: true, PaymentsOffered: true},
	} {
		if got := line(foldtest.Fold(c, records...).Event("b")); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// Tickets of an order that were made on different days, and are the same else, are paid or unpaid
// each for itself.
func TestSplitOfTicketsMadeOnSeveralDays(t *testing.T) {
	made := func(id, day string) *record.Ticket {
		return foldtest.Ticket(id, "a", func(t *record.Ticket) { t.OrderID, t.CreatedAt = "o", foldtest.Clock(day+" 10:00") })
	}
	l, log := ledger.New(figures.Calendar{}), foldtest.NewLog()
	for want, r := range []record.Record{foldtest.Event("a"), made("t", "18"), made("u", "19"), made("v", "20"), made("v", "19")} {
		v, _ := log.Add(r, foldtest.Clock("10:00"))
		l.Apply(v)
		if e := l.Snapshot(figures.Position{}, foldtest.Complete).Event("a"); e.Paid.Value != 0 || e.Unpaid.Value != min(want, 3) {
			t.Errorf("%d tickets: %s paid, %s unpaid", want, foldtest.Say(e.Paid), foldtest.Say(e.Unpaid))
		}
	}
	v, _ := log.Add(foldtest.Payment("p", 6000, func(p *record.Payment) { p.OrderID = "o" }), foldtest.Clock("10:00"))
	l.Apply(v)
	if e := l.Snapshot(figures.Position{}, foldtest.Complete).Event("a"); e.Paid.Value != 3 || e.Unpaid.Value != 0 {
		t.Errorf("with its payment: %s paid, %s unpaid", foldtest.Say(e.Paid), foldtest.Say(e.Unpaid))
	}
}

// What is paid is listed by currency, whatever was sold first.
func TestPaidForDoesNotDependOnTheOrder(t *testing.T) {
	in := func(id, currency string) record.Record {
		return foldtest.Ticket(id, "a", func(t *record.Ticket) { t.Price = &record.Money{Amount: 1000, Currency: currency} })
	}
	records := []record.Record{foldtest.Event("a"), in("t", "GBP"), in("u", "EUR"), in("v", "AUD")}
	log := foldtest.NewLog(records...)
	of := func(versions []record.Version) []figures.PaidFor {
		return foldtest.Ledger(figures.Calendar{}, versions...).Snapshot(figures.Position{}, foldtest.Complete).Event("a").PaidFor
	}
	if a, b := of(log.Versions), of(reversed(log.Versions)); !reflect.DeepEqual(a, b) || len(a) != 3 {
		t.Errorf("%+v, and in another order %+v", a, b)
	}
}
