package marketing_test

import (
	"fmt"
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/marketing"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// One house, with its marketing worked out by hand.
func TestMarketing(t *testing.T) {
	on := func(id, day string) *record.Event {
		return foldtest.Event(id, func(e *record.Event) { e.Date, e.StartsAt = "2026-11-"+day, foldtest.Clock(day+" 20:00") })
	}
	ticket := func(id, event, order, contact, sold string, more ...func(*record.Ticket)) *record.Ticket {
		return foldtest.Ticket(id, event, append([]func(*record.Ticket){func(r *record.Ticket) {
			r.OrderID, r.ContactID, r.SoldAt = order, contact, foldtest.Clock(sold)
		}}, more...)...)
	}
	by := func(channel, referral, code string) func(*record.Ticket) {
		return func(r *record.Ticket) { r.Channel, r.Referral, r.DiscountCode = channel, referral, code }
	}
	paid := func(id, order, method string, cents int64) *record.Payment {
		return foldtest.Payment(id, cents, func(p *record.Payment) { p.OrderID, p.Method = order, method })
	}
	records := []record.Record{
		on("a", "20"), on("b", "28"), on("late", "30"), foldtest.Event("trial", func(e *record.Event) { e.Test = true }),
		ticket("1", "a", "x", "mia", "01 10:00", by("web", "newsletter", "FRIEND")),
		ticket("2", "a", "x", "mia", "01 10:00", by("web", "newsletter", "")),
		ticket("3", "a", "y", "joost", "20 19:00", by("box_office", "", "")),
		ticket("4", "a", "", "", "19 10:00"),
		ticket("5", "b", "z", "mia", "14 10:00", by("web", "", "FRIEND")),
		ticket("6", "b", "z", "mia", "14 10:00", by("web", "", ""), func(r *record.Ticket) { r.Status, r.CancelledAt = record.TicketVoid, foldtest.Clock("27 10:00") }),
		ticket("7", "late", "w", "joost", "20 10:00", by("web", "poster", "LATE")),
		ticket("8", "trial", "v", "joost", "02 10:00"),
		paid("p1", "x", "ideal", 4000), paid("p2", "y", "cash", 2000), paid("p3", "z", "ideal", 4000),
		foldtest.Refund("r", "p3", 2000, "15 10:00", func(p *record.Payment) { p.Method = "ideal" }),
		&record.Contact{ID: "mia", OptIn: new(true)}, &record.Contact{ID: "joost", OptIn: new(false)}, &record.Contact{ID: "none"},
		&record.Contact{ID: "gone", OptIn: new(true), Deleted: true},
	}
	s := foldtest.Fold(foldtest.Complete, records...)
	m := marketing.Of(evening.At(s, foldtest.Clock("22 10:00")), "2026-11-20", "2026-11-28")
	parts := func(d figures.Dimension) (out string) {
		for _, p := range m.Parts[d] {
			out += fmt.Sprintf("%s %d %d; ", p.Name, p.Sold, p.Of(figures.Booked).In("EUR"))
		}
		return out
	}
	for _, c := range []struct{ name, got, want string }{
		{"performances", fmt.Sprint(m.Performances, m.Sold.Value), "2 5"},
		{"channels", parts(figures.ByChannel), "web 3 6000;  1 2000; box_office 1 2000; "},
		{"referral", parts(figures.ByReferral), " 3 6000; newsletter 2 4000; "},
		{"codes", parts(figures.ByCode), " 3 6000; FRIEND 2 4000; "},
		// The voided one was sold 14 days before and taken back on the day before: it is in no band.
		{"lead times", fmt.Sprint(m.LeadTimes), "[{0 1 1} {1 7 1} {7 30 3}]"},
		{"orders", fmt.Sprint(m.Orders, m.Ordered), "3 4"},
		{"buyers", fmt.Sprintf("%+v", m.Buyers), "{New:3 Returning:1 Anonymous:1}"},
		{"methods", fmt.Sprint(m.Methods, m.Received.Value), "[{cash [{2000 EUR}]} {ideal [{8000 EUR}]}] [{10000 EUR}]"},
		{"contacts", fmt.Sprintf("%+v %v", s.Contacts, s.Contacts.OptIn().Value), "{OptedIn:1 OptedOut:1 NotAsked:1} 0.5"},
		{"per order", fmt.Sprint(m.PerOrder().Value, m.PerOrder().Reasons), "1.3333333333333333 [no_order]"},
		{"reported", fmt.Sprint(m.Reported(figures.ByReferral), m.Reported(figures.ByCode)), "true true"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.name, c.got, c.want)
		}
	}
}

// What several performances come to together: of what planning expects only those count that it says something
// of, what was sold of the others is in no quotient, and a place without a time of sale is in the last band.
func TestMarketingOfSeveral(t *testing.T) {
	on := func(id, day string) *record.Event {
		return foldtest.Event(id, func(e *record.Event) { e.Date, e.StartsAt = "2026-11-"+day, foldtest.Clock(day+" 20:00") })
	}
	plan := func(event string, visitors int, marketing int64) record.Record {
		return &record.Planning{ID: "plan " + event, EventID: event, Kind: "show", Status: "confirmed", ExpectedVisitors: &visitors, BudgetMarketing: foldtest.Eur(marketing), UpdatedAt: foldtest.Clock("20 10:00")}
	}
	costs := func(cents int64, more ...func(*record.Ticket)) func(*record.Ticket) {
		return func(r *record.Ticket) {
			r.Price = foldtest.Eur(cents)
			for _, change := range more {
				change(r)
			}
		}
	}
	undated := func(r *record.Ticket) { r.SoldAt = foldtest.Clock("") }
	s := foldtest.Fold(foldtest.Complete, on("early", "19"), foldtest.Ticket("0", "early"), on("a", "20"), on("b", "21"), on("c", "22"), plan("a", 40, 1001), plan("b", 10, 500),
		foldtest.Ticket("1", "a", costs(2000)), foldtest.Ticket("2", "a", costs(2000)), foldtest.Ticket("3", "b", costs(1000, undated)), foldtest.Ticket("4", "c", costs(3000)))
	for _, c := range []struct{ to, want string }{
		{"2026-11-21", "sold 3, forecast 50, 0.06 of it, marketing [{1501 EUR}], estimated [{500 EUR}] marketing_budget a ticket, average estimated [{1667 EUR}] no_order, [{0 1 2} {-1 -1 1}]"},
		{"2026-11-22", "sold 4, forecast at least 50 not_planned, estimated 0.06 not_planned of it, marketing at least [{1501 EUR}] not_planned, estimated [{500 EUR}] not_planned marketing_budget a ticket, " +
			"average estimated [{2000 EUR}] no_order, [{0 1 2} {1 7 1} {-1 -1 1}]"},
	} {
		m := marketing.Of(foldtest.Evening(s, foldtest.Clock("23 12:00")), "2026-11-20", figures.Day(c.to))
		if got := fmt.Sprintf("sold %s, forecast %s, %s of it, marketing %s, %s a ticket, average %s, %v", foldtest.Say(m.Sold), foldtest.Say(m.Forecast), foldtest.Say(m.OfForecast()), foldtest.Say(m.Budget), foldtest.Say(m.CostPerTicket()), foldtest.Say(m.AveragePrice), m.LeadTimes); got != c.want {
			t.Errorf("to %s:\n%s, want\n%s", c.to, got, c.want)
		}
	}
}

// BenchmarkCodes publishes an event after one more sale with a code of its own, of which there were
// forty thousand.
func BenchmarkCodes(b *testing.B) {
	l := &foldtest.Versions{Ledger: ledger.New(figures.Calendar{})}
	l.Add(foldtest.Event("a"))
	n := 0
	sell := func() {
		n++
		l.Add(foldtest.Ticket(fmt.Sprint("t", n), "a", func(r *record.Ticket) { r.DiscountCode, r.SoldAt = fmt.Sprint("code", n), foldtest.Clock("01 10:00") }))
	}
	for range 40_000 {
		sell()
	}
	for b.Loop() {
		sell()
		l.Snapshot(figures.Position{}, foldtest.Complete)
	}
}
