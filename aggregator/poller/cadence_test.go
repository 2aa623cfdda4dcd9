package poller_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"housecount/aggregator/logtest"
	"housecount/apiclient"
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

// Nothing is on sale after the curtain, although the service still says so and the performance has not ended.
func TestSaleEndsWithTheCurtain(t *testing.T) {
	bubble(t, func(t *testing.T) { // it is 19:00
		s := newService()
		event := eveningEvent("evt", 20*time.Hour) // 20:00
		event.Status, event.EndsAt = record.EventOnSale, event.StartsAt.Add(3*time.Hour)
		s.put(event)
		h := run(t, s, logtest.New())
		pass(80 * time.Minute)
		began := time.Now()
		pass(time.Hour)
		if got := len(h.requests("tickets", began)); got < 3 || got > 6 {
			t.Errorf("%d polls in the hour after the curtain", got)
		}
	})
}

// A performance of which only the date is known is looked at every minute on its day, and as an evening's once somebody has come
// in, until nobody has for a while.
func TestPaceWithoutATime(t *testing.T) {
	bubble(t, func(t *testing.T) { // it is 19:00
		s := newService()
		fair := eveningEvent("evt", 0)
		fair.StartsAt, fair.EndsAt, fair.DoorsAt, fair.Date = time.Time{}, time.Time{}, time.Time{}, time.Now().Format(time.DateOnly)
		s.put(fair, sale("tkt", "evt"))
		h := run(t, s, logtest.New())
		polls := func(d time.Duration) int {
			began := time.Now()
			pass(d)
			return len(h.requests("tickets", began.Add(time.Millisecond)))
		}
		if got := polls(30 * time.Minute); got < 26 || got > 34 {
			t.Errorf("%d polls in half an hour of its day", got)
		}
		came := sale("tkt", "evt")
		came.Scans, came.UpdatedAt = []record.Scan{{At: time.Now(), Direction: record.Entry}}, time.Now()
		s.put(came)
		pass(2 * time.Minute)
		if got := polls(10 * time.Minute); got < 150 {
			t.Errorf("%d polls in ten minutes in which people come", got)
		}
		pass(10 * time.Minute)
		if got := polls(30 * time.Minute); got > 34 {
			t.Errorf("%d polls in half an hour in which nobody comes", got)
		}
	})
}

// A performance that is added to today while another one is on is seen within a minute, also when nothing is on sale any more; the
// other lists are asked no more often for that, and no list once everything of today has ended.
func TestNewPerformanceOfToday(t *testing.T) {
	bubble(t, func(t *testing.T) { // it is 19:00
		s := newService()
		s.put(eveningEvent("evt", 20*time.Hour))
		h := run(t, s, logtest.New())
		pass(2 * time.Hour)
		began := time.Now()
		added := eveningEvent("evt_added", 23*time.Hour+59*time.Minute)
		added.DoorsAt, added.UpdatedAt = added.StartsAt, began
		s.put(added)
		pass(70 * time.Second)
		if h.Snapshot().Event("evt_added") == nil {
			t.Error("the new performance is not seen")
		}
		pass(20 * time.Minute)
		if got := len(h.requests("events", began)); got < 15 {
			t.Errorf("%d polls of events in twenty minutes", got)
		}
		if got := len(h.requests("tickets", began)); got > 3 {
			t.Errorf("%d polls of tickets in twenty minutes", got)
		}
		gone := *added
		gone.Status, gone.UpdatedAt = record.EventCancelled, time.Now()
		s.put(&gone)
		pass(50 * time.Minute) // 22:11: nothing is on
		began = time.Now()
		pass(time.Hour)
		if got := len(h.requests("events", began)); got > 6 {
			t.Errorf("%d polls of events in an hour of nothing", got)
		}
	})
}

// The lists of a service are asked at the same moments, so that what is in several of them is read as one.
func TestListsArePolledTogether(t *testing.T) {
	bubble(t, func(t *testing.T) { // it is 19:00
		s := newService()
		event := eveningEvent("evt", 44*time.Hour)
		event.Status = record.EventOnSale
		s.put(event)
		h := run(t, s, logtest.New())
		pass(40 * time.Minute)
		began := time.Now()
		pass(time.Hour)
		tickets, payments := h.requests("tickets", began), h.requests("payments", began)
		if n := len(tickets); n < 54 || n > 67 {
			t.Errorf("in an hour %d polls of tickets", n)
		}
		for _, other := range [][]request{payments, h.requests("events", began)} {
			for i, one := range tickets[1 : len(tickets)-1] {
				if !slices.ContainsFunc(other, func(r request) bool { return r.at.Sub(one.at).Abs() < 10*time.Millisecond }) {
					t.Errorf("poll %d of tickets is without one of %s", i, other[0].stream)
				}
			}
		}
		if wait := tickets[1].at.Sub(tickets[0].at); wait == tickets[2].at.Sub(tickets[1].at) {
			t.Errorf("two waits are the same, %v: many programs would poll in step", wait)
		}
	})
}

// Beside a list that takes long, no other is asked more often.
func TestSlowListHastensNone(t *testing.T) {
	bubble(t, func(t *testing.T) { // it is 19:00, and doors are open
		s := newService()
		s.put(eveningEvent("evt", 20*time.Hour))
		s.page = func(stream string, _ apiclient.Query, _ int) error {
			if stream == "payments" {
				time.Sleep(2 * time.Second)
			}
			return nil
		}
		h := run(t, s, logtest.New())
		pass(time.Minute)
		began := time.Now()
		pass(30 * time.Minute)
		tickets := h.requests("tickets", began)
		if n := len(tickets); n < 585 || n > 640 {
			t.Errorf("beside a list that takes two seconds, %d polls of tickets in half an hour, every three seconds", n)
		}
		for i := range tickets[1:] {
			if wait := tickets[i+1].at.Sub(tickets[i].at); wait < 2100*time.Millisecond {
				t.Errorf("tickets are polled again after %v", wait)
			}
		}
	})
}

// Lists that are polled together are polled when doors open, also while one fails.
func TestPolledTogetherAtTheDoors(t *testing.T) {
	for range 8 {
		t.Run("", func(t *testing.T) {
			bubble(t, func(t *testing.T) { // it is 19:00
				s := newService()
				event := eveningEvent("evt", 26*time.Hour+7*time.Minute) // doors at 01:07, when nothing else is due
				s.put(event)
				s.fail["payments"] = &apiclient.Error{Kind: apiclient.Rejected, Stream: "payments"}
				h := run(t, s, logtest.New())
				pass(time.Until(event.DoorsAt))
				opened := time.Now()
				if n := len(h.requests("tickets", opened.Add(-10*time.Minute))); n > 3 {
					t.Errorf("doors are not open yet, and tickets were polled %d times in ten minutes", n)
				}
				pass(10 * time.Second)
				if len(h.requests("tickets", opened.Add(-time.Second))) == 0 {
					t.Error("doors are open, and tickets are not polled")
				}
			})
		})
	}
}

// A list joins none of another service, and is asked no sooner than its own shortest interval for the sake of others.
func TestPolledTogetherWithinLimits(t *testing.T) {
	bubble(t, func(t *testing.T) { // nothing is on: every quarter of an hour
		s := twoServices()
		for i := range s.lists {
			if s.lists[i].Name == "payments" {
				s.lists[i].Every = 14 * time.Minute
			}
		}
		h := run(t, s, logtest.New())
		began := time.Now()
		pass(40 * time.Hour)
		tickets, others, met := h.requests("tickets", began), h.requests("other/tickets", began), 0
		for _, one := range others {
			if slices.ContainsFunc(tickets, func(r request) bool { return r.at.Sub(one.at).Abs() < time.Second }) {
				met++
			}
		}
		if len(others) < 100 || met > len(others)/4 {
			t.Errorf("%d of %d polls of one service are with another's", met, len(others))
		}
		payments := h.requests("payments", began)
		for i := range payments[1:] {
			if wait := payments[i+1].at.Sub(payments[i].at); wait < 14*time.Minute {
				t.Errorf("a list that may be asked every 14 minutes is asked after %v", wait)
			}
		}
	})
}

// Whichever list takes long, no other is asked more often than every three seconds.
func TestAnySlowListHastensNone(t *testing.T) {
	for _, slow := range []string{"events", "tickets", "payments"} {
		t.Run(slow, func(t *testing.T) {
			bubble(t, func(t *testing.T) { // it is 19:00, and doors are open
				s := newService()
				s.put(eveningEvent("evt", 20*time.Hour))
				s.page = func(stream string, _ apiclient.Query, _ int) error {
					if stream == slow {
						time.Sleep(time.Second)
					}
					return nil
				}
				h := run(t, s, logtest.New())
				pass(time.Minute)
				began := time.Now()
				pass(30 * time.Minute)
				for _, stream := range []string{"events", "tickets", "payments"} {
					if n := len(h.requests(stream, began)); n > 630 || stream != slow && n < 570 {
						t.Errorf("beside %s, which take a second, %d polls of %s in half an hour, every three seconds", slow, n, stream)
					}
				}
			})
		})
	}
}

// A list that is asked as often as its own shortest interval allows waits a tenth longer for another, and no more.
func TestPolledTogetherNoLaterThanByJitter(t *testing.T) {
	bubble(t, func(t *testing.T) { // nothing is on: every quarter of an hour
		s := newService()
		for i := range s.lists {
			s.lists[i].Every = map[string]time.Duration{"events": 23 * time.Minute, "payments": 20 * time.Minute}[s.lists[i].Name]
		}
		h := run(t, s, logtest.New())
		began := time.Now()
		pass(60 * time.Hour)
		payments := h.requests("payments", began)
		if len(payments) < 100 {
			t.Errorf("%d polls of payments", len(payments))
		}
		for i := range payments[1:] {
			if wait := payments[i+1].at.Sub(payments[i].at); wait < 20*time.Minute || wait > 22*time.Minute+time.Second {
				t.Errorf("a list that may be asked every 20 minutes is asked after %v", wait)
			}
		}
	})
}

// A list is polled at the moment that was planned, also where it waited for what the others of its moment brought: next time they are
// polled together again, and what they bring is published together.
func TestPollsKeepTheirMoment(t *testing.T) {
	bubble(t, func(t *testing.T) { // it is 19:00, and doors are open
		s := newService()
		s.put(eveningEvent("evt", 20*time.Hour))
		s.page = func(stream string, _ apiclient.Query, _ int) error {
			if stream == "payments" {
				time.Sleep(100 * time.Millisecond)
			}
			return nil
		}
		h := run(t, s, logtest.New())
		pass(time.Minute)
		before := h.publications.Load()
		for i := range 20 {
			s.put(sale(fmt.Sprint("tkt_", i), "evt"))
			planned := h.log.State("tickets").Next
			pass(time.Until(planned) + 400*time.Millisecond)
			asked := h.requests("tickets", planned.Add(-time.Second))
			if len(asked) != 1 || asked[0].at.Sub(planned).Abs() > 5*time.Millisecond {
				t.Errorf("poll %d was planned for %v: %v", i, planned, asked)
			}
			if sold := h.sold("evt"); sold != 2*(i+1) {
				t.Errorf("%d places sold after sale %d", sold, i+1)
			}
		}
		if n := h.publications.Load() - before; n < 20 || n > 25 {
			t.Errorf("%d publications of 20 sales", n)
		}
	})
}
