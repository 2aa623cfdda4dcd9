package figures_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// clock is a time of 20 November 2026, UTC; "19 10:00" is one of the day before.
func clock(s string) time.Time {
	if s == "" {
		return time.Time{}
	}
	if !strings.Contains(s, " ") {
		s = "20 " + s
	}
	at, err := time.Parse("2006-01-02 15:04", "2026-11-"+s)
	if err != nil {
		panic(err)
	}
	return at
}

func eur(minor int64) *record.Money { return &record.Money{Amount: minor, Currency: "EUR"} }

// theEvent is on sale tonight.
func theEvent(id string, change ...func(*record.Event)) *record.Event {
	e := &record.Event{ID: id, Title: id, Date: "2026-11-20", StartsAt: clock("20:00"), Status: record.EventOnSale}
	for _, f := range change {
		f(e)
	}
	return e
}

// theTicket is a valid place for 20 euros, sold at 10 o'clock.
func theTicket(id, event string, change ...func(*record.Ticket)) *record.Ticket {
	t := &record.Ticket{ID: id, EventID: event, Status: record.TicketValid, Price: eur(2000), SoldAt: clock("10:00")}
	for _, f := range change {
		f(t)
	}
	return t
}

// thePayment is a payment that settled at 10 o'clock.
func thePayment(id string, amount int64, change ...func(*record.Payment)) *record.Payment {
	p := &record.Payment{ID: id, Amount: *eur(amount), Status: record.PaymentPaid, PaidAt: clock("10:00")}
	for _, f := range change {
		f(p)
	}
	return p
}

func theRefund(id, parent string, amount int64, at string, change ...func(*record.Payment)) *record.Payment {
	return thePayment(id, amount, append([]func(*record.Payment){func(p *record.Payment) {
		p.Kind, p.ParentID, p.PaidAt = record.KindOfRefund, parent, clock(at)
	}}, change...)...)
}

func fold(c figures.Coverage, records ...record.Record) *figures.Snapshot {
	return ledger(figures.Calendar{}, newLog(records...).versions...).Snapshot(figures.Position{Epoch: "test", Revision: int64(len(records))}, c)
}

// money says everything about revenue in one line, by event and in total: booked,
// received, refunded, chargebacks, net and pending in that order where not empty.
func money(s *figures.Snapshot) string {
	var lines []string
	line := func(name string, r *figures.Revenue) {
		var words []string
		word := func(name string, s figures.Sums) {
			for _, m := range s {
				words = append(words, fmt.Sprintf("%s %d%s", name, m.Amount, strings.ToLower(strings.Replace(m.Currency, "EUR", "", 1))))
			}
		}
		word("booked", r.Of(figures.Booked).Value)
		word("received", r.Of(figures.Received).Value)
		word("refunded", r.Of(figures.Refunded).Value)
		word("chargebacks", r.Of(figures.ChargedBack).Value)
		word("won back", r.Of(figures.Reversed).Value)
		word("net", r.Net.Value)
		word("pending", r.Of(figures.RefundsPending).Value)
		if words != nil {
			lines = append(lines, name+": "+strings.Join(words, ", "))
		}
	}
	for _, e := range s.Events {
		line(e.Event.ID, &e.Revenue)
	}
	line("unattributed", &s.Unattributed)
	line("total", &s.Total)
	return strings.Join(lines, "; ")
}

// movements says what moved on which day.
func movements(days []*figures.DayFigures) string {
	var lines []string
	for _, d := range days {
		line := fmt.Sprintf("%s sold %d booked %d received %d refunded %d charged back %d", d.Day[8:], d.Sold,
			d.Of(figures.Booked).In("EUR"), d.Of(figures.Received).In("EUR"), d.Of(figures.Refunded).In("EUR"), d.Of(figures.ChargedBack).In("EUR"))
		for _, m := range []figures.Measure{figures.Reversed, figures.RefundsPending} {
			if n := d.Of(m).In("EUR"); n != 0 {
				line += fmt.Sprintf(" %s %d", m, n)
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

func TestBooked(t *testing.T) {
	two := func(t *record.Ticket) { t.Quantity = new(2) }
	status := func(s record.TicketStatus, cancelled string) func(*record.Ticket) {
		return func(t *record.Ticket) { t.Status, t.CancelledAt = s, clock(cancelled) }
	}
	soldAt := func(sold, created string) func(*record.Ticket) {
		return func(t *record.Ticket) { t.SoldAt, t.CreatedAt = clock(sold), clock(created) }
	}
	for name, c := range map[string]struct {
		ticket *record.Ticket
		money  string
		days   string
	}{
		"valid":               {theTicket("t", "a"), "a: booked 2000; total: booked 2000", "20 sold 1 booked 2000"},
		"price times places":  {theTicket("t", "a", two), "a: booked 4000; total: booked 4000", "20 sold 2 booked 4000"},
		"sold by creation":    {theTicket("t", "a", soldAt("", "18 09:00")), "a: booked 2000; total: booked 2000", "18 sold 1 booked 2000"},
		"void":                {theTicket("t", "a", two, soldAt("18 09:00", ""), status("void", "19 08:00")), "", "18 sold 2 booked 4000; 19 sold -2 booked -4000"},
		"refunded":            {theTicket("t", "a", soldAt("", "18 09:00"), status("refunded", "19 08:00")), "", "18 sold 1 booked 2000; 19 sold -1 booked -2000"},
		"void, never sold":    {theTicket("t", "a", soldAt("", "18 09:00"), status("void", "19 08:00")), "", ""},
		"cancelled by update": {theTicket("t", "a", status("void", ""), func(t *record.Ticket) { t.UpdatedAt = clock("21 08:00") }), "", "20 sold 1 booked 2000; 21 sold -1 booked -2000"},
		"reserved":            {theTicket("t", "a", status("reserved", "")), "", ""},
		"expired":             {theTicket("t", "a", status("expired", "")), "", ""},
		"unknown status":      {theTicket("t", "a", status("stolen", "")), "", ""},
		"no status":           {theTicket("t", "a", status("", "")), "", ""},
		"test":                {theTicket("t", "a", func(t *record.Ticket) { t.Test = true }), "", ""},
		"deleted":             {theTicket("t", "a", func(t *record.Ticket) { t.Deleted = true }), "", ""},
		"merchandise":         {theTicket("t", "a", func(t *record.Ticket) { t.Admits = new(false) }), "a: booked 2000; total: booked 2000", "20 sold 0 booked 2000"},
		"free":                {theTicket("t", "a", func(t *record.Ticket) { t.Price = eur(0) }), "", "20 sold 1 booked 0"},
		"no price":            {theTicket("t", "a", func(t *record.Ticket) { t.Price = nil }), "", "20 sold 1 booked 0"},
		"absurd quantity":     {theTicket("t", "a", func(t *record.Ticket) { t.Quantity = new(1 << 40) }), "", ""},
		"negative price":      {theTicket("t", "a", func(t *record.Ticket) { t.Price = eur(-100) }), "", ""},
		"unknown event":       {theTicket("t", "z"), "unattributed: booked 2000; total: booked 2000", ""},
		"no event":            {theTicket("t", ""), "unattributed: booked 2000; total: booked 2000", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := fold(complete, theEvent("a"), c.ticket)
			if got := money(s); got != c.money {
				t.Errorf("money %q, want %q", got, c.money)
			}
			got := strings.ReplaceAll(movements(s.Events[0].SaleDays), " received 0 refunded 0 charged back 0", "")
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
		return func(p *record.Payment) { p.Status, p.UpdatedAt = s, clock("22 10:00") }
	}
	refunded := func(m *record.Money) func(*record.Payment) {
		return func(p *record.Payment) { p.AmountRefunded, p.UpdatedAt = m, clock("22 10:00") }
	}
	kind := func(k record.PaymentKind) func(*record.Payment) {
		return func(p *record.Payment) { p.Kind = k }
	}
	dollars := func(p *record.Payment) { p.Amount.Currency = "USD" }
	deleted := func(p *record.Payment) { p.Deleted = true }
	isTest := func(p *record.Payment) { p.Test = true }
	inOrder := func(id, event, order string, price int64, change ...func(*record.Ticket)) *record.Ticket {
		// Reserved tickets split a payment and book nothing, so that only payments show.
		t := theTicket(id, event, change...)
		t.OrderID, t.Price = order, eur(price)
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
		"paid":               {all(thePayment("p", 900, event("a"))), "a: received 900, net 900; total: received 900, net 900", "20 sold 0 booked 0 received 900 refunded 0 charged back 0"},
		"unattributed":       {all(thePayment("p", 900)), "unattributed: received 900, net 900; total: received 900, net 900", ""},
		"event never came":   {all(thePayment("p", 900, event("z"))), "unattributed: received 900, net 900; total: received 900, net 900", ""},
		"event deleted":      {all(theEvent("z", func(e *record.Event) { e.Deleted = true }), thePayment("p", 900, event("z"))), "unattributed: received 900, net 900; total: received 900, net 900", ""},
		"event a test":       {all(theEvent("z", func(e *record.Event) { e.Test = true }), thePayment("p", 900, event("z")), theTicket("t", "z")), "", ""},
		"event becomes test": {all(thePayment("p", 900, event("z")), theTicket("t", "z"), theEvent("z", func(e *record.Event) { e.Test = true })), "", ""},
		"test":               {all(thePayment("p", 900, event("a"), isTest), theRefund("r", "p", 100, "11:00", event("a"))), "", ""},
		"deleted":            {all(thePayment("p", 900, event("a"), func(p *record.Payment) { p.Deleted = true })), "", ""},
		"open":               {all(thePayment("p", 900, event("a"), status(record.PaymentOpen))), "", ""},
		"failed":             {all(thePayment("p", 900, event("a"), status(record.PaymentFailed))), "", ""},
		"unknown status":     {all(thePayment("p", 900, event("a"), status("lost"))), "", ""},
		"negative":           {all(thePayment("p", -900, event("a"))), "", ""},
		"absurd":             {all(thePayment("p", 1<<60, event("a"))), "", ""},
		"two currencies":     {all(thePayment("p", 900, event("a")), thePayment("q", 500, event("a"), dollars)), "a: received 900, received 500usd, net 900, net 500usd; total: received 900, received 500usd, net 900, net 500usd", ""},
		"own event wins":     {all(inOrder("t", "b", "o", 100), thePayment("p", 900, event("a"), order("o"), tickets("t"))), "a: received 900, net 900; total: received 900, net 900", ""},
		"tickets before order": {all(inOrder("t", "a", "o", 100), inOrder("u", "b", "o", 100), thePayment("p", 900, order("o"), tickets("u"))),
			"b: received 900, net 900; total: received 900, net 900", ""},
		"unknown tickets, then order": {all(inOrder("t", "a", "o", 100), thePayment("p", 900, order("o"), tickets("x"))),
			"a: received 900, net 900; total: received 900, net 900", ""},
		"split by price": {all(inOrder("t", "a", "o", 1000), inOrder("u", "b", "o", 2000), thePayment("p", 1000, order("o"))),
			"a: received 333, net 333; b: received 667, net 667; total: received 1000, net 1000", ""},
		"split by places": {all(inOrder("t", "a", "o", 1000, func(t *record.Ticket) { t.Quantity = new(3) }), inOrder("u", "b", "o", 1000), thePayment("p", 1000, order("o"))),
			"a: received 750, net 750; b: received 250, net 250; total: received 1000, net 1000", ""},
		"split, tied": {all(inOrder("u", "b", "o", 1000), inOrder("t", "a", "o", 1000), thePayment("p", 101, order("o"))),
			"a: received 51, net 51; b: received 50, net 50; total: received 101, net 101", ""},
		"split, all free": {all(inOrder("t", "a", "o", 0), inOrder("u", "b", "o", 0), inOrder("v", "b", "o", 0), thePayment("p", 300, order("o"))),
			"a: received 100, net 100; b: received 200, net 200; total: received 300, net 300", ""},
		"split, one free": {all(inOrder("t", "a", "o", 0), inOrder("u", "b", "o", 10), thePayment("p", 300, order("o"))),
			"b: received 300, net 300; total: received 300, net 300", ""},
		"split, another currency": {all(inOrder("t", "a", "o", 100), inOrder("u", "b", "o", 300), thePayment("p", 300, order("o"), dollars)),
			"a: received 150usd, net 150usd; b: received 150usd, net 150usd; total: received 300usd, net 300usd", ""},
		"split, some never sold": {all(inOrder("t", "a", "o", 100, func(t *record.Ticket) { t.Status, t.CancelledAt = "refunded", clock("12:00") }),
			inOrder("u", "b", "o", 300, func(t *record.Ticket) { t.Status = "expired" }), thePayment("p", 300, order("o"))),
			"a: received 300, net 300; total: received 300, net 300", ""},
		"split with a test event": {all(theEvent("z", func(e *record.Event) { e.Test = true }), inOrder("t", "a", "o", 100), inOrder("u", "z", "o", 100), thePayment("p", 300, order("o"))),
			"a: received 150, net 150; total: received 150, net 150", ""},
		"tickets come late": {all(thePayment("p", 1000, order("o")), inOrder("t", "a", "o", 1000), inOrder("u", "b", "o", 2000)),
			"a: received 333, net 333; b: received 667, net 667; total: received 1000, net 1000", ""},

		"refund record": {all(thePayment("p", 900, event("a")), theRefund("r", "p", 300, "21 11:00")),
			"a: received 900, refunded 300, net 600; total: received 900, refunded 300, net 600", "20 sold 0 booked 0 received 900 refunded 0 charged back 0; 21 sold 0 booked 0 received 0 refunded 300 charged back 0"},
		"refund came first": {all(theRefund("r", "p", 300, "21 11:00"), thePayment("p", 900, event("a"))),
			"a: received 900, refunded 300, net 600; total: received 900, refunded 300, net 600", ""},
		"refund told twice": {all(thePayment("p", 900, event("a"), refunded(eur(300))), theRefund("r", "p", 300, "21 11:00")),
			"a: received 900, refunded 300, net 600; total: received 900, refunded 300, net 600", "20 sold 0 booked 0 received 900 refunded 0 charged back 0; 21 sold 0 booked 0 received 0 refunded 300 charged back 0"},
		"refund by field": {all(thePayment("p", 900, event("a"), refunded(eur(300)))),
			"a: received 900, refunded 300, net 600; total: received 900, refunded 300, net 600", "20 sold 0 booked 0 received 900 refunded 0 charged back 0; 22 sold 0 booked 0 received 0 refunded 300 charged back 0"},
		"field beyond records": {all(thePayment("p", 900, event("a"), refunded(eur(500))), theRefund("r", "p", 300, "21 11:00")),
			"a: received 900, refunded 500, net 400; total: received 900, refunded 500, net 400", "20 sold 0 booked 0 received 900 refunded 0 charged back 0; 21 sold 0 booked 0 received 0 refunded 300 charged back 0; 22 sold 0 booked 0 received 0 refunded 200 charged back 0"},
		"refund by status": {all(thePayment("p", 900, event("a"), status(record.PaymentRefunded)), theRefund("r", "p", 300, "21 11:00")),
			"a: received 900, refunded 900; total: received 900, refunded 900", "20 sold 0 booked 0 received 900 refunded 0 charged back 0; 21 sold 0 booked 0 received 0 refunded 300 charged back 0; 22 sold 0 booked 0 received 0 refunded 600 charged back 0"},
		"refund capped": {all(thePayment("p", 900, event("a")), theRefund("r", "p", 800, "21 11:00"), theRefund("s", "p", 700, "22 11:00")),
			"a: received 900, refunded 900; total: received 900, refunded 900", "20 sold 0 booked 0 received 900 refunded 0 charged back 0; 21 sold 0 booked 0 received 0 refunded 800 charged back 0; 22 sold 0 booked 0 received 0 refunded 100 charged back 0"},
		"capped at the same moment, by id": {all(thePayment("p", 900, event("a")), theRefund("s", "p", 700, "11:00", event("b")), theRefund("r", "p", 800, "11:00")),
			"a: received 900, refunded 800, net 100; b: refunded 100, net -100; total: received 900, refunded 900", ""},
		"field capped": {all(thePayment("p", 900, event("a"), refunded(eur(5000)))), "a: received 900, refunded 900; total: received 900, refunded 900", ""},
		"field in another currency": {all(thePayment("p", 900, event("a"), refunded(&record.Money{Amount: 300, Currency: "USD"}))),
			"a: received 900, net 900; total: received 900, net 900", ""},
		"refund in another currency": {all(thePayment("p", 900, event("a")), theRefund("r", "p", 300, "11:00", dollars)),
			"a: received 900, refunded 300usd, net 900, net -300usd; total: received 900, refunded 300usd, net 900, net -300usd", ""},
		"refund pending": {all(thePayment("p", 900, event("a")), theRefund("r", "p", 300, "11:00", status(record.PaymentPending))),
			"a: received 900, net 900, pending 300; total: received 900, net 900, pending 300", ""},
		"refund failed": {all(thePayment("p", 900, event("a")), theRefund("r", "p", 300, "11:00", status(record.PaymentFailed))),
			"a: received 900, net 900; total: received 900, net 900", ""},
		"refund of its own event": {all(thePayment("p", 900, event("a")), theRefund("r", "p", 300, "11:00", event("b"))),
			"a: received 900, net 900; b: refunded 300, net -300; total: received 900, refunded 300, net 600", ""},
		"refund without payment": {all(theRefund("r", "gone", 300, "11:00", event("a"))), "a: refunded 300, net -300; total: refunded 300, net -300", ""},
		"refund without payment, by order": {all(inOrder("t", "b", "o", 100), theRefund("r", "gone", 300, "11:00", order("o"))),
			"b: refunded 300, net -300; total: refunded 300, net -300", ""},
		"refund of a deleted payment": {all(thePayment("p", 900, event("a"), deleted), theRefund("r", "p", 300, "11:00"), theRefund("c", "p", 300, "11:00", kind("chargeback")),
			theRefund("s", "p", 300, "11:00", status(record.PaymentPending))), "", ""},
		"refund of a failed payment": {all(thePayment("p", 900, event("a"), status(record.PaymentFailed)), theRefund("r", "p", 300, "11:00"), theRefund("s", "p", 300, "11:00", dollars)),
			"", ""},
		"refund of an expired payment": {all(thePayment("p", 900, event("a"), status(record.PaymentExpired)), theRefund("r", "p", 300, "11:00", event("b"))), "", ""},
		"refund of a canceled payment": {all(thePayment("p", 900, event("a"), status(record.PaymentCanceled)), theRefund("r", "p", 300, "11:00")), "", ""},
		"refund of a pending payment":  {all(thePayment("p", 900, event("a"), status(record.PaymentPending)), theRefund("r", "p", 300, "11:00")), "", ""},
		"chargeback of a failed payment": {all(thePayment("p", 900, event("a"), status(record.PaymentFailed)), theRefund("c", "p", 300, "11:00", kind("chargeback")),
			theRefund("v", "c", 300, "11:00", kind("reversal"))), "", ""},
		"refund without anything": {all(theRefund("r", "", 300, "11:00")), "unattributed: refunded 300, net -300; total: refunded 300, net -300", ""},
		"refunded in parts, over two events": {all(inOrder("t", "a", "o", 100), inOrder("u", "b", "o", 100), thePayment("p", 101, order("o")),
			theRefund("r", "p", 33, "11:00"), theRefund("s", "p", 33, "12:00"), theRefund("q", "p", 35, "13:00")),
			"a: received 51, refunded 51; b: received 50, refunded 50; total: received 101, refunded 101", ""},

		"charged back by status": {all(thePayment("p", 900, event("a"), status(record.PaymentChargedBack))),
			"a: received 900, chargebacks 900; total: received 900, chargebacks 900", "20 sold 0 booked 0 received 900 refunded 0 charged back 0; 22 sold 0 booked 0 received 0 refunded 0 charged back 900"},
		"charged back by record": {all(thePayment("p", 900, event("a"), status(record.PaymentChargedBack)), theRefund("c", "p", 400, "21 11:00", kind("chargeback"))),
			"a: received 900, chargebacks 400, net 500; total: received 900, chargebacks 400, net 500", ""},
		"charged back and won": {all(thePayment("p", 900, event("a")), theRefund("c", "p", 900, "21 11:00", kind("chargeback")), theRefund("v", "c", 900, "22 11:00", kind("reversal"))),
			"a: received 900, chargebacks 900, won back 900, net 900; total: received 900, chargebacks 900, won back 900, net 900", "20 sold 0 booked 0 received 900 refunded 0 charged back 0; 21 sold 0 booked 0 received 0 refunded 0 charged back 900; 22 sold 0 booked 0 received 0 refunded 0 charged back 0 won back 900"},
		"chargeback pending": {all(thePayment("p", 900, event("a")), theRefund("c", "p", 900, "11:00", kind("chargeback"), status(record.PaymentPending))),
			"a: received 900, net 900; total: received 900, net 900", ""},
		"parents in a ring": {all(theRefund("r", "s", 100, "11:00", event("a")), theRefund("s", "r", 200, "11:00", event("a")), theRefund("q", "q", 400, "11:00", event("a"))),
			"a: refunded 700, net -700; total: refunded 700, net -700", ""},
	} {
		t.Run(name, func(t *testing.T) {
			records := append(all(theEvent("a"), theEvent("b")), c.records...)
			s := fold(complete, records...)
			if got := money(s); got != c.money {
				t.Errorf("money\n%s\nwant\n%s", got, c.money)
			}
			if got := movements(s.Events[0].SaleDays); c.days != "" && got != c.days {
				t.Errorf("days\n%s\nwant\n%s", got, c.days)
			}
			slices.Reverse(records)
			if got := money(fold(complete, records...)); got != c.money {
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
	records := []record.Record{theEvent("a"), theTicket("t", "a"),
		thePayment("p", 1500, func(p *record.Payment) { p.EventID = "a" })}
	loose := thePayment("q", 7)
	for name, c := range map[string]struct {
		coverage figures.Coverage
		more     []record.Record
		want     quality
	}{
		"complete": {complete, nil, quality{"booked": "exact[] 2000", "received": "exact[] 1500", "refunded": "exact[] 0", "net": "exact[] 1500", "total": "exact[] 1500"}},
		"tickets incomplete": {figures.Coverage{TicketsOffered: true, PaymentsOffered: true, PaymentsComplete: true}, nil,
			quality{"booked": "lower bound[tickets_incomplete] 2000", "received": "exact[] 1500"}},
		"tickets incomplete, loose payments": {figures.Coverage{TicketsOffered: true, PaymentsOffered: true, PaymentsComplete: true}, []record.Record{loose},
			quality{"received": "lower bound[tickets_incomplete] 1500", "total": "exact[] 1507"}},
		"no tickets": {figures.Coverage{PaymentsOffered: true, PaymentsComplete: true}, nil,
			quality{"booked": "unknown[no_tickets] 0", "net": "exact[] 1500"}},
		"payments incomplete": {figures.Coverage{TicketsOffered: true, TicketsComplete: true, PaymentsOffered: true}, nil,
			quality{"booked": "exact[] 2000", "received": "lower bound[payments_incomplete] 1500", "net": "unknown[payments_incomplete] 0"}},
		"no payments": {figures.Coverage{TicketsOffered: true, TicketsComplete: true}, nil,
			quality{"booked": "exact[] 2000", "received": "unknown[no_payments] 0", "refunded": "unknown[no_payments] 0", "net": "estimated[no_payments] 2000"}},
		"nothing": {figures.Coverage{}, nil, quality{"booked": "unknown[no_tickets] 0", "net": "unknown[no_tickets no_payments] 0"}},
		"no price": {complete, []record.Record{theTicket("u", "a", func(t *record.Ticket) { t.Price = nil })},
			quality{"booked": "lower bound[no_price] 2000", "received": "exact[] 1500"}},
		"complimentary without price": {complete, []record.Record{theTicket("u", "a", func(t *record.Ticket) { t.Price, t.Complimentary = nil, true })},
			quality{"booked": "exact[] 2000"}},
		"unknown statuses": {complete, []record.Record{theTicket("u", "a", func(t *record.Ticket) { t.Status = "odd" }),
			thePayment("q", 5, func(p *record.Payment) { p.Status, p.EventID = "odd", "a" })},
			quality{"booked": "lower bound[unknown_status] 2000", "received": "lower bound[unknown_status] 1500", "net": "estimated[unknown_status] 1500"}},
		"refund by field": {complete, []record.Record{thePayment("p", 1500, func(p *record.Payment) { p.EventID, p.AmountRefunded = "a", eur(500) })},
			quality{"booked": "exact[] 2000", "received": "exact[] 1500", "refunded": "estimated[undated] 500", "net": "estimated[undated] 1000", "total": "exact[] 1500"}},
		"refund by record": {complete, []record.Record{thePayment("p", 1500, func(p *record.Payment) { p.EventID, p.AmountRefunded = "a", eur(500) }), theRefund("r", "p", 500, "11:00")},
			quality{"received": "exact[] 1500", "refunded": "exact[] 500", "net": "exact[] 1000"}},
		"charged back by status": {complete, []record.Record{thePayment("p", 1500, func(p *record.Payment) { p.EventID, p.Status = "a", record.PaymentChargedBack })},
			quality{"received": "exact[] 1500", "net": "estimated[undated] 0"}},
		"undated": {complete, []record.Record{theTicket("u", "a", func(t *record.Ticket) { t.SoldAt = time.Time{} }),
			thePayment("q", 5, func(p *record.Payment) { p.PaidAt, p.EventID = time.Time{}, "a" })},
			quality{"booked": "estimated[undated] 4000", "received": "estimated[undated] 1505", "total": "estimated[undated] 1505"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := fold(c.coverage, append(slices.Clone(records), c.more...)...)
			r := s.Events[0].Revenue
			got := quality{"booked": say(r.Of(figures.Booked)), "received": say(r.Of(figures.Received)), "refunded": say(r.Of(figures.Refunded)), "net": say(r.Net), "total": say(s.Total.Of(figures.Received))}
			for name, want := range c.want {
				if got[name] != want {
					t.Errorf("%s is %s, want %s", name, got[name], want)
				}
			}
		})
	}
}

func TestUndatedIsOnNoDay(t *testing.T) {
	s := fold(complete, theEvent("a"), theTicket("t", "a", func(t *record.Ticket) { t.SoldAt = time.Time{} }),
		thePayment("p", 5, func(p *record.Payment) { p.PaidAt = time.Time{} }))
	if len(s.Days) != 0 || len(s.Events[0].SaleDays) != 0 || len(s.Events[0].SoldMinutes) != 0 {
		t.Errorf("days %s, sale days %s", text(t, s.Days), text(t, s.Events[0].SaleDays))
	}
	if s.Total.Of(figures.Booked).Value.In("EUR") != 2000 || s.Total.Of(figures.Received).Value.In("EUR") != 5 {
		t.Errorf("total %+v", s.Total)
	}
}

func TestDiagnostics(t *testing.T) {
	s := fold(complete,
		theEvent("a", func(e *record.Event) {
			e.Status, e.Capacity, e.Available, e.Blocked = "moved", new(2), new(0), new(1)
		}),
		theTicket("t", "a"), theTicket("u", "a", func(t *record.Ticket) { t.Quantity = new(2) }),
		theTicket("w", "a", func(t *record.Ticket) { t.Status = "odd" }),
		theTicket("v", "a", func(t *record.Ticket) { t.Status = "odd" }),
		theTicket("n", "a", func(t *record.Ticket) { t.Status = "" }),
		theTicket("x", "a", func(t *record.Ticket) { t.Price = eur(-1) }),
		theTicket("y", "a", func(t *record.Ticket) { t.Status, t.Test = "odd", true }),
		thePayment("p", 900, func(p *record.Payment) { p.AmountRefunded = &record.Money{Amount: 1, Currency: "USD"} }),
		theRefund("r", "p", 5, "11:00", func(p *record.Payment) { p.Amount.Currency = "GBP" }),
		thePayment("q", 1, func(p *record.Payment) { p.Kind = "gift" }),
		thePayment("f", 900, func(p *record.Payment) { p.Status = record.PaymentFailed }), theRefund("g", "f", 5, "11:00"),
		theRefund("h", "f", 5, "11:00", func(p *record.Payment) { p.Status = record.PaymentFailed }),
	)
	// Partition does not check: what has an unknown status may be sold or not.
	want := []figures.Diagnostic{
		{figures.CodeAbsurd, record.KindTicket, "x", record.Say("price or quantity out of range"), 1, record.Money{}},
		{figures.CodeCurrency, record.KindPayment, "r", record.Say("in another currency than its payment"), 1, record.Money{}},
		{figures.CodeCurrency, record.KindPayment, "p", record.Say("refunded amount in another currency than the payment"), 1, record.Money{}},
		{figures.CodeOversold, record.KindEvent, "a", record.Say("more places sold than there are"), 2, record.Money{}},
		{figures.CodeUnknownStatus, record.KindEvent, "a", record.Say("“{word}”", record.Verbatim("word", "moved")), 1, record.Money{}},
		{figures.CodeUnknownStatus, record.KindPayment, "q", record.Say("“{word}”", record.Verbatim("word", "gift")), 1, record.Money{}},
		{figures.CodeUnknownStatus, record.KindTicket, "n", record.Say("has no status"), 1, record.Money{}},
		{figures.CodeUnknownStatus, record.KindTicket, "v", record.Say("“{word}”", record.Verbatim("word", "odd")), 2, record.Money{}},
		{figures.CodeUnsettled, record.KindPayment, "g", record.Say("paid back of a payment that has not settled"), 1, record.Money{}},
	}
	if !reflect.DeepEqual(s.Diagnostics, want) {
		t.Errorf("got\n%s\nwant\n%s", text(t, s.Diagnostics), text(t, want))
	}
	s = fold(complete, theEvent("a", func(e *record.Event) { e.Capacity, e.Available, e.Blocked = new(10), new(3), new(2) }),
		theTicket("t", "a"), theTicket("u", "a", func(t *record.Ticket) { t.Status = "reserved" }))
	if len(s.Diagnostics) != 1 || s.Diagnostics[0].Code != figures.CodePartition || s.Diagnostics[0].Count != -3 {
		t.Errorf("got %s, want a partition that is 3 short", text(t, s.Diagnostics))
	}
}

// Places that are known to be more than there are do not add up, also where nobody says how many
// are blocked; fewer may be blocked.
func TestPartitionWithoutBlocked(t *testing.T) {
	for available, want := range map[int]string{8: "", 7: "", 9: "1 sold 1 + reserved 1 + available 9 = 11, capacity 10"} {
		s := fold(complete, theEvent("a", func(e *record.Event) { e.Capacity, e.Available = new(10), new(available) }),
			theTicket("t", "a"), theTicket("u", "a", func(t *record.Ticket) { t.Status = "reserved" }))
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
		return func(p *record.Payment) { p.AmountRefunded = eur(m) }
	}
	status := func(s record.PaymentStatus) func(*record.Payment) { return func(p *record.Payment) { p.Status = s } }
	dollars := func(p *record.Payment) { p.Amount.Currency = "USD" }
	for name, c := range map[string]struct {
		records []record.Record
		want    string
	}{
		"by a record":               {[]record.Record{thePayment("p", 900), theRefund("r", "p", 1000, "21 10:00")}, "p 1 {100 EUR}"},
		"by two":                    {[]record.Record{thePayment("p", 900), theRefund("r", "p", 500, "21 10:00"), theRefund("s", "p", 600, "21 10:00")}, "p 1 {200 EUR}"},
		"by the payment":            {[]record.Record{thePayment("p", 900, refunded(950))}, "p 1 {50 EUR}"},
		"by both, one refund":       {[]record.Record{thePayment("p", 900, refunded(950)), theRefund("r", "p", 1000, "21 10:00")}, "p 1 {100 EUR}"},
		"as much as it":             {[]record.Record{thePayment("p", 900, refunded(900)), theRefund("r", "p", 900, "21 10:00")}, ""},
		"not settled":               {[]record.Record{thePayment("p", 900), theRefund("r", "p", 1000, "21 10:00", status(record.PaymentPending))}, ""},
		"of one that never settled": {[]record.Record{thePayment("p", 900, refunded(950), status(record.PaymentFailed))}, ""},
		"in another currency":       {[]record.Record{thePayment("p", 900), theRefund("r", "p", 1000, "21 10:00", dollars)}, ""},
		"no payment":                {[]record.Record{theRefund("r", "p", 1000, "21 10:00")}, ""},
		"several": {[]record.Record{thePayment("p", 900, refunded(950)), thePayment("q", 100), theRefund("r", "q", 107, "21 10:00"),
			thePayment("o", 100, dollars), theRefund("s", "o", 103, "21 10:00", dollars)}, "p 2 {57 EUR}; o 1 {3 USD}"},
		"corrected": {[]record.Record{thePayment("p", 900, refunded(950)), thePayment("q", 900, refunded(907)),
			thePayment("p", 900, refunded(900), func(p *record.Payment) { p.UpdatedAt = clock("22 10:00") })}, "q 1 {7 EUR}"},
	} {
		s, got := fold(complete, c.records...), ""
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
	s := fold(complete, theEvent("a"), theEvent("b"), theTicket("t", "a", order), theTicket("u", "b", order, comp),
		thePayment("p", 2000, func(p *record.Payment) { p.OrderID = "o" }))
	if got, want := money(s), "a: booked 2000, received 2000, net 2000; total: booked 2000, received 2000, net 2000"; got != want {
		t.Errorf("money %q, want %q", got, want)
	}
	b := s.Event("b")
	if got := movements(b.SaleDays); got != "20 sold 1 booked 0 received 0 refunded 0 charged back 0" || say(b.Complimentary) != "1" ||
		b.Parts[figures.ByChannel].All()[0].Of(figures.Booked) != nil {
		t.Errorf("days %q, %+v", got, b)
	}
}
