package event

import (
	"net/url"
	"slices"

	"github.com/go-echarts/go-echarts/v2/opts"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/charts"
	"housecount/web/words"
)

// pace compares a sale with those of comparable performances; empty if there are too few.
type pace struct {
	Title, Caption string
	Text           words.Sentence // above the table of points
	Rule           words.Sentence
	Points         web.Table
	Then           string // heads the column of what had been sold by then
	Rows           []paceRow
	LeftOut        []paceRow
	Event          string // its id, escaped as in a query
	May            bool   // who looks may take comparables out
}

// paceRow is a comparable performance.
type paceRow struct {
	Href, Name, When, Alike string
	Then, Finish            string
	Past, Label             string // its id, escaped as in a query, and what its button does
	By                      string // who took it out, and when
}

// paceDays are the rows of the table, in days before the performance.
var paceDays = []int{0, 1, 3, 7, 14, 21, 28, 42, 60, 90, 120, 180, 270, 365}

// paceOf returns the pace of a performance, if the access includes it.
func (b builder) paceOf(s *evening.Show) evening.Pace {
	if !b.Access.SeesToday() {
		return evening.Pace{}
	}
	return b.Evening.Pace(s)
}

// pacePart returns the words of a pace and all comparables; on the overview the first of these alone.
func (b builder) pacePart(s *evening.Show, p *evening.Pace) pace {
	out, comparables := pace{Points: web.Table{ID: "pace-rows"}}, p.Comparables
	if len(p.Comparables)+len(p.LeftOut) == 0 {
		return out
	}
	out.Title, out.Caption = b.Text("pace.title"), b.Text("pace.of_performances")
	if b.has("pace") {
		out.Text, out.Rule = b.paceText(s, p), b.paceRule(p.Rule)
		out.Points = b.paceTable(p)
	} else {
		comparables = comparables[:min(len(comparables), mostCompared)]
	}
	out.Then = b.Text("pace.then_today")
	if p.Days > 0 {
		out.Then = b.Text("pace.then", words.Int("n", p.Days))
	}
	out.Event, out.May = url.QueryEscape(b.Values.Get("event")), b.Access.TakesOut()
	for _, c := range comparables {
		var alike []string
		for _, l := range c.Alike {
			alike = append(alike, b.Code("alike", l.String()))
		}
		title, day := b.TitleOf(c.EventFigures), b.DayShortOf(c.Date)
		out.Rows = append(out.Rows, paceRow{
			Href: web.EventHref(c.Event.ID), Name: title, When: day, Alike: b.List(alike), Then: b.Count(c.Then), Finish: b.Count(c.Finish()),
			Past: url.QueryEscape(c.Event.ID), Label: b.Text("pace.take_out_label", words.Name("title", title), words.Text("day", day)),
		})
	}
	for _, past := range p.LeftOut {
		title, day := b.TitleOf(past), b.DayShortOf(past.Date)
		r := paceRow{Href: web.EventHref(past.Event.ID), Name: title, When: day, Past: url.QueryEscape(past.Event.ID), Label: b.Text("pace.put_back_label", words.Name("title", title), words.Text("day", day))}
		if set := b.Settings().Get(record.SettingLeftOut, record.LeftOutOf(b.Values.Get("event"), past.Event.ID), ""); set != nil {
			r.By = b.Text("pace.left_out_by", words.Text("by", set.By), words.Text("when", b.MomentShort(set.At)))
		}
		out.LeftOut = append(out.LeftOut, r)
	}
	return out
}

// paceRule returns how comparable performances are chosen.
func (b builder) paceRule(r evening.ComparableRule) words.Sentence {
	var like []string
	for _, by := range []struct {
		evening.Likeness
		holds bool
	}{{evening.SameHall, r.Hall}, {evening.SameWeekday, r.Weekday}, {evening.SamePrices, r.Prices}} {
		if by.holds {
			like = append(like, b.Code("comparable_by", by.String()))
		}
	}
	var chosen words.Sentence
	likenesses := words.Text("likenesses", b.List(like))
	switch {
	case r.Title && len(like) > 0:
		chosen = b.Say("pace.rule", likenesses)
	case r.Title:
		chosen = b.Say("pace.rule_title")
	case len(like) > 0:
		chosen = b.Say("pace.rule_others", likenesses)
	default:
		chosen = b.Say("pace.rule_none")
	}
	most := b.Say("pace.rule_most", words.Int("most", figures.MostComparables))
	if r.Days > 0 {
		most = b.Say("pace.rule_most_days", words.Int("most", figures.MostComparables), words.Int("days", r.Days))
	}
	if !b.Access.TakesOut() {
		return words.Join(" ", chosen, most)
	}
	return words.Join(" ", chosen, most, b.Say("pace.rule_take_out"))
}

// paceText returns the pace in sentences.
func (b builder) paceText(s *evening.Show, p *evening.Pace) words.Sentence {
	fig := func(k figures.Key) words.Num { return b.OfPace(figures.Scope{Event: s.Event.ID}, p, k) }
	if !p.Usual.Known() {
		return b.Say("pace.few", words.Int("n", len(p.Comparables)), words.Int("least", p.Rule.Least))
	}
	var all []words.Sentence
	if p.Sold.Known() {
		more, key, equal := p.Sold.Value-p.Usual.Value, "pace.more", "pace.more_equal"
		switch {
		case more == 0:
			key, equal = "pace.as_usual", "pace.as_usual_equal"
		case more < 0:
			more, key, equal = -more, "pace.fewer", "pace.fewer_equal"
		}
		if p.UsualBand.Low == p.UsualBand.High {
			key = equal
		}
		all = append(all, b.End(b.Say(key, words.Int("of", len(p.Comparables)), words.Int("n", more), words.Int("days", p.Days), words.Fig("sold", fig(figures.KeySoldSoFar)), words.Fig("usual", fig(figures.KeyUsual)),
			words.Int("low", p.UsualBand.Low), words.Int("high", p.UsualBand.High))))
	}
	if p.Finish.Known() {
		of, n, usual := words.Int("of", len(p.Comparables)), words.Fig("n", fig(figures.KeyFinish)), words.Fig("usual", fig(figures.KeyUsualFinish))
		if p.FinishBand.Low == p.FinishBand.High {
			all = append(all, b.Say("pace.finish_equal", n, of))
		} else {
			all = append(all, b.Say("pace.finish", n, words.Int("low", p.FinishBand.Low), words.Int("high", p.FinishBand.High)))
		}
		if p.UsualFinish.Low == p.UsualFinish.High {
			all = append(all, b.Say("pace.ended_equal", usual, of))
		} else {
			all = append(all, b.Say("pace.ended", usual, words.Int("usual_low", p.UsualFinish.Low), words.Int("usual_high", p.UsualFinish.High)))
		}
	}
	if p.Error.Known() {
		all = append(all, b.Say("pace.error", words.Fig("error", fig(figures.KeyFinishError)), words.Int("n", len(p.Comparables))))
	}
	return words.Join(" ", all...)
}

// paceTile returns the estimate as one of the numbers of a performance; nothing if there is none.
func (b builder) paceTile(s *evening.Show, p *evening.Pace) []web.Named {
	if len(p.Comparables) == 0 || !p.Usual.Known() || !p.Finish.Known() {
		return nil
	}
	band := b.Say("pace.between", words.Int("low", p.FinishBand.Low), words.Int("high", p.FinishBand.High))
	if p.FinishBand.Low == p.FinishBand.High {
		band = b.Say("pace.tile_equal", words.Int("of", len(p.Comparables)))
	}
	return []web.Named{{Term: b.Text("pace.tile"), Main: b.OfPace(figures.Scope{Event: s.Event.ID}, p, figures.KeyFinish), Note: band}}
}

// paceTable returns the curve as numbers, at some days before the performance.
func (b builder) paceTable(p *evening.Pace) web.Table {
	out := web.Table{ID: "pace-rows"}
	if len(p.Points) == 0 {
		return out
	}
	out.Caption = b.Text("pace.rows")
	out.Columns = []string{b.Text("pace.days_before"), b.Text("pace.usual"), b.Text("pace.band"), b.Text("pace.ahead"), b.Text("pace.band")}
	band := func(low, high int) string {
		switch {
		case len(p.Comparables) == 1:
			return words.Dash
		case low == high:
			return b.Count(low)
		}
		return b.Text("pace.between", words.Int("low", low), words.Int("high", high))
	}
	for _, point := range p.Points {
		if !slices.Contains(paceDays, point.Days) {
			continue
		}
		name := b.Text("pace.day_itself")
		if point.Days > 0 {
			name = b.Text("pace.days", words.Int("n", point.Days))
		}
		row := web.TableRow{Name: name, Cells: web.Plains(b.Count(point.Usual.Median), band(point.Usual.Low, point.Usual.High), words.Dash, words.Dash)}
		if p.Finish.Known() && point.Days <= p.Days {
			row.Cells[2], row.Cells[3] = web.Plain(b.Count(point.Ahead.Median)), web.Plain(band(point.Ahead.Low, point.Ahead.High))
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// paceSeries draws the pace into the chart of a sale that begins on a day: the usual course as a soft line
// in its band, and the estimate as a dashed line in a hatched band.
func (b builder) paceSeries(p *evening.Pace, s *evening.Show, first figures.Day, days int) []charts.Series {
	left := max(0, p.Days+1) // days for which there is an estimate
	room := make([]charts.Point, 3*len(p.Points)+3*left)
	series := func(n int) (points []charts.Point) {
		points, room = room[:0:n], room[n:]
		return points
	}
	usual, low, wide := series(len(p.Points)), series(len(p.Points)), series(len(p.Points))
	ahead, aheadLow, aheadWide := series(left), series(left), series(left)
	at := func(i, n int, text string) charts.Point { return charts.Point{Value: [3]any{i, n, text}} }
	count := func(n int) string { return b.Count(n) }
	whole := s.Date.Since(first)
	for _, d := range p.Points {
		i := whole - d.Days
		if i < 0 || i >= days {
			continue
		}
		usual = append(usual, at(i, d.Usual.Median, count(d.Usual.Median)))
		low, wide = append(low, at(i, d.Usual.Low, count(d.Usual.Low))), append(wide, at(i, d.Usual.High-d.Usual.Low, count(d.Usual.High)))
		if p.Finish.Known() && d.Days <= p.Days {
			ahead = append(ahead, at(i, d.Ahead.Median, count(d.Ahead.Median)))
			aheadLow, aheadWide = append(aheadLow, at(i, d.Ahead.Low, count(d.Ahead.Low))), append(aheadWide, at(i, d.Ahead.High-d.Ahead.Low, count(d.Ahead.High)))
		}
	}
	if len(usual) == 0 {
		return nil
	}
	bare := func(id, name, color, stack string, data []charts.Point) charts.Series {
		l := charts.Line(id, name, color, data)
		l.LineStyle.Width, l.LineStyle.Opacity = 0, opts.Float(0)
		l.Stack = stack
		return l
	}
	median := charts.Line("usual", b.Text("pace.series_usual"), "@past", usual)
	band := bare("usual-high", b.Text("pace.series_high"), "@past", "usual", wide)
	band.AreaStyle = &opts.AreaStyle{Color: "@past", Opacity: opts.Float(.22)}
	out := []charts.Series{bare("usual-low", b.Text("pace.series_low"), "@past", "usual", low), band, median}
	if len(ahead) > 0 {
		estimate := charts.Line("ahead", b.Text("pace.series_ahead"), "@house", ahead)
		estimate.LineStyle.Type = "dashed"
		if 8*p.Days >= days { // or it covers the number of places sold, and stands above the chart all the same
			estimate.EndsWith(b.Text("plot.at_pace", words.Int("n", p.Finish.Value)), "", "@house", true)
		}
		band := bare("ahead-high", b.Text("pace.series_ahead_high"), "@house-3", "ahead", aheadWide)
		band.ItemStyle = charts.OpenStyle()
		band.AreaStyle = &opts.AreaStyle{Color: "@house-3", Opacity: opts.Float(.5)}
		out = append(out, bare("ahead-low", b.Text("pace.series_ahead_low"), "@house-3", "ahead", aheadLow), band, estimate)
	}
	return out
}
