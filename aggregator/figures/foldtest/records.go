package foldtest

import (
	"fmt"
	"strings"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// Clock returns a time of 20 November 2026, UTC; "19 10:00" is one of the day before.
func Clock(s string) time.Time {
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

func Eur(minor int64) *record.Money { return &record.Money{Amount: minor, Currency: "EUR"} }

// Event is on sale tonight.
func Event(id string, change ...func(*record.Event)) *record.Event {
	e := &record.Event{ID: id, Title: id, Date: "2026-11-20", StartsAt: Clock("20:00"), Status: record.EventOnSale}
	for _, f := range change {
		f(e)
	}
	return e
}

// Ticket returns a valid place for 20 euros, sold at 10 o'clock.
func Ticket(id, event string, change ...func(*record.Ticket)) *record.Ticket {
	t := &record.Ticket{ID: id, EventID: event, Status: record.TicketValid, Price: Eur(2000), SoldAt: Clock("10:00")}
	for _, f := range change {
		f(t)
	}
	return t
}

// Payment returns a payment that settled at 10 o'clock.
func Payment(id string, amount int64, change ...func(*record.Payment)) *record.Payment {
	p := &record.Payment{ID: id, Amount: *Eur(amount), Status: record.PaymentPaid, PaidAt: Clock("10:00")}
	for _, f := range change {
		f(p)
	}
	return p
}

func Refund(id, parent string, amount int64, at string, change ...func(*record.Payment)) *record.Payment {
	return Payment(id, amount, append([]func(*record.Payment){func(p *record.Payment) {
		p.Kind, p.ParentID, p.PaidAt = record.KindOfRefund, parent, Clock(at)
	}}, change...)...)
}

func Fold(c ledger.Coverage, records ...record.Record) *figures.Snapshot {
	return Ledger(figures.Calendar{}, NewLog(records...).Versions...).Snapshot(figures.Position{Epoch: "test", Revision: int64(len(records))}, c)
}

// Money returns everything about revenue in one line, by event and in total: booked,
// received, refunded, chargebacks, net and pending in that order where not empty.
func Money(s *figures.Snapshot) string {
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

// Movements returns what moved on which day.
func Movements(days []*figures.DayFigures) string {
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

// Set returns a setting; below 0 it is taken back.
func Set(name record.SettingName, of, from string, value int64, at string) *record.Setting {
	s := &record.Setting{Name: name, Of: of, From: from, At: Clock(at), By: "Mia"}
	if value >= 0 {
		s.Value = &value
	}
	return s
}

// SellAt sells one place for 20 euros, and takes 15 euros for it, at each time.
func SellAt(event string, times ...time.Time) []record.Record {
	var records []record.Record
	for i, at := range times {
		records = append(records,
			Ticket(fmt.Sprint(event, "t", i), event, func(t *record.Ticket) { t.SoldAt = at }),
			Payment(fmt.Sprint(event, "p", i), 1500, func(p *record.Payment) { p.PaidAt, p.EventID = at, event }))
	}
	return records
}
