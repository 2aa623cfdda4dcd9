package poller_test

import (
	"testing"
	"time"

	"housecount/aggregator/logtest"
	"housecount/apiclient/record"
)

func TestPace(t *testing.T) {
	bubble(t, func(t *testing.T) { // it is 19:00
		s := newService()
		s.put(eveningEvent("evt", 44*time.Hour)) // 20:00 tomorrow, doors 19:00
		h := run(t, s, logtest.New())
		polls := func(hours float64) int {
			began := time.Now()
			pass(time.Duration(hours * float64(time.Hour)))
			return len(h.requests("tickets", began.Add(time.Millisecond)))
		}
		if got := polls(10); got < 36 || got > 45 {
			t.Errorf("%d polls in ten idle hours", got)
		}
		event := eveningEvent("evt", 44*time.Hour)
		event.Status, event.UpdatedAt = record.EventOnSale, time.Now()
		s.put(event)
		pass(20 * time.Minute)
		if got := polls(10); got < 540 || got > 670 {
			t.Errorf("%d polls in ten hours of sale", got)
		}
		closed := eveningEvent("evt", 44*time.Hour)
		closed.UpdatedAt = time.Now()
		s.put(closed)
		pass(20*time.Minute + 3*time.Hour + 10*time.Minute) // 18:50
		began := time.Now()
		pass(11 * time.Minute)
		if got := h.requests("tickets", began.Add(10*time.Minute)); len(got) < 15 {
			t.Errorf("%d polls in the minute after the doors opened", len(got))
		}
		if got := polls(1); got < 1050 || got > 1350 {
			t.Errorf("%d polls in the hour before the curtain", got)
		}
		pass(20 * time.Minute)
		if got := polls(1); got > 6 {
			t.Errorf("%d polls in the hour after", got)
		}
	})
}
