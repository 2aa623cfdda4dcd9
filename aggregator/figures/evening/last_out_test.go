package evening_test

import (
	"testing"

	"housecount/aggregator/figures/foldtest"
)

// When the last one left is said once nobody leaves any more, also where one of the performances does not scan who does.
func TestLastOut(t *testing.T) {
	records := foldtest.Together(foldtest.ScannedOut("Main"), foldtest.Many(60, "a", "a", foldtest.Passes("19:30", "-22:05")), foldtest.Many(60, "b", "b", foldtest.Passes("19:30")))
	records = append(records, foldtest.Tonight("a", "Main", "19:00", "20:00", "22:00"), foldtest.Tonight("b", "Foyer", "19:00", "20:00", "22:00"))
	for now, want := range map[string]string{"22:10": "", "22:29": "", "22:30": "22:05"} {
		got := ""
		if at, _, ok := foldtest.At(now, records...).LastOut(); ok {
			got = at.In(foldtest.Clock("19:00").Location()).Format("15:04")
		}
		if got != want {
			t.Errorf("%s: the last one left at %q, want %q", now, got, want)
		}
	}
}
