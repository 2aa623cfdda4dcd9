package web

import (
	"net/url"
	"strings"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/search"
	"housecount/web/words"
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
// access includes.
type Sheet struct {
	Name    string // of the file
	Tab     string // of the table in a workbook
	columns []sheetColumn
	rows    [][]any                  // a value is nil, or of the Go type of its column's kind
	unknown []map[figures.Key]string // by row, why figures that apply to it are not known
}

// sheetColumn is a column of a Sheet. A figure has a key that is the same in every language, and a definition; an
// amount has a currency.
type sheetColumn struct {
	head, key, definition string
	seenBy                string // the roles that see the figure
	kind                  cellKind
	currency              string
}

// cellKind is what the values of a column are.
type cellKind uint8

const (
	cellText  cellKind = iota // string
	cellDay                   // figures.Day
	cellClock                 // int, minutes after midnight
	cellCount                 // int
	cellShare                 // float64, 1 for all
	cellMean                  // float64
	cellMoney                 // int64, in minor units of the column's currency
)

// The figures of sheets, in the order of their columns.
var (
	performanceKeys = []figures.Key{figures.KeyCapacity, figures.KeySold, figures.KeyPaid, figures.KeyUnpaid, figures.KeyComplimentary, figures.KeyFreeTickets, figures.KeyReserved, figures.KeyBlocked, figures.KeyFree,
		figures.KeyOccupancy, figures.KeyExpected, figures.KeyCame, figures.KeyNoShows, figures.KeyNoShow, figures.KeyBooked, figures.KeyFees, figures.KeyReceived, figures.KeyRefunded, figures.KeyChargedBack, figures.KeyReversed,
		figures.KeyNet, figures.KeyVAT, figures.KeyNetOfVAT, figures.KeyAveragePrice, figures.KeyToPayBack}
	dayKeys = []figures.Key{figures.KeySold, figures.KeyBooked, figures.KeyFees, figures.KeyReceived, figures.KeyRefunded, figures.KeyChargedBack, figures.KeyReversed, figures.KeyNet, figures.KeyVAT, figures.KeyNetOfVAT}
)

// SheetLink returns the link to the workbook of the page at a path, with the page's choices.
func (b *Builder) SheetLink(path string, choices url.Values) Link {
	if path += SheetXLSX; len(onlyGiven(choices)) > 0 {
		path += "?" + onlyGiven(choices).Encode()
	}
	return Link{Href: path, Text: b.Text("sheet.excel")}
}

// onlyGiven returns the parameters that have a value.
func onlyGiven(all url.Values) url.Values {
	given := url.Values{}
	for name, values := range all {
		if len(values) > 0 && values[0] != "" {
			given[name] = values
		}
	}
	return given
}

// PerformanceSheet returns a sheet with a row for each of some performances.
func (b *Builder) PerformanceSheet(name string, shows []*evening.Show) Sheet {
	s := b.newSheet(name, b.Text("sheet.performances"), []sheetColumn{{head: b.Text("column.date"), key: "date", kind: cellDay}, {head: b.Text("column.time"), key: "time", kind: cellClock},
		{head: b.Text("column.performance"), key: "title"}, {head: b.Text("column.hall"), key: "hall"}, {head: b.Text("column.status"), key: "status"}, {head: b.Text("notes.text"), key: "note"}, {head: b.Text("sheet.id"), key: "performance"}},
		performanceKeys, figures.Scope{Event: "any"})
	for _, show := range shows {
		row := []any{show.Date, nil, words.Bare(b.TitleOf(show.EventFigures)), show.Event.Hall, b.Code("status", sheetStatus(show)), noteTexts(b.NotesOf(show.Event.ID)), show.Event.ID}
		if at := show.Event.StartsAt.In(b.Zone); !show.Event.StartsAt.IsZero() { // with its date: after midnight that is the next
			row[0], row[1] = figures.Day(at.Format(time.DateOnly)), at.Hour()*60+at.Minute()
		}
		b.addRow(&s, row, nil, func(d *catalogue.Definition) figures.Value { return d.OfShow(show) })
	}
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
	s := b.newSheet(name, b.Text("sheet.days"), []sheetColumn{{head: b.Text("column.day_of_sale"), key: "date", kind: cellDay}, {head: b.Text("notes.text"), key: "note"}}, dayKeys, figures.Scope{From: b.Today, To: b.Today})
	for _, day := range days {
		var notes []string
		if day == b.Today {
			notes = append(notes, b.Text("date.so_far", words.Text("day", b.DayShortOf(day))))
		}
		b.addRow(&s, []any{day, noteTexts(b.DayNotes(day, day))}, notes, func(d *catalogue.Definition) figures.Value {
			v, _ := catalogue.Of(b.Evening, d.Key, figures.Scope{From: day, To: day})
			return v
		})
	}
	return s
}

// PeriodSheet returns a sheet with a row for each performance of which something was sold or paid on days of sale, and for
// what belongs to none.
func (b *Builder) PeriodSheet(name string, from, to figures.Day) Sheet {
	of := figures.Scope{From: from, To: to}
	s := b.newSheet(name, b.Text("sheet.performances"), []sheetColumn{{head: b.Text("column.date"), key: "date", kind: cellDay}, {head: b.Text("column.performance"), key: "title"}, {head: b.Text("column.hall"), key: "hall"},
		{head: b.Text("sheet.id"), key: "performance"}}, dayKeys, of)
	for _, p := range b.Evening.ByEvent(from, to) {
		row := []any{nil, b.Text("revenue.unattributed"), nil, nil}
		if e := p.Event; e != nil {
			row = []any{e.Date, words.Bare(b.TitleOf(e)), e.Event.Hall, e.Event.ID}
		}
		values := map[figures.Key]figures.Value{}
		catalogue.EachOf(b.Evening, &p, of, func(d *catalogue.Definition, v figures.Value) { values[d.Key] = v })
		b.addRow(&s, row, nil, func(d *catalogue.Definition) figures.Value { return values[d.Key] })
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
			c.kind = cellShare
		case d.Unit.Ratio():
			c.kind = cellMean
		case d.Unit != figures.Money:
			c.kind = cellCount
		}
		if d.Unit != figures.Money {
			s.columns = append(s.columns, c)
			continue
		}
		c.kind = cellMoney
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

// addRow adds a row: the cells of its subject, its figures, and what is to be said of those that are not exact.
func (b *Builder) addRow(s *Sheet, subject []any, notes []string, of func(*catalogue.Definition) figures.Value) {
	giveWay()
	row := subject
	last, unknown := figures.Key(""), map[figures.Key]string{}
	var v figures.Value
	for _, c := range s.columns[len(subject) : len(s.columns)-1] {
		if key := figures.Key(c.key); key != last {
			last, v = key, of(catalogue.Define(key))
			switch why := b.Because(Qualities[v.Quality], v.Reasons); {
			case v.Known() && v.Quality != figures.Exact:
				notes = append(notes, b.Text("sheet.note", words.Text("name", b.FigureTitle(key)), words.Text("why", why)))
			case !v.Known() && len(v.Reasons) > 0: // one that does not apply has no reason
				unknown[key] = why
			}
		}
		var cell any
		switch {
		case !v.Known():
		case c.kind == cellMoney:
			cell = v.Amount.In(c.currency)
		case c.kind == cellCount:
			cell = v.Count
		default:
			cell = v.Share
		}
		row = append(row, cell)
	}
	s.rows, s.unknown = append(s.rows, append(row, strings.Join(notes, "; "))), append(s.unknown, unknown)
}

// sayUnknown adds to each row what is not known in it and why. A figure that no row knows says so in its definition.
func (b *Builder) sayUnknown(s *Sheet) {
	last := len(s.columns) - 1
	for i := range s.columns {
		key := figures.Key(s.columns[i].key)
		missing := 0
		for _, unknown := range s.unknown {
			if unknown[key] != "" {
				missing++
			}
		}
		switch {
		case missing == 0 || i > 0 && s.columns[i-1].key == s.columns[i].key: // of another currency
		case missing == len(s.rows):
			s.columns[i].definition += " (" + s.unknown[0][key] + ")"
		default:
			for row, unknown := range s.unknown {
				if why := unknown[key]; why != "" {
					said, _ := s.rows[row][last].(string)
					s.rows[row][last] = strings.TrimPrefix(said+"; "+b.Text("sheet.note", words.Text("name", b.FigureTitle(key)), words.Text("why", why)), "; ")
				}
			}
		}
	}
}
