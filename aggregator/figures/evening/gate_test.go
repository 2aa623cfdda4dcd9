package evening_test

import (
	"fmt"
	"testing"
	"time"

	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// The quietest gate is the one that fewest entered by of late, not of all, while people arrive; of two that are alike none is.
func TestQuietestGate(t *testing.T) {
	show := foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")
	busy, early, slow := foldtest.Come(20, "b", "a", "A", "19:36", 5), foldtest.Come(60, "e", "a", "B", "19:05", 10), foldtest.Come(4, "s", "a", "C", "19:36", 1)
	for name, c := range map[string]struct {
		records []record.Record
		now     string
		want    int
	}{
		"nobody of late":    {foldtest.Together(busy, early, slow), "19:40", 1},
		"fewer":             {foldtest.Together(busy, slow), "19:40", 1},
		"alike":             {foldtest.Together(early, foldtest.Come(60, "x", "a", "C", "19:05", 10)), "19:40", -1},
		"two quiet ones":    {foldtest.Together(busy, early, foldtest.Come(60, "y", "a", "C", "19:06", 10)), "19:40", -1},
		"hardly fewer":      {foldtest.Together(foldtest.Come(10, "b", "a", "A", "19:35", 2), foldtest.Come(8, "s", "a", "C", "19:36", 2)), "19:40", -1},
		"three quarters":    {foldtest.Together(foldtest.Come(10, "b", "a", "A", "19:35", 2), foldtest.Come(6, "s", "a", "C", "19:36", 2)), "19:40", 1},
		"a little more":     {foldtest.Together(foldtest.Come(10, "b", "a", "A", "19:35", 2), foldtest.Come(7, "s", "a", "C", "19:36", 2)), "19:40", -1},
		"one gate":          {busy, "19:40", -1},
		"nobody by any":     {foldtest.Together(busy, slow), "19:55", -1},
		"it has begun":      {foldtest.Together(foldtest.Come(9, "b", "a", "A", "19:57", 3), foldtest.Come(3, "s", "a", "C", "19:57", 1)), "20:01", -1},
		"none of the gates": {nil, "19:40", -1},
	} {
		s := foldtest.ShowOf(t, foldtest.At(c.now, append(c.records, show)...), "a")
		if got := s.QuietestGate(5 * time.Minute); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// A gate is slow by which hardly anybody enters in these three minutes although many were to come to it: not one to which as few come
// as were expected, and none where the others are as slow.
func TestSlowGate(t *testing.T) {
	show := foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")
	busy := foldtest.Come(64, "b", "a", "A", "19:32", 8)
	stopped := foldtest.Together(foldtest.Come(40, "f", "a", "C", "19:32", 8), foldtest.Come(3, "s", "a", "C", "19:37", 1))
	for name, c := range map[string]struct {
		records []record.Record
		due     int
		want    int
	}{
		"slow of late":     {foldtest.Together(busy, stopped), 12, 1},
		"few expected":     {foldtest.Together(busy, stopped), 7, -1},
		"nobody knows":     {foldtest.Together(busy, stopped), 0, -1},
		"not slow":         {foldtest.Together(busy, foldtest.Come(56, "f", "a", "C", "19:32", 7)), 12, -1},
		"no other is fast": {stopped, 12, -1},
	} {
		s := foldtest.ShowOf(t, foldtest.At("19:40", append(c.records, show)...), "a")
		s.Queues = []evening.Queue{{Gate: "A", Due: 20}, {Gate: "C", Due: c.due}}
		if got := s.SlowGate(); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// come returns the records of some people a minute through a gate of a performance, from a time on.
func come(event, gate, from string, perMinute, minutes int) []record.Record {
	return foldtest.Come(perMinute*minutes, event+gate+from, event, gate, from, perMinute)
}

// How many were to come to a gate is of the minutes that are over, and not of those in which many more are to come.
func TestSlowGateBeforeTheRush(t *testing.T) {
	var past []record.Record
	for night := range 5 {
		id, day := fmt.Sprint("past", night), fmt.Sprintf("%02d ", 10+night)
		past = append(past, foldtest.Tonight(id, "Zaal", day+"19:00", day+"20:00", day+"22:00"))
		past = foldtest.Together(past, come(id, "A", day+"19:00", 6, 30), come(id, "C", day+"19:00", 3, 30), come(id, "A", day+"19:30", 30, 15), come(id, "C", day+"19:30", 15, 15))
	}
	a := foldtest.Together(come("a", "A", "19:00", 6, 30), come("a", "A", "19:30", 30, 15))
	for name, c := range map[string]struct {
		now  string
		c    []record.Record
		want int
	}{
		"as ever, and the rush is ahead": {"19:30", come("a", "C", "19:00", 3, 30), -1},
		"as ever, in the rush":           {"19:40", foldtest.Together(come("a", "C", "19:00", 3, 30), come("a", "C", "19:30", 15, 15)), -1},
		"stuck in the rush":              {"19:40", foldtest.Together(come("a", "C", "19:00", 3, 30), come("a", "C", "19:30", 15, 7), come("a", "C", "19:38", 1, 1)), 1},
		"opened late":                    {"19:40", come("a", "C", "19:37", 2, 3), -1},
	} {
		v := foldtest.At(c.now, foldtest.Together(past, a, c.c, foldtest.Many(60, "x", "a", foldtest.Passes()), []record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")})...)
		s := foldtest.ShowOf(t, v, "a")
		if got := s.SlowGate(); got != c.want {
			t.Errorf("%s: %d, want %d: %s", name, got, c.want, describeQueues(s))
		}
	}
}

// Nobody is missed at a gate that was not in use, or within three minutes of the doors, by which the staff may wait.
func TestSlowGateAtTheDoors(t *testing.T) {
	var past []record.Record
	for night := range 5 {
		id, day := fmt.Sprint("doors", night), fmt.Sprintf("%02d ", 10+night)
		past = append(past, foldtest.Tonight(id, "Zaal", day+"19:00", day+"20:00", day+"22:00"))
		past = foldtest.Together(past, come(id, "A", day+"19:00", 20, 15), come(id, "C", day+"19:00", 18, 15))
	}
	early := foldtest.Together(come("a", "C", "19:00", 10, 4), come("a", "C", "19:04", 1, 11))
	for name, c := range map[string]struct {
		doors, now string
		c          []record.Record
		want       int
	}{
		"slow":                {"19:00", "19:08", early, 1},
		"doors a minute ago":  {"19:07", "19:08", early, -1},
		"in use for a minute": {"19:00", "19:05", come("a", "C", "19:04", 1, 11), -1},
	} {
		v := foldtest.At(c.now, foldtest.Together(past, come("a", "A", "19:00", 20, 15), c.c, []record.Record{foldtest.Tonight("a", "Zaal", c.doors, "20:00", "22:00")})...)
		s := foldtest.ShowOf(t, v, "a")
		if got := s.SlowGate(); got != c.want {
			t.Errorf("%s: %d, want %d: %s", name, got, c.want, describeQueues(s))
		}
	}
}

// Nobody is scanned of a performance that half of the time from doors to curtain is past, or that has begun.
func TestNobodyScanned(t *testing.T) {
	show := foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")
	sold := func(event string) []record.Record {
		return foldtest.Many(3, event, event, func(t *record.Ticket) { t.Scans = []record.Scan{} })
	}
	for name, c := range map[string]struct {
		records []record.Record
		now     string
		want    bool
	}{
		"before the doors": {sold("a"), "18:59", false},
		"early":            {sold("a"), "19:29", false},
		"half":             {sold("a"), "19:30", true},
		"running":          {sold("a"), "20:30", true},
		"over":             {sold("a"), "22:30", true},
		"somebody":         {foldtest.Together(sold("a"), foldtest.Come(1, "c", "a", "A", "19:10", 1)), "20:30", false},
		"nothing sold":     {nil, "20:30", false},
	} {
		// Somebody has come to another, so that scans are known.
		records := foldtest.Together(c.records, []record.Record{show, foldtest.Tonight("b", "Foyer", "18:00", "18:30", "19:00")}, foldtest.Come(2, "o", "b", "A", "18:10", 1))
		v := foldtest.At(c.now, records...)
		if got := v.Show(v.Snapshot.Event("a")).NobodyScanned(v.Now); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
