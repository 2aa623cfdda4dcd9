package evening_test

import (
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// Who did not come is the night's: it does not fall as performances end, is at each moment what is known of each, and is at last what
// the night report has. Where a performance did not scan, it is said as at least.
func TestWhoDidNotComeIsOfTheNight(t *testing.T) {
	records := foldtest.Together(foldtest.ScannedOut("Main"), foldtest.ScannedOut("Studio"), foldtest.ScannedOut("Cellar"))
	for _, s := range []struct {
		id, hall, doors, curtain, end, come string
		came, away                          int
	}{
		{"early", "Main", "18:30", "19:00", "21:00", "18:40", 60, 45},
		{"middle", "Studio", "19:30", "20:00", "22:15", "19:40", 40, 19},
		{"late", "Cellar", "21:30", "22:00", "23:30", "21:40", 30, 10},
	} {
		records = foldtest.Together(records, foldtest.Together([]record.Record{foldtest.Tonight(s.id, s.hall, s.doors, s.curtain, s.end)},
			foldtest.Come(s.came, s.id+"in", s.id, "A", s.come, 5), foldtest.Many(s.away, s.id+"away", s.id, foldtest.Passes())))
	}
	before := 0
	for at := foldtest.Clock("18:00"); at.Before(foldtest.Clock("23:59")); at = at.Add(time.Minute) {
		v := foldtest.Evening(foldtest.Fold(foldtest.Complete, records...), at)
		h, want := v.House, 0
		var over []*evening.Show
		for _, s := range v.Shows {
			switch {
			case s.Phase == evening.Over:
				over, want = append(over, s), want+s.Expected.Value-s.Arrived.Value
			case s.LateOver:
				want += s.Still.Value
			}
		}
		if h.Away.Value < before || h.Away.Value != want || h.Away.Quality != figures.Exact {
			t.Errorf("%s: %s did not come, want %d; a minute ago %d", at.Format("15:04"), foldtest.Say(h.Away), want, before)
		}
		if r := evening.ResultOf(over); len(over) == 3 && r.Away.Value != h.Away.Value {
			t.Errorf("%s: %s did not come, in the night report %s", at.Format("15:04"), foldtest.Say(h.Away), foldtest.Say(r.Away))
		}
		before = h.Away.Value
	}
	if before != 74 {
		t.Errorf("%d did not come in all, want 74", before)
	}
	unscanned := foldtest.Together(records, []record.Record{foldtest.Tonight("talk", "Foyer", "18:00", "18:30", "19:30")}, foldtest.Many(7, "talk", "talk", foldtest.Passes()))
	if got := foldtest.Evening(foldtest.Fold(foldtest.Complete, unscanned...), foldtest.Clock("21:30")).House.Away; got.Value != 64 || got.Quality != figures.LowerBound {
		t.Errorf("where one did not scan, %s did not come, want at least 64", foldtest.Say(got))
	}
}
