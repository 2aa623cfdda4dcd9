package poller_test

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/logtest"
	"housecount/apiclient"
	"housecount/apiclient/record"
)

// After a long time without polls nothing is exact until the changes since have been read, whether
// housecount was off or the clock jumped. What was read until then raises no alert.
func TestBehind(t *testing.T) {
	for _, running := range []bool{false, true} {
		name := map[bool]string{false: "housecount was off", true: "the clock jumped"}[running]
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := tonight()
				s.lists = append(s.lists, apiclient.Stream{Name: "scans", Gives: []record.Kind{record.KindScan}})
				const gap = 150 * 24 * time.Hour
				var jumped atomic.Int64
				clock := func(o *options) {
					o.now = func() time.Time { return time.Now().Add(time.Duration(jumped.Load())) }
				}
				db := logtest.New()
				h := run(t, s, db, clock)
				if e := h.Snapshot().Event("evt_big"); e.Sold.Quality != figures.Exact || e.Attendance.Quality != figures.Exact || h.Snapshot().Health.Behind(record.KindTicket) {
					t.Fatalf("sold %s, came %s", say(e.Sold), say(e.Attendance))
				}
				jumped.Store(int64(gap))
				if !running {
					if err := h.stop(); err != nil {
						t.Fatal(err)
					}
				}
				// Meanwhile the performance took place, and another was cancelled and refunded.
				off := eveningEvent("evt_small", 20*time.Hour+30*time.Minute)
				off.Status, off.UpdatedAt = record.EventCancelled, time.Now().Add(gap-time.Hour)
				s.put(off)
				scan := &record.TicketScan{ID: "scan", TicketID: "tkt_10", Scan: record.Scan{At: time.Now().Add(time.Hour), Direction: record.Entry}, UpdatedAt: time.Now().Add(gap - time.Hour)}
				s.put(scan)
				hang := make(chan struct{})
				s.set(func() { s.hang["tickets"], s.hang["payments"], s.hang["scans"] = hang, hang, hang })
				if running {
					pass(time.Minute)
				} else {
					h = run(t, s, db, clock)
				}
				snapshot := h.Snapshot()
				now := time.Now().Add(gap)
				e := snapshot.Event("evt_big")
				for what, f := range map[string]figures.Figure[int]{"sold": e.Sold, "came": e.Attendance} {
					if f.Quality == figures.Exact || !slices.Contains(f.Reasons, figures.ReasonBehind) {
						t.Errorf("while the changes are read: %s %s", what, say(f))
					}
				}
				if e.Capacity.Quality != figures.Exact || snapshot.Event("evt_small").Event.Status != record.EventCancelled {
					t.Errorf("events have been read: capacity %s", say(e.Capacity))
				}
				if got := e.Revenue.Of(figures.Received); got.Quality == figures.Exact {
					t.Errorf("received is exactly %v", got.Value)
				}
				v := evening.At(snapshot, now)
				if found := v.Found(now); len(found) != 0 || len(v.OtherDays()) != 0 {
					t.Errorf("checks found %v, alerts %+v", found, v.OtherDays())
				}
				for _, r := range v.Reconcile() {
					if r.Reading != (r.Check != figures.CheckRecompute) || r.Compared != 0 {
						t.Errorf("%s: %+v", r.Check, r)
					}
				}

				s.set(func() { clear(s.hang) })
				close(hang)
				synctest.Wait()
				snapshot = h.Snapshot()
				e = snapshot.Event("evt_big")
				if say(e.Sold) != "6" || !strings.HasPrefix(say(e.Attendance), "2") || snapshot.Health.Behind(record.KindTicket, record.KindPayment, record.KindScan) {
					t.Errorf("once all was read: sold %s, came %s", say(e.Sold), say(e.Attendance))
				}
				if alerts := evening.At(snapshot, now).OtherDays(); len(alerts) != 1 || alerts[0].Code != evening.AlertOwed {
					t.Errorf("once all was read: alerts %+v", alerts)
				}
			})
		})
	}
}

// While the service is silent no list is behind: the figures stay, and the pages show their age.
// Once it answers again, lists that it does not answer yet are behind.
func TestSilentIsNotBehind(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := tonight()
		h := run(t, s, logtest.New())
		behind := func() (all []string) {
			for _, stream := range []string{"events", "tickets", "payments"} {
				if h.log.State(stream).Behind {
					all = append(all, stream)
				}
			}
			return all
		}
		hang := make(chan struct{})
		s.set(func() {
			for _, stream := range []string{"events", "tickets", "payments"} {
				s.fail[stream] = &apiclient.Error{Kind: apiclient.Unreachable, Stream: stream}
			}
		})
		pass(5 * time.Hour)
		if all := behind(); all != nil || h.Snapshot().Event("evt_big").Sold.Quality != figures.Exact {
			t.Errorf("after hours of silence %q are behind, sold %s", all, say(h.Snapshot().Event("evt_big").Sold))
		}
		s.set(func() {
			clear(s.fail)
			s.hang["payments"] = hang
		})
		pass(time.Hour)
		if all := behind(); !slices.Equal(all, []string{"payments"}) {
			t.Errorf("once the others answered %q are behind", all)
		}
		s.set(func() { clear(s.hang) })
		close(hang)
		synctest.Wait()
		if all := behind(); all != nil {
			t.Errorf("once all answered %q are behind", all)
		}
	})
}

// An idle pace, or a list that is rarely polled, does not make a list behind.
func TestNotBehind(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newService()
		s.lists[1].Every = 5 * time.Hour
		s.put(eveningEvent("evt", -100*time.Hour))
		ever := false
		h := run(t, s, logtest.New())
		for range 48 {
			pass(15 * time.Minute)
			ever = ever || h.log.State("tickets").Behind
		}
		if ever || len(h.requests("tickets", time.Time{})) < 3 {
			t.Errorf("behind: %v, after %d questions", ever, len(h.requests("tickets", time.Time{})))
		}
	})
}

// A service that ignores the filter for changes for a while is reported as such until it honours it
// again.
func TestUnfilteredForAWhile(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, db := tonight(), logtest.New()
		h := run(t, s, db)
		unfiltered := func() (n int) {
			for _, d := range h.Snapshot().Diagnostics {
				if d.Code == figures.CodeUnfiltered {
					n++
				}
			}
			return n
		}
		s.set(func() { s.ignore = true })
		pass(10 * time.Second)
		if got := unfiltered(); got != 3 {
			t.Errorf("%d lists are said to ignore it, want 3", got)
		}
		if err := h.stop(); err != nil {
			t.Fatal(err)
		}
		h = run(t, s, db)
		if got := unfiltered(); got != 3 {
			t.Errorf("%d lists after a restart, want 3", got)
		}
		s.set(func() { s.ignore = false })
		pass(10 * time.Second)
		if got := unfiltered(); got != 0 {
			t.Errorf("%d lists once it is honoured, want 0", got)
		}
	})
}

// A process that loses its lease during a read appends nothing more and stops; the other continues
// from the log's state.
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
		close(hang) // the old process gets the page and does not know yet
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
		if got := len(s.requests("tickets", began.Add(time.Millisecond))); got < 2 || got > 5 {
			t.Errorf("%d polls in ten seconds, want those of one process", got)
		}
	})
}
