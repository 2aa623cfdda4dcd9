package poller_test

import (
	"fmt"
	"testing"
	"time"

	"housecount/aggregator/logtest"
)

// A list that ends before its own total has been cut off: what is missing is read at the next poll, also in a first read and
// in one with another mapping. A service whose total always counts more is believed after two polls.
func TestListsThatAreCutOff(t *testing.T) {
	t.Run("changes", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s, db := tonight(), logtest.New()
			h := run(t, s, db)
			pass(time.Minute)
			for i := range 10 {
				s.put(sale(fmt.Sprint("tkt_new", i), "evt_big"))
			}
			s.set(func() { s.mostChanged = 3 })
			pass(30 * time.Second)
			if db.State("tickets").Fault == "" {
				t.Error("an answer that was cut off is no fault")
			}
			s.set(func() { s.mostChanged = 0 })
			pass(2 * time.Minute)
			if got := say(h.Snapshot().Event("evt_big").Sold); got != "26" {
				t.Errorf("sold %q, want 26", got)
			}
			s.set(func() { s.mostChanged = 1 })
			s.put(sale("tkt_a", "evt_small"), sale("tkt_b", "evt_small"))
			pass(2 * time.Minute)
			s.put(sale("tkt_c", "evt_small"), sale("tkt_d", "evt_small"))
			pass(10 * time.Minute)
			if fault := db.State("tickets").Fault; fault != "" {
				t.Errorf("a total that always counts more is the fault %s", fault)
			}
		})
	})
	t.Run("first read", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s, db := tonight(), logtest.New()
			s.lists[1].ByEvent, s.most = false, 4
			h := run(t, s, db)
			if state := db.State("tickets"); state.Complete() {
				t.Error("a first read that was cut off is complete")
			}
			s.set(func() { s.most = 0 })
			pass(5 * time.Minute)
			if big, small := say(h.Snapshot().Event("evt_big").Sold), say(h.Snapshot().Event("evt_small").Sold); big != "6" || small != "6" {
				t.Errorf("sold %q and %q, want 6 and 6", big, small)
			}
		})
	})
	t.Run("another mapping", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s, db := tonight(), logtest.New()
			s.lists[1].ByEvent = false
			h := run(t, s, db)
			pass(time.Minute)
			if err := h.stop(); err != nil {
				t.Fatal(err)
			}
			s.lists[1].Mapping, s.most = "another", 4
			run(t, s, db)
			pass(5 * time.Minute)
			if !db.State("tickets").Rereading {
				t.Error("a list that was cut off counts as read anew")
			}
			s.set(func() { s.most = 0 })
			pass(2 * time.Hour)
			if db.State("tickets").Rereading {
				t.Error("the list is not read anew")
			}
		})
	})
}
