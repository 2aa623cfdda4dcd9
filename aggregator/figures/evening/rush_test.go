package evening_test

import (
	"fmt"
	"testing"

	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// Who came to dinner long before is no part of the rush before the curtain.
func TestRushAfterADinner(t *testing.T) {
	course := func(event, day string) []record.Record {
		come := func(n int, from string, perMinute int) []record.Record {
			return foldtest.Come(n, event+from, event, "A", day+from, perMinute)
		}
		return foldtest.Together(come(120, "17:10", 12), come(50, "19:25", 5), come(280, "19:35", 14), come(32, "19:55", 16), come(16, "19:57", 8))
	}
	records := append([]record.Record{foldtest.Tonight("a", "Zaal", "17:00", "20:00", "22:00")}, course("a", "")...)
	for night := range 6 {
		id, day := fmt.Sprint("past", night), fmt.Sprintf("%02d ", 10+night)
		records = append(append(records, foldtest.Tonight(id, "Zaal", day+"17:00", day+"20:00", day+"22:00")), course(id, day)...)
	}
	for _, now := range []string{"18:30", "19:20", "19:36", "19:41", "19:52"} {
		v := foldtest.At(now, records...)
		a := v.Arrivals(foldtest.ShowOf(t, v, "a"))
		if now == "19:41" && a.RushFrom.IsZero() || !a.RushFrom.IsZero() && a.RushFrom.Before(foldtest.Clock("19:20")) {
			t.Errorf("%s: %d come from %s to %s", now, a.RushPeople, a.RushFrom.Format("15:04"), a.RushTo.Format("15:04"))
		}
	}
}
