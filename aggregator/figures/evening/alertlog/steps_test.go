package alertlog_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/alertlog"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// Every step of an alert is in the log with its time, whose it was and what the alert counted, also once it is over: who took it on and
// handed it back, when it grew out of somebody's hands, and when it became urgent.
func TestAlertLogHasEachStep(t *testing.T) {
	var entered []record.Record
	var log alertlog.Log
	ack := func(by, at string, count int, undone bool) {
		entered = append(entered, &record.Acknowledgement{Alert: "oversold:a", At: foldtest.Clock(at), By: by, Personal: true, Count: count, Undone: undone})
	}
	var last *record.RaisedAlert
	at := func(clock string, count int, level evening.Level) {
		t.Helper()
		s := foldtest.Fold(foldtest.Complete, append([]record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")}, entered...)...)
		now := foldtest.Clock(clock)
		s.Health.Streams = []figures.StreamHealth{{Name: "tickets", Kinds: []record.Kind{record.KindTicket}, Complete: true, LastGood: now}}
		v := evening.At(s, now)
		var standing []evening.Alert
		if count > 0 {
			a := evening.Alert{Key: "oversold:a", Code: evening.AlertOversold, Event: "a", Level: level, AlertArgs: evening.AlertArgs{Count: figures.Figure[int]{Value: count}, Licensed: 9}}
			a.Seen = v.SeenBy(&a)
			standing = append(standing, a)
		}
		for _, r := range log.Next(v, now, standing, func(string) bool { return false }) {
			last = r.(*record.RaisedAlert)
			entered = append(entered, r)
		}
	}
	at("18:00", 2, evening.Warn)
	at("18:01", 2, evening.Warn)
	ack("Mia", "18:02", 2, false)
	ack("Joost", "18:03", 2, false)
	at("18:03", 2, evening.Warn)
	ack("Joost", "18:04", 2, true)
	at("18:05", 2, evening.Warn)
	at("18:06", 3, evening.Warn)
	ack("Joost", "18:07", 3, false)
	at("18:08", 3, evening.Bad)
	at("18:09", 0, "")
	at("18:12", 0, "")
	var got []string
	for _, s := range last.Steps {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %d %s", s.At.UTC().Format("15:04"), s.What, s.N, s.By)))
	}
	want := "18:02 taken 2 Mia; 18:03 taken 2 Joost; 18:04 handed_back 2 Joost; 18:06 grown 3; 18:07 taken 3 Joost; 18:08 worse 3"
	if strings.Join(got, "; ") != want || last.Cleared.IsZero() || last.Licensed != 9 || last.Level != "bad" {
		t.Errorf("logged are %s, %+v, want %s", strings.Join(got, "; "), last, want)
	}
	for range 200 {
		entered = append(entered, last)
		next := *last
		last = &next
		last.Steps = append(last.Steps, record.AlertStep{At: foldtest.Clock("18:30"), What: record.AlertTaken, By: "Mia"})
	}
	last.Number, last.Cleared, last.Changed, last.By = 9, time.Time{}, foldtest.Clock("18:31"), nil
	entered = append(entered, last)
	ack("Bo", "18:40", 3, false)
	at("18:40", 3, evening.Bad)
	if n := len(last.Steps); n > 60 || last.Steps[n-1].By != "Bo" {
		t.Errorf("of many steps %d are stored, the last of %s", n, last.Steps[n-1].By)
	}
}

// An alert that is over for a moment, so that what was taken on is taken back, was handed back by nobody.
func TestAlertLogHandsNothingBackByItself(t *testing.T) {
	var entered []record.Record
	var log alertlog.Log
	var last *record.RaisedAlert
	at := func(clock string, count int) {
		s := foldtest.Fold(foldtest.Complete, append([]record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")}, entered...)...)
		now := foldtest.Clock(clock)
		s.Health.Streams = []figures.StreamHealth{{Name: "tickets", Kinds: []record.Kind{record.KindTicket}, Complete: true, LastGood: now}}
		v := evening.At(s, now)
		var standing []evening.Alert
		if count > 0 {
			a := evening.Alert{Key: "oversold:a", Code: evening.AlertOversold, Event: "a", Level: evening.Bad, AlertArgs: evening.AlertArgs{Count: figures.Figure[int]{Value: count}}}
			a.Seen = v.SeenBy(&a)
			standing = append(standing, a)
		}
		more := log.Next(v, now, standing, func(string) bool { return false })
		if count == 0 {
			more = append(v.Passed(), more...)
		}
		for _, r := range more {
			if r, ok := r.(*record.RaisedAlert); ok {
				last = r
			}
			entered = append(entered, r)
		}
	}
	at("18:00", 2)
	at("18:01", 2)
	entered = append(entered, &record.Acknowledgement{Alert: "oversold:a", At: foldtest.Clock("18:02"), By: "Mia", Personal: true, Count: 2})
	at("18:03", 2)
	at("18:10", 0)
	at("18:11", 2)
	if len(last.Steps) != 1 || last.Steps[0].What != record.AlertTaken || last.Steps[0].By != "Mia" {
		t.Errorf("the steps are %+v", last.Steps)
	}
}
