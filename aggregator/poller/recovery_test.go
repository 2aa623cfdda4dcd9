package poller_test

import (
	"testing"
	"time"

	"housecount/aggregator/logtest"
	"housecount/apiclient"
)

// A list whose answers never end is asked for seldom while the others of its service answer, which are polled as ever: each time it
// costs many requests. Where none answers, one of them is asked for often.
func TestListWithoutAnEndIsAskedForSeldom(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := tonight()
		h := run(t, s, logtest.New())
		endless := func(stream string) error {
			return &apiclient.Error{Kind: apiclient.Endless, Stream: stream}
		}
		polls := func(stream string, since time.Time) int { return len(h.requests(stream, since)) }
		pass(time.Second)
		began := time.Now()
		s.set(func() { s.fail["tickets"] = endless("tickets") })
		pass(5 * time.Minute)
		if n := polls("tickets", began); n < 8 || n > 17 {
			t.Errorf("a list without an end is polled %d times in five minutes, want one in half a minute", n)
		}
		if n := polls("events", began); n < 90 {
			t.Errorf("another list is polled %d times in five minutes", n)
		}
		s.set(func() { clear(s.fail) })
		pass(40 * time.Second)
		if got := h.health("tickets"); got.Missed != 0 {
			t.Errorf("after it ended: %+v", got)
		}
		began = time.Now()
		s.set(func() {
			for _, stream := range lists {
				s.fail[stream] = endless(stream)
			}
		})
		pass(5 * time.Minute)
		all := 0
		for _, stream := range lists {
			all += polls(stream, began)
		}
		if all < 60 || all > 90 {
			t.Errorf("%d polls of three lists without an end in five minutes, want those of one within two polls", all)
		}
	})
}
