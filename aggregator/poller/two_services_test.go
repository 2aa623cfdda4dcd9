package poller_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/logtest"
	"housecount/apiclient"
	"housecount/apiclient/record"
)

// twoServices returns a service with a past event and ten tickets, beside it another one with ten tickets.
func twoServices() *service {
	s := soldOut(10)
	ofOther := func(id string) bool { return strings.HasPrefix(id, "other:") }
	for i := range s.lists {
		s.lists[i].Owns = func(id string) bool { return !ofOther(id) }
	}
	s.lists = append(s.lists, apiclient.Stream{Name: "other/tickets", Service: "other", Owns: ofOther, Gives: []record.Kind{record.KindTicket}})
	for i := range 10 {
		ticket := ticketOf(i)
		ticket.ID = "other:" + ticket.ID
		s.rows["other/tickets"] = append(s.rows["other/tickets"], ticket)
	}
	return s
}

// A service is read for the first time even while the service before it cannot be read.
func TestOneServiceDoesNotWaitForAnother(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := twoServices()
		s.hang = map[string]chan struct{}{"events": make(chan struct{})}
		h := run(t, s, logtest.New())
		pass(time.Minute)
		if h.health("tickets").Complete || !h.health("other/tickets").Complete {
			t.Errorf("tickets were read: %v, want false, the other service's: %v, want true", h.health("tickets").Complete, h.health("other/tickets").Complete)
		}
	})
}

// Of two services that both have tickets, a whole read of one deletes what that one has no longer, and nothing of the other;
// each is the only list of its kind in its own service, so that both are read whole.
func TestWholeReadOfOneOfTwoServices(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, log := twoServices(), logtest.New()
		h := run(t, s, log)
		began := time.Now().Add(time.Second)
		s.drop(ticketOf(3))
		s.set(func() { s.rows["other/tickets"] = s.rows["other/tickets"][1:] })
		pass(secondNight)
		for _, stream := range []string{"tickets", "other/tickets"} {
			if n := len(h.wholeReads(stream, began)); n == 0 {
				t.Errorf("%s was not read whole", stream)
			}
		}
		for i := range 10 {
			for _, id := range []string{fmt.Sprint("tkt_", i), fmt.Sprint("other:tkt_", i)} {
				if gone, want := isDeleted(t, log, &record.Ticket{ID: id}), id == "tkt_3" || id == "other:tkt_0"; gone != want {
					t.Errorf("%s: deleted is %v", id, gone)
				}
			}
		}
		if alarms := h.alarms(); len(alarms) > 0 {
			t.Errorf("%q", alarms)
		}
	})
}
