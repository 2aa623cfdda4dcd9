package poller_test

import (
	"sync/atomic"
	"testing"
	"time"

	"housecount/aggregator/logtest"
)

// A clock that was ahead for a while does not prevent polls once it is right again.
func TestClockRanAhead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, db := tonight(), logtest.New()
		s.undated = true // so that marks follow our clock too
		var ahead atomic.Int64
		by := func(o *options) {
			o.now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
		}
		h := run(t, s, db, by)
		ahead.Store(int64(365 * 24 * time.Hour))
		pass(30 * time.Hour)
		if got := markOf(db, "tickets"); got.Whole.Before(time.Now().Add(300 * 24 * time.Hour)) {
			t.Fatalf("nothing was read whole while the clock ran ahead: %+v", got)
		}
		ahead.Store(0)
		pass(time.Hour)
		began := time.Now()
		s.put(sale("tkt_new", "evt_later"))
		pass(20 * time.Minute)
		if got := h.sold("evt_later"); got != 8 {
			t.Errorf("%d places sold, want 8", got)
		}
		pass(3 * 24 * time.Hour)
		if got := len(h.wholeReads("tickets", began)); got != 3 {
			t.Errorf("%d whole reads in three nights", got)
		}
		if err := h.stop(); err != nil {
			t.Fatal(err)
		}

		// Nor after a restart.
		state := db.State("tickets")
		state.Whole, state.Since = time.Now().Add(1000*time.Hour), time.Now().Add(1000*time.Hour)
		db.SetState(state)
		h, began = run(t, s, db), time.Now()
		s.put(sale("tkt_newer", "evt_later"))
		pass(24 * time.Hour)
		if got := h.sold("evt_later"); got != 10 || len(h.wholeReads("tickets", began)) != 1 {
			t.Errorf("%d places sold, want 10; %d whole reads in a night", got, len(h.wholeReads("tickets", began)))
		}
	})
}
