package poller_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"housecount/aggregator/logtest"
	"housecount/apiclient"
)

// readWhole returns a service whose list of tickets is read whole for changes, with n tickets.
func readWhole(n int) *service {
	s := soldOut(n)
	s.lists[1].ReadsWhole, s.lists[1].ByEvent = true, false
	return s
}

// A list that comes as it did is weighed again where the reading that makes sure failed.
func TestListIsWeighedAgainAfterAFailure(t *testing.T) {
	for _, c := range []struct {
		gone  int
		after time.Duration // until they are gone
	}{{2, 0}, {6, 21 * time.Hour}} {
		t.Run(fmt.Sprint(c.gone), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := readWhole(10)
				h := run(t, s, logtest.New())
				pass(time.Hour)
				for i := range c.gone {
					s.drop(ticketOf(i))
				}
				var failures atomic.Int64
				s.set(func() {
					s.page = func(stream string, q apiclient.Query, n int) error {
						if stream == "tickets" && !q.UpdatedSince.IsZero() && q.UpdatedSince.Equal(s.sinceOf(stream)) && failures.Add(1) == 1 {
							return &apiclient.Error{Kind: apiclient.Server, Stream: stream, Status: 503}
						}
						return nil
					}
				})
				pass(c.after + time.Hour)
				if got, want := h.sold("evt"), 2*(10-c.gone); got != want || failures.Load() < 2 {
					t.Errorf("%d places sold, want %d; the second reading came %d times", got, want, failures.Load())
				}
			})
		})
	}
}

// So is one of which a part was believed.
func TestRestOfAListIsWeighedAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := readWhole(10)
		s.put(eveningEvent("other", -90*time.Hour))
		for i := range 10 {
			one := ticketOf(i)
			one.ID, one.EventID = fmt.Sprint("other_", i), "other"
			s.put(one)
		}
		h := run(t, s, logtest.New())
		pass(time.Hour)
		drop := func(id, event string) {
			one := ticketOf(0)
			one.ID, one.EventID = id, event
			s.drop(one)
		}
		for i := range 4 {
			drop(fmt.Sprint("tkt_", i), "evt")
			drop(fmt.Sprint("other_", i), "other")
		}
		pass(10 * time.Hour)
		drop("other_4", "other")
		pass(11 * time.Hour)
		if mine, others := h.sold("evt"), h.sold("other"); mine != 12 || others != 10 {
			t.Errorf("%d and %d places sold, want 12 and 10", mine, others)
		}
	})
}

// A clock that is set forward between two readings lets no time pass.
func TestClockIsSetForwardBetweenReadings(t *testing.T) {
	for _, c := range []struct {
		name             string
		undated, restart bool
	}{{"", false, false}, {"the service has no clock", true, false}, {"a restart", false, true}, {"a restart, and the service has no clock", true, true}} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s, db := soldOut(10), logtest.New()
				s.undated = c.undated
				s.lists[1].WholeEvery = time.Hour
				var ahead atomic.Int64
				by := func(o *options) {
					o.now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
				}
				h := run(t, s, db, by)
				pass(30 * time.Minute)
				for i := range 6 {
					s.drop(ticketOf(i))
				}
				pass(time.Hour)
				h.shows(t, "at first", 20, missingTickets(6, 10))
				ahead.Store(int64(24 * time.Hour))
				if c.restart {
					if err := h.stop(); err != nil {
						t.Fatal(err)
					}
					h = run(t, s, db, by)
				}
				pass(90 * time.Minute)
				h.shows(t, "after the clock was set", 20, missingTickets(6, 10))
				ahead.Store(0)
				pass(17 * time.Hour)
				if !c.undated || !c.restart { // half of the time may pass with a restart
					h.shows(t, "before 20 hours", 20, missingTickets(6, 10))
				}
				pass(28 * time.Hour)
				h.shows(t, "after two days", 8)
			})
		})
	}
}
