package evening_test

import (
	"fmt"
	"slices"
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/arriving"
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
	if a := v.Arrivals(v.Show(half.Event("a"))); a.Basis != arriving.NoBasis || a.Past != 0 {
		t.Errorf("half read, %d performances are usual", a.Past)
	}
	whole := evening.After(s, v, at)
	if a := whole.Arrivals(whole.Show(s.Event("a"))); a.Basis == arriving.NoBasis {
		t.Error("read whole, nothing is usual")
	}
}

// After a hold that is no longer advised, and before the curtain, nobody is told that it begins on time until that was so for three
// minutes; and where nobody is to come nothing is said of the start.
func TestNotOnTimeAtOnceAfterAHold(t *testing.T) {
	late := foldtest.Together([]record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00"), foldtest.Tonight("empty", "Foyer", "19:00", "20:00", "22:00")}, steady("Zaal"),
		foldtest.Come(30, "e", "a", "A", "19:45", 3), foldtest.Come(68, "f", "a", "A", "19:52", 68), foldtest.Many(2, "x", "a", foldtest.Passes()))
	var calls []arriving.Call
	for m := 45; m < 60; m++ {
		s := foldtest.Fold(foldtest.Complete, late...)
		v := foldtest.Evening(s, foldtest.Clock(fmt.Sprintf("19:%d", m)))
		calls = append(calls, v.Show(s.Event("a")).Verdict.Call)
		if call := v.Show(s.Event("empty")).Verdict.Call; call != arriving.NoCall {
			t.Errorf("19:%d: call %d where nobody is to come", m, call)
		}
	}
	if !slices.Contains(calls, arriving.Hold) || calls[len(calls)-1] != arriving.OnTime {
		t.Fatalf("the calls are %v", calls)
	}
	for i := range calls[1:] {
		if calls[i] == arriving.Hold && calls[i+1] == arriving.OnTime {
			t.Errorf("on time at once after a hold: %v", calls)
		}
	}
}
