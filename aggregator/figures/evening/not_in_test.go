package evening_test

import (
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// Who is not in of the evening is the sum of its performances while anybody is awaited: still to come, latecomers, and those whose doors are
// not open. Doors and curtains do not change it; who comes in does, and who is awaited no more did not come: nobody is counted in both.
func TestNotInOfTheEvening(t *testing.T) {
	records := foldtest.Together([]record.Record{
		foldtest.Tonight("over", "Cellar", "15:00", "16:00", "18:00"), foldtest.Tonight("away", "Main", "19:00", "19:30", "22:00"), foldtest.Tonight("late", "Studio", "19:30", "20:20", "22:00"),
		foldtest.Tonight("open", "Foyer", "20:00", "21:00", "23:00"), foldtest.Tonight("later", "Attic", "22:30", "23:00", "23:30"), foldtest.Tonight("off", "Dome", "19:30", "20:30", "22:00", foldtest.Status(record.EventCancelled)),
	}, foldtest.Come(5, "p", "over", "A", "15:10", 5), foldtest.Many(1, "q", "over", foldtest.Passes()),
		foldtest.Come(20, "a", "away", "A", "19:10", 5), foldtest.Many(2, "b", "away", foldtest.Passes()),
		foldtest.Come(20, "c", "late", "A", "20:01", 5), foldtest.Many(4, "d", "late", foldtest.Passes()),
		foldtest.Come(20, "e", "open", "A", "20:10", 5), foldtest.Many(8, "f", "open", foldtest.Passes()), foldtest.Many(16, "g", "later", foldtest.Passes()), foldtest.Many(32, "h", "off", foldtest.Passes()))
	snapshot := foldtest.Fold(foldtest.Complete, records...)
	want := 1 + 2 + 4 + 8 + 16
	for now := foldtest.Clock("15:30"); now.Before(foldtest.Clock("23:00")); now = now.Add(time.Minute) {
		switch clock := now.Format("15:04"); clock {
		case "16:30":
			want--
		case "20:00":
			want -= 2
		case "20:50":
			want -= 4
		case "21:30":
			want -= 8
		}
		v := foldtest.Evening(snapshot, now)
		x, _ := catalogue.Explain(v, figures.KeyNotYetIn, figures.Scope{})
		parts, shows := catalogue.SumOf(x.Parts), 0
		for _, s := range v.Shows {
			if s.Awaits() {
				shows += catalogue.Define(figures.KeyNotYetIn).OfShow(s).Count
			}
		}
		if h := &v.House; x.Count != want || x.Quality != figures.Exact || parts.Count != want || shows != want || h.NotIn.Value != want || want+h.Away.Value != 1+2+4+8+16 {
			t.Fatalf("at %s %d are not in (%+v): %d in parts, %d of performances, %d on top, want %d", now.Format("15:04"), x.Count, x.Value, parts.Count, shows, h.NotIn.Value, want)
		}
	}
}
