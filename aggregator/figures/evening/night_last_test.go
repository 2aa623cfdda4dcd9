package evening_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/marketing"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

func idsOf(shows []*evening.Show) string {
	var ids []string
	for _, s := range shows {
		ids = append(ids, s.Event.ID)
	}
	return strings.Join(ids, " ")
}

// next returns the first n performances after the evening.
func next(v *evening.Evening, n int) (shows []*evening.Show) {
	for s := range v.Next() {
		if len(shows) == n {
			break
		}
		shows = append(shows, s)
	}
	return shows
}

// An evening stays until it is over and empty, but not into the next day's business; then it is
// last night, until noon and the next doors.
func TestEveningStaysUntilItIsOver(t *testing.T) {
	records := foldtest.Together([]record.Record{
		foldtest.Tonight("play", "Zaal", "19:00", "20:00", "22:00"), foldtest.Tonight("trio", "Foyer", "22:30", "23:00", "21 00:45"),
		foldtest.Tonight("matinee", "Zaal", "21 13:00", "21 14:00", "21 16:00"), foldtest.Tonight("fair", "Tuin", "10:00", "11:00", "22 18:00"),
	}, foldtest.Many(3, "t", "trio", foldtest.Passes("22:50")), foldtest.Many(1, "o", "trio", foldtest.Passes("22:50", "-21 00:46")))
	noFair := append(records[:3:3], records[4:]...)
	for _, c := range []struct {
		name, now string
		cutoff    time.Duration
		records   []record.Record
		want      string
	}{
		{"the evening", "23:59", 0, noFair, "2026-11-20 play trio |  | matinee"},
		{"after midnight", "21 00:44", 0, noFair, "2026-11-20 play trio |  | matinee"},
		{"while it empties", "21 01:14", 0, noFair, "2026-11-20 play trio |  | matinee"},
		{"when it is empty", "21 01:15", 0, noFair, "2026-11-21 matinee | play trio | "},
		{"a minute to noon", "21 11:59", 0, noFair, "2026-11-21 matinee | play trio | "},
		{"noon", "21 12:00", 0, noFair, "2026-11-21 matinee | play trio | "},
		{"a minute to the next doors", "21 12:59", 0, noFair, "2026-11-21 matinee | play trio | "},
		{"the next doors", "21 13:00", 0, noFair, "2026-11-21 matinee |  | "},
		{"what is called off opens no doors", "21 15:00", 0, append(records[:2:2], foldtest.Tonight("matinee", "Zaal", "21 13:00", "21 14:00", "21 16:00", foldtest.Status(record.EventCancelled))), "2026-11-21 matinee | play trio | "},
		{"doors in the morning", "21 11:59", 0, append(records[:2:2], foldtest.Tonight("brunch", "Zaal", "21 10:00", "21 10:30", "21 16:00")), "2026-11-21 brunch | play trio | "},
		{"at noon", "21 12:00", 0, append(records[:2:2], foldtest.Tonight("brunch", "Zaal", "21 10:00", "21 10:30", "21 16:00")), "2026-11-21 brunch |  | "},
		{"a day without a performance", "21 23:59", 0, records[:2], "2026-11-21  | play trio | "},
		{"a club before its cut-off", "21 05:59", 6 * time.Hour, noFair, "2026-11-20 play trio |  | matinee"},
		{"a club after it", "21 06:00", 6 * time.Hour, noFair, "2026-11-21 matinee | play trio | "},
		{"what runs for days", "21 05:59", 0, records, "2026-11-20 fair play trio |  | matinee"},
		{"does not hold the evening", "21 06:00", 0, records, "2026-11-21 fair matinee | fair play trio | "},
	} {
		v := foldtest.Evening(foldtest.Ledger(figures.Calendar{Cutoff: c.cutoff}, foldtest.NewLog(c.records...).Versions...).Snapshot(figures.Position{}, foldtest.Complete), foldtest.Clock(c.now))
		if got := fmt.Sprintf("%s %s | %s | %s", v.Day, idsOf(v.Shows), idsOf(v.LastNight), idsOf(next(v, 9))); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Whoever is inside is in the house count, on whatever day the performance began.
func TestHouseCountAcrossDays(t *testing.T) {
	night := foldtest.Together([]record.Record{foldtest.Tonight("late", "Zaal", "21:00", "22:00", "21 00:15"), foldtest.Tonight("night", "Foyer", "21 00:05", "21 01:00", "21 04:00"),
		foldtest.Tonight("tomorrow", "Zaal", "21 19:00", "21 20:00", "21 22:00"), foldtest.Tonight("early", "Zaal", "18:00", "19:00", "20:00")},
		foldtest.Many(10, "l", "late", foldtest.Passes("21:30")), foldtest.Many(30, "n", "night", foldtest.Passes("21 00:07")))
	club := foldtest.Together([]record.Record{foldtest.Tonight("club", "Zaal", "22:00", "23:00", "21 06:00")}, foldtest.Many(4, "c", "club", foldtest.Passes("23:30")))
	fair := foldtest.Together([]record.Record{foldtest.Tonight("fair", "Tuin", "18 10:00", "18 11:00", "20 22:00"), foldtest.Tonight("old", "Tuin", "17 10:00", "17 11:00", "17 22:00")}, foldtest.Many(7, "f", "fair", foldtest.Passes("20 12:00")))
	for _, c := range []struct {
		name, now string
		records   []record.Record
		want      string
	}{
		{"before the night's doors", "21 00:04", night, "2026-11-20 early late: estimated 10 no_exits inside, 0 leaving; night tomorrow"},
		{"two evenings in the house", "21 00:10", night, "2026-11-20 early late night: estimated 40 no_exits inside, 0 leaving; tomorrow"},
		{"the first has ended", "21 00:15", night, "2026-11-20 early late night: estimated 40 no_exits inside, estimated 10 no_exits leaving; tomorrow"},
		{"half of the first has left", "21 00:21", night, "2026-11-20 early late night: estimated 35 no_exits left inside, estimated 5 no_exits left leaving; tomorrow"},
		{"nearly all of the first have left", "21 00:35", night, "2026-11-20 early late night: estimated 30 no_exits left inside, estimated 0 no_exits left leaving; tomorrow"},
		{"the first has left", "21 00:45", night, "2026-11-21 night tomorrow: estimated 30 no_exits inside, 0 leaving; "},
		{"a club's last minute", "21 05:59", club, "2026-11-20 club: estimated 4 no_exits inside, 0 leaving; "},
		{"a club empties", "21 06:00", club, "2026-11-21 club: estimated 4 no_exits inside, estimated 4 no_exits leaving; "},
		{"half of a club has left", "21 06:06", club, "2026-11-21 club: estimated 2 no_exits left inside, estimated 2 no_exits left leaving; "},
		{"a club's last minute of grace", "21 06:29", club, "2026-11-21 club: estimated 0 no_exits left inside, estimated 0 no_exits left leaving; "},
		{"a club is empty", "21 06:30", club, "2026-11-21 : 0 inside, 0 leaving; "},
		{"the third day of a fair", "21:59", fair, "2026-11-20 fair: estimated 7 no_exits inside, 0 leaving; "},
		{"a fair empties", "22:00", fair, "2026-11-20 fair: estimated 7 no_exits inside, estimated 7 no_exits leaving; "},
		{"a fair is empty", "22:30", fair, "2026-11-20 : 0 inside, 0 leaving; "},
	} {
		v := foldtest.At(c.now, c.records...)
		got := fmt.Sprintf("%s %s: %s inside, %s leaving; %s", v.Day, idsOf(v.Shows), foldtest.Say(v.House.Inside), foldtest.Say(v.House.Leaving), idsOf(next(v, 9)))
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// What an evening came to: a cancelled performance is not in it, but what it has to pay back is.
func TestResult(t *testing.T) {
	paid := func(id, event string, cents int64) record.Record {
		return foldtest.Payment(id, cents, func(p *record.Payment) { p.EventID = event })
	}
	sized := func(e *record.Event) { e.Capacity = new(10) }
	records := foldtest.Together([]record.Record{
		foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00", sized), foldtest.Tonight("b", "Foyer", "19:00", "20:00", "22:00", sized),
		foldtest.Tonight("off", "Tuin", "19:00", "20:00", "22:00", sized, foldtest.Status(record.EventCancelled)),
		foldtest.Tonight("later", "Tuin", "19:00", "20:00", "22:00", sized, foldtest.Status(record.EventPostponed)), paid("w", "later", 300),
		foldtest.Tonight("long", "Kelder", "19:00", "20:00", "21 10:00", sized), // is not over
		paid("p", "a", 700), paid("q", "b", 500), paid("r", "off", 900), foldtest.Refund("s", "r", 200, "12:00"), foldtest.Refund("u", "p", 100, "12:00"),
	}, foldtest.Many(3, "a", "a", foldtest.Passes("19:30")), foldtest.Many(1, "ax", "a", foldtest.Passes()), foldtest.Many(4, "b", "b"), foldtest.Many(2, "o", "off"), foldtest.Many(5, "l", "long", foldtest.Passes("19:30")))
	v := foldtest.At("21 09:00", records...)
	r := evening.ResultOf(v.LastNight)
	got := fmt.Sprint(r.Shows, " of ", len(v.LastNight), ": ", foldtest.Say(r.Sold), " of ", foldtest.Say(r.Capacity), ", ", foldtest.Say(r.Occupancy()), "; came ", foldtest.Say(r.Came), "; away ", foldtest.Say(r.Away), ", ", foldtest.Say(r.NoShow), "; net ", foldtest.Say(r.Net))
	if want := "2 of 5: 8 of 20, 0.4; came at least 3 no_scans; away at least 1 no_scans, estimated 0.25 no_scans; net [{1100 EUR}]"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	for _, s := range v.LastNight {
		want := "[]"
		if s.Event.ID == "off" {
			want = "[{700 EUR}]"
		}
		if got := foldtest.Say(s.ToPayBack); got != want {
			t.Errorf("%s has %s to pay back, want %s", s.Event.ID, got, want)
		}
	}
	for name, c := range map[string]struct {
		coverage ledger.Coverage
		want     string
	}{
		"no payments":      {ledger.Coverage{TicketsOffered: true, TicketsComplete: true}, "unknown no_payments"},
		"none read so far": {ledger.Coverage{TicketsOffered: true, TicketsComplete: true, PaymentsOffered: true}, "unknown payments_incomplete"},
	} {
		s := foldtest.Fold(c.coverage, foldtest.Tonight("off", "Tuin", "19:00", "20:00", "22:00", foldtest.Status(record.EventCancelled)), foldtest.Ticket("t", "off"))
		if got := foldtest.Say(foldtest.Evening(s, foldtest.Clock("19:30")).Shows[0].ToPayBack); got != c.want {
			t.Errorf("%s: %s to pay back, want %s", name, got, c.want)
		}
	}
}

// The minute of the figures is that of the last answers about tickets and scans.
func TestMinuteOfFigures(t *testing.T) {
	of := func(good string, kinds ...record.Kind) figures.StreamHealth {
		return figures.StreamHealth{Kinds: kinds, LastGood: foldtest.Clock(good)}
	}
	for _, c := range []struct {
		name, asOf, want string
		streams          []figures.StreamHealth
	}{
		{"all answer", "20:00", "20:00", []figures.StreamHealth{of("20:00", record.KindTicket), of("20:00", record.KindScan)}},
		{"tickets are late", "19:00", "19:05", []figures.StreamHealth{of("19:05", record.KindTicket), of("20:00", record.KindScan)}},
		{"scans are late", "19:00", "19:05", []figures.StreamHealth{of("20:00", record.KindTicket), of("19:05", record.KindScan)}},
		{"payments are late", "19:00", "20:00", []figures.StreamHealth{of("20:00", record.KindTicket), of("19:00", record.KindPayment)}},
		{"no such list", "19:50", "19:50", []figures.StreamHealth{of("20:00", record.KindEvent)}},
		{"ahead of the clock", "20:05", "20:00", []figures.StreamHealth{of("20:05", record.KindTicket)}},
		{"never", "", "", []figures.StreamHealth{of("", record.KindTicket)}},
	} {
		s := foldtest.Fold(foldtest.Complete)
		s.AsOf, s.Health = foldtest.Clock(c.asOf), figures.Health{Streams: c.streams}
		if got := evening.At(s, foldtest.Clock("20:00").Add(40*time.Second)); !got.At.Equal(foldtest.Clock(c.want)) || !got.Now.Equal(foldtest.Clock("20:00")) {
			t.Errorf("%s: at %v, want %s", c.name, got.At, c.want)
		}
	}
}

// What is booked today is one number: by performance, elsewhere and in all, and without what is
// dated ahead of the clock.
func TestBookedToday(t *testing.T) {
	priced := func(cents int64, sold string) func(*record.Ticket) {
		return func(t *record.Ticket) { t.Price, t.SoldAt = foldtest.Eur(cents), foldtest.Clock(sold) }
	}
	next := foldtest.Event("next", func(e *record.Event) { e.StartsAt, e.Date = foldtest.Clock("27 20:00"), "2026-11-27" })
	records := []record.Record{foldtest.Event("a"), foldtest.Event("b"), next, foldtest.Ticket("t0", "next", priced(1, "12 09:00")),
		foldtest.Ticket("t1", "a", priced(100, "19 23:59")), foldtest.Ticket("t2", "a", priced(200, "00:00")), foldtest.Ticket("t3", "a", priced(400, "19:34")),
		foldtest.Ticket("t4", "a", priced(800, "19:35")), foldtest.Ticket("t5", "b", priced(1600, "12:00"), func(t *record.Ticket) { t.Status, t.CancelledAt = record.TicketVoid, foldtest.Clock("19:36") }),
		foldtest.Ticket("t6", "next", priced(3200, "12:00")), foldtest.Ticket("t7", "gone", priced(6400, "12:00")), foldtest.Ticket("t8", "next", priced(12800, "23:00")),
		foldtest.Payment("p", 50, func(p *record.Payment) { p.EventID, p.PaidAt = "a", foldtest.Clock("19:40") }),
	}
	line := func(f figures.Flow) string {
		return fmt.Sprint(f.Sold, " ", f.Of(figures.Booked).In("EUR"), " ", f.Of(figures.Received).In("EUR"))
	}
	for _, c := range []struct{ now, a, b, here, elsewhere, all string }{
		{"00:00", "1 200 0", "0 0 0", "1 200 0", "0 0 0", "1 200 0"},
		{"19:33", "1 200 0", "1 1600 0", "2 1800 0", "2 9600 0", "4 11400 0"},
		{"19:34", "2 600 0", "1 1600 0", "3 2200 0", "2 9600 0", "5 11800 0"},
		{"19:35", "3 1400 0", "1 1600 0", "4 3000 0", "2 9600 0", "6 12600 0"},
		{"19:36", "3 1400 0", "0 0 0", "3 1400 0", "2 9600 0", "5 11000 0"},
		{"21 10:00", "0 0 0", "0 0 0", "0 0 0", "0 0 0", "0 0 0"},
		{"23:59", "3 1400 50", "0 0 0", "3 1400 50", "3 22400 0", "6 23800 50"},
	} {
		s := foldtest.Fold(foldtest.Complete, records...)
		v := foldtest.Evening(s, foldtest.Clock(c.now))
		h := v.House
		show := func(id string) figures.Flow { return v.Show(s.Event(id)).Today }
		got := []string{line(show("a")), line(show("b")), line(h.Here), line(h.Elsewhere), line(h.Today)}
		if want := []string{c.a, c.b, c.here, c.elsewhere, c.all}; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("at %s: %q, want %q", c.now, got, want)
		}
		this := lastDays(v, 7).This
		if got := line(this.Days[6].Flow); got != c.all {
			t.Errorf("at %s: the period's last day is %s, want %s", c.now, got, c.all)
		}
		if h.Others != min(1, h.Elsewhere.Sold) {
			t.Errorf("at %s: %d other performances", c.now, h.Others)
		}
	}
	// After half an hour without answers the periods are compared up to the last.
	s := foldtest.Fold(foldtest.Complete, records...)
	s.AsOf = foldtest.Clock("19:33")
	v := evening.At(s, foldtest.Clock("20:04"))
	c := lastDays(v, 1)
	if !c.This.Until.Equal(foldtest.Clock("19:33")) || !c.Before.Until.Equal(foldtest.Clock("13 19:33")) || line(c.Compared) != "4 11400 0" || line(c.This.Flow) != line(v.House.Today) {
		t.Errorf("until %v and %v, want 19:33; %s, in all %s, today %s", c.This.Until, c.Before.Until, line(c.Compared), line(c.This.Flow), line(v.House.Today))
	}
	// Without answers since the day before, nothing of this one is compared.
	s.AsOf = foldtest.Clock("19 23:50")
	c = lastDays(evening.At(s, foldtest.Clock("00:10")), 1)
	if !c.This.Until.Equal(foldtest.Clock("00:00")) || !c.Before.Until.Equal(foldtest.Clock("13 00:00")) || line(c.Compared) != "0 0 0" || line(c.This.Flow) != "1 200 0" {
		t.Errorf("until %v and %v, want 00:00; %s, in all %s", c.This.Until, c.Before.Until, line(c.Compared), line(c.This.Flow))
	}
}

// Places that do not add up are a finding once the sale has been quiet.
func TestFindings(t *testing.T) {
	off := func(updated string) *record.Event {
		return foldtest.Event("a", func(e *record.Event) {
			e.Capacity, e.Blocked, e.Available, e.UpdatedAt = new(10), new(0), new(8), foldtest.Clock(updated)
		})
	}
	sold := func(at string) *record.Ticket {
		return foldtest.Ticket("t", "a", func(t *record.Ticket) { t.SoldAt = foldtest.Clock(at) })
	}
	for _, c := range []struct {
		name  string
		event *record.Event
		sale  *record.Ticket
		want  int
	}{
		{"quiet", off("19:58"), sold("19:58"), 1},
		{"the event has just changed", off("19:59"), sold("19:58"), 0},
		{"a place was just sold", off("19:58"), sold("19:59"), 0},
	} {
		odd := foldtest.Ticket("u", "b", func(t *record.Ticket) { t.Status = "odd" })
		got := foldtest.At("20:00", c.event, c.sale, odd).Findings()
		partitions := 0
		for _, d := range got {
			if d.Code == figures.CodePartition {
				partitions++
			}
		}
		if partitions != c.want || len(got) != c.want+1 {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// While tickets are still being read, quotients are no bounds: those to come may have bought in larger or smaller orders, and
// come or not.
func TestQuotientsOfSomeTicketsAreNoBounds(t *testing.T) {
	records := foldtest.Together([]record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")},
		foldtest.Many(3, "a", "a", foldtest.Passes("19:30")), foldtest.Many(1, "ax", "a", foldtest.Passes(), func(r *record.Ticket) { r.OrderID = "x" }))
	v := foldtest.Evening(foldtest.Fold(ledger.Coverage{TicketsOffered: true}, records...), foldtest.Clock("21 09:00"))
	r, m := evening.ResultOf(v.LastNight), marketing.Of(v, "2026-11-20", "2026-11-20")
	for name, of := range map[string]struct{ got, want figures.Quality }{
		"sold": {r.Sold.Quality, figures.LowerBound}, "came": {r.Came.Quality, figures.LowerBound},
		"no-show": {r.NoShow.Quality, figures.Estimated}, "per order": {m.PerOrder().Quality, figures.Estimated},
	} {
		if of.got != of.want {
			t.Errorf("%s is %v, want %v", name, of.got, of.want)
		}
	}
}
