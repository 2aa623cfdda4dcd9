package main

import (
	"fmt"
	"testing"
	"time"

	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// One ticket without a price, of 3 December, leaves every other day as it is: only what sums it is at least so much, and what
// it is compared with says between what it has changed.
func TestOneTicketWithoutAPrice(t *testing.T) {
	december := func(clock string) time.Time { return foldtest.Clock(clock).AddDate(0, 1, 0) }
	now := december("20 18:00")
	all := []record.Record{foldtest.Event("ball", func(e *record.Event) { e.Date, e.StartsAt = "2027-01-30", december("30 20:00").AddDate(0, 1, 0) })}
	for back := range 80 {
		all = append(all, foldtest.Ticket(fmt.Sprintf("day %02d", back), "ball", func(k *record.Ticket) {
			k.SoldAt, k.Quantity = december("20 11:00").AddDate(0, 0, -back), new(40-3*(back/7))
		}))
	}
	all = append(all, foldtest.Ticket("gap", "ball", func(k *record.Ticket) { k.SoldAt, k.Price = december("03 11:00"), nil }))
	h := newRecordService(t, now, all...)
	h.read()
	for _, c := range []struct{ period, booked, change string }{
		{"period=custom&from=2026-12-03&to=2026-12-03", "lower_bound", "These days, Thu 3 Dec ≥ €680.00 ≈ +9.7% to +12.9% on €620.00, Thu 26 Nov"},
		{"period=custom&from=2026-12-04&to=2026-12-04", "exact", "These days, Fri 4 Dec €680.00 +9.7% on €620.00, Fri 27 Nov"},
		{"period=custom&from=2026-12-10&to=2026-12-10", "exact", "These days, Thu 10 Dec €740.00 ≈ +5.7% to +8.8% on ≥ €680.00, Thu 3 Dec"},
		{"period=today", "exact", "Today, Sun 20 Dec €800.00 +8.1% on €740.00, Sun 13 Dec to 18:00"},
		{"period=yesterday", "exact", "Yesterday, Sat 19 Dec €800.00 +8.1% on €740.00, Sat 12 Dec"},
		{"period=week", "exact", "Week, Mon 14 Dec to Sun 20 Dec €5,600.00 +8.1% on €5,180.00, Mon 7 Dec to Sun 13 Dec to 18:00"},
		{"period=month", "lower_bound", "Month, Tue 1 Dec to Sun 20 Dec ≥ €14,860.00 ≈ +67.7% to +67.9% on €8,860.00, Tue 27 Oct to Sun 15 Nov to 18:00"},
		{"period=season", "lower_bound", "Season, Tue 1 Sep to Sun 20 Dec ≥ €38,920.00"},
	} {
		for _, row := range h.table("/revenue/figures.csv?" + c.period) {
			if row["row"] == "total" && row["booked_quality"] != c.booked {
				t.Errorf("booked of %s is %s %s, want %s", c.period, row["booked_quality"], row["booked"], c.booked)
			}
		}
		// What is compared stands beside each period, whichever is chosen.
		wants(t, c.period, h.page("/revenue?"+c.period), c.change, "€800.00 +8.1%", "€5,600.00 +8.1%", "≥ €14,860.00 ≈ +67.7%")
	}
}

// What no amount is known of is no sum of at least nothing.
func TestNoPriceAtAll(t *testing.T) {
	unpriced := func(k *record.Ticket) { k.Price = nil }
	h := newRecordService(t, foldtest.Clock("18:00"), append(foldtest.Many(3, "t", "a", unpriced), foldtest.Tonight("a", "Main", "19:00", "20:00", "22:00"))...)
	h.read()
	for _, path := range []string{"/tonight", "/revenue", "/events/a", "/events/a?part=money", "/events"} {
		page := h.page(path)
		lacks(t, path, page, "≥ 0", "≥ €0", "≥ ,")
	}
}

// What pages say of what is rare, of one evening.
func TestRareThings(t *testing.T) {
	sold := func(order, at string) func(*record.Ticket) {
		return func(k *record.Ticket) {
			k.OrderID, k.Price, k.CreatedAt, k.SoldAt = order, foldtest.Eur(1000), foldtest.Clock(at), foldtest.Clock(at)
		}
	}
	exchanged := func(k *record.Ticket) {
		k.Status, k.SoldAt, k.CancelledAt = record.TicketVoid, foldtest.Clock("12:00"), foldtest.Clock("19:40")
	}
	entered := func(k *record.Ticket) { k.Scans[0].Gate = "B" }
	all := foldtest.Together(foldtest.ScannedOut("Foyer"), []record.Record{
		foldtest.Tonight("doors", "Zaal", "19:00", "20:00", "22:00"), foldtest.Tonight("again", "Foyer", "19:00", "20:00", "22:00"),
		foldtest.Tonight("off", "Zaal", "19:00", "20:00", "22:00", foldtest.Status(record.EventCancelled)),
		foldtest.Event("ahead", func(e *record.Event) { e.Capacity, e.Available, e.Blocked = new(10), new(3), new(0) }),
		foldtest.Tonight("hall a", "Grote Zaal", "19:00", "20:00", "22:00"), foldtest.Tonight("hall b", "Kleine Zaal", "19:00", "20:00", "22:00"),
		foldtest.Ticket("ahead now", "ahead"), foldtest.Ticket("ahead then", "ahead", func(k *record.Ticket) { k.SoldAt = foldtest.Clock("25 10:00") }),
		foldtest.Ticket("undated", "undated", func(k *record.Ticket) { k.SoldAt, k.Quantity = time.Time{}, new(3) }),
		foldtest.Event("undated", func(e *record.Event) { e.StartsAt, e.Date = foldtest.Clock("28 20:00"), "2026-11-28" }),
		foldtest.Ticket("undated too", "undated"),
		foldtest.Event("orders", func(e *record.Event) { e.StartsAt, e.Date = foldtest.Clock("27 20:00"), "2026-11-27" }),
		foldtest.Ticket("o1", "orders", sold("now", "11:00")), foldtest.Ticket("o2", "orders", sold("tonight", "21:00")), foldtest.Ticket("o3", "orders", sold("tomorrow", "21 09:00")),
		foldtest.Payment("p2", 1000, func(p *record.Payment) { p.OrderID, p.EventID, p.PaidAt = "tonight", "orders", foldtest.Clock("11:30") }),
		foldtest.Ticket("before", "hall a", foldtest.Passes("19:10"), exchanged),
		foldtest.Ticket("after", "hall b", foldtest.Passes("19:45"), entered, func(k *record.Ticket) { k.Replaces = "before" }),
	}, foldtest.Many(2, "d", "doors", foldtest.Passes("19:30", "19:32")), foldtest.Many(1, "g", "again", foldtest.Passes("19:30", "-19:40", "19:45")),
		foldtest.Many(2, "c", "off"))
	for _, r := range all { // only what has an order was sold today
		if k, ok := r.(*record.Ticket); ok && k.OrderID == "" && k.SoldAt.Equal(foldtest.Clock("10:00")) {
			k.SoldAt = foldtest.Clock("19 10:00")
		}
	}
	h := newRecordService(t, foldtest.Clock("20:30"), all...)
	h.read()
	for _, c := range []struct{ path, wants, lacks string }{
		{"/events/doors?part=arrivals", "2 of 2 visitors have come in; busiest", "again after they had left"},
		{"/events/again?part=arrivals", "1 of 1 visitors have come in, 1 of them again after they had left", ""},
		{"/events/off", "Cancelled · 2 places sold", "xpected"},
		{"/tonight", "2 sold, nothing can be sold — nobody is expected", ""},
		{"/reconcile", "ahead Fri 20 Nov 5 places too few 2 sold 0 reserved 0 blocked 3 left, as the service says 10 capacity", ""},
		{"/events/undated?part=sales", "Thu 19 Nov 1 1 €20.00 €20.00 of no known day 3 3 €60.00 —", ""},
		{"/revenue?period=today", "Booked to received 1 order open", ""},
		{"/revenue?period=today", "Booked ≈ €10.00 Not received − ≈ €10.00 Overpaid + ≈ €0.00 Orders or payments of other days + ≈ €10.00 Received, net = €10.00", ""},
		{"/tonight", "hall a Grote Zaal 0 sold · the sale is over ≤ 0 inside of 0", ""},
		{"/tonight", "hall b Kleine Zaal 1 sold · the sale is over ≤ 1 inside of 1", ""},
		{"/tonight", "In the building ≥ 4", ""}, // two, one and the one who was moved
	} {
		page := h.page(c.path)
		wants(t, c.path, page, c.wants)
		if c.lacks != "" {
			lacks(t, c.path, page, c.lacks)
		}
	}
	for event, want := range map[string]string{"off": "exact 0", "doors": "exact 2"} {
		if got := h.figure(event, "expected"); got != want {
			t.Errorf("%s: expected is %s, want %s", event, got, want)
		}
	}
}

// A sum over all days is exact though nobody knows when something happened; the sum of a day that it may be of is not.
func TestUnknownTimeOfARefund(t *testing.T) {
	h := newRecordService(t, foldtest.Clock("18:00"), foldtest.Tonight("play", "Main", "19:00", "20:00", "22:00"),
		foldtest.Ticket("t", "play", func(k *record.Ticket) { k.OrderID, k.SoldAt = "o", foldtest.Clock("10 10:00") }),
		foldtest.Ticket("void", "play", func(k *record.Ticket) {
			k.OrderID, k.SoldAt, k.Status = "o", foldtest.Clock("10 10:00"), record.TicketRefunded
		}),
		foldtest.Payment("p", 4000, func(p *record.Payment) {
			p.OrderID, p.PaidAt, p.AmountRefunded = "o", foldtest.Clock("10 10:00"), foldtest.Eur(2000)
		}))
	h.read()
	for key, want := range map[string]string{"booked": "exact", "received": "exact", "refunded": "exact", "net": "exact", "average_price": "exact"} {
		if got := h.figure("play", key); got[:min(len(got), 5)] != want {
			t.Errorf("%s of the performance is %s", key, got)
		}
	}
	lacks(t, "its money", h.page("/events/play?part=money"), "≈ €20.00", "≈ −€20.00", "≈ €40.00")
	wants(t, "its money", h.page("/events/play"), "Booked in all €20.00")
	wants(t, "the day on which it was seen", h.page("/revenue?period=custom&from=2026-11-19&to=2026-11-20"), "≈ −€20.00")
}
