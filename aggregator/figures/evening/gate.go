package evening

import (
	"slices"
	"strings"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/arriving"
	"housecount/aggregator/figures/evening/model"
)

// Gate is a gate of a performance at a moment.
type Gate struct {
	Name     string
	show     *Show
	came     *figures.GateFigures // nil if nobody came through it
	Forecast *Queue               // nil without a forecast
}

// GatesNow returns the gates of a performance by name: those through which people came, and those for which a queue is forecast.
func (s *Show) GatesNow() (all []Gate) {
	for i := range s.Gates {
		all = append(all, Gate{Name: s.Gates[i].Gate, show: s, came: &s.Gates[i]})
	}
	for i := range s.Queues {
		q := &s.Queues[i]
		if at := slices.IndexFunc(all, func(g Gate) bool { return g.Name == q.Gate }); at >= 0 {
			all[at].Forecast = q
		} else {
			all = append(all, Gate{Name: q.Gate, show: s, Forecast: q})
		}
	}
	slices.SortFunc(all, func(a, b Gate) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Queue returns the forecast for the gate; ok is false if there is none.
func (g *Gate) Queue() (q Queue, ok bool) {
	if g.Forecast == nil {
		return q, false
	}
	return *g.Forecast, true
}

// PerMinute returns the entries per minute through the gate in a window before the minute of the figures.
func (g *Gate) PerMinute(window time.Duration) figures.Figure[float64] {
	none := g.came
	if none == nil {
		none = new(figures.GateFigures)
	}
	return perMinute(g.show.EntriesIn(none, window), window)
}

// PerMinute returns the entries per minute through all gates.
func (s *Show) PerMinute(window time.Duration) figures.Figure[float64] {
	return perMinute(s.EntriesIn(nil, window), window)
}

func perMinute(entries figures.Figure[int], window time.Duration) figures.Figure[float64] {
	return figures.New(float64(entries.Value)/window.Minutes(), entries.Caveat())
}

// QuietestGate returns the index in Gates of the one that fewest people entered by in a window before the minute of the figures, while
// people arrive, if it is far quieter than the mean: to it people can be sent. Else it is -1, also where another is as quiet.
func (s *Show) QuietestGate(window time.Duration) int {
	quietest, least, all, alike := -1, 0, 0, false
	for i := range s.Gates {
		n := s.EntriesIn(&s.Gates[i], window).Value
		if all, alike = all+n, n == least || alike && n > least; quietest < 0 || n < least {
			quietest, least, alike = i, n, false
		}
	}
	if s.Phase != Arriving || alike || all == 0 || float64(least*len(s.Gates)) > farQuieter*float64(all) {
		return -1
	}
	return quietest
}

// SlowGate returns the index in Gates of the one by which far fewer enter in the last three minutes than by the others, and at most a
// third of those who were to come to it then; else -1. Five minutes hide that a gate has become slow.
func (s *Show) SlowGate() int {
	i := s.QuietestGate(slowWindow)
	if i < 0 {
		return -1
	}
	for _, q := range s.Queues {
		if q.Gate == s.Gates[i].Gate && q.Due >= slowDue && 3*s.EntriesIn(&s.Gates[i], slowWindow).Value <= q.Due {
			return i
		}
	}
	return -1
}

const (
	slowWindow = 3 * time.Minute
	// slowDue is the least number of people who were to come to a gate in slowWindow of which a third are few, and not by chance:
	// people come in twos.
	slowDue = 8
)

// due returns how many of the visitors were to come in slowWindow to the gate that may be slow, which takes a share of them, as was to be
// expected before they came: what is to come next is many more while the rush begins. It is 0 for the others, and as long as the doors
// are not open, or the gate is not in use, for longer than that.
func (s *Show) due(u *heldUsual, gate string, share float64) int {
	i, from := s.QuietestGate(slowWindow), s.at.Add(-slowWindow)
	if i < 0 || s.Gates[i].Gate != gate || from.Before(s.Hours().Doors) || figures.CountBefore(s.Gates[i].Minutes, from) == 0 {
		return 0
	}
	tau := s.ahead.From - int(slowWindow/time.Minute)
	if tau < -figures.UsualFrom {
		return 0
	}
	key := arriving.GateKey{Until: s.ahead.From + figures.UsualFrom, Share: share, Passed: -1}
	return u.judged.AheadAt(u.Usual, s.EventFigures, tau).Gate(key, gateBand).Median
}

// gateBand is what an arriving.Ahead holds of how many come to a gate.
func gateBand(c model.Count) arriving.GateAhead { return arriving.GateAhead{Band: c.Band(), Sure: 1} }

// farQuieter is the most of the mean of all gates that enters by one that is far quieter.
const farQuieter = .75

// NobodyScanned reports whether nobody has been scanned of a performance to which people must have come: it has begun, or half of
// the time from doors to curtain is past. They are scanned at another door, or not at all.
func (s *Show) NobodyScanned(now time.Time) bool {
	if !s.Attendance.Known() || s.Attendance.Value > 0 || s.Expected.Value == 0 {
		return false
	}
	switch h := s.Hours(); s.Phase {
	case Arriving: // somebody has come to one whose hours are not known
		return !now.Before(h.Doors.Add(h.Curtain.Sub(h.Doors) / 2))
	case Running, Over:
		return true
	}
	return false
}
