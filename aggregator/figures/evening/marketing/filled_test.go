package marketing_test

import (
	"fmt"
	"testing"

	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/marketing"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// The best and the least filled are of those that are over; of one performance, or several that are alike, there is neither.
func TestBestAndLeastFilled(t *testing.T) {
	night := func(sold ...int) (all []*evening.Show) {
		var records []record.Record
		for i, n := range sold {
			id := fmt.Sprint("e", i)
			records = append(append(records, foldtest.Tonight(id, "Zaal", "10:00", "11:00", "12:00", func(e *record.Event) { e.Capacity = new(10) })), foldtest.Many(n, id, id)...)
		}
		records = append(records, foldtest.Tonight("later", "Zaal", "19:00", "20:00", "22:00", func(e *record.Event) { e.Capacity = new(10) }))
		return foldtest.At("18:00", records...).Shows
	}
	best, least, ok := marketing.BestAndLeastFilled(night(5, 8, 3, 8))
	if !ok || best.Event.ID != "e1" || least.Event.ID != "e2" {
		t.Errorf("%v, %v, %v", best, least, ok)
	}
	for _, sold := range [][]int{{}, {5}, {5, 5}} {
		if _, _, ok := marketing.BestAndLeastFilled(night(sold...)); ok {
			t.Errorf("%v have a best and a least", sold)
		}
	}
}
