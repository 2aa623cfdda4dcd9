package poller_test

import (
	"testing"
	"time"

	"housecount/aggregator/logtest"
	"housecount/apiclient"
	"housecount/apiclient/record"
)

// scanned returns a sold ticket with an entry, as changed at a time.
func scanned(id, event string, at time.Time) *record.Ticket {
	k := sale(id, event)
	k.SoldAt, k.CreatedAt, k.UpdatedAt = at.Add(-time.Hour), at.Add(-time.Hour), at
	k.Scans = []record.Scan{{At: at, Gate: "A", Direction: record.Entry}}
	return k
}

// wantsFewRechecks lets two hours pass, in which the tickets changed at a time are to be asked for one to four times.
func wantsFewRechecks(t *testing.T, s *service, at time.Time) {
	t.Helper()
	begun, rechecks := time.Now(), 0
	pass(2 * time.Hour)
	for _, r := range s.requests("tickets", begun) {
		if !r.query.UpdatedSince.After(at) {
			rechecks++
		}
	}
	if rechecks == 0 || rechecks > 4 {
		t.Errorf("asked for what is refused %d times in two hours, want one to four", rechecks)
	}
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
		wantsFewRechecks(t, s, bad.UpdatedAt)
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
		pass(3 * time.Hour)
		wantsFewRechecks(t, s, whole.UpdatedAt)
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

// What a whole read refuses once more is as the service says: it stays listed, and is not asked for again by itself.
func TestWholeReadConfirmsRefusal(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, db := tonight(), logtest.New()
		h := run(t, s, db)
		bad := sale("tkt_bad", "evt_big")
		bad.Seat = "bad"
		s.put(bad)
		pass(time.Minute)
		if state := db.State("tickets"); state.Doubted.IsZero() || h.health("tickets").Refused != 1 {
			t.Fatalf("%d refused, doubted since %v", h.health("tickets").Refused, state.Doubted)
		}
		pass(secondNight)
		if state := db.State("tickets"); !state.Doubted.IsZero() || h.health("tickets").Refused != 1 {
			t.Errorf("after the night %d refused, doubted since %v", h.health("tickets").Refused, state.Doubted)
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

// What was refused is asked for again by whichever way it came: before a first read was interrupted, in a whole read that is
// not the first, and in a read of changes in the middle of one.
func TestRefusedOnOtherWaysIsAskedForAgain(t *testing.T) {
	damaged := func(id string, event string) (bad, sound *record.Ticket) {
		bad = sale(id, event)
		bad.Seat = "bad"
		sound = new(*bad)
		sound.Seat = ""
		return bad, sound
	}
	sold := func(t *testing.T, h *house, event, want string) {
		t.Helper()
		if got := say(h.Snapshot().Event(event).Sold); got != want {
			t.Errorf("sold %q, want %q", got, want)
		}
	}
	t.Run("a first read that was interrupted", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s, db := tonight(), logtest.New()
			s.lists[1].ByEvent, s.pageSize = false, 5
			bad, sound := damaged("tkt_10", "evt_big") // on the first page
			bad.SoldAt, bad.CreatedAt, bad.UpdatedAt = time.Now().Add(-time.Hour), time.Now().Add(-time.Hour), time.Now().Add(-time.Hour)
			*sound = *bad
			sound.Seat = ""
			s.put(bad)
			failures := 1
			s.page = func(stream string, q apiclient.Query, n int) error {
				if stream == "tickets" && n == 2 && failures > 0 {
					failures--
					return &apiclient.Error{Kind: apiclient.Server, Stream: stream}
				}
				return nil
			}
			h := run(t, s, db)
			pass(time.Minute)
			s.put(sound)
			pass(5 * time.Minute)
			sold(t, h, "evt_big", "6")
		})
	})
	t.Run("a whole read with another mapping", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s, db := tonight(), logtest.New()
			h := run(t, s, db)
			pass(time.Minute)
			if err := h.stop(); err != nil {
				t.Fatal(err)
			}
			pass(10 * time.Minute)
			bad, sound := damaged("tkt_new", "evt_big")
			s.put(bad)
			pass(5 * time.Minute)
			s.lists[1].Mapping = "another"
			h = run(t, s, db)
			pass(5 * time.Minute)
			s.put(sound)
			pass(20 * time.Minute)
			sold(t, h, "evt_big", "8")
		})
	})
	t.Run("changes in the middle of a whole read", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := soldOut(60)
			s.lists[1].WholeEvery, s.pageSize = time.Hour, 1
			s.put(eveningEvent("evt_big", 21*time.Hour))
			h := run(t, s, logtest.New())
			s.set(func() {
				s.page = func(stream string, q apiclient.Query, n int) error {
					if stream == "tickets" && q.UpdatedSince.IsZero() {
						<-time.After(10 * time.Second)
					}
					return nil
				}
			})
			pass(62 * time.Minute) // in the middle of the whole read, doors open
			bad, sound := damaged("tkt_new", "evt_big")
			s.put(bad)
			pass(6 * time.Minute)
			s.put(sound)
			pass(25 * time.Minute)
			sold(t, h, "evt_big", "2")
		})
	})
}
