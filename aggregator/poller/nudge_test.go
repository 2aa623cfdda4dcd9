package poller_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"housecount/aggregator/logtest"
	"housecount/aggregator/poller"
	"housecount/apiclient"
	"housecount/apiclient/record"
)

// nudges counts what a service says of news.
type nudges struct {
	mu    sync.Mutex
	count map[string]int64
	err   error
	c     chan struct{}
}

func newNudges() *nudges { return &nudges{count: map[string]int64{}, c: make(chan struct{}, 1)} }

func (n *nudges) read(context.Context) (map[string]int64, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return maps.Clone(n.count), n.err
}

func (n *nudges) add(list string) {
	n.mu.Lock()
	n.count[list]++
	n.mu.Unlock()
	select {
	case n.c <- struct{}{}:
	default:
	}
}

func (n *nudges) set(o *options) { o.nudges, o.nudged = n.read, n.c }

// A list of which the service says that it has news is polled at once, but not more often than while people arrive.
func TestNudge(t *testing.T) {
	bubble(t, func(t *testing.T) { // it is 19:00, and nothing is on today
		s, n := newService(), newNudges()
		n.count["tickets"] = 7 // from before
		s.put(eveningEvent("evt", 44*time.Hour))
		h := run(t, s, logtest.New(), n.set, func(o *options) {
			o.cadence = poller.Cadence{Busy: 6 * time.Second, OnSale: time.Minute, Idle: 15 * time.Minute}
		})
		pass(20 * time.Minute)
		polled := func(list string, after func()) int {
			t.Helper()
			began := time.Now()
			after()
			return len(h.requests(list, began))
		}
		nudge := func(list string, wait time.Duration) func() {
			return func() {
				n.add(list)
				pass(wait)
			}
		}
		pass(10 * time.Second)
		s.put(sale("tkt", "evt"))
		if got := polled("tickets", nudge("tickets", time.Second)); got != 1 || h.sold("evt") != 2 {
			t.Errorf("%d polls in the second after a nudge, %d sold", got, h.sold("evt"))
		}
		if got := polled("payments", nudge("tickets", 7*time.Second)); got != 0 {
			t.Errorf("%d polls of a list that was not nudged", got)
		}
		pass(10 * time.Second)
		for _, list := range lists {
			if got := polled(list, nudge("", time.Second)); got != 1 {
				t.Errorf("%d polls of %s after a nudge of all lists", got, list)
			}
			pass(10 * time.Second)
		}
		storm := polled("tickets", func() {
			for range 600 { // a minute
				n.add("tickets")
				pass(100 * time.Millisecond)
			}
		})
		if storm < 9 || storm > 13 {
			t.Errorf("%d polls in a minute of 600 nudges, with 6 s between polls and three in a row", storm)
		}
		pass(time.Minute)
		if got := polled("tickets", func() {
			for range 3 {
				nudge("tickets", 1100*time.Millisecond)()
			}
		}); got != 3 {
			t.Errorf("%d polls after three nudges in as many seconds", got)
		}
		pass(10 * time.Second)
		if got := polled("tickets", func() { pass(10 * time.Minute) }); got > 1 {
			t.Errorf("%d polls in the ten minutes after", got)
		}
	})
}

// A list that is to rest between two reads does so whatever the service says.
func TestNudgeOfAListThatRests(t *testing.T) {
	bubble(t, func(t *testing.T) {
		n := newNudges()
		s := withLists(apiclient.Stream{Name: "events", Gives: []record.Kind{record.KindEvent}},
			apiclient.Stream{Name: "tickets", Gives: []record.Kind{record.KindTicket}, Every: 10 * time.Minute})
		s.put(eveningEvent("evt", 44*time.Hour))
		h := run(t, s, logtest.New(), n.set, func(o *options) { o.cadence = poller.Cadence{Busy: 6 * time.Second} })
		pass(20 * time.Minute)
		began := time.Now()
		for range 3600 { // an hour
			n.add("")
			pass(time.Second)
		}
		if got := len(h.requests("tickets", began)); got < 5 || got > 7 {
			t.Errorf("%d reads in an hour of a list that rests for ten minutes", got)
		}
		if got := len(h.requests("events", began)); got < 500 {
			t.Errorf("%d reads in an hour of one that does not", got)
		}
	})
}

// A list that fails is not asked more often because of nudges, and nudges that cannot be read are reported once and
// taken up again.
func TestNudgeWhileItFails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, n := tonight(), newNudges()
		h := run(t, s, logtest.New(), n.set, func(o *options) { o.cadence = poller.Cadence{Busy: 20 * time.Second} })
		pass(time.Minute)
		s.set(func() { s.fail["tickets"] = &apiclient.Error{Kind: apiclient.Unreachable, Stream: "tickets"} })
		pass(2 * time.Minute)
		began := time.Now()
		for range 600 {
			n.add("tickets")
			pass(100 * time.Millisecond)
		}
		if got := len(h.requests("tickets", began)); got > 3 {
			t.Errorf("%d requests in a minute of nudges, to a list that fails", got)
		}
		s.set(func() { delete(s.fail, "tickets") })
		n.mu.Lock()
		n.err = errors.New("no database")
		n.mu.Unlock()
		n.add("tickets")
		pass(2 * time.Minute)
		n.mu.Lock()
		n.err = nil
		n.mu.Unlock()
		pass(time.Minute)
		if got := strings.Count(h.logs.String(), "what the service says of news cannot be read"); got != 1 {
			t.Errorf("logged %d times:\n%s", got, h.logs)
		}
	})
}
