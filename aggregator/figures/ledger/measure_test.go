package ledger_test

import (
	"fmt"
	"slices"
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/bridge"
	"housecount/aggregator/figures/evening/marketing"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// Each figure of money by another amount, so that none can stand for another: of a performance, of its sale in
// a period, of the period, and of the orders placed in it.
func TestEachFigureOfMoneyIsItsOwn(t *testing.T) {
	back := func(id string, kind record.PaymentKind, cents int64, status record.PaymentStatus) record.Record {
		return foldtest.Refund(id, "p", cents, "20 10:30", func(p *record.Payment) { p.Kind, p.Status, p.CreatedAt = kind, status, foldtest.Clock("20 10:30") })
	}
	in := func(order string, cents, fee, vat int64) func(*record.Ticket) {
		return func(r *record.Ticket) {
			r.OrderID, r.Price, r.Fee, r.VAT = order, foldtest.Eur(cents), foldtest.Eur(fee), foldtest.Eur(vat)
		}
	}
	pays := func(order string) func(*record.Payment) {
		return func(p *record.Payment) { p.OrderID, p.EventID = order, "a" }
	}
	s := foldtest.Fold(foldtest.Complete, foldtest.Event("a", func(e *record.Event) { e.Capacity = new(4) }),
		foldtest.Ticket("t", "a", in("o", 2000, 150, 90)), foldtest.Ticket("u", "a", in("x", 1000, 0, 7)),
		foldtest.Payment("p", 2500, pays("o")), foldtest.Payment("q", 1033, pays("x")),
		back("r", record.KindOfRefund, 300, record.PaymentPaid), back("asked", record.KindOfRefund, 70, record.PaymentPending),
		back("c", record.KindOfChargeback, 450, record.PaymentPaid), back("won", record.KindOfReversal, 40, record.PaymentPaid))
	v := evening.At(s, foldtest.Clock("20 12:00"))
	days := figures.Scope{From: "2026-11-19", To: "2026-11-20"}
	own := days
	own.Event = "a"
	orders := days
	orders.Orders = true
	const none = -1
	for key, want := range map[figures.Key][4]int64{
		figures.KeyBooked:          {3000, 3000, 3000, 3000},
		figures.KeyBookedToday:     {3000, none, none, none},
		figures.KeyReceived:        {3533, 3533, 3533, none},
		figures.KeyRefunded:        {300, 300, 300, none},
		figures.KeyChargedBack:     {450, 450, 450, none},
		figures.KeyReversed:        {40, 40, 40, none},
		figures.KeyNet:             {2823, 2823, 2823, 2823},
		figures.KeyRefundsPending:  {70, 70, 70, none},
		figures.KeyFees:            {150, 150, 150, 150},
		figures.KeyVAT:             {97, 97, 97, none},
		figures.KeyNetOfVAT:        {2903, 2903, 2903, none},
		figures.KeyToBePaid:        {60, none, none, 60},
		figures.KeyGoodwill:        {300, none, none, 300},
		figures.KeyToBePaidBack:    {33, none, none, 33},
		figures.KeyRevenuePerPlace: {750, none, none, none},
		figures.KeyAveragePrice:    {1500, none, none, none},
		figures.KeyUnsoldValue:     {3000, none, none, none},
	} {
		for i, scope := range []figures.Scope{{Event: "a"}, own, days, orders} {
			x, ok := catalogue.Explain(v, key, scope)
			if !ok != (want[i] == none) || ok && (!x.Known() || x.Amount.In("EUR") != want[i]) {
				t.Errorf("%s of %+v is %v (there: %v), want %d", key, scope, x.Value, ok, want[i])
			}
		}
	}
}

// What is worked out for a place, and how sure it is: from what is at least so much follows no such bound of a
// quotient, and what the unsold places would bring is never exact.
func TestMoneyByPlace(t *testing.T) {
	unread := foldtest.Complete
	unread.TicketsComplete = false
	sized := func(n int, more ...func(*record.Event)) *record.Event {
		return foldtest.Event("a", append(more, func(e *record.Event) { e.Capacity = &n })...)
	}
	dollars := foldtest.Ticket("d", "a", func(r *record.Ticket) { r.Price = &record.Money{Amount: 900, Currency: "USD"} })
	for _, c := range []struct {
		name         string
		coverage     ledger.Coverage
		records      []record.Record
		each, unsold string
	}{
		{"two thirds of a cent", foldtest.Complete, []record.Record{sized(3), foldtest.Ticket("t", "a")}, "[{667 EUR}]", "estimated [{4000 EUR}] no_available no_order average_price"},
		{"a third", foldtest.Complete, []record.Record{sized(6), foldtest.Ticket("t", "a")}, "[{333 EUR}]", "estimated [{10000 EUR}] no_available no_order average_price"},
		{"a half", foldtest.Complete, []record.Record{sized(16), foldtest.Ticket("t", "a", func(r *record.Ticket) { r.Price = foldtest.Eur(2008) })}, "[{126 EUR}]", "estimated [{30120 EUR}] no_available no_order average_price"},
		{"not all tickets are read", unread, []record.Record{sized(4, func(e *record.Event) { e.Available = new(3) }), foldtest.Ticket("t", "a")}, "estimated [{500 EUR}] tickets_incomplete", "estimated [{6000 EUR}] tickets_incomplete no_order average_price"},
		{"nothing sold", foldtest.Complete, []record.Record{sized(4)}, "[]", "unknown no_available nothing_sold average_price"},
		{"two currencies", foldtest.Complete, []record.Record{sized(4), foldtest.Ticket("t", "a"), dollars}, "[{500 EUR} {225 USD}]", "unknown no_available no_order average_price"},
	} {
		s := foldtest.Fold(c.coverage, c.records...)
		show := foldtest.Evening(s, foldtest.Clock("12:00")).Show(s.Event("a"))
		if got := foldtest.Say(show.RevenuePerPlace()); got != c.each {
			t.Errorf("%s: booked for each place %s, want %s", c.name, got, c.each)
		}
		if got := foldtest.Say(marketing.UnsoldValueOf(show)); got != c.unsold {
			t.Errorf("%s: the unsold are worth %s, want %s", c.name, got, c.unsold)
		}
	}
}

// What several performances come to for a place: of the evening those that go ahead count, of those that are sold
// for together also such of other days; what cannot be sold any more, or has no limit of places, has no unsold ones.
func TestMoneyOfSeveral(t *testing.T) {
	sold := func(id string, places int, cents int64, left int, change ...func(*record.Event)) []record.Record {
		e := foldtest.Event(id, append([]func(*record.Event){func(e *record.Event) { e.Capacity, e.Available = new(places+left), &left }}, change...)...)
		in := func(r *record.Ticket) { r.OrderID, r.Price, r.Fee = id, foldtest.Eur(cents), foldtest.Eur(0) }
		return append(foldtest.Many(places, id, id, in), e, foldtest.Payment("pays "+id, cents*int64(places), func(p *record.Payment) { p.OrderID = id }))
	}
	status := func(to record.EventStatus) func(*record.Event) { return func(e *record.Event) { e.Status = to } }
	day := func(day string) func(*record.Event) {
		return func(e *record.Event) { e.Date, e.StartsAt = "2026-11-"+day, foldtest.Clock(day+" 20:00") }
	}
	two := foldtest.Together(sold("a", 2, 1000, 2), sold("b", 1, 4000, 9))
	for _, c := range []struct {
		name           string
		more           []record.Record
		evening, sales string
	}{
		{"two", nil, "booked [{6000 EUR}], average [{2000 EUR}], a place [{429 EUR}], unsold estimated [{38000 EUR}] average_price",
			"average [{2000 EUR}], a place [{429 EUR}], unsold estimated [{38000 EUR}] average_price"},
		{"one of which nothing is sold", sold("c", 0, 0, 5), "booked [{6000 EUR}], average [{2000 EUR}], a place [{316 EUR}], unsold at least [{38000 EUR}] average_price nothing_sold",
			"average [{2000 EUR}], a place [{316 EUR}], unsold at least [{38000 EUR}] average_price nothing_sold"},
		{"one whose price nobody gives", []record.Record{foldtest.Event("c", func(e *record.Event) { e.Capacity = new(1) }), foldtest.Ticket("c", "c", func(r *record.Ticket) { r.OrderID, r.Price, r.Fee = "c", nil, foldtest.Eur(0) })},
			"booked at least [{6000 EUR}] no_price, average estimated [{2000 EUR}] no_price, a place estimated [{400 EUR}] no_price, unsold at least [{38000 EUR}] average_price no_available no_price nothing_sold",
			"average estimated [{2000 EUR}] no_price, a place estimated [{400 EUR}] no_price, unsold at least [{38000 EUR}] average_price no_available no_price nothing_sold"},
		{"one that is sold out at a price nobody gives", []record.Record{foldtest.Event("c", func(e *record.Event) { e.Capacity, e.Available, e.Status = new(1), new(4), record.EventSoldOut }), foldtest.Ticket("c", "c", func(r *record.Ticket) { r.OrderID, r.Price, r.Fee = "c", nil, foldtest.Eur(0) })},
			"booked at least [{6000 EUR}] no_price, average estimated [{2000 EUR}] no_price, a place estimated [{400 EUR}] no_price, unsold estimated [{38000 EUR}] average_price",
			"average estimated [{2000 EUR}] no_price, a place estimated [{400 EUR}] no_price, unsold estimated [{38000 EUR}] average_price"},
		{"one that is sold out, though the service has some left", sold("out", 1, 2000, 7, status(record.EventSoldOut)), "booked [{8000 EUR}], average [{2000 EUR}], a place [{364 EUR}], unsold estimated [{38000 EUR}] average_price",
			"average [{2000 EUR}], a place [{364 EUR}], unsold estimated [{38000 EUR}] average_price"},
		{"one that is called off", sold("off", 1, 9000, 50, status(record.EventCancelled)), "booked [{6000 EUR}], average [{2000 EUR}], a place [{429 EUR}], unsold estimated [{38000 EUR}] average_price",
			"average [{2000 EUR}], a place [{429 EUR}], unsold estimated [{38000 EUR}] average_price"},
		{"one without a limit", sold("free", 1, 2000, 0, func(e *record.Event) { e.Unlimited = true }), "booked [{8000 EUR}], average [{2000 EUR}], a place [{429 EUR}], unsold estimated [{38000 EUR}] average_price",
			"average [{2000 EUR}], a place [{429 EUR}], unsold estimated [{38000 EUR}] average_price"},
		{"one whose sale has ended", sold("shut", 1, 2000, 1, status(record.EventSalesClosed)), "booked [{8000 EUR}], average [{2000 EUR}], a place [{500 EUR}], unsold estimated [{38000 EUR}] average_price",
			"average [{2000 EUR}], a place [{500 EUR}], unsold estimated [{38000 EUR}] average_price"},
		{"one of the day before", sold("past", 1, 2000, 1, day("19")), "booked [{6000 EUR}], average [{2000 EUR}], a place [{429 EUR}], unsold estimated [{38000 EUR}] average_price",
			"average [{2000 EUR}], a place [{500 EUR}], unsold estimated [{38000 EUR}] average_price"},
		{"one of the day after", sold("next", 1, 2000, 1, day("21")), "booked [{6000 EUR}], average [{2000 EUR}], a place [{429 EUR}], unsold estimated [{38000 EUR}] average_price",
			"average [{2000 EUR}], a place [{500 EUR}], unsold estimated [{40000 EUR}] average_price"},
	} {
		v := foldtest.Evening(foldtest.Fold(foldtest.Complete, foldtest.Together(two, c.more)...), foldtest.Clock("12:00"))
		read := func(k figures.Key, scope figures.Scope) string {
			x, ok := catalogue.Explain(v, k, scope)
			if !ok {
				return "none"
			}
			return foldtest.Say(figures.Figure[figures.Sums]{Value: x.Amount, Quality: x.Quality, Reasons: x.Reasons})
		}
		of := func(scope figures.Scope) string {
			return fmt.Sprintf("average %s, a place %s, unsold %s", read(figures.KeyAveragePrice, scope), read(figures.KeyRevenuePerPlace, scope), read(figures.KeyUnsoldValue, scope))
		}
		if got := "booked " + read(figures.KeyBooked, figures.Scope{}) + ", " + of(figures.Scope{}); got != c.evening {
			t.Errorf("%s, the evening:\n%s, want\n%s", c.name, got, c.evening)
		}
		if got := of(figures.Scope{From: "2026-11-19", To: "2026-11-21", Performances: true}); got != c.sales {
			t.Errorf("%s, all sales:\n%s, want\n%s", c.name, got, c.sales)
		}
	}
	if x, ok := catalogue.Explain(foldtest.Evening(foldtest.Fold(foldtest.Complete, sold("none", 0, 0, 5)...), foldtest.Clock("12:00")), figures.KeyUnsoldValue, figures.Scope{}); !ok || x.Known() {
		t.Errorf("where nothing is sold at all, the unsold are worth %+v", x.Value)
	}
}

// What belongs to no performance is no surer than what is known of payments.
func TestUnattributedWhilePaymentsAreRead(t *testing.T) {
	some := foldtest.Complete
	some.PaymentsComplete = false
	for coverage, want := range map[*ledger.Coverage]string{&foldtest.Complete: "[{500 EUR}]", &some: "unknown payments_incomplete"} {
		v := foldtest.Evening(foldtest.Fold(*coverage, foldtest.Event("a"), foldtest.Payment("p", 500)), foldtest.Clock("12:00"))
		x, _ := catalogue.Explain(v, figures.KeyUnattributed, figures.Scope{From: v.Today, To: v.Today})
		if got := foldtest.Say(figures.Figure[figures.Sums]{Value: x.Amount, Quality: x.Quality, Reasons: x.Reasons}); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// How far the arrivals have come is of the tickets that are sold; of nobody it is not known.
func TestArrivedShare(t *testing.T) {
	for _, c := range []struct {
		records []record.Record
		want    string
	}{
		{foldtest.Together([]record.Record{foldtest.Event("a")}, foldtest.Come(3, "e", "a", "A", "19:30", 1), foldtest.Many(1, "x", "a", foldtest.Passes())), "0.75"},
		{[]record.Record{foldtest.Event("a")}, "unknown no_scans nobody_expected"},
	} {
		if got := foldtest.Say(evening.ArrivedShare(foldtest.Fold(foldtest.Complete, c.records...).Event("a"))); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// A record with something missing makes estimates or bounds of the figures that count it, and of no others.
func TestOneRecordLeavesOpen(t *testing.T) {
	fee := func(r *record.Ticket) { r.OrderID, r.Fee = "o", foldtest.Eur(150) }
	paid := foldtest.Payment("p", 2150, func(p *record.Payment) { p.OrderID, p.EventID = "o", "a" })
	unread := foldtest.Complete
	unread.TicketsComplete = false
	for _, c := range []struct {
		name     string
		coverage ledger.Coverage
		record   record.Record
		want     string
	}{
		{"nothing", foldtest.Complete, nil, ""},
		{"a ticket without a price", foldtest.Complete, foldtest.Ticket("u", "a", fee, func(r *record.Ticket) { r.Price = nil }), "paid about [no_price]; unpaid about [no_price]; free_tickets at least [no_price]; booked at least [no_price]; fees at least [no_price]; to_be_paid about [no_price]; average_price about [no_price]; "},
		{"a ticket without a fee", foldtest.Complete, foldtest.Ticket("u", "a", func(r *record.Ticket) { r.OrderID = "o" }), "fees at least [no_fees]; to_be_paid about [no_fees]; "},
		{"a ticket without an order", foldtest.Complete, foldtest.Ticket("u", "a", fee, func(r *record.Ticket) { r.OrderID = "" }), "paid about [no_order]; unpaid about [no_order]; to_be_paid about [no_order]; average_price about [no_order]; "},
		{"a ticket of a status that nobody mapped", foldtest.Complete, foldtest.Ticket("u", "a", fee, func(r *record.Ticket) { r.Status = "odd" }), "sold at least [unknown_status]; paid at least [unknown_status]; unpaid at least [unknown_status]; free_tickets at least [unknown_status]; booked at least [unknown_status]; fees at least [unknown_status]; to_be_paid about [unknown_status]; average_price about [unknown_status]; "},
		{"a payment of a status that nobody mapped", foldtest.Complete, foldtest.Payment("q", 100, func(p *record.Payment) { p.OrderID, p.EventID, p.Status = "o", "a", "odd" }), "paid about [unknown_status]; unpaid about [unknown_status]; received at least [unknown_status]; refunded at least [unknown_status]; net about [unknown_status]; to_be_paid about [unknown_status]; average_price about [unknown_status]; "},
		{"a refund without a time", foldtest.Complete, foldtest.Refund("r", "p", 300, "", func(p *record.Payment) { p.PaidAt, p.CreatedAt = foldtest.Clock(""), foldtest.Clock("") }), ""},
		{"money of nobody while tickets are read", unread, foldtest.Payment("q", 100), "sold at least [tickets_incomplete]; paid at least [tickets_incomplete]; unpaid at least [tickets_incomplete]; free_tickets at least [tickets_incomplete]; booked at least [tickets_incomplete]; fees at least [tickets_incomplete]; received at least [tickets_incomplete]; refunded at least [tickets_incomplete]; net about [tickets_incomplete]; to_be_paid about [tickets_incomplete]; average_price about [tickets_incomplete]; "},
	} {
		records := []record.Record{foldtest.Event("a"), foldtest.Ticket("t", "a", fee), paid}
		if c.record != nil {
			records = append(records, c.record)
		}
		s := foldtest.Fold(c.coverage, records...)
		e := s.Event("a")
		got := ""
		for _, k := range []figures.Key{figures.KeySold, figures.KeyPaid, figures.KeyUnpaid, figures.KeyFreeTickets, figures.KeyBooked, figures.KeyFees, figures.KeyReceived, figures.KeyRefunded, figures.KeyNet, figures.KeyToBePaid, figures.KeyAveragePrice} {
			v := catalogue.Define(k).OfShow(foldtest.Evening(s, foldtest.Clock("12:00")).Show(e))
			if v.Quality != figures.Exact {
				got += string(k) + []string{" ", " about ", " at least ", " unknown "}[v.Quality] + fmt.Sprint(v.Reasons) + "; "
			}
		}
		if got != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
		b := bridge.Of(foldtest.Evening(s, foldtest.Clock("12:00")), "2026-11-19", "2026-11-20")
		for m, f := range map[figures.Measure]figures.Figure[figures.Sums]{figures.Booked: b.Booked, figures.Fees: b.Fees, figures.ToBePaid: b.ToBePaid, figures.ToBePaidBack: b.ToBePaidBack} {
			if total := s.Total.Of(m); f.Quality != total.Quality || !slices.Equal(f.Reasons, total.Reasons) {
				t.Errorf("%s: the bridge has %v as %v, the total is %v", c.name, m, f, total)
			}
		}
	}
}
