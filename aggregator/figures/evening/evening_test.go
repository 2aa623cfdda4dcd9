package evening_test

import (
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

func TestTonightAndNext(t *testing.T) {
	starts := func(at, ends string) func(*record.Event) {
		return func(e *record.Event) { e.StartsAt, e.EndsAt = foldtest.Clock(at), foldtest.Clock(ends) }
	}
	dated := func(day string) func(*record.Event) {
		return func(e *record.Event) { e.StartsAt, e.Date = time.Time{}, day }
	}
	status := func(s record.EventStatus) func(*record.Event) {
		return func(e *record.Event) { e.Status = s }
	}
	s := foldtest.Ledger(figures.Calendar{Cutoff: 6 * time.Hour}, foldtest.NewLog([]record.Record{
		foldtest.Event("late", starts("20 23:00", "21 07:00")),
		foldtest.Event("early", starts("20 19:00", "20 22:00")),
		foldtest.Event("night", starts("21 00:30", "21 05:00")),
		foldtest.Event("off", starts("20 20:00", "21 08:00"), status(record.EventCancelled)),
		foldtest.Event("same b", starts("20 21:00", "")), foldtest.Event("same a", starts("20 21:00", "")),
		foldtest.Event("day", dated("2026-11-20")),
		foldtest.Event("doors", dated("2026-11-20"), func(e *record.Event) { e.DoorsAt = foldtest.Clock("21 02:00") }), // until 07:00
		foldtest.Event("morrow", starts("21 20:00", "")),
		foldtest.Event("morrow off", starts("21 19:00", ""), status(record.EventCancelled)),
		foldtest.Event("week", starts("27 20:00", "")),
		foldtest.Event("some time", dated("")), foldtest.Event("soon", dated("soon")),
		foldtest.Event("test", func(e *record.Event) { e.Test = true }), foldtest.Event("gone", func(e *record.Event) { e.Deleted = true }),
	}...).Versions...).Snapshot(figures.Position{}, foldtest.Complete)
	s.AsOf = foldtest.Clock("22 10:00")
	ids := func(shows []*evening.Show) string {
		var ids []string
		for _, s := range shows {
			ids = append(ids, s.Event.ID)
		}
		return strings.Join(ids, ", ")
	}
	for _, c := range []struct{ name, got, want string }{
		{"tonight", ids(evening.At(s, foldtest.Clock("20 19:00")).Shows), "early, off, same a, same b, late, night, day, doors"},
		{"before the cut-off", ids(evening.At(s, foldtest.Clock("21 05:59")).Shows), "early, off, same a, same b, late, night, day, doors"},
		{"after the cut-off", ids(evening.At(s, foldtest.Clock("21 06:00")).Shows), "early, off, same a, same b, late, night, day, doors"},
		{"when all is over", ids(evening.At(s, foldtest.Clock("21 07:00")).Shows), "morrow off, morrow"},
		{"next", ids(next(evening.At(s, foldtest.Clock("20 19:00")), 9)), "morrow off, morrow, week"},
		{"next one", ids(next(evening.At(s, foldtest.Clock("20 19:00")), 1)), "morrow off"},
		{"next none", ids(next(evening.At(s, foldtest.Clock("20 19:00")), 0)), ""},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.name, c.got, c.want)
		}
	}
	if e := s.Event("late"); e == nil || e.Date != "2026-11-20" {
		t.Errorf("late is %+v", e)
	}
	if e := s.Event("test"); e != nil {
		t.Error("a test event is listed")
	}
}

// A performance that begins after midnight is of the next day, and is shown with this evening's from its doors on.
func TestDoorsBeforeMidnight(t *testing.T) {
	records := foldtest.Together(
		[]record.Record{foldtest.Tonight("late", "Club", "20 23:00", "21 00:30", "21 02:30"), foldtest.Tonight("play", "Hall", "20 19:00", "20 20:00", "20 22:00"),
			foldtest.Tonight("wrong", "Foyer", "20 12:00", "21 20:00", "21 22:00")},
		foldtest.Come(200, "n", "late", "A", "20 23:10", 10))
	for _, c := range []struct{ now, shows, inside string }{
		{"20 22:59", "play", "0"}, {"20 23:00", "play late", "estimated 200 no_exits"}, {"20 23:45", "play late", "estimated 200 no_exits"}, {"20 23:59", "play late", "estimated 200 no_exits"},
		{"21 00:00", "late wrong", "estimated 200 no_exits"},
	} {
		v := foldtest.At(c.now, records...)
		var ids []string
		for _, s := range v.Shows {
			ids = append(ids, s.Event.ID)
		}
		if got := strings.Join(ids, " "); got != c.shows || foldtest.Say(v.House.Inside) != c.inside {
			t.Errorf("at %s: shows %q with %s inside, want %q with %s", c.now, got, foldtest.Say(v.House.Inside), c.shows, c.inside)
		}
	}
}
