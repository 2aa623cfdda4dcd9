package poller_test

import (
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/logtest"
	"housecount/apiclient"
)

// A hanging stream does not stop the others, is soon reported as late, and is requested only once.
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
			if got := len(h.requests(stream, began)); got < 10 {
				t.Errorf("%s was asked for %d times in a minute", stream, got)
			}
		}
		if got := len(h.requests("tickets", began.Add(time.Second))); got != 1 {
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

// While requests are held back on our side, no stream is late.
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

// A limit of the service that holds requests back for longer than a response may take is reported
// with its end, and cleared by the first response.
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
		hold(9 * time.Second) // eight of them belong to the poll
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
		for range 2 { // the clock stands still while we wait
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

// Several short limits in a row count as one long one; a page ends it even if others follow.
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

// A long Retry-After on one stream holds the others back too, with the reason.
func TestLongRetryAfter(t *testing.T) {
	a, published, stop := asking(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v2/tickets":
			w.Header().Set("Retry-After", "600")
			w.WriteHeader(http.StatusTooManyRequests)
		case "/v2/contacts":
			t.Error("contacts were asked for")
			fallthrough
		default:
			empty(w)
		}
	})
	contacts := func() figures.StreamHealth { return a.Snapshot().Health.Streams[3] }
	for contacts().Next.IsZero() {
		<-published
	}
	for _, h := range []figures.StreamHealth{a.Snapshot().Health.Streams[1], contacts()} {
		if left := time.Until(h.Next); h.Fault != figures.FaultRateLimited || h.Missed != 1 || left < 9*time.Minute || left > 10*time.Minute {
			t.Errorf("%+v, asked again in %v", h, left)
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// Polls that find nothing write the times of a stream and publish nothing else.
func TestQuietMinute(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, db := tonight(), logtest.New()
		var mu sync.Mutex
		var changes []figures.Changes
		h := run(t, s, db, func(o *options) {
			o.changes = func(c figures.Changes) {
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
			polls += len(h.requests(stream, began.Add(time.Nanosecond)))
		}
		after := h.Snapshot()
		newStates, newAppends := db.Written()
		if polls < 50 || int(newStates-states) != polls || newAppends-appends != polls || len(changes) < polls/len(lists) || len(changes) > polls {
			t.Errorf("%d polls wrote %d rows in %d appends and published %d times", polls, newStates-states, newAppends-appends, len(changes))
		}
		t.Logf("%d polls, %d rows in %d appends, %d publications of the strip's times", polls, newStates-states, newAppends-appends, len(changes))
		for _, c := range changes {
			if c.Events != nil || c.Unattributed || c.All {
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
