package evening_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// People whom nobody scans out leave as they did at the doors of the house that scan exits, on at least three evenings;
// without those, half of them in six minutes.
func TestLeavingAsTheHouseDoes(t *testing.T) {
	var past []record.Record
	for i := range 3 { // forty people, of whom one leaves in each half minute from a quarter of an hour after the end on
		id, day := fmt.Sprint("club", i), fmt.Sprint(10+i, " ")
		past = append(past, foldtest.Tonight(id, "Club", day+"19:00", day+"20:00", day+"22:00"))
		for n := range 40 {
			past = append(past, foldtest.Ticket(fmt.Sprint(id, "-", n), id, func(t *record.Ticket) {
				t.Scans = []record.Scan{
					{At: foldtest.Clock(day + "19:30"), Direction: record.Entry},
					{At: foldtest.Clock(day + "22:15").Add(time.Duration(n) * 30 * time.Second), Direction: record.Exit},
				}
			}))
		}
	}
	tonight := append([]record.Record{foldtest.Tonight("a", "Main", "19:00", "20:00", "22:00")}, foldtest.Come(80, "a", "a", "A", "19:30", 40)...)
	for _, c := range []struct {
		now          string
		past         []record.Record
		inside, left int
		from, to     int
	}{
		{"22:10", past, 80, 0, 0, 0},
		{"22:25", past, 40, 40, 40, 40},
		{"22:25", past[:2*41], 0, 80, 70, 80}, // two evenings tell too little
		{"22:06", nil, 40, 40, 17, 69},
	} {
		s := foldtest.ShowOf(t, foldtest.At(c.now, append(c.past, tonight...)...), "a")
		if s.Inside.Value != c.inside || s.Left.Value != c.left || s.LeftBand.Low != c.from || s.LeftBand.High != c.to {
			t.Errorf("%s after %d records: %d inside, %d left (%d to %d), want %d, %d (%d to %d)", c.now, len(c.past),
				s.Inside.Value, s.Left.Value, s.LeftBand.Low, s.LeftBand.High, c.inside, c.left, c.from, c.to)
		}
	}
}

// Those out in the interval are those who came less those inside; where nobody is scanned out it is not known.
func TestOut(t *testing.T) {
	scans := func(times ...string) func(*record.Ticket) {
		return func(t *record.Ticket) {
			for i, at := range times {
				t.Scans = append(t.Scans, record.Scan{At: foldtest.Clock(at), Direction: []record.Direction{record.Entry, record.Exit}[i%2]})
			}
		}
	}
	v := foldtest.At("21:05", foldtest.Together([]record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00"), foldtest.Tonight("b", "Foyer", "19:00", "20:00", "22:00")},
		foldtest.Many(5, "in", "a", scans("19:30")), foldtest.Many(3, "out", "a", scans("19:30", "21:01")), foldtest.Many(2, "back", "a", scans("19:30", "20:30", "20:40")), foldtest.Many(1, "late", "a"),
		foldtest.Many(4, "x", "b", scans("19:30")), foldtest.ScannedOut("Zaal"))...)
	a, b := foldtest.ShowOf(t, v, "a"), foldtest.ShowOf(t, v, "b")
	if got := foldtest.Say(a.Out()); got != "3" || a.Inside.Value != 7 || a.Still.Value != 1 {
		t.Errorf("%s out, %d inside, %d still to come", got, a.Inside.Value, a.Still.Value)
	}
	if b.Out().Known() {
		t.Errorf("without exits %s are out", foldtest.Say(b.Out()))
	}
	// Whoever has just gone out may come back, and says nothing of the others where no other evening does.
	first := foldtest.At("21:05", foldtest.Together([]record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")}, foldtest.Many(5, "in", "a", scans("19:30")), foldtest.Many(3, "out", "a", scans("19:30", "21:01")))...)
	if s := foldtest.ShowOf(t, first, "a"); foldtest.Say(s.Out()) != "at least 3 no_exits" || s.Inside.Quality == figures.Exact {
		t.Errorf("on the first evening %s are out and %s inside", foldtest.Say(s.Out()), foldtest.Say(s.Inside))
	}
	// Of many, few are scanned out: others may have left, so that those are the least.
	few := foldtest.At("21:05", foldtest.Together([]record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")},
		foldtest.Many(60, "in", "a", scans("19:30")), foldtest.Many(3, "out", "a", scans("19:30", "21:01")))...)
	if got := foldtest.Say(foldtest.ShowOf(t, few, "a").Out()); got != "at least 3 no_exits" {
		t.Errorf("of 63, %s are out", got)
	}
}

// One person of many who is let out at a door, tonight or on an evening before, does not make the others be counted as they
// leave.
func TestOneExitSaysNothingOfTheOthers(t *testing.T) {
	night := foldtest.Tonight("x", "Hall", "20 19:00", "20 20:00", "20 22:00")
	smoker := func(id, event, day string) record.Record {
		return foldtest.Ticket(id, event, foldtest.Passes(day+" 19:30", "-"+day+" 19:45"))
	}
	for name, records := range map[string][]record.Record{
		"nobody":    foldtest.Together([]record.Record{night}, foldtest.Come(799, "a", "x", "A", "20 19:30", 40)),
		"tonight":   foldtest.Together([]record.Record{night, smoker("s", "x", "20")}, foldtest.Come(799, "a", "x", "A", "20 19:30", 40)),
		"days ago":  foldtest.Together([]record.Record{night, foldtest.Tonight("old", "Hall", "15 19:00", "15 20:00", "15 22:00"), smoker("s", "old", "15")}, foldtest.Come(300, "o", "old", "A", "15 19:30", 40), foldtest.Come(799, "a", "x", "A", "20 19:30", 40)),
		"of twenty": foldtest.Together([]record.Record{night, smoker("s", "x", "20"), smoker("t", "x", "20")}, foldtest.Come(18, "a", "x", "A", "20 19:30", 40)),
	} {
		during, after := foldtest.ShowOf(t, foldtest.At("20 21:00", records...), "x"), foldtest.ShowOf(t, foldtest.At("20 22:25", records...), "x")
		scanned := name == "of twenty"
		if exact := during.Inside.Quality == figures.Exact; exact != scanned {
			t.Errorf("%s: during the performance %s are inside", name, foldtest.Say(during.Inside))
		}
		if !after.Left.Known() {
			t.Errorf("%s: 25 minutes after the end %s have left of %s", name, foldtest.Say(after.Left), foldtest.Say(after.Inside))
		}
	}
}

// Where people are scanned out, those still inside when the grace has passed are leaving until an hour after the last exit, and the
// evening is not over: nine in ten have to be out, or all but a few.
func TestLeavingWhileExitsCountPeopleInside(t *testing.T) {
	crowd := func(in, early int, also ...[]record.Record) []record.Record {
		return foldtest.Together(append(also, []record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")},
			foldtest.Many(in, "in", "a", foldtest.Passes("19:30")), foldtest.Many(early, "early", "a", foldtest.Passes("19:30", "-22:10")), foldtest.Many(2, "late", "a", foldtest.Passes("19:30", "-22:50")))...)
	}
	scanned := foldtest.ScannedOut("Zaal")
	for _, c := range []struct {
		name, now string
		records   []record.Record
		inside    int
		until     string // empty if the evening is over
	}{
		{"in the grace", "22:29", crowd(99, 200, scanned), 99, "22:30"},
		{"once it has passed, by a clock behind the doors'", "22:31", crowd(99, 200, scanned), 99, "23:10"},
		{"after the last exit", "23:49", crowd(99, 200, scanned), 99, "23:50"},
		{"an hour after the last", "23:50", crowd(99, 200, scanned), 0, ""},
		{"a tenth", "23:00", crowd(22, 200, scanned), 0, ""},
		{"more than a tenth", "23:00", crowd(23, 200, scanned), 23, "23:50"},
		{"a few", "23:00", crowd(7, 20, scanned), 0, ""},
		{"one more", "23:00", crowd(8, 20, scanned), 8, "23:50"},
		{"nobody is scanned out there", "23:00", crowd(99, 0), 0, ""},
	} {
		v := foldtest.At(c.now, c.records...)
		s, until := foldtest.ShowOf(t, v, "a"), ""
		if at, ok := v.GoesOnUntil(s.Date); ok {
			until = at.In(foldtest.Clock("22:00").Location()).Format("15:04")
		}
		if s.Inside.Value != c.inside || s.Leaving != (c.until != "") || s.Finished(v.Now) == s.Leaving || until != c.until || v.House.Inside.Value != c.inside {
			t.Errorf("%s: %d inside, leaving: %t, until %q, %d in the house; want %d and %q", c.name, s.Inside.Value, s.Leaving, until, v.House.Inside.Value, c.inside, c.until)
		}
	}
}

// What the chart of the night says afterwards of who left late is what was said while they did.
func TestNightOfWhoLeavesLate(t *testing.T) {
	begun := foldtest.Together(foldtest.ScannedOut("Zaal"), []record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")}, foldtest.Many(200, "early", "a", foldtest.Passes("19:30", "-22:10")))
	records := foldtest.Together(begun, foldtest.Many(99, "late", "a", foldtest.Passes("19:30", "-22:57")))
	live := foldtest.At("22:55", foldtest.Together(begun, foldtest.Many(99, "late", "a", foldtest.Passes("19:30")))...)
	if n := live.House.Inside.Value; n != 99 {
		t.Errorf("%d are inside while they leave", n)
	}
	v := foldtest.At("23:30", records...)
	c := v.Crowd([]*evening.Show{foldtest.ShowOf(t, v, "a")})
	at := func(clock string) (n int) {
		if i := int(foldtest.Clock(clock).Sub(c.From) / evening.CrowdStep); i < len(c.Halls[0].Inside) {
			n = c.Halls[0].Inside[i]
		}
		return n
	}
	if at("22:00") != 299 || at("22:55") != 99 || at("23:00") != 0 {
		t.Errorf("%d, %d, then %d inside; want 299, 99, 0", at("22:00"), at("22:55"), at("23:00"))
	}
}

// It says so too where some left by a door without a scanner, until the hall counts as empty and after.
func TestNightOfWhoIsNotScannedOut(t *testing.T) {
	records := foldtest.Together(foldtest.ScannedOut("Zaal"), []record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")},
		foldtest.Many(250, "out", "a", foldtest.Passes("19:30", "-22:20")), foldtest.Many(40, "door", "a", foldtest.Passes("19:30")))
	for _, now := range []string{"23:16", "23:25"} {
		v := foldtest.At(now, records...)
		c := v.Crowd([]*evening.Show{foldtest.ShowOf(t, v, "a")})
		for clock, want := range map[string]int{"22:05": 290, "22:30": 40, "23:15": 40} {
			if got := c.Halls[0].Inside[int(foldtest.Clock(clock).Sub(c.From)/evening.CrowdStep)]; got != want {
				t.Errorf("the chart of %s says that %d were inside at %s, want %d", now, got, clock, want)
			}
		}
	}
}

// Who left a matinee by a door without a scanner is out of the hall once the doors of the next performance open.
func TestHallIsClearedForTheNext(t *testing.T) {
	records := foldtest.Together(foldtest.ScannedOut("Zaal"), []record.Record{
		foldtest.Tonight("mat", "Zaal", "13:30", "14:00", "16:00"), foldtest.Tonight("eve", "Zaal", "16:45", "17:15", "19:00"),
		foldtest.Set(record.SettingLicensed, "Zaal", "", 300, "09:00")},
		foldtest.Many(250, "out", "mat", foldtest.Passes("13:40", "-16:20")), foldtest.Many(40, "door", "mat", foldtest.Passes("13:40")),
		foldtest.Come(280, "e", "eve", "A", "16:46", 14))
	for now, want := range map[string]int{"16:44": 40, "16:45": 280, "17:10": 280} {
		v := foldtest.At(now, records...)
		if l, _ := v.LoadOf("Zaal"); l.Inside.Value != want || now != "16:44" && foldtest.ShowOf(t, v, "mat").Leaving {
			t.Errorf("%s: %d inside, want %d", now, l.Inside.Value, want)
		}
		if slices.ContainsFunc(v.Alerts, func(a evening.Alert) bool { return a.Code == evening.AlertCrowded }) {
			t.Errorf("%s: the hall is said to be too full", now)
		}
	}
}
