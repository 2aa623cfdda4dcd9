package poller_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/logtest"
	"housecount/apiclient"
)

// State that cannot be stored is written once the log is back, including what was learned
// meanwhile.
func TestStateIsWrittenLater(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, db := tonight(), logtest.New()
		h := run(t, s, db)
		db.Set(func() { db.FailAppend = errors.New("disk full") })
		pass(time.Minute)
		if got := h.health("tickets"); got.Missed < 2 || got.Fault != figures.FaultStale || h.Snapshot().Health.Light() == figures.Green {
			t.Errorf("health %+v of figures that nobody renews", got)
		}
		s.set(func() { s.fail["tickets"] = &apiclient.Error{Kind: apiclient.Server, Status: 503} })
		pass(time.Minute)
		db.Set(func() { db.FailAppend = nil })
		pass(2 * time.Second)
		if got := h.health("tickets"); got.Missed < 3 || got.Fault != figures.FaultServer {
			t.Errorf("health %+v, want the fault that came while nothing could be stored", got)
		}
	})
}

// A log that fails for a while costs polls but no records, even if it stored what it reported as
// failed.
func TestLogFails(t *testing.T) {
	for _, storesAll := range []bool{false, true} {
		t.Run(fmt.Sprint("stores all ", storesAll), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s, log := tonight(), logtest.New()
				h := run(t, s, log)
				before := markOf(log, "tickets")
				log.Set(func() { log.FailAppend, log.StoresAll = errors.New("disk full"), storesAll })
				s.put(sale("tkt_new", "evt_big"))
				pass(45 * time.Second)
				fault := figures.FaultStale // followers only see that nothing comes
				if storesAll {
					fault = figures.FaultStore
				}
				if got := h.health("tickets"); got.Fault != fault || got.Missed == 0 {
					t.Errorf("health %+v", got)
				}
				if got := markOf(log, "tickets"); got != before {
					t.Errorf("the mark moved to %v", got)
				}
				log.Set(func() { log.FailAppend = nil })
				pass(33 * time.Second)
				if got := h.sold("evt_big"); got != 8 || h.health("tickets").Missed != 0 {
					t.Errorf("%d places sold, want 8; health %+v", got, h.health("tickets"))
				}
				if got := h.Snapshot().Position.Revision; got != log.Revision() {
					t.Errorf("at revision %d of %d", got, log.Revision())
				}
			})
		})
	}
}

// Records are published soon even if the rest of the poll hangs, but not page by page.
func TestPublications(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := tonight()
		s.pageSize = 1
		var served atomic.Int64
		s.page = func(stream string, q apiclient.Query, n int) error {
			if stream == "tickets" && q.EventID == "" && q.UpdatedSince.IsZero() {
				<-time.After(20 * time.Millisecond)
				served.Store(int64(n))
			}
			return nil
		}
		for n := range 500 { // ten seconds
			old := sale(fmt.Sprint("tkt_old", n), "evt_past")
			old.UpdatedAt = old.UpdatedAt.Add(-time.Hour)
			s.put(old)
		}
		h := run(t, s, logtest.New())
		s.set(func() { s.hang["events"] = make(chan struct{}) }) // so that only tickets publish
		began := h.publications.Load()
		pass(5 * time.Second)
		if got := h.publications.Load() - began; got < 20 || got > 27 {
			t.Errorf("%d publications in five seconds", got)
		}
		pass(100 * time.Millisecond) // between two publications
		s.set(func() { s.hang["tickets"] = make(chan struct{}) })
		pass(time.Second + 20*time.Millisecond)
		read, sold := int(served.Load()), h.sold("evt_past")
		if read < 200 || sold != 2*(read-9-1) { // nine are of other events; the last page waits for the next
			t.Errorf("%d tickets came and %d places are published", read, sold)
		}
	})
}
