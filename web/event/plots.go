package event

import (
	"fmt"
	"slices"
	"time"

	"github.com/go-echarts/go-echarts/v2/opts"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/web"
	"housecount/web/charts"
	"housecount/web/words"
)

const (
	plotDays  = 400 // the longest that the sales chart reaches back
	aheadDays = 200 // and ahead
	tableDays = 60  // the longest that its table reaches back
)

// eventPlots has the words and the tables of the charts of a performance.
type eventPlots struct {
	Sales       web.Caption
	SalesRows   web.Table
	Arrivals    web.Caption
	ArrivalRows web.Table
	Arrived     web.Caption
}

// salesDay is one day of sale; the list has every day, including those without sales.
type salesDay struct {
	day     figures.Day
	sold    int
	booked  figures.Sums
	sum     int // sold up to and including the day
	sums    figures.Sums
	running bool // the day of now
	future  bool
}

// salesDays returns all days from the first sale to the performance, or to today if that is later, and the
// sales dated after now. Since the time of a sale may be far off, there are at most plotDays, ending today
// or, for a performance to come, up to aheadDays later.
func (b builder) salesDays(s *evening.Show) (days []salesDay, ahead figures.Flow) {
	rest, ahead := b.Evening.SaleDays(s.EventFigures)
	if len(rest) == 0 {
		return nil, ahead
	}
	last := max(rest[len(rest)-1].Day, min(s.Date, b.Today.Add(aheadDays)))
	first := min(max(rest[0].Day, last.Add(1-plotDays)), last)
	var sum salesDay
	add := func() {
		sum.sold, sum.booked = rest[0].Sold, rest[0].Of(figures.Booked)
		sum.sum += sum.sold
		sum.sums = sum.sums.PlusAll(sum.booked, 1)
		rest = rest[1:]
	}
	for len(rest) > 0 && rest[0].Day < first {
		add()
	}
	for d := first; d <= last; d = d.Add(1) {
		sum.day, sum.sold, sum.booked, sum.running, sum.future = d, 0, nil, d == b.Today, d > b.Today
		if len(rest) > 0 && rest[0].Day == d {
			add()
		}
		days = append(days, sum)
	}
	return days, ahead
}

// salesPlot returns the sales curve and its words: the running total of places sold, by day of sale.
func (b builder) salesPlot(e *evening.Show, pace *evening.Pace, p *eventPage) charts.Plot {
	days, ahead := b.salesDays(e)
	p.Sales = web.Caption{ID: "sales", Title: b.Text("plot.sales"), Chart: "chart-sales", Empty: len(days) == 0}
	p.SalesRows = web.Table{ID: "sales-rows", Caption: b.Text("plot.sales_rows"), Columns: []string{b.Text("column.day_of_sale"), b.Text("column.sold"), b.Text("column.in_all")}}
	if len(days) == 0 {
		p.Sales.Text = b.Say("plot.nothing_sold")
		if !e.Sold.Known() {
			p.Sales.Text = b.Say("plot.sold_unknown", words.Text("why", b.Number(e.Sold).Why))
		}
		known, _ := b.Source.(past)
		if taken, ok := b.takenPlot(e, known.minutes, &p.eventPlots); ok {
			return taken
		}
		return charts.Plot{Label: p.Sales.Text.String()}
	}
	if b.Access.SeesMoney() {
		p.SalesRows.Columns = append(p.SalesRows.Columns, b.Text("column.booked"))
	}
	c := b.salesCurve(e, days)
	p.Sales.Text = b.salesText(e, &c)
	p.Sales.Label = p.Sales.Text.String()
	usual := ""
	if len(pace.Points) > 0 {
		usual = b.Text("arrived.usual_now", words.Int("n", pace.Usual.Value))
	}
	sold, open := b.soldLines(e, &c, usual)
	sold.Notes(p.Notes.marks(days[0].day, c.drawn))
	out := charts.Plot{Label: p.Sales.Label, Axis: b.Text("plot.sales_axis"), Zone: b.DayZone(), X: c.names,
		Series: append(b.paceSeries(pace, e, days[0].day, c.drawn), sold, open)}
	if len(c.limit) > 0 {
		out.Series = append(out.Series, b.capacityLine(e, &c))
	}
	p.SalesRows.Rows = b.salesRows(e, days, ahead)
	return out
}

// salesCurve is the running total of places sold, by day of sale.
type salesCurve struct {
	names                  []string       // of the days that are drawn
	closed, running, limit []charts.Point // until yesterday, today, and the capacity
	first                  salesDay
	best, most, today      salesDay // the day of most sales, that of the highest total, and today
	drawn                  int      // how many days are drawn: those up to the performance; what comes after it is in the table
}

// salesCurve returns the curve of days, of which there is one at least.
func (b builder) salesCurve(e *evening.Show, days []salesDay) salesCurve {
	c := salesCurve{first: days[0], drawn: len(days)}
	for e.Date != "" && c.drawn > 1 && days[c.drawn-1].day > e.Date {
		c.drawn--
	}
	for i, d := range days {
		if d.running {
			c.today = d
		}
		if d.sold > c.best.sold && !d.future {
			c.best = d
		}
		if d.sum > c.most.sum && !d.future {
			c.most = d
		}
		if i >= c.drawn {
			continue
		}
		c.names = append(c.names, b.DayShortOf(d.day))
		at := charts.Point{Value: [3]any{i, d.sum, b.Count(d.sum) + " (" + b.Signed(d.sold) + ")"}}
		switch {
		case d.running:
			if i > 0 {
				c.running = append(c.running, c.closed[len(c.closed)-1])
			}
			c.running = append(c.running, at)
		case !d.future:
			c.closed = append(c.closed, at)
		}
		if e.Capacity.Known() {
			c.limit = append(c.limit, charts.Point{Value: [3]any{i, e.Capacity.Value, b.Count(e.Capacity.Value)}})
		}
	}
	return c
}

// soldLines returns the line of the days until yesterday, and that of today. The last point of the two has the number that is sold
// and, under it, the usual one.
func (b builder) soldLines(e *evening.Show, c *salesCurve, usual string) (sold, open charts.Series) {
	sold = charts.Line("sold", b.Text("plot.series_sold"), "@house", c.closed)
	sold.AreaStyle = &opts.AreaStyle{Color: "@house", Opacity: opts.Float(.1)}
	upTo := "plot.series_today"
	if e.Sale == evening.SaleOver {
		upTo = "plot.series_sold"
	}
	open = charts.Line("open", b.Text(upTo), "@house", c.running)
	open.LineStyle.Type = "dashed"
	open.PointAlone()
	open.AreaStyle = &opts.AreaStyle{Color: "@house", Opacity: opts.Float(.05)}
	last := &open
	if len(c.running) == 0 {
		sold.PointAlone()
		last = &sold
	}
	if n := len(last.Data); n > 0 && e.Sold.Known() {
		i, _ := last.Data[n-1].Value[0].(int)
		last.EndsAt(b.Text("plot.n_sold", words.Int("n", last.Data[n-1].Value[1].(int))), usual, "@house", 3*i > c.drawn)
	}
	return sold, open
}

// capacityLine returns the line of the capacity, with its number on the side on which the curve is far below it.
func (b builder) capacityLine(e *evening.Show, c *salesCurve) charts.Series {
	capacity := charts.Line("capacity", b.Text("plot.series_capacity"), "@soft", c.limit)
	capacity.LineStyle.Width, capacity.LineStyle.Type = 1, "dashed"
	capacity.EndLabel = &charts.EndLabel{Show: true, Formatter: b.Text("plot.capacity", words.Plain("n", b.Number(e.Capacity))),
		Color: "@soft", Align: "right", VerticalAlign: "bottom", Offset: []int{-6, -5}}
	if first := c.first.sum; 4*e.Sold.Value > 3*e.Capacity.Value && 4*first < 3*e.Capacity.Value {
		slices.Reverse(c.limit)
		capacity.EndLabel.Align, capacity.EndLabel.Offset = "left", []int{6, -5}
	}
	return capacity
}

// soldOf returns what was sold in a time less what was cancelled in it: where all that is sold is a lower bound, it is an estimate.
func (b builder) soldOf(e *evening.Show, n int) words.Num {
	return b.PartOf(figures.New(n, e.Sold.Caveat().OfDifference()), n)
}

// salesText describes the curve: the first day, today, and the best day. If all sales were cancelled, it
// gives the highest total, reached on the day most.
func (b builder) salesText(e *evening.Show, c *salesCurve) words.Sentence {
	first, today, best, most := c.first, c.today, c.best, c.most
	sold, day := words.Plain("n", b.Number(e.Sold)), words.Text("day", b.DayOf(first.day))
	all := []words.Sentence{b.Say("plot.sold_since", sold, day)}
	if e.Sold.Known() && e.Sold.Value == 0 && most.sum > 0 {
		return b.End(b.Say("plot.sold_and_cancelled", words.Plain("n", b.PartOf(e.Sold, most.sum)), words.Text("day", b.DayOf(most.day))))
	}
	if earlier := first.sum - first.sold; earlier != 0 {
		all[0] = b.Say("plot.sold_before", sold, words.Plain("earlier", b.PartOf(e.Sold, earlier)), day)
	}
	switch n := words.Plain("n", b.soldOf(e, today.sold)); {
	case !today.running:
	case e.Sale == evening.SaleOver: // today is complete; days with sales are listed below
		if today.sold != 0 {
			all = append(all, b.Say("plot.today_all", n))
		}
	case best.running && first.day < best.day:
		all = append(all, b.Say("plot.today_best", n))
	default:
		all = append(all, b.Say("plot.today", n))
	}
	if best.sold > 0 && (!best.running || e.Sale == evening.SaleOver) {
		all = append(all, b.Say("plot.best", words.Text("day", b.DayOf(best.day)), words.Plain("n", b.soldOf(e, best.sold))))
	}
	return b.End(words.Join("; ", all...))
}

// salesRows returns the table of the curve, newest first, with sums of the sales dated after and before its
// days, and of those of no known day.
func (b builder) salesRows(e *evening.Show, days []salesDay, ahead figures.Flow) []web.TableRow {
	row := func(name string, sold, sum int, booked figures.Sums) web.TableRow {
		r := web.TableRow{Name: name, Cells: web.Plains(b.Count(sold), b.Count(sum))}
		if b.Access.SeesMoney() {
			r.Cells = append(r.Cells, web.Plain(b.Amounts(e.EventFigures, booked)))
		}
		return r
	}
	var rows []web.TableRow
	if booked := ahead.Of(figures.Booked); ahead.Sold != 0 || len(booked) > 0 {
		rows = append(rows, row(b.Text("plot.ahead"), ahead.Sold, days[len(days)-1].sum+ahead.Sold, booked))
	}
	var undated []web.TableRow
	if sold, booked := b.Evening.Undated(e); sold != 0 || len(booked) > 0 {
		undated = append(undated, row(b.Text("plot.undated"), sold, sold, booked))
	}
	shown := 0
	for i := len(days) - 1; i >= 0; i-- {
		d := days[i]
		if d.future || d.sold == 0 && len(d.booked) == 0 && !d.running {
			continue
		}
		if shown == tableDays {
			return slices.Concat(rows, []web.TableRow{row(b.Text("plot.before"), d.sum, d.sum, d.sums)}, undated)
		}
		shown++
		name := b.DayShortOf(d.day)
		if d.running && e.Sale != evening.SaleOver {
			name = b.Text("date.so_far", words.Text("day", name))
		}
		rows = append(rows, row(name, d.sold, d.sum, d.booked))
	}
	first := days[0]
	if sold, booked := first.sum-first.sold, first.sums.PlusAll(first.booked, -1); sold != 0 || len(booked) > 0 {
		rows = append(rows, row(b.Text("plot.before"), sold, sold, booked))
	}
	return append(rows, undated...)
}

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

// window returns the first and the last minute of the arrivals chart; ok is false without entries. Since
// the time of a scan may be far off, the window stays within early minutes before the doors and late
// minutes after curtain.
func (b builder) window(e *figures.EventFigures) (from, to int64, ok bool) {
	const early, late = 6 * 60, 12 * 60
	if evening.Untimed(e) {
		return b.dayWindow(e)
	}
	h := e.Hours()
	doors, curtain := h.Doors.Unix()/60, h.Curtain.Unix()/60
	curtain = min(max(curtain, doors), doors+late)
	from, to = doors-15, curtain+30
	for _, g := range e.Gates {
		for _, m := range g.Minutes {
			if ok = true; m.Minute >= doors-early && m.Minute <= curtain+late {
				from, to = min(from, m.Minute), max(to, m.Minute)
			}
		}
	}
	return from, to, ok
}

// dayWindow is window for a performance without a time: from the first to the last entry on its day, or on that of the last
// entry before now if it has none or nobody came on it; to the minute of the figures if that is today.
func (b builder) dayWindow(e *figures.EventFigures) (from, to int64, ok bool) {
	entries := func(day figures.Day) (first, last int64) {
		start, end := b.Calendar.Start(day).Unix()/60, b.Calendar.Start(day.Add(1)).Unix()/60
		first = end
		for _, g := range e.Gates {
			for _, m := range g.Minutes {
				if ok = true; m.Minute <= b.Now.Unix()/60 && (day == "" || m.Minute >= start && m.Minute < end) {
					first, last = min(first, m.Minute), max(last, m.Minute)
				}
			}
		}
		return first, last
	}
	_, last := entries("")
	if last == 0 { // nobody up to now
		return 0, 0, false
	}
	day := e.Date
	if from, to = entries(day); day == "" || to == 0 {
		day = b.Calendar.Day(time.Unix(last*60, 0))
		from, to = entries(day)
	}
	if day == b.Today {
		to = max(to, b.At.Unix()/60-1)
	}
	return from, to, ok
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
