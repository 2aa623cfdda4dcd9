package poller_test

import (
	"testing"
	"time"

	"housecount/aggregator/logtest"
	"housecount/apiclient/record"
)

// scanned returns a sold ticket with an entry, as changed at a time.
func scanned(id, event string, at time.Time) *record.Ticket {
	k := sale(id, event)
	k.SoldAt, k.CreatedAt, k.UpdatedAt = at.Add(-time.Hour), at.Add(-time.Hour), at
	k.Scans = []record.Scan{{At: at, Gate: "A", Direction: record.Entry}}
	return k
}

// A record that is refused for longer than the overlap is asked for again afterwards, without a whole read; and
// ever more rarely while it stays refused.
func TestRefusedIsAskedForAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, db := tonight(), logtest.New()
		h := run(t, s, db)
		pass(time.Minute)
		bad := sale("tkt_bad", "evt_big")
		bad.Seat = "bad"
		s.put(bad)
		pass(3 * time.Hour)
		if got := say(h.Snapshot().Event("evt_big").Sold); got != "at least 6 refused" {
			t.Errorf("sold %q", got)
		}
		begun := time.Now()
		pass(2 * time.Hour)
		rechecks := 0
		for _, r := range s.requests("tickets", begun) {
			if !r.query.UpdatedSince.After(bad.UpdatedAt) {
				rechecks++
			}
		}
		if rechecks == 0 || rechecks > 4 {
			t.Errorf("asked for the refused record %d times in two hours, want one to four", rechecks)
		}
		sound := *bad
		sound.Seat = ""
		s.put(&sound) // nothing else says that it is sound by now
		pass(65 * time.Minute)
		if got := say(h.Snapshot().Event("evt_big").Sold); got != "8" {
			t.Errorf("sold %q, want 8", got)
		}
		if state := db.State("tickets"); !state.Doubted.IsZero() || len(state.Refused) != 0 {
			t.Errorf("the log doubts %+v", state)
		}
	})
}

// A damaged version with the same time never replaces a sound one: the figures stand, are marked, and are exact
// again once the answer is sound, also beyond the overlap and after a restart.
func TestDamagedVersionIsNotStored(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, db := tonight(), logtest.New()
		whole := scanned("tkt_in", "evt_big", time.Now())
		s.put(whole)
		h := run(t, s, db)
		if got := say(h.Snapshot().Event("evt_big").Attendance); got != "2" {
			t.Fatalf("attendance %q", got)
		}
		damaged := *whole
		damaged.Scans, damaged.Price = nil, nil
		s.put(&damaged)
		pass(90 * time.Second)
		if got := say(h.Snapshot().Event("evt_big").Attendance); got != "at least 2 refused" {
			t.Errorf("with the damaged answer, attendance %q", got)
		}
		if got := db.Newest(record.KindTicket, "tkt_in").(*record.Ticket); got.Scans == nil || got.Price == nil {
			t.Errorf("the damaged version is stored: %+v", got)
		}
		pass(10 * time.Minute)
		if err := h.stop(); err != nil {
			t.Fatal(err)
		}
		s.put(whole)
		h = run(t, s, db)
		pass(time.Minute)
		if got := say(h.Snapshot().Event("evt_big").Attendance); got != "2" || h.health("tickets").Refused != 0 {
			t.Errorf("once the answer is sound, attendance %q and %d refused", got, h.health("tickets").Refused)
		}
	})
}

// What the service repeats in a whole read is true: the part has been taken away.
func TestWholeReadConfirmsDamage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, db := tonight(), logtest.New()
		whole := scanned("tkt_in", "evt_big", time.Now())
		s.put(whole)
		h := run(t, s, db)
		damaged := *whole
		damaged.Price = nil
		s.put(&damaged)
		pass(secondNight)
		if got := db.Newest(record.KindTicket, "tkt_in").(*record.Ticket); got.Price != nil || h.health("tickets").Refused != 0 || !db.State("tickets").Doubted.IsZero() {
			t.Errorf("after the night: %+v, %d refused", got, h.health("tickets").Refused)
		}
	})
}

// A refused record that is gone from a later reading of the same changes is forgotten.
func TestRefusedAndGoneFromChanges(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, db := tonight(), logtest.New()
		h := run(t, s, db)
		bad := sale("tkt_ghost", "evt_big")
		bad.Seat = "bad"
		s.put(bad)
		pass(time.Minute)
		if got := h.health("tickets").Refused; got != 1 {
			t.Fatalf("%d refused", got)
		}
		s.drop(bad)
		pass(2 * time.Minute)
		if got := say(h.Snapshot().Event("evt_big").Sold); got != "6" || h.health("tickets").Refused != 0 {
			t.Errorf("sold %q, %d refused, of a record that is gone", got, h.health("tickets").Refused)
		}
	})
}
