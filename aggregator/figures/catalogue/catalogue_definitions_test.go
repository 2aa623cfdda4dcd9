package catalogue_test

import (
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// Each definition of money and places by a record that two readings of it would count apart.
func TestDefinitions(t *testing.T) {
	updated := func(r record.Record) record.Record {
		switch r := r.(type) {
		case *record.Ticket:
			r.UpdatedAt = foldtest.Clock("24 10:00")
		case *record.Payment:
			r.UpdatedAt = foldtest.Clock("24 10:00")
		}
		return r
	}
	refund := func(id, at string) record.Record { return foldtest.Refund(id, "p", 800, at) }
	days := func(s *figures.Snapshot) string { return foldtest.Movements(s.Days) }
	for _, c := range []struct {
		name    string
		records []record.Record
		got     func(*figures.Snapshot) string
		want    string
	}{
		{"received on the day it was paid, not created", []record.Record{updated(foldtest.Payment("p", 1000, func(p *record.Payment) {
			p.CreatedAt, p.PaidAt = foldtest.Clock("18 10:00"), foldtest.Clock("20 10:00")
		}))},
			days, "20 sold 0 booked 0 received 1000 refunded 0 charged back 0"},
		{"sold on the day it was sold, not created", []record.Record{updated(foldtest.Ticket("t", "a", func(t *record.Ticket) { t.CreatedAt, t.SoldAt = foldtest.Clock("18 10:00"), foldtest.Clock("20 10:00") }))},
			days, "20 sold 1 booked 2000 received 0 refunded 0 charged back 0"},
		{"void on the day it was cancelled, not updated", []record.Record{updated(foldtest.Ticket("t", "a", func(t *record.Ticket) {
			t.SoldAt, t.CancelledAt, t.Status = foldtest.Clock("18 10:00"), foldtest.Clock("20 10:00"), record.TicketVoid
		}))}, days, "18 sold 1 booked 2000 received 0 refunded 0 charged back 0; 20 sold -1 booked -2000 received 0 refunded 0 charged back 0"},
		{"authorized is not received", []record.Record{foldtest.Payment("p", 1000, func(p *record.Payment) { p.Status = record.PaymentAuthorized })}, foldtest.Money, ""},
		{"open is not received", []record.Record{foldtest.Payment("p", 1000, func(p *record.Payment) { p.Status = record.PaymentOpen })}, foldtest.Money, ""},
		{"the refund that came first is whole, the last is capped", []record.Record{foldtest.Payment("p", 1000), refund("a", "22 10:00"), refund("b", "21 10:00")}, days,
			"20 sold 0 booked 0 received 1000 refunded 0 charged back 0; 21 sold 0 booked 0 received 0 refunded 800 charged back 0; 22 sold 0 booked 0 received 0 refunded 200 charged back 0"},
		{"a pending refund is shown and not taken off", []record.Record{foldtest.Payment("p", 1000), foldtest.Refund("r", "p", 300, "21 10:00", func(p *record.Payment) { p.Status = record.PaymentPending })}, foldtest.Money,
			"unattributed: received 1000, net 1000, pending 300; total: received 1000, net 1000, pending 300"},
		{"occupancy is of all places, blocked ones too", []record.Record{foldtest.Event("a", func(e *record.Event) { e.Capacity, e.Blocked = new(10), new(5) }), foldtest.Ticket("t", "a")},
			func(s *figures.Snapshot) string { return foldtest.Say(s.Event("a").Occupancy()) }, "0.1"},
		{"net is received less refunded and charged back", []record.Record{foldtest.Payment("p", 1000), foldtest.Refund("r", "p", 300, "21 10:00"), foldtest.Refund("c", "p", 100, "21 10:00", func(p *record.Payment) { p.Kind = record.KindOfChargeback })}, foldtest.Money,
			"unattributed: received 1000, refunded 300, chargebacks 100, net 600; total: received 1000, refunded 300, chargebacks 100, net 600"},
	} {
		if got := c.got(foldtest.Fold(foldtest.Complete, c.records...)); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// What was booked today for a performance is as certain as for the house: a sale without a time may be of today, though the sum
// over all days is exact, and a price that another day lacks says nothing of today.
func TestBookedTodayIsOfADay(t *testing.T) {
	today := foldtest.Ticket("t", "a")
	for _, c := range []struct {
		name  string
		other *record.Ticket
		want  figures.Quality
	}{
		{"nothing else", foldtest.Ticket("u", "a"), figures.Exact},
		{"sold without a time", foldtest.Ticket("u", "a", func(k *record.Ticket) { k.SoldAt = foldtest.Clock("") }), figures.Estimated},
		{"without a price, another day", foldtest.Ticket("u", "a", func(k *record.Ticket) { k.SoldAt, k.Price = foldtest.Clock("18 10:00"), nil }), figures.Exact},
	} {
		v := foldtest.Evening(foldtest.Fold(foldtest.Complete, foldtest.Event("a"), today, c.other), foldtest.Clock("18:00"))
		d := catalogue.Define(figures.KeyBookedToday)
		for name, got := range map[string]figures.Value{"the performance": d.OfShow(foldtest.ShowOf(t, v, "a")), "the house": d.OfEvening(v)} {
			if got.Quality != c.want {
				t.Errorf("%s: booked today of %s is %+v, want quality %v", c.name, name, got, c.want)
			}
		}
	}
}

// While tickets are read for the first time, what was booked today is no bound: the next ticket may have been cancelled today.
// What was booked over all days is one.
func TestBookedTodayIsNoBoundInAFirstRead(t *testing.T) {
	reading := foldtest.Complete
	reading.TicketsComplete = false
	v := foldtest.Evening(foldtest.Fold(reading, foldtest.Event("a"), foldtest.Ticket("t", "a")), foldtest.Clock("18:00"))
	s, today := foldtest.ShowOf(t, v, "a"), v.Period(v.Today, v.Today, time.Time{}, v.Now)
	for _, key := range []figures.Key{figures.KeyBookedToday, figures.KeySoldToday} {
		for name, got := range map[string]figures.Value{"the performance": catalogue.Define(key).OfShow(s), "the house": catalogue.Define(key).OfEvening(v)} {
			if got.Quality != figures.Estimated {
				t.Errorf("%s of %s is %+v, want ≈", key, name, got)
			}
		}
	}
	if got := catalogue.Define(figures.KeyBooked).OfPeriod(v, &today); got.Quality != figures.Estimated {
		t.Errorf("booked in the period of today is %+v, want ≈", got)
	}
	if got := catalogue.Define(figures.KeyBooked).OfShow(s); got.Quality != figures.LowerBound {
		t.Errorf("booked of the performance is %+v, want ≥", got)
	}
}
