package evening_test

import (
	"fmt"
	"testing"

	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// Who moves from hall to hall is one person in the house, whatever the tickets. A contact's tickets are not one person's.
func TestMovedFromHallToHall(t *testing.T) {
	scan := func(at, gate string) record.Scan {
		return record.Scan{At: foldtest.Clock(at), Gate: gate, Direction: record.Entry, Result: "ok"}
	}
	ticket := func(id, event string, places int, replaces string, scans ...record.Scan) *record.Ticket {
		return foldtest.Ticket(id, event, func(k *record.Ticket) {
			k.Quantity, k.Replaces, k.ContactID, k.Scans, k.UpdatedAt = &places, replaces, "con", append([]record.Scan{}, scans...), foldtest.Clock("19:00")
		})
	}
	void := func(k *record.Ticket) *record.Ticket {
		k.Status, k.SoldAt, k.CancelledAt = record.TicketVoid, foldtest.Clock("12:00"), foldtest.Clock("19:30")
		return k
	}
	moved := ticket("t", "b", 1, "", scan("19:10", "A"))
	moved.UpdatedAt = foldtest.Clock("19:30")
	first := func() *record.Ticket { return void(ticket("t", "a", 1, "", scan("19:10", "A"))) }
	for _, c := range []struct {
		name    string
		records []record.Record
		want    string // inside in all, in hall a and in hall b; came to both
	}{
		{"a day pass at the doors of both halls", []record.Record{ticket("t", "a", 1, "", scan("19:10", "A"), scan("19:40", "B"))}, "1 = 1 + 0, came 1 and 0"},
		{"a ticket moved to another performance", []record.Record{ticket("t", "a", 1, "", scan("19:10", "A")), moved}, "1 = 0 + 1, came 0 and 1"},
		{"exchanged, and scanned into both", []record.Record{first(), ticket("u", "b", 1, "t", scan("19:40", "B"))}, "1 = 0 + 1, came 1 and 1"},
		{"exchanged, and not yet scanned again", []record.Record{first(), ticket("u", "b", 1, "t")}, "1 = 1 + 0, came 1 and 0"},
		{"exchanged for another seat of the hall", []record.Record{first(), ticket("u", "a", 1, "t", scan("19:40", "A"))}, "1 = 1 + 0, came 2 and 0"},
		{"exchanged and left again", []record.Record{first(), ticket("u", "b", 1, "t", scan("19:40", "B"), record.Scan{At: foldtest.Clock("19:45"), Gate: "B", Direction: record.Exit, Result: "ok"})}, "0 = 0 + 0, came 1 and 1"},
		{"exchanged twice", []record.Record{first(), void(ticket("u", "a", 1, "t")), ticket("v", "b", 1, "u", scan("19:40", "B"))}, "1 = 0 + 1, came 1 and 1"},
		{"one of two", []record.Record{void(ticket("t", "a", 2, "", scan("19:10", "A"))), ticket("u", "b", 1, "t", scan("19:40", "B")), ticket("w", "a", 1, "t")}, "2 = 1 + 1, came 2 and 1"},
		{"one for three", []record.Record{first(), ticket("u", "b", 3, "t", scan("19:40", "B"))}, "3 = 0 + 3, came 1 and 3"},
		{"two tickets of a contact", []record.Record{ticket("t", "a", 1, "", scan("19:10", "A")), ticket("u", "b", 1, "", scan("19:40", "B"))}, "2 = 1 + 1, came 1 and 1"},
	} {
		house := []record.Record{foldtest.Tonight("a", "Grote Zaal", "19:00", "20:00", "22:00"), foldtest.Tonight("b", "Kleine Zaal", "19:00", "20:00", "22:00")}
		for _, order := range []bool{true, false} {
			all := append([]record.Record{}, house...)
			for i := range c.records {
				if !order && c.name != "a ticket moved to another performance" {
					i = len(c.records) - 1 - i
				}
				all = append(all, c.records[i])
			}
			v := foldtest.At("19:50", all...)
			a, b := foldtest.ShowOf(t, v, "a"), foldtest.ShowOf(t, v, "b")
			got := fmt.Sprintf("%d = %d + %d, came %d and %d", v.House.Inside.Value, a.Inside.Value, b.Inside.Value, a.Attendance.Value, b.Attendance.Value)
			if got != c.want {
				t.Errorf("%s: %s, want %s", c.name, got, c.want)
			}
		}
	}
}
