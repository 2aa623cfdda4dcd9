package marketing_test

import (
	"fmt"
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/marketing"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// A shirt that was sold a year ago is no place: it does not turn the days of a sale into weeks.
func TestGoodsAreNoDaysOfSale(t *testing.T) {
	records := []record.Record{foldtest.Tonight("e", "Zaal", "19:00", "20:00", "22:00")}
	for i, day := range []string{"18 10:00", "19 10:00"} {
		records = append(records, foldtest.Ticket(fmt.Sprint("t", i), "e", func(r *record.Ticket) {
			r.SoldAt, r.Price, r.Channel = foldtest.Clock(day), foldtest.Eur(1000), "web"
		}))
	}
	records = append(records, foldtest.Ticket("shirt", "e", func(r *record.Ticket) {
		r.SoldAt, r.Price, r.Channel, r.Admits = foldtest.Clock("18 10:00").AddDate(-1, 0, 0), foldtest.Eur(2000), "web", new(false)
	}))
	m := marketing.Of(evening.At(foldtest.Fold(foldtest.Complete, records...), foldtest.Clock("18:00")), "2026-11-01", "2026-11-30")
	if n := len(m.Days.Buckets); n != 2 || m.Days.Buckets[0].From != figures.Day("2026-11-18") {
		t.Errorf("%d days of sale from %s, want 2 from the first place on", n, m.Days.Buckets[0].From)
	}
}
