package evening_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/alertlog"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// clubNight is a hall for 200 people with a performance from 19:00 to 22:00, curtain at 20:00.
func clubNight(licensed int64, more ...[]record.Record) []record.Record {
	return append(foldtest.Together(more...), foldtest.Tonight("club", "Main", "19:00", "20:00", "22:00"), foldtest.Set(record.SettingLicensed, "Main", "", licensed, "09:00"))
}

// A hall is nearly full from nine tenths of the people allowed until it is below 87 %, while people come. It is urgent, even
// below nine tenths, if more are to come than may enter and the rate of the last five minutes fills it within ten. A full hall
// is another alert.
func TestNearlyCrowded(t *testing.T) {
	exits, waiting := foldtest.ScannedOut("Main"), func(n int) []record.Record { return foldtest.Many(n, "w", "club") }
	come := func(n int, from string, perMinute int) []record.Record {
		return foldtest.Come(n, "a"+from, "club", "A", from, perMinute)
	}
	goOut := func(n int, times ...string) []record.Record {
		return foldtest.Many(n, "out"+times[0], "club", foldtest.Passes(times...))
	}
	for _, c := range []struct {
		name, now string
		records   []record.Record
		want      string
	}{
		{"one fewer than nine tenths", "19:40", clubNight(200, exits, come(179, "19:05", 20), waiting(21)), ""},
		{"nine tenths, nobody comes", "19:40", clubNight(200, exits, come(180, "19:05", 20), waiting(20)), "nearly_crowded:club warn 20/200 since 19:13; "},
		{"nine tenths of a hall that holds no whole number of them", "19:40", clubNight(201, exits, come(180, "19:05", 20), waiting(21)), ""},
		{"one below the licence", "19:40", clubNight(200, exits, come(199, "19:05", 20), waiting(1)), "nearly_crowded:club warn 1/200 since 19:13; "},
		{"as many as are allowed", "19:40", clubNight(200, exits, come(200, "19:05", 20), waiting(40)), "crowded:club bad 200/200; "},
		{"eight a minute come, and more than may enter", "19:25", clubNight(220, exits, come(200, "19:01", 8), waiting(95)), "nearly_crowded:club bad 20/220 since 19:18; "},
		{"long before nine tenths, as they come fast", "19:11", clubNight(220, exits, come(130, "19:01", 13), waiting(95)), "nearly_crowded:club bad 90/220 since 19:07; "},
		{"as fast, and there is room for all", "19:11", clubNight(225, exits, come(130, "19:01", 13), waiting(95)), ""},
		{"as many as may enter", "19:25", clubNight(220, exits, come(200, "19:01", 8), waiting(20)), "nearly_crowded:club warn 20/220 since 19:25; "},
		{"one more than may enter", "19:25", clubNight(220, exits, come(200, "19:01", 8), waiting(21)), "nearly_crowded:club bad 20/220 since 19:18; "},
		{"as many as may enter, and one is out", "19:25", clubNight(220, exits, come(192, "19:01", 8), goOut(1, "19:03", "-19:20"), come(8, "19:24", 8), waiting(20)), "nearly_crowded:club bad 20/220 since 19:18; "},
		{"two a minute come, in ten minutes as many as may enter", "19:31", clubNight(209, exits, come(167, "19:01", 20), come(22, "19:20", 2), waiting(40)), "nearly_crowded:club bad 20/209 since 19:30; "},
		{"two a minute come, in ten minutes fewer than may enter", "19:31", clubNight(210, exits, come(167, "19:01", 20), come(22, "19:20", 2), waiting(40)), "nearly_crowded:club warn 21/210 since 19:30; "},
		{"as many go out as come in", "19:31", clubNight(200, exits, come(160, "19:01", 20), come(22, "19:20", 2), goOut(2, "19:02", "-19:26"), goOut(4, "19:03", "-19:27"), goOut(4, "19:04", "-19:28"), waiting(40)), "nearly_crowded:club warn 18/200 since 19:24; "},
		{"still urgent while the rate falls", "19:32", clubNight(220, exits, come(178, "19:01", 20), come(20, "19:20", 4), come(7, "19:25", 1), waiting(40)), "nearly_crowded:club bad 15/220 since 19:23; "},
		{"not any more, as it has fallen", "19:37", clubNight(220, exits, come(178, "19:01", 20), come(20, "19:20", 4), waiting(40)), "nearly_crowded:club warn 22/220 since 19:23; "},
		{"below nine tenths since", "19:40", clubNight(200, exits, come(174, "19:05", 20), goOut(6, "19:06", "-19:20"), waiting(20)), "nearly_crowded:club warn 26/200 since 19:13; "},
		{"below 87 %", "19:40", clubNight(200, exits, come(173, "19:05", 20), goOut(7, "19:06", "-19:20"), waiting(20)), ""},
		{"never above nine tenths", "19:40", clubNight(200, exits, come(174, "19:05", 20), waiting(26)), ""},
		{"above again", "19:40", clubNight(200, exits, come(173, "19:05", 20), goOut(7, "19:06", "-19:20"), come(7, "19:30", 7), waiting(13)), "nearly_crowded:club warn 20/200 since 19:30; "},
		{"those who went out are back", "19:40", clubNight(200, exits, come(170, "19:05", 20), goOut(10, "19:06", "-19:20", "19:30"), waiting(20)), "nearly_crowded:club warn 20/200 since 19:30; "},
		{"while it runs", "20:30", clubNight(200, exits, come(185, "19:05", 20), waiting(15)), "nearly_crowded:club warn 15/200 since 19:13; "},
		{"as they leave", "22:01", clubNight(200, exits, come(185, "19:05", 20), waiting(40)), ""},
		{"full, and one goes out before the curtain", "19:50", clubNight(200, exits, come(199, "19:05", 20), goOut(1, "19:16", "-19:45"), waiting(40)), "nearly_crowded:club warn 1/200 since 19:45; "},
		{"too full, and while it runs they only leave", "21:20", clubNight(200, exits, come(195, "19:05", 20), goOut(20, "19:04", "-21:15"), waiting(12)), ""},
		{"too full, they leave, and others come", "21:20", clubNight(200, exits, come(195, "19:05", 20), goOut(20, "19:04", "-21:13"), come(2, "21:19", 2), waiting(12)), "nearly_crowded:club bad 3/200 since 21:19; "},
		{"of people who are not scanned out", "19:25", clubNight(220, come(200, "19:01", 8), waiting(95)), "nearly_crowded:club warn at least 20 no_exits/220 since 19:25; "},
		{"of people who may be as many as are allowed", "19:40", clubNight(200, come(200, "19:05", 20), waiting(40)), "maybe_crowded:club warn estimated 200 no_exits/200; "},
		{"with people without a ticket", "19:40", clubNight(200, exits, come(170, "19:05", 20), waiting(20), []record.Record{&record.WalkIn{ID: "w", EventID: "club", Count: 10, At: foldtest.Clock("19:12")}}), "nearly_crowded:club warn estimated 20 walk_ins/200 since 19:13; "},
		{"nobody is scanned", "19:40", clubNight(200, exits, waiting(190)), ""},
		{"the building", "19:25", append(clubNight(1000, exits, come(200, "19:01", 8), waiting(95)), foldtest.Set(record.SettingLicensed, "", "", 220, "09:00")), "nearly_crowded:club bad 20/220 since 19:18; "},
		{"the hall and the building, which is nearer", "19:25", append(clubNight(220, exits, come(200, "19:01", 8), waiting(95)), foldtest.Set(record.SettingLicensed, "", "", 210, "09:00")), "nearly_crowded:club bad 10/210 since 19:17; "},
	} {
		got := ""
		for _, a := range foldtest.At(c.now, c.records...).Alerts {
			if strings.Contains(a.Code, "crowded") {
				got += fmt.Sprintf("%s %s %s/%d", a.Key, a.Level, foldtest.Say(a.Count), a.Licensed)
				if !a.Since.IsZero() {
					got += " since " + a.Since.In(foldtest.Clock("19:00").Location()).Format("15:04")
				}
				got += "; "
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Whoever is on a hall that is nearly full is told again when it fills up, and not when it no longer does; the log has it as
// more severe, once.
func TestFillsUpAgain(t *testing.T) {
	records := clubNight(220, foldtest.ScannedOut("Main"), foldtest.Come(200, "a", "club", "A", "19:01", 8), foldtest.Come(10, "b", "club", "A", "19:40", 4), foldtest.Many(95, "w", "club"))
	for _, c := range []struct {
		taken  bool
		logged string
	}{{true, "warn1 bad0 bad1 bad2"}, {false, "warn0 bad0"}} {
		log, entered := &alertlog.Log{}, []record.Record{}
		for _, step := range []struct {
			now  string
			take string // who takes it on then
			want string
		}{
			{"19:35", "Mia", "warn false"}, {"19:36", "", "warn true"}, {"19:42", "", "bad false"}, {"19:43", "Joost", "bad false"}, {"19:44", "", "bad true"}, {"19:55", "", "warn true"},
		} {
			now := foldtest.Clock(step.now)
			s := foldtest.Fold(foldtest.Complete, slices.Concat(records, entered)...)
			s.Health.Streams = []figures.StreamHealth{{Name: "tickets", Kinds: []record.Kind{record.KindTicket}, Complete: true, LastGood: now}}
			v, got := evening.At(s, now), ""
			for _, a := range v.Alerts {
				if a.Code == evening.AlertNearlyCrowded {
					got = fmt.Sprint(a.Level, " ", a.Seen != nil)
					if c.taken && step.take != "" {
						entered = append(entered, a.Acknowledgement(evening.Seen{By: step.take, At: now}))
					}
				}
			}
			if want := step.want; c.taken && got != want {
				t.Errorf("%s: %s, want %s", step.now, got, want)
			}
			entered = append(entered, log.Next(v, now, v.Alerts, func(string) bool { return false })...)
		}
		var levels []string
		for _, r := range entered {
			if a, ok := r.(*record.RaisedAlert); ok && a.Alert == evening.AlertNearlyCrowded+":club" {
				levels = append(levels, fmt.Sprint(a.Level, len(a.By)))
			}
		}
		if got := strings.Join(levels, " "); got != c.logged {
			t.Errorf("the log has %s, want %s", got, c.logged)
		}
	}
}

// That more are to come than may enter is an alert of its own while the doors are open and the hall is far from full: whoever takes it on
// is told again once it is nearly full, and the log has each by its name.
func TestRoomForFewerIsNotNearlyFull(t *testing.T) {
	fewer := func(licensed int64, came int) []record.Record { // 210 are sold
		return clubNight(licensed, foldtest.ScannedOut("Main"), foldtest.Come(came, "a", "club", "A", "19:01", 20), foldtest.Many(210-came, "w", "club"))
	}
	log, entered, got := &alertlog.Log{}, []record.Record{}, ""
	for _, step := range []struct {
		now  string
		came int
	}{{"19:01", 1}, {"19:02", 1}, {"19:12", 60}, {"19:25", 190}, {"19:26", 190}} {
		now, at := step.now, foldtest.Clock(step.now)
		s := foldtest.Fold(foldtest.Complete, slices.Concat(fewer(200, step.came), entered)...)
		s.Health.Streams = []figures.StreamHealth{{Name: "tickets", Kinds: []record.Kind{record.KindTicket}, Complete: true, LastGood: at}}
		v := evening.At(s, at)
		for _, a := range v.Alerts {
			if !strings.Contains(a.Code, "crowded") && a.Code != evening.AlertRoomForFewer {
				continue
			}
			got += fmt.Sprintf("%s %s %s %s/%d seen %t; ", now, a.Key, a.Level, foldtest.Say(a.Count), a.Licensed, a.Seen != nil)
			if now == "19:01" {
				entered = append(entered, a.Acknowledgement(evening.Seen{By: "Mia", At: at}))
			}
		}
		entered = append(entered, log.Next(v, at, v.Alerts, func(string) bool { return false })...)
		entered = append(entered, v.Passed()...)
	}
	if want := "19:01 room_for_fewer:club warn 199/200 seen false; 19:02 room_for_fewer:club warn 199/200 seen true; 19:12 room_for_fewer:club warn 140/200 seen true; 19:25 nearly_crowded:club warn 10/200 seen false; 19:26 nearly_crowded:club warn 10/200 seen false; "; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	got = ""
	for _, r := range entered {
		switch r := r.(type) {
		case *record.RaisedAlert:
			if strings.Contains(r.Alert, "crowded") || strings.HasPrefix(r.Alert, evening.AlertRoomForFewer) {
				got += fmt.Sprint(r.Alert, " ", r.Level, " by ", len(r.By), "; ")
			}
		case *record.Acknowledgement:
			got += fmt.Sprint(r.Alert, " taken ", !r.Undone, "; ")
		}
	}
	if want := "room_for_fewer:club taken true; room_for_fewer:club warn by 1; room_for_fewer:club taken false; nearly_crowded:club warn by 0; "; got != want {
		t.Errorf("the log has %s\nwant %s", got, want)
	}
	building := func(n int64, came int, more ...record.Record) []record.Record {
		return append(append(fewer(1000, came), foldtest.Set(record.SettingLicensed, "", "", n, "09:00")), more...)
	}
	matinee := append(foldtest.Together(foldtest.Many(50, "m", "matinee", foldtest.Passes("16:30")), foldtest.Many(50, "n", "matinee", foldtest.Passes("16:30", "-18:57"))), foldtest.Tonight("matinee", "Main", "16:00", "17:00", "18:55"))
	for name, c := range map[string]struct {
		now     string
		records []record.Record
		want    bool
	}{
		"the building may hold all":   {"19:01", building(210, 1), false},
		"the building one fewer":      {"19:01", building(209, 1), true},
		"as soon as others have left": {"19:01", building(210, 1, matinee...), false},
		"sold as many as may enter":   {"19:01", fewer(210, 1), false},
		"one more":                    {"19:01", fewer(209, 1), true},
		"before the doors":            {"18:59", fewer(209, 1), false},
		"while many come":             {"19:25", fewer(209, 150), true},
		"once it is nearly full":      {"19:25", fewer(209, 190), false},
		"the building is nearly full": {"19:25", append(fewer(209, 150), foldtest.Set(record.SettingLicensed, "", "", 160, "09:00")), false},
	} {
		if raised := slices.ContainsFunc(foldtest.At(c.now, c.records...).Alerts, func(a evening.Alert) bool { return a.Code == evening.AlertRoomForFewer }); raised != c.want {
			t.Errorf("%s: raised %t, want %t", name, raised, c.want)
		}
	}
}
