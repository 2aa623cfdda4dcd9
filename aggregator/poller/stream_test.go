package poller_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/logtest"
	"housecount/apiclient"
	"housecount/apiclient/record"
)

// orders returns a service in which an order gives tickets, a payment and a contact, and scans have
// a list of their own.
func orders() *service {
	s := withLists(
		apiclient.Stream{Name: "events", Gives: []record.Kind{record.KindEvent}},
		apiclient.Stream{Name: "orders", Gives: []record.Kind{record.KindTicket, record.KindPayment, record.KindContact}},
		apiclient.Stream{Name: "check-ins", Gives: []record.Kind{record.KindScan}},
		apiclient.Stream{Name: "shifts", Gives: []record.Kind{record.KindPlanning}},
	)
	s.put(eveningEvent("evt_big", 20*time.Hour))
	for n := range 3 {
		s.put(sale(fmt.Sprint("tkt_", n), "evt_big"))
	}
	s.put(paid("pay_0", "evt_big"), &record.Contact{ID: "con_0", UpdatedAt: time.Now()}, entry("scn_0", "tkt_0"))
	return s
}

// entry returns a scan of the present moment.
func entry(id, ticket string) *record.TicketScan {
	return &record.TicketScan{ID: id, TicketID: ticket, Scan: record.Scan{At: time.Now(), Direction: record.Entry}, UpdatedAt: time.Now()}
}

func TestStreamOfSeveralKinds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, log := orders(), logtest.New()
		h := run(t, s, log)
		shown := h.Snapshot()
		e := shown.Event("evt_big")
		for _, f := range []struct{ name, got, want string }{
			{"sold", say(e.Sold), "6"},
			{"attendance", say(e.Attendance), "2"},
			{"received", say(shown.Total.Of(figures.Received)), "[{5000 EUR}]"},
		} {
			if f.got != f.want {
				t.Errorf("%s: %s, want %s", f.name, f.got, f.want)
			}
		}
		var names []string
		for _, h := range shown.Health.Streams {
			names = append(names, fmt.Sprint(h.Name, h.Kinds, " ", h.Shared))
			if !h.Complete {
				t.Errorf("%s is not complete", h.Name)
			}
		}
		if want := []string{"events[event] false", "orders[ticket payment contact] false", "check-ins[scan] false", "shifts[planning] false"}; !slices.Equal(names, want) {
			t.Errorf("streams %q, want %q", names, want)
		}
		if log.Newest("contact", "con_0") == nil {
			t.Error("the contact was not stored")
		}

		s.put(sale("tkt_new", "evt_big"), entry("scn_new", "tkt_new"))
		pass(4 * time.Second)
		if e := h.Snapshot().Event("evt_big"); e.Sold.Value != 8 || e.Attendance.Value != 4 {
			t.Errorf("sold %d, attendance %d; want 8 and 4", e.Sold.Value, e.Attendance.Value)
		}
	})
}

// A list that shares its kind with others is named in reports: what it lacks, another list may
// give.
func TestListsOfOneKind(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := soldOut(1)
		s.lists = append(s.lists, apiclient.Stream{Name: "gifts", Gives: []record.Kind{record.KindTicket}})
		s.fail["gifts"] = &apiclient.Error{Kind: apiclient.NotOffered, Stream: "gifts", Status: 404}
		var names []string
		h := run(t, s, logtest.New())
		for _, stream := range h.Snapshot().Health.Streams {
			names = append(names, fmt.Sprint(stream.Name, " ", stream.Shared))
		}
		if want := []string{"events false", "tickets true", "payments false", "gifts true"}; !slices.Equal(names, want) {
			t.Errorf("streams and whether their records come from others too: %q, want %q", names, want)
		}
		if got := h.health("gifts"); got.Fault != figures.FaultNotOffered || got.FaultStatus != 404 {
			t.Errorf("reported %s (%d), want that it is not offered (404)", got.Fault, got.FaultStatus)
		}
	})
}

// What is known about a kind depends on all lists that give it.
func TestCoverageOfKinds(t *testing.T) {
	for _, c := range []struct {
		name                       string
		fail                       map[string]apiclient.ErrorKind
		sold, attendance, received string
	}{
		{"all", nil, "6", "2", "[{5000 EUR}]"},
		{"no orders", map[string]apiclient.ErrorKind{"orders": apiclient.NotOffered, "gifts": apiclient.NotOffered}, "unknown no_tickets", "unknown no_tickets", "unknown no_payments"},
		{"orders to come", map[string]apiclient.ErrorKind{"orders": apiclient.Server}, "unknown tickets_incomplete", "unknown tickets_incomplete", "unknown payments_incomplete"},
		{"no scans", map[string]apiclient.ErrorKind{"check-ins": apiclient.NotOffered}, "6", "unknown no_scans", "[{5000 EUR}]"},
		{"scans to come", map[string]apiclient.ErrorKind{"check-ins": apiclient.Server}, "6", "unknown scans_incomplete no_scans", "[{5000 EUR}]"},
		{"no second list", map[string]apiclient.ErrorKind{"gifts": apiclient.NotOffered}, "6", "2", "[{5000 EUR}]"},
		{"second list to come", map[string]apiclient.ErrorKind{"gifts": apiclient.Server}, "at least 6 tickets_incomplete", "at least 2 tickets_incomplete", "[{5000 EUR}]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := orders()
				s.lists = append(s.lists, apiclient.Stream{Name: "gifts", Gives: []record.Kind{record.KindTicket}})
				for stream, kind := range c.fail {
					s.fail[stream] = &apiclient.Error{Kind: kind, Stream: stream}
				}
				shown := run(t, s, logtest.New()).Snapshot()
				e := shown.Event("evt_big")
				got := [3]string{say(e.Sold), say(e.Attendance), say(shown.Total.Of(figures.Received))}
				if want := [3]string{c.sold, c.attendance, c.received}; got != want {
					t.Errorf("sold, attendance and received %q, want %q", got, want)
				}
			})
		})
	}
}

// Planned places are a lower bound until all of the planning has been read.
func TestCoverageOfPlanning(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := orders()
		s.pageSize = 1
		s.put(&record.Event{ID: "evt_bare", Date: "2000-01-03"})
		for _, id := range []string{"pln_0", "pln_1"} {
			s.put(&record.Planning{ID: id, EventID: "evt_bare", Capacity: new(50)})
		}
		s.page = func(stream string, q apiclient.Query, n int) error {
			if stream == "shifts" && n > 1 {
				return &apiclient.Error{Kind: apiclient.Server, Stream: stream}
			}
			return nil
		}
		h := run(t, s, logtest.New())
		if got, want := say(h.Snapshot().Event("evt_bare").Capacity), "at least 50 planning planning_incomplete"; got != want {
			t.Errorf("capacity %q, want %q", got, want)
		}
		s.set(func() { s.page = nil })
		pass(time.Minute)
		if got, want := say(h.Snapshot().Event("evt_bare").Capacity), "estimated 100 planning"; got != want {
			t.Errorf("capacity %q, want %q", got, want)
		}
	})
}

// A list that no figure is computed from makes the figures neither old nor faulty.
func TestUnusedListsDoNotMatter(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := orders()
		h := run(t, s, logtest.New())
		s.set(func() { s.fail["shifts"] = &apiclient.Error{Kind: apiclient.Server, Stream: "shifts"} })
		pass(5 * time.Minute)
		shown := h.Snapshot()
		if light, age := shown.Health.Light(), time.Since(shown.AsOf); light != figures.Green || age > 10*time.Second {
			t.Errorf("light %s, figures %v old", light, age)
		}
		if got := h.health("shifts"); got.Missed < 5 || got.Fault != figures.FaultServer {
			t.Errorf("health %+v", got)
		}
	})
}
