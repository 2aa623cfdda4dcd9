package event

import (
	"fmt"
	"time"

	"github.com/go-echarts/go-echarts/v2/opts"

	"housecount/aggregator/figures"
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
		r := gateRow{Name: b.Text("plot.gate", words.Name("gate", g.Name)), One: b.OfGate(s, &g, figures.KeyEntries1), Five: b.OfGate(s, &g, figures.KeyEntries5),
			Fifteen: b.OfGate(s, &g, figures.KeyEntries15), Coming: web.Plain(words.Dash), Waiting: web.Plain(words.Dash)}
		if g.Name == "" {
			r.Name = b.Text("plot.gate_unnamed")
		}
		if q, ok := g.Queue(); ok {
			p.Forecast = true
			r.Coming, r.Waiting = b.OfGate(s, &g, figures.KeyComing), b.OfGate(s, &g, figures.KeyWaiting)
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

// queueText returns the longest queue that is forecast, or states that every queue stays short; empty
// without a forecast.
func (b builder) queueText(s *evening.Show) words.Sentence {
	q := s.LongestQueue()
	switch {
	case q == nil:
		return nil
	case q.Waiting.Value < evening.MinQueueShown:
		return b.Say("gates.no_queue", words.Int("told", evening.MinQueueShown))
	}
	gates := s.GatesNow()
	n := b.Number(q.Waiting)
	for i := range gates {
		if gates[i].Name == q.Gate {
			n = b.OfGate(s, &gates[i], figures.KeyWaiting)
		}
	}
	if q.WaitingBand.Low == q.WaitingBand.High {
		return b.Say("gates.queue_equal", words.Text("gate", b.GateName(q.Gate)), words.Fig("n", n), words.Text("time", b.Clock(q.Peak, b.Zone)), words.Text("rate", b.Rate(q.Fastest)))
	}
	return b.Say("gates.queue", words.Text("gate", b.GateName(q.Gate)), words.Fig("n", n), words.Text("time", b.Clock(q.Peak, b.Zone)),
		words.Text("rate", b.Rate(q.Fastest)), words.Int("low", q.WaitingBand.Low), words.Int("high", q.WaitingBand.High))
}

// arrivedPlot draws the share of the expected visitors who have come by each minute, against the usual
// share.
func (b builder) arrivedPlot(s *evening.Show, p *eventPlots) web.Plot {
	p.Arrived = web.Caption{ID: "arrived", Chart: "chart-arrived", Empty: true}
	a := b.Evening.Arrivals(s)
	if len(a.Points) == 0 || s.Phase != evening.Before && !s.Attendance.Known() {
		return web.Plot{}
	}
	out := web.Plot{Axis: b.Text("arrived.axis"), Zone: b.Zone.String(), Every: 15}
	var came, usual, low, wide []web.Point
	curtain, now := -1, evening.ArrivalPoint{Came: -1}
	share := func(f float64) float64 { return float64(int(f*1000+.5)) / 10 }
	for i, d := range a.Points {
		out.X = append(out.X, b.Clock(d.At, b.Zone))
		at := func(height, f float64) web.Point { return web.Point{Value: [3]any{i, height, b.Percent(f)}} }
		usual = append(usual, at(share(d.Median), d.Median))
		low, wide = append(low, at(share(d.Low), d.Low)), append(wide, at(share(d.High-d.Low), d.High))
		if d.Came >= 0 {
			came, now = append(came, at(share(d.Came), d.Came)), d
		}
		if d.At.Equal(s.Event.StartsAt.Truncate(time.Minute)) {
			curtain = i
		}
	}
	bare := func(id, name string, data []web.Point) web.Series {
		l := web.Line(id, name, "@past", data)
		l.LineStyle.Width, l.LineStyle.Opacity, l.Stack = 0, opts.Float(0), "usual"
		return l
	}
	band := bare("usual-high", b.Text("arrived.series_high"), wide)
	band.AreaStyle = &opts.AreaStyle{Color: "@past", Opacity: opts.Float(.22)}
	out.Series = []web.Series{bare("usual-low", b.Text("arrived.series_low"), low), band, web.Line("usual", b.Text("pace.series_usual"), "@past", usual), web.Line("came", b.Text("arrived.series_came"), "@in", came)}
	if curtain >= 0 {
		out.Series[2].MarkLine = web.MarkAt(curtain, b.Text("plot.curtain"))
	}
	p.Arrived.Title, p.Arrived.Empty = b.Text("arrived.title"), false
	p.Arrived.Text = b.arrivedText(s, &a, now)
	p.Arrived.Label = fmt.Sprint(p.Arrived.Title, ". ", p.Arrived.Text)
	out.Label = p.Arrived.Label
	return out
}

// arrivedText describes the curve: the share that has come against the usual, the forecast of the last
// arrival, and how accurate such forecasts have been.
func (b builder) arrivedText(s *evening.Show, a *evening.Arrivals, now evening.ArrivalPoint) words.Sentence {
	basis := words.Text("basis", b.BasisOf(a.Basis, a.Past))
	all := []words.Sentence{b.Say("arrived.usual", basis)}
	if s.Phase.Open() && now.Came >= 0 {
		share, usual, low, high := words.Fig("share", b.OfShow(s, figures.KeyArrivedShare)), words.Text("usual", b.Percent(now.Median)), b.Percent(now.Low), b.Percent(now.High)
		all[0] = b.Say("arrived.now", share, usual, words.Text("low", low), words.Text("high", high), basis)
		if low == high {
			all[0] = b.Say("arrived.now_equal", share, usual, basis)
		}
	} else if s.Phase == evening.Over {
		all[0] = b.Say("arrived.over", words.Fig("share", b.OfShow(s, figures.KeyArrivedShare)), basis)
	}
	if !a.LastFrom.IsZero() {
		all = append(all, b.Say("arrived.last", words.Text("last", b.Span(a.LastFrom, a.LastTo))))
	}
	if a.LastError.Known() && s.Phase != evening.Over && b.Values.Get("part") == partAll {
		all = append(all, b.Say("arrived.error", words.Int("minutes", int(a.LastError.Value.Round(time.Minute)/time.Minute)), words.Text("share", b.Percent(a.ComingError.Value))))
	}
	return words.Join(" ", all...)
}
