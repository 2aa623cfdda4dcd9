package figures_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// While what came since a poll of long ago is being read, what is counted from it is not exact, and nothing is
// said to be missing: a list that is behind may have it.
func TestBehindCoverage(t *testing.T) {
	ordered := func(t *record.Ticket) { t.OrderID = "o" }
	records := []record.Record{
		theEvent("a", func(e *record.Event) { e.Capacity, e.Available, e.Blocked = new(10), new(8), new(0) }),
		theTicket("t", "a", ordered, passes("10:00")), theTicket("u", "a", ordered), theTicket("stray", "nowhere"),
		&record.Planning{ID: "plan", EventID: "a", ExpectedVisitors: new(9)}, theEvent("planned"), &record.Planning{ID: "places", EventID: "planned", Capacity: new(7)},
		theEvent("typed", func(e *record.Event) { e.TicketTypes = []record.TicketType{{ID: "x", Capacity: new(5)}} }),
		thePayment("p", 2000, func(p *record.Payment) { p.OrderID = "nobody's" }),
	}
	for _, c := range []struct {
		behind func(*figures.Coverage)
		want   string
	}{
		{func(*figures.Coverage) {}, "10 | 8 | 2 | 0 | 1 | estimated 1 no_exits | [{4000 EUR}] | [] | 9 | estimated 7 planning | estimated 5 types_may_overlap; strays 1, references 2"},
		{func(c *figures.Coverage) { c.EventsBehind = true }, "estimated 10 behind | estimated 8 behind | 2 | 0 | 1 | estimated 1 no_exits | [{4000 EUR}] | [] | 9 | estimated 7 planning | estimated 5 behind types_may_overlap; strays 0, references 1"},
		{func(c *figures.Coverage) { c.TicketsBehind = true }, "10 | 8 | estimated 2 behind | estimated 0 behind | at least 1 behind | estimated 1 behind no_exits | estimated [{4000 EUR}] behind | estimated [] behind | 9 | estimated 7 planning | estimated 5 types_may_overlap; strays 1, references 1"},
		{func(c *figures.Coverage) { c.PaymentsBehind = true }, "10 | 8 | 2 | estimated 0 behind | 1 | estimated 1 no_exits | [{4000 EUR}] | estimated [] behind | 9 | estimated 7 planning | estimated 5 types_may_overlap; strays 1, references 2"},
		{func(c *figures.Coverage) { c.PlanningBehind = true }, "10 | 8 | 2 | 0 | 1 | estimated 1 no_exits | [{4000 EUR}] | [] | estimated 9 behind | estimated 7 planning behind | estimated 5 types_may_overlap; strays 1, references 2"},
		{func(c *figures.Coverage) { c.ScansBehind = true }, "10 | 8 | 2 | 0 | at least 1 behind | estimated 1 behind no_exits | [{4000 EUR}] | [] | 9 | estimated 7 planning | estimated 5 types_may_overlap; strays 1, references 2"},
	} {
		coverage := scansRead
		c.behind(&coverage)
		s := fold(coverage, records...)
		e := s.Event("a")
		show := eveningAt(s, clock("12:00")).Show(e)
		references := 0
		for _, d := range s.Diagnostics {
			if d.Code == figures.CodeUnknownReference {
				references++
			}
		}
		got := strings.Join([]string{say(e.Capacity), say(show.Free), say(e.Sold), say(e.Paid), say(e.Attendance), say(e.PresentNow), say(e.Revenue.Of(figures.Booked)), say(e.Revenue.Of(figures.Received)),
			say(e.Forecast), say(s.Event("planned").Capacity), say(s.Event("typed").Capacity)}, " | ")
		if got += fmt.Sprintf("; strays %d, references %d", s.Strays.Tickets, references); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// Of people inside while scans are behind it is not known how many have left: they are neither so many at least, nor
// at most.
func TestBehindInside(t *testing.T) {
	records := []record.Record{tonight("past", "Zaal", "13 19:00", "13 20:00", "13 22:00"), theTicket("x", "past", passes("13 19:30", "-13 22:00")),
		tonight("a", "Zaal", "19:00", "20:00", "22:00"), theTicket("t", "a", passes("19:30"))}
	for behind, want := range map[bool]string{false: "1", true: "estimated 1 behind no_exits"} {
		coverage := scansRead
		coverage.ScansBehind = behind
		s := fold(coverage, records...)
		if got := say(eveningAt(s, clock("19:45")).Show(s.Event("a")).Inside); got != want {
			t.Errorf("scans are behind: %v: inside are %s, want %s", behind, got, want)
		}
	}
}

// Nor is a performance said to be oversold in the records while its tickets, or how many places it has, are behind.
func TestBehindFindings(t *testing.T) {
	records := []record.Record{theEvent("a", func(e *record.Event) { e.Capacity = new(1) }), theTicket("t", "a"), theTicket("u", "a")}
	for _, c := range []struct {
		coverage figures.Coverage
		want     bool
	}{{figures.Coverage{}, true}, {figures.Coverage{EventsBehind: true}, false}, {figures.Coverage{TicketsBehind: true}, false}, {figures.Coverage{PaymentsBehind: true}, true}} {
		coverage := complete
		coverage.EventsBehind, coverage.TicketsBehind, coverage.PaymentsBehind = c.coverage.EventsBehind, c.coverage.TicketsBehind, c.coverage.PaymentsBehind
		s := fold(coverage, records...)
		if got := slices.ContainsFunc(s.Diagnostics, func(d figures.Diagnostic) bool { return d.Code == figures.CodeOversold }); got != c.want {
			t.Errorf("%+v: oversold %v", c.coverage, got)
		}
	}
}

// What needs attention is silent for as long as a list that it is found in is behind, and for no other.
func TestBehindAlerts(t *testing.T) {
	s := fold(complete, tonight("a", "Zaal", "25 19:00", "25 20:00", "25 22:00", func(e *record.Event) { e.Capacity = new(1) }), theTicket("t", "a"), theTicket("u", "a"))
	for behind, want := range map[record.Kind]bool{record.KindEvent: false, record.KindTicket: false, record.KindPayment: true, record.KindScan: true} {
		one := *s
		for _, kind := range []record.Kind{record.KindEvent, record.KindTicket, record.KindPayment, record.KindScan} {
			one.Health.Streams = append(one.Health.Streams, figures.StreamHealth{Name: string(kind), Kinds: []record.Kind{kind}, Complete: true, Behind: kind == behind})
		}
		v := eveningAt(&one, clock("25 12:00"))
		if alerts := v.Alerts; (len(alerts) == 1 && alerts[0].Code == figures.AlertOversold) != want {
			t.Errorf("%s are behind: alerts %+v", behind, alerts)
		}
	}
}
