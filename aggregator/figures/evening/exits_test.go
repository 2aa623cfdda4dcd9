package evening_test

import (
	"fmt"
	"strings"
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// passing makes visitors who come in at a gate, ten a minute; at times they are scanned out, or in again, there.
func passing(n int, prefix, event, gate, from string, times ...string) []record.Record {
	all := foldtest.Come(n, prefix, event, gate, from, 10)
	for _, r := range all {
		t := r.(*record.Ticket)
		again := &record.Ticket{}
		foldtest.Passes(times...)(again)
		for _, s := range again.Scans {
			s.Gate = gate
			t.Scans = append(t.Scans, s)
		}
	}
	return all
}

// nights makes past performances of a hall, one a day from 1 November, 20:00 to 22:00, to which 200 people came by gate A;
// out returns how many of them are scanned out on which of these, and when.
func nights(hall string, n int, out func(i int) (int, string)) (all []record.Record) {
	for i := range n {
		id, day := fmt.Sprint("past", i), fmt.Sprintf("%02d ", 1+i)
		people, at := out(i)
		all = append(all, foldtest.Tonight(id, hall, day+"19:00", day+"20:00", day+"22:00"))
		all = append(all, passing(people, id+"o", id, "A", day+"19:30", "-"+day+at)...)
		all = append(all, passing(200-people, id+"s", id, "A", day+"19:30")...)
	}
	return all
}

// Nobody is told to let nobody in by a number that is only the most that may be inside. Whether it is depends on the gates
// that scan exits, on past evenings, and on whether people go out as they did then.
func TestOrderFollowsACount(t *testing.T) {
	licensed := foldtest.Set(record.SettingLicensed, "Main", "", 500, "09:00")
	club := []record.Record{foldtest.Tonight("club", "Main", "17:00", "18:00", "23:00"), licensed}
	expo := []record.Record{foldtest.Tonight("club", "Main", "12:00", "13:00", "20:00"), licensed}
	came := passing(600, "a", "club", "A", "17:10")
	early := passing(600, "a", "club", "A", "12:10")
	every := func(people int, at string) func(int) (int, string) {
		return func(int) (int, string) { return people, at }
	}
	but := func(scanned int, at string) func(int) (int, string) {
		return func(i int) (int, string) {
			if i == scanned {
				return 190, at
			}
			return 0, at
		}
	}
	const exact, atMost, estimate = "crowded", "maybe_crowded", "maybe_crowded left"
	for _, c := range []struct {
		name, now string
		records   []record.Record
		want      string // the alert, and whether who has left is estimated
		inside    int    // 0 where that is an estimate
	}{
		{"exits at one of two gates", "21:00", foldtest.Together(club, passing(60, "x", "club", "A", "17:10", "-20:20"), passing(240, "a", "club", "A", "17:10"), passing(300, "b", "club", "B", "17:10")), atMost, 540},
		{"at both", "21:00", foldtest.Together(club, passing(40, "x", "club", "A", "17:10", "-20:20"), passing(260, "a", "club", "A", "17:10"), passing(40, "y", "club", "B", "17:10", "-20:20"), passing(260, "b", "club", "B", "17:10")), exact, 520},
		{"at both, and hardly anybody came by a third", "21:00", foldtest.Together(club, passing(40, "x", "club", "A", "17:10", "-20:20"), passing(250, "a", "club", "A", "17:10"), passing(40, "y", "club", "B", "17:10", "-20:20"), passing(250, "b", "club", "B", "17:10"), passing(20, "c", "club", "C", "17:10")), exact, 520},
		{"without names of gates", "21:00", foldtest.Together(club, passing(100, "x", "club", "", "17:10", "-20:20"), passing(520, "b", "club", "", "17:10")), atMost, 520},
		{"smokers who are back", "21:00", foldtest.Together(club, passing(70, "x", "club", "A", "17:10", "-20:30", "20:40"), passing(530, "a", "club", "A", "17:10")), atMost, 600},
		{"smokers who are out", "20:35", foldtest.Together(club, passing(70, "x", "club", "A", "17:10", "-20:30"), passing(530, "a", "club", "A", "17:10")), atMost, 530},
		{"after years of one exit for two entrances", "21:00", foldtest.Together(club, nights("Main", 4, every(190, "22:03")), passing(300, "a", "club", "B", "17:10"), passing(300, "b", "club", "C", "17:10")), exact, 600},
		{"after evenings on which every second was scanned out", "21:00", foldtest.Together(club, nights("Main", 4, every(100, "22:03")), came), atMost, 600},
		{"as on those evenings", "21:00", foldtest.Together(club, nights("Main", 4, every(100, "22:03")), passing(90, "x", "club", "A", "17:10", "-20:20"), passing(510, "a", "club", "A", "17:10")), atMost, 510},
		{"after one evening", "21:00", foldtest.Together(club, nights("Main", 1, every(190, "22:03")), came), atMost, 600},
		{"after one evening of twelve", "21:00", foldtest.Together(club, nights("Main", 12, but(11, "22:03")), came), atMost, 600},
		{"after years of another hall", "21:00", foldtest.Together(club, nights("Foyer", 12, every(190, "22:03")), came), atMost, 600},
		{"people left at an hour like this", "21:00", foldtest.Together(club, nights("Main", 4, every(190, "21:10")), came), exact, 600}, // not yet: three hours in, or an hour to go
		{"and tonight nobody does", "22:30", foldtest.Together([]record.Record{foldtest.Tonight("club", "Main", "19:30", "21:00", "23:00"), licensed}, nights("Main", 4, every(190, "21:10")), passing(600, "a", "club", "A", "19:40")), atMost, 600},
		{"and tonight they do", "22:30", foldtest.Together([]record.Record{foldtest.Tonight("club", "Main", "19:30", "21:00", "23:00"), licensed}, nights("Main", 4, every(190, "21:10")), passing(500, "x", "club", "A", "19:40", "-22:05"), passing(700, "a", "club", "A", "19:40")), exact, 700},
		{"a minute to the end without exits", "19:59", foldtest.Together(expo, early), atMost, 600},
		{"at the end", "20:00", foldtest.Together(expo, early), estimate, 600},
		{"after it", "20:02", foldtest.Together(expo, early), estimate, 0},
		{"the scanner is off at the end", "20:04", foldtest.Together(expo, nights("Main", 12, every(190, "22:03")), early, foldtest.Come(520, "b", "club", "A", "19:00", 90)), "left", 0},
		{"most leave late", "20:20", foldtest.Together(expo, nights("Main", 12, every(190, "22:03")), passing(600, "x", "club", "A", "12:10", "-20:18"), foldtest.Come(520, "b", "club", "A", "12:00", 90)), exact, 520},
	} {
		v := foldtest.At(c.now, c.records...)
		s, got := foldtest.ShowOf(t, v, "club"), ""
		for _, a := range v.Alerts {
			if a.Code == evening.AlertCrowded || a.Code == evening.AlertMaybeCrowded {
				got = a.Code
			}
		}
		if s.Left.Known() {
			got = strings.TrimSpace(got + " left")
		}
		if got != c.want || c.inside != 0 && s.Inside.Value != c.inside {
			t.Errorf("%s: %q, %s inside, want %q, %d", c.name, got, foldtest.Say(s.Inside), c.want, c.inside)
		}
		if crowded := c.want == exact; crowded != (s.Inside.Quality == figures.Exact) {
			t.Errorf("%s: inside is %s", c.name, foldtest.Say(s.Inside))
		}
	}
}

// Where people are scanned out, a performance is due to end until a few have gone out, one is not enough, and nobody is leaving; after a
// quarter of an hour, where the service reports its end, and where nobody is scanned out, it is over.
func TestDueToEndUntilPeopleGoOut(t *testing.T) {
	scannedOut := nights("Main", 4, func(int) (int, string) { return 190, "22:10" })
	never := nights("Main", 4, func(int) (int, string) { return 0, "22:03" })
	tonight := func(change ...func(*record.Event)) []record.Record {
		return []record.Record{foldtest.Tonight("play", "Main", "19:00", "20:00", "22:00", change...)}
	}
	stay := passing(300, "s", "play", "A", "19:20")
	for _, c := range []struct {
		name, now string
		records   []record.Record
		due       bool
	}{
		{"before the end", "21:59", foldtest.Together(scannedOut, tonight(), stay), false},
		{"nobody went out", "22:04", foldtest.Together(scannedOut, tonight(), stay), true},
		{"one did", "22:04", foldtest.Together(scannedOut, tonight(), stay, passing(1, "x", "play", "A", "19:20", "-22:02")), true},
		{"some did before the end", "22:04", foldtest.Together(scannedOut, tonight(), stay, passing(20, "x", "play", "A", "19:20", "-21:40")), true},
		{"a few did", "22:04", foldtest.Together(scannedOut, tonight(), stay, passing(9, "x", "play", "A", "19:20", "-22:02")), false},
		{"a quarter of an hour", "22:15", foldtest.Together(scannedOut, tonight(), stay), false},
		{"it is reported", "22:04", foldtest.Together(scannedOut, tonight(foldtest.Status(record.EventEnded)), stay), false},
		{"nobody is scanned out", "22:04", foldtest.Together(never, tonight(), stay), false},
	} {
		v := foldtest.At(c.now, c.records...)
		s := foldtest.ShowOf(t, v, "play")
		if s.DueToEnd() != c.due {
			t.Errorf("%s: due to end %v, %d inside", c.name, s.DueToEnd(), s.Inside.Value)
		}
		if leaving := v.House.Leaving.Value > 0; leaving != (!c.due && s.Phase == evening.Over && s.Inside.Value > 0) {
			t.Errorf("%s: %d leave", c.name, v.House.Leaving.Value)
		}
	}
}
