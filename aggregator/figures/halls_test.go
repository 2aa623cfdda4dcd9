package figures_test

import (
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// Part of a house has its events, and nothing of the others: not their findings, not the
// house's sums.
func TestInHalls(t *testing.T) {
	l := ledger.New(figures.Calendar{Zone: time.UTC})
	sold := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	revision := int64(0)
	apply := func(r record.Record) {
		revision++
		l.Apply(record.Version{Revision: revision, Head: true, Record: r})
	}
	for _, hall := range []string{"Foyer", "Grote Zaal", ""} {
		apply(&record.Event{ID: "evt_" + hall, Hall: hall, Date: "2026-11-21", Capacity: new(1)})
		for _, id := range []string{"1", "2"} { // one more than there are places
			apply(&record.Ticket{ID: "tkt_" + hall + id, EventID: "evt_" + hall, OrderID: "ord_" + hall, Status: record.TicketValid,
				Price: &record.Money{Amount: 500, Currency: "EUR"}, SoldAt: sold, UpdatedAt: sold})
		}
	}
	whole := l.Snapshot(figures.Position{Epoch: "e", Revision: revision, Streams: 2}, ledger.Coverage{TicketsOffered: true, TicketsComplete: true})
	whole.AsOf, whole.Health = sold, figures.Health{Streams: []figures.StreamHealth{{Name: "tickets"}}}
	if len(whole.Events) != 3 || len(whole.Days) != 1 || len(whole.Diagnostics) == 0 || !whole.Total.Of(figures.Booked).Known() {
		t.Fatalf("the whole house: %d events, %d days, %d findings, total %+v", len(whole.Events), len(whole.Days), len(whole.Diagnostics), whole.Total)
	}
	part := whole.InHalls([]string{"Foyer"})
	if len(part.Events) != 1 || part.Events[0] != whole.Event("evt_Foyer") || part.Event("evt_Grote Zaal") != nil {
		t.Errorf("events %v, want the foyer's alone, as they are", part.Events)
	}
	if part.Total.Of(figures.Booked).Known() || part.Total.Net.Known() || part.Unattributed.Of(figures.Received).Known() {
		t.Errorf("total %+v, unattributed %+v, want them unknown", part.Total, part.Unattributed)
	}
	if len(part.Days)+len(part.UnattributedDays)+len(part.Diagnostics) > 0 || part.Strays != (figures.Strays{}) {
		t.Errorf("%d days, %d findings, strays %+v: these are the whole house's", len(part.Days), len(part.Diagnostics), part.Strays)
	}
	if part.Position != whole.Position || part.Calendar != whole.Calendar || !part.AsOf.Equal(sold) || len(part.Health.Streams) != 1 {
		t.Errorf("position %+v as of %s with %d streams: these are the same for all", part.Position, part.AsOf, len(part.Health.Streams))
	}
}
