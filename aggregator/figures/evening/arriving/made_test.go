package arriving

import (
	"fmt"
	"testing"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// nights returns figures of n performances.
func nights(ids ...string) (all []*figures.EventFigures) {
	for _, id := range ids {
		all = append(all, &figures.EventFigures{Event: record.Event{ID: id}, ArrivalMinutes: []figures.MinuteCount{{Minute: 1, Count: 1}}})
	}
	return all
}

// What is usual is computed once for the same figures, and anew when one of them has changed.
func TestUsualIsMadeOnce(t *testing.T) {
	var m Made
	all := nights("a", "b", "c")
	first, none := m.Of(OfHall, all), m.Of(NoBasis, nil)
	if m.Of(OfHall, []*figures.EventFigures{all[0], all[1], all[2]}) != first || m.Of(NoBasis, nil) != none {
		t.Error("it is computed again")
	}
	changed := nights("a", "b", "c")
	for name, other := range map[string]*Usual{
		"another basis": m.Of(OfComparables, all), "fewer nights": m.Of(OfHall, all[:2]), "another night": m.Of(OfHall, []*figures.EventFigures{all[0], all[1], changed[2]}), "none": m.Of(NoBasis, nil),
	} {
		if other == first {
			t.Errorf("%s has the same", name)
		}
	}
}

// What was computed from figures of before is dropped once there is much of it, and the rest stays.
func TestUsualOfBeforeIsDropped(t *testing.T) {
	var m Made
	all := nights("a", "b", "c")
	s := &figures.Snapshot{Events: all}
	m.Drop(s, "2026-11-20")
	stays := m.Of(OfHall, all)
	for range 20 * leastMade {
		m.Of(OfHall, []*figures.EventFigures{all[0], nights("b")[0]})
		m.Drop(s, "2026-11-20")
		if m.n > leastMade {
			t.Fatalf("%d are held", m.n)
		}
	}
	if m.Of(OfHall, all) != stays {
		t.Error("what still holds is dropped")
	}
}

// Past nights never change, and each day others are the last ones: what was made of those of before goes.
func TestUsualOfOtherDaysIsDropped(t *testing.T) {
	var m Made
	var ids []string
	for i := range 400 {
		ids = append(ids, fmt.Sprint("night ", i))
	}
	all := nights(ids...)
	s := &figures.Snapshot{Events: all}
	for day := range len(all) - 9 {
		m.Drop(s, figures.Day("2026-01-01").Add(day))
		for n := range 9 {
			m.Of(OfHall, all[day:day+n+1])
		}
		if m.n > leastMade+2*9 {
			t.Fatalf("on day %d %d are held", day, m.n)
		}
	}
}
