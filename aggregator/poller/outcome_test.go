package poller_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/logtest"
	"housecount/apiclient"
	"housecount/apiclient/record"
)

// A fault is counted poll by poll and its figures stay. It ends within two polls of the service's return, which is asked
// much less meanwhile than one that is well. Start and end are one log line each.
func TestFaultAndRecovery(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := tonight()
		h := run(t, s, logtest.New())
		began, before := time.Now(), h.health("tickets").Answers
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
		if polls := len(h.requests("tickets", began.Add(time.Second))); polls != ticket.Missed || polls < 12 || polls > 17 {
			t.Errorf("%d polls in five minutes, %d missed", polls, ticket.Missed)
		}
		all := 0
		for _, stream := range lists {
			all += len(h.requests(stream, began.Add(time.Second)))
		}
		if all < 60 || all > 90 {
			t.Errorf("%d polls of three lists in five minutes, want those of one within two polls and of the others up to half a minute apart", all)
		}
		if h.sold("evt_big") != 6 || !h.Snapshot().AsOf.Equal(began) || !ticket.LastGood.Equal(began) {
			t.Errorf("%d places sold as of %v; the last good figures should stay", h.sold("evt_big"), h.Snapshot().AsOf)
		}

		s.put(sale("tkt_new", "evt_big"))
		s.set(func() { clear(s.fail) })
		pass(7 * time.Second)
		if got := h.health("tickets"); got.Missed != 0 || got.Fault != "" || got.FaultStatus != 0 {
			t.Errorf("after the return: %+v", got)
		} else if over := got.Past[0]; over.Fault != figures.FaultServer || over.Status != 503 || !over.From.Equal(began) || over.Until.Before(began.Add(5*time.Minute)) || over.Until.After(got.LastGood) || got.Past[1] != (figures.PastFault{}) {
			t.Errorf("what is over: %+v", got.Past)
		} else if before.IsZero() || before.After(began) || !got.Answers.Equal(over.Until) {
			t.Errorf("it answers since %v, before that since %v", got.Answers, before)
		}
		if got := h.sold("evt_big"); got != 8 {
			t.Errorf("%d places sold, want 8", got)
		}
		lines := h.logs.String()
		if bad, good := strings.Count(lines, "level=WARN"), strings.Count(lines, "stream is back"); bad != 1 || good != 1 {
			t.Errorf("%d warnings and %d recoveries for three streams of one service:\n%s", bad, good, lines)
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

// What nobody asked for long, as when the program was off, is no time in which the service answered.
func TestNotAskedIsNoAnswer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, db := tonight(), logtest.New()
		h := run(t, s, db)
		pass(time.Minute)
		first := h.health("tickets").Answers
		if err := h.stop(); err != nil {
			t.Fatal(err)
		}
		for _, off := range []time.Duration{time.Minute, 3 * time.Hour} {
			time.Sleep(off)
			back := time.Now()
			h = run(t, s, db)
			pass(time.Minute)
			if got := h.health("tickets").Answers; first.IsZero() || off < time.Hour && !got.Equal(first) || off > time.Hour && got.Before(back) {
				t.Errorf("after %s off it answers since %v, at first since %v", off, got, first)
			}
			if err := h.stop(); err != nil {
				t.Fatal(err)
			}
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
				polls := slices.CompactFunc(h.requests("payments", time.Time{}), func(a, b request) bool { return a.at.Equal(b.at) }) // tonight's, and all
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
				// A stream that was never read does not make the others seem old.
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

// Nothing works without events: a 404 on them alarms and is retried soon.
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

// A 404 on a stream that has just answered does not stop polling it for an hour.
func TestNotOfferedBriefly(t *testing.T) {
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

// Nor does a 404 right after a restart.
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

		// A stream that has been gone for longer is not tried again at every restart.
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
		if got := len(h.requests("tickets", began.Add(time.Second))); got != 1 {
			t.Errorf("%d polls in the time that the service asked for", got)
		}
		pass(15 * time.Second)
		if got := h.health("tickets"); got.Missed != 0 {
			t.Errorf("after the wait: %+v", got)
		}
	})
}

// A list is polled no more often than its Every.
func TestEvery(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := orders()
		s.lists[1].Every = 10 * time.Minute
		h := run(t, s, logtest.New())
		began := time.Now()
		pass(25 * time.Minute)
		if got := len(h.requests("orders", began.Add(time.Second))); got != 2 {
			t.Errorf("%d polls in 25 minutes, want one every ten", got)
		}
		s.set(func() { s.fail["orders"] = &apiclient.Error{Kind: apiclient.Server, Stream: "orders"} })
		began = time.Now()
		pass(25 * time.Minute)
		if got := len(h.requests("orders", began.Add(time.Second))); got < 2 || got > 3 {
			t.Errorf("%d polls in 25 minutes of failure, want one every ten", got)
		}
	})
}
