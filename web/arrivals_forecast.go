package web

import (
	"fmt"
	"time"

	"github.com/go-echarts/go-echarts/v2/opts"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/web/words"
)

// gates shows the gates of a performance while its doors are open: their entries and the forecast. It has
// no rows if nobody scans.
type gates struct {
	Text     sentence
	Rows     []gateRow
	Forecast bool // there is one
}

type gateRow struct {
	Name               string
	One, Five, Fifteen num // people a minute
	Coming             num
	Waiting            num
	Bands              [2]string // of both; empty if nothing is forecast
}

// gatesPart returns the gates of a performance.
func (b *Builder) gatesPart(s *evening.Show) (p gates) {
	if !s.Phase.Open() || !s.Attendance.Known() {
		return p
	}
	for _, g := range s.GatesNow() {
		r := gateRow{Name: b.Text("plot.gate", words.Name("gate", g.Name)), One: b.ofGate(s, &g, figures.KeyEntries1), Five: b.ofGate(s, &g, figures.KeyEntries5),
			Fifteen: b.ofGate(s, &g, figures.KeyEntries15), Coming: plain(dash), Waiting: plain(dash)}
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
		p.Text = words.Join(" ", b.End(b.reckoned(s)), p.Text)
	}
	return p
}

// queueText returns the longest queue that is forecast, or states that every queue stays short; empty
// without a forecast.
func (b *Builder) queueText(s *evening.Show) sentence {
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
			n = b.ofGate(s, &gates[i], figures.KeyWaiting)
		}
	}
	if q.WaitingBand.Low == q.WaitingBand.High {
		return b.Say("gates.queue_equal", words.Text("gate", b.gateName(q.Gate)), words.Fig("n", n), words.Text("time", b.Clock(q.Peak, b.Zone)), words.Text("rate", b.Rate(q.Fastest)))
	}
	return b.Say("gates.queue", words.Text("gate", b.gateName(q.Gate)), words.Fig("n", n), words.Text("time", b.Clock(q.Peak, b.Zone)),
		words.Text("rate", b.Rate(q.Fastest)), words.Int("low", q.WaitingBand.Low), words.Int("high", q.WaitingBand.High))
}

// queueShort is queueText for a row; empty if no queue is worth showing.
func (b *Builder) queueShort(s *evening.Show) sentence {
	q := s.LongestQueue()
	if q == nil || q.Waiting.Value < evening.MinQueueShown {
		return nil
	}
	return b.Say("gates.queue_short", words.Text("gate", b.gateName(q.Gate)), words.Int("n", q.Waiting.Value), words.Text("time", b.Clock(q.Peak, b.Zone)))
}

func (b *Builder) gateName(gate string) string {
	if gate == "" {
		return b.Text("plot.gate_unnamed")
	}
	return b.Text("plot.gate", words.Name("gate", gate))
}

// reckoned returns what a verdict is computed from; empty if there is no verdict.
func (b *Builder) reckoned(s *evening.Show) sentence {
	v := s.Verdict
	if v.Call == evening.NoCall {
		return nil
	}
	usual := b.Say("outside.nothing_usual")
	if v.Basis != evening.NoBasis {
		usual = b.Say("outside.usual", words.Text("share", b.Percent(v.NoShow)), words.Int("outside", v.Usual), words.Text("basis", b.basis(v.Basis, v.Past)))
	}
	key := "outside.reckoned"
	if s.Phase == evening.Running {
		key = "outside.reckoned_late"
	}
	return b.Say(key, words.Fig("n", b.OfShow(s, figures.KeyOutside)), words.Text("time", b.Clock(figures.Later(b.At, s.Event.StartsAt), b.Zone)),
		words.Plain("expected", b.Number(s.Expected)), words.Plain("came", b.Number(s.Arrived)), words.Part("usual", usual),
		words.Text("rate", b.PerMinute(v.Rate)), words.Int("low", v.Band.Low), words.Int("high", v.Band.High), words.Int("limit", v.Limit), words.Int("hold", evening.HoldUntil))
}

// basis names the n past performances that the usual is taken from.
func (b *Builder) basis(of evening.Basis, n int) string {
	past := words.Int("n", n)
	switch of {
	case evening.OfComparables:
		return b.Text("basis.comparables", past)
	case evening.OfHall:
		return b.Text("basis.hall", past)
	}
	return b.Text("basis.house", past)
}

// forecastFrom returns what a forecast of arrivals is computed from; empty for any other figure.
func (b *Builder) ForecastFrom(x *catalogue.Explanation) sentence {
	if x.Key != figures.KeyOutside && x.Key != figures.KeyComing && x.Key != figures.KeyWaiting {
		return nil
	}
	s := b.Evening.Show(x.Event)
	a := b.Evening.Arrivals(s)
	switch {
	case x.Key == figures.KeyOutside:
		return words.Join(" ", b.End(b.reckoned(s)), b.verdictScore(&a))
	case a.Basis == evening.NoBasis:
		return nil
	}
	from := b.Say("gates.from", words.Text("basis", b.basis(a.Basis, a.Past)))
	for _, q := range s.Queues {
		if q.Gate == x.Scope.Gate && x.Key == figures.KeyWaiting {
			from = words.Join(" ", from, b.Say("gates.fastest", words.Int("n", q.Fastest)))
		}
	}
	return from
}

// verdictScore returns how right the verdict was on past evenings; empty where too few are known.
func (b *Builder) verdictScore(a *evening.Arrivals) (score sentence) {
	if said := a.Said; said.Hold+said.OnTime > 0 {
		score = b.Say("outside.score", words.Int("hold", said.Hold), words.Int("held", said.HoldRight), words.Int("on_time", said.OnTime), words.Int("was", said.OnTimeRight))
	}
	return score
}

// arrivedPlot draws the share of the expected visitors who have come by each minute, against the usual
// share.
func (b *Builder) arrivedPlot(s *evening.Show, p *eventPlots) Plot {
	p.Arrived = Caption{ID: "arrived", Chart: "chart-arrived", Empty: true}
	a := b.Evening.Arrivals(s)
	if len(a.Points) == 0 || s.Phase != evening.Before && !s.Attendance.Known() {
		return Plot{}
	}
	out := Plot{Axis: b.Text("arrived.axis"), Zone: b.Zone.String(), Every: 15}
	var came, usual, low, wide []Point
	curtain, now := -1, evening.ArrivalPoint{Came: -1}
	share := func(f float64) float64 { return float64(int(f*1000+.5)) / 10 }
	for i, d := range a.Points {
		out.X = append(out.X, b.Clock(d.At, b.Zone))
		at := func(height, f float64) Point { return Point{Value: [3]any{i, height, b.Percent(f)}} }
		usual = append(usual, at(share(d.Median), d.Median))
		low, wide = append(low, at(share(d.Low), d.Low)), append(wide, at(share(d.High-d.Low), d.High))
		if d.Came >= 0 {
			came, now = append(came, at(share(d.Came), d.Came)), d
		}
		if d.At.Equal(s.Event.StartsAt.Truncate(time.Minute)) {
			curtain = i
		}
	}
	bare := func(id, name string, data []Point) series {
		l := line(id, name, "@past", data)
		l.LineStyle.Width, l.LineStyle.Opacity, l.Stack = 0, opts.Float(0), "usual"
		return l
	}
	band := bare("usual-high", b.Text("arrived.series_high"), wide)
	band.AreaStyle = &opts.AreaStyle{Color: "@past", Opacity: opts.Float(.22)}
	out.Series = []series{bare("usual-low", b.Text("arrived.series_low"), low), band, line("usual", b.Text("pace.series_usual"), "@past", usual), line("came", b.Text("arrived.series_came"), "@in", came)}
	if curtain >= 0 {
		out.Series[2].MarkLine = markAt(curtain, b.Text("plot.curtain"))
	}
	p.Arrived.Title, p.Arrived.Empty = b.Text("arrived.title"), false
	p.Arrived.Text = b.arrivedText(s, &a, now)
	p.Arrived.Label = fmt.Sprint(p.Arrived.Title, ". ", p.Arrived.Text)
	out.Label = p.Arrived.Label
	return out
}

// arrivedText describes the curve: the share that has come against the usual, the forecast of the last
// arrival, and how accurate such forecasts have been.
func (b *Builder) arrivedText(s *evening.Show, a *evening.Arrivals, now evening.ArrivalPoint) sentence {
	basis := words.Text("basis", b.basis(a.Basis, a.Past))
	all := []sentence{b.Say("arrived.usual", basis)}
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
		all = append(all, b.Say("arrived.last", words.Text("last", b.span(a.LastFrom, a.LastTo))))
	}
	if a.LastError.Known() && s.Phase != evening.Over && b.Values.Get("part") == partAll {
		all = append(all, b.Say("arrived.error", words.Int("minutes", int(a.LastError.Value.Round(time.Minute)/time.Minute)), words.Text("share", b.Percent(a.ComingError.Value))))
	}
	return words.Join(" ", all...)
}
