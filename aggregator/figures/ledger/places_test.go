package ledger_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

func TestCapacity(t *testing.T) {
	var (
		incomplete = ledger.Coverage{TicketsOffered: true}
		noTickets  = ledger.Coverage{}
		planning   = foldtest.Complete
	)
	planning.PlanningPartial = true
	types := func(capacities ...*int) (types []record.TicketType) {
		for _, c := range capacities {
			types = append(types, record.TicketType{Capacity: c})
		}
		return types
	}
	// Two sold, one reserved.
	tickets := []record.Record{foldtest.Ticket("t", "a"), foldtest.Ticket("u", "a"),
		foldtest.Ticket("v", "a", func(t *record.Ticket) { t.Status = record.TicketReserved })}
	plan := func(id string, capacity int, change func(*record.Planning)) *record.Planning {
		p := &record.Planning{ID: id, EventID: "a", Status: "confirmed", Capacity: &capacity}
		change(p)
		return p
	}
	planned := []record.Record{ // thirty places
		plan("first", 99, func(*record.Planning) {}), plan("first", 10, func(*record.Planning) {}),
		plan("unknown", 20, func(p *record.Planning) { p.Status = "pencilled in" }),
		plan("option", 40, func(p *record.Planning) { p.Status = "option" }), plan("off", 41, func(p *record.Planning) { p.Status = "cancelled" }),
		plan("gone", 42, func(p *record.Planning) { p.Deleted = true }), plan("none", 43, func(p *record.Planning) { p.Capacity = nil }),
		plan("nobody's", 44, func(p *record.Planning) { p.EventID = "" }), plan("other", 45, func(p *record.Planning) { p.EventID = "b" }),
		plan("absurd", math.MaxInt, func(*record.Planning) {}), plan("negative", -1, func(*record.Planning) {}),
	}
	for name, c := range map[string]struct {
		event     record.Event
		coverage  ledger.Coverage
		capacity  string
		available string
		oversold  int
	}{
		"unlimited":            {record.Event{Unlimited: true, Capacity: new(9), Available: new(9)}, foldtest.Complete, "unknown unlimited", "unknown unlimited", 0},
		"told":                 {record.Event{Capacity: new(9), Available: new(6)}, foldtest.Complete, "9", "6", 0},
		"oversold":             {record.Event{Capacity: new(1), Available: new(-1)}, foldtest.Complete, "1", "-1", 2},
		"none":                 {record.Event{Capacity: new(0)}, foldtest.Complete, "0", "unknown no_available", 3},
		"negative":             {record.Event{Capacity: new(-9)}, foldtest.Complete, "unknown no_capacity", "unknown no_available", 0},
		"absurd":               {record.Event{Capacity: new(math.MaxInt), Available: new(math.MinInt)}, foldtest.Complete, "unknown no_capacity", "unknown no_available", 0},
		"types":                {record.Event{TicketTypes: types(new(5), new(7)), Available: new(9)}, foldtest.Complete, "estimated 12 types_may_overlap", "9", 0},
		"one type tells":       {record.Event{TicketTypes: types(new(5), nil)}, foldtest.Complete, "unknown no_capacity", "unknown no_available", 0},
		"by sales":             {record.Event{Available: new(7)}, foldtest.Complete, "estimated 10 blocked_unknown", "7", 0},
		"by sales and blocked": {record.Event{Available: new(7), Blocked: new(4)}, foldtest.Complete, "14", "7", 0},
		"into the blocked":     {record.Event{Capacity: new(3), Blocked: new(2), Available: new(-2)}, foldtest.Complete, "3", "-2", 0},
		"into the unreported":  {record.Event{Capacity: new(9), Available: new(-4)}, foldtest.Complete, "9", "-4", 4},
		"left does not add up": {record.Event{Capacity: new(9), Blocked: new(2), Available: new(-4)}, foldtest.Complete, "9", "-4", 0},
		"blocked, none said":   {record.Event{Capacity: new(3), Blocked: new(2)}, foldtest.Complete, "3", "unknown no_available", 0},
		"by sales, oversold":   {record.Event{Available: new(-2)}, foldtest.Complete, "estimated 1 blocked_unknown", "-2", 2},
		"available only":       {record.Event{Available: new(7)}, incomplete, "at least 7 highest_available", "7", 0},
		"no tickets":           {record.Event{Available: new(7)}, noTickets, "at least 7 highest_available", "7", 0},
		"no tickets, oversold": {record.Event{Capacity: new(5), Available: new(-3)}, noTickets, "5", "-3", 3},
		"planned":              {record.Event{Available: new(7), Series: "planned"}, foldtest.Complete, "estimated 30 planning", "7", 0},
		"planned in part":      {record.Event{Series: "planned in part"}, planning, "at least 1 planning planning_incomplete", "unknown no_available", 0},
		"told and planned":     {record.Event{Capacity: new(9), Series: "planned"}, foldtest.Complete, "9", "unknown no_available", 0},
		"types and planned":    {record.Event{TicketTypes: types(new(5)), Series: "planned"}, foldtest.Complete, "estimated 5 types_may_overlap", "unknown no_available", 0},
		"planned, no limit":    {record.Event{Unlimited: true, Series: "planned"}, foldtest.Complete, "unknown unlimited", "unknown unlimited", 0},
		"nothing":              {record.Event{}, foldtest.Complete, "unknown no_capacity", "unknown no_available", 0},
	} {
		t.Run(name, func(t *testing.T) {
			c.event.ID = "a"
			records := append(tickets[:len(tickets):len(tickets)], &c.event)
			if c.event.Series == "planned" {
				records = append(records, planned...)
			}
			if c.event.Series == "planned in part" {
				records = append(records, plan("first", 1, func(*record.Planning) {}))
			}
			e := foldtest.Fold(c.coverage, records...).Event("a")
			if got := foldtest.Say(e.Capacity); got != c.capacity {
				t.Errorf("capacity %q, want %q", got, c.capacity)
			}
			if got := foldtest.Say(e.Available); got != c.available {
				t.Errorf("available %q, want %q", got, c.available)
			}
			if e.Oversold != c.oversold {
				t.Errorf("oversold by %d, want %d", e.Oversold, c.oversold)
			}
		})
	}
}

func TestHighestAvailable(t *testing.T) {
	l := ledger.New(figures.Calendar{})
	for i, step := range []struct {
		available *int
		want      string
	}{
		{nil, "unknown no_capacity"},
		{new(-3), "at least 0 highest_available"},
		{new(40), "at least 40 highest_available"},
		{new(12), "at least 40 highest_available"},
		{nil, "at least 40 highest_available"},
		{new(55), "at least 55 highest_available"}, // a release of places
	} {
		l.Apply(record.Version{Revision: int64(i + 1), Head: true, Record: foldtest.Event("a", func(e *record.Event) {
			e.Available, e.UpdatedAt = step.available, foldtest.Clock("10:00").Add(time.Duration(i)*time.Second)
		})})
		if got := foldtest.Say(l.Snapshot(figures.Position{}, ledger.Coverage{}).Event("a").Capacity); got != step.want {
			t.Errorf("step %d: capacity %q, want %q", i, got, step.want)
		}
	}
	// An older version that comes late counts, and leaves the rest alone.
	older := record.Version{Revision: 99, Record: foldtest.Event("a", func(e *record.Event) { e.Title, e.Available, e.UpdatedAt = "old", new(99), foldtest.Clock("09:00") })}
	l.Changes()
	l.Apply(older)
	if c := l.Changes(); !reflect.DeepEqual(c, figures.Changes{Events: []string{"a"}}) {
		t.Errorf("an older version changes %+v", c)
	}
	e := l.Snapshot(figures.Position{}, ledger.Coverage{}).Event("a")
	if got := foldtest.Say(e.Capacity); got != "at least 99 highest_available" || e.Event.Title == "old" {
		t.Errorf("after an older version: capacity %q, title %q", got, e.Event.Title)
	}
}

func TestPlaces(t *testing.T) {
	of := func(places int, change ...func(*record.Ticket)) func(*record.Ticket) {
		return func(t *record.Ticket) {
			t.Quantity = &places
			for _, f := range change {
				f(t)
			}
		}
	}
	typed := func(id, name string) func(*record.Ticket) {
		return func(t *record.Ticket) { t.Type = record.TypeRef{ID: id, Name: name} }
	}
	channel := func(c string) func(*record.Ticket) { return func(t *record.Ticket) { t.Channel = c } }
	comp := func(t *record.Ticket) { t.Complimentary, t.Price = true, nil }
	free := func(t *record.Ticket) { t.Price = foldtest.Eur(0) }
	status := func(s record.TicketStatus) func(*record.Ticket) {
		return func(t *record.Ticket) { t.Status, t.CancelledAt = s, foldtest.Clock("10:30") }
	}
	merchandise := func(t *record.Ticket) { t.Admits = new(false) }

	s := foldtest.Fold(foldtest.Complete,
		foldtest.Event("a", func(e *record.Event) {
			e.Capacity, e.TicketTypes = new(40), []record.TicketType{{ID: "1", Name: "Stalls"}}
		}),
		foldtest.Ticket("t1", "a", of(4, typed("1", "old name"), channel("web"))),
		foldtest.Ticket("t2", "a", of(2, typed("1", "Stalls"), comp)),
		foldtest.Ticket("t3", "a", of(3, typed("2", "Circle"), free, channel("door"))),
		foldtest.Ticket("t4", "a", of(5, typed("3", ""), status("reserved"))),
		foldtest.Ticket("t5", "a", of(6, status("void"))),
		foldtest.Ticket("t6", "a", of(7, status("refunded"))),
		foldtest.Ticket("t7", "a", of(8, status("expired"))),
		foldtest.Ticket("t8", "a", of(1, typed("9", "Programme"), merchandise)),
	)
	e := s.Event("a")
	soldInHour := func(to string) string {
		return foldtest.Say(foldtest.Evening(s, foldtest.Clock(to)).Show(e).SoldIn(time.Hour))
	}
	for _, c := range []struct{ name, got, want string }{
		{"sold", foldtest.Say(e.Sold), "9"},
		{"paid", foldtest.Say(e.Paid), "estimated 4 no_order"},
		{"free tickets", foldtest.Say(e.FreeTickets), "3"},
		{"complimentary", foldtest.Say(e.Complimentary), "2"},
		{"reserved", foldtest.Say(e.Reserved), "5"},
		{"expected", foldtest.Say(e.Expected), "9"},
		{"occupancy", foldtest.Say(e.Occupancy()), "0.225"},
		{"types", partLine(e.Parts[figures.ByTicketType].All()), "Stalls 6 4 [{8000 EUR}]; Circle 3 0 []; Programme 0 0 [{2000 EUR}]"},
		{"channels", partLine(e.Parts[figures.ByChannel].All()), "web 4 4 [{8000 EUR}]; door 3 0 [];  2 0 [{2000 EUR}]"},
		{"sold in the hour to 09:59", soldInHour("09:59"), "0"},
		{"sold in the hour to 10:00", soldInHour("10:00"), "22"},
		{"sold in the hour to 10:29", soldInHour("10:29"), "22"},
		{"sold in the hour to 10:30", soldInHour("10:30"), "9"},
		{"sold in the hour to 10:59", soldInHour("10:59"), "9"},
		{"sold in the hour to 11:00", soldInHour("11:00"), "-13"},
		{"sold in the hour to 11:30", soldInHour("11:30"), "0"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.name, c.got, c.want)
		}
	}
	incomplete := foldtest.Fold(ledger.Coverage{TicketsOffered: true}, foldtest.Event("a"), foldtest.Ticket("t", "a")).Event("a")
	if got := foldtest.Say(incomplete.Sold); got != "at least 1 tickets_incomplete" {
		t.Errorf("sold %q while the first sync runs", got)
	}
	if got := foldtest.Say(incomplete.Occupancy()); got != "unknown tickets_incomplete no_capacity" {
		t.Errorf("occupancy %q", got)
	}
	none := foldtest.Fold(ledger.Coverage{}, foldtest.Event("a"), foldtest.Ticket("t", "a")).Event("a")
	for _, f := range []figures.Figure[int]{none.Sold, none.Paid, none.FreeTickets, none.Complimentary, none.Reserved, none.Expected, none.Attendance} {
		if got := foldtest.Say(f); got != "unknown no_tickets" && got != "unknown no_tickets no_scans" {
			t.Errorf("%q without tickets", got)
		}
	}
}

// partLine returns the name, sold, paid and booked of each part.
func partLine(parts []figures.PartFigures) string {
	var lines []string
	for _, p := range parts {
		lines = append(lines, fmt.Sprint(p.Name, " ", p.Sold, " ", p.Paid, " ", p.Of(figures.Booked)))
	}
	return strings.Join(lines, "; ")
}

func TestVisitors(t *testing.T) {
	entry := func(at, gate string) record.Scan {
		return record.Scan{At: foldtest.Clock(at), Gate: gate, Direction: record.Entry}
	}
	exit := func(at, gate string) record.Scan {
		return record.Scan{At: foldtest.Clock(at), Gate: gate, Direction: record.Exit, Result: "ok"}
	}
	refused := func(s record.Scan) record.Scan { s.Result = "wrong day"; return s }
	undone := func(s record.Scan) record.Scan { s.Undone = true; return s }
	scanned := func(scans ...record.Scan) func(*record.Ticket) {
		return func(t *record.Ticket) { t.Scans = append([]record.Scan{}, scans...) }
	}
	apart := func(id, ticket string, s record.Scan, change ...func(*record.TicketScan)) *record.TicketScan {
		r := &record.TicketScan{ID: id, TicketID: ticket, Scan: s}
		for _, f := range change {
			f(r)
		}
		return r
	}
	deleted := func(r *record.TicketScan) { r.Deleted = true }
	two := func(t *record.Ticket) { t.Quantity = new(2) }
	void := func(t *record.Ticket) { t.Status = record.TicketVoid }

	// While scans are read for the first time, those that are missing may be exits.
	reading := foldtest.ScansRead
	reading.ScansComplete = false
	half := foldtest.Fold(reading, foldtest.Event("a"), foldtest.Ticket("t", "a", scanned(entry("19:01", "N"), exit("19:30", "N"))), foldtest.Ticket("u", "a", scanned(entry("19:01", "N")))).Event("a")
	if got, want := foldtest.Say(half.Attendance)+" | "+foldtest.Say(half.PresentNow), "at least 2 scans_incomplete | estimated 1 scans_incomplete"; got != want {
		t.Errorf("while scans are read: %s, want %s", got, want)
	}
	for name, c := range map[string]struct {
		tickets []record.Record
		want    string // expected, attendance, present, still to come
		gates   string
	}{
		"no ticket anywhere":   {nil, "0 | unknown no_scans | unknown no_scans | unknown no_scans", "[]"},
		"scans told elsewhere": {[]record.Record{foldtest.Ticket("t", "b", scanned())}, "0 | 0 | 0 | 0", "[]"},
		"no scan field":        {[]record.Record{foldtest.Ticket("t", "a"), foldtest.Ticket("u", "b", scanned())}, "1 | unknown no_scans | unknown no_scans | unknown no_scans", "[]"},
		"empty scan field":     {[]record.Record{foldtest.Ticket("t", "a", scanned())}, "1 | 0 | 0 | 1", "[]"},
		"entry":                {[]record.Record{foldtest.Ticket("t", "a", two, scanned(entry("19:01", "N"))), foldtest.Ticket("u", "a", scanned())}, "3 | 2 | estimated 2 no_exits | 1", "[{N 2 [19:01 2]}]"},
		"refused and undone":   {[]record.Record{foldtest.Ticket("t", "a", scanned(refused(entry("19:01", "N")), undone(entry("19:02", "N"))))}, "1 | 0 | 0 | 1", "[]"},
		"two doors":            {[]record.Record{foldtest.Ticket("t", "a", scanned(entry("19:01", "N"), entry("19:02", "S")))}, "1 | 1 | estimated 1 no_exits | 0", "[{N 1 [19:01 1]} {S 1 [19:02 1]}]"},
		"in and out":           {[]record.Record{foldtest.Ticket("t", "a", scanned(entry("19:01", "N"), exit("19:30", "N"))), foldtest.Ticket("u", "a", scanned(entry("19:01", "N")))}, "2 | 2 | 1 | 0", "[{N 2 [19:01 2]}]"},
		"in, out and in":       {[]record.Record{foldtest.Ticket("t", "a", scanned(entry("19:01", "N"), exit("19:30", "N"), entry("19:40", "S")))}, "1 | 1 | estimated 1 no_exits | 0", "[{N 1 [19:01 1]} {S 1 [19:40 1]}]"},
		"exit undone":          {[]record.Record{foldtest.Ticket("t", "a", scanned(entry("19:01", "N"), undone(exit("19:30", "N")))), foldtest.Ticket("u", "a", scanned(exit("19:01", "N")))}, "2 | 1 | estimated 1 no_exits | 1", "[{N 1 [19:01 1]}]"},
		"voided, others come":  {[]record.Record{foldtest.Ticket("t", "a", void, scanned(entry("19:01", "N"))), foldtest.Ticket("u", "a", scanned(entry("19:01", "N"), exit("19:02", "N"))), foldtest.Ticket("v", "a", scanned())}, "2 | 2 | 1 | 1", "[{N 2 [19:01 2]}]"},
		"voided afterwards":    {[]record.Record{foldtest.Ticket("t", "a", void, scanned(entry("19:01", "N")))}, "0 | 1 | estimated 1 no_exits | 0", "[{N 1 [19:01 1]}]"},
		"no known direction":   {[]record.Record{foldtest.Ticket("t", "a", scanned(entry("19:01", "N"), record.Scan{At: foldtest.Clock("19:02"), Gate: "N", Direction: "aside"})), foldtest.Ticket("u", "a", scanned())}, "2 | at least 1 unknown_status | estimated 1 unknown_status no_exits | estimated 1 unknown_status", "[{N 1 [19:01 1]}]"},
		"merchandise":          {[]record.Record{foldtest.Ticket("t", "a", scanned(entry("19:01", "N")), func(t *record.Ticket) { t.Admits = new(false) })}, "0 | 0 | 0 | 0", "[]"},
		"unknown status":       {[]record.Record{foldtest.Ticket("t", "a", scanned(entry("19:01", "N")), func(t *record.Ticket) { t.Status = "odd" })}, "at least 0 unknown_status | 1 | estimated 1 no_exits | estimated 0 unknown_status", "[{N 1 [19:01 1]}]"},
		"apart":                {[]record.Record{apart("s", "t", entry("19:01", "N")), foldtest.Ticket("t", "a", two), foldtest.Ticket("u", "a")}, "3 | 2 | estimated 2 no_exits | 1", "[{N 2 [19:01 2]}]"},
		"apart, undone":        {[]record.Record{foldtest.Ticket("t", "a"), apart("s", "t", undone(entry("19:01", "N")))}, "1 | 0 | 0 | 1", "[]"},
		"apart, deleted":       {[]record.Record{foldtest.Ticket("t", "a"), apart("s", "t", entry("19:01", "N"), deleted)}, "1 | unknown no_scans | unknown no_scans | unknown no_scans", "[]"},
		"both ways":            {[]record.Record{foldtest.Ticket("t", "a", scanned(entry("19:01", "N"))), apart("s", "t", exit("19:30", "N")), apart("r", "t", entry("19:01", "N")), apart("q", "t", entry("19:01", "N"))}, "1 | 1 | 0 | 0", "[{N 1 [19:01 1]}]"},
		"apart twice":          {[]record.Record{apart("q", "t", entry("19:01", "N")), foldtest.Ticket("t", "a"), apart("r", "t", entry("19:01", "N")), apart("s", "t", entry("19:01", "S"))}, "1 | 1 | estimated 1 no_exits | 0", "[{N 1 [19:01 1]} {S 1 [19:01 1]}]"},
		"back in, apart":       {[]record.Record{apart("s", "t", exit("19:30", "N")), apart("r", "t", entry("19:40", "S")), foldtest.Ticket("t", "a", scanned(entry("19:01", "N")))}, "1 | 1 | estimated 1 no_exits | 0", "[{N 1 [19:01 1]} {S 1 [19:40 1]}]"},
		"another ticket":       {[]record.Record{foldtest.Ticket("t", "a", scanned()), apart("s", "t", entry("19:01", "N")), apart("s", "x", entry("19:01", "N"))}, "1 | 0 | 0 | 1", "[]"},
		"test":                 {[]record.Record{foldtest.Ticket("t", "a", scanned(entry("19:01", "N")), func(t *record.Ticket) { t.Test = true })}, "0 | unknown no_scans | unknown no_scans | unknown no_scans", "[]"},
	} {
		t.Run(name, func(t *testing.T) {
			e := foldtest.Fold(foldtest.Complete, append(c.tickets, foldtest.Event("a"), foldtest.Event("b"))...).Event("a")
			got := foldtest.Say(e.Expected) + " | " + foldtest.Say(e.Attendance) + " | " + foldtest.Say(e.PresentNow) + " | " + foldtest.Say(figures.Minus(e.Expected, e.Arrived))
			if got != c.want {
				t.Errorf("got %q\nwant %q", got, c.want)
			}
			gates := []string{}
			for _, g := range e.Gates {
				minutes := []string{}
				for _, m := range g.Minutes {
					minutes = append(minutes, fmt.Sprintf("%s %d", time.Unix(m.Minute*60, 0).UTC().Format("15:04"), m.Count))
				}
				gates = append(gates, fmt.Sprintf("{%s %d %v}", g.Gate, g.Entries, minutes))
			}
			if got := fmt.Sprint(gates); got != c.gates {
				t.Errorf("gates %s, want %s", got, c.gates)
			}
		})
	}
}

// Scans that come from a list of their own: what is known of a ticket without any depends
// on how far that list was read.
func TestScansCoverage(t *testing.T) {
	reading, read := foldtest.Complete, foldtest.Complete
	reading.ScansOffered = true
	read.ScansOffered, read.ScansComplete = true, true
	scan := &record.TicketScan{ID: "s", TicketID: "t", Scan: record.Scan{At: foldtest.Clock("19:01"), Direction: record.Entry}}
	for _, c := range []struct {
		name     string
		coverage ledger.Coverage
		records  []record.Record
		want     string
	}{
		{"not offered", foldtest.Complete, nil, "unknown no_scans"},
		{"nothing read", reading, nil, "unknown scans_incomplete no_scans"},
		{"one read", reading, []record.Record{scan}, "at least 1 scans_incomplete"},
		{"one of two", read, []record.Record{scan}, "1"},
		{"none at all", read, nil, "0"},
	} {
		e := foldtest.Fold(c.coverage, append(c.records, foldtest.Event("a"), foldtest.Ticket("t", "a"), foldtest.Ticket("u", "a"))...).Event("a")
		if got := foldtest.Say(e.Attendance); got != c.want {
			t.Errorf("%s: attendance %q, want %q", c.name, got, c.want)
		}
	}
}

func TestMinus(t *testing.T) {
	f := func(value int, q figures.Quality, reasons ...figures.Reason) figures.Figure[int] {
		return figures.Figure[int]{Value: value, Quality: q, Reasons: reasons}
	}
	for _, c := range []struct {
		a, b figures.Figure[int]
		want string
	}{
		{f(5, figures.Exact), f(3, figures.Exact), "2"},
		{f(3, figures.Exact), f(5, figures.Exact), "0"},
		{f(5, figures.Estimated, "x"), f(3, figures.Exact), "estimated 2 x"},
		{f(5, figures.Exact), f(3, figures.LowerBound, "y"), "estimated 2 y"},
		{f(5, figures.LowerBound, "x"), f(3, figures.LowerBound, "x", "y"), "estimated 2 x y"},
		{f(5, figures.Exact), f(0, figures.Unknown, "y"), "unknown y"},
	} {
		if got := foldtest.Say(figures.Minus(c.a, c.b)); got != c.want {
			t.Errorf("%+v less %+v is %q, want %q", c.a, c.b, got, c.want)
		}
	}
}

func TestArrivals(t *testing.T) {
	scanned := func(at, gate string) func(*record.Ticket) {
		return func(t *record.Ticket) {
			t.Scans = []record.Scan{{At: foldtest.Clock(at).Add(30 * time.Second), Gate: gate, Direction: record.Entry}}
		}
	}
	s := foldtest.Fold(foldtest.Complete, foldtest.Event("a"),
		foldtest.Ticket("t", "a", scanned("19:00", "N")), foldtest.Ticket("u", "a", scanned("19:04", "N")), foldtest.Ticket("v", "a", scanned("19:05", "S")))
	e := s.Event("a")
	for _, c := range []struct {
		now    string
		window time.Duration
		want   int
	}{
		{"19:00", 15 * time.Minute, 0}, {"19:01", time.Minute, 1}, {"19:02", time.Minute, 0}, {"19:05", 5 * time.Minute, 2},
		{"19:06", time.Minute, 1}, {"19:06", 5 * time.Minute, 2}, {"19:06", 15 * time.Minute, 3}, {"19:15", 15 * time.Minute, 3},
		{"19:16", 15 * time.Minute, 2}, {"19:21", 15 * time.Minute, 0},
	} {
		show := foldtest.Evening(s, foldtest.Clock(c.now).Add(10*time.Second)).Show(e)
		if got := show.EntriesIn(nil, c.window); got.Value != c.want || got.Quality != figures.Exact {
			t.Errorf("%s entries in %v at %s, want %d", foldtest.Say(got), c.window, c.now, c.want)
		}
	}
	if got := foldtest.Evening(s, foldtest.Clock("19:06")).Show(e).EntriesIn(&e.Gates[0], 5*time.Minute); got.Value != 1 {
		t.Errorf("%s entries at N, want 1", foldtest.Say(got))
	}
	if got := e.Gates[0].LastEntry(); !got.Equal(foldtest.Clock("19:04")) {
		t.Errorf("last entry %v, want 19:04", got)
	}
	if got := new(figures.GateFigures).LastEntry(); !got.IsZero() {
		t.Errorf("last entry %v where there was none", got)
	}
}

func TestNoShow(t *testing.T) {
	ends := func(at string) func(*record.Event) { return func(e *record.Event) { e.EndsAt = foldtest.Clock(at) } }
	doorsOnly := func(e *record.Event) { e.StartsAt, e.DoorsAt = time.Time{}, foldtest.Clock("19:00") }
	in := func(t *record.Ticket) {
		t.Scans = []record.Scan{{At: foldtest.Clock("19:30"), Direction: record.Entry}}
	}
	told := func(t *record.Ticket) { t.Scans = []record.Scan{} }
	for name, c := range map[string]struct {
		event   *record.Event
		tickets []record.Record
		now     string
		want    string
	}{
		"running":     {foldtest.Event("a", ends("22:00")), []record.Record{foldtest.Ticket("t", "a", in)}, "21:59", "unknown"},
		"ended":       {foldtest.Event("a", ends("22:00")), []record.Record{foldtest.Ticket("t", "a", in), foldtest.Ticket("u", "a", told)}, "22:00", "0.5"},
		"by status":   {foldtest.Event("a", func(e *record.Event) { e.Status = record.EventEnded }), []record.Record{foldtest.Ticket("t", "a", in)}, "21:00", "0"},
		"no end told": {foldtest.Event("a"), []record.Record{foldtest.Ticket("t", "a", in)}, "23:59", "unknown"},
		"doors only":  {foldtest.Event("a", doorsOnly), []record.Record{foldtest.Ticket("t", "a", in)}, "23:59", "unknown"},
		"five hours":  {foldtest.Event("a", doorsOnly), []record.Record{foldtest.Ticket("t", "a", in)}, "21 00:00", "0"},
		"four hours":  {foldtest.Event("a"), []record.Record{foldtest.Ticket("t", "a", in)}, "21 00:00", "0"},
		"never":       {&record.Event{ID: "a"}, []record.Record{foldtest.Ticket("t", "a", in)}, "21 00:00", "unknown"},
		"no scanning": {foldtest.Event("a", ends("22:00")), []record.Record{foldtest.Ticket("t", "a", told)}, "22:00", "unknown no_scans"},
		"no scans":    {foldtest.Event("a", ends("22:00")), []record.Record{foldtest.Ticket("t", "a")}, "22:00", "unknown no_scans"},
		"more than expected": {foldtest.Event("a", ends("22:00")), []record.Record{foldtest.Ticket("t", "a", in),
			foldtest.Ticket("u", "a", in, func(t *record.Ticket) { t.Status = record.TicketVoid })}, "22:00", "0"},
	} {
		t.Run(name, func(t *testing.T) {
			s := foldtest.Fold(foldtest.Complete, append(c.tickets, c.event)...)
			if got := foldtest.Say(foldtest.Evening(s, foldtest.Clock(c.now)).Show(s.Event("a")).NoShow); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// How many of the blocked places are sold is known where it is known how many places there are, and not from the most that were
// ever free.
func TestBlockedSold(t *testing.T) {
	tickets := foldtest.Many(8, "t", "e")
	unread := foldtest.Complete
	unread.TicketsComplete = false
	for _, c := range []struct {
		name     string
		coverage ledger.Coverage
		capacity *int
		want     int
	}{
		{"of ten", foldtest.Complete, new(10), 2},
		{"of twelve", foldtest.Complete, new(12), 0},
		{"of seven, of which four are blocked", foldtest.Complete, new(7), 4},
		{"of as many as were free once", unread, nil, 0},
	} {
		e := foldtest.Fold(c.coverage, append(tickets[:len(tickets):len(tickets)], foldtest.Event("e", func(e *record.Event) {
			e.Capacity, e.Available, e.Blocked, e.TicketTypes = c.capacity, new(5), new(4), nil
		}))...).Event("e")
		if got := e.BlockedSold(); got != c.want {
			t.Errorf("%s, %s places: %d of the blocked are sold, want %d", c.name, foldtest.Say(e.Capacity), got, c.want)
		}
	}
}
