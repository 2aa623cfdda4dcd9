package poller_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/logtest"
	"housecount/apiclient"
)

func TestFirstSync(t *testing.T) {
	bubble(t, func(t *testing.T) {
		began := time.Now()
		h := run(t, tonight(), logtest.New())
		var order []string
		for _, a := range h.asked {
			order = append(order, strings.TrimSpace(a.stream+" "+a.query.EventID))
			if !a.query.UpdatedSince.IsZero() {
				t.Errorf("a first sync asked for %s since %v", a.stream, a.query.UpdatedSince)
			}
		}
		// Tonight's come first, and what is sold and what is paid by turns.
		if order[0] != "events" {
			t.Errorf("asked %q", order)
		}
		for _, list := range []string{"tickets", "payments"} {
			of := slices.DeleteFunc(slices.Clone(order), func(asked string) bool { return !strings.HasPrefix(asked, list) })
			if want := []string{list + " evt_big", list + " evt_small", list + " evt_later", list}; !slices.Equal(of, want) {
				t.Errorf("asked %q, want %q", of, want)
			}
		}
		if got := h.sold("evt_big"); got != 6 || !h.Ready() {
			t.Errorf("%d places sold, ready %v; want 6, true", got, h.Ready())
		}
		if got := h.Snapshot().Total.Of(figures.Received).Value.In("EUR"); got != 20000 {
			t.Errorf("received %d, want 20000", got)
		}
		for _, stream := range lists {
			if got, want := markOf(h.log, stream), (mark{Since: began, Whole: began}); got != want {
				t.Errorf("mark %+v, want %+v", got, want)
			}
			if got := h.health(stream); !got.Complete || !got.LastGood.Equal(began) || got.Took != time.Millisecond || !got.Next.After(began) {
				t.Errorf("health %+v", got)
			}
		}
		if got := h.health("tickets"); got.Read != 12 {
			t.Errorf("%d tickets read, want 12", got.Read)
		}

		// From then on only changes are requested.
		h.put(sale("tkt_new", "evt_big"))
		pass(4 * time.Second)
		polls := h.requests("tickets", began.Add(time.Second))
		if len(polls) != 1 || !polls[0].query.UpdatedSince.Equal(began.Add(-2*time.Minute)) {
			t.Errorf("asked %+v, want one question since two minutes before %v", polls, began)
		}
		if got := h.sold("evt_big"); got != 8 {
			t.Errorf("%d places sold, want 8", got)
		}
		if got := h.Snapshot().AsOf; got.Before(began.Add(2*time.Second)) || got.After(time.Now()) {
			t.Errorf("as of %v, a moment ago is %v", got, time.Now())
		}
	})
}

// A page that fails leaves the records before it, and the position to resume from.
func TestFirstSyncResumes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := tonight()
		s.pageSize = 5
		failures := 1
		s.page = func(stream string, q apiclient.Query, n int) error {
			if stream == "tickets" && q.EventID == "" && n == 2 && failures > 0 {
				failures--
				return &apiclient.Error{Kind: apiclient.Garbage, Stream: stream}
			}
			return nil
		}
		h := run(t, s, logtest.New())
		ticket := h.health("tickets")
		if ticket.Complete || ticket.Missed != 1 || ticket.Fault != figures.FaultGarbage || ticket.Read != 5 {
			t.Errorf("after the failure: %+v", ticket)
		}
		began := time.Now()
		if got, want := markOf(h.log, "tickets"), (mark{Began: began, From: "page 2"}); got != want {
			t.Errorf("a broken sync left the mark %+v, want %+v", got, want)
		}
		if past, big := h.sold("evt_past"), h.sold("evt_big"); past != 6 || big != 6 {
			t.Errorf("sold %d and %d; what was read should count", past, big)
		}
		if !h.health("payments").Complete {
			t.Error("payments wait for more than the first poll of tickets")
		}
		pass(4 * time.Second)
		ticket = h.health("tickets")
		if !ticket.Complete || ticket.Missed != 0 || ticket.Fault != "" || ticket.FaultStatus != 0 || ticket.Read != 12 {
			t.Errorf("after the second try: %+v", ticket)
		}
		if polls := h.requests("tickets", began.Add(time.Second)); polls[0].query.From != "page 2" || polls[0].query.EventID != "" {
			t.Errorf("went on with %+v", polls[0])
		}
		if got := markOf(h.log, "tickets"); !got.Since.After(began) || !got.Began.IsZero() || got.From != "" || !got.Whole.After(began) {
			t.Errorf("mark after a whole sync: %+v", got)
		}
	})
}

// A crash in the part for tonight costs one page too.
func TestTonightAfterRestart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, log := tonight(), logtest.New()
		s.pageSize = 2
		hang := make(chan struct{})
		s.page = func(stream string, q apiclient.Query, n int) error {
			if stream == "tickets" && q.EventID == "evt_small" && n == 2 {
				s.set(func() { s.hang[stream], s.page = hang, nil })
			}
			return nil
		}
		h := run(t, s, log)
		pass(time.Second)
		if err := h.stop(); err != nil {
			t.Fatal(err)
		}
		close(hang)
		s.set(func() { clear(s.hang) })
		restarted := time.Now()
		run(t, s, log)
		pass(time.Second)
		var asked []string
		for _, a := range s.requests("tickets", restarted) {
			asked = append(asked, a.query.EventID+" "+a.query.From)
		}
		if want := []string{"evt_small page 2", "evt_later ", " "}; len(asked) < 3 || !slices.Equal(asked[:3], want) {
			t.Errorf("asked %q, want %q", asked, want)
		}
		if state := log.State("tickets"); !state.Complete() || state.Tonight != "" || state.TonightResume != "" {
			t.Errorf("the log has %+v", state)
		}
	})
}

// The large pages of a first sync are stored together, up to eight thousand records or half a second, and a crash costs
// no more of them; no record is missed.
func TestFirstSyncStoresPagesTogether(t *testing.T) {
	for name, test := range map[string]struct {
		takes      time.Duration
		page, rows int
		from       string
	}{"fast": {0, 1000, 10_000, "page 8"}, "slow": {225 * time.Millisecond, 250, 4000, "page 9"}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s, log := tonight(), logtest.New()
				s.pageSize = test.page
				for n := range test.rows {
					old := sale(fmt.Sprintf("tkt_old%05d", n), "evt_past")
					old.UpdatedAt = old.UpdatedAt.Add(-time.Hour)
					s.put(old)
				}
				hang := make(chan struct{})
				s.page = func(stream string, q apiclient.Query, n int) error {
					if stream == "tickets" && q.EventID == "" {
						<-time.After(test.takes)
						if n == min(11, test.rows/test.page) {
							s.set(func() { s.hang[stream], s.page = hang, nil })
						}
					}
					return nil
				}
				h := run(t, s, log)
				pass(3 * time.Second)
				if err := h.stop(); err != nil {
					t.Fatal(err)
				}
				close(hang)
				delete(s.hang, "tickets")
				pass(time.Hour)
				h = run(t, s, log)
				polls := h.requests("tickets", time.Now())
				if polls[0].query.From != test.from {
					t.Errorf("goes on at %q, want %s", polls[0].query.From, test.from)
				}
				pass(time.Minute)
				if got := h.sold("evt_past"); got != 2*test.rows+6 {
					t.Errorf("%d places sold", got)
				}
			})
		})
	}
}

// A crash in the middle of a first sync costs one page.
func TestFirstSyncAfterRestart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, log := tonight(), logtest.New()
		s.pageSize = 5
		hang := make(chan struct{})
		s.page = func(stream string, q apiclient.Query, n int) error {
			if stream == "tickets" && q.EventID == "" && n == 2 {
				s.set(func() { s.hang[stream], s.page = hang, nil })
			}
			return nil
		}
		h := run(t, s, log)
		pass(time.Second)
		if err := h.stop(); err != nil {
			t.Fatal(err)
		}
		close(hang)
		delete(s.hang, "tickets")
		began := markOf(log, "tickets").Began
		pass(time.Hour)
		changed := sale("tkt_10", "evt_big") // on a page that has been read
		changed.Quantity = new(3)
		s.put(changed, sale("tkt_13", "evt_big"))
		h = run(t, s, log)
		polls := h.requests("tickets", time.Now())
		if polls[0].query.From != "page 2" || !polls[1].query.UpdatedSince.Equal(began.Add(-2*time.Minute)) {
			t.Errorf("asked %+v, want to go on at page 2 and then for what changed since %v", polls, began)
		}
		if got := h.sold("evt_big"); got != 9 {
			t.Errorf("%d places sold, want 9", got)
		}
		for _, event := range []string{"evt_past", "evt_small", "evt_later"} {
			if got := h.sold(event); got != 6 {
				t.Errorf("%s: %d places sold, want 6", event, got)
			}
		}
	})
}

// Tonight's figures stay current during a long first sync.
func TestLongFirstSync(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := tonight()
		s.pageSize = 10
		for n := range 600 {
			s.put(sale(fmt.Sprint("tkt_old", n), "evt_past"))
		}
		s.page = func(stream string, q apiclient.Query, n int) error {
			if stream == "tickets" && q.EventID == "" && q.UpdatedSince.IsZero() {
				<-time.After(time.Second)
			}
			return nil
		}
		h := run(t, s, logtest.New())
		pass(20 * time.Second)
		s.put(sale("tkt_new", "evt_big"))
		pass(5 * time.Second)
		ticket := h.health("tickets")
		if ticket.Complete || ticket.Read == 0 {
			t.Fatalf("the sync should be in the middle: %+v", ticket)
		}
		if got := h.sold("evt_big"); got != 8 {
			t.Errorf("%d places sold during the sync, want 8", got)
		}
		pass(time.Minute)
		if mark, ticket := markOf(h.log, "tickets"), h.health("tickets"); !ticket.Complete || time.Since(mark.Since) > 10*time.Second {
			t.Errorf("after the sync: %+v, mark %v at %v", ticket, mark, time.Now())
		}
		if got := h.sold("evt_past"); got != 1206 {
			t.Errorf("%d places sold in the past, want 1206", got)
		}
	})
}

// A list without a filter for changes is not read whole after each of its pages.
func TestLongFirstSyncWithoutChanges(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := tonight()
		s.ignore, s.pageSize = true, 1
		for n := range 50 {
			s.put(sale(fmt.Sprint("tkt_old", n), "evt_past"))
		}
		s.page = func(stream string, _ apiclient.Query, _ int) error {
			if stream == "tickets" {
				<-time.After(time.Second)
			}
			return nil
		}
		h := run(t, s, logtest.New())
		pass(4 * time.Minute)
		if got := h.health("tickets"); !got.Complete {
			t.Errorf("a list of a minute is not read after four: %+v", got)
		}
	})
}

// A service without a filter by event is not read once per event.
func TestFirstSyncUnfiltered(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := tonight()
		s.ignore, s.pageSize = true, 5
		h := run(t, s, logtest.New())
		if got := len(h.requests("tickets", time.Time{})); got != 2 {
			t.Errorf("%d questions about tickets, want one that was given up and one for all", got)
		}
		if got := h.sold("evt_small"); got != 6 {
			t.Errorf("%d places sold, want 6", got)
		}
		found := func() []figures.Diagnostic {
			return slices.DeleteFunc(slices.Clone(h.Snapshot().Diagnostics), func(d figures.Diagnostic) bool { return d.Code != figures.CodeUnfiltered })
		}
		if got := found(); len(got) > 0 {
			t.Errorf("listed %+v before changes were asked for", got)
		}
		pass(4 * time.Second)
		if got := found(); len(got) != 3 || got[1].Text.String() != "the service sends all of tickets though only changes are asked for" {
			t.Errorf("listed %+v", got)
		}
	})
}

// A resume position that the service no longer accepts is dropped.
func TestResumePositionIsLost(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, log := tonight(), logtest.New()
		s.pageSize = 5
		log.SetState(aggregator.StreamState{Name: "tickets", Began: time.Now().Add(-time.Hour), Resume: "a place that was"})
		h := run(t, s, log)
		var asked []string
		for _, a := range h.requests("tickets", time.Time{}) {
			asked = append(asked, a.query.From+a.query.EventID)
		}
		if want := []string{"a place that was", "evt_big", "evt_small", "evt_later", ""}; !slices.Equal(asked, want) {
			t.Errorf("asked %q, want %q", asked, want)
		}
		ticket := h.health("tickets")
		if got := h.sold("evt_small"); got != 6 || !ticket.Complete || ticket.Read != 12 || ticket.Missed != 0 {
			t.Errorf("%d places sold, health %+v", got, ticket)
		}
		if got, want := markOf(log, "tickets"), (mark{Since: time.Now(), Whole: time.Now()}); got != want {
			t.Errorf("mark %+v, want %+v", got, want)
		}
	})
}

// A position that came from a wrong answer, where the service never goes on, is left: the list is read from its beginning.
func TestFirstSyncLeavesAFalsePosition(t *testing.T) {
	for _, kind := range []apiclient.ErrorKind{apiclient.Contradicts, apiclient.Endless} {
		t.Run(string(kind), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s, log := tonight(), logtest.New()
				log.SetState(aggregator.StreamState{Name: "tickets", Began: time.Now().Add(-time.Hour), Resume: "page 2"})
				log.SetState(aggregator.StreamState{Name: "payments", Tonight: "evt_big", TonightResume: "page 2"})
				s.pageSize = 5
				s.page = func(stream string, q apiclient.Query, n int) error {
					if q.From != "" {
						return &apiclient.Error{Kind: kind, Stream: stream}
					}
					return nil
				}
				h := run(t, s, log)
				if got := markOf(log, "tickets"); got.From != "page 2" {
					t.Errorf("after a first failure the mark is %+v, want it still at page 2", got)
				}
				pass(4 * time.Minute)
				for _, stream := range []string{"tickets", "payments"} {
					if got := h.health(stream); !got.Complete {
						t.Errorf("%s after %s: %+v", stream, kind, got)
					}
				}
			})
		})
	}
}

// An outage does not cost a first sync its position.
func TestResumePositionOutlivesAnOutage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, log := tonight(), logtest.New()
		mark := mark{Began: time.Now().Add(-time.Hour), From: "page 2"}
		log.SetState(aggregator.StreamState{Name: "tickets", Began: mark.Began, Resume: mark.From})
		s.pageSize = 5
		s.fail["tickets"] = &apiclient.Error{Kind: apiclient.Unreachable, Stream: "tickets"}
		h := run(t, s, log)
		pass(time.Minute)
		if got := markOf(log, "tickets"); got != mark {
			t.Errorf("mark %+v, want %+v", got, mark)
		}
		s.set(func() { clear(s.fail) })
		pass(33 * time.Second)
		polls := h.requests("tickets", time.Now().Add(-33*time.Second))
		if polls[0].query.From != "page 2" || !polls[1].query.UpdatedSince.Equal(mark.Began.Add(-2*time.Minute)) {
			t.Errorf("asked %+v, want to go on at page 2 and then for what changed since %v", polls[:2], mark.Began)
		}
		if got := h.health("tickets"); !got.Complete {
			t.Errorf("health %+v", got)
		}
	})
}
