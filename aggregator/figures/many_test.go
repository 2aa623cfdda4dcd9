package figures_test

import (
	"fmt"
	"reflect"
	"testing"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// Events that are published side by side, in a ledger that had room for what was to come, are those that
// are published one after the other.
func TestManyEvents(t *testing.T) {
	var records []record.Record
	for n := range 2100 {
		id := fmt.Sprint("e", n)
		records = append(records, theEvent(id), theTicket(id, id, func(r *record.Ticket) { r.OrderID = id }),
			thePayment(id, 2000, func(r *record.Payment) { r.OrderID = id }))
	}
	one, all := figures.NewLedger(figures.Calendar{}), figures.NewLedger(figures.Calendar{})
	all.Expect(map[record.Kind]int{record.KindTicket: 2100, record.KindPayment: 2100})
	for i, v := range newLog(records...).versions {
		one.Apply(v)
		all.Apply(v)
		if i%900 == 0 {
			one.Snapshot(figures.Position{}, complete)
		}
	}
	got, want := all.Snapshot(figures.Position{}, complete), one.Snapshot(figures.Position{}, complete)
	if len(got.Events) != 2100 || !reflect.DeepEqual(got, want) {
		t.Errorf("%d events, and %d", len(got.Events), len(want.Events))
	}
}
