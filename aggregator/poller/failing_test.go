package poller_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/logtest"
	"housecount/apiclient"
	"housecount/apiclient/record"
)

// saidOfStreams returns what the log says of streams that fail: of each line its message and streams.
func (h *house) saidOfStreams() (all []string) {
	for line := range strings.Lines(h.logs.String()) {
		if _, said, ok := strings.Cut(line, `msg="stream `); ok {
			what, rest, _ := strings.Cut(said, `"`)
			_, names, _ := strings.Cut(rest, "=")
			names, _, _ = strings.Cut(names, " ")
			all = append(all, what+" "+names)
		}
	}
	return all
}

// An outage of a service is one line of log when it begins, one every ten minutes and one when it ends, however many lists it
// has and however often each answers in between. What fails for another reason has lines of its own.
func TestOutageInLog(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := tonight()
		h := run(t, s, logtest.New())
		pass(time.Minute)
		fail := func(stream string, kind apiclient.ErrorKind) {
			s.set(func() {
				if delete(s.fail, stream); kind != apiclient.Unknown {
					s.fail[stream] = &apiclient.Error{Kind: kind, Stream: stream}
				}
			})
		}
		for _, stream := range lists {
			fail(stream, apiclient.Server)
		}
		pass(33 * time.Second)
		said := h.saidOfStreams()
		if len(said) != 1 || !strings.HasPrefix(said[0], "fails ") {
			t.Fatalf("within 33 seconds: %q", said)
		}
		began := said[0]
		fail("tickets", apiclient.Unknown) // which answers for two minutes
		pass(2 * time.Minute)
		fail("tickets", apiclient.Server)
		pass(7*time.Minute + 26*time.Second) // ten minutes but for a second
		if said = h.saidOfStreams(); len(said) != 1 {
			t.Fatalf("before ten minutes are over: %q", said)
		}
		pass(time.Minute + time.Second)
		for _, stream := range lists {
			fail(stream, apiclient.Unreachable) // the same outage
		}
		everything := strings.Join(slices.Sorted(slices.Values(lists)), ",")
		if said = h.saidOfStreams(); !slices.Equal(said, []string{began, "still fails " + everything}) {
			t.Fatalf("after ten minutes: %q", said)
		}
		pass(20 * time.Minute)
		for _, stream := range lists {
			fail(stream, apiclient.Unknown)
		}
		pass(5 * time.Minute)
		whole := []string{began, "still fails " + everything, "still fails " + everything, "still fails " + everything, "is back " + everything}
		if said = h.saidOfStreams(); !slices.Equal(said, whole) {
			t.Errorf("a whole outage:\n%q, want\n%q", said, whole)
		}

		fail("tickets", apiclient.Server)
		fail("payments", apiclient.Garbage)
		pass(5 * time.Minute)
		fail("tickets", apiclient.Unknown)
		fail("payments", apiclient.Unknown)
		pass(10 * time.Minute)
		said = h.saidOfStreams()[len(whole):]
		slices.Sort(said)
		if want := []string{"fails payments", "fails tickets", "is back payments", "is back tickets"}; !slices.Equal(said, want) {
			t.Errorf("two reasons: %q, want %q", said, want)
		}
	})
}

// A list that the service does not offer is no outage: it has one line, and no list that fails and answers beside it lacks its own.
func TestNotOfferedInLog(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := tonight()
		s.lists = append(s.lists, apiclient.Stream{Name: "series", Gives: []record.Kind{record.KindEvent}}, apiclient.Stream{Name: "gifts", Gives: []record.Kind{record.KindTicket}})
		s.fail["series"] = &apiclient.Error{Kind: apiclient.NotOffered, Stream: "series"}
		h := run(t, s, logtest.New())
		pass(3 * time.Hour)
		if got := h.saidOfStreams(); !slices.Equal(got, []string{"fails series"}) {
			t.Fatalf("never offered: %q", got)
		}
		// A list that answered once is one that fails, until it counts as not offered.
		s.set(func() { s.fail["gifts"] = &apiclient.Error{Kind: apiclient.NotOffered, Stream: "gifts"} })
		pass(3 * time.Hour)
		said := h.saidOfStreams()[1:]
		if len(said) < 5 || len(said) > 9 || said[0] != "fails gifts" || said[len(said)-2] != "still fails gifts" || said[len(said)-1] != "fails gifts" {
			t.Fatalf("offered no more: %q", said)
		}
		before := len(h.saidOfStreams())
		s.set(func() { s.fail["tickets"] = &apiclient.Error{Kind: apiclient.NotOffered, Stream: "tickets"} })
		pass(30 * time.Minute)
		s.set(func() { delete(s.fail, "tickets") })
		pass(30 * time.Minute)
		if got := h.saidOfStreams()[before:]; len(got) < 2 || got[0] != "fails tickets" || got[len(got)-1] != "is back tickets" {
			t.Errorf("another that fails for a while: %q", got)
		}
		before = len(h.saidOfStreams())
		s.set(func() { clear(s.fail) })
		pass(70 * time.Minute)
		got := h.saidOfStreams()[before:]
		slices.Sort(got)
		if !slices.Equal(got, []string{"is back gifts", "is back series"}) {
			t.Errorf("offered after all: %q", got)
		}
	})
}
