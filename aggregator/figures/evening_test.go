package figures_test

import (
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

func TestTonightAndNext(t *testing.T) {
	starts := func(at, ends string) func(*record.Event) {
		return func(e *record.Event) { e.StartsAt, e.EndsAt = clock(at), clock(ends) }
	}
	dated := func(day string) func(*record.Event) {
		return func(e *record.Event) { e.StartsAt, e.Date = time.Time{}, day }
	}
	status := func(s record.EventStatus) func(*record.Event) {
		return func(e *record.Event) { e.Status = s }
	}
	s := ledgerOf(figures.Calendar{Cutoff: 6 * time.Hour}, newLog([]record.Record{
		theEvent("late", starts("20 23:00", "21 07:00")),
		theEvent("early", starts("20 19:00", "20 22:00")),
		theEvent("night", starts("21 00:30", "21 05:00")),
		theEvent("off", starts("20 20:00", "21 08:00"), status(record.EventCancelled)),
		theEvent("same b", starts("20 21:00", "")), theEvent("same a", starts("20 21:00", "")),
		theEvent("day", dated("2026-11-20")),
		theEvent("doors", dated("2026-11-20"), func(e *record.Event) { e.DoorsAt = clock("21 02:00") }), // until 07:00
		theEvent("morrow", starts("21 20:00", "")),
		theEvent("morrow off", starts("21 19:00", ""), status(record.EventCancelled)),
		theEvent("week", starts("27 20:00", "")),
		theEvent("some time", dated("")), theEvent("soon", dated("soon")),
		theEvent("test", func(e *record.Event) { e.Test = true }), theEvent("gone", func(e *record.Event) { e.Deleted = true }),
	}...).versions...).Snapshot(figures.Position{}, complete)
	s.AsOf = clock("22 10:00")
	ids := func(shows []*figures.Show) string {
		var ids []string
		for _, s := range shows {
			ids = append(ids, s.Event.ID)
		}
		return strings.Join(ids, ", ")
	}
	for _, c := range []struct{ name, got, want string }{
		{"tonight", ids(s.Evening(clock("20 19:00")).Shows), "day, doors, early, off, same a, same b, late, night"},
		{"before the cut-off", ids(s.Evening(clock("21 05:59")).Shows), "day, doors, early, off, same a, same b, late, night"},
		{"after the cut-off", ids(s.Evening(clock("21 06:00")).Shows), "day, doors, early, off, same a, same b, late, night"},
		{"when all is over", ids(s.Evening(clock("21 07:00")).Shows), "morrow off, morrow"},
		{"next", ids(next(s.Evening(clock("20 19:00")), 9)), "morrow off, morrow, week"},
		{"next one", ids(next(s.Evening(clock("20 19:00")), 1)), "morrow off"},
		{"next none", ids(next(s.Evening(clock("20 19:00")), 0)), ""},
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
