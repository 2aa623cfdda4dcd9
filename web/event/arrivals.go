package event

import (
	"fmt"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/web"
	"housecount/web/charts"
	"housecount/web/words"
)

// plotGates is how many gates have a colour of their own; the others are summed.
const plotGates = 5

var gateOpacity = [plotGates + 1]float64{1, .72, .5, .34, .22, .12}

// arrivalsPlot draws entries by minute and gate, from before the doors to after curtain or the last entry.
func (b builder) arrivalsPlot(e *evening.Show, p *eventPlots) charts.Plot {
	p.Arrivals = web.Caption{ID: "arrivals", Chart: "chart-arrivals", Empty: true}
	p.ArrivalRows = web.Table{ID: "arrivals-rows", Caption: b.Text("plot.arrivals_rows")}
	from, to, ok := b.window(e.EventFigures)
	if !ok {
		return charts.Plot{Label: b.Text("plot.nobody")}
	}
	p.Arrivals.Title, p.Arrivals.Empty = b.Text("plot.arrivals"), false
	gates := gatesOf(e.EventFigures)
	n := int(to-from) + 1
	out := charts.Plot{Axis: b.Text("plot.arrivals_axis"), Zone: b.Zone.String(), Bars: true, Every: 15}
	for i := range n {
		out.X = append(out.X, b.Clock(time.Unix((from+int64(i))*60, 0), b.Zone))
	}
	sums, busiest, most := make([]int, n), 0, 0
	p.ArrivalRows.Columns = []string{b.Text("column.from_time")}
	for g, gate := range gates {
		s := charts.NewSeries("bar", fmt.Sprint("gate-", g), words.Clip(b.gateLabel(gate), 30), nil)
		s.Stack = "gates"
		s.BarCategoryGap = "15%"
		s.ItemStyle = &charts.Style{Color: "@in", Opacity: gateOpacity[g]}
		for _, m := range gate.Minutes {
			if i := int(m.Minute - from); i >= 0 && i < n && m.Count > 0 {
				s.Data = append(s.Data, charts.Point{Value: [3]any{i, m.Count, b.Count(m.Count)}})
				if sums[i] += m.Count; sums[i] > most {
					busiest, most = i, sums[i]
				}
			}
		}
		out.Series = append(out.Series, s)
		p.Arrivals.Key = append(p.Arrivals.Key, charts.Keyed{Class: fmt.Sprint("gate gate-", g), Text: b.gateKey(gate)})
		p.ArrivalRows.Columns = append(p.ArrivalRows.Columns, b.gateLabel(gate))
	}
	if curtain := e.Event.StartsAt.Unix()/60 - from; len(out.Series) > 0 && curtain >= 0 && curtain < int64(n) {
		out.Series[0].MarkLine = charts.MarkAt(int(curtain), b.Text("plot.curtain"))
	}
	p.Arrivals.Text = b.arrivalsText(e, out.X[busiest], most)
	p.Arrivals.Label, out.Label = p.Arrivals.Text.String(), p.Arrivals.Text.String()
	row := func(name string, holds func(minute int64) bool) {
		r, some := web.TableRow{Name: name}, false
		for _, gate := range gates {
			k := 0
			for _, m := range gate.Minutes {
				if holds(m.Minute) {
					k += m.Count
				}
			}
			some = some || k != 0
			r.Cells = append(r.Cells, web.Plain(b.Count(k)))
		}
		if some {
			p.ArrivalRows.Rows = append(p.ArrivalRows.Rows, r)
		}
	}
	for i := 0; i < n; i += 5 {
		start := from + int64(i)
		row(out.X[i], func(m int64) bool { return m >= start && m < start+5 && m <= to })
	}
	row(b.Text("plot.other_times"), func(m int64) bool { return m < from || m > to })
	return out
}

// arrivalsText returns the entries in words: how many of the expected visitors came, how many entered again,
// the busiest minute with its number of entries, and the rate while the visitors arrive.
func (b builder) arrivalsText(e *evening.Show, busiest string, most int) words.Sentence {
	came, expected := words.Fig("n", b.OfShow(e, figures.KeyArrived)), words.Plain("expected", b.Number(e.Expected))
	all := []words.Sentence{b.Say("plot.came", came, expected)}
	if again := e.EnteredAgain(); again > 0 {
		all[0] = b.Say("plot.came_again", came, expected, words.Int("again", again))
	}
	if most > 0 {
		all = append(all, b.Say("plot.busiest", words.Text("time", busiest), words.Int("n", most)))
	}
	if in := e.EntriesIn(nil, 5*time.Minute); e.Phase == evening.Arriving && in.Known() {
		all = append(all, b.Say("plot.rate", words.Fig("rate", b.OfShow(e, figures.KeyEntries5))))
	}
	return b.End(words.Join("; ", all...))
}

// plotGate is a gate, or the sum of all gates without a colour of their own.
type plotGate struct {
	figures.GateFigures
	combined bool
}

// gateLabel returns the name of a gate in a chart or a table.
func (b builder) gateLabel(g plotGate) string {
	switch {
	case g.combined:
		return b.Text("plot.other_gates")
	case g.Gate == "":
		return b.Text("plot.gate_unnamed")
	}
	return b.Text("plot.gate", words.Name("gate", g.Gate))
}

// gateKey returns the name of a gate and its entries, for the key of the chart.
func (b builder) gateKey(g plotGate) words.Sentence {
	n := words.Int("n", g.Entries)
	switch {
	case g.combined:
		return b.Say("plot.other_gates_key", n)
	case g.Gate == "":
		return b.Say("plot.gate_unnamed_key", n)
	}
	return b.Say("plot.gate_key", words.Name("gate", g.Gate), n)
}

// gatesOf returns the gates with entries; those after the fifth are summed as one.
func gatesOf(e *figures.EventFigures) []plotGate {
	var gates []plotGate
	for _, g := range e.Gates {
		if len(g.Minutes) == 0 {
			continue
		}
		if len(gates) <= plotGates {
			gates = append(gates, plotGate{GateFigures: g})
			continue
		}
		rest := &gates[plotGates]
		rest.combined = true
		rest.Entries += g.Entries
		rest.Minutes = merge(rest.Minutes, g.Minutes)
	}
	return gates
}

// merge adds two lists of counts by minute and changes neither.
func merge(a, b []figures.MinuteCount) []figures.MinuteCount {
	out := make([]figures.MinuteCount, 0, len(a)+len(b))
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].Minute < b[0].Minute:
			out, a = append(out, a[0]), a[1:]
		case len(a) == 0 || b[0].Minute < a[0].Minute:
			out, b = append(out, b[0]), b[1:]
		default:
			out = append(out, figures.MinuteCount{Minute: a[0].Minute, Count: a[0].Count + b[0].Count})
			a, b = a[1:], b[1:]
		}
	}
	return out
}
