package poller_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/logtest"
	"housecount/apiclient"
	"housecount/apiclient/record"
)

// follower runs figures over db without a poller.
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

// settle waits until two processes show the same position, for half a second at most: each shows nothing new for 200 ms
// after it has.
func settle(a, b *aggregator.Figures) {
	for range 5 {
		if a.Snapshot().Position == b.Snapshot().Position {
			return
		}
		pass(100 * time.Millisecond)
	}
}

// compare compares what two processes show at one position.
func compare(t *testing.T, what string, got, want *figures.Snapshot) {
	t.Helper()
	if got.Position != want.Position {
		t.Errorf("%s is at %+v, want %+v", what, got.Position, want.Position)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s shows\n%+v\nwant\n%+v", what, got, want)
	}
}

// Leader, follower and a new process show the same at one position, including times, faults and
// refused records.
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
			settle(first, leader.Figures)
			compare(t, "the follower", first.Snapshot(), leader.Snapshot())
		}
		late := follower(t, s, db)
		settle(late, leader.Figures)
		compare(t, "a process that begins", late.Snapshot(), leader.Snapshot())
		shown := leader.Snapshot()
		if h := leader.health("payments"); h.Missed == 0 || h.LastGood.IsZero() || shown.Position.Streams == 0 || len(shown.Diagnostics) != 2 {
			t.Errorf("the test shows too little: %+v, %+v, %+v", h, shown.Position, shown.Diagnostics)
		}

		// The poller stops; its successor knows what it knew.
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

// A log restored from a backup gets another epoch, every process folds it again, and polling
// continues from its state.
func TestLogIsRestored(t *testing.T) {
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
		again := func(a request) bool { return a.query.UpdatedSince.Before(began.Add(-10 * time.Minute)) }
		if got := h.requests("tickets", began); !slices.ContainsFunc(got, again) {
			t.Errorf("asked %+v, want what changed since the backup", got)
		}
	})
}

// The clocks of processes do not matter: a follower reports late polls, and only those, whatever
// the leader's clock says.
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
				pass(90 * time.Second) // a poll a minute, and the grace period
				if got := f.Snapshot().Health.Streams[1]; got.Missed == 0 || got.Fault != figures.FaultStale {
					t.Errorf("%+v of figures that nobody renews", got)
				}
			})
		})
	}
}
