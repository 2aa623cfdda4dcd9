package event

import (
	"fmt"
	"math"
	"strings"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/web"
	"housecount/web/words"
)

// gateCards are the gates of a performance side by side, each with its entries by the minute on one scale.
type gateCards struct {
	Since words.Sentence
	Cards []gateCard
}

type gateCard struct {
	ID, Name string
	Came     words.Sentence
	Rate     words.Num // a minute in the last five; empty once it is over
	Most     words.Sentence
	Minutes  string // a path in a box of 100 by 100
	Mark     string // of the gate to which people can be sent, and of one at which they wait
}

// cardGates is how many gates have a card; the table of arrivals has all.
const cardGates = 6

// gateCards returns the gates through which people came, from the doors on; none before.
func (b builder) gateCards(s *evening.Show) (out gateCards) {
	if !s.Phase.Open() && s.Phase != evening.Over || !s.Attendance.Known() || len(s.Gates) == 0 {
		return out
	}
	first, last := b.cardMinutes(s)
	if last < first {
		return out
	}
	most, quietest, slow := 1, s.QuietestGate(5*time.Minute), s.SlowGate()
	for _, g := range s.Gates {
		for _, m := range g.Minutes {
			if m.Minute >= first && m.Minute <= last {
				most = max(most, m.Count)
			}
		}
	}
	out.Since = b.Say("gates.since", words.Text("time", b.Clock(time.Unix(first*60, 0), b.Zone)))
	for i, g := range s.Gates[:min(len(s.Gates), cardGates)] {
		c := gateCard{ID: web.RowID("gate-card", i), Name: g.Gate, Came: b.gateCame(&g)}
		switch i {
		case slow:
			c.Mark = b.Text("gates.slow")
		case quietest:
			c.Mark = b.Text("screen.quietest")
		}
		if s.Date == "" { // what came on other days is not of this one
			c.Came = b.Say("gates.came", words.Int("n", figures.Total(g.Minutes[figures.IndexOf(g.Minutes, first):figures.IndexOf(g.Minutes, last+1)])))
		}
		if g.Gate == "" {
			c.Name = b.Text("plot.gate_unnamed")
		}
		of := evening.Gate{}
		if s.Phase.Open() {
			for _, now := range s.GatesNow() {
				if now.Name == g.Gate {
					of = now
				}
			}
			c.Rate = b.ofGate(s, &of, figures.KeyEntries5)
		}
		best := 0
		c.Minutes, best = columns(g.Minutes, first, last, most)
		if best > 0 {
			c.Most = b.Say("gates.most", words.Int("n", best))
		}
		if s.Phase == evening.Arriving {
			c.Most = words.Join(" · ", b.Say("gates.last_minute", words.Fig("n", b.ofGate(s, &of, figures.KeyEntries1))), c.Most)
		}
		out.Cards = append(out.Cards, c)
	}
	return out
}

// gateCame returns how many people came in at a gate for the first time, which adds up to all who came, and how often somebody
// came in again.
func (b builder) gateCame(g *figures.GateFigures) words.Sentence {
	came := b.Say("gates.came", words.Int("n", g.Admitted))
	if again := g.Again(); again > 0 {
		came = words.Join(" · ", came, b.Say("gates.again", words.Int("n", again)))
	}
	return came
}

// cardMinutes returns the first and the last minute of the cards: from the doors, or the first entry on the day where they are
// not known or not due, to now or, of a performance that is over, to half an hour after curtain.
func (b builder) cardMinutes(s *evening.Show) (first, last int64) {
	h := s.Hours()
	first, last = h.Doors.Unix()/60, b.At.Unix()/60-1
	if evening.Untimed(s.EventFigures) || s.Phase == evening.Arriving && last < first { // people came before the doors
		from, to, some := b.dayWindow(s.EventFigures)
		if !some {
			return last + 1, last
		}
		return from, to
	}
	if s.Phase != evening.Arriving && !h.Curtain.IsZero() {
		last = min(last, h.Curtain.Unix()/60+30)
	}
	return first, last
}

// columns draws counts by minute as columns of a box of 100 by 100 on a scale of most, and returns the highest.
func columns(minutes []figures.MinuteCount, first, last int64, most int) (path string, best int) {
	var d strings.Builder
	width := 100 / float64(max(20, last-first+1))
	for _, m := range minutes {
		if m.Minute < first || m.Minute > last || m.Count <= 0 {
			continue
		}
		best = max(best, m.Count)
		height := math.Max(3, 100*float64(m.Count)/float64(most))
		fmt.Fprintf(&d, "M%.2f 100v-%.0fh%.2fv%.0fz", float64(m.Minute-first)*width, height, width*.8, height)
	}
	return d.String(), best
}
