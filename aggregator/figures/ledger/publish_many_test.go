package ledger_test

import (
	"fmt"
	"reflect"
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// Events that are published side by side, in a ledger that had room for what was to come, are those that
// are published one after the other.
func TestManyEvents(t *testing.T) {
	var records []record.Record
	for n := range 2100 {
		id := fmt.Sprint("e", n)
		records = append(records, foldtest.Event(id), foldtest.Ticket(id, id, func(r *record.Ticket) { r.OrderID = id }),
			foldtest.Payment(id, 2000, func(r *record.Payment) { r.OrderID = id }))
	}
	one, all := ledger.New(figures.Calendar{}), ledger.New(figures.Calendar{})
	all.Preallocate(map[record.Kind]int{record.KindTicket: 2100, record.KindPayment: 2100})
	for i, v := range foldtest.NewLog(records...).Versions {
		one.Apply(v)
		all.Apply(v)
		if i%900 == 0 {
			one.Snapshot(figures.Position{}, foldtest.Complete)
		}
	}
	got, want := all.Snapshot(figures.Position{}, foldtest.Complete), one.Snapshot(figures.Position{}, foldtest.Complete)
	if len(got.Events) != 2100 || !reflect.DeepEqual(got, want) {
		t.Errorf("%d events, and %d", len(got.Events), len(want.Events))
	}
}
