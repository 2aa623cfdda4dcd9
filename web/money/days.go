package money

import (
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/web"
	"housecount/web/words"
)

// bucketName returns the name of a day or a month of a comparison.
func (b builder) bucketName(c *evening.Comparison, from figures.Day) string {
	if len(c.Buckets) == len(c.This.Days) {
		return b.DayShortOf(from)
	}
	return b.MonthShort(string(from), string(b.Today))
}

// daysPlot draws what was booked by day, or by month in a long period, next to what it is compared with. A
// single bucket makes no chart, because the sums show it.
func (b builder) daysPlot(code string, c *evening.Comparison, p *currencyPart) web.Plot {
	title, caption, axis, of, best := "revenue.chart_title", "revenue.days", "revenue.axis", "column.day_of_sale", "revenue.best"
	byMonth := len(c.Buckets) < len(c.This.Days)
	if byMonth {
		title, caption = "revenue.chart_months", "revenue.months"
		axis, of, best = "revenue.axis_months", "column.month_of_sale", "revenue.best_month"
	}
	out := web.Plot{Axis: b.Text(axis, words.Text("currency", code)), Zone: b.DayZone(), Bars: true}
	var bars, soft []web.Point
	most := 0
	p.Chart.Title, p.Days.Caption = b.Text(title, words.Text("currency", code)), b.Text(caption, words.Text("currency", code))
	p.Days.Columns = []string{b.Text(of), b.Text("column.sold"), b.bookedWord(), b.NetHead("column.net")}
	compared := len(c.Before.Days) > 0
	switch {
	case compared:
		p.Days.Columns = append(p.Days.Columns, b.Text("column.booked_before"))
	case c.Against == evening.TheBudget:
		compared = true
		p.Days.Columns = append(p.Days.Columns, b.Text("revenue.budget"))
	}
	for i, d := range c.Buckets {
		name := b.bucketName(c, d.From)
		out.X = append(out.X, name)
		amount := b.booked(d.Flow).In(code)
		text := b.Money(amount, code)
		at := web.Point{Value: [3]any{i, web.Major(amount, code), text}}
		of := web.PeriodScope(evening.Period{From: d.From, To: d.To}, code)
		row := web.TableRow{Name: name, Cells: []words.Num{b.rowFigure(figures.KeySold, &of, b.Total.Of(figures.Booked), b.Count(d.Sold)),
			b.rowFigure(b.bookedKey(), &of, b.bookedTotal(), text), b.rowFigure(b.NetKey(), &of, b.Total.Net, b.net(d.Flow, code))}}
		if d.Open {
			at.ItemStyle = web.OpenStyle()
			at.Value[2] = b.Text("revenue.so_far", words.Text("amount", text))
			row.Name = b.Text("date.so_far", words.Text("day", row.Name))
		}
		if was, on, ok := b.bucketBefore(&d, c, code); ok {
			soft = append(soft, web.Point{Value: [3]any{i, web.Major(was, code), on}})
			before := words.Num{Text: b.Money(was, code)}
			if c.Against != evening.TheBudget {
				of := c.ScopeBefore(d.BeforeFrom, d.BeforeTo)
				of.Currency = code
				before = b.rowFigure(b.bookedKey(), &of, b.bookedTotal(), before.Text)
			}
			row.Cells = append(row.Cells, before)
		} else if compared {
			row.Cells = append(row.Cells, words.Num{Text: words.Dash})
		}
		if amount > b.booked(c.Buckets[most].Flow).In(code) {
			most = i
		}
		bars = append(bars, at)
		p.Days.Rows = append(p.Days.Rows, row)
	}
	if len(c.Buckets) == 1 {
		p.Chart.Title, p.Chart.Chartless, p.Days.Rows = "", true, nil
		return out
	}
	slices.Reverse(p.Days.Rows)
	name := b.DayOf(c.Buckets[most].From)
	if byMonth {
		name = b.Month(string(c.Buckets[most].From), string(b.Today))
	}
	p.Chart.Text = b.Say(best, words.Text("day", name), words.Text("amount", b.Money(b.booked(c.Buckets[most].Flow).In(code), code)))
	switch {
	case len(soft) == 0:
	case c.Against == evening.TheBudget:
		p.Chart.Text = words.Join(" ", p.Chart.Text, b.Say("revenue.grey_budget"))
	default:
		p.Chart.Text = words.Join(" ", p.Chart.Text, b.Say("revenue.grey", words.Text("before", b.PeriodOf(max(c.Before.From, c.KnownFrom), c.Before.To))))
	}
	if c.This.Open {
		p.Chart.Text = words.Join(" ", p.Chart.Text, b.Say("revenue.hatched"))
	}
	p.Chart.Label, out.Label = p.Chart.Text.String(), p.Chart.Text.String()
	this := web.NewSeries("bar", "this", b.Text("revenue.series_booked"), bars)
	this.ItemStyle = &web.Style{Color: "@house", BorderRadius: []int{2, 2, 0, 0}}
	this.BarCategoryGap = "28%"
	if len(soft) > 0 {
		before := web.NewSeries("bar", "before", b.Text("revenue.series_before"), soft)
		before.ItemStyle = &web.Style{Color: "@past", BorderRadius: []int{2, 2, 0, 0}}
		before.BarGap = "0%"
		out.Series = append(out.Series, before)
	}
	out.Series = append(out.Series, this)
	return out
}

// bucketBefore returns the amount and the name of what a bucket is compared with; ok is false if that is
// not known.
func (b builder) bucketBefore(d *evening.Bucket, c *evening.Comparison, code string) (was int64, name string, ok bool) {
	if c.Against == evening.TheBudget {
		of, ok := b.Evening.AgainstBudget(&evening.Period{From: d.From, To: d.To, Until: c.This.Until}, code)
		return of.Budget, b.Text("revenue.of_budget", words.Text("amount", b.Money(of.Budget, code))), ok && len(of.Without) == 0
	}
	if d.Before == nil {
		return 0, "", false
	}
	was = b.booked(*d.Before).In(code)
	return was, b.Text("revenue.on_day", words.Text("amount", b.Money(was, code)), words.Text("day", b.PeriodOf(d.BeforeFrom, d.BeforeTo))), true
}
