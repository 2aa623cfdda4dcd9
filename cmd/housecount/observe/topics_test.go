package observe

import (
	"fmt"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/web"
	"housecount/web/webtest"
)

// A past night that is gone wakes the pages that are made from it: it was in the snapshot before, and is not in this one.
func TestPastNightThatIsGoneWakes(t *testing.T) {
	house := func(nights int) *figures.Snapshot {
		h := webtest.NewHouse()
		h.Event("evt_next", "Morgen", "Zaal", "19:15", "20:15", 100, webtest.OnDay(1))
		for i := range nights {
			e := h.Event(fmt.Sprint("evt_", i), fmt.Sprint("Avond ", i), "Zaal", "19:15", "20:15", 100, webtest.OnDay(-10-i))
			h.Sell(e, webtest.Sale{From: e.StartsAt.AddDate(0, 0, -9), To: e.DoorsAt, Paid: 20, Scans: true, In: []webtest.GateIn{{Gate: "A", N: 15, From: e.DoorsAt, To: e.StartsAt}}})
		}
		return h.Snapshot()
	}
	var woken []string
	shown := house(6)
	topics := &Topics{Snapshot: func() *figures.Snapshot { return shown }, Now: func() time.Time { return webtest.ShowTime }, Wake: func(subjects ...string) { woken = subjects }}
	topics.Published(figures.Changes{})
	shown = house(5)
	topics.Published(figures.Changes{Events: []string{"evt_5"}})
	if q := webtest.EventView("evt_next").As(web.Manager); !webtest.Wakes(q, woken) {
		t.Errorf("only %q are woken", woken)
	}
}
