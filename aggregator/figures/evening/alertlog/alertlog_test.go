package alertlog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/alertlog"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// alertNight is an evening whose alerts are logged: a hall of ten places.
type alertNight struct {
	t       *testing.T
	logs    []*alertlog.Log // of each process
	entered []record.Record
}

// at has every process look at the evening, with some places sold, and returns what was entered.
func (n *alertNight) at(clock time.Time, sold int, also ...func(*figures.Snapshot)) string {
	hall := append([]record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00", func(e *record.Event) { e.Capacity = new(10) })},
		foldtest.Many(sold, "t", "a", func(t *record.Ticket) { t.SoldAt = foldtest.Clock("17:30") })...)
	s := foldtest.Fold(foldtest.Complete, append(hall, n.entered...)...)
	s.Health.Streams = []figures.StreamHealth{{Name: "tickets", Kinds: []record.Kind{record.KindTicket}, Complete: true, LastGood: clock}}
	for _, f := range also {
		f(s)
	}
	v := evening.At(s, clock)
	var found []record.Record
	for _, l := range n.logs {
		of := l.Next(v, clock, slices.DeleteFunc(v.Standing(), func(a evening.Alert) bool { return a.Level == evening.Info }), func(string) bool { return false })
		if found != nil && fmt.Sprint(lines(of)) != fmt.Sprint(lines(found)) {
			n.t.Errorf("at %s two processes find %q and %q", clock.Format("15:04:05"), lines(of), lines(found))
		}
		found = of
	}
	for _, r := range found { // a version that is not newer than another of the record is dropped
		for _, o := range n.entered {
			if o.RecordID() == r.RecordID() && !r.RecordUpdated().After(o.RecordUpdated()) {
				n.t.Errorf("%s at %s is not after %s", r.RecordID(), r.RecordUpdated(), o.RecordUpdated())
			}
		}
	}
	n.entered = append(n.entered, found...)
	return strings.Join(lines(found), "; ")
}

func lines(all []record.Record) (texts []string) {
	for _, r := range all {
		a := r.(*record.RaisedAlert)
		text := fmt.Sprintf("%s %s %s", a.RecordID(), a.Level, a.Raised.UTC().Format("15:04:05"))
		if len(a.By) > 0 {
			text += " by " + strings.Join(a.By, ", ") + " " + a.Taken.UTC().Format("15:04")
		}
		if len(a.Took) > 0 {
			text += " took " + strings.Join(a.Took, ", ") + " " + a.Taken.UTC().Format("15:04")
		}
		if a.First != a.Last {
			text += fmt.Sprintf(" %d → %d", a.First, a.Last)
		}
		if !a.Cleared.IsZero() {
			text += " to " + a.Cleared.UTC().Format("15:04:05")
		}
		texts = append(texts, text)
	}
	return texts
}

// An alert is in the log once it has stood for a while, with who took it on and until when, and again when it is raised
// again; what comes and goes is not, and nothing is over because the service is silent.
func TestAlertLog(t *testing.T) {
	n := &alertNight{t: t, logs: []*alertlog.Log{{}, {}}}
	silent := func(s *figures.Snapshot) {
		s.Health.Streams = []figures.StreamHealth{{Name: "tickets", Kinds: []record.Kind{record.KindTicket}, Fault: figures.FaultUnreachable, Missed: 9, Complete: true}}
	}
	ack := func(by, at string) func() {
		return func() {
			n.entered = append(n.entered, &record.Acknowledgement{Alert: "oversold:a", At: foldtest.Clock(at), By: by, Personal: true, Count: 99})
		}
	}
	handBack := func() {
		for _, by := range []string{"Mia", "Joost"} {
			n.entered = append(n.entered, &record.Acknowledgement{Alert: "oversold:a", At: foldtest.Clock("18:03"), By: by, Personal: true, Undone: true})
		}
	}
	start := foldtest.Clock("18:00")
	for _, step := range []struct {
		after string
		sold  int
		do    func()
		also  []func(*figures.Snapshot)
		want  string
	}{
		{"0s", 10, nil, nil, ""},
		{"10s", 12, nil, nil, ""},
		{"20s", 10, nil, nil, ""}, // it went again
		{"30s", 12, nil, nil, ""},
		{"50s", 12, nil, nil, ""},
		{"1m", 12, nil, nil, "oversold:a#1 bad 18:00:30"},
		{"1m10s", 12, nil, nil, ""},
		{"2m", 12, ack("Mia", "18:01"), nil, "oversold:a#1 bad 18:00:30 by Mia 18:01"},
		{"3m", 12, ack("Joost", "18:02"), nil, "oversold:a#1 bad 18:00:30 by Mia, Joost 18:01"},
		{"3m10s", 12, handBack, nil, "oversold:a#1 bad 18:00:30"},
		{"3m20s", 12, nil, nil, ""},
		{"3m30s", 12, ack("Mia", "18:04"), nil, "oversold:a#1 bad 18:00:30 by Mia 18:04"},
		{"4m", 10, nil, nil, ""},
		{"5m50s", 10, nil, nil, ""},
		{"5m55s", 12, nil, nil, ""}, // gone for less than clearedAfter
		{"6m", 10, nil, []func(*figures.Snapshot){silent}, ""},
		{"20m", 10, nil, []func(*figures.Snapshot){silent}, ""},
		{"21m", 10, nil, nil, ""},
		{"23m", 10, nil, nil, "oversold:a#1 bad 18:00:30 by Mia 18:04 to 18:21:00"},
		{"24m", 10, nil, nil, ""},
		{"30m", 14, nil, nil, ""},
		{"30m30s", 14, nil, nil, "oversold:a#2 bad 18:30:00 by Mia 18:04"},
	} {
		after, err := time.ParseDuration(step.after)
		if err != nil {
			t.Fatal(err)
		}
		if step.do != nil {
			step.do()
		}
		if got := n.at(start.Add(after), step.sold, step.also...); got != step.want {
			t.Errorf("after %s %q is entered, want %q", step.after, got, step.want)
		}
	}
}

// Who took an alert on is still named when it grows, which takes it away from them, and in the end.
func TestAlertLogNamesWhoTookItBeforeItGrew(t *testing.T) {
	n := &alertNight{t: t, logs: []*alertlog.Log{{}}}
	n.at(foldtest.Clock("18:00"), 12)
	n.at(foldtest.Clock("18:01"), 12)
	n.entered = append(n.entered, &record.Acknowledgement{Alert: "oversold:a", At: foldtest.Clock("18:02"), By: "Mia", Personal: true, Count: 2})
	for _, step := range []struct {
		at   string
		sold int
		want string
	}{
		{"18:02", 12, "oversold:a#1 bad 18:00:00 by Mia 18:02"},
		{"18:03", 13, "oversold:a#1 bad 18:00:00 took Mia 18:02 2 → 3"},
		{"18:04", 14, ""},
		{"18:05", 10, ""},
		{"18:08", 10, "oversold:a#1 bad 18:00:00 took Mia 18:02 2 → 4 to 18:05:00"},
	} {
		if got := n.at(foldtest.Clock(step.at), step.sold); got != step.want {
			t.Errorf("at %s %q is entered, want %q", step.at, got, step.want)
		}
	}
}

// A process that has just started raises nothing anew, and ends what it does not know of only after a while.
func TestAlertLogAfterAStart(t *testing.T) {
	n := &alertNight{t: t, logs: []*alertlog.Log{{}}}
	start := foldtest.Clock("18:00")
	n.at(start, 12)
	if got := n.at(start.Add(time.Minute), 12); got == "" {
		t.Fatal("nothing is raised")
	}
	n.logs = []*alertlog.Log{{}}
	for after, want := range []string{"", "", ""} {
		if got := n.at(start.Add(time.Duration(2+after)*time.Minute), 12); got != want {
			t.Errorf("%d minutes after the start %q is entered, want %q", after, got, want)
		}
	}
	snapshot := foldtest.Fold(foldtest.Complete, n.entered...)
	snapshot.Health.Streams = []figures.StreamHealth{{Name: "tickets", Kinds: []record.Kind{record.KindTicket}, Complete: true, LastGood: start}}
	v := evening.At(snapshot, start)
	for _, known := range []bool{false, true} {
		log, ended := &alertlog.Log{}, 0
		for _, after := range []time.Duration{0, 5 * time.Minute} {
			ended += len(log.Next(v, start.Add(after), nil, func(code string) bool { return code == evening.AlertOversold && !known }))
		}
		if (ended == 1) != known {
			t.Errorf("of an alert that is missing, and of which it is known %v whether it stands, %d ends are entered", known, ended)
		}
	}
	reading := func(s *figures.Snapshot) {
		s.Health.Streams = []figures.StreamHealth{{Name: "tickets", Kinds: []record.Kind{record.KindTicket}, LastGood: start}}
	}
	n = &alertNight{t: t, logs: []*alertlog.Log{{}}}
	for after := range 3 {
		if got := n.at(start.Add(time.Duration(after)*time.Minute), 12, reading); got != "" {
			t.Errorf("while tickets are read for the first time %q is entered", got)
		}
	}
}

// A clock that is put back delays no alert: it has stood since then.
func TestAlertLogWhileTheClockIsPutBack(t *testing.T) {
	n := &alertNight{t: t, logs: []*alertlog.Log{{}}}
	start := foldtest.Clock("18:00")
	got := n.at(start.Add(time.Hour), 12) + n.at(start, 12) + n.at(start.Add(30*time.Second), 12)
	if want := "oversold:a#1 bad 18:00:00"; got != want {
		t.Errorf("%q is entered, want %q", got, want)
	}
}

// An alert that the house switches off while it stands is not over, and whoever is on it stays on it; it is no longer shown.
func TestAlertLogOfWhatIsOff(t *testing.T) {
	n := &alertNight{t: t, logs: []*alertlog.Log{{}}}
	start := foldtest.Clock("18:00")
	n.at(start, 12)
	if got := n.at(start.Add(time.Minute), 12); got != "oversold:a#1 bad 18:00:00" {
		t.Fatalf("raised: %q", got)
	}
	n.entered = append(n.entered, &record.Acknowledgement{Alert: "oversold:a", At: foldtest.Clock("18:01"), By: "Mia", Personal: true, Count: 99},
		&record.Setting{Name: record.SettingAlertTold, Of: evening.AlertOversold, Value: new(int64(figures.AlertOff)), At: foldtest.Clock("18:01"), By: "Ann"})
	shown := func(s *figures.Snapshot) {
		v := evening.At(s, start.Add(2*time.Minute))
		if len(v.Alerts) != 0 || len(v.AlertsOf(v.Shows[0])) != 0 || len(v.Passed()) != 0 {
			t.Errorf("shown are %v, taken back is %v", v.Alerts, v.Passed())
		}
	}
	if got := n.at(start.Add(2*time.Minute), 12, shown); got != "oversold:a#1 bad 18:00:00 by Mia 18:01" {
		t.Errorf("taken on: %q", got)
	}
	for _, minute := range []int{3, 10, 20} {
		if got := n.at(start.Add(time.Duration(minute)*time.Minute), 12); got != "" {
			t.Errorf("switched off, after %d minutes: %q", minute, got)
		}
	}
	n.at(start.Add(21*time.Minute), 10)
	if got := n.at(start.Add(24*time.Minute), 10); got != "oversold:a#1 bad 18:00:00 by Mia 18:01 to 18:21:00" {
		t.Errorf("over: %q", got)
	}
}
