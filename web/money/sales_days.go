package money

import (
	"slices"

	"housecount/aggregator/figures/evening/marketing"

	"housecount/aggregator/figures"
	"housecount/web"
	"housecount/web/charts"
	"housecount/web/words"
)

// salesDays is the chart of the places sold by day and channel: its words, and its numbers as a table.
type salesDays struct {
	Chart web.Caption
	Rows  web.Table
}

// channelColors are the colours of the channels, most sold first, and of all others; channelClasses are those of their
// swatches.
var (
	channelColors  = []string{"@house", "@house-2", "@house-3", "@past", "@line"}
	channelClasses = []string{"paid", "comp", "gratis", "gone", "others"}
)

// stack is what a chart of places by time of sale stacks on each other: their names, their counts in a bucket and those without a
// time, nil if they are not known.
type stack struct {
	id, title string
	names     []string
	of        func(*marketing.Bucket) []words.Num
	undated   []words.Num
	key       charts.Key
	colors    []string
}

// salesDaysPlot draws the places by time of sale and channel, with the campaigns as notes. A single bucket makes
// no chart.
func (b builder) salesDaysPlot(m *marketing.Sales, of figures.Scope, campaigns []campaign) (salesDays, charts.Plot) {
	s := stack{id: "days", title: b.Text("marketing.by_channel"), names: b.channelNames(&m.Days), colors: channelColors}
	s.key = b.channelKey(m, of, s.names)
	s.of = func(d *marketing.Bucket) (counts []words.Num) {
		for c := range s.names {
			counts = append(counts, words.Num{Text: b.Count(d.Sold[c]), N: d.Sold[c]})
		}
		return counts
	}
	return b.stackedDays(m, of, campaigns, &s)
}

// buyerDaysPlot draws the places by time of sale and by who bought them, in the same buckets; nothing if no buyer is known.
func (b builder) buyerDaysPlot(m *marketing.Sales, of figures.Scope, campaigns []campaign) (salesDays, charts.Plot) {
	s := stack{id: "buyer-days", title: b.Text("marketing.by_buyer"), colors: []string{"@house", "@house-3", "@past"}}
	if m.Buyers.Known() == 0 {
		return b.stackedDays(&marketing.Sales{}, of, nil, &s)
	}
	kinds := []struct {
		key   figures.Key
		name  string
		count func(figures.Buyers) int
	}{
		{figures.KeyBuyersNew, b.Text("marketing.buyers_new"), func(b figures.Buyers) int { return b.New }},
		{figures.KeyBuyersReturning, b.Text("marketing.buyers_returning"), func(b figures.Buyers) int { return b.Returning }},
		{figures.KeyBuyersUnknown, b.Text("marketing.buyers_anonymous"), func(b figures.Buyers) int { return b.Anonymous }},
	}
	if m.Buyers.Anonymous == 0 && m.Days.UndatedBuyers.Anonymous == 0 {
		kinds = kinds[:2]
	}
	for i, k := range kinds {
		s.names = append(s.names, k.name)
		s.undated = append(s.undated, words.Num{Text: b.Count(k.count(m.Days.UndatedBuyers))})
		s.key = append(s.key, charts.Keyed{Class: buyerClasses[i], Text: b.Say("marketing.channel", words.Name("name", s.names[i]), words.Fig("n", b.ofSales(m, of, k.key)))})
	}
	days := map[string]*marketing.Part{}
	for p := range m.PartsBy(figures.OfSaleDays) {
		days[p.Name] = p
	}
	s.of = func(d *marketing.Bucket) (counts []words.Num) {
		for _, k := range kinds {
			n := words.Num{Text: b.Count(k.count(d.Buyers))}
			if day := days[string(d.From)]; day != nil && d.From == d.To { // a day has an explanation
				n = b.OfPart(day, of, k.key, nil)
			}
			n.N = k.count(d.Buyers)
			counts = append(counts, n)
		}
		return counts
	}
	return b.stackedDays(m, of, campaigns, &s)
}

// buyerClasses are the classes of the swatches of new and returning buyers, and of those without a name.
var buyerClasses = []string{"paid", "gratis", "gone"}

// stackedDays draws a stack, with the campaigns as notes.
func (b builder) stackedDays(m *marketing.Sales, of figures.Scope, campaigns []campaign, s *stack) (out salesDays, plot charts.Plot) {
	days, caption, axis := &m.Days, "marketing.chart_days", "marketing.axis_days"
	if n := len(days.Buckets); n > 0 && days.Buckets[n/2].To != days.Buckets[n/2].From {
		caption, axis = "marketing.chart_weeks", "marketing.axis_weeks"
		if days.Buckets[n/2].To.Since(days.Buckets[n/2].From) > 6 {
			caption, axis = "marketing.chart_months", "marketing.axis_months"
		}
	}
	out.Chart = web.Caption{ID: s.id, Chart: "chart-" + s.id, Title: s.title, Empty: m.Sold.Value == 0}
	out.Rows = web.Table{ID: s.id + "-rows", Caption: b.Text(caption), Label: s.title, Columns: []string{b.Text("column.day_of_sale"), b.Text("column.sold")}}
	plot = charts.Plot{Axis: b.Text(axis), Zone: b.DayZone(), Bars: true}
	if out.Chart.Empty {
		out.Chart.Title = ""
		return out, plot
	}
	out.Chart.Chartless, out.Chart.Key = len(days.Buckets) < 2, s.key
	out.Rows.Columns = append(out.Rows.Columns, s.names...)
	points := make([][]charts.Point, len(s.names))
	for i := range days.Buckets {
		d := &days.Buckets[i]
		plot.X = append(plot.X, b.DayShortOf(d.From))
		counts := s.of(d)
		out.Rows.Rows = append(out.Rows.Rows, web.TableRow{Name: b.salesBucket(d), Cells: append([]words.Num{{Text: b.Count(d.All())}}, counts...)})
		for c, n := range counts {
			points[c] = append(points[c], charts.Point{Value: [3]any{i, n.N, n.Text}})
		}
	}
	slices.Reverse(out.Rows.Rows)
	if days.Undated != 0 {
		undated := s.undated
		if undated == nil {
			undated = make([]words.Num, len(s.names))
		}
		out.Rows.Rows = append(out.Rows.Rows, web.TableRow{Name: b.Text("marketing.lead_undated"), Cells: append([]words.Num{{Text: b.Count(days.Undated)}}, undated...)})
	}
	for c, name := range s.names {
		one := charts.NewSeries("bar", s.id+"-"+s.key[c].Class, words.Bare(name), points[c])
		one.Stack, one.BarCategoryGap = s.id, "28%"
		one.ItemStyle = &charts.Style{Color: s.colors[c]}
		if c == 0 {
			one.Notes(b.notes(days, campaigns))
		}
		plot.Series = append(plot.Series, one)
	}
	plot.Label = words.Join(" ", words.Sentence{{Text: out.Chart.Title}}, b.Say("marketing.when", words.Text("period", b.PeriodOf(of.From, of.To)))).String()
	out.Chart.Label = plot.Label
	return out, plot
}

// salesBucket returns the days of a bucket.
func (b builder) salesBucket(d *marketing.Bucket) string {
	if d.From == d.To {
		return b.DayShortOf(d.From)
	}
	return b.PeriodOf(d.From, d.To)
}

// channelNames returns how the channels of a chart are called; the last may be all others.
func (b builder) channelNames(days *marketing.Days) (names []string) {
	for _, c := range days.Channels {
		names = append(names, b.PartTitle(figures.OfChannels, c))
	}
	if days.Others {
		names = append(names, b.Text("marketing.other_channels"))
	}
	return names
}

// channelKey returns the channels with their places, which sum to what is sold.
func (b builder) channelKey(m *marketing.Sales, of figures.Scope, names []string) (key charts.Key) {
	rest, i := 0, 0
	for p := range m.PartsBy(figures.OfChannels) {
		if i < len(m.Days.Channels) {
			key = append(key, charts.Keyed{Class: channelClasses[i], Text: b.Say("marketing.channel", words.Name("name", names[i]), words.Fig("n", b.OfPart(p, of, figures.KeySold, nil)))})
		} else {
			rest += p.Sold
		}
		i++
	}
	if m.Days.Others {
		last := len(names) - 1
		key = append(key, charts.Keyed{Class: channelClasses[last], Text: b.Say("marketing.channel", words.Name("name", names[last]), words.Fig("n", b.PartOf(m.Sold, rest)))})
	}
	return key
}
