package poller_test

import (
	"testing"
	"time"

	"housecount/aggregator/logtest"
	"housecount/apiclient"
	"housecount/apiclient/record"
)

func TestOverlap(t *testing.T) {
	for _, c := range []struct {
		name string
		// during is called before the second page of an incremental poll.
		during func(s *service)
		want   int
	}{
		{"a change on a page that was served", func(s *service) {
			changed := sale("tkt_10", "evt_big")
			changed.Status, changed.CancelledAt = record.TicketVoid, time.Now()
			s.put(changed)
		}, 4},
		{"a change that is committed late", func(s *service) {
			late := sale("tkt_late", "evt_big")
			late.UpdatedAt = time.Now().Add(-90 * time.Second)
			s.put(late)
		}, 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := tonight()
				h := run(t, s, logtest.New())
				s.set(func() {
					s.pageSize = 5
					s.page = func(stream string, _ apiclient.Query, n int) error {
						if stream == "tickets" && n == 2 {
							s.set(func() { s.page = nil })
							c.during(s)
						}
						return nil
					}
				})
				pass(10 * time.Second)
				if got := h.sold("evt_big"); got != c.want {
					t.Errorf("%d places sold, want %d", got, c.want)
				}
			})
		})
	}
}

// A service that reports no time is polled by our clock.
func TestUndated(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := tonight()
		s.undated = true
		h := run(t, s, logtest.New())
		if got := markOf(h.log, "tickets").Since; !got.Equal(time.Now()) {
			t.Errorf("mark at %v, want %v", got, time.Now())
		}
	})
}

// A lagging replica sends an old version after a new one.
func TestStalePage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := tonight()
		h := run(t, s, logtest.New())
		old := sale("tkt_10", "evt_big")
		pass(time.Second)
		void := sale("tkt_10", "evt_big")
		void.Status, void.CancelledAt = record.TicketVoid, time.Now()
		s.put(void)
		pass(4 * time.Second)
		position := h.Snapshot().Position.Revision
		if got := h.sold("evt_big"); got != 4 {
			t.Fatalf("%d places sold after the void, want 4", got)
		}
		s.put(old)
		pass(10 * time.Second)
		if got := h.sold("evt_big"); got != 4 || h.Snapshot().Position.Revision != position {
			t.Errorf("%d places sold at %v; an old page moved %v", got, h.Snapshot().Position, position)
		}
	})
}

// A restarted aggregator continues where the last one stopped, and no stream waits for another.
func TestResume(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, log := tonight(), logtest.New()
		began := time.Now()
		if err := run(t, s, log).stop(); err != nil {
			t.Fatal(err)
		}
		pass(time.Hour)
		s.put(sale("tkt_new", "evt_big"))
		s.hang["events"] = make(chan struct{})
		h := run(t, s, log)
		polls := h.requests("tickets", time.Now())
		if len(polls) != 1 || !polls[0].query.UpdatedSince.Equal(began.Add(-2*time.Minute)) {
			t.Errorf("asked %+v, want one question since two minutes before %v", polls, began)
		}
		if got := h.sold("evt_big"); got != 8 || !h.health("tickets").Complete {
			t.Errorf("%d places sold, want 8; health %+v", got, h.health("tickets"))
		}
	})
}

// A service whose Date header is ahead of its records must not move the mark past changes not yet
// reported.
func TestClockAhead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := tonight()
		s.ahead = 10 * time.Minute
		h := run(t, s, logtest.New())
		began := time.Now()
		if got := markOf(h.log, "tickets"); got.Since.After(began) {
			t.Errorf("the mark is %v, after %v", got.Since, began)
		}
		pass(time.Minute)
		for _, a := range h.requests("tickets", began.Add(time.Second)) {
			if a.query.UpdatedSince.After(a.at.Add(-2 * time.Minute)) {
				t.Errorf("at %v changes were asked for since %v", a.at, a.query.UpdatedSince)
			}
		}
	})
}

// A service whose clock is behind ours dates a change earlier than we read its list: the next poll has it all the same.
func TestClockBehind(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const behind = 10 * time.Minute
		s := tonight()
		s.ahead = -behind
		h := run(t, s, logtest.New())
		pass(time.Minute)
		late := sale("tkt_late", "evt_big")
		late.SoldAt, late.CreatedAt, late.UpdatedAt = time.Now().Add(-behind), time.Now().Add(-behind), time.Now().Add(-behind)
		s.put(late)
		pass(2 * time.Minute)
		if got := h.sold("evt_big"); got != 8 {
			t.Errorf("%d places sold, want 8", got)
		}
	})
}
