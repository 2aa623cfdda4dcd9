package web

import (
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
	title                 string                      // what its figure is called
	value                 func(row int) figures.Value // nil for a figure of the catalogue
	seenBy                string                      // the roles that see the figure
	adds                  bool                        // its values add up to something
	kind                  xlsx.Kind
	currency              string
	elsewhere             figures.Key // the figure that it has of other days or places than the sheet; empty for none
}

// performanceKeys are the figures of a sheet of performances, in the order of their columns.
var performanceKeys = []figures.Key{figures.KeyCapacity, figures.KeySold, figures.KeyPaid, figures.KeyUnpaid, figures.KeyComplimentary, figures.KeyFreeTickets, figures.KeyReserved, figures.KeyBlocked, figures.KeyFree,
	figures.KeyOccupancy, figures.KeyExpected, figures.KeyCame, figures.KeyNoShows, figures.KeyNoShow, figures.KeyBooked, figures.KeyFees, figures.KeyReceived, figures.KeyRefunded, figures.KeyChargedBack, figures.KeyReversed,
	figures.KeyNet, figures.KeyVAT, figures.KeyNetOfVAT, figures.KeyAveragePrice, figures.KeyToPayBack}

// SheetLink returns the link to the workbook of the page at a path, with the page's choices.
func (b *Builder) SheetLink(path string, choices url.Values) Link {
	if path += SheetXLSX; len(query.Given(choices)) > 0 {
		path += "?" + query.Given(choices).Encode()
	}
	return Link{Href: path, Text: b.Text("sheet.excel")}
}

// PerformanceSheet returns a sheet with a row for each of some performances, and columns for more figures, where these apply.
func (b *Builder) PerformanceSheet(name string, shows []*evening.Show, more ...figures.Key) Sheet {
	s := b.newSheet(name, b.Text("sheet.performances"), []sheetColumn{{head: b.Text("column.date"), key: "date", kind: xlsx.Day}, {head: b.Text("column.time"), key: "time", kind: xlsx.Clock},
		{head: b.Text("column.performance"), key: "title"}, {head: b.Text("column.hall"), key: "hall"}, {head: b.Text("column.status"), key: "status"}, {head: b.Text("notes.text"), key: "note"}, {head: b.Text("sheet.id"), key: "performance"}},
		slices.Concat(performanceKeys, more), figures.Scope{Event: "any"})
	s.n = len(shows)
	s.subject = func(i int) ([]any, []string) {
		show := shows[i]
		row := []any{show.Date, nil, words.Bare(b.TitleOf(show.EventFigures)), show.Event.Hall, b.Code("status", sheetStatus(show)), NoteTexts(b.NotesOf(show.Event.ID)), show.Event.ID}
		if at := show.Event.StartsAt.In(b.Zone); !show.Event.StartsAt.IsZero() { // with its date: after midnight that is the next
			row[0], row[1] = figures.Day(at.Format(time.DateOnly)), at.Hour()*60+at.Minute()
		}
		return row, nil
	}
	s.value = func(i int, d *catalogue.Definition) figures.Value {
		if slices.Contains(more, d.Key) && !catalogue.Applies(shows[i], d.Key) || d.Key == figures.KeyExpected && shows[i].Phase == evening.Postponed {
			return figures.Value{Quality: figures.Unknown}
		}
		return d.OfShow(shows[i])
	}
	s.sum, s.inSum = b.Text("sheet.sum_on"), func(i int) bool { return shows[i].Phase.GoesAhead() }
	return s
}

// NoteTexts returns the texts of notes for a cell.
func NoteTexts(notes []figures.Note) string {
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

// allRows is for a sheet of which every row is in the sum.
func allRows(int) bool { return true }

// Column is a column beside the figures of a sheet; one of amounts has a currency.
type Column struct {
	Head, Key, Currency string
	Kind                xlsx.Kind
}

// SheetOf is what a sheet is made of.
type SheetOf struct {
	Name, Tab string
	Columns   []Column
	Rows      [][]any                // the cells of these columns: strings, days, counts, amounts in minor units, or nil
	Notes     func(row int) []string // what is to be said of a row; nil for nothing
	Figures   []figures.Key
	Of        figures.Scope // decides who sees the figures
	Value     func(row int, k figures.Key) figures.Value
	Summed    bool
}

// SheetOf returns a sheet with a row for each of some parts, days or performances of what a page is about.
func (b *Builder) SheetOf(of SheetOf) Sheet {
	first := make([]sheetColumn, len(of.Columns))
	for i, c := range of.Columns {
		first[i] = sheetColumn{head: c.Head, key: c.Key, kind: c.Kind, currency: c.Currency}
	}
	s := b.newSheet(of.Name, of.Tab, first, of.Figures, of.Of)
	s.n = len(of.Rows)
	s.subject = func(i int) (row []any, notes []string) {
		if of.Notes != nil {
			notes = of.Notes(i)
		}
		return of.Rows[i], notes
	}
	s.value = func(i int, d *catalogue.Definition) figures.Value { return of.Value(i, d.Key) }
	if of.Summed {
		s.sum, s.inSum = b.Text("sheet.sum"), allRows
	}
	return s
}

// AddAmounts adds columns with what was booked on other days than those of the rows, one for each currency of the house. They are
// summed if adds is true.
func (b *Builder) AddAmounts(s *Sheet, name, key string, adds bool, value func(row int) figures.Value) {
	for _, code := range b.sheetCurrencies() {
		s.columns = slices.Insert(s.columns, len(s.columns)-1, sheetColumn{title: name, head: b.Text("sheet.amount", words.Text("name", name), words.Text("currency", code)), key: key, adds: adds, kind: xlsx.Money, currency: code, value: value, elsewhere: figures.KeyBooked})
	}
}

// sheetCurrencies returns the currencies of the house, each of which has its own columns.
func (b *Builder) sheetCurrencies() []string {
	return figures.Currencies(b.Total.Of(figures.Booked).Value, b.Total.Of(figures.Received).Value, b.Total.Of(figures.Refunded).Value)
}

// newSheet returns a sheet without rows: with columns of its subject, a column for each figure of a scope that the
// access includes, for amounts one for each currency of the house, and last how certain the figures are.
func (b *Builder) newSheet(name, tab string, subject []sheetColumn, keys []figures.Key, of figures.Scope) Sheet {
	s := Sheet{Name: name, Tab: tab, columns: subject}
	codes := b.sheetCurrencies()
	for _, key := range keys {
		d := catalogue.Define(key)
		if !b.Access.Explains(d, of) {
			continue
		}
		c := sheetColumn{head: b.FigureTitle(key), title: b.FigureTitle(key), key: string(key), definition: b.Code("definition", string(key)), seenBy: b.seenBy(d, of)}
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
	last, title := figures.Key(""), ""
	var v figures.Value
	say := func(all []string) []string {
		return append(all, b.Text("sheet.note", words.Text("name", title), words.Text("why", b.Because(QualityOf(v), v.Reasons))))
	}
	summed := s.sum != "" && s.inSum(i)
	for _, c := range s.columns[len(row) : len(s.columns)-1] {
		if key := figures.Key(c.key); key != last {
			if last, title = key, c.title; c.value != nil {
				v = c.value(i)
			} else {
				v = s.value(i, catalogue.Define(key))
			}
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
// a day. There is no sum of what some row does not know,
// or of which the rows are not all.
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
		case !ok && (c.value == nil || c.adds):
			continue
		case !ok:
			say = "sheet.sum_others"
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
		if name := c.title; !slices.Contains(named[say], name) {
			named[say] = append(named[say], name)
		}
	}
	var said []string
	for _, say := range []string{"sheet.sum_missing", "sheet.sum_others", "sheet.sum_unsure"} {
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
				why[i] = b.Because(QualityOf(v), v.Reasons)
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
