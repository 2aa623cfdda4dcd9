package event

import (
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/web"
	"housecount/web/words"
)

// gates shows the gates of a performance while its doors are open: their entries and the forecast. It has
// no rows if nobody scans.
type gates struct {
	Text     words.Sentence
	Rows     []gateRow
	Forecast bool // there is one
}

type gateRow struct {
	Name               string
	One, Five, Fifteen words.Num // people a minute
	Coming             words.Num
	Waiting            words.Num
	Bands              [2]string // of both; empty if nothing is forecast
}

// gatesPart returns the gates of a performance.
func (b builder) gatesPart(s *evening.Show) (p gates) {
	if !s.Phase.Open() || !s.Attendance.Known() {
		return p
	}
	for _, g := range s.GatesNow() {
		r := gateRow{Name: b.Text("plot.gate", words.Name("gate", g.Name)), One: b.ofGate(s, &g, figures.KeyEntries1), Five: b.ofGate(s, &g, figures.KeyEntries5),
			Fifteen: b.ofGate(s, &g, figures.KeyEntries15), Coming: web.Plain(words.Dash), Waiting: web.Plain(words.Dash)}
		if g.Name == "" {
			r.Name = b.Text("plot.gate_unnamed")
		}
		if q, ok := g.Queue(); ok {
			p.Forecast = true
			r.Coming, r.Waiting = b.ofGate(s, &g, figures.KeyComing), b.ofGate(s, &g, figures.KeyWaiting)
			for i, f := range [2]struct {
				figures.Figure[int]
				figures.Band
			}{{q.Coming, q.ComingBand}, {q.Waiting, q.WaitingBand}} {
				if f.Known() && f.Low < f.High {
					r.Bands[i] = b.Text("pace.between", words.Int("low", f.Low), words.Int("high", f.High))
				}
			}
		}
		p.Rows = append(p.Rows, r)
	}
	p.Text = b.queueText(s)
	if b.Values.Get("part") == partAll { // elsewhere it is in the explanation
		p.Text = words.Join(" ", b.End(b.Reckoned(s)), p.Text)
	}
	return p
}

// queueText returns the longest queue, or states that no gate shows one; empty without a forecast.
func (b builder) queueText(s *evening.Show) words.Sentence {
	q := s.LongestQueue()
	switch {
	case len(s.Queues) == 0:
		return nil
	case q == nil || q.Waiting.Value < evening.MinQueueShown:
		return b.Say("gates.no_queue", words.Int("told", evening.MinQueueShown))
	}
	gates := s.GatesNow()
	n := b.Number(q.Waiting)
	for i := range gates {
		if gates[i].Name == q.Gate {
			n = b.ofGate(s, &gates[i], figures.KeyWaiting)
		}
	}
	return b.Say("gates.queue", words.Text("gate", b.GateName(q.Gate)), words.Fig("n", n), words.Text("rate", b.Rate(q.Fastest)),
		words.Int("low", q.WaitingBand.Low), words.Int("high", q.WaitingBand.High))
}

// ofGate returns a figure of a gate of a performance.
func (b builder) ofGate(s *evening.Show, g *evening.Gate, k figures.Key) words.Num {
	d := catalogue.Define(k)
	n := b.Figure(d, d.OfGate(g), "", s.EventFigures)
	if g.Name == "" { // a scope has no name for it
		return n
	}
	return b.Explained(k, figures.Scope{Event: s.Event.ID, Gate: g.Name}, n)
}
