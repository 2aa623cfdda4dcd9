package main

import (
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// untimed is a performance of which only the date is known.
func untimed(e *record.Event) {
	e.StartsAt, e.Hall, e.Capacity = time.Time{}, "Yard", new(100)
}

// A performance of which only the date is known has visitors all the same: it is on Tonight, last and without a time, with who
// is inside, and nothing is said of it that needs a start. Its people leave with its day.
func TestPerformanceWithoutATime(t *testing.T) {
	h := newRecordService(t, foldtest.Clock("10:30"), foldtest.Together(
		[]record.Record{foldtest.Tonight("play", "Main", "19:00", "20:00", "22:00"), foldtest.Event("fair", untimed)},
		foldtest.Many(60, "f", "fair", foldtest.Passes()), foldtest.Many(5, "p", "play", foldtest.Passes()))...)
	h.read()
	page := h.page("/tonight")
	wants(t, "before anybody came", page, "— time not known fair Yard", "60 sold today")
	lacks(t, "before anybody came", page, "In the building")
	lacks(t, "before anybody came", h.page("/events/fair"), "?part=arrivals", "OverviewSalesArrivals")

	h.at(foldtest.Clock("14:00"), foldtest.Come(40, "f", "fair", "North", "11:00", 2)...)
	for _, c := range []struct{ path, wants string }{
		{"/tonight", "In the building ≤ 40"},
		{"/tonight", "20:00 doors 19:00 play Main"},
		{"/tonight", "— time not known fair Yard ≈ 40 free 60.0% sold, 60 of 100 ≤ 40 inside of 60 · 20 to come"},
		{"/events/fair", "OverviewSalesArrivalsMoneyAll figures Inside ≤ 40 of 60 expected Still to come 20"},
		{"/events/fair?part=arrivals", "40 of 60 visitors have come in; busiest at 11:00 with 2 in a minute"},
		{"/events/fair", "Gates since 11:00 North 40 came in"},
		{"/events/fair?part=all", "Inside ≤ 40 of 60 expected"},
		{"/events", "fair"},
		{"/wall", "fair Yard · ≈ 40 free · ≤ 40 inside"},
	} {
		page := h.page(c.path)
		wants(t, c.path, page, c.wants)
		lacks(t, c.path, page, "on time", "Rush", "Most come", "than usual", " 01:00", " 00:00", "curtain")
	}
	for event, want := range map[string]string{"": "at_most 40", "fair": "at_most 40"} {
		if got := h.figure(event, "inside"); got != want {
			t.Errorf("inside of %q is %s, want %s", event, got, want)
		}
	}
	if play, fair := strings.Index(h.page("/tonight"), "play Main"), strings.Index(h.page("/tonight"), "fair Yard"); play > fair {
		t.Error("what has no time is before what has one")
	}

	h.at(foldtest.Clock("21 00:30"))
	page = h.page("/tonight")
	wants(t, "the day after", page, "fair", "40 came")
	if got := h.figure("", "inside"); got != "exact 0" {
		t.Errorf("after its day %s are inside", got)
	}
}

// People who are scanned today for an event without a date are in the building; those of other days are not.
func TestEventWithoutADate(t *testing.T) {
	h := newRecordService(t, foldtest.Clock("14:00"), foldtest.Together(
		[]record.Record{foldtest.Event("museum", untimed, func(e *record.Event) { e.Date, e.Undated = "", true }),
			foldtest.Tonight("play", "Main", "19:00", "20:00", "22:00", func(e *record.Event) { e.Capacity = new(100) })},
		foldtest.Many(60, "p", "play", foldtest.Passes()), foldtest.Many(3, "y", "museum", foldtest.Passes("19 11:00")), foldtest.Many(30, "m", "museum", foldtest.Passes()))...)
	h.read()
	lacks(t, "before anybody came", h.page("/tonight"), "museum", "In the building")
	h.at(foldtest.Clock("15:00"), foldtest.Come(12, "m", "museum", "North", "14:30", 2)...)
	page := h.page("/tonight")
	wants(t, "once they came", page, "In the building ≤ 12", "museum Yard", "≤ 12 inside of 33")
	for figure, want := range map[string]string{"sold": "exact 60", "capacity": "exact 100", "expected": "exact 60"} { // those with a pass come on any day
		if got := h.figure("", figure); got != want {
			t.Errorf("%s of the evening is %s, want %s", figure, got, want)
		}
	}
	wants(t, "its page", h.page("/events/museum"), "museum — · time not known · Yard", "OverviewSalesArrivals", "Inside ≤ 12", "Gates since 14:30")
	h.at(foldtest.Clock("21 10:00"))
	lacks(t, "the day after", h.page("/tonight"), "museum", "In the building")
}

// Hostile records of one evening, each of which a page could mistake.
func TestHostileEvening(t *testing.T) {
	at := foldtest.Clock
	h := newRecordService(t, at("19:40"), foldtest.Together([]record.Record{
		foldtest.Tonight("moved", "Main", "19:00", "20:00", "22:00"),
		foldtest.Tonight("small", "Small", "19:00", "20:00", "22:00", func(e *record.Event) { e.Capacity = new(10) }),
		foldtest.Tonight("odd", "Odd", "19:00", "20:00", "22:00", func(e *record.Event) { e.CreatedAt = at("19 10:00") }),
		foldtest.Ticket("early", "odd", func(k *record.Ticket) { k.SoldAt = at("12 10:00") }), // before the event was created
		foldtest.Ticket("minus", "odd", func(k *record.Ticket) { k.Price = foldtest.Eur(-500) }),
		foldtest.Ticket("none", "odd", func(k *record.Ticket) { k.Quantity = new(0) }),
		foldtest.Ticket("ahead", "odd", foldtest.Passes("20:40")), // an hour ahead of the clock
		foldtest.Ticket("two doors", "odd", foldtest.Passes("19:10", "19:20")),
		foldtest.Payment("p", 1000, func(p *record.Payment) { p.EventID = "odd" }), foldtest.Refund("r", "p", 2500, "12:00"),
	}, foldtest.Come(30, "m", "moved", "A", "19:10", 2), foldtest.Many(8, "s", "small"))...)
	h.read()
	agree := func(clock, inside string, texts map[string]string) {
		t.Helper()
		if got := h.figure("", "inside"); got != inside {
			t.Errorf("%s: %s inside, want %s", clock, got, inside)
		}
		for path, want := range texts {
			wants(t, clock+" "+path, h.page(path), want)
		}
	}
	// Booked today: 30, 8 and 2 places of €20; the third of odd was sold on another day, and one was refused.
	for event, want := range map[string]string{"moved": "exact 600.00", "small": "exact 160.00", "odd": "lower_bound 40.00", "": "lower_bound 800.00"} {
		if got := h.figure(event, "booked_today"); got != want {
			t.Errorf("booked today of %q is %s, want %s", event, got, want)
		}
	}
	for _, row := range h.table("/revenue/figures.csv?period=today") {
		if row["row"] == "total" && (row["booked"] != "800.00" || row["booked_quality"] != "lower_bound") {
			t.Errorf("Revenue has %s %s", row["booked_quality"], row["booked"])
		}
	}
	agree("19:40", "lower_bound 32", map[string]string{
		"/tonight": "Booked today ≥ €800.00", "/revenue?period=today": "≥ €800.00 €10.00 against €0.00", "/wall": "≥ 32 in the building",
		"/events/odd": "Inside ≈ 2 of ≥ 3 expected", "/events/odd?part=money": "Received, net €0.00 €10.00 refunded", "/events/moved": "Inside ≤ 30 of 30 expected",
	})
	wants(t, "findings", h.page("/tonight"), "refunded more than was paid, by €15.00", "ticket minus How many 1 price is −500 minor units")

	// The start is put off by an hour with people inside, who stay inside; a hall is made smaller than what is sold.
	h.at(at("19:50"), foldtest.Tonight("moved", "Main", "20:00", "21:00", "23:00"), foldtest.Tonight("small", "Small", "19:00", "20:00", "22:00", func(e *record.Event) { e.Capacity = new(5) }))
	agree("19:50", "lower_bound 32", map[string]string{
		"/tonight": "≤ 30 inside of 30", "/events/moved": "OverviewSalesArrivalsMoneyAll figures Inside ≤ 30 of 30 expected", "/wall": "moved 21:00 Main · ≤ 30 inside",
		"/events/small": "3 without a seat. 8 sold of 5.", "/events": "doors open",
	})

	wants(t, "19:50, its gates", h.page("/events/moved"), "Gates since 19:10", "30 came in")

	// And then moved to an hour before: it runs.
	h.at(at("19:55"), foldtest.Tonight("moved", "Main", "18:00", "19:00", "21:00"))
	agree("19:55", "lower_bound 32", map[string]string{"/tonight": "19:00 running, ends 21:00 moved Main 30 sold", "/events/moved": "Inside ≤ 30 of 30 expected · 0 did not come"})
}
