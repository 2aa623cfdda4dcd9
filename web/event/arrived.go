package event

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/go-echarts/go-echarts/v2/opts"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/web"
	"housecount/web/charts"
	"housecount/web/words"
)

// arrivedPlot draws on one axis of time how many have come by each minute and how many come in it, both against what is
// usual and as far as it is forecast; the rush is a tint over both.
func (b builder) arrivedPlot(s *evening.Show, p *eventPlots) charts.Plot {
	p.Arrived = web.Caption{ID: "arrived", Chart: "chart-arrived", Empty: true}
	a := b.Evening.Arrivals(s)
	if evening.Untimed(s.EventFigures) && s.Phase != evening.Before && s.Phase.GoesAhead() && s.Attendance.Known() {
		return b.untimedPlot(s, p)
	}
	if len(a.Points) < 2 || !s.Expected.Known() || s.Phase != evening.Before && !s.Attendance.Known() {
		return charts.Plot{}
	}
	c := course{builder: b, points: a.Points, expected: float64(s.Expected.Value), last: a.LastTo}
	out := charts.Plot{Axis: b.Text("arrived.axis", words.Text("zone", b.Zone.String())), Series: c.sums(), Below: &charts.Below{Axis: b.Text("arrived.rate_axis"), Series: c.rates()}}
	now, curtain, from, to := -1, -1, 0, 0
	for i, d := range a.Points {
		out.X = append(out.X, b.Clock(d.At, b.Zone))
		if d.At.In(b.Zone).Minute()%15 == 0 {
			out.Marks = append(out.Marks, i)
		}
		if d.Came >= 0 {
			now = i
		}
		if d.At.Equal(s.Event.StartsAt.Truncate(time.Minute)) {
			curtain = i
		}
		switch { // which may begin or end with the curtain
		case d.At.Equal(a.RushFrom):
			from = i
		case d.At.Equal(a.RushTo):
			to = i
		}
	}
	usual, came, rate := &out.Series[seriesUsual], &out.Series[seriesCame], &out.Below.Series[0]
	if curtain >= 0 {
		usual.MarkLine = charts.MarkAt(curtain, b.Text("arrived.curtain_at", words.Text("time", out.X[curtain])))
		rate.MarkLine = charts.MarkAt(curtain, "")
	}
	counted, room := s.Phase == evening.Arriving && now > 0 && c.people(a.Points[max(0, now)].Came) > 0, 3*now > len(a.Points) // to the left of the last point
	if from < to {
		usual.Tint(from, to, b.rushWords(&a), "@in", counted && !room) // not under the number, which is then at the foot
		if usual.InShort(b.Text("arrived.rush_short")); a.RushCame {
			usual.InShort(b.Text("arrived.rush_came_short"))
		}
		out.Below.Series[2].Tint(from, to, "", "@in", false) // a tint of bars would begin at the next
	}
	if counted {
		usually, all, _ := b.Evening.UsuallyIn(s, b.At) // of the moment of those inside, not of the minute before
		came.EndsAt(b.Text("arrived.came", words.Int("n", all)), b.Text("arrived.usual_now", words.Int("n", usually)), "@in", room)
	}
	b.addAllowed(s, &out, max(s.Expected.Value, s.Arrived.Value))
	p.Arrived.Title, p.Arrived.Empty = b.Text("arrived.title"), false
	p.Arrived.Side = b.Say("arrived.grey", words.Text("basis", b.BasisOf(a.Basis, a.Past)))
	text := b.arrivedText(s, &a)
	if b.Values.Get("part") != "" { // on the overview the figures and the chart say so
		p.Arrived.Text = text
	}
	p.Arrived.Label = fmt.Sprint(p.Arrived.Title, ". ", text)
	out.Label = p.Arrived.Label
	return out
}

// untimedPlot draws how many came by each minute to a performance whose hours are not known, and how many came in it: from the
// first, on its day or today, until now or the last.
func (b builder) untimedPlot(s *evening.Show, p *eventPlots) charts.Plot {
	from, to, ok := b.window(s.EventFigures)
	if !ok {
		return charts.Plot{}
	}
	came, rate := []charts.Point{}, []charts.Point{}
	out := charts.Plot{Axis: b.Text("arrived.axis", words.Text("zone", b.Zone.String())), Below: &charts.Below{Axis: b.Text("arrived.rate_axis")}}
	sum, earlier := 0, figures.CountBefore(s.ArrivalMinutes, time.Unix(from*60, 0))
	for i := range int(to-from) + 1 {
		at := time.Unix((from+int64(i))*60, 0)
		out.X = append(out.X, b.Clock(at, b.Zone))
		if at.In(b.Zone).Minute() == 0 {
			out.Marks = append(out.Marks, i)
		}
		now := figures.CountBefore(s.ArrivalMinutes, at.Add(time.Minute)) - earlier
		came = append(came, charts.Point{Value: [3]any{i, now, b.Count(now)}})
		if now > sum {
			rate = append(rate, charts.Point{Value: [3]any{i, now - sum, b.PerMinute(float64(now - sum))}})
		}
		sum = now
	}
	bars := charts.NewSeries("bar", "rate", b.Text("arrived.series_rate"), rate)
	bars.ItemStyle = &charts.Style{Color: "@in"}
	out.Series, out.Below.Series = []charts.Series{charts.Line("came", b.Text("arrived.series_came"), "@in", came)}, []charts.Series{bars}
	p.Arrived.Title, p.Arrived.Empty = b.Text("arrived.title"), false
	p.Arrived.Label = fmt.Sprint(p.Arrived.Title, ". ", b.End(b.Say("plot.came", words.Fig("n", b.OfShow(s, figures.KeyArrived)), words.Plain("expected", b.Number(s.Expected)))))
	out.Label = p.Arrived.Label
	return out
}

// rushWords returns when most come, or did; empty if that is not known.
func (b builder) rushWords(a *evening.Arrivals) string {
	from, to := words.Text("from", b.Clock(a.RushFrom, b.Zone)), words.Text("to", b.Clock(a.RushTo, b.Zone))
	switch {
	case a.RushFrom.IsZero():
		return ""
	case a.RushCame:
		return b.Text("arrived.rush_came", from, to)
	}
	return b.Text("arrived.rush", from, to)
}

// Places of series among those of course.sums.
const (
	seriesUsual = 2
	seriesCame  = 3
)

// course draws the points of the arrivals to a performance, as people.
type course struct {
	builder
	points   []evening.ArrivalPoint
	expected float64
	last     time.Time // when the last is forecast to come; zero for never
}

// people returns a part of the expected as a number of people.
func (c *course) people(part float64) int { return int(math.Round(part * c.expected)) }

// line returns a line of a part of the expected at the points that have one.
func (c *course) line(id, name, color string, part func(evening.ArrivalPoint) float64) charts.Series {
	n := 0
	for _, d := range c.points {
		if part(d) >= 0 {
			n++
		}
	}
	data := slices.Grow([]charts.Point(nil), n)
	for i, d := range c.points {
		if f := part(d); f >= 0 {
			data = append(data, charts.Point{Value: [3]any{i, c.people(f), c.Count(c.people(f))}})
		}
	}
	return charts.Line(id, name, color, data)
}

// band returns the foot and the height of a band, each without a line of its own. names are those of the two.
func (c *course) band(id, color string, names [2]string, from, to func(evening.ArrivalPoint) float64) (foot, height charts.Series) {
	foot = c.line(id+"-low", names[0], color, from)
	height = charts.Line(id+"-high", names[1], color, slices.Grow([]charts.Point(nil), len(foot.Data)))
	for i, d := range c.points {
		if f := to(d); f >= 0 {
			height.Data = append(height.Data, charts.Point{Value: [3]any{i, c.people(f) - c.people(from(d)), c.Count(c.people(f))}})
		}
	}
	for _, s := range []*charts.Series{&foot, &height} {
		s.LineStyle.Width, s.LineStyle.Opacity, s.Stack = 0, opts.Float(0), id
	}
	return foot, height
}

// sums returns the lines of how many have come: usual, tonight, and as forecast.
func (c *course) sums() []charts.Series {
	low, high := c.band("usual", "@past", [2]string{c.Text("arrived.series_low"), c.Text("arrived.series_high")},
		func(d evening.ArrivalPoint) float64 { return d.Low }, func(d evening.ArrivalPoint) float64 { return d.High })
	high.AreaStyle = &opts.AreaStyle{Color: "@past", Opacity: opts.Float(.22)}
	all := []charts.Series{low, high, c.line("usual", c.Text("pace.series_usual"), "@past", func(d evening.ArrivalPoint) float64 { return d.Median }),
		c.line("came", c.Text("arrived.series_came"), "@in", func(d evening.ArrivalPoint) float64 { return d.Came })}
	ahead := c.line("ahead", c.Text("arrived.series_ahead"), "@in", func(d evening.ArrivalPoint) float64 { return d.Ahead })
	if len(ahead.Data) > 0 {
		low, high := c.band("ahead", "@in-3", [2]string{c.Text("arrived.series_ahead_low"), c.Text("arrived.series_ahead_high")},
			func(d evening.ArrivalPoint) float64 { return d.AheadLow }, func(d evening.ArrivalPoint) float64 { return d.AheadHigh })
		high.ItemStyle = charts.OpenPeople()
		high.AreaStyle = &opts.AreaStyle{Color: "@in-3", Opacity: opts.Float(.6)}
		ahead.LineStyle.Type = "dashed"
		last := ""
		if !c.last.IsZero() {
			last = c.Text("arrived.last_at", words.Text("time", c.Clock(c.last, c.Zone)))
		}
		low.EndsWith(c.Text("arrived.will_come", words.Int("n", c.people(c.points[len(c.points)-1].Ahead))), last, "@in", true)
		all = append(all, low, high, ahead) // what is written at the foot of the band stands under it
	}
	expected := c.line("expected", c.Text("arrived.series_expected"), "@soft", func(evening.ArrivalPoint) float64 { return 1 })
	expected.LineStyle.Width, expected.LineStyle.Type = 1, "dashed"
	expected.EndLabel = &charts.EndLabel{Show: true, Formatter: c.Text("arrived.expected", words.Int("n", c.people(1))), Color: "@soft", Align: "right", VerticalAlign: "bottom", Offset: []int{-6, -5}}
	return append(all, expected)
}

// rates returns the bars of how many come in a minute, hatched where they are forecast, and the line of what is usual.
func (c *course) rates() []charts.Series {
	came, ahead, usual := []charts.Point{}, []charts.Point{}, make([]charts.Point, 0, len(c.points)-1)
	point := func(i int, rate float64) charts.Point {
		rate = math.Max(0, math.Round(rate*10)/10)
		return charts.Point{Value: [3]any{i, rate, c.PerMinute(rate)}}
	}
	for i, d := range c.points[:len(c.points)-1] {
		switch next := c.points[i+1]; {
		case next.Came >= 0:
			came = append(came, point(i, float64(c.people(next.Came)-c.people(d.Came))))
		case d.Ahead >= 0:
			ahead = append(ahead, point(i, c.rate(i, func(d evening.ArrivalPoint) float64 { return d.Ahead })))
		}
		usual = append(usual, point(i, c.rate(i, func(d evening.ArrivalPoint) float64 { return d.Median })))
	}
	bars := func(id, name string, data []charts.Point, style *charts.Style) charts.Series {
		s := charts.NewSeries("bar", id, name, data)
		s.Stack, s.BarCategoryGap, s.ItemStyle = "rate", "18%", style
		return s
	}
	line := charts.Line("rate-usual", c.Text("arrived.series_rate_usual"), "@past", usual)
	return []charts.Series{bars("rate", c.Text("arrived.series_rate"), came, &charts.Style{Color: "@in"}), bars("rate-ahead", c.Text("arrived.series_rate_ahead"), ahead, charts.OpenPeople()), line}
}

// rateOver is half the minutes over which a rate is taken that is no count.
const rateOver = 2

// rate returns how many people a minute a course has about a point.
func (c *course) rate(i int, part func(evening.ArrivalPoint) float64) float64 {
	from, to := max(0, i-rateOver), min(len(c.points)-1, i+1+rateOver)
	for part(c.points[from]) < 0 {
		from++
	}
	return (part(c.points[to]) - part(c.points[from])) * c.expected / float64(to-from)
}

// arrivedText describes the curve: the share that has come against the usual, when most come, the forecast of the last
// arrival, and how accurate such forecasts have been.
func (b builder) arrivedText(s *evening.Show, a *evening.Arrivals) words.Sentence {
	var now evening.ArrivalPoint
	now.Came = -1
	for _, d := range a.Points {
		if d.Came >= 0 {
			now = d
		}
	}
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
	from, to := words.Text("from", b.Clock(a.RushFrom, b.Zone)), words.Text("to", b.Clock(a.RushTo, b.Zone))
	switch {
	case a.RushFrom.IsZero():
	case a.RushCame:
		all = append(all, b.Say("arrived.rush_came_text", from, to))
	case a.RushPeople > 0:
		all = append(all, b.Say("arrived.rush_ahead_text", words.Int("n", a.RushPeople), from, to))
	default:
		all = append(all, b.Say("arrived.rush_text", from, to))
	}
	if !a.LastFrom.IsZero() {
		all = append(all, b.Say("arrived.last", words.Text("last", b.Span(a.LastFrom, a.LastTo))))
	}
	if s.Phase != evening.Over && b.Values.Get("part") == partAll {
		if errs := a.Errors(); errs.Last.Known() {
			all = append(all, b.Say("arrived.error", words.Int("minutes", int(errs.Last.Value.Round(time.Minute)/time.Minute)), words.Text("share", b.Percent(errs.Coming.Value))))
		}
	}
	return words.Join(" ", all...)
}
