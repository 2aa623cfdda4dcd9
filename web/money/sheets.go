package money

import (
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/bridge"
	"housecount/aggregator/figures/evening/compare"
	"housecount/web"
	"housecount/web/refunds"
	"housecount/web/words"
	"housecount/web/xlsx"
)

// periodKeys are the figures of days and of performances, in the order of their columns. What is open is that of the orders placed on the
// days.
var periodKeys = []figures.Key{figures.KeySold, figures.KeyBooked, figures.KeyFees, figures.KeyReceived, figures.KeyRefunded, figures.KeyChargedBack, figures.KeyReversed, figures.KeyNet, figures.KeyVAT, figures.KeyNetOfVAT, figures.KeyOpenItems}

// daySheet returns a sheet with a row for each of some days of sale.
func (b builder) daySheet(name string, days []figures.Day) web.Sheet {
	of := web.SheetOf{Name: name, Tab: b.Text("sheet.days"), Columns: []web.Column{{Head: b.Text("column.day_of_sale"), Key: "date", Kind: xlsx.Day}, {Head: b.Text("notes.text"), Key: "note"}},
		Figures: periodKeys, Of: figures.Scope{From: b.Today, To: b.Today}, Summed: true}
	for _, day := range days {
		of.Rows = append(of.Rows, []any{day, web.NoteTexts(b.DayNotes(day, day))})
	}
	of.Notes = func(i int) []string {
		if days[i] != b.Today {
			return nil
		}
		return []string{b.Text("date.so_far", words.Text("day", b.DayShortOf(days[i])))}
	}
	of.Value = func(i int, k figures.Key) figures.Value {
		v, _ := catalogue.Of(b.Evening, k, figures.Scope{From: days[i], To: days[i], Orders: k == figures.KeyOpenItems})
		return v
	}
	return b.SheetOf(of)
}

// periodSheet returns a sheet with a row for each of some performances with what was sold or paid on days of sale, and for what belongs to
// none.
func (b builder) periodSheet(name string, scope figures.Scope, all []evening.EventPeriod) web.Sheet {
	of := web.SheetOf{Name: name, Tab: b.Text("sheet.performances"), Figures: periodKeys, Of: scope, Summed: true,
		Columns: []web.Column{{Head: b.Text("column.date"), Key: "date", Kind: xlsx.Day}, {Head: b.Text("column.performance"), Key: "title"}, {Head: b.Text("column.hall"), Key: "hall"}, {Head: b.Text("sheet.id"), Key: "performance"}}}
	for i := range all {
		row := []any{nil, b.Text("revenue.unattributed"), nil, nil}
		if e := all[i].Event; e != nil {
			row = []any{e.Date, words.Bare(b.TitleOf(e)), e.Event.Hall, e.Event.ID}
		}
		of.Rows = append(of.Rows, row)
	}
	values, last := map[figures.Key]figures.Value{}, -1 // of the last row
	of.Value = func(i int, k figures.Key) figures.Value {
		if i != last {
			last = i
			clear(values)
			catalogue.EachOf(b.Evening, &all[i], scope, func(d *catalogue.Definition, v figures.Value) { values[d.Key] = v })
			orders := bridge.OfEvent(b.Evening, all[i].Event, scope.From, scope.To)
			values[figures.KeyOpenItems] = catalogue.Define(figures.KeyOpenItems).OfOrders(&orders)
		}
		return values[k]
	}
	return b.SheetOf(of)
}

// revenueSheets returns the days of the period that Revenue shows, what was sold on them by performance, how what was booked leads to
// what was received, and what was refunded by reason.
func (b builder) revenueSheets() ([]web.Sheet, error) {
	c := b.comparison()
	var days []figures.Day
	for i := range c.This.Days {
		days = append(days, c.This.Days[i].Day)
	}
	name := "housecount-revenue-" + string(c.This.From) + "-" + string(c.This.To)
	byDay := b.daySheet(name, days)
	byPerformance := b.performancesCompared(name, &c, b.addCompared(&c, &byDay))
	sheets := []web.Sheet{byDay, byPerformance}
	if steps := b.bridgeSheet(name, &c); steps.Tab != "" {
		sheets = append(sheets, steps)
	}
	if all := figures.RefundsByReason(c.This.Days); len(all) > 0 {
		sheets = append(sheets, refunds.Sheet(b.Builder, name, all))
	}
	return sheets, nil
}

// addCompared adds to days what was booked on the days that they are compared with, as the page has it, and returns the head of that;
// "" where nothing is compared.
func (b builder) addCompared(c *compare.Comparison, byDay *web.Sheet) (head string) {
	if !c.Comparable() {
		return ""
	}
	head = b.Text("sheet.amount", words.Text("name", b.FigureTitle(figures.KeyBooked)), words.Text("currency", b.beforeHead(c)))
	adds := c.KnownFrom == "" && !c.LeftOut // the sum would be of other days than that of booked, or than the page's
	b.AddAmounts(byDay, head, "booked_before", adds, func(i int) figures.Value {
		if i >= len(c.Before.Days) || c.Before.Days[i].Day < c.KnownFrom {
			return figures.Value{Quality: figures.Unknown}
		}
		v, _ := catalogue.Of(b.Evening, figures.KeyBooked, c.ScopeBefore(c.Before.Days[i].Day, c.Before.Days[i].Day))
		return v
	})
	return head
}

// performancesCompared returns the sheet of the performances of a period and, below a head, what was booked for them in the period
// that it is compared with, also for those of which nothing was booked since.
func (b builder) performancesCompared(name string, c *compare.Comparison, head string) web.Sheet {
	rows := b.Evening.ByEvent(c.This.From, c.This.To)
	scope := figures.Scope{From: c.This.From, To: c.This.To}
	if head == "" || c.LeftOut { // the performances have the days that the sums leave out
		return b.periodSheet(name, scope, rows)
	}
	befores := compare.Befores(b.Evening, c, rows)
	rows = compare.OnlyBefore(b.Evening, c, rows, befores)
	sheet := b.periodSheet(name, scope, rows)
	var sum figures.Sums
	for _, f := range befores {
		sum = sum.PlusAll(f.Of(figures.Booked), 1)
	}
	adds := slices.Equal(sum, c.ComparedBefore.Of(figures.Booked)) // else one that is listed sold for itself a year ago
	b.AddAmounts(&sheet, head, "booked_before", adds, func(i int) figures.Value {
		f, ok := befores[rows[i].Event]
		if !ok {
			return figures.Value{Quality: figures.Unknown}
		}
		of := &b.Snapshot.Unattributed
		if f.Event != nil {
			of = &f.Event.Revenue
		}
		return figures.MoneyOf(figures.New(f.Of(figures.Booked), of.During(&f.Flow).Of(figures.Booked).Caveat()))
	})
	return sheet
}

// bridgeSheet returns the steps from what was booked to what was received, with their signs; an empty one where these are not known.
func (b builder) bridgeSheet(name string, c *compare.Comparison) (s web.Sheet) {
	columns := []web.Column{{Head: b.Text("sheet.step"), Key: "step"}}
	var rows [][]any
	var notes [][]string
	codes := b.revenueCurrencies(c)
	for n, code := range codes {
		columns = append(columns, web.Column{Head: b.Text("sheet.amount", words.Text("name", b.Text("explain.amount")), words.Text("currency", code)), Key: "amount", Currency: code, Kind: xlsx.Money})
		for _, step := range b.bridgePart("", code, c.This).Rows {
			at := 0
			for at < len(rows) && rows[at][0] != step.Term {
				at++
			}
			if at == len(rows) {
				rows, notes = append(rows, append([]any{step.Term}, make([]any, len(codes))...)), append(notes, nil)
			}
			rows[at][n+1] = step.signed
			if step.Amount.Why != "" {
				notes[at] = append(notes[at], b.Text("sheet.note", words.Text("name", step.Term), words.Text("why", step.Amount.Why)))
			}
		}
	}
	if len(rows) == 0 {
		return s
	}
	return b.SheetOf(web.SheetOf{Name: name, Tab: b.Text("bridge.title"), Columns: columns, Rows: rows, Notes: func(row int) []string { return notes[row] }})
}
