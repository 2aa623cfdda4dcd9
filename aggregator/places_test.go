package aggregator_test

import (
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/apiclient"
)

// say is a figure in words.
func say[T any](f aggregator.Figure[T]) string {
	words := []string{"", "estimated ", "at least ", "unknown"}[f.Quality]
	if f.Known() {
		words += fmt.Sprint(f.Value)
	}
	for _, r := range f.Reasons {
		words += " " + string(r)
	}
	return words
}

func TestCapacity(t *testing.T) {
	var (
		incomplete = aggregator.Coverage{TicketsOffered: true}
		noTickets  = aggregator.Coverage{}
		planning   = complete
	)
	planning.PlanningPartial = true
	types := func(capacities ...*int) (types []apiclient.TicketType) {
		for _, c := range capacities {
			types = append(types, apiclient.TicketType{Capacity: c})
		}
		return types
	}
	// Two sold, one reserved.
	tickets := []apiclient.Record{theTicket("t", "a"), theTicket("u", "a"),
		theTicket("v", "a", func(t *apiclient.Ticket) { t.Status = apiclient.TicketReserved })}
	plan := func(id string, capacity int, change func(*apiclient.Planning)) *apiclient.Planning {
		p := &apiclient.Planning{ID: id, EventID: "a", Status: "confirmed", Capacity: &capacity}
		change(p)
		return p
	}
	planned := []apiclient.Record{ // thirty places
		plan("first", 99, func(*apiclient.Planning) {}), plan("first", 10, func(*apiclient.Planning) {}),
		plan("unknown", 20, func(p *apiclient.Planning) { p.Status = "pencilled in" }),
		plan("option", 40, func(p *apiclient.Planning) { p.Status = "option" }), plan("off", 41, func(p *apiclient.Planning) { p.Status = "cancelled" }),
		plan("gone", 42, func(p *apiclient.Planning) { p.Deleted = true }), plan("none", 43, func(p *apiclient.Planning) { p.Capacity = nil }),
		plan("nobody's", 44, func(p *apiclient.Planning) { p.EventID = "" }), plan("other", 45, func(p *apiclient.Planning) { p.EventID = "b" }),
		plan("absurd", math.MaxInt, func(*apiclient.Planning) {}), plan("negative", -1, func(*apiclient.Planning) {}),
	}
	for name, c := range map[string]struct {
		event     apiclient.Event
		coverage  aggregator.Coverage
		capacity  string
		available string
		oversold  int
	}{
		"unlimited":            {apiclient.Event{Unlimited: true, Capacity: new(9), Available: new(9)}, complete, "unknown unlimited", "unknown unlimited", 0},
		"told":                 {apiclient.Event{Capacity: new(9), Available: new(6)}, complete, "9", "6", 0},
		"oversold":             {apiclient.Event{Capacity: new(1), Available: new(-1)}, complete, "1", "-1", 1},
		"none":                 {apiclient.Event{Capacity: new(0)}, complete, "0", "unknown no_available", 2},
		"negative":             {apiclient.Event{Capacity: new(-9)}, complete, "unknown no_capacity", "unknown no_available", 0},
		"absurd":               {apiclient.Event{Capacity: new(math.MaxInt), Available: new(math.MinInt)}, complete, "unknown no_capacity", "unknown no_available", 0},
		"types":                {apiclient.Event{TicketTypes: types(new(5), new(7)), Available: new(9)}, complete, "estimated 12 types_may_overlap", "9", 0},
		"one type tells":       {apiclient.Event{TicketTypes: types(new(5), nil)}, complete, "unknown no_capacity", "unknown no_available", 0},
		"by sales":             {apiclient.Event{Available: new(7)}, complete, "estimated 10 blocked_unknown", "7", 0},
		"by sales and blocked": {apiclient.Event{Available: new(7), Blocked: new(4)}, complete, "14", "7", 0},
		"by sales, oversold":   {apiclient.Event{Available: new(-2)}, complete, "estimated 1 blocked_unknown", "-2", 1},
		"available only":       {apiclient.Event{Available: new(7)}, incomplete, "at least 7 highest_available", "7", 0},
		"no tickets":           {apiclient.Event{Available: new(7)}, noTickets, "at least 7 highest_available", "7", 0},
		"no tickets, oversold": {apiclient.Event{Capacity: new(5), Available: new(-3)}, noTickets, "5", "-3", 3},
		"planned":              {apiclient.Event{Available: new(7), Series: "planned"}, complete, "estimated 30 planning", "7", 0},
		"planned in part":      {apiclient.Event{Series: "planned in part"}, planning, "at least 1 planning planning_incomplete", "unknown no_available", 0},
		"told and planned":     {apiclient.Event{Capacity: new(9), Series: "planned"}, complete, "9", "unknown no_available", 0},
		"types and planned":    {apiclient.Event{TicketTypes: types(new(5)), Series: "planned"}, complete, "estimated 5 types_may_overlap", "unknown no_available", 0},
		"planned, no limit":    {apiclient.Event{Unlimited: true, Series: "planned"}, complete, "unknown unlimited", "unknown unlimited", 0},
		"nothing":              {apiclient.Event{}, complete, "unknown no_capacity", "unknown no_available", 0},
	} {
		t.Run(name, func(t *testing.T) {
			c.event.ID = "a"
			records := append(tickets[:len(tickets):len(tickets)], &c.event)
			if c.event.Series == "planned" {
				records = append(records, planned...)
			}
			if c.event.Series == "planned in part" {
				records = append(records, plan("first", 1, func(*apiclient.Planning) {}))
			}
			e := fold(c.coverage, records...).Event("a")
			if got := say(e.Capacity); got != c.capacity {
				t.Errorf("capacity %q, want %q", got, c.capacity)
			}
			if got := say(e.Available); got != c.available {
				t.Errorf("available %q, want %q", got, c.available)
			}
			if e.Oversold != c.oversold {
				t.Errorf("oversold by %d, want %d", e.Oversold, c.oversold)
			}
		})
	}
}

func TestHighestAvailable(t *testing.T) {
	l := aggregator.NewLedger(aggregator.Calendar{})
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
		l.Apply(theEvent("a", func(e *apiclient.Event) {
			e.Available, e.UpdatedAt = step.available, clock("10:00").Add(time.Duration(i)*time.Second)
		}))
		if got := say(l.Snapshot(aggregator.Position{}, aggregator.Coverage{}).Event("a").Capacity); got != step.want {
			t.Errorf("step %d: capacity %q, want %q", i, got, step.want)
		}
	}
	// An older version does not count.
	l.Apply(theEvent("a", func(e *apiclient.Event) { e.Available, e.UpdatedAt = new(99), clock("09:00") }))
	if got := say(l.Snapshot(aggregator.Position{}, aggregator.Coverage{}).Event("a").Capacity); got != "at least 55 highest_available" {
		t.Errorf("after an older version: capacity %q", got)
	}
}

func TestPlaces(t *testing.T) {
	of := func(places int, change ...func(*apiclient.Ticket)) func(*apiclient.Ticket) {
		return func(t *apiclient.Ticket) {
			t.Quantity = &places
			for _, f := range change {
				f(t)
			}
		}
	}
	typed := func(id, name string) func(*apiclient.Ticket) {
		return func(t *apiclient.Ticket) { t.Type = apiclient.TypeRef{ID: id, Name: name} }
	}
	channel := func(c string) func(*apiclient.Ticket) { return func(t *apiclient.Ticket) { t.Channel = c } }
	comp := func(t *apiclient.Ticket) { t.Complimentary, t.Price = true, nil }
	free := func(t *apiclient.Ticket) { t.Price = eur(0) }
	status := func(s apiclient.TicketStatus) func(*apiclient.Ticket) {
		return func(t *apiclient.Ticket) { t.Status, t.CancelledAt = s, clock("10:30") }
	}
	merchandise := func(t *apiclient.Ticket) { t.Admits = new(false) }

	e := fold(complete,
		theEvent("a", func(e *apiclient.Event) {
			e.Capacity, e.TicketTypes = new(40), []apiclient.TicketType{{ID: "1", Name: "Stalls"}}
		}),
		theTicket("t1", "a", of(4, typed("1", "old name"), channel("web"))),
		theTicket("t2", "a", of(2, typed("1", "Stalls"), comp)),
		theTicket("t3", "a", of(3, typed("2", "Circle"), free, channel("door"))),
		theTicket("t4", "a", of(5, typed("3", ""), status("reserved"))),
		theTicket("t5", "a", of(6, status("void"))),
		theTicket("t6", "a", of(7, status("refunded"))),
		theTicket("t7", "a", of(8, status("expired"))),
		theTicket("t8", "a", of(1, typed("9", "Programme"), merchandise)),
	).Event("a")
	for _, c := range []struct{ name, got, want string }{
		{"sold", say(e.Sold), "9"},
		{"paid", say(e.Paid), "7"},
		{"complimentary", say(e.Complimentary), "2"},
		{"reserved", say(e.Reserved), "5"},
		{"expected", say(e.Expected), "9"},
		{"occupancy", say(e.Occupancy()), "0.225"},
		{"paid occupancy", say(e.PaidOccupancy()), "0.175"},
		{"types", fmt.Sprint(e.Types), "[{Stalls 6 4 [{8000 EUR}]} {Circle 3 3 []} {Programme 0 0 [{2000 EUR}]}]"},
		{"channels", fmt.Sprint(e.Channels), "[{web 4 4 [{8000 EUR}]} {door 3 3 []} { 2 0 [{2000 EUR}]}]"},
		{"sold in the hour to 10:29", fmt.Sprint(e.SoldIn(clock("10:29"), time.Hour)), "22"},
		{"sold in the hour to 10:30", fmt.Sprint(e.SoldIn(clock("10:30"), time.Hour)), "9"},
		{"sold in the hour to 11:00", fmt.Sprint(e.SoldIn(clock("11:00"), time.Hour)), "-13"},
		{"sold in the hour to 10:59", fmt.Sprint(e.SoldIn(clock("10:59"), time.Hour)), "9"},
		{"sold in the hour to 09:59", fmt.Sprint(e.SoldIn(clock("09:59"), time.Hour)), "0"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.name, c.got, c.want)
		}
	}
	incomplete := fold(aggregator.Coverage{TicketsOffered: true}, theEvent("a"), theTicket("t", "a")).Event("a")
	if got := say(incomplete.Sold); got != "at least 1 tickets_incomplete" {
		t.Errorf("sold %q while the first sync runs", got)
	}
	if got := say(incomplete.Occupancy()); got != "unknown tickets_incomplete no_capacity" {
		t.Errorf("occupancy %q", got)
	}
	none := fold(aggregator.Coverage{}, theEvent("a"), theTicket("t", "a")).Event("a")
	for _, f := range []aggregator.Figure[int]{none.Sold, none.Paid, none.Complimentary, none.Reserved, none.Expected, none.Attendance} {
		if got := say(f); got != "unknown no_tickets" && got != "unknown no_tickets no_scans" {
			t.Errorf("%q without tickets", got)
		}
	}
}

func TestVisitors(t *testing.T) {
	entry := func(at, gate string) apiclient.Scan {
		return apiclient.Scan{At: clock(at), Gate: gate, Direction: apiclient.Entry}
	}
	exit := func(at, gate string) apiclient.Scan {
		return apiclient.Scan{At: clock(at), Gate: gate, Direction: apiclient.Exit, Result: "ok"}
	}
	refused := func(s apiclient.Scan) apiclient.Scan { s.Result = "wrong day"; return s }
	undone := func(s apiclient.Scan) apiclient.Scan { s.Undone = true; return s }
	scanned := func(scans ...apiclient.Scan) func(*apiclient.Ticket) {
		return func(t *apiclient.Ticket) { t.Scans = append([]apiclient.Scan{}, scans...) }
	}
	apart := func(id, ticket string, s apiclient.Scan, change ...func(*apiclient.TicketScan)) *apiclient.TicketScan {
		r := &apiclient.TicketScan{ID: id, TicketID: ticket, Scan: s}
		for _, f := range change {
			f(r)
		}
		return r
	}
	deleted := func(r *apiclient.TicketScan) { r.Deleted = true }
	two := func(t *apiclient.Ticket) { t.Quantity = new(2) }
	void := func(t *apiclient.Ticket) { t.Status = apiclient.TicketVoid }

	for name, c := range map[string]struct {
		tickets []apiclient.Record
		want    string // expected, attendance, present, still to come
		gates   string
	}{
		"no ticket anywhere":   {nil, "0 | unknown no_scans | unknown no_scans | unknown no_scans", "[]"},
		"scans told elsewhere": {[]apiclient.Record{theTicket("t", "b", scanned())}, "0 | 0 | unknown no_exits | 0", "[]"},
		"no scan field":        {[]apiclient.Record{theTicket("t", "a"), theTicket("u", "b", scanned())}, "1 | unknown no_scans | unknown no_scans | unknown no_scans", "[]"},
		"empty scan field":     {[]apiclient.Record{theTicket("t", "a", scanned())}, "1 | 0 | unknown no_exits | 1", "[]"},
		"entry":                {[]apiclient.Record{theTicket("t", "a", two, scanned(entry("19:01", "N"))), theTicket("u", "a", scanned())}, "3 | 2 | unknown no_exits | 1", "[{N 2 [19:01 2]}]"},
		"refused and undone":   {[]apiclient.Record{theTicket("t", "a", scanned(refused(entry("19:01", "N")), undone(entry("19:02", "N"))))}, "1 | 0 | unknown no_exits | 1", "[]"},
		"two doors":            {[]apiclient.Record{theTicket("t", "a", scanned(entry("19:01", "N"), entry("19:02", "S")))}, "1 | 1 | unknown no_exits | 0", "[{N 1 [19:01 1]} {S 1 [19:02 1]}]"},
		"in and out":           {[]apiclient.Record{theTicket("t", "a", scanned(entry("19:01", "N"), exit("19:30", "N"))), theTicket("u", "a", scanned(entry("19:01", "N")))}, "2 | 2 | 1 | 0", "[{N 2 [19:01 2]}]"},
		"in, out and in":       {[]apiclient.Record{theTicket("t", "a", scanned(entry("19:01", "N"), exit("19:30", "N"), entry("19:40", "S")))}, "1 | 1 | 1 | 0", "[{N 1 [19:01 1]} {S 1 [19:40 1]}]"},
		"exit undone":          {[]apiclient.Record{theTicket("t", "a", scanned(entry("19:01", "N"), undone(exit("19:30", "N")))), theTicket("u", "a", scanned(exit("19:01", "N")))}, "2 | 1 | 1 | 1", "[{N 1 [19:01 1]}]"},
		"voided afterwards":    {[]apiclient.Record{theTicket("t", "a", void, scanned(entry("19:01", "N")))}, "0 | 1 | unknown no_exits | 0", "[{N 1 [19:01 1]}]"},
		"merchandise":          {[]apiclient.Record{theTicket("t", "a", scanned(entry("19:01", "N")), func(t *apiclient.Ticket) { t.Admits = new(false) })}, "0 | 0 | unknown no_exits | 0", "[]"},
		"unknown status":       {[]apiclient.Record{theTicket("t", "a", scanned(entry("19:01", "N")), func(t *apiclient.Ticket) { t.Status = "odd" })}, "at least 0 unknown_status | at least 0 unknown_status | unknown unknown_status no_exits | estimated 0 unknown_status", "[]"},
		"apart":                {[]apiclient.Record{apart("s", "t", entry("19:01", "N")), theTicket("t", "a", two), theTicket("u", "a")}, "3 | 2 | unknown no_exits | 1", "[{N 2 [19:01 2]}]"},
		"apart, undone":        {[]apiclient.Record{theTicket("t", "a"), apart("s", "t", undone(entry("19:01", "N")))}, "1 | 0 | unknown no_exits | 1", "[]"},
		"apart, deleted":       {[]apiclient.Record{theTicket("t", "a"), apart("s", "t", entry("19:01", "N"), deleted)}, "1 | unknown no_scans | unknown no_scans | unknown no_scans", "[]"},
		"both ways":            {[]apiclient.Record{theTicket("t", "a", scanned(entry("19:01", "N"))), apart("s", "t", exit("19:30", "N")), apart("r", "t", entry("19:01", "N")), apart("q", "t", entry("19:01", "N"))}, "1 | 1 | 0 | 0", "[{N 1 [19:01 1]}]"},
		"apart twice":          {[]apiclient.Record{apart("q", "t", entry("19:01", "N")), theTicket("t", "a"), apart("r", "t", entry("19:01", "N")), apart("s", "t", entry("19:01", "S"))}, "1 | 1 | unknown no_exits | 0", "[{N 1 [19:01 1]} {S 1 [19:01 1]}]"},
		"back in, apart":       {[]apiclient.Record{apart("s", "t", exit("19:30", "N")), apart("r", "t", entry("19:40", "S")), theTicket("t", "a", scanned(entry("19:01", "N")))}, "1 | 1 | 1 | 0", "[{N 1 [19:01 1]} {S 1 [19:40 1]}]"},
		"another ticket":       {[]apiclient.Record{theTicket("t", "a", scanned()), apart("s", "t", entry("19:01", "N")), apart("s", "x", entry("19:01", "N"))}, "1 | 0 | unknown no_exits | 1", "[]"},
		"test":                 {[]apiclient.Record{theTicket("t", "a", scanned(entry("19:01", "N")), func(t *apiclient.Ticket) { t.Test = true })}, "0 | unknown no_scans | unknown no_scans | unknown no_scans", "[]"},
	} {
		t.Run(name, func(t *testing.T) {
			e := fold(complete, append(c.tickets, theEvent("a"), theEvent("b"))...).Event("a")
			got := say(e.Expected) + " | " + say(e.Attendance) + " | " + say(e.PresentNow) + " | " + say(e.StillToCome())
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
	reading, read := complete, complete
	reading.ScansOffered = true
	read.ScansOffered, read.ScansComplete = true, true
	scan := &apiclient.TicketScan{ID: "s", TicketID: "t", Scan: apiclient.Scan{At: clock("19:01"), Direction: apiclient.Entry}}
	for _, c := range []struct {
		name     string
		coverage aggregator.Coverage
		records  []apiclient.Record
		want     string
	}{
		{"not offered", complete, nil, "unknown no_scans"},
		{"nothing read", reading, nil, "unknown scans_incomplete no_scans"},
		{"one read", reading, []apiclient.Record{scan}, "at least 1 scans_incomplete"},
		{"one of two", read, []apiclient.Record{scan}, "1"},
		{"none at all", read, nil, "0"},
	} {
		e := fold(c.coverage, append(c.records, theEvent("a"), theTicket("t", "a"), theTicket("u", "a"))...).Event("a")
		if got := say(e.Attendance); got != c.want {
			t.Errorf("%s: attendance %q, want %q", c.name, got, c.want)
		}
	}
}

func TestMinus(t *testing.T) {
	f := func(value int, q aggregator.Quality, reasons ...aggregator.Reason) aggregator.Figure[int] {
		return aggregator.Figure[int]{Value: value, Quality: q, Reasons: reasons}
	}
	for _, c := range []struct {
		a, b aggregator.Figure[int]
		want string
	}{
		{f(5, aggregator.Exact), f(3, aggregator.Exact), "2"},
		{f(3, aggregator.Exact), f(5, aggregator.Exact), "0"},
		{f(5, aggregator.Estimated, "x"), f(3, aggregator.Exact), "estimated 2 x"},
		{f(5, aggregator.Exact), f(3, aggregator.LowerBound, "y"), "estimated 2 y"},
		{f(5, aggregator.LowerBound, "x"), f(3, aggregator.LowerBound, "x", "y"), "estimated 2 x y"},
		{f(5, aggregator.Exact), f(0, aggregator.Unknown, "y"), "unknown y"},
	} {
		if got := say(aggregator.Minus(c.a, c.b)); got != c.want {
			t.Errorf("%+v less %+v is %q, want %q", c.a, c.b, got, c.want)
		}
	}
}

func TestArrivals(t *testing.T) {
	scanned := func(at, gate string) func(*apiclient.Ticket) {
		return func(t *apiclient.Ticket) {
			t.Scans = []apiclient.Scan{{At: clock(at).Add(30 * time.Second), Gate: gate, Direction: apiclient.Entry}}
		}
	}
	e := fold(complete, theEvent("a"),
		theTicket("t", "a", scanned("19:00", "N")), theTicket("u", "a", scanned("19:04", "N")), theTicket("v", "a", scanned("19:05", "S"))).Event("a")
	for _, c := range []struct {
		now    string
		window time.Duration
		want   int
	}{
		{"18:59", 15 * time.Minute, 0}, {"19:00", time.Minute, 1}, {"19:04", 5 * time.Minute, 2}, {"19:05", time.Minute, 1},
		{"19:05", 5 * time.Minute, 2}, {"19:05", 15 * time.Minute, 3}, {"19:30", 15 * time.Minute, 0},
	} {
		if got := e.EntriesIn(clock(c.now).Add(10*time.Second), c.window); got != c.want {
			t.Errorf("%d entries in %v at %s, want %d", got, c.window, c.now, c.want)
		}
	}
	if got := e.Gates[0].EntriesIn(clock("19:05"), 5*time.Minute); got != 1 {
		t.Errorf("%d entries at N, want 1", got)
	}
	if got := e.Gates[0].LastEntry(); !got.Equal(clock("19:04")) {
		t.Errorf("last entry %v, want 19:04", got)
	}
	if got := new(aggregator.GateFigures).LastEntry(); !got.IsZero() {
		t.Errorf("last entry %v where there was none", got)
	}
}

func TestNoShow(t *testing.T) {
	ends := func(at string) func(*apiclient.Event) { return func(e *apiclient.Event) { e.EndsAt = clock(at) } }
	doorsOnly := func(e *apiclient.Event) { e.StartsAt, e.DoorsAt = time.Time{}, clock("19:00") }
	in := func(t *apiclient.Ticket) {
		t.Scans = []apiclient.Scan{{At: clock("19:30"), Direction: apiclient.Entry}}
	}
	told := func(t *apiclient.Ticket) { t.Scans = []apiclient.Scan{} }
	for name, c := range map[string]struct {
		event   *apiclient.Event
		tickets []apiclient.Record
		now     string
		want    string
	}{
		"running":     {theEvent("a", ends("22:00")), []apiclient.Record{theTicket("t", "a", in)}, "21:59", "unknown"},
		"ended":       {theEvent("a", ends("22:00")), []apiclient.Record{theTicket("t", "a", in), theTicket("u", "a", told)}, "22:00", "0.5"},
		"by status":   {theEvent("a", func(e *apiclient.Event) { e.Status = apiclient.EventEnded }), []apiclient.Record{theTicket("t", "a", in)}, "21:00", "0"},
		"no end told": {theEvent("a"), []apiclient.Record{theTicket("t", "a", in)}, "23:59", "unknown"},
		"doors only":  {theEvent("a", doorsOnly), []apiclient.Record{theTicket("t", "a", in)}, "23:59", "unknown"},
		"five hours":  {theEvent("a", doorsOnly), []apiclient.Record{theTicket("t", "a", in)}, "21 00:00", "0"},
		"four hours":  {theEvent("a"), []apiclient.Record{theTicket("t", "a", in)}, "21 00:00", "0"},
		"never":       {&apiclient.Event{ID: "a"}, []apiclient.Record{theTicket("t", "a", in)}, "21 00:00", "unknown"},
		"no scanning": {theEvent("a", ends("22:00")), []apiclient.Record{theTicket("t", "a", told)}, "22:00", "unknown no_scans"},
		"no scans":    {theEvent("a", ends("22:00")), []apiclient.Record{theTicket("t", "a")}, "22:00", "unknown no_scans"},
		"more than expected": {theEvent("a", ends("22:00")), []apiclient.Record{theTicket("t", "a", in),
			theTicket("u", "a", in, func(t *apiclient.Ticket) { t.Status = apiclient.TicketVoid })}, "22:00", "0"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := say(fold(complete, append(c.tickets, c.event)...).Event("a").NoShow(clock(c.now))); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestChanges(t *testing.T) {
	l := aggregator.NewLedger(aggregator.Calendar{})
	order := func(t *apiclient.Ticket) { t.OrderID = "o" }
	at := func(s string) func(*apiclient.Ticket) { return func(t *apiclient.Ticket) { t.UpdatedAt = clock(s) } }
	for i, step := range []struct {
		record apiclient.Record
		want   aggregator.Changes
	}{
		{theEvent("b"), aggregator.Changes{Events: []string{"b"}}},
		{theEvent("b"), aggregator.Changes{}},
		{theEvent(""), aggregator.Changes{}},
		{theTicket("t", "a", order), aggregator.Changes{Unattributed: true}},
		{theEvent("a"), aggregator.Changes{Events: []string{"a"}, Unattributed: true}},
		{theTicket("u", "b", order, at("10:00")), aggregator.Changes{Events: []string{"b"}}},
		{theTicket("u", "b", order, at("09:00")), aggregator.Changes{}},
		{theTicket("u", "b", order, at("11:00")), aggregator.Changes{}},
		{thePayment("p", 10, func(p *apiclient.Payment) { p.OrderID = "o" }), aggregator.Changes{Events: []string{"a", "b"}}},
		{theTicket("v", "b", order), aggregator.Changes{Events: []string{"a", "b"}}},
		{thePayment("q", 10), aggregator.Changes{Unattributed: true}},
		{theEvent("a", func(e *apiclient.Event) { e.Deleted = true }), aggregator.Changes{Events: []string{"a"}, Unattributed: true}},
		{theEvent("b", func(e *apiclient.Event) { e.Test = true }), aggregator.Changes{Events: []string{"b"}}},
		{theTicket("w", "b"), aggregator.Changes{}},
	} {
		if got := l.Apply(step.record); !reflect.DeepEqual(got, step.want) {
			t.Errorf("step %d: %+v, want %+v", i, got, step.want)
		}
	}
}

func TestSnapshotSharesWhatDidNotChange(t *testing.T) {
	l := aggregator.NewLedger(aggregator.Calendar{})
	for _, r := range []apiclient.Record{theEvent("a"), theEvent("b"), theTicket("t", "a"), theTicket("u", "b"),
		theTicket("v", "b", func(t *apiclient.Ticket) { t.SoldAt = clock("19 10:00") })} {
		l.Apply(r)
	}
	first := l.Snapshot(aggregator.Position{Revision: 1}, complete)
	l.Apply(theTicket("w", "b"))
	second := l.Snapshot(aggregator.Position{Revision: 2}, complete)
	if first.Event("a") != second.Event("a") || first.Days[0] != second.Days[0] ||
		first.Event("b").SaleDays[0] != second.Event("b").SaleDays[0] {
		t.Error("what did not change was made anew")
	}
	if first.Event("b") == second.Event("b") || first.Days[1] == second.Days[1] || first.Event("b").Sold.Value != 2 || second.Event("b").Sold.Value != 3 {
		t.Error("what changed was not made anew")
	}
	if second.Position.Revision != 2 || first == second {
		t.Error("a snapshot must be its own")
	}
}
