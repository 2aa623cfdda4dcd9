package main

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
)

// A service whose turnstiles count people and not tickets, whose sales are lines with returns in them, which says itself
// how many places are reserved, and which has a performance without a date: the figures are those of the books.
func TestTurnstilesReturnsAndReservations(t *testing.T) {
	inForeignHouse(t, func(h *foreignHouse) {
		shows := []object{
			{"nr": 1, "name": "Gala", "day": "24-03-2000", "seats": 200, "held": 7},
			{"nr": 2, "name": "To be announced", "day": nil, "seats": 80, "held": 0},
			{"nr": 3, "name": "Open day", "day": "25-03-2000", "seats": 90, "held": 0},
		}
		lines := []object{
			{"line": 11, "show": 1, "type": "A", "count": 6, "each": "1.020,50", "at": "24-03-2000 10:00"},
			{"line": 12, "show": 1, "type": "B", "count": 4, "each": "10,00", "at": "24-03-2000 10:05"},
			{"line": 13, "show": 2, "type": "A", "count": 3, "each": "5,00", "at": "24-03-2000 10:05"},
		}
		gates := []object{}
		rows := func(all *[]object) func(url.Values) any {
			return func(url.Values) any { return append([]object{}, *all...) }
		}
		h.serve("/shows", rows(&shows))
		h.serve("/lines", rows(&lines))
		h.serve("/gates", rows(&gates))
		h.read(`
name: house
money: {unit: major, currency: EUR, decimal: comma}
time: {zone: UTC, formats: ["02-01-2006 15:04", "02-01-2006"]}
streams:
  - name: shows
    path: shows
    paging: {style: bare}
    gives: [event]
    row_id: nr
    records: '{id: .nr, title: .name, date: .day, capacity: .seats, reserved: .held}'
  - name: lines
    path: lines
    paging: {style: bare}
    gives: [ticket]
    row_id: line
    records: '{id: .line, event_id: .show, type: {id: .type, name: .type}, quantity: .count, price: .each, status: "valid", sold_at: .at}'
  - name: gates
    path: gates
    paging: {style: bare}
    gives: [scan]
    row_id: nr
    records: '{id: .nr, event_id: .show, at, direction: .way, gate: .gate}'
`)
		is := func(id, what, want string) {
			t.Helper()
			e := h.event(id)
			got := counts(e.Sold, e.Reserved, e.Attendance, e.PresentNow) + ", " + sums(e.Revenue.Of(figures.Booked))
			if got != want {
				t.Errorf("%s %s: %s, want %s", id, what, got, want)
			}
		}
		is("1", "at first", "10, 7, 0, 0, 616300 EUR")
		is("2", "without a date", "3, 0, 0, 0, 1500 EUR")
		if e := h.event("2"); e.Date != "" || e.Event.Title != "To be announced" {
			t.Errorf("the one without a date is on %q", e.Date)
		}

		// Two are returned at 12:20, one at a time; nine come in, two of them leave.
		lines = append(lines, object{"line": 14, "show": 1, "type": "A", "count": -1, "each": "1.020,50", "at": "24-03-2000 12:20"},
			object{"line": 15, "show": 1, "type": "B", "count": -1, "each": "10,00", "at": "24-03-2000 12:20"})
		for n := range 9 {
			gates = append(gates, object{"nr": 100 + n, "show": 1, "at": "24-03-2000 12:25", "way": "in", "gate": "North"})
		}
		gates = append(gates, object{"nr": 200, "show": 1, "at": "24-03-2000 12:30", "way": "out", "gate": "North"},
			object{"nr": 201, "show": 1, "at": "24-03-2000 12:30", "way": "out", "gate": "South"})
		shows[0]["held"] = 5
		shows[1]["day"] = "26-03-2000"
		h.pass(2 * time.Hour)
		is("1", "after returns and arrivals", "8, 5, 9, 7, 513250 EUR")
		if e := h.event("1"); len(e.Gates) != 1 || e.Gates[0].Gate != "North" || e.Gates[0].Entries != 9 || len(e.ArrivalMinutes) != 1 {
			t.Errorf("gates %+v, arrivals %+v", e.Gates, e.ArrivalMinutes)
		}
		if e := h.event("2"); e.Date != figures.Day("2000-03-26") {
			t.Errorf("once it has a date: %q", e.Date)
		}
		// A line and a scan that were mistakes are taken out.
		lines, gates = lines[:len(lines)-1], gates[1:]
		h.pass(26 * time.Hour)
		is("1", "after the mistakes are gone", "9, 5, 8, 6, 514250 EUR")
	})
}

// sums returns amounts of money in minor units, with why they are not exact.
func sums(f figures.Figure[figures.Sums]) string {
	text := ""
	for _, m := range f.Value {
		text += fmt.Sprintf("%d %s ", m.Amount, m.Currency)
	}
	if f.Quality != figures.Exact {
		text += fmt.Sprint(f.Reasons)
	}
	return strings.TrimSpace(text)
}
