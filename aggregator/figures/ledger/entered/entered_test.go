package entered_test

import (
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// A message is on its screens until its time or until it is withdrawn, in whatever order its versions
// come; a snapshot that was published before does not change.
func TestMessages(t *testing.T) {
	says := func(id, at, until string, change func(*record.ScreenMessage)) *record.ScreenMessage {
		m := &record.ScreenMessage{ID: id, Text: id, At: foldtest.Clock(at), Until: foldtest.Clock(until), By: "Mia"}
		change(m)
		return m
	}
	all := func(*record.ScreenMessage) {}
	versions := []record.Version{
		{Revision: 1, Head: true, Record: says("calm", "18:00", "21:00", all)},
		{Revision: 2, Head: true, Record: says("foyer", "18:10", "21:00", func(m *record.ScreenMessage) { m.Screens = []string{"foyer"} })},
		{Revision: 3, Head: true, Record: says("urgent", "17:00", "19:00", func(m *record.ScreenMessage) { m.Urgent = true })},
		{Revision: 4, Record: says("gone", "18:20", "21:00", all)},
		{Revision: 5, Head: true, Record: says("gone", "18:21", "21:00", func(m *record.ScreenMessage) { m.Withdrawn = true })},
	}
	fold := func(order ...int) *ledger.Ledger {
		l := ledger.New(figures.Calendar{})
		for _, i := range order {
			l.Apply(versions[i])
		}
		return l
	}
	l := fold(4, 3, 2, 1, 0)
	s := l.Snapshot(figures.Position{}, foldtest.Complete)
	is := func(s *figures.Snapshot, screen, now, want string) {
		t.Helper()
		var got []string
		for _, m := range s.Messages(screen, foldtest.Clock(now)) {
			got = append(got, m.ID)
		}
		if g := strings.Join(got, " "); g != want {
			t.Errorf("%q at %s says %q, want %q", screen, now, g, want)
		}
	}
	is(s, "", "18:59", "urgent foyer calm")
	is(s, "foyer", "18:59", "urgent foyer calm")
	is(s, "bar", "18:59", "urgent calm")
	is(s, "bar", "19:00", "calm")
	is(s.InHalls(nil), "foyer", "20:59", "foyer calm")
	is(s, "foyer", "21:00", "")
	is(fold(0, 1, 2, 3, 4).Snapshot(figures.Position{}, foldtest.Complete), "", "18:59", "urgent foyer calm")
	later := says("calm", "18:30", "22:00", all)
	l.Changes()
	l.Apply(record.Version{Revision: 6, Head: true, Record: later})
	if c := l.Changes(); !c.All {
		t.Errorf("nobody is woken: %+v", c)
	}
	is(l.Snapshot(figures.Position{}, foldtest.Complete), "", "21:30", "calm")
	is(s, "", "21:30", "")
	if got := s.Messages("", foldtest.Clock("20:30").Add(time.Second)); got[0].By != "Mia" {
		t.Errorf("by %q", got[0].By)
	}
}
