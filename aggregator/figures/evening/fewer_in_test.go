package evening_test

import (
	"fmt"
	"slices"
	"testing"

	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// Far fewer in than usual is told shortly before the curtain, unless the house itself keeps them out or does not see them: it may hold
// no more, nobody is scanned, or a gate has gone quiet.
func TestFewerIn(t *testing.T) {
	var exits []record.Record
	for _, day := range []string{"08 ", "09 ", "10 ", "11 ", "12 ", "13 ", "14 ", "15 "} {
		id := "past " + day
		exits = append(exits, foldtest.Tonight(id, "Main", day+"19:00", day+"20:00", day+"22:00"))
		for i := range 100 {
			exits = append(exits, foldtest.Ticket(fmt.Sprint(id, i), id, foldtest.Passes(fmt.Sprintf("%s19:%02d", day, 10+i/2), fmt.Sprintf("-%s22:0%d", day, i/20))))
		}
	}
	waiting := foldtest.Many(60, "w", "club")
	slower := foldtest.Together(foldtest.Come(140, "slow", "club", "A", "19:05", 3), foldtest.Come(5, "few", "club", "A", "19:51", 1), foldtest.Many(55, "w", "club"))
	some := foldtest.Come(140, "some", "club", "A", "19:10", 3)
	for name, c := range map[string]struct {
		records []record.Record
		now     string
		want    bool
	}{
		"fewer":                             {clubNight(400, exits, some, waiting), "19:55", true},
		"fewer for less than three minutes": {clubNight(400, exits, slower), "19:52", false},
		"fewer for three minutes":           {clubNight(400, exits, slower), "19:53", true},
		"long before the curtain":           {clubNight(400, exits, some, waiting), "19:45", false},
		"as many as usual":                  {clubNight(400, exits, foldtest.Come(190, "all", "club", "A", "19:05", 10), foldtest.Many(10, "x", "club")), "19:55", false},
		"the hall holds as many as may":     {clubNight(140, exits, some, waiting), "19:55", false},
		"the building holds what it may":    {append(clubNight(400, exits, some, waiting), foldtest.Set(record.SettingLicensed, "", "", 140, "09:00")), "19:55", false},
		"nobody was ever scanned":           {clubNight(400, exits, foldtest.Many(200, "w", "club", func(t *record.Ticket) { t.Scans = []record.Scan{} })), "19:55", false},
		"nobody is scanned":                 {clubNight(400, exits, waiting), "19:55", false},
	} {
		v := foldtest.At(c.now, c.records...)
		got := slices.ContainsFunc(v.Alerts, func(a evening.Alert) bool { return a.Code == evening.AlertFewerIn })
		if got != c.want {
			t.Errorf("%s: told %t, want %t; the call is %d", name, got, c.want, foldtest.ShowOf(t, v, "club").Verdict.Call)
		}
	}
}
