package poller_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/logtest"
	"housecount/apiclient"
	"housecount/apiclient/record"
)

// follower runs figures over db that nobody polls for.
func follower(t *testing.T, s *service, db *logtest.Database) *aggregator.Figures {
	t.Helper()
	f, err := aggregator.New(aggregator.Options{Log: db.Open(), Streams: streamsOf(s)})
	if err != nil {
		t.Fatal(err)
	}
	start(t, f, nil)
	pass(0)
	return f
}

// same compares what two processes show at one position.
func compare(t *testing.T, what string, got, want *figures.Snapshot) {
	t.Helper()
	if got.Position != want.Position {
		t.Errorf("%s is at %+v, want %+v", what, got.Position, want.Position)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s shows\n%+v\nwant\n%+v", what, got, want)
	}
}

// Leader, follower and a process that has just begun show the same at one position: times,
// faults and refused records with it.
func TestSameOnEveryProcess(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, db := tonight(), logtest.New()
		first := follower(t, s, db)
		leader := run(t, s, db)
		bad := sale("tkt_bad", "evt_big")
		bad.Seat = "bad"
		garbled := sale("tkt_garbled", "evt_big")
		garbled.Seat = "garbled"
		s.put(bad, garbled)
		s.set(func() { s.fail["payments"] = &apiclient.Error{Kind: apiclient.Server, Status: 503} })
		for i := range 30 {
			changed := sale("tkt_10", "evt_big")
			s.put(changed, sale(fmt.Sprint("tkt_new", i), "evt_small"))
			pass(700 * time.Millisecond)
			compare(t, "the follower", first.Snapshot(), leader.Snapshot())
		}
		compare(t, "a process that begins", follower(t, s, db).Snapshot(), leader.Snapshot())
		shown := leader.Snapshot()
		if h := leader.health("payments"); h.Missed == 0 || h.LastGood.IsZero() || shown.Position.Streams == 0 || len(shown.Diagnostics) != 2 {
			t.Errorf("the test shows too little: %+v, %+v, %+v", h, shown.Position, shown.Diagnostics)
		}

		// The poller goes; who comes after it knows what it knew.
		if err := leader.stop(); err != nil {
			t.Fatal(err)
		}
		s.set(func() {
			for _, stream := range lists {
				s.hang[stream] = make(chan struct{})
			}
		})
		compare(t, "the next poller", run(t, s, db).Snapshot(), shown)
	})
}

// What was refused is known after a restart, until it comes in order.
func TestRefusedAfterRestart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, db := tonight(), logtest.New()
		bad := sale("tkt_bad", "evt_big")
		bad.Seat = "bad"
		s.put(bad)
		h := run(t, s, db)
		want := h.Snapshot().Diagnostics
		if err := h.stop(); err != nil {
			t.Fatal(err)
		}
		pass(time.Hour) // beyond the overlap: it does not come again
		h = run(t, s, db)
		if got, want := say(h.Snapshot().Event("evt_big").Sold), "at least 6 refused"; got != want {
			t.Errorf("sold %q, want %q", got, want)
		}
		if got := h.Snapshot().Diagnostics; !reflect.DeepEqual(got, want) || len(got) != 1 || h.health("tickets").Refused != 1 {
			t.Errorf("diagnostics %+v after the restart, want %+v", got, want)
		}
		if got := db.State("tickets").Refused; len(got) != 1 || !reflect.DeepEqual(got[0], aggregator.RefusedRecord{Kind: "ticket", ID: "tkt_bad", EventID: "evt_big", Field: "seat", Why: record.Say("is bad")}) {
			t.Errorf("the log has %+v", got)
		}
		s.put(sale("tkt_bad", "evt_big"))
		pass(4 * time.Second)
		if got := h.Snapshot().Diagnostics; len(got) != 0 || len(db.State("tickets").Refused) != 0 {
			t.Errorf("diagnostics %+v after it was mended", got)
		}
		if got := say(h.Snapshot().Event("evt_big").Sold); got != "8" {
			t.Errorf("sold %q, want 8", got)
		}
	})
}

// A log that is shorter than it was, from a backup, gets another epoch, is folded anew by
// every process, and is polled from where it is.
func TestRestored(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, db := tonight(), logtest.New()
		h := run(t, s, db)
		f := follower(t, s, db)
		backup := db.Copy()
		epoch := h.Snapshot().Position.Epoch
		pass(10 * time.Minute)
		s.put(sale("tkt_new", "evt_big"))
		pass(4 * time.Second)
		if h.sold("evt_big") != 8 {
			t.Fatalf("%d places sold, want 8", h.sold("evt_big"))
		}
		began := time.Now()
		db.Restore(backup)
		pass(10 * time.Second)
		if got := h.Snapshot().Position; got.Epoch == epoch {
			t.Errorf("at %+v after the log was restored", got)
		}
		compare(t, "the follower", f.Snapshot(), h.Snapshot())
		if got := h.sold("evt_big"); got != 8 {
			t.Errorf("%d places sold, want 8: the service still has them", got)
		}
		again := func(a asked) bool { return a.query.UpdatedSince.Before(began.Add(-10 * time.Minute)) }
		if got := h.questions("tickets", began); !slices.ContainsFunc(got, again) {
			t.Errorf("asked %+v, want what changed since the backup", got)
		}
	})
}

// A process whose lease is taken in the middle of a read appends nothing more and stops; the
// other goes on from where the log is.
func TestLeaseLost(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, db := tonight(), logtest.New()
		s.pageSize = 5
		old := run(t, s, db)
		next := run(t, s, db)
		hang := make(chan struct{})
		s.set(func() { s.hang["tickets"] = hang })
		s.put(sale("tkt_new", "evt_big"))
		pass(4 * time.Second)
		before := markOf(db, "tickets")
		db.Steal()
		s.set(func() { delete(s.hang, "tickets") })
		close(hang) // it comes to the old one, which does not know yet
		pass(time.Millisecond)
		if got := markOf(db, "tickets"); got.Since.Before(before.Since) {
			t.Errorf("mark %+v after %+v", got, before)
		}
		pass(10 * time.Second)
		for name, h := range map[string]*house{"old": old, "next": next} {
			if got := h.sold("evt_big"); got != 8 || h.health("tickets").Missed != 0 {
				t.Errorf("%s: %d places sold, want 8; health %+v", name, got, h.health("tickets"))
			}
		}
		compare(t, "the old process", old.Snapshot(), next.Snapshot())
		began := time.Now()
		pass(10 * time.Second)
		if got := len(s.questions("tickets", began.Add(time.Millisecond))); got < 2 || got > 5 {
			t.Errorf("%d polls in ten seconds, want those of one process", got)
		}
	})
}

// What cannot be stored is not lost when the log is back, nor is what was learned meanwhile.
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

// Polls that find nothing write the times of a stream, and publish nothing else.
func TestQuietMinute(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, db := tonight(), logtest.New()
		var mu sync.Mutex
		var changes []aggregator.Changes
		h := run(t, s, db, func(o *options) {
			o.changes = func(c aggregator.Changes) {
				mu.Lock()
				defer mu.Unlock()
				changes = append(changes, c)
			}
		})
		pass(3 * time.Minute)
		before, began := h.Snapshot(), time.Now()
		states, appends := db.Written()
		mu.Lock()
		changes = nil
		mu.Unlock()
		pass(time.Minute)
		mu.Lock()
		defer mu.Unlock()
		polls := 0
		for _, stream := range lists {
			polls += len(h.questions(stream, began.Add(time.Nanosecond)))
		}
		after := h.Snapshot()
		newStates, newAppends := db.Written()
		if polls < 50 || int(newStates-states) != polls || newAppends-appends != polls || len(changes) != polls {
			t.Errorf("%d polls wrote %d rows in %d appends and published %d times", polls, newStates-states, newAppends-appends, len(changes))
		}
		t.Logf("%d polls, %d rows in %d appends, %d publications of the strip's times", polls, newStates-states, newAppends-appends, len(changes))
		for _, c := range changes {
			if c.Events != nil || c.Money || c.All {
				t.Errorf("published %+v", c)
			}
		}
		if len(after.Events) == 0 || &after.Events[0] != &before.Events[0] || &after.Days[0] != &before.Days[0] {
			t.Error("the figures were made anew")
		}
		if !after.AsOf.After(before.AsOf) || after.Position.Revision != before.Position.Revision || after.Position.Streams <= before.Position.Streams {
			t.Errorf("at %+v as of %v, before %+v as of %v", after.Position, after.AsOf, before.Position, before.AsOf)
		}
	})
}

// The clocks of the processes do not matter: one that follows finds no poll late that is not,
// whatever the leader's clock says, and finds those that are.
func TestClocksOfFollowers(t *testing.T) {
	for _, ahead := range []time.Duration{-time.Hour, -time.Minute, time.Minute, time.Hour} {
		t.Run(fmt.Sprint(ahead), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s, db := newService(), logtest.New()
				e := eveningEvent("evt", 100*time.Hour)
				e.Status = record.EventOnSale
				s.put(e, sale("tkt", "evt"))
				leader := run(t, s, db, func(o *options) { o.now = func() time.Time { return time.Now().Add(ahead) } })
				f := follower(t, s, db)
				for range 30 {
					pass(10 * time.Second)
					for _, of := range []*figures.Snapshot{f.Snapshot(), leader.Snapshot()} {
						if got := of.Health.Streams[1]; got.Missed != 0 || of.Health.Light() != figures.Green {
							t.Fatalf("%+v, though polls go on", got)
						}
					}
				}
				if err := leader.stop(); err != nil {
					t.Fatal(err)
				}
				pass(90 * time.Second) // a poll a minute, and the grace
				if got := f.Snapshot().Health.Streams[1]; got.Missed == 0 || got.Fault != figures.FaultStale {
					t.Errorf("%+v of figures that nobody renews", got)
				}
			})
		})
	}
}
