package observe

import (
	"fmt"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/web"
	"housecount/web/webtest"
)

// A performance that is gone was in the snapshot before, and is not in this one: the pages of others are woken at once where its people may
// still be in the building; what they show of older nights waits for the minute.
func TestNightThatIsGoneWakesWithItsPeople(t *testing.T) {
	for _, days := range []int{-1, -10} {
		house := func(nights int) *figures.Snapshot {
			h := webtest.NewHouse()
			h.Event("evt_next", "Morgen", "Zaal", "19:15", "20:15", 100, webtest.OnDay(1))
			for i := range nights {
				e := h.Event(fmt.Sprint("evt_", i), fmt.Sprint("Avond ", i), "Zaal", "19:15", "20:15", 100, webtest.OnDay(days-i))
				h.Sell(e, webtest.Sale{From: e.StartsAt.AddDate(0, 0, -9), To: e.DoorsAt, Paid: 20, Scans: true, In: []webtest.GateIn{{Gate: "A", N: 15, From: e.DoorsAt, To: e.StartsAt}}})
			}
			return h.Snapshot()
		}
		var woken []string
		shown := house(1)
		topics := &Topics{Snapshot: func() *figures.Snapshot { return shown }, Now: func() time.Time { return webtest.ShowTime }, Wake: func(subjects ...string) { woken = subjects }}
		topics.Published(figures.Changes{})
		shown, woken = house(0), nil
		topics.Published(figures.Changes{Events: []string{"evt_0"}})
		if q := webtest.EventView("evt_next").As(web.Manager); webtest.Wakes(q, woken) != (days == -1) {
			t.Errorf("%d days: %q are woken", days, woken)
		}
	}
}
