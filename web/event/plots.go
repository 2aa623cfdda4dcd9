package event

import (
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
	days = make([]salesDay, 0, max(0, last.Since(first)+1))
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
		p.SalesRows.Columns = append(p.SalesRows.Columns, b.Text("column.booked"), b.Text("column.average_price"))
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
		capacity := b.capacityLine(e, &c)
		if 4*e.Sold.Value > 3*e.Capacity.Value && e.Sold.Value <= e.Capacity.Value { // else the capacity's line crosses the number
			sold.LabelAbove(&capacity)
			open.LabelAbove(&capacity)
		}
		out.Series = append(out.Series, capacity)
	}
	if most, below := b.allowedBelow(e); below {
		out.Series = append(out.Series, b.allowedLine(most, len(c.names), 4*c.first.sum < 3*most)) // at its end stands what is expected
	}
	if b.has("sales-rows") {
		p.SalesRows.Rows = b.salesRows(e, days, ahead)
	}
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
	c.names, c.closed = make([]string, 0, c.drawn), slices.Grow(c.closed, c.drawn)
	capacity := ""
	if e.Capacity.Known() {
		capacity, c.limit = b.Count(e.Capacity.Value), slices.Grow(c.limit, c.drawn)
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
			c.limit = append(c.limit, charts.Point{Value: [3]any{i, e.Capacity.Value, capacity}})
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

// allowedBelow returns how many people are allowed in the hall of a performance where they are fewer than its places.
func (b builder) allowedBelow(e *evening.Show) (most int, below bool) {
	most, set := b.Evening.Allowed(e.EventFigures)
	return most, set && (e.Event.Unlimited || e.Capacity.Known() && most < e.Capacity.Value)
}

// addAllowed adds the line of the people allowed to a chart of people where its highest number comes near them.
func (b builder) addAllowed(e *evening.Show, out *charts.Plot, highest int) {
	if most, below := b.allowedBelow(e); below && 10*highest >= 7*most {
		out.Series = append(out.Series, b.allowedLine(most, len(out.X), true))
	}
}

// allowedLine returns the line of the people allowed in the hall over n categories, with its number below its beginning or its end.
func (b builder) allowedLine(most, n int, begins bool) charts.Series {
	var points []charts.Point
	for i := range n {
		points = append(points, charts.Point{Value: [3]any{i, most, b.Count(most)}})
	}
	allowed := charts.Line("allowed", b.Text("plot.series_allowed"), "@warn", points)
	allowed.LineStyle.Width, allowed.LineStyle.Type = 1, "dashed"
	allowed.EndLabel = &charts.EndLabel{Show: true, Formatter: b.Text("places.allowed", words.Int("n", most)),
		Color: "@warn", Align: "right", VerticalAlign: "top", Offset: []int{-6, 5}}
	if begins {
		slices.Reverse(points)
		allowed.EndLabel.Align, allowed.EndLabel.Offset = "left", []int{6, 5}
	}
	return allowed
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
			r.Cells = append(r.Cells, web.Plain(b.Amounts(e.EventFigures, booked)), web.Plain(words.Dash))
		}
		return r
	}
	first := days[0]
	from, _ := first.day.Number()
	to, _ := days[len(days)-1].day.Number()
	priced := figures.PricedOn([]*figures.EventFigures{e.EventFigures}, web.CurrencyOf(e.EventFigures), from, to)
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
		r := row(name, d.sold, d.sum, d.booked)
		if day, _ := d.day.Number(); b.Access.SeesMoney() {
			r.Cells[len(r.Cells)-1] = web.Plain(b.AveragePrice(priced[day], e.Revenue.Of(figures.Booked).Caveat()))
		}
		rows = append(rows, r)
	}
	if sold, booked := first.sum-first.sold, first.sums.PlusAll(first.booked, -1); sold != 0 || len(booked) > 0 {
		rows = append(rows, row(b.Text("plot.before"), sold, sold, booked))
	}
	return append(rows, undated...)
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
