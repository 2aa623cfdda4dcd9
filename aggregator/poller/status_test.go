package poller_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/logtest"
	"housecount/apiclient"
	"housecount/apiclient/record"
)

// A stream that hangs stops no other, is soon seen to be late, and is asked only once.
func TestStall(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := tonight()
		h := run(t, s, logtest.New())
		hang := make(chan struct{})
		s.set(func() { s.hang["tickets"] = hang })
		began := time.Now()
		good := h.health("tickets").LastGood
		pass(4 * time.Second)
		s.put(paid("pay_new", "evt_big"))
		pass(time.Minute)

		if got := h.Snapshot().Event("evt_big").Revenue.Of(figures.Received).Value.In("EUR"); got != 10000 {
			t.Errorf("received %d, want 10000", got)
		}
		for _, stream := range []string{"events", "payments"} {
			if got := len(h.questions(stream, began)); got < 10 {
				t.Errorf("%s was asked for %d times in a minute", stream, got)
			}
		}
		if got := len(h.questions("tickets", began.Add(time.Second))); got != 1 {
			t.Errorf("%d polls of tickets at once", got)
		}
		ticket := h.health("tickets")
		if ticket.Missed < 5 || ticket.Fault != figures.FaultUnanswered || !ticket.LastGood.Equal(good) || !h.Snapshot().AsOf.Equal(good) {
			t.Errorf("after a minute's silence: %+v, as of %v", ticket, h.Snapshot().AsOf)
		}

		s.set(func() { delete(s.hang, "tickets") })
		close(hang)
		synctest.Wait()
		if ticket = h.health("tickets"); ticket.Missed != 0 || ticket.Fault != "" {
			t.Errorf("after the answer: %+v", ticket)
		}
	})
}

// A fault is counted poll by poll, its figures stay, and it is over within half a minute
// of the service's return; the log has one line for either.
func TestFaultAndRecovery(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := tonight()
		h := run(t, s, logtest.New())
		began := time.Now()
		s.set(func() {
			for _, stream := range lists {
				s.fail[stream] = &apiclient.Error{Kind: apiclient.Server, Stream: stream, Status: 503, Message: "secret"}
			}
		})
		pass(4 * time.Second)
		if got := h.health("tickets"); got.Missed != 1 || got.Fault != figures.FaultServer || got.FaultStatus != 503 {
			t.Errorf("after the first miss: %+v", got)
		}
		pass(3 * time.Second)
		if got := h.health("tickets"); got.Missed != 2 {
			t.Errorf("after the second miss: %+v", got)
		}
		pass(5 * time.Minute)
		ticket := h.health("tickets")
		if polls := len(h.questions("tickets", began.Add(time.Second))); polls != ticket.Missed || polls < 12 || polls > 17 {
			t.Errorf("%d polls in five minutes, %d missed", polls, ticket.Missed)
		}
		if h.sold("evt_big") != 6 || !h.Snapshot().AsOf.Equal(began) || !ticket.LastGood.Equal(began) {
			t.Errorf("%d places sold as of %v; the last good figures should stay", h.sold("evt_big"), h.Snapshot().AsOf)
		}

		s.put(sale("tkt_new", "evt_big"))
		s.set(func() { clear(s.fail) })
		pass(33 * time.Second)
		if got := h.health("tickets"); got.Missed != 0 || got.Fault != "" || got.FaultStatus != 0 {
			t.Errorf("after the return: %+v", got)
		}
		if got := h.sold("evt_big"); got != 8 {
			t.Errorf("%d places sold, want 8", got)
		}
		lines := h.logs.String()
		if bad, good := strings.Count(lines, "level=WARN"), strings.Count(lines, "stream is back"); bad != 3 || good != 3 {
			t.Errorf("%d warnings and %d recoveries for three streams:\n%s", bad, good, lines)
		}
		polls := map[figures.Fault]int{}
		for len(h.polls) > 0 {
			if p := <-h.polls; p.Stream == "tickets" {
				polls[p.Fault]++
			}
		}
		if polls[figures.FaultServer] != ticket.Missed || polls[""] < 2 || len(polls) != 2 {
			t.Errorf("%v were reported, want %d that failed", polls, ticket.Missed)
		}
	})
}

func TestNotOffered(t *testing.T) {
	for _, c := range []struct {
		kind  apiclient.ErrorKind
		fault figures.Fault
	}{{apiclient.NotOffered, figures.FaultNotOffered}, {apiclient.Forbidden, figures.FaultForbidden}} {
		t.Run(string(c.kind), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := tonight()
				s.fail["payments"] = &apiclient.Error{Kind: c.kind, Stream: "payments"}
				h := run(t, s, logtest.New())
				pass(190 * time.Minute)
				polls := h.questions("payments", time.Time{})
				if len(polls) != 4 && len(polls) != 3 {
					t.Fatalf("%d polls in three hours", len(polls))
				}
				for i, l := range polls[1:] {
					if gap := l.at.Sub(polls[i].at); gap < 54*time.Minute || gap > 66*time.Minute {
						t.Errorf("asked again after %v", gap)
					}
				}
				if got := h.health("payments"); got.Fault != c.fault || got.Complete {
					t.Errorf("health %+v", got)
				}
				if got := h.Snapshot().Total.Net.Reasons; !slices.Contains(got, figures.ReasonNoPayments) {
					t.Errorf("net received has the reasons %v", got)
				}
				// The time of a stream that was never read does not make the others old.
				if got := h.Snapshot().AsOf; got.IsZero() {
					t.Error("no as-of time")
				}

				s.set(func() { clear(s.fail) })
				pass(70 * time.Minute)
				if got := h.Snapshot().Total.Net; got.Value.In("EUR") != 20000 || slices.Contains(got.Reasons, figures.ReasonNoPayments) {
					t.Errorf("net received after all: %+v", got)
				}
			})
		})
	}
}

// Nothing goes without events: a 404 on them alarms and is asked again soon.
func TestNoEvents(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := tonight()
		s.fail["events"] = &apiclient.Error{Kind: apiclient.NotOffered, Stream: "events", Status: 404}
		h := run(t, s, logtest.New())
		pass(3 * time.Minute)
		if got := h.health("events"); got.Fault != figures.FaultRejected || got.Missed < 2 || got.FaultStatus != 404 {
			t.Errorf("health %+v", got)
		}
		s.set(func() { clear(s.fail) })
		pass(70 * time.Second)
		if got := h.sold("evt_big"); got != 6 {
			t.Errorf("%d places sold, want 6", got)
		}
	})
}

// One of several lists of events may be missing.
func TestNoSecondEvents(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := tonight()
		s.lists = append(s.lists, apiclient.Stream{Name: "series", Gives: []record.Kind{record.KindEvent}})
		s.fail["series"] = &apiclient.Error{Kind: apiclient.NotOffered, Stream: "series"}
		h := run(t, s, logtest.New())
		pass(3 * time.Minute)
		if got, light := h.health("series"), h.Snapshot().Health.Light(); got.Fault != figures.FaultNotOffered || light != figures.Green {
			t.Errorf("health %+v, light %s", got, light)
		}
	})
}

// A stream that was there a moment ago is not given up for an hour.
func TestNotOfferedForAMoment(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := tonight()
		h := run(t, s, logtest.New())
		s.set(func() {
			s.fail["tickets"] = &apiclient.Error{Kind: apiclient.NotOffered, Stream: "tickets"}
		})
		pass(time.Minute)
		if got := h.health("tickets"); got.Fault != figures.FaultRejected || h.Snapshot().Health.Light() != figures.Red {
			t.Errorf("health %+v, light %s; a lost stream should alarm", got, h.Snapshot().Health.Light())
		}
		s.set(func() { clear(s.fail) })
		pass(33 * time.Second)
		if got := h.health("tickets"); got.Missed != 0 || got.Fault != "" {
			t.Errorf("half a minute after the return: %+v", got)
		}
		s.set(func() {
			s.fail["tickets"] = &apiclient.Error{Kind: apiclient.NotOffered, Stream: "tickets"}
		})
		pass(2 * time.Hour)
		if got := h.health("tickets"); got.Fault != figures.FaultNotOffered {
			t.Errorf("two hours later: %+v", got)
		}
		if got := time.Since(h.Snapshot().AsOf); got > time.Hour {
			t.Errorf("a stream that is not offered makes the figures %v old", got)
		}
	})
}

// Nor right after a restart.
func TestNotOfferedAfterRestart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, log := tonight(), logtest.New()
		if err := run(t, s, log).stop(); err != nil {
			t.Fatal(err)
		}
		pass(10 * time.Minute)
		s.fail["tickets"] = &apiclient.Error{Kind: apiclient.Forbidden, Stream: "tickets"}
		h := run(t, s, log)
		if got := h.health("tickets"); got.Fault != figures.FaultRejected {
			t.Errorf("health %+v", got)
		}
		if got := h.Snapshot().Event("evt_big").Sold; !got.Known() || got.Value != 6 {
			t.Errorf("sold %+v, want the 6 of before", got)
		}
		pass(time.Minute)
		s.set(func() { clear(s.fail) })
		pass(33 * time.Second)
		if got := h.health("tickets"); got.Missed != 0 || got.Fault != "" {
			t.Errorf("half a minute after the return: %+v", got)
		}

		// A stream that is gone for longer is not made up for at every restart.
		s.set(func() {
			s.fail["tickets"] = &apiclient.Error{Kind: apiclient.NotOffered, Stream: "tickets"}
		})
		if err := h.stop(); err != nil {
			t.Fatal(err)
		}
		pass(2 * time.Hour)
		if got := run(t, s, log).health("tickets"); got.Fault != figures.FaultNotOffered {
			t.Errorf("two hours later: %+v", got)
		}
	})
}

// While we hold our questions back, nobody is late.
func TestPausedIsNotLate(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := tonight()
		h := run(t, s, logtest.New())
		hang := make(chan struct{})
		defer close(hang)
		s.set(func() {
			s.hang["tickets"] = hang
			s.paused = time.Now().Add(50 * time.Second)
		})
		pass(55 * time.Second)
		if got := h.health("tickets"); got.Missed != 0 || got.Fault != "" {
			t.Errorf("after a pause of our own: %+v", got)
		}
		pass(7 * time.Second)
		if got := h.health("tickets"); got.Missed != 1 || got.Fault != figures.FaultUnanswered {
			t.Errorf("ten seconds after the question: %+v", got)
		}
	})
}

// A limit of the service that holds our questions back for longer than an answer may take is
// named while it does, with its end, and is gone with the first answer.
func TestHeldBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := tonight()
		h := run(t, s, logtest.New())
		hold := func(limit time.Duration) {
			hang := make(chan struct{})
			s.set(func() {
				s.hang["tickets"], s.limited = hang, time.Now().Add(limit)
			})
			time.AfterFunc(limit, func() {
				s.set(func() { delete(s.hang, "tickets") })
				close(hang)
			})
		}
		polled := h.health("tickets").Next
		pass(time.Until(polled) - time.Second)
		hold(9 * time.Second) // eight of them are of the poll
		pass(8 * time.Second)
		if got, light := h.health("tickets"), h.Snapshot().Health.Light(); got.Held() || light != figures.Green {
			t.Errorf("in a pause that nobody has to notice: %+v, %s", got, light)
		}
		pass(10 * time.Second)

		polled = h.health("tickets").Next
		pass(time.Until(polled) - time.Second)
		until := time.Now().Add(50 * time.Second)
		hold(50 * time.Second)
		pass(3 * time.Second)
		for range 2 { // the time stands still while we wait
			got := h.health("tickets")
			if light := h.Snapshot().Health.Light(); !got.Held() || got.Missed != 0 || got.Next.Sub(until).Abs() > time.Second || light != figures.Amber {
				t.Errorf("held back until %v: %+v, %s", until, got, light)
			}
			pass(40 * time.Second)
		}
		pass(8 * time.Second)
		if got, light := h.health("tickets"), h.Snapshot().Health.Light(); got.Fault != "" || light != figures.Green {
			t.Errorf("after the answer: %+v, %s", got, light)
		}
	})
}

// Several short limits in a row are one long one, and a page ends it though others are to come.
func TestHeldBackAgainAndAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := tonight()
		s.pageSize = 2
		last := make(chan struct{})
		s.page = func(stream string, q apiclient.Query, n int) error {
			switch {
			case stream != "tickets":
			case n == 1:
				for range 4 {
					s.set(func() { s.limited = time.Now().Add(6 * time.Second) })
					time.Sleep(6 * time.Second)
				}
			case n == 2:
				<-last
			}
			return nil
		}
		defer close(last)
		h := run(t, s, logtest.New())
		pass(12 * time.Second)
		if got := h.health("tickets"); !got.Held() || got.Missed != 0 {
			t.Errorf("told to wait six seconds again and again: %+v", got)
		}
		pass(15 * time.Second)
		if got := h.health("tickets"); got.Fault != "" {
			t.Errorf("after a page: %+v", got)
		}
	})
}

func TestRateLimited(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := tonight()
		h := run(t, s, logtest.New())
		began := time.Now()
		s.set(func() {
			s.fail["tickets"] = &apiclient.Error{Kind: apiclient.RateLimited, Status: 429, RetryAfter: 4 * time.Minute}
		})
		pass(5 * time.Second)
		s.set(func() { clear(s.fail) })
		ticket := h.health("tickets")
		if left := time.Until(ticket.Next); ticket.Fault != figures.FaultRateLimited || left < 3*time.Minute+50*time.Second {
			t.Errorf("health %+v, asked again in %v", ticket, left)
		}
		pass(3*time.Minute + 50*time.Second)
		if got := len(h.questions("tickets", began.Add(time.Second))); got != 1 {
			t.Errorf("%d polls in the time that the service asked for", got)
		}
		pass(15 * time.Second)
		if got := h.health("tickets"); got.Missed != 0 {
			t.Errorf("after the wait: %+v", got)
		}
	})
}

func TestPace(t *testing.T) {
	bubble(t, func(t *testing.T) { // it is 19:00
		s := newService()
		s.put(eveningEvent("evt", 44*time.Hour)) // 20:00 tomorrow, doors 19:00
		h := run(t, s, logtest.New())
		polls := func(hours float64) int {
			began := time.Now()
			pass(time.Duration(hours * float64(time.Hour)))
			return len(h.questions("tickets", began.Add(time.Millisecond)))
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
		if got := h.questions("tickets", began.Add(10*time.Minute)); len(got) < 15 {
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

// A service that ignores for a while that only changes are asked for is said to, until it
// does not.
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
