package evening_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// What is left by price area: by the capacity of ticket types, those of one name together, the dearest
// first; never more than can be sold in all, and nothing when nothing can.
func TestAreas(t *testing.T) {
	typed := func(change ...func(*record.Event)) *record.Event {
		return foldtest.Event("a", append([]func(*record.Event){func(r *record.Event) {
			r.TicketTypes = []record.TicketType{
				{ID: "c", Name: "Circle", Capacity: new(10), Price: foldtest.Eur(1500)}, {ID: "s", Name: "Stalls", Capacity: new(20), Price: foldtest.Eur(2500)},
				{ID: "s2", Name: "Stalls", Price: foldtest.Eur(2000)}, {ID: "f", Name: "Friends"}, {ID: "w", Capacity: new(2), Price: foldtest.Eur(2500)},
			}
		}}, change...)...)
	}
	all := func(r *record.Event) {
		r.TicketTypes = slices.DeleteFunc(r.TicketTypes, func(t record.TicketType) bool { return t.Capacity == nil })
		r.Capacity = new(32)
	}
	of := func(id, kind string, change ...func(*record.Ticket)) *record.Ticket {
		return foldtest.Ticket(id, "a", append([]func(*record.Ticket){func(r *record.Ticket) { r.Type = record.TypeRef{ID: kind, Name: "as sold"} }}, change...)...)
	}
	tickets := []record.Record{
		of("1", "s", func(r *record.Ticket) { r.Quantity = new(3) }), of("2", "s2"), of("3", "c"), of("4", "f"), of("5", "unheard of"),
		of("6", "s", func(r *record.Ticket) { r.Status = record.TicketVoid }), of("7", "c", func(r *record.Ticket) { r.Status = record.TicketReserved }),
		of("8", "s", func(r *record.Ticket) { r.Admits = new(false) }), of("9", "w", func(r *record.Ticket) { r.Quantity = new(3) }),
	}
	for _, c := range []struct {
		name  string
		event *record.Event
		want  string
	}{
		{"counted", typed(), "Stalls 0 to 16 of 20; w 0 to 0 of 2; Circle 0 to 8 of 10"},
		{"fewer in all", typed(func(r *record.Event) { r.Available = new(9) }), "Stalls 0 to 9 of 20; w 0 to 0 of 2; Circle 0 to 8 of 10"},
		{"fewer in all, which are of the areas", typed(all, func(r *record.Event) { r.Available = new(9) }), "Stalls 1 to 9 of 20; w 0 to 0 of 2; Circle 0 to 8 of 10"},
		{"and more than the areas have", typed(all, func(r *record.Event) { r.Capacity, r.Available = new(33), new(9) }), "Stalls 0 to 9 of 20; w 0 to 0 of 2; Circle 0 to 8 of 10"},
		{"sold out", typed(func(r *record.Event) { r.Available = new(0) }), ""},
		{"closed", typed(func(r *record.Event) { r.Status = record.EventSalesClosed }), ""},
		{"one area", typed(func(r *record.Event) { r.TicketTypes = r.TicketTypes[1:4] }), ""},
		{"no capacity", typed(func(r *record.Event) { r.TicketTypes = r.TicketTypes[2:4] }), ""},
	} {
		s := foldtest.Fold(foldtest.Complete, append([]record.Record{c.event}, tickets...)...)
		v := evening.At(s, foldtest.Clock("12:00"))
		var got []string
		for _, a := range v.AreasOnSale(v.Show(s.Events[0])) {
			got = append(got, fmt.Sprintf("%s %d to %d of %d", a.Name, a.Sure, a.Free.Value, a.Capacity.Value))
			if exact := a.Free.Quality == figures.Exact; exact != (a.Name == "w") || !exact && a.Free.Quality != figures.Estimated {
				t.Errorf("%s: %s is %+v", c.name, a.Name, a.Free)
			}
			x, ok := catalogue.Explain(v, figures.KeyFree, figures.Scope{Event: "a", Area: a.Name})
			formula := 0
			for _, term := range x.Terms {
				formula += term.Count * (1 - 2*int(term.Op))
			}
			if !ok || x.Count != a.Free.Value || len(x.Terms) > 0 && formula != x.Count || len(x.Terms) == 0 && a.Name == "Circle" {
				t.Errorf("%s: %s is explained by %+v", c.name, a.Name, x)
			}
		}
		if joined := strings.Join(got, "; "); joined != c.want {
			t.Errorf("%s: %s, want %s", c.name, joined, c.want)
		}
		for _, scope := range []figures.Scope{{Event: "a", Area: "Friends"}, {Event: "a", Area: "Stalls"}} {
			if _, ok := catalogue.Explain(v, figures.KeySold, scope); ok != strings.Contains(c.want, scope.Area) {
				t.Errorf("%s: sold in %s is explained: %v", c.name, scope.Area, ok)
			}
		}
		if _, ok := catalogue.Explain(v, figures.KeyBooked, figures.Scope{Event: "a", Area: "Stalls"}); ok {
			t.Errorf("%s: what an area booked is explained", c.name)
		}
	}
	log := foldtest.NewLog(append([]record.Record{typed()}, tickets...)...)
	s := foldtest.Ledger(figures.Calendar{}, log.Versions...).Snapshot(figures.Position{}, foldtest.Complete)
	for key, want := range map[figures.Key]string{figures.KeySold: "2 1", figures.KeyReserved: "", figures.KeyCapacity: "a"} {
		b := (&catalogue.History{Snapshot: s, Coverage: foldtest.Complete, Versions: log.Versions, Now: foldtest.Clock("12:00")}).Behind(key, figures.Scope{Event: "a", Area: "Stalls"})
		var ids []string
		for _, r := range b.Records {
			ids = append(ids, r.ID)
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("behind %s of the stalls: %s, want %s", key, got, want)
		}
	}
}

// Where no tickets are known, nothing is left by area, though the areas have capacities.
func TestAreasWithoutTickets(t *testing.T) {
	e := foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00", func(r *record.Event) {
		r.TicketTypes = []record.TicketType{{ID: "s", Name: "Stalls", Capacity: new(20)}, {ID: "c", Name: "Circle", Capacity: new(10)}}
		r.Available = new(9)
	})
	for areas, coverage := range map[int]ledger.Coverage{0: {EventsComplete: true}, 2: foldtest.Complete} {
		s := foldtest.Fold(coverage, e)
		v := evening.At(s, foldtest.Clock("12:00"))
		if got := v.AreasOnSale(v.Show(s.Events[0])); len(got) != areas {
			t.Errorf("%d areas, want %d: %+v", len(got), areas, got)
		}
	}
}
