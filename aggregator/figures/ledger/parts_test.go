package ledger_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// Many parts, each published after the sale that changed it, are those of all sales published at once,
// before and after ticket types are called something else and payments tell what is unpaid; and what
// was published stays.
func TestManyParts(t *testing.T) {
	var records []record.Record
	typed := func(names ...string) *record.Event {
		return foldtest.Event("a", func(r *record.Event) {
			for i, name := range names {
				r.TicketTypes = append(r.TicketTypes, record.TicketType{ID: fmt.Sprint("type", i), Name: name})
			}
			r.UpdatedAt = foldtest.Clock("09:00").Add(time.Duration(len(records)) * time.Second)
		})
	}
	records = append(records, typed("Stalls", "Circle"))
	for n := range 150 {
		records = append(records, foldtest.Ticket(fmt.Sprint(n), "a", func(r *record.Ticket) {
			r.DiscountCode, r.OrderID = fmt.Sprint("code", n%100), fmt.Sprint(n)
			r.Type = record.TypeRef{ID: fmt.Sprint("type", n%70), Name: fmt.Sprint("as sold ", n%70)}
			r.Complimentary = n%7 == 0
		}))
		if n%3 == 0 {
			records = append(records, foldtest.Payment(fmt.Sprint("p", n), 2000, func(r *record.Payment) { r.OrderID = fmt.Sprint(n) }))
		}
	}
	records = append(records, typed("Stalls", "Balcony"), foldtest.Ticket("0", "a", func(r *record.Ticket) { r.Status, r.UpdatedAt = record.TicketVoid, foldtest.Clock("23:00") }),
		typed("Stalls", "Balcony", "Stalls"))
	for i := 3; i < 70; i++ { // one name, of which the types are in several spans
		e := *records[len(records)-1].(*record.Event)
		e.TicketTypes = append(e.TicketTypes[:i:i], record.TicketType{ID: fmt.Sprint("type", i), Name: "Stalls"})
		e.UpdatedAt = e.UpdatedAt.Add(time.Second)
		records = append(records, &e)
	}
	log := foldtest.NewLog(records...)
	step := foldtest.Ledger(figures.Calendar{})
	partsOf := func(s *figures.Snapshot) (all [4][]figures.PartFigures) {
		for d, p := range s.Events[0].Parts {
			all[d] = p.All()
		}
		return all
	}
	before, after := foldtest.Complete, foldtest.Complete
	before.PaymentsComplete, before.PaymentsOffered = false, false
	var published []*figures.Snapshot
	var were []string
	for i, v := range log.Versions {
		step.Apply(v)
		for _, c := range []ledger.Coverage{after, before, after} {
			if i%40 != 0 && c.PaymentsOffered != after.PaymentsOffered {
				continue
			}
			s := step.Snapshot(figures.Position{}, c)
			if i%40 == 0 || i > len(log.Versions)-3 {
				want := foldtest.Ledger(figures.Calendar{}, log.Versions[:i+1]...).Snapshot(figures.Position{}, c)
				if got, want := partsOf(s), partsOf(want); !reflect.DeepEqual(got, want) {
					t.Fatalf("after %d: %v, want %v", i, got, want)
				}
				checkParts(t, s)
				published, were = append(published, s), append(were, foldtest.Text(t, partsOf(s)))
			}
		}
	}
	for i, s := range published {
		if now := foldtest.Text(t, partsOf(s)); now != were[i] {
			t.Fatalf("what was published was %s and is %s", were[i], now)
		}
	}
	all := partsOf(published[len(published)-1])
	if types := partLine(all[figures.ByTicketType]); types != "Stalls 146 41 [{250000 EUR}]; Balcony 3 1 [{6000 EUR}]" {
		t.Errorf("types: %s", types)
	}
	if codes := all[figures.ByCode]; len(codes) != 100 || codes[0].Sold < codes[99].Sold || codes[0].Name != "code1" {
		t.Errorf("%d codes, the first %+v", len(codes), codes[0])
	}
}
