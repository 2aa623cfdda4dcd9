package web

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/search"
	"housecount/web/query"
	"housecount/web/words"
	"housecount/web/xlsx"
)

// The last parts of the addresses of a page's sheet, after the address of the page.
const (
	SheetXLSX = "/table.xlsx"
	SheetCSV  = "/table.csv"
)

// The extension of a workbook's name, and its content type.
const (
	WorkbookExtension = ".xlsx"
	WorkbookType      = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
)

// Sheet is a table for a spreadsheet with a row for each performance or day, and a column for each figure that the
// access includes. Its rows are made while it is written.
type Sheet struct {
	Name    string // of the file
	Tab     string // of the table in a workbook
	columns []sheetColumn
	n       int // of rows
	// subject returns the cells of what a row is of, and what is to be said of it; value returns a figure of it.
	subject func(row int) (cells []any, notes []string)
	value   func(row int, d *catalogue.Definition) figures.Value
	nowhere []figures.Key // figures that no row knows: their definitions say why
	// A workbook has a last row with the sums of the rows of which inSum is true, called sum; none if sum is empty. Programs read rows
	// alone.
	sum   string
	inSum func(row int) bool
	sums  sheetSums // of the rows that are made
}

// sheetSums are the sums of a sheet's columns.
type sheetSums struct {
	of              map[int]int64 // by column
	missing, unsure []figures.Key // figures that some row does not know, and that are not exact in some row
}

// sheetColumn is a column of a Sheet. A figure has a key that is the same in every language, and a definition; an
// amount has a currency.
type sheetColumn struct {
	head, key, definition string
	seenBy                string // the roles that see the figure
	adds                  bool   // its values add up to something
	kind                  xlsx.Kind
	currency              string
}

// The figures of sheets, in the order of their columns.
var (
	performanceKeys = []figures.Key{figures.KeyCapacity, figures.KeySold, figures.KeyPaid, figures.KeyUnpaid, figures.KeyComplimentary, figures.KeyFreeTickets, figures.KeyReserved, figures.KeyBlocked, figures.KeyFree,
		figures.KeyOccupancy, figures.KeyExpected, figures.KeyCame, figures.KeyNoShows, figures.KeyNoShow, figures.KeyBooked, figures.KeyFees, figures.KeyReceived, figures.KeyRefunded, figures.KeyChargedBack, figures.KeyReversed,
		figures.KeyNet, figures.KeyVAT, figures.KeyNetOfVAT, figures.KeyAveragePrice, figures.KeyToPayBack}
	dayKeys = []figures.Key{figures.KeySold, figures.KeyBooked, figures.KeyFees, figures.KeyReceived, figures.KeyRefunded, figures.KeyChargedBack, figures.KeyReversed, figures.KeyNet, figures.KeyVAT, figures.KeyNetOfVAT}
)

// SheetLink returns the link to the workbook of the page at a path, with the page's choices.
func (b *Builder) SheetLink(path string, choices url.Values) Link {
	if path += SheetXLSX; len(query.Given(choices)) > 0 {
		path += "?" + query.Given(choices).Encode()
	}
	return Link{Href: path, Text: b.Text("sheet.excel")}
}

// PerformanceSheet returns a sheet with a row for each of some performances.
func (b *Builder) PerformanceSheet(name string, shows []*evening.Show) Sheet {
	s := b.newSheet(name, b.Text("sheet.performances"), []sheetColumn{{head: b.Text("column.date"), key: "date", kind: xlsx.Day}, {head: b.Text("column.time"), key: "time", kind: xlsx.Clock},
		{head: b.Text("column.performance"), key: "title"}, {head: b.Text("column.hall"), key: "hall"}, {head: b.Text("column.status"), key: "status"}, {head: b.Text("notes.text"), key: "note"}, {head: b.Text("sheet.id"), key: "performance"}},
		performanceKeys, figures.Scope{Event: "any"})
	s.n = len(shows)
	s.subject = func(i int) ([]any, []string) {
		show := shows[i]
		row := []any{show.Date, nil, words.Bare(b.TitleOf(show.EventFigures)), show.Event.Hall, b.Code("status", sheetStatus(show)), noteTexts(b.NotesOf(show.Event.ID)), show.Event.ID}
		if at := show.Event.StartsAt.In(b.Zone); !show.Event.StartsAt.IsZero() { // with its date: after midnight that is the next
			row[0], row[1] = figures.Day(at.Format(time.DateOnly)), at.Hour()*60+at.Minute()
		}
		return row, nil
	}
	s.value = func(i int, d *catalogue.Definition) figures.Value { return d.OfShow(shows[i]) }
	s.sum, s.inSum = b.Text("sheet.sum_on"), func(i int) bool { return shows[i].Phase.GoesAhead() }
	return s
}

// noteTexts returns the texts of notes for a cell.
func noteTexts(notes []figures.Note) string {
	texts := make([]string, len(notes))
	for i, n := range notes {
		texts[i] = n.Text
	}
	return strings.Join(texts, "; ")
}

// sheetStatus returns the code of a performance's status, of those of Events.
func sheetStatus(s *evening.Show) string {
	switch {
	case !s.Phase.GoesAhead() || s.Phase == evening.Over:
		return s.Phase.String()
	case s.SoldOut:
		return string(search.StatusSoldOut)
	case s.Sale == evening.SaleOpen:
		return string(search.StatusOnSale)
	case s.Phase == evening.Running:
		return s.Phase.String()
	}
	return string(search.StatusComing)
}

// DaySheet returns a sheet with a row for each of some days of sale.
func (b *Builder) DaySheet(name string, days []figures.Day) Sheet {
	s := b.newSheet(name, b.Text("sheet.days"), []sheetColumn{{head: b.Text("column.day_of_sale"), key: "date", kind: xlsx.Day}, {head: b.Text("notes.text"), key: "note"}}, dayKeys, figures.Scope{From: b.Today, To: b.Today})
	s.n = len(days)
	s.subject = func(i int) (row []any, notes []string) {
		if days[i] == b.Today {
			notes = append(notes, b.Text("date.so_far", words.Text("day", b.DayShortOf(days[i]))))
		}
		return []any{days[i], noteTexts(b.DayNotes(days[i], days[i]))}, notes
	}
	s.value = func(i int, d *catalogue.Definition) figures.Value {
		v, _ := catalogue.Of(b.Evening, d.Key, figures.Scope{From: days[i], To: days[i]})
		return v
	}
	s.sum, s.inSum = b.Text("sheet.sum"), allRows
	return s
}

// allRows is for a sheet of which every row is in the sum.
func allRows(int) bool { return true }

// PeriodSheet returns a sheet with a row for each performance of which something was sold or paid on days of sale, and for
// what belongs to none.
func (b *Builder) PeriodSheet(name string, from, to figures.Day) Sheet {
	of := figures.Scope{From: from, To: to}
	s := b.newSheet(name, b.Text("sheet.performances"), []sheetColumn{{head: b.Text("column.date"), key: "date", kind: xlsx.Day}, {head: b.Text("column.performance"), key: "title"}, {head: b.Text("column.hall"), key: "hall"},
		{head: b.Text("sheet.id"), key: "performance"}}, dayKeys, of)
	all := b.Evening.ByEvent(from, to)
	s.n = len(all)
	s.subject = func(i int) ([]any, []string) {
		if e := all[i].Event; e != nil {
			return []any{e.Date, words.Bare(b.TitleOf(e)), e.Event.Hall, e.Event.ID}, nil
		}
		return []any{nil, b.Text("revenue.unattributed"), nil, nil}, nil
	}
	values, last := map[figures.Key]figures.Value{}, -1 // of the last row
	s.value = func(i int, d *catalogue.Definition) figures.Value {
		if i != last {
			last = i
			clear(values)
			catalogue.EachOf(b.Evening, &all[i], of, func(d *catalogue.Definition, v figures.Value) { values[d.Key] = v })
		}
		return values[d.Key]
	}
	s.sum, s.inSum = b.Text("sheet.sum"), allRows
	return s
}

// SheetOf is what a sheet of figures of one scope is made of.
type SheetOf struct {
	Name, Tab string
	Head, Key string // of the first column, which names the rows
	Days      bool   // the first column has days
	Figures   []figures.Key
	Of        figures.Scope
	Rows      []any // what the first column has: strings, or days
	Value     func(row int, k figures.Key) figures.Value
	Summed    bool
}

// SheetOf returns a sheet with a row for each of some parts or days of what a page is about.
func (b *Builder) SheetOf(of SheetOf) Sheet {
	first := sheetColumn{head: of.Head, key: of.Key}
	if of.Days {
		first.kind = xlsx.Day
	}
	s := b.newSheet(of.Name, of.Tab, []sheetColumn{first}, of.Figures, of.Of)
	s.n = len(of.Rows)
	s.subject = func(i int) ([]any, []string) { return []any{of.Rows[i]}, nil }
	s.value = func(i int, d *catalogue.Definition) figures.Value { return of.Value(i, d.Key) }
	if of.Summed {
		s.sum, s.inSum = b.Text("sheet.sum"), allRows
	}
	return s
}

// RefundSheet returns a sheet with a row for each reason of refunds.
func (b *Builder) RefundSheet(name string, all []figures.RefundsFor) Sheet {
	columns := []sheetColumn{{head: b.Text("refunds.reason"), key: "reason"}}
	byReason := map[string]map[string]figures.RefundsFor{}
	var reasons, codes []string
	for _, r := range all {
		if byReason[r.Reason] == nil {
			byReason[r.Reason] = map[string]figures.RefundsFor{}
			reasons = append(reasons, r.Reason)
		}
		if byReason[r.Reason][r.Currency] = r; !slices.Contains(codes, r.Currency) {
			codes = append(codes, r.Currency)
		}
	}
	slices.Sort(codes)
	for _, code := range codes {
		in := func(text string) string {
			return b.Text("sheet.amount", words.Text("name", text), words.Text("currency", code))
		}
		number, key := b.Text("refunds.number"), "refunds"
		if len(codes) > 1 {
			number, key = in(number), key+"_"+strings.ToLower(code)
		}
		columns = append(columns, sheetColumn{head: number, key: key, kind: xlsx.Count}, sheetColumn{head: in(b.Text("revenue.refunded")), key: string(figures.KeyRefunded), kind: xlsx.Money, currency: code})
	}
	s := b.newSheet(name, b.Text("refunds.title"), columns, nil, figures.Scope{})
	s.n = len(reasons)
	s.subject = func(i int) ([]any, []string) {
		row := []any{cmp.Or(reasons[i], b.Text("refunds.none"))}
		for _, code := range codes {
			row = append(row, byReason[reasons[i]][code].Number, byReason[reasons[i]][code].Amount)
		}
		return row, nil
	}
	return s
}

// newSheet returns a sheet without rows: with columns of its subject, a column for each figure of a scope that the
// access includes, for amounts one for each currency of the house, and last how certain the figures are.
func (b *Builder) newSheet(name, tab string, subject []sheetColumn, keys []figures.Key, of figures.Scope) Sheet {
	s := Sheet{Name: name, Tab: tab, columns: subject}
	codes := Currencies(b.Total.Of(figures.Booked).Value, b.Total.Of(figures.Received).Value, b.Total.Of(figures.Refunded).Value)
	for _, key := range keys {
		d := catalogue.Define(key)
		if !b.Access.Explains(d, of) {
			continue
		}
		c := sheetColumn{head: b.FigureTitle(key), key: string(key), definition: b.Code("definition", string(key)), seenBy: b.seenBy(d, of)}
		switch {
		case d.Unit == figures.Share:
			c.kind = xlsx.Share
		case d.Unit.Ratio():
			c.kind = xlsx.Mean
		case d.Unit != figures.Money:
			c.kind = xlsx.Count
		}
		c.adds = !d.Unit.Ratio() && key != figures.KeyAveragePrice && key != figures.KeyToPayBack // to be paid back are performances that are in no sum
		if d.Unit != figures.Money {
			s.columns = append(s.columns, c)
			continue
		}
		c.kind = xlsx.Money
		for _, code := range codes {
			of := c
			of.currency = code
			of.head = b.Text("sheet.amount", words.Text("name", c.head), words.Text("currency", code))
			s.columns = append(s.columns, of)
		}
	}
	s.columns = append(s.columns, sheetColumn{head: b.Text("sheet.certainty"), key: "certainty"})
	return s
}

// seenBy names the roles that see a figure.
func (b *Builder) seenBy(d *catalogue.Definition, of figures.Scope) string {
	var names []string
	for _, r := range Roles {
		if r.Access().Explains(d, of) {
			names = append(names, b.Code("role", string(r)))
		}
	}
	return b.Text("sheet.seen_by", words.Text("roles", b.List(names)))
}

// cells returns a row: the cells of its subject, its figures, and what is to be said of those that are not exact. A value is nil, or of
// the Go type of its column's kind.
func (b *Builder) cells(s *Sheet, i int) []any {
	giveWay()
	row, notes := s.subject(i)
	row = slices.Grow(row, len(s.columns)-len(row))
	var missing []string
	last := figures.Key("")
	var v figures.Value
	say := func(all []string) []string {
		return append(all, b.Text("sheet.note", words.Text("name", b.FigureTitle(last)), words.Text("why", b.Because(Qualities[v.Quality], v.Reasons))))
	}
	summed := s.sum != "" && s.inSum(i)
	for _, c := range s.columns[len(row) : len(s.columns)-1] {
		if key := figures.Key(c.key); key != last {
			last, v = key, s.value(i, catalogue.Define(key))
			if summed {
				s.sums.note(key, v)
			}
			switch {
			case v.Known() && v.Quality != figures.Exact:
				notes = say(notes)
			case isMissing(v) && !slices.Contains(s.nowhere, key):
				missing = say(missing)
			}
		}
		var cell any
		switch {
		case !v.Known():
		case c.kind == xlsx.Money:
			cell = v.Amount.In(c.currency)
		case c.kind == xlsx.Count:
			cell = v.Count
		default:
			cell = v.Share
		}
		if summed && c.adds {
			s.sums.add(len(row), cell)
		}
		row = append(row, cell)
	}
	return append(row, strings.Join(append(notes, missing...), "; "))
}

// note notes how well a row knows a figure.
func (s *sheetSums) note(key figures.Key, v figures.Value) {
	switch {
	case isMissing(v) && !slices.Contains(s.missing, key):
		s.missing = append(s.missing, key)
	case v.Known() && v.Quality != figures.Exact && !slices.Contains(s.unsure, key):
		s.unsure = append(s.unsure, key)
	}
}

// add adds the number of a cell.
func (s *sheetSums) add(column int, cell any) {
	if s.of == nil {
		s.of = map[int]int64{}
	}
	switch n := cell.(type) {
	case int:
		s.of[column] += int64(n)
	case int64:
		s.of[column] += n
	}
}

// sumCells returns the row of the sums, once all rows are made; nil for none. Its name stands in the first column of text, or else instead of
// a day. There is no sum of what some row does not know.
func (b *Builder) sumCells(s *Sheet) []any {
	if s.sum == "" || s.n == 0 {
		return nil
	}
	cells := make([]any, len(s.columns))
	cells[max(0, slices.IndexFunc(s.columns[:len(s.columns)-1], func(c sheetColumn) bool { return c.kind == xlsx.Text && c.key != "note" }))] = s.sum
	named := map[string][]string{} // figures by what is said of them
	for i, c := range s.columns {
		key := figures.Key(c.key)
		n, ok := s.sums.of[i]
		say := ""
		switch {
		case !ok:
			continue
		case slices.Contains(s.sums.missing, key):
			say = "sheet.sum_missing"
		case c.kind == xlsx.Money:
			cells[i] = n
		default:
			cells[i] = int(n)
		}
		if say == "" && slices.Contains(s.sums.unsure, key) {
			say = "sheet.sum_unsure"
		}
		if name := b.FigureTitle(key); !slices.Contains(named[say], name) {
			named[say] = append(named[say], name)
		}
	}
	var said []string
	for _, say := range []string{"sheet.sum_missing", "sheet.sum_unsure"} {
		if names := named[say]; len(names) > 0 {
			said = append(said, b.Text(say, words.Text("names", b.List(names))))
		}
	}
	cells[len(cells)-1] = strings.Join(said, "; ")
	return cells
}

// isMissing reports whether a figure is not known; one that does not apply has no reason.
func isMissing(v figures.Value) bool { return !v.Known() && len(v.Reasons) > 0 }

// sayNowhere adds to the definition of each figure that no row knows why.
func (b *Builder) sayNowhere(s *Sheet) {
	var open []int // columns, one for each figure
	why := map[int]string{}
	for i := range s.columns {
		if s.columns[i].definition != "" && s.columns[i].key != s.columns[i-1].key {
			open = append(open, i)
		}
	}
	for row := 0; row < s.n && len(open) > 0; row++ {
		open = slices.DeleteFunc(open, func(i int) bool {
			v := s.value(row, catalogue.Define(figures.Key(s.columns[i].key)))
			if row == 0 && isMissing(v) {
				why[i] = b.Because(Qualities[v.Quality], v.Reasons)
			}
			return !isMissing(v)
		})
	}
	if s.n == 0 {
		return
	}
	for _, i := range open {
		s.columns[i].definition += " (" + why[i] + ")"
		s.nowhere = append(s.nowhere, figures.Key(s.columns[i].key))
	}
}
