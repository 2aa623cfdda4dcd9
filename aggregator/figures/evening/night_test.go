package evening_test

import (
	"fmt"
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/licence"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// The last finished day is that of tonight once everybody has left, and before that the one before; days on which nothing took
// place are none.
func TestLastFinishedDay(t *testing.T) {
	s := foldtest.Fold(foldtest.Complete, foldtest.Together([]record.Record{
		foldtest.Tonight("past", "Zaal", "18 19:00", "18 20:00", "18 22:00"),
		foldtest.Tonight("off", "Zaal", "19 19:00", "19 20:00", "19 22:00", foldtest.Status(record.EventCancelled)),
		foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00"),
		foldtest.Tonight("late", "Kelder", "20:00", "21:00", "23:00"),
	}, foldtest.Come(10, "x", "a", "A", "19:10", 5))...)
	for clock, want := range map[string]figures.Day{"19 12:00": "2026-11-18", "12:00": "2026-11-18", "22:10": "2026-11-18", "22:50": "2026-11-18", "23:50": "2026-11-20"} {
		if got := evening.At(s, foldtest.Clock(clock)).LastFinished(); got != want {
			t.Errorf("at %s the last finished day is %q, want %q", clock, got, want)
		}
	}
	v := evening.At(s, foldtest.Clock("23:50"))
	if got := len(v.Night("2026-11-20")); got != 2 {
		t.Errorf("%d performances on the day, want 2", got)
	}
	if got := v.Night(""); got != nil {
		t.Errorf("%d performances on no day", len(got))
	}
}

// Those in the building are those who came and did not leave: exits take them out at their minute, the end of a performance
// without exits by estimate, and grace ends both.
func TestCrowd(t *testing.T) {
	scanned := func(in, out string) func(*record.Ticket) {
		return func(t *record.Ticket) {
			t.Scans = []record.Scan{{At: foldtest.Clock(in), Direction: record.Entry}}
			if out != "" {
				t.Scans = append(t.Scans, record.Scan{At: foldtest.Clock(out), Direction: record.Exit})
			}
		}
	}
	s := foldtest.Fold(foldtest.Complete, foldtest.Together([]record.Record{
		foldtest.Tonight("a", "Zaal", "19:00", "20:00", "21:00"), foldtest.Tonight("b", "Kelder", "19:00", "20:00", "21:00"),
	}, foldtest.Many(4, "x", "a", scanned("19:31", "20:30")), foldtest.Many(3, "y", "a", scanned("19:47", "")), foldtest.Many(2, "z", "b", scanned("19:36", "")))...)
	v := evening.At(s, foldtest.Clock("23:59"))
	c := v.Crowd(v.Night("2026-11-20"))
	at := func(clock string) (got string) {
		i := foldtest.Clock(clock).Sub(c.From) / evening.CrowdStep
		for _, h := range c.Halls {
			got += fmt.Sprintf("%s %d; ", h.Hall, h.Inside[i])
		}
		return got
	}
	if want := foldtest.Clock("19:30"); !c.From.Equal(want) {
		t.Errorf("begins at %s, want %s", c.From, want)
	}
	for clock, want := range map[string]string{"19:30": "Zaal 0; Kelder 0; ", "19:35": "Zaal 4; Kelder 0; ", "19:50": "Zaal 7; Kelder 2; ", "20:30": "Zaal 3; Kelder 2; ", "21:00": "Zaal 3; Kelder 2; ", "21:25": "Zaal 0; Kelder 0; ", "21:30": "Zaal 0; Kelder 0; "} {
		if got := at(clock); got != want {
			t.Errorf("at %s: %s, want %s", clock, got, want)
		}
	}
	if got := foldtest.Say(c.Most); got != "estimated 9 no_exits" || !c.MostAt.Equal(foldtest.Clock("19:47")) {
		t.Errorf("most: %s at %s", got, c.MostAt)
	}
	r := evening.ResultOf(v.Night("2026-11-20"))
	if licence.AddMost(v, &r, &c); r.Most.Value != 9 || r.Licensed.Known() {
		t.Errorf("no licence is set, and the result has %d of %s", r.Most.Value, foldtest.Say(r.Licensed))
	}
	if unscanned := evening.ResultOf(nil); unscanned.Most.Known() {
		t.Error("who was inside is known of nobody")
	}
	later := foldtest.Fold(foldtest.Complete, foldtest.Together([]record.Record{
		foldtest.Tonight("b", "Kelder", "19:00", "20:00", "21:00"), foldtest.Tonight("c", "Zolder", "21:00", "22:00", "23:00"),
	}, foldtest.Many(9, "z", "b", scanned("19:36", "")), foldtest.Many(20, "c", "c", scanned("21:40", "")))...)
	if v := evening.At(later, foldtest.Clock("23:59")); foldtest.Say(v.Crowd(v.Night("2026-11-20")).Most) != "estimated 20 left no_exits" {
		t.Errorf("after people left without a scan the most are %s", foldtest.Say(v.Crowd(v.Night("2026-11-20")).Most))
	}
	if c := v.Crowd(nil); !c.From.IsZero() || len(c.Halls) != 0 {
		t.Errorf("nobody: %+v", c)
	}
	if half := evening.At(s, foldtest.Clock("19:40")).Crowd(v.Night("2026-11-20")); half.MostAt.After(foldtest.Clock("19:40")) {
		t.Errorf("minutes to come are counted: %s", half.MostAt)
	}
}
