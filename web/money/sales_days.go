package money

import (
	"math"
	"slices"

	"housecount/aggregator/figures/evening/compare"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
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

// salesDaysPlot draws the places by time of sale and channel, with the campaigns as notes. A single bucket makes
// no chart.
func (b builder) salesDaysPlot(m *evening.Marketing, of figures.Scope, campaigns []campaign) (out salesDays, plot charts.Plot) {
	days, caption, axis := &m.Days, "marketing.chart_days", "marketing.axis_days"
	if n := len(days.Buckets); n > 0 && days.Buckets[n/2].To != days.Buckets[n/2].From {
		caption, axis = "marketing.chart_weeks", "marketing.axis_weeks"
		if days.Buckets[n/2].To.Since(days.Buckets[n/2].From) > 6 {
			caption, axis = "marketing.chart_months", "marketing.axis_months"
		}
	}
	out.Chart = web.Caption{ID: "days", Chart: "chart-days", Title: b.Text("marketing.by_channel"), Empty: m.Sold.Value == 0}
	out.Rows = web.Table{ID: "days-rows", Caption: b.Text(caption), Columns: []string{b.Text("column.day_of_sale"), b.Text("column.sold")}}
	plot = charts.Plot{Axis: b.Text(axis), Zone: b.DayZone(), Bars: true}
	if out.Chart.Empty {
		out.Chart.Title = ""
		return out, plot
	}
	out.Chart.Chartless = len(days.Buckets) < 2
	names := b.channelNames(days)
	out.Rows.Columns = append(out.Rows.Columns, names...)
	out.Chart.Key = b.channelKey(m, of, names)
	points := make([][]charts.Point, len(names))
	for i := range days.Buckets {
		d := &days.Buckets[i]
		name := b.salesBucket(d)
		plot.X = append(plot.X, b.DayShortOf(d.From))
		row := web.TableRow{Name: name, Cells: []words.Num{{Text: b.Count(d.All())}}}
		for c := range names {
			text := b.Count(d.Sold[c])
			row.Cells = append(row.Cells, words.Num{Text: text})
			points[c] = append(points[c], charts.Point{Value: [3]any{i, d.Sold[c], text}})
		}
		out.Rows.Rows = append(out.Rows.Rows, row)
	}
	slices.Reverse(out.Rows.Rows)
	if days.Undated != 0 {
		out.Rows.Rows = append(out.Rows.Rows, web.TableRow{Name: b.Text("marketing.lead_undated"), Cells: append([]words.Num{{Text: b.Count(days.Undated)}}, make([]words.Num, len(names))...)})
	}
	for c, name := range names {
		s := charts.NewSeries("bar", "channel-"+channelClasses[c], words.Bare(name), points[c])
		s.Stack, s.BarCategoryGap = "channels", "28%"
		s.ItemStyle = &charts.Style{Color: channelColors[c]}
		if c == 0 {
			s.Notes(b.notes(days, campaigns))
		}
		plot.Series = append(plot.Series, s)
	}
	plot.Label = words.Join(" ", words.Sentence{{Text: out.Chart.Title}}, b.Say("marketing.when", words.Text("period", b.PeriodOf(of.From, of.To)))).String()
	out.Chart.Label = plot.Label
	return out, plot
}

// salesBucket returns the days of a bucket.
func (b builder) salesBucket(d *evening.SalesBucket) string {
	if d.From == d.To {
		return b.DayShortOf(d.From)
	}
	return b.PeriodOf(d.From, d.To)
}

// channelNames returns how the channels of a chart are called; the last may be all others.
func (b builder) channelNames(days *evening.SalesDays) (names []string) {
	for _, c := range days.Channels {
		names = append(names, b.PartTitle(figures.OfChannels, c))
	}
	if days.Others {
		names = append(names, b.Text("marketing.other_channels"))
	}
	return names
}

// channelKey returns the channels with their places, which sum to what is sold.
func (b builder) channelKey(m *evening.Marketing, of figures.Scope, names []string) (key []charts.Keyed) {
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

// campaign is a campaign that somebody noted.
type campaign struct {
	Name, When string
	From       string // its first day
	// More is what was sold in it against the usual, and Why the explanation; empty before a day of it is over.
	More string
	Why  []string
	from figures.Day
}

// campaigns is the list of campaigns.
type campaigns struct{ Rows []campaign }

// noted returns the campaigns, the newest first.
func (b builder) noted() (all []campaign) {
	for _, set := range b.Settings().All(record.SettingCampaign) {
		from := figures.Day(set.From)
		c := campaign{Name: set.Of, When: b.PeriodOf(from, from.Add(int(*set.Value)-1)), From: set.From, from: from}
		c.More, c.Why = b.campaignSales(from, int(*set.Value))
		all = append(all, c)
	}
	slices.SortStableFunc(all, func(x, y campaign) int { return y.from.Since(x.from) })
	return all
}

// campaignSales returns what was sold in a campaign against the usual, with its uncertainty, and the explanation.
func (b builder) campaignSales(first figures.Day, days int) (more string, why []string) {
	c := compare.Campaign(b.Evening, first, days)
	if c.To < c.From || b.Unread() {
		return "", nil
	}
	sold := b.Text("marketing.campaign_sold", words.Int("n", c.Sold), words.Text("days", b.PeriodOf(c.From, c.To)))
	if !c.Known() {
		return b.Text("marketing.campaign_unknown"), []string{sold}
	}
	n, low, high := c.More()
	from, to := words.Text("low", b.Signed(low)), words.Text("high", b.Signed(high))
	more = b.Text("marketing.campaign_more", words.Text("n", b.Signed(n)), from, to)
	why = []string{sold, b.Text("marketing.campaign_usual", words.Text("usual", b.Fixed(int64(math.Round(10*c.Usual)), 1)), words.Int("times", c.Times)), b.Text("marketing.campaign_band", from, to)}
	if low <= 0 && high >= 0 {
		why = append(why, b.Text("marketing.campaign_chance"))
	}
	return more, why
}

// notes returns the campaigns that began in a bucket; those of one bucket share its line.
func (b builder) notes(days *evening.SalesDays, campaigns []campaign) (all []charts.Note) {
	for _, c := range slices.Backward(campaigns) {
		at := slices.IndexFunc(days.Buckets, func(d evening.SalesBucket) bool { return d.From <= c.from && c.from <= d.To })
		if at < 0 {
			continue
		}
		if n := len(all); n > 0 && all[n-1].At == at {
			all[n-1].Text += "\n" + words.Bare(c.Name)
		} else {
			all = append(all, charts.Note{At: at, Text: words.Bare(c.Name)})
		}
	}
	return all
}
