package ledger_test

import (
	"reflect"
	"testing"
	"time"

	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// TestCorrections replaces every variant of a record by every other, at the same time of
// change: the figures must be those of the second alone.
func TestCorrections(t *testing.T) {
	var tickets, payments []record.Record
	inOrder := func(t *record.Ticket) { t.OrderID = "o" }
	for _, change := range []func(*record.Ticket){
		func(*record.Ticket) {},
		func(t *record.Ticket) { t.Seat = "A 1" },
		func(t *record.Ticket) { t.EventID = "b" },
		func(t *record.Ticket) { t.EventID = "unknown" },
		func(t *record.Ticket) { t.OrderID = "" },
		func(t *record.Ticket) { t.Type.ID = "other" },
		func(t *record.Ticket) { t.Type.Name = "Other" },
		func(t *record.Ticket) { t.Quantity = new(3) },
		func(t *record.Ticket) { t.Quantity = new(-3) },
		func(t *record.Ticket) { t.Price = nil },
		func(t *record.Ticket) { t.Price = foldtest.Eur(0) },
		func(t *record.Ticket) { t.Price = &record.Money{} },
		func(t *record.Ticket) { t.Price = &record.Money{Amount: 2000, Currency: "USD"} },
		func(t *record.Ticket) { t.Complimentary = true },
		func(t *record.Ticket) { t.Admits = new(false) },
		func(t *record.Ticket) { t.Status = record.TicketReserved },
		func(t *record.Ticket) { t.Status = record.TicketExpired },
		func(t *record.Ticket) { t.Status, t.CancelledAt = record.TicketVoid, foldtest.Clock("12:00") },
		func(t *record.Ticket) { t.Status, t.CancelledAt = record.TicketRefunded, foldtest.Clock("21 12:00") },
		func(t *record.Ticket) { t.Status = "odd" },
		func(t *record.Ticket) { t.Status = "odder" },
		func(t *record.Ticket) { t.Scans = []record.Scan{} },
		func(t *record.Ticket) {
			t.Scans = []record.Scan{{At: foldtest.Clock("19:00"), Gate: "N", Direction: record.Entry}}
		},
		func(t *record.Ticket) {
			t.Scans = []record.Scan{{At: foldtest.Clock("19:00"), Gate: "N", Direction: record.Entry}, {At: foldtest.Clock("19:30"), Direction: record.Exit}}
		},
		func(t *record.Ticket) { t.Channel = "door" },
		func(t *record.Ticket) { t.SoldAt = foldtest.Clock("19 10:00") },
		func(t *record.Ticket) { t.SoldAt = time.Time{} },
		func(t *record.Ticket) { t.Test = true },
		func(t *record.Ticket) { t.Deleted = true },
	} {
		tickets = append(tickets, foldtest.Ticket("t", "a", inOrder, change))
	}
	for _, change := range []func(*record.Payment){
		func(*record.Payment) {},
		func(p *record.Payment) { p.Method = "card" },
		func(p *record.Payment) { p.EventID = "b" },
		func(p *record.Payment) { p.TicketIDs = []string{"v"} },
		func(p *record.Payment) { p.TicketIDs = []string{"t", "v"} },
		func(p *record.Payment) { p.OrderID = "none" },
		func(p *record.Payment) { p.ParentID = "q" },
		func(p *record.Payment) { p.Kind, p.ParentID = record.KindOfRefund, "q" },
		func(p *record.Payment) { p.Kind, p.ParentID = record.KindOfRefund, "r" },
		func(p *record.Payment) { p.Kind, p.ParentID = record.KindOfChargeback, "q" },
		func(p *record.Payment) { p.Kind = record.KindOfReversal },
		func(p *record.Payment) { p.Kind = "odd" },
		func(p *record.Payment) { p.Amount.Amount = 901 },
		func(p *record.Payment) { p.Amount.Amount = -901 },
		func(p *record.Payment) { p.Amount.Currency = "USD" },
		func(p *record.Payment) { p.Status = record.PaymentPending },
		func(p *record.Payment) { p.Status = record.PaymentFailed },
		func(p *record.Payment) { p.Status = record.PaymentRefunded },
		func(p *record.Payment) { p.Status = record.PaymentChargedBack },
		func(p *record.Payment) { p.Status = "odd" },
		func(p *record.Payment) { p.AmountRefunded = foldtest.Eur(500) },
		func(p *record.Payment) { p.AmountRefunded = &record.Money{Amount: 500, Currency: "USD"} },
		func(p *record.Payment) { p.PaidAt = foldtest.Clock("19 10:00") },
		func(p *record.Payment) { p.PaidAt = time.Time{} },
		func(p *record.Payment) { p.Test = true },
		func(p *record.Payment) { p.Deleted = true },
		func(p *record.Payment) { p.Test, p.Deleted = true, true },
	} {
		payments = append(payments, foldtest.Payment("p", 900, func(p *record.Payment) { p.OrderID = "o" }, change))
	}
	around := []record.Record{
		foldtest.Event("a"), foldtest.Event("b"), foldtest.Ticket("u", "a", inOrder), foldtest.Ticket("v", "b", inOrder), foldtest.Ticket("w", "b"),
		foldtest.Payment("q", 5000), foldtest.Refund("r", "p", 300, "21 11:00"), foldtest.Refund("c", "r", 100, "21 12:00"),
		foldtest.Payment("m", 1001, func(p *record.Payment) { p.TicketIDs = []string{"t", "w"} }),
	}
	for _, variants := range [][]record.Record{tickets, payments} {
		// Beside a ticket there is its payment, and beside a payment its ticket.
		other := payments[0]
		if variants[0].RecordKind() == record.KindPayment {
			other = tickets[0]
		}
		for i, first := range variants {
			for j, second := range variants {
				got := foldtest.Fold(foldtest.Complete, append(around[:len(around):len(around)], other, first, second)...)
				want := foldtest.Fold(foldtest.Complete, append(around[:len(around):len(around)], other, second)...)
				got.Position = want.Position
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("%s %d corrected to %d:\n%s\nwant\n%s", second.RecordKind(), i, j, foldtest.Text(t, got), foldtest.Text(t, want))
				}
			}
		}
	}
}
