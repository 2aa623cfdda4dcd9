package evening_test

import (
	"slices"
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// A start whose alert somebody has taken on is held to the minute that was advised then: the performance has not begun,
// and its alert stays. Who gives the alert back, or takes on what was never advised, holds nothing.
func TestStartIsHeld(t *testing.T) {
	late := foldtest.Together([]record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")}, steady("Zaal"),
		foldtest.Come(90, "e", "a", "A", "19:45", 3), foldtest.Many(10, "x", "a", foldtest.Passes()))
	taken := func(at string, undone bool) record.Record {
		return &record.Acknowledgement{Alert: "hold:a", At: foldtest.Clock(at), By: "Mia", Personal: true, Count: 47, Undone: undone}
	}
	for _, c := range []struct {
		name, now string
		taken     []record.Record
		phase     evening.Phase
		held      string
		alert     bool
	}{
		{"before the curtain", "19:58", []record.Record{taken("19:55", false)}, evening.Arriving, "20:12", true},
		{"after it", "20:05", []record.Record{taken("19:55", false)}, evening.Arriving, "20:12", true},
		{"to the end", "20:11", []record.Record{taken("19:55", false)}, evening.Arriving, "20:12", true},
		{"begun", "20:12", []record.Record{taken("19:55", false)}, evening.Running, "", true},
		{"over", "20:13", []record.Record{taken("19:55", false)}, evening.Running, "", false},
		{"by nobody", "20:05", nil, evening.Running, "", true},
		{"given back", "20:05", []record.Record{taken("19:55", true)}, evening.Running, "", true},
		{"before anything was advised", "20:05", []record.Record{taken("19:41", false)}, evening.Running, "", true},
		{"on another evening", "20:05", []record.Record{taken("19 19:55", false)}, evening.Running, "", true},
	} {
		s := foldtest.Fold(foldtest.Complete, append(slices.Clip(late), c.taken...)...)
		show := foldtest.Evening(s, foldtest.Clock(c.now)).Show(s.Event("a"))
		held := ""
		if !show.Held.IsZero() {
			held = show.Held.UTC().Format("15:04")
		}
		v := foldtest.Evening(s, foldtest.Clock(c.now))
		alert := slices.ContainsFunc(v.AlertsOf(show), func(a evening.Alert) bool { return a.Code == evening.AlertHold })
		if show.Phase != c.phase || held != c.held || alert != c.alert {
			t.Errorf("%s: %v, held to %q, alert %v; want %v, %q, %v", c.name, show.Phase, held, alert, c.phase, c.held, c.alert)
		}
	}
}

// While the past is read for the first time nothing is usual, no start is called late against it, and no performance has a
// pace; what was found in half of it is not kept when it is whole.
func TestNothingIsUsualInHalfAPast(t *testing.T) {
	s := foldtest.Fold(foldtest.Complete, foldtest.Together([]record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")}, steady("Zaal"),
		foldtest.Come(90, "e", "a", "A", "19:45", 3), foldtest.Many(10, "x", "a", foldtest.Passes()))...)
	half := *s
	half.Health.Streams = []figures.StreamHealth{{Name: "tickets", Kinds: []record.Kind{record.KindTicket}}}
	at := foldtest.Clock("19:55")
	v := evening.At(&half, at)
	if a := v.Arrivals(v.Show(half.Event("a"))); a.Basis != evening.NoBasis || a.Past != 0 {
		t.Errorf("half read, %d performances are usual", a.Past)
	}
	whole := evening.After(s, v, at)
	if a := whole.Arrivals(whole.Show(s.Event("a"))); a.Basis == evening.NoBasis {
		t.Error("read whole, nothing is usual")
	}
}
