package figures_test

import (
	"testing"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// Each definition of money and places by a record that two readings of it would count apart.
func TestDefinitions(t *testing.T) {
	updated := func(r record.Record) record.Record {
		switch r := r.(type) {
		case *record.Ticket:
			r.UpdatedAt = clock("24 10:00")
		case *record.Payment:
			r.UpdatedAt = clock("24 10:00")
		}
		return r
	}
	refund := func(id, at string) record.Record { return theRefund(id, "p", 800, at) }
	days := func(s *figures.Snapshot) string { return movements(s.Days) }
	for _, c := range []struct {
		name    string
		records []record.Record
		got     func(*figures.Snapshot) string
		want    string
	}{
		{"received on the day it was paid, not created", []record.Record{updated(thePayment("p", 1000, func(p *record.Payment) { p.CreatedAt, p.PaidAt = clock("18 10:00"), clock("20 10:00") }))},
			days, "20 sold 0 booked 0 received 1000 refunded 0 charged back 0"},
		{"sold on the day it was sold, not created", []record.Record{updated(theTicket("t", "a", func(t *record.Ticket) { t.CreatedAt, t.SoldAt = clock("18 10:00"), clock("20 10:00") }))},
			days, "20 sold 1 booked 2000 received 0 refunded 0 charged back 0"},
		{"void on the day it was cancelled, not updated", []record.Record{updated(theTicket("t", "a", func(t *record.Ticket) {
			t.SoldAt, t.CancelledAt, t.Status = clock("18 10:00"), clock("20 10:00"), record.TicketVoid
		}))}, days, "18 sold 1 booked 2000 received 0 refunded 0 charged back 0; 20 sold -1 booked -2000 received 0 refunded 0 charged back 0"},
		{"authorized is not received", []record.Record{thePayment("p", 1000, func(p *record.Payment) { p.Status = record.PaymentAuthorized })}, money, ""},
		{"open is not received", []record.Record{thePayment("p", 1000, func(p *record.Payment) { p.Status = record.PaymentOpen })}, money, ""},
		{"the refund that came first is whole, the last is capped", []record.Record{thePayment("p", 1000), refund("a", "22 10:00"), refund("b", "21 10:00")}, days,
			"20 sold 0 booked 0 received 1000 refunded 0 charged back 0; 21 sold 0 booked 0 received 0 refunded 800 charged back 0; 22 sold 0 booked 0 received 0 refunded 200 charged back 0"},
		{"a pending refund is shown and not taken off", []record.Record{thePayment("p", 1000), theRefund("r", "p", 300, "21 10:00", func(p *record.Payment) { p.Status = record.PaymentPending })}, money,
			"unattributed: received 1000, net 1000, pending 300; total: received 1000, net 1000, pending 300"},
		{"occupancy is of all places, blocked ones too", []record.Record{theEvent("a", func(e *record.Event) { e.Capacity, e.Blocked = new(10), new(5) }), theTicket("t", "a")},
			func(s *figures.Snapshot) string { return say(s.Event("a").Occupancy()) }, "0.1"},
		{"net is received less refunded and charged back", []record.Record{thePayment("p", 1000), theRefund("r", "p", 300, "21 10:00"), theRefund("c", "p", 100, "21 10:00", func(p *record.Payment) { p.Kind = record.KindOfChargeback })}, money,
			"unattributed: received 1000, refunded 300, chargebacks 100, net 600; total: received 1000, refunded 300, chargebacks 100, net 600"},
	} {
		if got := c.got(fold(complete, c.records...)); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}
