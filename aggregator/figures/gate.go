package figures

import (
	"slices"
	"strings"
	"time"
)

// Gate is a gate of a performance at a moment.
type Gate struct {
	Name  string
	show  *Show
	came  *GateFigures // nil where nobody came through it
	queue *Queue       // nil where none is forecast
}

// GatesNow are the gates of a performance, by name: those through which people came, and those of past
// evenings that are forecast.
func (s *Show) GatesNow() (all []Gate) {
	for i := range s.Gates {
		all = append(all, Gate{Name: s.Gates[i].Gate, show: s, came: &s.Gates[i]})
	}
	for i := range s.Queues {
		q := &s.Queues[i]
		if at := slices.IndexFunc(all, func(g Gate) bool { return g.Name == q.Gate }); at >= 0 {
			all[at].queue = q
		} else {
			all = append(all, Gate{Name: q.Gate, show: s, queue: q})
		}
	}
	slices.SortFunc(all, func(a, b Gate) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Queue is what is forecast at the gate; false where nothing is.
func (g *Gate) Queue() (q Queue, ok bool) {
	if g.queue == nil {
		return q, false
	}
	return *g.queue, true
}

// PerMinute is how many a minute came in through the gate in a window that ends before the minute of the
// figures.
func (g *Gate) PerMinute(window time.Duration) Figure[float64] {
	none := g.came
	if none == nil {
		none = new(GateFigures)
	}
	return perMinute(g.show.EntriesIn(none, window), window)
}

// PerMinute is that of all gates.
func (s *Show) PerMinute(window time.Duration) Figure[float64] {
	return perMinute(s.EntriesIn(nil, window), window)
}

func perMinute(entries Figure[int], window time.Duration) Figure[float64] {
	return figure(float64(entries.Value)/window.Minutes(), entries.caveat())
}

// queued is what is forecast at the gate; of both its figures nothing is known where nothing is.
func (g *Gate) queued() Queue {
	if g.queue == nil {
		return Queue{Coming: unknown[int](ReasonNoHistory), Waiting: unknown[int](ReasonNoHistory)}
	}
	return *g.queue
}

// outside is the verdict's, Unknown where there is none.
func (s *Show) outside() Figure[int] {
	if s.Verdict.Call == NoCall {
		return unknown[int]()
	}
	return s.Verdict.Outside
}

// perMinuteIn is the row of the catalogue of what comes in a minute.
func perMinuteIn(k Key, window time.Duration) Definition {
	return Definition{Key: k, Unit: PerMinute, window: window, From: fromScans,
		ofShow: func(s *Show) Value { return shareOf(s.PerMinute(window)) }, ofGate: func(g *Gate) Value { return shareOf(g.PerMinute(window)) }}
}
