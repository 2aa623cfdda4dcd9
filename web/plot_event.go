package web

import (
	"fmt"
	"time"

	"github.com/go-echarts/go-echarts/v2/opts"

	"housecount/aggregator"
)

// The longest that a chart or a table reaches back.
const (
	plotDays  = 400
	tableDays = 60
)

// salesDay is one day of sale in the order of days, also where nothing was sold.
type salesDay struct {
	day     aggregator.Day
	sold    int
	sum     int // sold up to and including the day
	booked  aggregator.Sums
	running bool // the day of now
	future  bool
}

// salesDays fills the days from the first sale to the performance, or to the last sale
// when that is later.
func (c *scene) salesDays(e *aggregator.EventFigures) []salesDay {
	if len(e.SaleDays) == 0 {
		return nil
	}
	first, last := e.SaleDays[0].Day, max(e.SaleDays[len(e.SaleDays)-1].Day, min(e.Date, c.today.Add(plotDays/2)))
	var days []salesDay
	sum, i := 0, 0
	for d := first; d <= last; d = d.Add(1) {
		s := salesDay{day: d, running: d == c.today, future: d > c.today}
		if i < len(e.SaleDays) && e.SaleDays[i].Day == d {
			s.sold, s.booked = e.SaleDays[i].Sold, e.SaleDays[i].Booked
			i++
		}
		sum += s.sold
		s.sum = sum
		days = append(days, s)
		if len(days) > 10*plotDays || d.Add(1) <= d { // a day that is no date, or from another century
			break
		}
	}
	if len(days) > plotDays {
		days = days[len(days)-plotDays:]
	}
	return days
}

// salesPlot is the sales curve and its words: places sold in all, by day of sale.
func (c *scene) salesPlot(e *aggregator.EventFigures, p *eventPage) plot {
	days := c.salesDays(e)
	p.Sales = caption{ID: "sales", Title: "Sales", Chart: "chart-sales", Empty: len(days) == 0}
	p.SalesRows = table{ID: "sales-rows", Caption: "Places sold by day of sale", Columns: []string{"Day of sale", "Sold", "In all"}}
	if len(days) == 0 {
		p.Sales.Text = say("Nothing has been sold yet.")
		return plot{Label: "Nothing has been sold yet."}
	}
	if c.Role.seesMoney() {
		p.SalesRows.Columns = append(p.SalesRows.Columns, "Booked")
	}
	out := plot{Axis: "places sold, by day of sale, " + c.zone.String()}
	var closed, running, limit []point
	var best, today salesDay
	for i, d := range days {
		out.X = append(out.X, dayShort(d.day, c.today))
		at := point{Value: [3]any{i, d.sum, count(d.sum) + " (" + signed(d.sold) + ")"}}
		switch {
		case d.running:
			today = d
			if i > 0 {
				running = append(running, closed[len(closed)-1])
			}
			running = append(running, at)
		case !d.future:
			closed = append(closed, at)
		}
		if e.Capacity.Known() {
			limit = append(limit, point{Value: [3]any{i, e.Capacity.Value, count(e.Capacity.Value)}})
		}
		if d.sold > best.sold {
			best = d
		}
	}
	p.Sales.Text = say(show(e.Sold, count).Text + " places sold since " + dayWords(days[0].day, c.today))
	if today.running {
		p.Sales.Text = p.Sales.Text.text("; " + count(today.sold) + " today so far")
	}
	switch {
	case best.running:
		p.Sales.Text = p.Sales.Text.text(", more than on any day before")
	case best.sold > 0:
		p.Sales.Text = p.Sales.Text.text("; most on " + dayWords(best.day, c.today) + " (" + count(best.sold) + ")")
	}
	p.Sales.Text = p.Sales.Text.text(".")
	p.Sales.Label, out.Label = p.Sales.Text.String(), p.Sales.Text.String()

	sold := line("sold", "sold", "@house", closed)
	sold.AreaStyle = &opts.AreaStyle{Color: "@house", Opacity: opts.Float(.1)}
	open := line("open", "sold, today so far", "@house", running)
	open.LineStyle.Type = "dashed"
	open.AreaStyle = &opts.AreaStyle{Color: "@house", Opacity: opts.Float(.05)}
	out.Series = []series{sold, open}
	if len(limit) > 0 {
		capacity := line("capacity", "capacity", "@soft", limit)
		capacity.LineStyle.Width, capacity.LineStyle.Type = 1, "dashed"
		capacity.EndLabel = &endLabel{Show: true, Formatter: "capacity " + show(e.Capacity, count).Text,
			Color: "@soft", Align: "right", VerticalAlign: "bottom", Offset: []int{-6, -5}}
		out.Series = append(out.Series, capacity)
	}
	p.SalesRows.Rows = c.salesRows(days)
	return out
}

// salesRows is the table beside the curve, newest first.
func (c *scene) salesRows(days []salesDay) []tableRow {
	var rows []tableRow
	for i := len(days) - 1; i >= 0; i-- {
		d := days[i]
		if d.future || d.sold == 0 && len(d.booked) == 0 && !d.running {
			continue
		}
		if len(rows) == tableDays {
			rest := tableRow{Name: "before that", Cells: []string{count(d.sum), count(d.sum)}}
			if c.Role.seesMoney() {
				var booked aggregator.Sums
				for _, d := range days[:i+1] {
					booked = booked.PlusAll(d.booked, 1)
				}
				rest.Cells = append(rest.Cells, sums(booked))
			}
			return append(rows, rest)
		}
		r := tableRow{Name: dayShort(d.day, c.today), Cells: []string{count(d.sold), count(d.sum)}}
		if d.running {
			r.Name += ", so far"
		}
		if c.Role.seesMoney() {
			r.Cells = append(r.Cells, sums(d.booked))
		}
		rows = append(rows, r)
	}
	return rows
}

// The gates that have a colour of their own; the others are summed.
const plotGates = 5

var gateOpacity = [plotGates + 1]float64{1, .72, .5, .34, .22, .12}

// arrivalsPlot is entries by minute and gate, from before the doors to after curtain.
func (c *scene) arrivalsPlot(e *aggregator.EventFigures, p *eventPage) plot {
	p.Arrivals = caption{ID: "arrivals", Chart: "chart-arrivals", Empty: true}
	p.ArrivalRows = table{ID: "arrivals-rows", Caption: "Entries by gate, in steps of five minutes"}
	from, to, ok := window(e)
	if !ok {
		return plot{Label: "Nobody has come in yet."}
	}
	p.Arrivals.Title, p.Arrivals.Empty = "Arrivals", false
	gates := gatesOf(e)
	n := int(to-from) + 1
	out := plot{Axis: "entries a minute, " + c.zone.String(), Bars: true, Every: 15}
	for i := range n {
		out.X = append(out.X, clock(time.Unix((from+int64(i))*60, 0), c.zone))
	}
	sums, busiest, most := make([]int, n), 0, 0
	p.ArrivalRows.Columns = []string{"From"}
	for g, gate := range gates {
		s := newSeries("bar", fmt.Sprint("gate-", g), clip(bare(gate.label()), 30), nil)
		s.Stack = "gates"
		s.BarCategoryGap = "15%"
		s.ItemStyle = &style{Color: "@in", Opacity: gateOpacity[g]}
		for _, m := range gate.Minutes {
			if i := int(m.Minute - from); i >= 0 && i < n && m.Count > 0 {
				s.Data = append(s.Data, point{Value: [3]any{i, m.Count, count(m.Count)}})
				if sums[i] += m.Count; sums[i] > most {
					busiest, most = i, sums[i]
				}
			}
		}
		out.Series = append(out.Series, s)
		p.Arrivals.Key = append(p.Arrivals.Key, keyed{fmt.Sprint("gate gate-", g), sentence{}.name(gate.label()).text(", " + count(gate.Entries))})
		p.ArrivalRows.Columns = append(p.ArrivalRows.Columns, gate.label())
	}
	if curtain := e.Event.StartsAt.Unix()/60 - from; len(out.Series) > 0 && curtain >= 0 && curtain < int64(n) {
		out.Series[0].MarkLine = markAt(int(curtain), "curtain")
	}
	text := say("").num(show(e.Attendance, count)).text(" of " + show(e.Expected, count).Text + " visitors have come in")
	if most > 0 {
		text = text.text("; busiest at " + out.X[busiest] + " with " + count(most) + " in a minute")
	}
	if f := c.flow(e); f.arriving {
		text = text.text("; " + rate(f.in5) + " a minute in the last five")
	}
	p.Arrivals.Text = text.text(".")
	p.Arrivals.Label, out.Label = p.Arrivals.Text.String(), p.Arrivals.Text.String()
	for i := 0; i < n; i += 5 {
		r := tableRow{Name: out.X[i]}
		some := false
		for g := range gates {
			k := 0
			for _, m := range gates[g].Minutes {
				if j := int(m.Minute - from); j >= i && j < i+5 {
					k += m.Count
				}
			}
			some = some || k != 0
			r.Cells = append(r.Cells, count(k))
		}
		if some {
			p.ArrivalRows.Rows = append(p.ArrivalRows.Rows, r)
		}
	}
	return out
}

// window is the minutes that the arrivals are drawn for; ok is false without entries.
func window(e *aggregator.EventFigures) (from, to int64, ok bool) {
	for _, g := range e.Gates {
		if k := len(g.Minutes); k > 0 {
			if !ok || g.Minutes[0].Minute < from {
				from = g.Minutes[0].Minute
			}
			to, ok = max(to, g.Minutes[k-1].Minute), true
		}
	}
	if opens, _ := doors(e); ok && !opens.IsZero() {
		from, to = opens.Add(-15*time.Minute).Unix()/60, e.Event.StartsAt.Add(30*time.Minute).Unix()/60
	}
	return from, min(to, from+8*60), ok && to >= from
}

// plotGate is a gate, or all that have no colour of their own.
type plotGate struct {
	aggregator.GateFigures
	others bool
}

func (g plotGate) label() string {
	if g.others {
		return "Other gates"
	}
	return "Gate " + gateName(g.Gate)
}

// gatesOf is the gates with entries; those after the fifth are one.
func gatesOf(e *aggregator.EventFigures) []plotGate {
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
		rest.others = true
		rest.Entries += g.Entries
		rest.Minutes = merge(rest.Minutes, g.Minutes)
	}
	return gates
}

// merge adds two counts by minute; it leaves both as they were.
func merge(a, b []aggregator.MinuteCount) []aggregator.MinuteCount {
	out := make([]aggregator.MinuteCount, 0, len(a)+len(b))
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].Minute < b[0].Minute:
			out, a = append(out, a[0]), a[1:]
		case len(a) == 0 || b[0].Minute < a[0].Minute:
			out, b = append(out, b[0]), b[1:]
		default:
			out = append(out, aggregator.MinuteCount{Minute: a[0].Minute, Count: a[0].Count + b[0].Count})
			a, b = a[1:], b[1:]
		}
	}
	return out
}
