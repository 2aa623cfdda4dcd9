package aggregator_test

import (
	"reflect"
	"testing"
	"time"

	"housecount/apiclient"
)

// TestCorrections replaces every variant of a record by every other, at the same time of
// change: the figures must be those of the second alone.
func TestCorrections(t *testing.T) {
	var tickets, payments []apiclient.Record
	inOrder := func(t *apiclient.Ticket) { t.OrderID = "o" }
	for _, change := range []func(*apiclient.Ticket){
		func(*apiclient.Ticket) {},
		func(t *apiclient.Ticket) { t.Seat = "A 1" },
		func(t *apiclient.Ticket) { t.EventID = "b" },
		func(t *apiclient.Ticket) { t.EventID = "unknown" },
		func(t *apiclient.Ticket) { t.OrderID = "" },
		func(t *apiclient.Ticket) { t.Type.ID = "other" },
		func(t *apiclient.Ticket) { t.Type.Name = "Other" },
		func(t *apiclient.Ticket) { t.Quantity = new(3) },
		func(t *apiclient.Ticket) { t.Quantity = new(-3) },
		func(t *apiclient.Ticket) { t.Price = nil },
		func(t *apiclient.Ticket) { t.Price = eur(0) },
		func(t *apiclient.Ticket) { t.Price = &apiclient.Money{} },
		func(t *apiclient.Ticket) { t.Price = &apiclient.Money{Amount: 2000, Currency: "USD"} },
		func(t *apiclient.Ticket) { t.Complimentary = true },
		func(t *apiclient.Ticket) { t.Admits = new(false) },
		func(t *apiclient.Ticket) { t.Status = apiclient.TicketReserved },
		func(t *apiclient.Ticket) { t.Status = apiclient.TicketExpired },
		func(t *apiclient.Ticket) { t.Status, t.CancelledAt = apiclient.TicketVoid, clock("12:00") },
		func(t *apiclient.Ticket) { t.Status, t.CancelledAt = apiclient.TicketRefunded, clock("21 12:00") },
		func(t *apiclient.Ticket) { t.Status = "odd" },
		func(t *apiclient.Ticket) { t.Status = "odder" },
		func(t *apiclient.Ticket) { t.Scans = []apiclient.Scan{} },
		func(t *apiclient.Ticket) {
			t.Scans = []apiclient.Scan{{At: clock("19:00"), Gate: "N", Direction: apiclient.Entry}}
		},
		func(t *apiclient.Ticket) {
			t.Scans = []apiclient.Scan{{At: clock("19:00"), Gate: "N", Direction: apiclient.Entry}, {At: clock("19:30"), Direction: apiclient.Exit}}
		},
		func(t *apiclient.Ticket) { t.Channel = "door" },
		func(t *apiclient.Ticket) { t.SoldAt = clock("19 10:00") },
		func(t *apiclient.Ticket) { t.SoldAt = time.Time{} },
		func(t *apiclient.Ticket) { t.Test = true },
		func(t *apiclient.Ticket) { t.Deleted = true },
	} {
		tickets = append(tickets, theTicket("t", "a", inOrder, change))
	}
	for _, change := range []func(*apiclient.Payment){
		func(*apiclient.Payment) {},
		func(p *apiclient.Payment) { p.Method = "card" },
		func(p *apiclient.Payment) { p.EventID = "b" },
		func(p *apiclient.Payment) { p.TicketIDs = []string{"v"} },
		func(p *apiclient.Payment) { p.TicketIDs = []string{"t", "v"} },
		func(p *apiclient.Payment) { p.OrderID = "none" },
		func(p *apiclient.Payment) { p.ParentID = "q" },
		func(p *apiclient.Payment) { p.Kind, p.ParentID = apiclient.KindOfRefund, "q" },
		func(p *apiclient.Payment) { p.Kind, p.ParentID = apiclient.KindOfRefund, "r" },
		func(p *apiclient.Payment) { p.Kind, p.ParentID = apiclient.KindOfChargeback, "q" },
		func(p *apiclient.Payment) { p.Kind = apiclient.KindOfReversal },
		func(p *apiclient.Payment) { p.Kind = "odd" },
		func(p *apiclient.Payment) { p.Amount.Amount = 901 },
		func(p *apiclient.Payment) { p.Amount.Amount = -901 },
		func(p *apiclient.Payment) { p.Amount.Currency = "USD" },
		func(p *apiclient.Payment) { p.Status = apiclient.PaymentPending },
		func(p *apiclient.Payment) { p.Status = apiclient.PaymentFailed },
		func(p *apiclient.Payment) { p.Status = apiclient.PaymentRefunded },
		func(p *apiclient.Payment) { p.Status = apiclient.PaymentChargedBack },
		func(p *apiclient.Payment) { p.Status = "odd" },
		func(p *apiclient.Payment) { p.AmountRefunded = eur(500) },
		func(p *apiclient.Payment) { p.AmountRefunded = &apiclient.Money{Amount: 500, Currency: "USD"} },
		func(p *apiclient.Payment) { p.PaidAt = clock("19 10:00") },
		func(p *apiclient.Payment) { p.PaidAt = time.Time{} },
		func(p *apiclient.Payment) { p.Test = true },
		func(p *apiclient.Payment) { p.Deleted = true },
		func(p *apiclient.Payment) { p.Test, p.Deleted = true, true },
	} {
		payments = append(payments, thePayment("p", 900, func(p *apiclient.Payment) { p.OrderID = "o" }, change))
	}
	around := []apiclient.Record{
		theEvent("a"), theEvent("b"), theTicket("u", "a", inOrder), theTicket("v", "b", inOrder), theTicket("w", "b"),
		thePayment("q", 5000), theRefund("r", "p", 300, "21 11:00"), theRefund("c", "r", 100, "21 12:00"),
		thePayment("m", 1001, func(p *apiclient.Payment) { p.TicketIDs = []string{"t", "w"} }),
	}
	for _, variants := range [][]apiclient.Record{tickets, payments} {
		// Beside a ticket there is its payment, and beside a payment its ticket.
		other := payments[0]
		if variants[0].RecordKind() == apiclient.KindPayment {
			other = tickets[0]
		}
		for i, first := range variants {
			for j, second := range variants {
				got := fold(complete, append(around[:len(around):len(around)], other, first, second)...)
				want := fold(complete, append(around[:len(around):len(around)], other, second)...)
				got.Position = want.Position
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("%s %d corrected to %d:\n%s\nwant\n%s", second.RecordKind(), i, j, text(t, got), text(t, want))
				}
			}
		}
	}
}
