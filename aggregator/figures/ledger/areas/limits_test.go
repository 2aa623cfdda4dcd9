package areas_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// limited is a limit of some ticket types; below 0 there is no number.
func limited(id string, capacity, available int, types ...string) *record.Planning {
	p := &record.Planning{ID: id, EventID: "e", Kind: record.PlanningLimit, Title: id, TicketTypes: types}
	if capacity >= 0 {
		p.Capacity = &capacity
	}
	if available >= 0 {
		p.Available = &available
	}
	return p
}

// What can be sold is the least sum of limits that together cover every type; it is exact where they are nested or apart.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name   string
		limits []record.Record
		want   string
	}{
		{"one", []record.Record{limited("hall", 100, 94, "a", "b")}, "100, 94 left"},
		{"a part of a hall", []record.Record{limited("hall", 100, 94, "a", "b"), limited("balcony", 30, 25, "b")}, "100, 94 left"},
		{"parts that are less than the hall", []record.Record{limited("hall", 100, 94, "a", "b"), limited("stalls", 50, 50, "a"), limited("balcony", 30, 25, "b")}, "80, 75 left"},
		{"apart", []record.Record{limited("stalls", 70, 60, "a"), limited("balcony", 30, 25, "b")}, "100, 85 left"},
		{"overlapping", []record.Record{limited("full price", 70, 60, "a", "b"), limited("members", 40, 30, "b", "c")}, "at most 110, at most 90 left"},
		{"any number of one", []record.Record{limited("hall", 100, 94, "a"), limited("online", -1, -1, "b")}, "unknown, unknown left"},
		{"any number, and a limit", []record.Record{limited("hall", 100, 94, "a", "b"), limited("online", -1, -1, "b")}, "100, 94 left"},
		{"nobody knows what is left", []record.Record{limited("hall", 100, -1, "a")}, "100, unknown left"},
		{"nothing that admits", []record.Record{limited("shirts", 500, 500)}, "unknown, unknown left"},
	} {
		records := append([]record.Record{foldtest.Event("e", func(e *record.Event) { e.Capacity, e.Available, e.TicketTypes = nil, nil, nil })}, c.limits...)
		say := func(f figures.Figure[int]) string {
			switch f.Quality {
			case figures.Exact:
				return fmt.Sprint(f.Value)
			case figures.Estimated:
				return fmt.Sprint("at most ", f.Value)
			}
			return "unknown"
		}
		e := foldtest.Fold(foldtest.Complete, records...).Event("e")
		if got := say(e.Capacity) + ", " + say(e.Available) + " left"; got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Of a limit is left what the service says, and not more than what was sold and reserved since leaves; areas that have a type in
// common share places.
func TestLimitsAreSold(t *testing.T) {
	ticket := func(id, of string, status record.TicketStatus) *record.Ticket {
		return foldtest.Ticket(id, "e", func(k *record.Ticket) { k.Type.ID, k.Status = of, status })
	}
	event := foldtest.Event("e", func(e *record.Event) { e.Capacity, e.Available, e.TicketTypes = nil, nil, nil })
	e := foldtest.Fold(foldtest.Complete, event,
		limited("hall", 100, 99, "a", "b"), limited("balcony", 30, 20, "b"), limited("foyer", 50, 50, "c"),
		ticket("1", "a", record.TicketValid), ticket("2", "b", record.TicketValid), ticket("3", "b", record.TicketReserved), ticket("4", "c", record.TicketReserved)).Event("e")
	got := fmt.Sprintf("%d free;", e.Available.Value)
	for _, a := range e.Areas {
		got += fmt.Sprintf(" %s: %d of %d, %d reserved, %d free, shared %v;", a.Name, a.Sold.Value, a.Capacity.Value, a.Reserved.Value, a.Free.Value, a.Shared)
	}
	if want := "146 free; balcony: 1 of 30, 1 reserved, 20 free, shared true; foyer: 0 of 50, 1 reserved, 49 free, shared false; hall: 2 of 100, 1 reserved, 97 free, shared true;"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// Random limits, tried one by one, in any order, with versions of before.
func TestLimitsRandom(t *testing.T) {
	d := rand.New(rand.NewPCG(7, 7))
	types := []string{"a", "b", "c", "d", "e", "f"}
	for range 300 {
		event := foldtest.Event("e", func(e *record.Event) { e.Capacity, e.Available, e.TicketTypes = nil, nil, nil })
		var all []*record.Planning
		records := []record.Record{event}
		for i := range 1 + d.IntN(6) {
			id := fmt.Sprint("limit ", i)
			before := limited(id, d.IntN(50), d.IntN(50), types[d.IntN(6)])
			p := limited(id, d.IntN(200), d.IntN(200))
			for _, of := range types {
				if d.IntN(2) == 0 {
					p.TicketTypes = append(p.TicketTypes, of)
				}
			}
			before.UpdatedAt, p.UpdatedAt = foldtest.Clock("10:00"), foldtest.Clock("11:00")
			all, records = append(all, p), append(records, before, p)
		}
		least, covers := -1, func(chosen int) (sum int, covers map[string]bool) {
			covers = map[string]bool{}
			for i, p := range all {
				if chosen&(1<<i) != 0 && len(p.TicketTypes) > 0 {
					sum += *p.Capacity
					for _, of := range p.TicketTypes {
						covers[of] = true
					}
				}
			}
			return sum, covers
		}
		_, every := covers(1<<len(all) - 1)
		for chosen := range 1 << len(all) {
			if sum, covers := covers(chosen); len(covers) == len(every) && (least < 0 || sum < least) {
				least = sum
			}
		}
		log := foldtest.NewLog(records...)
		reversed := slices.Clone(log.Versions)
		slices.Reverse(reversed)
		for _, versions := range [][]record.Version{log.Versions, reversed} {
			e := foldtest.Ledger(figures.Calendar{}, versions...).Snapshot(figures.Position{}, foldtest.Complete).Event("e")
			if known := len(every) > 0; e.Capacity.Known() != known || known && e.Capacity.Value != least {
				t.Fatalf("capacity %+v, want %d of %+v", e.Capacity, least, all)
			}
		}
	}
}
