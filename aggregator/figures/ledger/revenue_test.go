package ledger_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

func TestBooked(t *testing.T) {
	two := func(t *record.Ticket) { t.Quantity = new(2) }
	status := func(s record.TicketStatus, cancelled string) func(*record.Ticket) {
		return func(t *record.Ticket) { t.Status, t.CancelledAt = s, foldtest.Clock(cancelled) }
	}
	soldAt := func(sold, created string) func(*record.Ticket) {
		return func(t *record.Ticket) { t.SoldAt, t.CreatedAt = foldtest.Clock(sold), foldtest.Clock(created) }
	}
	for name, c := range map[string]struct {
		ticket *record.Ticket
		money  string
		days   string
	}{
		"valid":               {foldtest.Ticket("t", "a"), "a: booked 2000; total: booked 2000", "20 sold 1 booked 2000"},
		"price times places":  {foldtest.Ticket("t", "a", two), "a: booked 4000; total: booked 4000", "20 sold 2 booked 4000"},
		"sold by creation":    {foldtest.Ticket("t", "a", soldAt("", "18 09:00")), "a: booked 2000; total: booked 2000", "18 sold 1 booked 2000"},
		"void":                {foldtest.Ticket("t", "a", two, soldAt("18 09:00", ""), status("void", "19 08:00")), "", "18 sold 2 booked 4000; 19 sold -2 booked -4000"},
		"refunded":            {foldtest.Ticket("t", "a", soldAt("", "18 09:00"), status("refunded", "19 08:00")), "", "18 sold 1 booked 2000; 19 sold -1 booked -2000"},
		"void, never sold":    {foldtest.Ticket("t", "a", soldAt("", "18 09:00"), status("void", "19 08:00")), "", ""},
		"cancelled by update": {foldtest.Ticket("t", "a", status("void", ""), func(t *record.Ticket) { t.UpdatedAt = foldtest.Clock("21 08:00") }), "", "20 sold 1 booked 2000; 21 sold -1 booked -2000"},
		"reserved":            {foldtest.Ticket("t", "a", status("reserved", "")), "", ""},
		"expired":             {foldtest.Ticket("t", "a", status("expired", "")), "", ""},
		"unknown status":      {foldtest.Ticket("t", "a", status("stolen", "")), "", ""},
		"no status":           {foldtest.Ticket("t", "a", status("", "")), "", ""},
		"test":                {foldtest.Ticket("t", "a", func(t *record.Ticket) { t.Test = true }), "", ""},
		"deleted":             {foldtest.Ticket("t", "a", func(t *record.Ticket) { t.Deleted = true }), "", ""},
		"merchandise":         {foldtest.Ticket("t", "a", func(t *record.Ticket) { t.Admits = new(false) }), "a: booked 2000; total: booked 2000", "20 sold 0 booked 2000"},
		"free":                {foldtest.Ticket("t", "a", func(t *record.Ticket) { t.Price = foldtest.Eur(0) }), "", "20 sold 1 booked 0"},
		"no price":            {foldtest.Ticket("t", "a", func(t *record.Ticket) { t.Price = nil }), "", "20 sold 1 booked 0"},
		"absurd quantity":     {foldtest.Ticket("t", "a", func(t *record.Ticket) { t.Quantity = new(1 << 40) }), "", ""},
		"negative price":      {foldtest.Ticket("t", "a", func(t *record.Ticket) { t.Price = foldtest.Eur(-100) }), "", ""},
		"unknown event":       {foldtest.Ticket("t", "z"), "unattributed: booked 2000; total: booked 2000", ""},
		"no event":            {foldtest.Ticket("t", ""), "unattributed: booked 2000; total: booked 2000", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := foldtest.Fold(foldtest.Complete, foldtest.Event("a"), c.ticket)
			if got := foldtest.Money(s); got != c.money {
				t.Errorf("money %q, want %q", got, c.money)
			}
			got := strings.ReplaceAll(foldtest.Movements(s.Events[0].SaleDays), " received 0 refunded 0 charged back 0", "")
			if got != c.days {
				t.Errorf("days %q, want %q", got, c.days)
			}
		})
	}
}

func TestMoney(t *testing.T) {
	event := func(id string) func(*record.Payment) { return func(p *record.Payment) { p.EventID = id } }
	order := func(id string) func(*record.Payment) { return func(p *record.Payment) { p.OrderID = id } }
	tickets := func(ids ...string) func(*record.Payment) { return func(p *record.Payment) { p.TicketIDs = ids } }
	status := func(s record.PaymentStatus) func(*record.Payment) {
		return func(p *record.Payment) { p.Status, p.UpdatedAt = s, foldtest.Clock("22 10:00") }
	}
	refunded := func(m *record.Money) func(*record.Payment) {
		return func(p *record.Payment) { p.AmountRefunded, p.UpdatedAt = m, foldtest.Clock("22 10:00") }
	}
	kind := func(k record.PaymentKind) func(*record.Payment) {
		return func(p *record.Payment) { p.Kind = k }
	}
	dollars := func(p *record.Payment) { p.Amount.Currency = "USD" }
	deleted := func(p *record.Payment) { p.Deleted = true }
	isTest := func(p *record.Payment) { p.Test = true }
	inOrder := func(id, event, order string, price int64, change ...func(*record.Ticket)) *record.Ticket {
		// Reserved tickets split a payment and book nothing, so that only payments show.
		t := foldtest.Ticket(id, event, change...)
		t.OrderID, t.Price = order, foldtest.Eur(price)
		if t.Status == record.TicketValid {
			t.Status = record.TicketReserved
		}
		return t
	}
	all := func(records ...record.Record) []record.Record { return records }

	for name, c := range map[string]struct {
		records []record.Record
		money   string
		days    string // where given
	}{
		"paid":               {all(foldtest.Payment("p", 900, event("a"))), "a: received 900, net 900; total: received 900, net 900", "20 sold 0 booked 0 received 900 refunded 0 charged back 0"},
		"unattributed":       {all(foldtest.Payment("p", 900)), "unattributed: received 900, net 900; total: received 900, net 900", ""},
		"event never came":   {all(foldtest.Payment("p", 900, event("z"))), "unattributed: received 900, net 900; total: received 900, net 900", ""},
		"event deleted":      {all(foldtest.Event("z", func(e *record.Event) { e.Deleted = true }), foldtest.Payment("p", 900, event("z"))), "unattributed: received 900, net 900; total: received 900, net 900", ""},
		"event a test":       {all(foldtest.Event("z", func(e *record.Event) { e.Test = true }), foldtest.Payment("p", 900, event("z")), foldtest.Ticket("t", "z")), "", ""},
		"event becomes test": {all(foldtest.Payment("p", 900, event("z")), foldtest.Ticket("t", "z"), foldtest.Event("z", func(e *record.Event) { e.Test = true })), "", ""},
		"test":               {all(foldtest.Payment("p", 900, event("a"), isTest), foldtest.Refund("r", "p", 100, "11:00", event("a"))), "", ""},
		"deleted":            {all(foldtest.Payment("p", 900, event("a"), func(p *record.Payment) { p.Deleted = true })), "", ""},
		"open":               {all(foldtest.Payment("p", 900, event("a"), status(record.PaymentOpen))), "", ""},
		"failed":             {all(foldtest.Payment("p", 900, event("a"), status(record.PaymentFailed))), "", ""},
		"unknown status":     {all(foldtest.Payment("p", 900, event("a"), status("lost"))), "", ""},
		"negative":           {all(foldtest.Payment("p", -900, event("a"))), "", ""},
		"absurd":             {all(foldtest.Payment("p", 1<<60, event("a"))), "", ""},
		"two currencies":     {all(foldtest.Payment("p", 900, event("a")), foldtest.Payment("q", 500, event("a"), dollars)), "a: received 900, received 500usd, net 900, net 500usd; total: received 900, received 500usd, net 900, net 500usd", ""},
		"own event wins":     {all(inOrder("t", "b", "o", 100), foldtest.Payment("p", 900, event("a"), order("o"), tickets("t"))), "a: received 900, net 900; total: received 900, net 900", ""},
		"tickets before order": {all(inOrder("t", "a", "o", 100), inOrder("u", "b", "o", 100), foldtest.Payment("p", 900, order("o"), tickets("u"))),
			"b: received 900, net 900; total: received 900, net 900", ""},
		"unknown tickets, then order": {all(inOrder("t", "a", "o", 100), foldtest.Payment("p", 900, order("o"), tickets("x"))),
			"a: received 900, net 900; total: received 900, net 900", ""},
		"split by price": {all(inOrder("t", "a", "o", 1000), inOrder("u", "b", "o", 2000), foldtest.Payment("p", 1000, order("o"))),
			"a: received 333, net 333; b: received 667, net 667; total: received 1000, net 1000", ""},
		"split by places": {all(inOrder("t", "a", "o", 1000, func(t *record.Ticket) { t.Quantity = new(3) }), inOrder("u", "b", "o", 1000), foldtest.Payment("p", 1000, order("o"))),
			"a: received 750, net 750; b: received 250, net 250; total: received 1000, net 1000", ""},
		"split, some returned": {all(inOrder("t", "a", "o", 1000, func(t *record.Ticket) { t.Quantity = new(3) }), inOrder("r", "a", "o", 1000, func(t *record.Ticket) { t.Quantity = new(-1) }),
			inOrder("u", "b", "o", 1000), foldtest.Payment("p", 4000, order("o"))),
			"a: received 3000, net 3000; b: received 1000, net 1000; total: received 4000, net 4000", ""},
		"split, returned at another price": {all(inOrder("t", "a", "o", 700), inOrder("r", "a", "o", 1000, func(t *record.Ticket) { t.Quantity = new(-2) }), inOrder("u", "b", "o", 300), foldtest.Payment("p", 1000, order("o"))),
			"a: received 700, net 700; b: received 300, net 300; total: received 1000, net 1000", ""},
		"split, tied": {all(inOrder("u", "b", "o", 1000), inOrder("t", "a", "o", 1000), foldtest.Payment("p", 101, order("o"))),
			"a: received 51, net 51; b: received 50, net 50; total: received 101, net 101", ""},
		"split, all free": {all(inOrder("t", "a", "o", 0), inOrder("u", "b", "o", 0), inOrder("v", "b", "o", 0), foldtest.Payment("p", 300, order("o"))),
			"a: received 100, net 100; b: received 200, net 200; total: received 300, net 300", ""},
		"split, one free": {all(inOrder("t", "a", "o", 0), inOrder("u", "b", "o", 10), foldtest.Payment("p", 300, order("o"))),
			"b: received 300, net 300; total: received 300, net 300", ""},
		"split, another currency": {all(inOrder("t", "a", "o", 100), inOrder("u", "b", "o", 300), foldtest.Payment("p", 300, order("o"), dollars)),
			"a: received 150usd, net 150usd; b: received 150usd, net 150usd; total: received 300usd, net 300usd", ""},
		"split, some never sold": {all(inOrder("t", "a", "o", 100, func(t *record.Ticket) { t.Status, t.CancelledAt = "refunded", foldtest.Clock("12:00") }),
			inOrder("u", "b", "o", 300, func(t *record.Ticket) { t.Status = "expired" }), foldtest.Payment("p", 300, order("o"))),
			"a: received 300, net 300; total: received 300, net 300", ""},
		"split with a test event": {all(foldtest.Event("z", func(e *record.Event) { e.Test = true }), inOrder("t", "a", "o", 100), inOrder("u", "z", "o", 100), foldtest.Payment("p", 300, order("o"))),
			"a: received 150, net 150; total: received 150, net 150", ""},
		"tickets come late": {all(foldtest.Payment("p", 1000, order("o")), inOrder("t", "a", "o", 1000), inOrder("u", "b", "o", 2000)),
			"a: received 333, net 333; b: received 667, net 667; total: received 1000, net 1000", ""},

		"refund record": {all(foldtest.Payment("p", 900, event("a")), foldtest.Refund("r", "p", 300, "21 11:00")),
			"a: received 900, refunded 300, net 600; total: received 900, refunded 300, net 600", "20 sold 0 booked 0 received 900 refunded 0 charged back 0; 21 sold 0 booked 0 received 0 refunded 300 charged back 0"},
		"refund came first": {all(foldtest.Refund("r", "p", 300, "21 11:00"), foldtest.Payment("p", 900, event("a"))),
			"a: received 900, refunded 300, net 600; total: received 900, refunded 300, net 600", ""},
		"refund told twice": {all(foldtest.Payment("p", 900, event("a"), refunded(foldtest.Eur(300))), foldtest.Refund("r", "p", 300, "21 11:00")),
			"a: received 900, refunded 300, net 600; total: received 900, refunded 300, net 600", "20 sold 0 booked 0 received 900 refunded 0 charged back 0; 21 sold 0 booked 0 received 0 refunded 300 charged back 0"},
		"refund by field": {all(foldtest.Payment("p", 900, event("a"), refunded(foldtest.Eur(300)))),
			"a: received 900, refunded 300, net 600; total: received 900, refunded 300, net 600", "20 sold 0 booked 0 received 900 refunded 0 charged back 0; 22 sold 0 booked 0 received 0 refunded 300 charged back 0"},
		"field beyond records": {all(foldtest.Payment("p", 900, event("a"), refunded(foldtest.Eur(500))), foldtest.Refund("r", "p", 300, "21 11:00")),
			"a: received 900, refunded 500, net 400; total: received 900, refunded 500, net 400", "20 sold 0 booked 0 received 900 refunded 0 charged back 0; 21 sold 0 booked 0 received 0 refunded 300 charged back 0; 22 sold 0 booked 0 received 0 refunded 200 charged back 0"},
		"refund by status": {all(foldtest.Payment("p", 900, event("a"), status(record.PaymentRefunded)), foldtest.Refund("r", "p", 300, "21 11:00")),
			"a: received 900, refunded 900; total: received 900, refunded 900", "20 sold 0 booked 0 received 900 refunded 0 charged back 0; 21 sold 0 booked 0 received 0 refunded 300 charged back 0; 22 sold 0 booked 0 received 0 refunded 600 charged back 0"},
		"refund capped": {all(foldtest.Payment("p", 900, event("a")), foldtest.Refund("r", "p", 800, "21 11:00"), foldtest.Refund("s", "p", 700, "22 11:00")),
			"a: received 900, refunded 900; total: received 900, refunded 900", "20 sold 0 booked 0 received 900 refunded 0 charged back 0; 21 sold 0 booked 0 received 0 refunded 800 charged back 0; 22 sold 0 booked 0 received 0 refunded 100 charged back 0"},
		"capped at the same moment, by id": {all(foldtest.Payment("p", 900, event("a")), foldtest.Refund("s", "p", 700, "11:00", event("b")), foldtest.Refund("r", "p", 800, "11:00")),
			"a: received 900, refunded 800, net 100; b: refunded 100, net -100; total: received 900, refunded 900", ""},
		"field capped": {all(foldtest.Payment("p", 900, event("a"), refunded(foldtest.Eur(5000)))), "a: received 900, refunded 900; total: received 900, refunded 900", ""},
		"field in another currency": {all(foldtest.Payment("p", 900, event("a"), refunded(&record.Money{Amount: 300, Currency: "USD"}))),
			"a: received 900, net 900; total: received 900, net 900", ""},
		"refund in another currency": {all(foldtest.Payment("p", 900, event("a")), foldtest.Refund("r", "p", 300, "11:00", dollars)),
			"a: received 900, refunded 300usd, net 900, net -300usd; total: received 900, refunded 300usd, net 900, net -300usd", ""},
		"refund pending": {all(foldtest.Payment("p", 900, event("a")), foldtest.Refund("r", "p", 300, "11:00", status(record.PaymentPending))),
			"a: received 900, net 900, pending 300; total: received 900, net 900, pending 300", ""},
		"refund failed": {all(foldtest.Payment("p", 900, event("a")), foldtest.Refund("r", "p", 300, "11:00", status(record.PaymentFailed))),
			"a: received 900, net 900; total: received 900, net 900", ""},
		"refund of its own event": {all(foldtest.Payment("p", 900, event("a")), foldtest.Refund("r", "p", 300, "11:00", event("b"))),
			"a: received 900, net 900; b: refunded 300, net -300; total: received 900, refunded 300, net 600", ""},
		"refund without payment": {all(foldtest.Refund("r", "gone", 300, "11:00", event("a"))), "a: refunded 300, net -300; total: refunded 300, net -300", ""},
		"refund without payment, by order": {all(inOrder("t", "b", "o", 100), foldtest.Refund("r", "gone", 300, "11:00", order("o"))),
			"b: refunded 300, net -300; total: refunded 300, net -300", ""},
		"refund of a deleted payment": {all(foldtest.Payment("p", 900, event("a"), deleted), foldtest.Refund("r", "p", 300, "11:00"), foldtest.Refund("c", "p", 300, "11:00", kind("chargeback")),
			foldtest.Refund("s", "p", 300, "11:00", status(record.PaymentPending))), "", ""},
		"refund of a failed payment": {all(foldtest.Payment("p", 900, event("a"), status(record.PaymentFailed)), foldtest.Refund("r", "p", 300, "11:00"), foldtest.Refund("s", "p", 300, "11:00", dollars)),
			"", ""},
		"refund of an expired payment": {all(foldtest.Payment("p", 900, event("a"), status(record.PaymentExpired)), foldtest.Refund("r", "p", 300, "11:00", event("b"))), "", ""},
		"refund of a canceled payment": {all(foldtest.Payment("p", 900, event("a"), status(record.PaymentCanceled)), foldtest.Refund("r", "p", 300, "11:00")), "", ""},
		"refund of a pending payment":  {all(foldtest.Payment("p", 900, event("a"), status(record.PaymentPending)), foldtest.Refund("r", "p", 300, "11:00")), "", ""},
		"chargeback of a failed payment": {all(foldtest.Payment("p", 900, event("a"), status(record.PaymentFailed)), foldtest.Refund("c", "p", 300, "11:00", kind("chargeback")),
			foldtest.Refund("v", "c", 300, "11:00", kind("reversal"))), "", ""},
		"refund without anything": {all(foldtest.Refund("r", "", 300, "11:00")), "unattributed: refunded 300, net -300; total: refunded 300, net -300", ""},
		"refunded in parts, over two events": {all(inOrder("t", "a", "o", 100), inOrder("u", "b", "o", 100), foldtest.Payment("p", 101, order("o")),
			foldtest.Refund("r", "p", 33, "11:00"), foldtest.Refund("s", "p", 33, "12:00"), foldtest.Refund("q", "p", 35, "13:00")),
			"a: received 51, refunded 51; b: received 50, refunded 50; total: received 101, refunded 101", ""},

		"charged back by status": {all(foldtest.Payment("p", 900, event("a"), status(record.PaymentChargedBack))),
			"a: received 900, chargebacks 900; total: received 900, chargebacks 900", "20 sold 0 booked 0 received 900 refunded 0 charged back 0; 22 sold 0 booked 0 received 0 refunded 0 charged back 900"},
		"charged back by record": {all(foldtest.Payment("p", 900, event("a"), status(record.PaymentChargedBack)), foldtest.Refund("c", "p", 400, "21 11:00", kind("chargeback"))),
			"a: received 900, chargebacks 400, net 500; total: received 900, chargebacks 400, net 500", ""},
		"charged back and won": {all(foldtest.Payment("p", 900, event("a")), foldtest.Refund("c", "p", 900, "21 11:00", kind("chargeback")), foldtest.Refund("v", "c", 900, "22 11:00", kind("reversal"))),
			"a: received 900, chargebacks 900, won back 900, net 900; total: received 900, chargebacks 900, won back 900, net 900", "20 sold 0 booked 0 received 900 refunded 0 charged back 0; 21 sold 0 booked 0 received 0 refunded 0 charged back 900; 22 sold 0 booked 0 received 0 refunded 0 charged back 0 won back 900"},
		"chargeback pending": {all(foldtest.Payment("p", 900, event("a")), foldtest.Refund("c", "p", 900, "11:00", kind("chargeback"), status(record.PaymentPending))),
			"a: received 900, net 900; total: received 900, net 900", ""},
		"parents in a ring": {all(foldtest.Refund("r", "s", 100, "11:00", event("a")), foldtest.Refund("s", "r", 200, "11:00", event("a")), foldtest.Refund("q", "q", 400, "11:00", event("a"))),
			"a: refunded 700, net -700; total: refunded 700, net -700", ""},
	} {
		t.Run(name, func(t *testing.T) {
			records := append(all(foldtest.Event("a"), foldtest.Event("b")), c.records...)
			s := foldtest.Fold(foldtest.Complete, records...)
			if got := foldtest.Money(s); got != c.money {
				t.Errorf("money\n%s\nwant\n%s", got, c.money)
			}
			if got := foldtest.Movements(s.Events[0].SaleDays); c.days != "" && got != c.days {
				t.Errorf("days\n%s\nwant\n%s", got, c.days)
			}
			slices.Reverse(records)
			if got := foldtest.Money(foldtest.Fold(foldtest.Complete, records...)); got != c.money {
				t.Errorf("the other way round\n%s\nwant\n%s", got, c.money)
			}
		})
	}
}

func TestRevenueQuality(t *testing.T) {
	type quality = map[string]string
	say := func(f figures.Figure[figures.Sums]) string {
		return fmt.Sprint([]string{"exact", "estimated", "lower bound", "unknown"}[f.Quality], f.Reasons, f.Value.In("EUR"))
	}
	records := []record.Record{foldtest.Event("a"), foldtest.Ticket("t", "a"),
		foldtest.Payment("p", 1500, func(p *record.Payment) { p.EventID = "a" })}
	loose := foldtest.Payment("q", 7)
	for name, c := range map[string]struct {
		coverage ledger.Coverage
		more     []record.Record
		want     quality
	}{
		"complete": {foldtest.Complete, nil, quality{"booked": "exact[] 2000", "received": "exact[] 1500", "refunded": "exact[] 0", "net": "exact[] 1500", "total": "exact[] 1500"}},
		"tickets incomplete": {ledger.Coverage{TicketsOffered: true, PaymentsOffered: true, PaymentsComplete: true}, nil,
			quality{"booked": "lower bound[tickets_incomplete] 2000", "received": "exact[] 1500"}},
		"tickets incomplete, loose payments": {ledger.Coverage{TicketsOffered: true, PaymentsOffered: true, PaymentsComplete: true}, []record.Record{loose},
			quality{"received": "lower bound[tickets_incomplete] 1500", "total": "exact[] 1507"}},
		"no tickets": {ledger.Coverage{PaymentsOffered: true, PaymentsComplete: true}, nil,
			quality{"booked": "unknown[no_tickets] 0", "net": "exact[] 1500"}},
		"payments incomplete": {ledger.Coverage{TicketsOffered: true, TicketsComplete: true, PaymentsOffered: true}, nil,
			quality{"booked": "exact[] 2000", "received": "lower bound[payments_incomplete] 1500", "net": "unknown[payments_incomplete] 0"}},
		"no payments": {ledger.Coverage{TicketsOffered: true, TicketsComplete: true}, nil,
			quality{"booked": "exact[] 2000", "received": "unknown[no_payments] 0", "refunded": "unknown[no_payments] 0", "net": "estimated[no_payments] 2000"}},
		"nothing": {ledger.Coverage{}, nil, quality{"booked": "unknown[no_tickets] 0", "net": "unknown[no_tickets no_payments] 0"}},
		"no price": {foldtest.Complete, []record.Record{foldtest.Ticket("u", "a", func(t *record.Ticket) { t.Price = nil })},
			quality{"booked": "lower bound[no_price] 2000", "received": "exact[] 1500"}},
		"complimentary without price": {foldtest.Complete, []record.Record{foldtest.Ticket("u", "a", func(t *record.Ticket) { t.Price, t.Complimentary = nil, true })},
			quality{"booked": "exact[] 2000"}},
		"unknown statuses": {foldtest.Complete, []record.Record{foldtest.Ticket("u", "a", func(t *record.Ticket) { t.Status = "odd" }),
			foldtest.Payment("q", 5, func(p *record.Payment) { p.Status, p.EventID = "odd", "a" })},
			quality{"booked": "lower bound[unknown_status] 2000", "received": "lower bound[unknown_status] 1500", "net": "estimated[unknown_status] 1500"}},
		"refund by field": {foldtest.Complete, []record.Record{foldtest.Payment("p", 1500, func(p *record.Payment) { p.EventID, p.AmountRefunded = "a", foldtest.Eur(500) })},
			quality{"booked": "exact[] 2000", "received": "exact[] 1500", "refunded": "exact[] 500", "net": "exact[] 1000", "total": "exact[] 1500", "refunded that day": "estimated[undated] 500"}},
		"refund by record": {foldtest.Complete, []record.Record{foldtest.Payment("p", 1500, func(p *record.Payment) { p.EventID, p.AmountRefunded = "a", foldtest.Eur(500) }), foldtest.Refund("r", "p", 500, "11:00")},
			quality{"received": "exact[] 1500", "refunded": "exact[] 500", "net": "exact[] 1000"}},
		"charged back by status": {foldtest.Complete, []record.Record{foldtest.Payment("p", 1500, func(p *record.Payment) { p.EventID, p.Status = "a", record.PaymentChargedBack })},
			quality{"received": "exact[] 1500", "net": "exact[] 0"}},
		"undated": {foldtest.Complete, []record.Record{foldtest.Ticket("u", "a", func(t *record.Ticket) { t.SoldAt = time.Time{} }),
			foldtest.Payment("q", 5, func(p *record.Payment) { p.PaidAt, p.EventID = time.Time{}, "a" })},
			quality{"booked": "exact[] 4000", "received": "exact[] 1505", "total": "exact[] 1505", "booked that day": "estimated[undated] 4000"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := foldtest.Fold(c.coverage, append(slices.Clone(records), c.more...)...)
			r := s.Events[0].Revenue
			day := r.During(&figures.Flow{Lacks: figures.Lacks{Returns: 1}})
			got := quality{"booked that day": say(day.Of(figures.Booked)), "refunded that day": say(day.Of(figures.Refunded)), "booked": say(r.Of(figures.Booked)), "received": say(r.Of(figures.Received)), "refunded": say(r.Of(figures.Refunded)), "net": say(r.Net), "total": say(s.Total.Of(figures.Received))}
			for name, want := range c.want {
				if got[name] != want {
					t.Errorf("%s is %s, want %s", name, got[name], want)
				}
			}
		})
	}
}

func TestUndatedIsOnNoDay(t *testing.T) {
	s := foldtest.Fold(foldtest.Complete, foldtest.Event("a"), foldtest.Ticket("t", "a", func(t *record.Ticket) { t.SoldAt = time.Time{} }),
		foldtest.Payment("p", 5, func(p *record.Payment) { p.PaidAt = time.Time{} }))
	if len(s.Days) != 0 || len(s.Events[0].SaleDays) != 0 || len(s.Events[0].SoldMinutes) != 0 {
		t.Errorf("days %s, sale days %s", foldtest.Text(t, s.Days), foldtest.Text(t, s.Events[0].SaleDays))
	}
	if s.Total.Of(figures.Booked).Value.In("EUR") != 2000 || s.Total.Of(figures.Received).Value.In("EUR") != 5 {
		t.Errorf("total %+v", s.Total)
	}
}

func TestDiagnostics(t *testing.T) {
	s := foldtest.Fold(foldtest.Complete,
		foldtest.Event("a", func(e *record.Event) {
			e.Status, e.Capacity, e.Available, e.Blocked = "moved", new(2), new(0), new(1)
		}),
		foldtest.Ticket("t", "a"), foldtest.Ticket("u", "a", func(t *record.Ticket) { t.Quantity = new(2) }),
		foldtest.Ticket("w", "a", func(t *record.Ticket) { t.Status = "odd" }),
		foldtest.Ticket("v", "a", func(t *record.Ticket) { t.Status = "odd" }),
		foldtest.Ticket("n", "a", func(t *record.Ticket) { t.Status = "" }),
		foldtest.Ticket("x", "a", func(t *record.Ticket) { t.Price = foldtest.Eur(-1) }),
		foldtest.Ticket("y", "a", func(t *record.Ticket) { t.Status, t.Test = "odd", true }),
		foldtest.Payment("p", 900, func(p *record.Payment) { p.AmountRefunded = &record.Money{Amount: 1, Currency: "USD"} }),
		foldtest.Refund("r", "p", 5, "11:00", func(p *record.Payment) { p.Amount.Currency = "GBP" }),
		foldtest.Payment("q", 1, func(p *record.Payment) { p.Kind = "gift" }),
		foldtest.Payment("f", 900, func(p *record.Payment) { p.Status = record.PaymentFailed }), foldtest.Refund("g", "f", 5, "11:00"),
		foldtest.Refund("h", "f", 5, "11:00", func(p *record.Payment) { p.Status = record.PaymentFailed }),
	)
	// Partition does not check: what has an unknown status may be sold or not.
	want := []figures.Diagnostic{
		{Code: figures.CodeAbsurd, Kind: record.KindTicket, ID: "x", Text: record.Say("price or quantity out of range"), Count: 1, Amount: record.Money{}},
		{Code: figures.CodeCurrency, Kind: record.KindPayment, ID: "r", Text: record.Say("in another currency than its payment"), Count: 1, Amount: record.Money{}},
		{Code: figures.CodeCurrency, Kind: record.KindPayment, ID: "p", Text: record.Say("refunded amount in another currency than the payment"), Count: 1, Amount: record.Money{}},
		{Code: figures.CodeOversold, Kind: record.KindEvent, ID: "a", Text: record.Say("more places sold than there are"), Count: 1, Amount: record.Money{}},
		{Code: figures.CodeUnknownStatus, Kind: record.KindEvent, ID: "a", Text: record.Say("“{word}”", record.Verbatim("word", "moved")), Count: 1, Amount: record.Money{}},
		{Code: figures.CodeUnknownStatus, Kind: record.KindPayment, ID: "q", Text: record.Say("“{word}”", record.Verbatim("word", "gift")), Count: 1, Amount: record.Money{}},
		{Code: figures.CodeUnknownStatus, Kind: record.KindTicket, ID: "n", Text: record.Say("has no status"), Count: 1, Amount: record.Money{}},
		{Code: figures.CodeUnknownStatus, Kind: record.KindTicket, ID: "v", Text: record.Say("“{word}”", record.Verbatim("word", "odd")), Count: 2, Amount: record.Money{}},
		{Code: figures.CodeUnsettled, Kind: record.KindPayment, ID: "g", Text: record.Say("paid back of a payment that has not settled"), Count: 1, Amount: record.Money{}},
	}
	if !reflect.DeepEqual(s.Diagnostics, want) {
		t.Errorf("got\n%s\nwant\n%s", foldtest.Text(t, s.Diagnostics), foldtest.Text(t, want))
	}
	s = foldtest.Fold(foldtest.Complete, foldtest.Event("a", func(e *record.Event) { e.Capacity, e.Available, e.Blocked = new(10), new(3), new(2) }),
		foldtest.Ticket("t", "a"), foldtest.Ticket("u", "a", func(t *record.Ticket) { t.Status = "reserved" }))
	if len(s.Diagnostics) != 1 || s.Diagnostics[0].Code != figures.CodePartition || s.Diagnostics[0].Count != -3 {
		t.Errorf("got %s, want a partition that is 3 short", foldtest.Text(t, s.Diagnostics))
	}
}

// Places that are known to be more than there are do not add up, also where nobody says how many
// are blocked; fewer may be blocked.
func TestPartitionWithoutBlocked(t *testing.T) {
	for available, want := range map[int]string{8: "", 7: "", 9: "1 sold 1 + reserved 1 + available 9 = 11, capacity 10"} {
		s := foldtest.Fold(foldtest.Complete, foldtest.Event("a", func(e *record.Event) { e.Capacity, e.Available = new(10), new(available) }),
			foldtest.Ticket("t", "a"), foldtest.Ticket("u", "a", func(t *record.Ticket) { t.Status = "reserved" }))
		got := ""
		for _, d := range s.Diagnostics {
			if d.Code == figures.CodePartition {
				got += fmt.Sprint(d.Count, " ", d.Text)
			}
		}
		if got != want {
			t.Errorf("%d available: %q, want %q", available, got, want)
		}
	}
}

// What is refunded above a payment is kept out of the figures and found, with its amount.
func TestRefundAboveItsPayment(t *testing.T) {
	refunded := func(m int64) func(*record.Payment) {
		return func(p *record.Payment) { p.AmountRefunded = foldtest.Eur(m) }
	}
	status := func(s record.PaymentStatus) func(*record.Payment) { return func(p *record.Payment) { p.Status = s } }
	dollars := func(p *record.Payment) { p.Amount.Currency = "USD" }
	for name, c := range map[string]struct {
		records []record.Record
		want    string
	}{
		"by a record":               {[]record.Record{foldtest.Payment("p", 900), foldtest.Refund("r", "p", 1000, "21 10:00")}, "p 1 {100 EUR}"},
		"by two":                    {[]record.Record{foldtest.Payment("p", 900), foldtest.Refund("r", "p", 500, "21 10:00"), foldtest.Refund("s", "p", 600, "21 10:00")}, "p 1 {200 EUR}"},
		"by the payment":            {[]record.Record{foldtest.Payment("p", 900, refunded(950))}, "p 1 {50 EUR}"},
		"by both, one refund":       {[]record.Record{foldtest.Payment("p", 900, refunded(950)), foldtest.Refund("r", "p", 1000, "21 10:00")}, "p 1 {100 EUR}"},
		"as much as it":             {[]record.Record{foldtest.Payment("p", 900, refunded(900)), foldtest.Refund("r", "p", 900, "21 10:00")}, ""},
		"not settled":               {[]record.Record{foldtest.Payment("p", 900), foldtest.Refund("r", "p", 1000, "21 10:00", status(record.PaymentPending))}, ""},
		"of one that never settled": {[]record.Record{foldtest.Payment("p", 900, refunded(950), status(record.PaymentFailed))}, ""},
		"in another currency":       {[]record.Record{foldtest.Payment("p", 900), foldtest.Refund("r", "p", 1000, "21 10:00", dollars)}, ""},
		"no payment":                {[]record.Record{foldtest.Refund("r", "p", 1000, "21 10:00")}, ""},
		"several": {[]record.Record{foldtest.Payment("p", 900, refunded(950)), foldtest.Payment("q", 100), foldtest.Refund("r", "q", 107, "21 10:00"),
			foldtest.Payment("o", 100, dollars), foldtest.Refund("s", "o", 103, "21 10:00", dollars)}, "p 2 {57 EUR}; o 1 {3 USD}"},
		"corrected": {[]record.Record{foldtest.Payment("p", 900, refunded(950)), foldtest.Payment("q", 900, refunded(907)),
			foldtest.Payment("p", 900, refunded(900), func(p *record.Payment) { p.UpdatedAt = foldtest.Clock("22 10:00") })}, "q 1 {7 EUR}"},
	} {
		s, got := foldtest.Fold(foldtest.Complete, c.records...), ""
		for _, d := range s.Diagnostics {
			if d.Code == figures.CodeOverRefunded {
				got += fmt.Sprint("; ", d.ID, " ", d.Count, " ", d.Amount)
			}
		}
		if got = strings.TrimPrefix(got, "; "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A complimentary ticket with a face price books nothing, on no day and in no part, and takes no
// share of a payment.
func TestComplimentaryWithAPrice(t *testing.T) {
	order := func(t *record.Ticket) { t.OrderID = "o" }
	comp := func(t *record.Ticket) { t.Complimentary = true }
	s := foldtest.Fold(foldtest.Complete, foldtest.Event("a"), foldtest.Event("b"), foldtest.Ticket("t", "a", order), foldtest.Ticket("u", "b", order, comp),
		foldtest.Payment("p", 2000, func(p *record.Payment) { p.OrderID = "o" }))
	if got, want := foldtest.Money(s), "a: booked 2000, received 2000, net 2000; total: booked 2000, received 2000, net 2000"; got != want {
		t.Errorf("money %q, want %q", got, want)
	}
	b := s.Event("b")
	if got := foldtest.Movements(b.SaleDays); got != "20 sold 1 booked 0 received 0 refunded 0 charged back 0" || foldtest.Say(b.Complimentary) != "1" ||
		b.Parts[figures.ByChannel].All()[0].Of(figures.Booked) != nil {
		t.Errorf("days %q, %+v", got, b)
	}
}
