package money

import (
	"slices"

	"housecount/aggregator/figures/evening/compare"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/charts"
	"housecount/web/words"
)

// bucketName returns the name of a day or a month of a comparison.
func (b *inCurrency) bucketName(from figures.Day) string {
	if b.byMonth() {
		return b.MonthShort(string(from), string(b.Today))
	}
	return b.DayShortOf(from)
}

// byMonth reports whether the period is so long that it is shown by month and not by day.
func (b *inCurrency) byMonth() bool { return len(b.c.Buckets) < len(b.c.This.Days) }

// daysPlot draws what was booked by day, or by month in a long period, next to what it is compared with. A
// single bucket makes no chart, because the sums show it.
func (b *inCurrency) daysPlot(p *currencyPart) charts.Plot {
	out := b.daysHeads(p)
	var bars, soft []charts.Point
	for i := range b.c.Buckets {
		row, bar, before := b.bucket(i)
		out.X = append(out.X, b.bucketName(b.c.Buckets[i].From))
		bars = append(bars, bar)
		if before != nil {
			soft = append(soft, *before)
		}
		p.Days.Rows = append(p.Days.Rows, row)
	}
	if len(b.c.Buckets) == 1 {
		p.Chart.Title, p.Chart.Chartless, p.Days.Rows = "", true, nil
		return out
	}
	slices.Reverse(p.Days.Rows)
	out.Top = charts.Outstanding(bars, soft)
	charts.Cut(bars, out.Top, "@ink")
	charts.Cut(soft, out.Top, "@soft")
	b.nameOnSale(bars)
	charts.KeepApart(bars, soft)
	p.Chart.Side = b.daysKey(len(soft) > 0)
	p.Chart.Label = words.Join(" ", b.bestBucket(), p.Chart.Side).String()
	out.Label = p.Chart.Label
	this := charts.NewSeries("bar", "this", b.Text("revenue.series_booked"), bars)
	this.ItemStyle = &charts.Style{Color: "@house", BorderRadius: []int{2, 2, 0, 0}}
	this.BarCategoryGap = "28%"
	this.Notes(b.noteMarks(bars))
	out.Series = append(out.Series, this)
	if len(soft) > 0 {
		before := charts.Ticks("before", b.Text("revenue.series_before"), "@ink", out.Top, soft)
		before.BarCategoryGap = this.BarCategoryGap
		out.Series = append(out.Series, before)
	}
	if cut, ok := charts.Broken("cut", out.Top, bars); ok {
		cut.BarCategoryGap = this.BarCategoryGap
		out.Series = append(out.Series, cut)
	}
	return out
}

// noteMarks returns what stands above the bars of the days on which it began, one a bar: what people noted about days, else a
// campaign, else which performance went on sale, or how many did. What somebody noted about several days has them tinted.
func (b *inCurrency) noteMarks(bars []charts.Point) (marks []charts.Note) {
	named := map[string]bool{}
	for i := range b.c.Buckets {
		d := &b.c.Buckets[i]
		for _, n := range b.DayNotes(d.From, d.To) {
			if id := web.NoteID("", &n); !named[id] {
				named[id] = true
				marks = append(marks, charts.Note{At: i, Until: b.bucketOf(n.Until), Text: words.Bare(n.Text)})
				break
			}
		}
		if len(marks) == 0 || marks[len(marks)-1].At != i {
			if text := b.campaignMark(d.From, d.To); text != "" {
				marks = append(marks, charts.Note{At: i, Text: text})
			} else if text := b.saleMark(d.From, d.To); text != "" && bars[i].Label == nil { // a bar that is cut off says it itself
				marks = append(marks, charts.Note{At: i, Text: text, Weak: true})
			}
		}
	}
	for i := range marks {
		marks[i].Higher = besideNamed(bars, marks[i].At)
	}
	return marks
}

// besideNamed reports whether a text above a bar would stand on that of a bar that is cut off, which is at most half of the
// chart wide.
func besideNamed(bars []charts.Point, at int) bool {
	for i, bar := range bars {
		if bar.Label != nil && max(at-i, i-at) <= len(bars)/4 {
			return true
		}
	}
	return false
}

// bucketOf returns the index of the bucket of a day, or of the last one before it.
func (b *inCurrency) bucketOf(day figures.Day) (at int) {
	for at+1 < len(b.c.Buckets) && b.c.Buckets[at+1].From <= day {
		at++
	}
	return at
}

// campaignMark returns which campaign began on some days, for those who see Marketing; empty for none.
func (b *inCurrency) campaignMark(from, to figures.Day) string {
	if !b.Access.SeesMarketing() {
		return ""
	}
	for _, set := range b.Settings().All(record.SettingCampaign) {
		if first := figures.Day(set.From); first >= from && first <= to {
			return words.Bare(set.Of)
		}
	}
	return ""
}

// saleMark returns what went on sale on some days; empty for nothing.
func (b *inCurrency) saleMark(from, to figures.Day) string {
	var first *figures.EventFigures
	all := 0
	for _, e := range b.Evening.FirstSold(from, to) {
		if b.Event(e.Event.ID) != nil {
			first, all = e, all+1
		}
	}
	switch all {
	case 0:
		return ""
	case 1:
		return b.Text("revenue.mark_on_sale", words.Text("title", words.Bare(b.TitleOf(first))))
	}
	return b.Text("revenue.marks_on_sale", words.Int("n", all))
}

// nameOnSale names for each bar that is cut how many performances went on sale then, which is why most such days stand out.
func (b *inCurrency) nameOnSale(bars []charts.Point) {
	for i := range bars {
		if bars[i].Label == nil {
			continue
		}
		if n := b.Evening.WentOnSale(b.c.Buckets[i].From, b.c.Buckets[i].To); n > 0 {
			bars[i].Label.Short = bars[i].Label.Formatter
			bars[i].Label.Formatter = b.Text("revenue.marks_on_sale", words.Int("n", n)) + "\n" + bars[i].Label.Formatter
		}
	}
}

// daysHeads sets the titles and the columns, and returns the chart without its bars.
func (b *inCurrency) daysHeads(p *currencyPart) charts.Plot {
	title, caption, axis, of := "revenue.chart_title", "revenue.days", "revenue.axis", "column.day_of_sale"
	if b.byMonth() {
		title, caption = "revenue.chart_months", "revenue.months"
		axis, of = "revenue.axis_months", "column.month_of_sale"
	}
	p.Chart.Title, p.Days.Caption = b.Text(title, words.Text("currency", b.code)), b.Text(caption, words.Text("currency", b.code))
	p.Days.Columns = []string{b.Text(of), b.Text("column.sold"), b.bookedWord(), b.NetHead("column.net")}
	switch {
	case len(b.c.Before.Days) > 0:
		p.Days.Columns = append(p.Days.Columns, b.beforeHead(b.c))
	case b.c.Against == compare.TheBudget:
		p.Days.Columns = append(p.Days.Columns, b.Text("revenue.budget"))
	}
	p.Days.Columns = append(p.Days.Columns, b.Text("column.average_price"))
	return charts.Plot{Axis: b.Text(axis, words.Text("currency", b.code)), Zone: b.DayZone(), Bars: true}
}

// bucket returns the row and the bar of a day or a month, and the bar of what it is compared with; nil if that
// is not known.
func (b *inCurrency) bucket(i int) (row web.TableRow, bar charts.Point, before *charts.Point) {
	d := &b.c.Buckets[i]
	amount := b.booked(d.Flow).In(b.code)
	text := b.Money(amount, b.code)
	bar = charts.Point{Value: [3]any{i, web.Major(amount, b.code), text}, Short: text}
	of, all := web.PeriodScope(evening.Period{From: d.From, To: d.To}, b.code), b.Total.During(&d.Flow)
	row = web.TableRow{Name: b.bucketName(d.From), Cells: []words.Num{b.rowFigure(figures.KeySold, &of, b.Total.PlacesDuring(&d.Flow).Caveat(), b.Count(d.Sold)),
		b.rowFigure(b.bookedKey(), &of, b.bookedOf(all).Caveat(), text), b.rowFigure(b.NetKey(), &of, all.Net.Caveat(), b.net(d.Flow, b.code))}}
	if d.Open {
		bar.ItemStyle = charts.OpenStyle()
		bar.Value[2] = b.Text("revenue.so_far", words.Text("amount", text))
		row.Name = b.Text("date.so_far", words.Text("day", row.Name))
	}
	if was, on, ok := b.bucketBefore(d); ok {
		before = &charts.Point{Value: [3]any{i, web.Major(was, b.code), on}, Short: b.Money(was, b.code)}
		var n words.Num
		if b.c.Against == compare.TheBudget {
			n = b.budgetFigure(&evening.Period{From: d.From, To: d.To, Until: b.c.This.Until}, b.code)
		} else {
			of := b.c.ScopeBefore(d.BeforeFrom, d.BeforeTo)
			of.Currency = b.code
			n = b.rowFigure(b.bookedKey(), &of, b.bookedOf(b.Total.During(d.Before)).Caveat(), b.Money(was, b.code))
		}
		row.Cells = append(row.Cells, n)
	} else if len(b.c.Before.Days) > 0 || b.c.Against == compare.TheBudget {
		row.Cells = append(row.Cells, words.Num{Text: words.Dash})
	}
	row.Cells = append(row.Cells, words.Num{Text: b.averageOf(d.From, d.To)})
	return row, bar, before
}

// averageOf returns the average price, VAT included, of the places that were sold on some days; a dash where it is not known, or amounts
// are without VAT.
func (b *inCurrency) averageOf(from, to figures.Day) string {
	if b.exclVAT() || b.Unread() {
		return words.Dash
	}
	if b.priced == nil {
		first, _ := b.c.This.From.Number()
		last, _ := b.c.This.To.Number()
		b.priced = figures.PricedOn(b.Snapshot.Events, b.code, first, last)
	}
	sum := figures.PaidFor{Money: record.Money{Currency: b.code}}
	for day := from; day <= to; day = day.Add(1) {
		n, _ := day.Number()
		sum.Amount, sum.Places = sum.Amount+b.priced[n].Amount, sum.Places+b.priced[n].Places
	}
	return b.AveragePrice(sum, b.Total.Of(figures.Booked).Caveat())
}

// bestBucket returns the best day or month, for who does not see the chart.
func (b *inCurrency) bestBucket() words.Sentence {
	most, best := &b.c.Buckets[0], "revenue.best"
	for i := range b.c.Buckets {
		if d := &b.c.Buckets[i]; b.booked(d.Flow).In(b.code) > b.booked(most.Flow).In(b.code) {
			most = d
		}
	}
	if b.Unread() {
		return nil
	}
	name := b.DayOf(most.From)
	if b.byMonth() {
		best, name = "revenue.best_month", b.Month(string(most.From), string(b.Today))
	}
	return b.Say(best, words.Text("day", name), words.Text("amount", b.Money(b.booked(most.Flow).In(b.code), b.code)))
}

// daysKey returns what the lines across the bars, if there are any, and the hatched bars mean.
func (b *inCurrency) daysKey(compared bool) (text words.Sentence) {
	if b.Unread() {
		return nil
	}
	switch {
	case !compared:
	case b.c.Against == compare.TheBudget:
		text = b.Say("revenue.line_budget")
	default:
		text = b.Say("revenue.line", words.Text("before", b.PeriodOf(max(b.c.Before.From, b.c.KnownFrom), b.c.Before.To)))
	}
	if b.c.This.Open {
		text = words.Join(" ", text, b.Say("revenue.hatched"))
	}
	return text
}

// bucketBefore returns the amount and the name of what a bucket is compared with; ok is false if that is
// not known.
func (b *inCurrency) bucketBefore(d *compare.Bucket) (was int64, name string, ok bool) {
	if b.Unread() {
		return 0, "", false
	}
	if b.c.Against == compare.TheBudget {
		of, ok := compare.CompareBudget(b.Evening, &evening.Period{From: d.From, To: d.To, Until: b.c.This.Until}, b.code)
		return of.Budget, b.Text("revenue.of_budget", words.Text("amount", b.Qualified(of.Quality, of.Reasons, b.Money(of.Budget, b.code)).Text)), ok && len(of.Without) == 0
	}
	if d.Before == nil {
		return 0, "", false
	}
	was = b.booked(*d.Before).In(b.code)
	return was, b.Text("revenue.on_day", words.Text("amount", b.Money(was, b.code)), words.Text("day", b.PeriodOf(d.BeforeFrom, d.BeforeTo))), true
}
