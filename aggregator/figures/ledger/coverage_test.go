package ledger_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// While what came since a poll of long ago is being read, what is counted from it is not exact, and nothing is
// said to be missing: a list that is behind may have it.
func TestBehindCoverage(t *testing.T) {
	ordered := func(t *record.Ticket) { t.OrderID = "o" }
	records := []record.Record{
		foldtest.Event("a", func(e *record.Event) { e.Capacity, e.Available, e.Blocked = new(10), new(8), new(0) }),
		foldtest.Ticket("t", "a", ordered, foldtest.Passes("10:00")), foldtest.Ticket("u", "a", ordered), foldtest.Ticket("stray", "nowhere"),
		&record.Planning{ID: "plan", EventID: "a", ExpectedVisitors: new(9)}, foldtest.Event("planned"), &record.Planning{ID: "places", EventID: "planned", Capacity: new(7)},
		foldtest.Event("typed", func(e *record.Event) { e.TicketTypes = []record.TicketType{{ID: "x", Capacity: new(5)}} }),
		foldtest.Payment("p", 2000, func(p *record.Payment) { p.OrderID = "nobody's" }),
	}
	for _, c := range []struct {
		behind func(*ledger.Coverage)
		want   string
	}{
		{func(*ledger.Coverage) {}, "10 | 8 | 2 | 0 | 1 | estimated 1 no_exits | [{4000 EUR}] | [] | 9 | estimated 7 planning | estimated 5 types_may_overlap; strays 1, references 2"},
		{func(c *ledger.Coverage) { c.EventsBehind = true }, "estimated 10 behind | estimated 8 behind | 2 | 0 | 1 | estimated 1 no_exits | [{4000 EUR}] | [] | 9 | estimated 7 planning | estimated 5 behind types_may_overlap; strays 0, references 1"},
		{func(c *ledger.Coverage) { c.TicketsBehind = true }, "10 | 8 | estimated 2 behind | estimated 0 behind | at least 1 behind | estimated 1 behind no_exits | estimated [{4000 EUR}] behind | estimated [] behind | 9 | estimated 7 planning | estimated 5 types_may_overlap; strays 1, references 1"},
		{func(c *ledger.Coverage) { c.TicketsDoubted = true }, "10 | 8 | estimated 2 doubted | estimated 0 doubted | estimated 1 doubted | estimated 1 doubted no_exits | estimated [{4000 EUR}] doubted | estimated [] doubted | 9 | estimated 7 planning | estimated 5 types_may_overlap; strays 1, references 2"},
		{func(c *ledger.Coverage) { c.ScansDoubted, c.EventsDoubted = true, true }, "estimated 10 doubted | estimated 8 doubted | 2 | 0 | estimated 1 doubted | estimated 1 doubted no_exits | [{4000 EUR}] | [] | 9 | estimated 7 planning | estimated 5 doubted types_may_overlap; strays 1, references 2"},
		{func(c *ledger.Coverage) { c.PaymentsBehind = true }, "10 | 8 | 2 | estimated 0 behind | 1 | estimated 1 no_exits | [{4000 EUR}] | estimated [] behind | 9 | estimated 7 planning | estimated 5 types_may_overlap; strays 1, references 2"},
		{func(c *ledger.Coverage) { c.PlanningBehind = true }, "10 | 8 | 2 | 0 | 1 | estimated 1 no_exits | [{4000 EUR}] | [] | estimated 9 behind | estimated 7 planning behind | estimated 5 types_may_overlap; strays 1, references 2"},
		{func(c *ledger.Coverage) { c.ScansBehind = true }, "10 | 8 | 2 | 0 | at least 1 behind | estimated 1 behind no_exits | [{4000 EUR}] | [] | 9 | estimated 7 planning | estimated 5 types_may_overlap; strays 1, references 2"},
	} {
		coverage := foldtest.ScansRead
		c.behind(&coverage)
		s := foldtest.Fold(coverage, records...)
		e := s.Event("a")
		show := foldtest.Evening(s, foldtest.Clock("12:00")).Show(e)
		references := 0
		for _, d := range s.Diagnostics {
			if d.Code == figures.CodeUnknownReference {
				references++
			}
		}
		got := strings.Join([]string{foldtest.Say(e.Capacity), foldtest.Say(show.Free), foldtest.Say(e.Sold), foldtest.Say(e.Paid), foldtest.Say(e.Attendance), foldtest.Say(e.PresentNow), foldtest.Say(e.Revenue.Of(figures.Booked)), foldtest.Say(e.Revenue.Of(figures.Received)),
			foldtest.Say(e.Forecast), foldtest.Say(s.Event("planned").Capacity), foldtest.Say(s.Event("typed").Capacity)}, " | ")
		if got += fmt.Sprintf("; strays %d, references %d", s.Strays.Tickets, references); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// Of people inside while scans are behind it is not known how many have left: they are neither so many at least, nor
// at most.
func TestBehindInside(t *testing.T) {
	records := append(foldtest.ScannedOut("Zaal"),
		foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00"), foldtest.Ticket("t", "a", foldtest.Passes("19:30")))
	for behind, want := range map[bool]string{false: "1", true: "estimated 1 behind no_exits"} {
		coverage := foldtest.ScansRead
		coverage.ScansBehind = behind
		s := foldtest.Fold(coverage, records...)
		if got := foldtest.Say(foldtest.Evening(s, foldtest.Clock("19:45")).Show(s.Event("a")).Inside); got != want {
			t.Errorf("scans are behind: %v: inside are %s, want %s", behind, got, want)
		}
	}
}

// Nor is a performance said to be oversold in the records while its tickets, or how many places it has, are behind.
func TestBehindFindings(t *testing.T) {
	records := []record.Record{foldtest.Event("a", func(e *record.Event) { e.Capacity = new(1) }), foldtest.Ticket("t", "a"), foldtest.Ticket("u", "a")}
	for _, c := range []struct {
		coverage ledger.Coverage
		want     bool
	}{{ledger.Coverage{}, true}, {ledger.Coverage{EventsBehind: true}, false}, {ledger.Coverage{TicketsBehind: true}, false}, {ledger.Coverage{PaymentsBehind: true}, true}} {
		coverage := foldtest.Complete
		coverage.EventsBehind, coverage.TicketsBehind, coverage.PaymentsBehind = c.coverage.EventsBehind, c.coverage.TicketsBehind, c.coverage.PaymentsBehind
		s := foldtest.Fold(coverage, records...)
		if got := slices.ContainsFunc(s.Diagnostics, func(d figures.Diagnostic) bool { return d.Code == figures.CodeOversold }); got != c.want {
			t.Errorf("%+v: oversold %v", c.coverage, got)
		}
	}
}

// What needs attention is silent for as long as a list that it is found in is behind, and for no other.
func TestBehindAlerts(t *testing.T) {
	s := foldtest.Fold(foldtest.Complete, foldtest.Tonight("a", "Zaal", "25 19:00", "25 20:00", "25 22:00", func(e *record.Event) { e.Capacity = new(1) }), foldtest.Ticket("t", "a"), foldtest.Ticket("u", "a"))
	for behind, want := range map[record.Kind]bool{record.KindEvent: false, record.KindTicket: false, record.KindPayment: true, record.KindScan: true} {
		one := *s
		for _, kind := range []record.Kind{record.KindEvent, record.KindTicket, record.KindPayment, record.KindScan} {
			one.Health.Streams = append(one.Health.Streams, figures.StreamHealth{Name: string(kind), Kinds: []record.Kind{kind}, Complete: true, Behind: kind == behind})
		}
		v := foldtest.Evening(&one, foldtest.Clock("25 12:00"))
		if alerts := v.Alerts; (len(alerts) == 1 && alerts[0].Code == evening.AlertOversold) != want {
			t.Errorf("%s are behind: alerts %+v", behind, alerts)
		}
	}
}
