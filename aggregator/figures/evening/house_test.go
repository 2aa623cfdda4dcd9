package evening_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/licence"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// voucher is a ticket that admits nobody.
func voucher(t *record.Ticket) { t.Admits = new(false) }

func voided(t *record.Ticket) { t.Status, t.CancelledAt = record.TicketVoid, foldtest.Clock("19:40") }

// What was sold today is as good as what is known of all tickets it may be among; 7 days are those up to and
// with the minute of the figures.
func TestPlacesSoldToday(t *testing.T) {
	sold := func(minute string) func(*record.Ticket) {
		return func(t *record.Ticket) { t.SoldAt = foldtest.Clock(minute) }
	}
	records := foldtest.Together([]record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00"), foldtest.Tonight("b", "Zaal", "25 19:00", "25 20:00", "25 22:00")},
		foldtest.Many(2, "t", "a", sold("12:00")), foldtest.Many(1, "u", "a", sold("13 18:00")), foldtest.Many(1, "v", "a", sold("13 17:59")), foldtest.Many(1, "w", "a", sold("19:00")),
		foldtest.Many(4, "x", "b", sold("13:00")), []record.Record{foldtest.Ticket("void", "b", sold("13:00"), func(t *record.Ticket) { t.Status, t.CancelledAt = record.TicketVoid, foldtest.Clock("14:00") })})
	syncing := foldtest.Complete
	syncing.TicketsComplete = false
	for name, c := range map[string]struct {
		coverage ledger.Coverage
		want     string
	}{
		"all read":         {foldtest.Complete, "2, 4, 6; 3 on 7 days"},
		"tickets are read": {syncing, "estimated 2 tickets_incomplete, estimated 4 tickets_incomplete, estimated 6 tickets_incomplete; estimated 3 tickets_incomplete on 7 days"},
	} {
		v := foldtest.Evening(foldtest.Fold(c.coverage, records...), foldtest.Clock("17:59"))
		h := &v.House
		if got := fmt.Sprintf("%s, %s, %s; %s on 7 days", foldtest.Say(h.PlacesHere), foldtest.Say(h.PlacesElsewhere), foldtest.Say(h.PlacesToday), foldtest.Say(v.Shows[0].SoldInWeek)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	if h := foldtest.At("19:30", append(records, foldtest.Tonight("c", "Foyer", "21:00", "22:00", "23:00"))...).House; h.Waiting != 1 || h.Arriving != 1 {
		t.Errorf("%d wait for their doors and %d have opened them", h.Waiting, h.Arriving)
	}
}

func TestPhases(t *testing.T) {
	whole := foldtest.Tonight("a", "", "19:00", "20:00", "22:00")
	untimed := func(date string) *record.Event {
		return foldtest.Event("a", func(e *record.Event) { e.StartsAt, e.Date = time.Time{}, date })
	}
	for _, c := range []struct {
		name  string
		event *record.Event
		now   string
		want  evening.Phase
	}{
		{"doors closed", whole, "18:59", evening.Before},
		{"doors", whole, "19:00", evening.Arriving},
		{"a minute to curtain", whole, "19:59", evening.Arriving},
		{"curtain", whole, "20:00", evening.Running},
		{"last minute", whole, "21:59", evening.Running},
		{"end", whole, "22:00", evening.Over},
		{"over by status", foldtest.Tonight("a", "", "19:00", "20:00", "22:00", foldtest.Status(record.EventEnded)), "21:00", evening.Over},
		{"cancelled while running", foldtest.Tonight("a", "", "19:00", "20:00", "22:00", foldtest.Status(record.EventCancelled)), "21:00", evening.Cancelled},
		{"cancelled stays cancelled", foldtest.Tonight("a", "", "19:00", "20:00", "22:00", foldtest.Status(record.EventCancelled)), "23:00", evening.Cancelled},
		{"postponed", foldtest.Tonight("a", "", "19:00", "20:00", "22:00", foldtest.Status(record.EventPostponed)), "23:00", evening.Postponed},
		{"doors assumed", foldtest.Tonight("a", "", "", "20:00", "22:00"), "19:00", evening.Arriving},
		{"curtain assumed", foldtest.Tonight("a", "", "19:00", "", "22:00"), "20:00", evening.Running},
		{"end assumed", foldtest.Tonight("a", "", "19:00", "20:00", ""), "23:59", evening.Running},
		{"assumed end", foldtest.Tonight("a", "", "19:00", "20:00", ""), "21 00:00", evening.Over},
		{"a day without times", untimed("2026-11-20"), "23:59", evening.Before},
		{"the day after", untimed("2026-11-20"), "21 00:00", evening.Over},
		{"no day at all", untimed(""), "21 00:00", evening.Before},
	} {
		s := foldtest.Fold(foldtest.Complete, c.event)
		if got := foldtest.Evening(s, foldtest.Clock(c.now)).Show(s.Events[0]).Phase; got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Who is inside: until scanned out, or until the grace after the end has passed.
func TestHouseCount(t *testing.T) {
	late := foldtest.Tonight("late", "Foyer", "21:30", "22:00", "23:59")
	play := foldtest.Tonight("play", "Zaal", "19:00", "20:00", "22:00")
	lateIn := foldtest.Together([]record.Record{late}, foldtest.Many(4, "l", "late", foldtest.Passes("21:40")), foldtest.Many(1, "lo", "late", foldtest.Passes("21:40", "-21:50")))
	playIn := foldtest.Together([]record.Record{play}, foldtest.Many(6, "p", "play", foldtest.Passes("19:30")), foldtest.Many(3, "po", "play", foldtest.Passes("19:30", "-22:03")))
	scanned, elsewhere := foldtest.ScannedOut("Zaal"), foldtest.ScannedOut("Foyer")
	count := func(h evening.House) string {
		return foldtest.Say(h.Inside) + " inside, " + foldtest.Say(h.Leaving) + " leaving"
	}
	for _, c := range []struct {
		name    string
		now     string
		records []record.Record
		want    string
	}{
		{"one hall", "20:30", playIn[:7], "estimated 6 no_exits inside, 0 leaving"},
		{"one hall, exits are scanned", "20:30", foldtest.Together(playIn, scanned), "6 inside, 0 leaving"},
		{"one hall, exits were scanned on other evenings", "20:30", foldtest.Together(playIn[:7], scanned), "6 inside, 0 leaving"},
		{"one hall, exits were scanned in another", "20:30", foldtest.Together(playIn[:7], elsewhere), "estimated 6 no_exits inside, 0 leaving"},
		{"over and few of few scanned out", "22:05", foldtest.Together(playIn[:7], scanned), "6 inside, 6 leaving"},
		{"over and nobody scanned out", "22:03", foldtest.Together(playIn[:7], foldtest.Many(6, "p", "play", foldtest.Passes("19:30")), foldtest.Many(6, "q", "play", foldtest.Passes("19:30")), scanned), "estimated 3 no_exits left inside, estimated 3 no_exits left leaving"},
		{"both, one is over", "22:05", foldtest.Together(playIn, lateIn, scanned, elsewhere), "10 inside, 6 leaving"},
		{"both, nobody scanned out of one", "22:05", foldtest.Together(playIn[:7], lateIn), "estimated 8 no_exits left inside, estimated 4 no_exits left leaving"},
		{"the last minute of grace", "22:29", foldtest.Together(playIn, lateIn, scanned, elsewhere), "10 inside, 6 leaving"},
		{"the grace has passed", "22:30", foldtest.Together(playIn, lateIn, elsewhere), "estimated 4 left inside, 0 leaving"},
		{"the grace has passed, of others who came once it had", "22:30", foldtest.Together(playIn, elsewhere, []record.Record{foldtest.Tonight("late", "Foyer", "22:30", "23:00", "23:59")}, foldtest.Many(4, "l", "late", foldtest.Passes("22:30"))), "4 inside, 0 leaving"},
		{"everybody was scanned out, and others are in", "22:30", foldtest.Together([]record.Record{play}, foldtest.Many(3, "po", "play", foldtest.Passes("19:30", "-22:03")), lateIn, elsewhere), "4 inside, 0 leaving"},
		{"before the doors", "18:59", playIn, "0 inside, 0 leaving"},
		{"voided inside", "20:30", foldtest.Together(playIn, scanned, foldtest.Many(1, "v", "play", foldtest.Passes("19:30"), voided)), "7 inside, 0 leaving"},
		{"an unknown status inside", "20:30", foldtest.Together(playIn, scanned, foldtest.Many(1, "u", "play", foldtest.Passes("19:30"), func(t *record.Ticket) { t.Status = "odd" })), "7 inside, 0 leaving"},
		{"everybody scanned out", "22:05", foldtest.Together([]record.Record{play}, foldtest.Many(3, "po", "play", foldtest.Passes("19:30", "-22:03"))), "0 inside, 0 leaving"},
		{"nothing scanned", "20:30", foldtest.Together([]record.Record{play}, foldtest.Many(3, "p", "play")), "unknown no_scans inside, 0 leaving"},
		{"nothing scanned in one of two", "22:00", foldtest.Together([]record.Record{foldtest.Tonight("play", "Zaal", "19:00", "20:00", "22:30")}, foldtest.Many(3, "p", "play"), lateIn, elsewhere), "at least 4 no_scans inside, 0 leaving"},
		{"ended early", "21:20", foldtest.Together([]record.Record{foldtest.Tonight("play", "Zaal", "19:00", "20:00", "22:00", foldtest.Status(record.EventEnded), func(e *record.Event) { e.UpdatedAt = foldtest.Clock("21:00") })},
			foldtest.Many(2, "p", "play", foldtest.Passes("19:30", "-19:40", "19:50")), scanned), "2 inside, 2 leaving"},
		{"ended early, grace passed", "21:30", foldtest.Together([]record.Record{foldtest.Tonight("play", "Zaal", "19:00", "20:00", "22:00", foldtest.Status(record.EventEnded), func(e *record.Event) { e.UpdatedAt = foldtest.Clock("21:00") })},
			foldtest.Many(2, "p", "play", foldtest.Passes("19:30", "-19:40", "19:50"))), "0 inside, 0 leaving"},
		{"called off with people inside", "20:10", foldtest.Together([]record.Record{foldtest.Tonight("play", "Zaal", "19:00", "20:00", "22:00", foldtest.Status(record.EventCancelled), func(e *record.Event) { e.UpdatedAt = foldtest.Clock("20:05") })},
			foldtest.Many(2, "p", "play", foldtest.Passes("19:30", "-19:40", "19:50")), scanned), "2 inside, 2 leaving"},
	} {
		if got := count(foldtest.At(c.now, c.records...).House); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	hour := foldtest.Ledger(figures.Calendar{Grace: time.Hour}, foldtest.NewLog(append(playIn, scanned...)...).Versions...).Snapshot(figures.Position{}, foldtest.Complete)
	for now, want := range map[string]string{"22:59": "6 inside, 6 leaving", "23:00": "0 inside, 0 leaving"} {
		if got := count(foldtest.Evening(hour, foldtest.Clock(now)).House); got != want {
			t.Errorf("an hour of grace, at %s: %s, want %s", now, got, want)
		}
	}
	v := foldtest.At("22:00", foldtest.Together([]record.Record{foldtest.Tonight("play", "Zaal", "19:00", "20:00", "22:30")}, foldtest.Many(3, "p", "play"), lateIn)...)
	if h := v.House; len(h.Unscanned) != 1 || h.Unscanned[0].Event.ID != "play" || h.Counted != 1 || foldtest.Say(h.Expected) != "5" {
		t.Errorf("%d unscanned, %d counted, %s expected", len(h.Unscanned), h.Counted, foldtest.Say(h.Expected))
	}
}

// A service that derives the status reports a performance as ended without a new time of its record: it ended by its hours,
// and its people leave from then on as those of any other.
func TestEndedByDerivedStatus(t *testing.T) {
	for _, changed := range []string{"01 10:00", "18:59", "22:00"} {
		records := foldtest.Together([]record.Record{foldtest.Tonight("play", "Zaal", "19:00", "20:00", "22:00", foldtest.Status(record.EventEnded), func(e *record.Event) { e.UpdatedAt = foldtest.Clock(changed) })},
			foldtest.Come(90, "p", "play", "A", "19:10", 5))
		for now, want := range map[string]int{"22:00": 90, "22:02": 79, "22:10": 20, "22:30": 0} {
			if got := foldtest.At(now, records...).House.Inside; got.Value != want {
				t.Errorf("changed at %s: at %s %s inside, want %d", changed, now, foldtest.Say(got), want)
			}
		}
	}
}

// What is written about a performance after it ended brings nobody back into the house.
func TestEndedEarlyStaysEnded(t *testing.T) {
	word := func(s record.EventStatus, at string) *record.Event {
		return foldtest.Tonight("play", "Zaal", "19:00", "20:00", "23:00", foldtest.Status(s), func(e *record.Event) { e.UpdatedAt = foldtest.Clock(at) })
	}
	visitors := foldtest.Together(foldtest.Many(5, "p", "play", foldtest.Passes("19:30")), foldtest.Many(1, "x", "play", foldtest.Passes("19:30", "-19:40")), foldtest.ScannedOut("Zaal"))
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
		s := foldtest.Fold(foldtest.Complete, foldtest.Together(c.words, visitors)...)
		for after, want := range map[time.Duration]int{0: 5, time.Minute: 0, time.Hour: 0} {
			if now := foldtest.Clock(c.left).Add(after); foldtest.Evening(s, now).House.Inside.Value != want {
				t.Errorf("%s: at %s %d inside, want %d", c.name, now.Format("15:04"), foldtest.Evening(s, now).House.Inside.Value, want)
			}
		}
	}
}

// Who is still to come: one number, which a voided ticket does not lower and which ends with
// the performance.
func TestStillToCome(t *testing.T) {
	play := foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")
	records := foldtest.Together([]record.Record{play}, foldtest.Many(6, "in", "a", foldtest.Passes("19:30")), foldtest.Many(4, "out", "a", foldtest.Passes()), foldtest.Many(2, "void", "a", foldtest.Passes("19:30"), voided))
	for _, c := range []struct {
		now, still, house, late string
		away, noShow            string
	}{
		{"18:59", "0", "0", "0", "unknown", "unknown"},
		{"19:35", "4", "4", "0", "unknown", "unknown"},
		{"19:59", "4", "4", "0", "unknown", "unknown"},
		{"20:00", "4", "0", "4", "unknown", "unknown"},
		{"20:29", "4", "0", "4", "unknown", "unknown"},
		{"20:30", "4", "0", "0", "unknown", "unknown"}, // nobody is awaited any more
		{"21:59", "4", "0", "0", "unknown", "unknown"},
		{"22:00", "0", "0", "0", "4", "0.4"},
	} {
		v := foldtest.At(c.now, records...)
		s := foldtest.ShowOf(t, v, "a")
		got := []string{foldtest.Say(s.Still), foldtest.Say(v.House.Still), foldtest.Say(v.House.Latecomers), foldtest.Say(s.Away), foldtest.Say(s.NoShow)}
		if want := []string{c.still, c.house, c.late, c.away, c.noShow}; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("at %s: %q, want %q", c.now, got, want)
		}
	}
	if got := foldtest.Say(foldtest.ShowOf(t, foldtest.At("22:00", play, foldtest.Ticket("t", "a", voucher)), "a").Away); got != "unknown no_scans nobody_expected" {
		t.Errorf("of a performance to which nobody was expected %s did not come", got)
	}
	nobody := foldtest.Together([]record.Record{play}, foldtest.Many(4, "out", "a", foldtest.Passes()))
	for now, want := range map[string]string{"19:59": "4", "20:00": "unknown no_scans"} {
		if got := foldtest.Say(foldtest.ShowOf(t, foldtest.At(now, nobody...), "a").Still); got != want {
			t.Errorf("nobody scanned, at %s: %s still to come, want %s", now, got, want)
		}
	}
}

// What goes ahead is added up; what is called off is not.
func TestHouseTotals(t *testing.T) {
	sized := func(n int) func(*record.Event) { return func(e *record.Event) { e.Capacity = &n } }
	h := foldtest.At("19:30", foldtest.Together([]record.Record{
		foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00", sized(10)), foldtest.Tonight("b", "Foyer", "19:00", "21:00", "22:00", sized(20)),
		foldtest.Tonight("c", "Foyer", "22:30", "23:00", "23:30", sized(40)), foldtest.Tonight("off", "Kelder", "19:00", "20:00", "22:00", sized(80), foldtest.Status(record.EventCancelled)),
		foldtest.Tonight("later", "Tuin", "19:00", "20:00", "22:00", sized(160), foldtest.Status(record.EventPostponed)),
	}, foldtest.Many(3, "a", "a"), foldtest.Many(4, "b", "b"), foldtest.Many(2, "free", "c", func(t *record.Ticket) { t.Complimentary, t.Price = true, nil }),
		foldtest.Many(1, "r", "c", func(t *record.Ticket) { t.Status = record.TicketReserved }), foldtest.Many(5, "off", "off"), foldtest.Many(6, "later", "later"))...).House
	got := fmt.Sprint(h.Shows, h.Halls, " ", foldtest.Say(h.Capacity), " ", foldtest.Say(h.Sold), " ", foldtest.Say(h.Paid), " ", foldtest.Say(h.Complimentary), " ", foldtest.Say(h.Reserved), " ", foldtest.Say(h.Occupancy()))
	if want := "3 [Zaal Foyer] 70 9 estimated 7 no_order 2 1 0.12857142857142856"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// What was sold in the last hour is of what goes ahead, also of what is over.
func TestHouseSoldLastHour(t *testing.T) {
	lately := func(t *record.Ticket) { t.SoldAt = foldtest.Clock("19:10") }
	h := foldtest.At("19:30", foldtest.Together([]record.Record{
		foldtest.Tonight("over", "Zaal", "16:00", "17:00", "19:20"), foldtest.Tonight("on", "Foyer", "18:00", "19:00", "22:00"), foldtest.Tonight("next", "Tuin", "20:00", "21:00", "22:00"),
		foldtest.Tonight("off", "Kelder", "19:00", "20:00", "22:00", foldtest.Status(record.EventCancelled))},
		foldtest.Many(1, "o", "over", lately), foldtest.Many(2, "n", "on", lately), foldtest.Many(4, "x", "next", lately), foldtest.Many(8, "f", "off", lately))...).House
	if got := foldtest.Say(h.SoldLastHour); got != "7" {
		t.Errorf("%s, want 7", got)
	}
}

// Who came on a reserved ticket is a visitor and does not make up for one who stayed away.
func TestNoShowIsOfSoldTickets(t *testing.T) {
	came := func(t *record.Ticket) {
		t.Scans = []record.Scan{{At: foldtest.Clock("19:50"), Direction: record.Entry}}
	}
	away := func(t *record.Ticket) { t.Scans = []record.Scan{} }
	reserved := func(t *record.Ticket) { t.Status = record.TicketReserved }
	s := foldtest.Fold(foldtest.Complete, foldtest.Event("a", func(e *record.Event) { e.EndsAt = foldtest.Clock("22:00") }),
		foldtest.Ticket("t", "a", came), foldtest.Ticket("u", "a", came), foldtest.Ticket("v", "a", away), foldtest.Ticket("w", "a", came, reserved))
	s.AsOf = foldtest.Clock("23:30")
	show := evening.At(s, foldtest.Clock("23:30")).Show(s.Event("a"))
	got := fmt.Sprint(foldtest.Say(show.Expected), " expected, ", foldtest.Say(show.Attendance), " came, ", foldtest.Say(show.Away), " away, ", show.NoShow.Value)
	if want := fmt.Sprint("3 expected, 3 came, 1 away, ", 1.0/3); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Who is expected in the evening is one for each place sold, whether or not the doors are open: of all of its
// performances that go ahead, as each of them says it.
func TestExpectedInTheEvening(t *testing.T) {
	v := foldtest.At("19:30", foldtest.Together([]record.Record{
		foldtest.Tonight("over", "Zaal", "15:00", "16:00", "17:00"), foldtest.Tonight("open", "Zaal", "19:00", "20:00", "22:00"), foldtest.Tonight("later", "Foyer", "22:30", "23:00", "23:30"),
		foldtest.Tonight("off", "Kelder", "19:00", "20:00", "22:00", foldtest.Status(record.EventCancelled)),
	}, foldtest.Many(1, "over", "over"), foldtest.Many(2, "open", "open"), foldtest.Many(4, "later", "later"), foldtest.Many(8, "off", "off"))...)
	x, ok := catalogue.Explain(v, figures.KeyExpected, figures.Scope{})
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
		"none": nil, "one": foldtest.Together([]record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00", func(e *record.Event) { e.Capacity = new(10) })}, foldtest.Many(2, "t", "a", foldtest.Passes("19:10"))),
	} {
		s := foldtest.Fold(foldtest.Complete, known...)
		s.Health.Streams = []figures.StreamHealth{{Name: "events", Kinds: []record.Kind{record.KindEvent}, Complete: true, Behind: true}}
		v := foldtest.Evening(s, foldtest.Clock("19:30"))
		for _, k := range []figures.Key{figures.KeyCapacity, figures.KeySold, figures.KeyExpected, figures.KeyPaid, figures.KeyFree, figures.KeyInside, figures.KeyNotYetIn, figures.KeyLatecomers, figures.KeyBooked} {
			if x, ok := catalogue.Explain(v, k, figures.Scope{}); !ok || x.Quality == figures.Exact || !slices.Contains(x.Reasons, figures.ReasonBehind) {
				t.Errorf("%s with %s known is %+v", k, name, x.Value)
			}
		}
		if n := v.House.NoRoom; n.Quality == figures.Exact || !slices.Contains(n.Reasons, figures.ReasonBehind) {
			t.Errorf("who finds no room with %s known is %+v", name, n)
		}
		s.Health.Streams[0].Behind = false
		if x, ok := catalogue.Explain(foldtest.Evening(s, foldtest.Clock("19:30")), figures.KeySold, figures.Scope{}); !ok || x.Quality != figures.Exact {
			t.Errorf("once they are read, sold with %s known is %+v", name, x.Value)
		}
	}
}

// Nobody is expected of a cancelled performance, whose tickets stay sold until they are paid back; and who was scanned at
// two doors has not come again where nobody is scanned out.
func TestExpectedAndAgain(t *testing.T) {
	play := func(s record.EventStatus) record.Record {
		return foldtest.Tonight("play", "Zaal", "19:00", "20:00", "22:00", foldtest.Status(s))
	}
	twoDoors := foldtest.Many(2, "d", "play", foldtest.Passes("19:30", "19:32"))
	outAndIn := foldtest.Many(1, "o", "play", foldtest.Passes("19:30", "-19:40", "19:45"))
	for _, c := range []struct {
		name            string
		records         []record.Record
		expected, again int
	}{
		{"scanned at two doors", foldtest.Together([]record.Record{play(record.EventOnSale)}, twoDoors), 2, 0},
		{"out and in again", foldtest.Together([]record.Record{play(record.EventOnSale)}, outAndIn), 1, 1},
		{"cancelled", foldtest.Together([]record.Record{play(record.EventCancelled)}, twoDoors), 0, 0},
	} {
		s := foldtest.ShowOf(t, foldtest.At("20:30", c.records...), "play")
		if s.Expected.Value != c.expected || s.EnteredAgain() != c.again || s.Sold.Value != max(c.expected, len(c.records)-1) {
			t.Errorf("%s: %d expected, %d again, %d sold", c.name, s.Expected.Value, s.EnteredAgain(), s.Sold.Value)
		}
	}
}

// Latecomers are awaited for half an hour after the curtain, and as long as anybody came in the last quarter of an hour; then those who are not in did not come: they are no latecomers, and no room is kept for them.
func TestLatecomersAreAwaitedForAWhile(t *testing.T) {
	night := func(late int, at string) []record.Record {
		return foldtest.Together([]record.Record{foldtest.Tonight("a", "Main", "19:00", "20:00", "22:00"), foldtest.Set(record.SettingLicensed, "Main", "", 160, "09:00")}, foldtest.ScannedOut("Main"),
			foldtest.Come(150, "in", "a", "A", "19:10", 5), foldtest.Come(late, "late", "a", "A", at, 5), foldtest.Many(50-late, "away", "a", foldtest.Passes()))
	}
	for _, c := range []struct {
		name, now  string
		records    []record.Record
		latecomers int
	}{
		{"not yet", "20:29", night(0, "20:01"), 50},
		{"nobody came lately", "20:30", night(0, "20:01"), 0},
		{"one came lately", "20:30", night(1, "20:20"), 49},
		{"as fewer than half were scanned", "20:30", foldtest.Together(night(0, "20:01"), foldtest.Many(150, "unscanned", "a", foldtest.Passes())), 200},
		{"more came lately", "20:30", night(3, "20:20"), 47},
		{"they came a quarter of an hour ago", "20:36", night(3, "20:20"), 0},
		{"one came in the interval", "21:00", night(1, "20:58"), 49},
	} {
		v := foldtest.At(c.now, c.records...)
		s := foldtest.ShowOf(t, v, "a")
		if v.House.Latecomers.Value != c.latecomers || s.LateOver != (c.latecomers == 0) || v.House.ToCome() != c.latecomers {
			t.Errorf("%s: %d latecomers, over: %t, %d to come, want %d", c.name, v.House.Latecomers.Value, s.LateOver, v.House.ToCome(), c.latecomers)
		}
		if _, limited := licence.MayEnter(v, "Main"); limited != (c.latecomers > 0) {
			t.Errorf("%s: room is kept: %t", c.name, limited)
		}
	}
}
