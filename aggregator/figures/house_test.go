package figures_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// tonight is a performance in a hall with its hours.
func tonight(id, hall, doors, curtain, end string, change ...func(*record.Event)) *record.Event {
	return theEvent(id, append([]func(*record.Event){func(e *record.Event) {
		e.Hall, e.DoorsAt, e.StartsAt, e.EndsAt = hall, clock(doors), clock(curtain), clock(end)
		e.Date = e.StartsAt.Format(time.DateOnly)
	}}, change...)...)
}

func status(s record.EventStatus) func(*record.Event) {
	return func(e *record.Event) { e.Status = s }
}

// passes are scans at times; an exit has a minus.
func passes(times ...string) func(*record.Ticket) {
	return func(t *record.Ticket) {
		t.Scans = []record.Scan{}
		for _, at := range times {
			s := record.Scan{Gate: "A", Direction: record.Entry}
			if at[0] == '-' {
				at, s.Direction = at[1:], record.Exit
			}
			s.At = clock(at)
			t.Scans = append(t.Scans, s)
		}
	}
}

// many makes n tickets of an event.
func many(n int, prefix, event string, change ...func(*record.Ticket)) []record.Record {
	var all []record.Record
	for i := range n {
		all = append(all, theTicket(fmt.Sprintf("%s%03d", prefix, i), event, change...))
	}
	return all
}

// voucher is a ticket that admits nobody.
func voucher(t *record.Ticket) { t.Admits = new(false) }

func voided(t *record.Ticket) { t.Status, t.CancelledAt = record.TicketVoid, clock("19:40") }

// at is the evening of records at a moment, with figures of that moment.
func at(now string, records ...record.Record) *figures.Evening {
	return eveningAt(fold(complete, records...), clock(now))
}

func together(all ...[]record.Record) (records []record.Record) {
	for _, r := range all {
		records = append(records, r...)
	}
	return records
}

// showOf is a performance of the evening.
func showOf(t *testing.T, v *figures.Evening, id string) *figures.Show {
	t.Helper()
	for _, s := range v.Shows {
		if s.Event.ID == id {
			return s
		}
	}
	t.Fatalf("%s is not among the evening's performances", id)
	return nil
}

// What was sold today is as good as what is known of all tickets it may be among; and 7 days are days
// of sale, the running one up to now.
func TestPlacesSoldToday(t *testing.T) {
	sold := func(minute string) func(*record.Ticket) { return func(t *record.Ticket) { t.SoldAt = clock(minute) } }
	records := together([]record.Record{tonight("a", "Zaal", "19:00", "20:00", "22:00"), tonight("b", "Zaal", "25 19:00", "25 20:00", "25 22:00")},
		many(2, "t", "a", sold("12:00")), many(1, "u", "a", sold("14 00:00")), many(1, "v", "a", sold("13 23:59")), many(1, "w", "a", sold("19:00")),
		many(4, "x", "b", sold("13:00")), []record.Record{theTicket("void", "b", sold("13:00"), func(t *record.Ticket) { t.Status, t.CancelledAt = record.TicketVoid, clock("14:00") })})
	syncing := complete
	syncing.TicketsComplete = false
	for name, c := range map[string]struct {
		coverage figures.Coverage
		want     string
	}{
		"all read":         {complete, "2, 4, 6; 3 on 7 days"},
		"tickets are read": {syncing, "at least 2 tickets_incomplete, at least 4 tickets_incomplete, at least 6 tickets_incomplete; at least 3 tickets_incomplete on 7 days"},
	} {
		v := eveningAt(fold(c.coverage, records...), clock("18:00"))
		h := &v.House
		if got := fmt.Sprintf("%s, %s, %s; %s on 7 days", say(h.PlacesHere), say(h.PlacesElsewhere), say(h.PlacesToday), say(v.Shows[0].SoldInWeek)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	if h := at("19:30", append(records, tonight("c", "Foyer", "21:00", "22:00", "23:00"))...).House; h.Waiting != 1 || h.Arriving != 1 {
		t.Errorf("%d wait for their doors and %d have opened them", h.Waiting, h.Arriving)
	}
}

func TestPhases(t *testing.T) {
	whole := tonight("a", "", "19:00", "20:00", "22:00")
	untimed := func(date string) *record.Event {
		return theEvent("a", func(e *record.Event) { e.StartsAt, e.Date = time.Time{}, date })
	}
	for _, c := range []struct {
		name  string
		event *record.Event
		now   string
		want  figures.Phase
	}{
		{"doors closed", whole, "18:59", figures.Before},
		{"doors", whole, "19:00", figures.Arriving},
		{"a minute to curtain", whole, "19:59", figures.Arriving},
		{"curtain", whole, "20:00", figures.Running},
		{"last minute", whole, "21:59", figures.Running},
		{"end", whole, "22:00", figures.Over},
		{"over by status", tonight("a", "", "19:00", "20:00", "22:00", status(record.EventEnded)), "21:00", figures.Over},
		{"cancelled while running", tonight("a", "", "19:00", "20:00", "22:00", status(record.EventCancelled)), "21:00", figures.Cancelled},
		{"cancelled stays cancelled", tonight("a", "", "19:00", "20:00", "22:00", status(record.EventCancelled)), "23:00", figures.Cancelled},
		{"postponed", tonight("a", "", "19:00", "20:00", "22:00", status(record.EventPostponed)), "23:00", figures.Postponed},
		{"doors assumed", tonight("a", "", "", "20:00", "22:00"), "19:00", figures.Arriving},
		{"curtain assumed", tonight("a", "", "19:00", "", "22:00"), "20:00", figures.Running},
		{"end assumed", tonight("a", "", "19:00", "20:00", ""), "23:59", figures.Running},
		{"assumed end", tonight("a", "", "19:00", "20:00", ""), "21 00:00", figures.Over},
		{"a day without times", untimed("2026-11-20"), "23:59", figures.Before},
		{"the day after", untimed("2026-11-20"), "21 00:00", figures.Over},
		{"no day at all", untimed(""), "21 00:00", figures.Before},
	} {
		s := fold(complete, c.event)
		if got := eveningAt(s, clock(c.now)).Show(s.Events[0]).Phase; got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Who is inside: until scanned out, or until the grace after the end has passed.
func TestHouseCount(t *testing.T) {
	late := tonight("late", "Foyer", "21:30", "22:00", "23:59")
	play := tonight("play", "Zaal", "19:00", "20:00", "22:00")
	lateIn := together([]record.Record{late}, many(4, "l", "late", passes("21:40")), many(1, "lo", "late", passes("21:40", "-21:50")))
	playIn := together([]record.Record{play}, many(6, "p", "play", passes("19:30")), many(3, "po", "play", passes("19:30", "-22:03")))
	count := func(h figures.House) string { return say(h.Inside) + " inside, " + say(h.Leaving) + " leaving" }
	for _, c := range []struct {
		name    string
		now     string
		records []record.Record
		want    string
	}{
		{"one hall", "20:30", playIn[:7], "estimated 6 no_exits inside, 0 leaving"},
		{"one hall, exits are scanned", "20:30", playIn, "6 inside, 0 leaving"},
		{"one hall, exits were scanned on another evening", "20:30", together(playIn[:7], []record.Record{tonight("past", "Zaal", "13 19:00", "13 20:00", "13 22:00")}, many(1, "x", "past", passes("13 19:30", "-13 22:05"))), "6 inside, 0 leaving"},
		{"one hall, exits were scanned in another", "20:30", together(playIn[:7], []record.Record{tonight("past", "Foyer", "13 19:00", "13 20:00", "13 22:00")}, many(1, "x", "past", passes("13 19:30", "-13 22:05"))), "estimated 6 no_exits inside, 0 leaving"},
		{"over and nobody scanned out", "22:05", together(playIn[:7], []record.Record{tonight("past", "Zaal", "13 19:00", "13 20:00", "13 22:00")}, many(1, "x", "past", passes("13 19:30", "-13 22:05"))), "estimated 6 no_exits inside, estimated 6 no_exits leaving"},
		{"both, one is over", "22:05", together(playIn, lateIn), "10 inside, 6 leaving"},
		{"both, nobody scanned out of one", "22:05", together(playIn[:7], lateIn), "estimated 10 no_exits inside, estimated 6 no_exits leaving"},
		{"the last minute of grace", "22:29", together(playIn, lateIn), "10 inside, 6 leaving"},
		{"the grace has passed", "22:30", together(playIn, lateIn), "4 inside, 0 leaving"},
		{"before the doors", "18:59", playIn, "0 inside, 0 leaving"},
		{"voided inside", "20:30", together(playIn, many(1, "v", "play", passes("19:30"), voided)), "7 inside, 0 leaving"},
		{"an unknown status inside", "20:30", together(playIn, many(1, "u", "play", passes("19:30"), func(t *record.Ticket) { t.Status = "odd" })), "7 inside, 0 leaving"},
		{"everybody scanned out", "22:05", together([]record.Record{play}, many(3, "po", "play", passes("19:30", "-22:03"))), "0 inside, 0 leaving"},
		{"nothing scanned", "20:30", together([]record.Record{play}, many(3, "p", "play")), "unknown no_scans inside, 0 leaving"},
		{"nothing scanned in one of two", "22:00", together([]record.Record{tonight("play", "Zaal", "19:00", "20:00", "22:30")}, many(3, "p", "play"), lateIn), "at least 4 no_scans inside, 0 leaving"},
		{"ended early", "21:20", together([]record.Record{tonight("play", "Zaal", "19:00", "20:00", "22:00", status(record.EventEnded), func(e *record.Event) { e.UpdatedAt = clock("21:00") })},
			many(2, "p", "play", passes("19:30", "-19:40", "19:50"))), "2 inside, 2 leaving"},
		{"ended early, grace passed", "21:30", together([]record.Record{tonight("play", "Zaal", "19:00", "20:00", "22:00", status(record.EventEnded), func(e *record.Event) { e.UpdatedAt = clock("21:00") })},
			many(2, "p", "play", passes("19:30", "-19:40", "19:50"))), "0 inside, 0 leaving"},
		{"called off with people inside", "20:10", together([]record.Record{tonight("play", "Zaal", "19:00", "20:00", "22:00", status(record.EventCancelled), func(e *record.Event) { e.UpdatedAt = clock("20:05") })},
			many(2, "p", "play", passes("19:30", "-19:40", "19:50"))), "2 inside, 2 leaving"},
	} {
		if got := count(at(c.now, c.records...).House); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	hour := ledgerOf(figures.Calendar{Grace: time.Hour}, newLog(playIn...).versions...).Snapshot(figures.Position{}, complete)
	for now, want := range map[string]string{"22:59": "6 inside, 6 leaving", "23:00": "0 inside, 0 leaving"} {
		if got := count(eveningAt(hour, clock(now)).House); got != want {
			t.Errorf("an hour of grace, at %s: %s, want %s", now, got, want)
		}
	}
	v := at("22:00", together([]record.Record{tonight("play", "Zaal", "19:00", "20:00", "22:30")}, many(3, "p", "play"), lateIn)...)
	if h := v.House; len(h.Unscanned) != 1 || h.Unscanned[0].Event.ID != "play" || h.Counted != 1 || say(h.Expected) != "5" {
		t.Errorf("%d unscanned, %d counted, %s expected", len(h.Unscanned), h.Counted, say(h.Expected))
	}
}

// What is written about a performance after it ended brings nobody back into the house.
func TestEndedEarlyStaysEnded(t *testing.T) {
	word := func(s record.EventStatus, at string) *record.Event {
		return tonight("play", "Zaal", "19:00", "20:00", "23:00", status(s), func(e *record.Event) { e.UpdatedAt = clock(at) })
	}
	visitors := many(5, "p", "play", passes("19:30"))
	for _, c := range []struct {
		name  string
		words []record.Record
		left  string // a minute before the house is empty
	}{
		{"ended", []record.Record{word(record.EventEnded, "21:30")}, "21:59"},
		{"and touched later", []record.Record{word(record.EventEnded, "21:30"), word(record.EventEnded, "22:20")}, "21:59"},
		{"called off and touched later", []record.Record{word(record.EventCancelled, "20:30"), word(record.EventCancelled, "22:20")}, "20:59"},
		{"called off in the afternoon, taken back, and ended", []record.Record{word(record.EventCancelled, "14:00"), word(record.EventOnSale, "15:00"), word(record.EventEnded, "21:30")}, "21:59"},
		{"ended after its hours", []record.Record{word(record.EventEnded, "23:40")}, "23:29"},
	} {
		s := fold(complete, together(c.words, visitors)...)
		for after, want := range map[time.Duration]int{0: 5, time.Minute: 0, time.Hour: 0} {
			if now := clock(c.left).Add(after); eveningAt(s, now).House.Inside.Value != want {
				t.Errorf("%s: at %s %d inside, want %d", c.name, now.Format("15:04"), eveningAt(s, now).House.Inside.Value, want)
			}
		}
	}
}

// Who is still to come: one number, which a voided ticket does not lower and which ends with
// the performance.
func TestStillToCome(t *testing.T) {
	play := tonight("a", "Zaal", "19:00", "20:00", "22:00")
	records := together([]record.Record{play}, many(6, "in", "a", passes("19:30")), many(4, "out", "a", passes()), many(2, "void", "a", passes("19:30"), voided))
	for _, c := range []struct {
		now, still, house, late string
		away, noShow            string
	}{
		{"18:59", "0", "0", "0", "unknown", "unknown"},
		{"19:35", "4", "4", "0", "unknown", "unknown"},
		{"19:59", "4", "4", "0", "unknown", "unknown"},
		{"20:00", "4", "0", "4", "unknown", "unknown"},
		{"21:59", "4", "0", "4", "unknown", "unknown"},
		{"22:00", "0", "0", "0", "4", "0.4"},
	} {
		v := at(c.now, records...)
		s := showOf(t, v, "a")
		got := []string{say(s.Still), say(v.House.Still), say(v.House.Latecomers), say(s.Away), say(s.NoShow)}
		if want := []string{c.still, c.house, c.late, c.away, c.noShow}; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("at %s: %q, want %q", c.now, got, want)
		}
	}
	if got := say(showOf(t, at("22:00", play, theTicket("t", "a", voucher)), "a").Away); got != "unknown no_scans nobody_expected" {
		t.Errorf("of a performance to which nobody was expected %s did not come", got)
	}
	nobody := together([]record.Record{play}, many(4, "out", "a", passes()))
	for now, want := range map[string]string{"19:59": "4", "20:00": "unknown no_scans"} {
		if got := say(showOf(t, at(now, nobody...), "a").Still); got != want {
			t.Errorf("nobody scanned, at %s: %s still to come, want %s", now, got, want)
		}
	}
}

// What can still be sold.
func TestFree(t *testing.T) {
	with := func(change func(*record.Event)) *record.Event {
		return tonight("a", "Zaal", "19:00", "20:00", "22:00", func(e *record.Event) { e.Capacity = new(20) }, change)
	}
	reported := func(n int, s record.EventStatus) *record.Event {
		return with(func(e *record.Event) { e.Available, e.Status = &n, s })
	}
	tickets := together(many(5, "s", "a"), many(3, "r", "a", func(t *record.Ticket) { t.Status = record.TicketReserved }))
	for _, c := range []struct {
		name  string
		event *record.Event
		now   string
		sale  figures.Sale
		want  string
	}{
		{"as reported", reported(7, record.EventOnSale), "18:00", figures.SaleOpen, "7"},
		{"oversold", reported(-7, record.EventOnSale), "18:00", figures.SaleOpen, "0"},
		{"own count", with(func(*record.Event) {}), "18:00", figures.SaleOpen, "estimated 12 no_available"},
		{"own count less blocked", with(func(e *record.Event) { e.Blocked = new(2) }), "18:00", figures.SaleOpen, "estimated 10 no_available"},
		{"own count, oversold", with(func(e *record.Event) { e.Capacity = new(4) }), "18:00", figures.SaleOpen, "estimated 0 no_available"},
		{"no capacity", with(func(e *record.Event) { e.Capacity = nil }), "18:00", figures.SaleOpen, "unknown no_capacity no_available"},
		{"no limit", with(func(e *record.Event) { e.Unlimited, e.Available = true, new(7) }), "18:00", figures.SaleOpen, "unknown unlimited"},
		{"draft", reported(7, record.EventDraft), "18:00", figures.SaleNotOpen, "0"},
		{"closed", reported(7, record.EventSalesClosed), "18:00", figures.SaleOver, "0"},
		{"sold out", reported(0, record.EventSoldOut), "18:00", figures.SaleOpen, "0"},
		{"said to be sold out, with places left", reported(7, record.EventSoldOut), "18:00", figures.SaleOpen, "0"},
		{"said to be sold out, by own count not", with(status(record.EventSoldOut)), "18:00", figures.SaleOpen, "0"},
		{"said to be sold out, without a limit", with(func(e *record.Event) { e.Unlimited, e.Status = true, record.EventSoldOut }), "18:00", figures.SaleOpen, "0"},
		{"cancelled", reported(7, record.EventCancelled), "18:00", figures.SaleOver, "0"},
		{"postponed", reported(7, record.EventPostponed), "18:00", figures.SaleOver, "0"},
		{"ended", reported(7, record.EventEnded), "18:00", figures.SaleOver, "0"},
		{"to the curtain without a word", reported(7, ""), "19:59", figures.SaleOpen, "7"},
		{"curtain without a word", reported(7, ""), "20:00", figures.SaleOver, "0"},
		{"on sale after curtain", reported(7, record.EventOnSale), "20:29", figures.SaleOpen, "7"},
		{"on sale for ever", reported(7, record.EventOnSale), "20:30", figures.SaleOver, "0"},
	} {
		v := at(c.now, append(tickets[:len(tickets):len(tickets)], c.event)...)
		if s := showOf(t, v, "a"); s.Sale != c.sale || say(s.Free) != c.want {
			t.Errorf("%s: sale %d, %s free; want %d, %s", c.name, s.Sale, say(s.Free), c.sale, c.want)
		}
	}
}

// The house's free places: those on sale, one by one.
func TestHouseFree(t *testing.T) {
	free := func(id, curtain string, n int, change ...func(*record.Event)) *record.Event {
		return tonight(id, id, "18:00", curtain, "22:00", append([]func(*record.Event){func(e *record.Event) {
			e.Capacity, e.Available, e.Status = new(10), &n, ""
		}}, change...)...)
	}
	own := func(e *record.Event) { e.Available = nil }
	for _, c := range []struct {
		name    string
		records []record.Record
		want    string
	}{
		{"one after the other", []record.Record{free("a", "20:00", 3), free("b", "20:00", 4)}, "7 in 2"},
		{"an oversold hall takes nothing", []record.Record{free("a", "20:00", -5), free("b", "20:00", 4)}, "4 in 1, 1 sold out"},
		{"own count where the service says nothing", []record.Record{free("a", "20:00", 0, own), free("b", "20:00", 4), theTicket("t", "a")}, "estimated 13 no_available in 2"},
		{"not known of one", []record.Record{free("a", "20:00", 0, own, func(e *record.Event) { e.Capacity = nil }), free("b", "20:00", 4)}, "at least 4 no_capacity no_available in 2"},
		{"the sale of one is over", []record.Record{free("a", "19:00", 3), free("b", "20:00", 4)}, "4 in 1"},
		{"one is cancelled", []record.Record{free("a", "20:00", 3, status(record.EventCancelled)), free("b", "20:00", 4)}, "4 in 1"},
		{"one has no limit", []record.Record{free("a", "20:00", 3, func(e *record.Event) { e.Unlimited = true }), free("b", "20:00", 4)}, "4 in 1"},
		{"one is said to be sold out", []record.Record{free("a", "20:00", 3, status(record.EventSoldOut)), free("b", "20:00", 4)}, "4 in 1, 1 sold out"},
		{"all are sold out", []record.Record{free("a", "20:00", 0), free("b", "20:00", 3, status(record.EventSoldOut))}, "0 in 0, 2 sold out, all"},
		{"sold out, and one has no limit", []record.Record{free("a", "20:00", 0), free("b", "20:00", 3, func(e *record.Event) { e.Unlimited = true })}, "0 in 0, 1 sold out"},
		{"sold out, and one is not known", []record.Record{free("a", "20:00", 0), free("b", "20:00", 0, own, func(e *record.Event) { e.Capacity = nil })}, "unknown no_capacity no_available in 1, 1 sold out"},
		{"by own count there may be none", []record.Record{free("a", "20:00", 0, own, func(e *record.Event) { e.Capacity = new(1) }), theTicket("t", "a")}, "estimated 0 no_available in 1"},
		{"sold out, and the sale is over", []record.Record{free("a", "19:00", 0)}, "0 in 0"},
		{"all are over", []record.Record{free("a", "19:00", 3)}, "0 in 0"},
	} {
		h := at("19:30", c.records...).House
		got := fmt.Sprint(say(h.Free), " in ", h.OnSale)
		if h.SoldOut > 0 {
			got += fmt.Sprintf(", %d sold out", h.SoldOut)
		}
		if h.AllSoldOut() {
			got += ", all"
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// What goes ahead is added up; what is called off is not.
func TestHouseTotals(t *testing.T) {
	sized := func(n int) func(*record.Event) { return func(e *record.Event) { e.Capacity = &n } }
	h := at("19:30", together([]record.Record{
		tonight("a", "Zaal", "19:00", "20:00", "22:00", sized(10)), tonight("b", "Foyer", "19:00", "21:00", "22:00", sized(20)),
		tonight("c", "Foyer", "22:30", "23:00", "23:30", sized(40)), tonight("off", "Kelder", "19:00", "20:00", "22:00", sized(80), status(record.EventCancelled)),
		tonight("later", "Tuin", "19:00", "20:00", "22:00", sized(160), status(record.EventPostponed)),
	}, many(3, "a", "a"), many(4, "b", "b"), many(2, "free", "c", func(t *record.Ticket) { t.Complimentary, t.Price = true, nil }),
		many(1, "r", "c", func(t *record.Ticket) { t.Status = record.TicketReserved }), many(5, "off", "off"), many(6, "later", "later"))...).House
	got := fmt.Sprint(h.Shows, h.Halls, " ", say(h.Capacity), " ", say(h.Sold), " ", say(h.Paid), " ", say(h.Complimentary), " ", say(h.Reserved), " ", say(h.Occupancy()))
	if want := "3 [Zaal Foyer] 70 9 estimated 7 no_order 2 1 0.12857142857142856"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Who came on a reserved ticket is a visitor and does not make up for one who stayed away.
func TestNoShowIsOfSoldTickets(t *testing.T) {
	came := func(t *record.Ticket) { t.Scans = []record.Scan{{At: clock("19:50"), Direction: record.Entry}} }
	away := func(t *record.Ticket) { t.Scans = []record.Scan{} }
	reserved := func(t *record.Ticket) { t.Status = record.TicketReserved }
	s := fold(complete, theEvent("a", func(e *record.Event) { e.EndsAt = clock("22:00") }),
		theTicket("t", "a", came), theTicket("u", "a", came), theTicket("v", "a", away), theTicket("w", "a", came, reserved))
	s.AsOf = clock("23:30")
	show := s.Evening(clock("23:30")).Show(s.Event("a"))
	got := fmt.Sprint(say(show.Expected), " expected, ", say(show.Attendance), " came, ", say(show.Away), " away, ", show.NoShow.Value)
	if want := fmt.Sprint("3 expected, 3 came, 1 away, ", 1.0/3); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Who is expected in the evening is one for each place sold, whether or not the doors are open: of all of its
// performances that go ahead, as each of them says it.
func TestExpectedInTheEvening(t *testing.T) {
	v := at("19:30", together([]record.Record{
		tonight("over", "Zaal", "15:00", "16:00", "17:00"), tonight("open", "Zaal", "19:00", "20:00", "22:00"), tonight("later", "Foyer", "22:30", "23:00", "23:30"),
		tonight("off", "Kelder", "19:00", "20:00", "22:00", status(record.EventCancelled)),
	}, many(1, "over", "over"), many(2, "open", "open"), many(4, "later", "later"), many(8, "off", "off"))...)
	x, ok := v.Explain(figures.KeyExpected, figures.Scope{})
	if !ok || x.Count != 7 || len(x.Terms) != 1 || x.Terms[0].Key != figures.KeySold || x.Terms[0].Count != 7 {
		t.Fatalf("expected are %+v by %+v", x.Value, x.Terms)
	}
	got := map[string]int{}
	for _, p := range x.Parts {
		got[p.Event.Event.ID] = p.Count
	}
	if want := map[string]int{"over": 1, "open": 2, "later": 4}; !maps.Equal(got, want) {
		t.Errorf("expected by performance are %v, want %v", got, want)
	}
}

// While what came to the list of performances since a poll of long ago is being read, nothing of the evening is exact:
// performances of it may be among that, also where none is known.
func TestEveningWhilePerformancesAreRead(t *testing.T) {
	for name, known := range map[string][]record.Record{
		"none": nil, "one": together([]record.Record{tonight("a", "Zaal", "19:00", "20:00", "22:00", func(e *record.Event) { e.Capacity = new(10) })}, many(2, "t", "a", passes("19:10"))),
	} {
		s := fold(complete, known...)
		s.Health.Streams = []figures.StreamHealth{{Name: "events", Kinds: []record.Kind{record.KindEvent}, Complete: true, Behind: true}}
		v := eveningAt(s, clock("19:30"))
		for _, k := range []figures.Key{figures.KeyCapacity, figures.KeySold, figures.KeyExpected, figures.KeyPaid, figures.KeyFree, figures.KeyInside, figures.KeyStill, figures.KeyLatecomers, figures.KeyBooked} {
			if x, ok := v.Explain(k, figures.Scope{}); !ok || x.Quality == figures.Exact || !slices.Contains(x.Reasons, figures.ReasonBehind) {
				t.Errorf("%s with %s known is %+v", k, name, x.Value)
			}
		}
		s.Health.Streams[0].Behind = false
		if x, ok := eveningAt(s, clock("19:30")).Explain(figures.KeySold, figures.Scope{}); !ok || x.Quality != figures.Exact {
			t.Errorf("once they are read, sold with %s known is %+v", name, x.Value)
		}
	}
}
