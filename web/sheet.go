package web

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/web/words"
)

// The last parts of the addresses of a page's sheet, after the address of the page.
const (
	SheetXLSX = "/table.xlsx"
	SheetCSV  = "/table.csv"
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
		if at := show.Event.StartsAt.In(b.Zone); !show.Event.StartsAt.IsZero() {
			row[1] = at.Hour()*60 + at.Minute()
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
		return string(evening.StatusSoldOut)
	case s.Sale == evening.SaleOpen:
		return string(evening.StatusOnSale)
	}
	return string(evening.StatusComing)
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

// SheetFormat is a form of sheets.
type SheetFormat uint8

// The forms of sheets: a workbook, the first sheet as CSV, and JSON.
const (
	Workbook SheetFormat = iota
	SheetOfCSV
	SheetOfJSON
)

// Sheets writes the sheets of the requested page, and returns a name for the file. Its errors are those of Page.
func (r *Renderer) Sheets(w io.Writer, f Frame, format SheetFormat) (name string, err error) {
	if err := f.Request.check(); err != nil {
		return "", err
	}
	page := PageNamed(f.Request.Page)
	if page.Sheets == nil || f.Ready && !f.Request.Exists(f.Snapshot) {
		return "", ErrNotFound
	}
	b := NewBuilder(f.Request, f.Snapshot, f.Now)
	b.recent = &r.recent
	b.MakeEvening()
	sheets, err := page.Sheets(b)
	if err != nil {
		return "", err
	}
	for i := range sheets {
		b.sayUnknown(&sheets[i])
	}
	switch format {
	case Workbook:
		return sheets[0].Name, b.writeWorkbook(w, sheets)
	case SheetOfJSON:
		return sheets[0].Name, b.writeJSON(w, sheets)
	}
	return sheets[0].Name, b.writeCSV(w, &sheets[0])
}

// writeCSV writes a sheet as CSV in the form of Export.
func (b *Builder) writeCSV(w io.Writer, s *Sheet) error {
	if _, err := io.WriteString(w, "\ufeff"); err != nil {
		return err
	}
	table := csv.NewWriter(w)
	table.UseCRLF, table.Comma = true, b.BetweenColumns()
	cells := make([]string, len(s.columns))
	for i, c := range s.columns {
		cells[i] = b.ColumnHead(c.head, c.key)
	}
	if err := table.Write(cells); err != nil {
		return err
	}
	for _, row := range s.rows {
		for i, value := range row {
			cells[i] = ""
			switch v := value.(type) {
			case string:
				cells[i] = Cell(v)
			case figures.Day:
				cells[i] = string(v)
			case int:
				if cells[i] = strconv.Itoa(v); s.columns[i].kind == cellClock {
					cells[i] = time.Date(2000, 1, 1, 0, v, 0, 0, time.UTC).Format("15:04")
				}
			case int64:
				cells[i] = b.Plain(Major(v, s.columns[i].currency).String())
			case float64:
				cells[i] = b.Plain(strconv.FormatFloat(v, 'f', 4, 64))
			}
		}
		if err := table.Write(cells); err != nil {
			return err
		}
	}
	table.Flush()
	return table.Error()
}

// sheetsData is sheets as JSON. assets/api.yaml describes it.
type sheetsData struct {
	Name     string      `json:"name"`
	AsOf     *time.Time  `json:"as_of"` // null while nothing was read
	Epoch    string      `json:"epoch"`
	Position int64       `json:"position"`
	Tables   []tableData `json:"tables"`
}

type tableData struct {
	Title   string           `json:"title"`
	Columns []columnData     `json:"columns"`
	Rows    []map[string]any `json:"rows"`
}

type columnData struct {
	Key        string `json:"key"`
	Title      string `json:"title"`
	Kind       string `json:"kind"`
	Figure     string `json:"figure,omitempty"`
	Currency   string `json:"currency,omitempty"`
	Definition string `json:"definition,omitempty"`
}

// cellKinds are the names of the kinds of cells in JSON.
var cellKinds = [...]string{cellText: "text", cellDay: "date", cellClock: "time", cellCount: "count", cellShare: "share", cellMean: "mean", cellMoney: "money"}

// dataKey returns the name of a column's values in JSON: an amount has one for each currency.
func (c *sheetColumn) dataKey() string {
	if c.currency == "" {
		return c.key
	}
	return c.key + "_" + strings.ToLower(c.currency)
}

// writeJSON writes sheets as JSON. What is not known is null; amounts are numbers in units of their currency.
func (b *Builder) writeJSON(w io.Writer, sheets []Sheet) error {
	all := sheetsData{Name: sheets[0].Name, Epoch: b.Position.Epoch, Position: b.Position.Revision}
	if !b.AsOf.IsZero() {
		all.AsOf = new(b.AsOf.In(b.Zone).Truncate(time.Second))
	}
	for _, s := range sheets {
		t := tableData{Title: s.Tab, Rows: make([]map[string]any, 0, len(s.rows))}
		for _, c := range s.columns {
			d := columnData{Key: c.dataKey(), Title: c.head, Kind: cellKinds[c.kind], Currency: c.currency, Definition: c.definition}
			if c.definition != "" {
				d.Figure = c.key
			}
			t.Columns = append(t.Columns, d)
		}
		for _, row := range s.rows {
			values := make(map[string]any, len(row))
			for i, value := range row {
				switch c := &s.columns[i]; v := value.(type) {
				case int64:
					value = json.Number(Major(v, c.currency).String())
				case int:
					if c.kind == cellClock {
						value = time.Date(2000, 1, 1, 0, v, 0, 0, time.UTC).Format("15:04")
					}
				case float64:
					value = json.Number(strconv.FormatFloat(v, 'f', 4, 64))
				case string:
					value = words.Bare(v)
				}
				values[s.columns[i].dataKey()] = value
			}
			t.Rows = append(t.Rows, values)
		}
		all.Tables = append(all.Tables, t)
	}
	return json.NewEncoder(w).Encode(all)
}

// workbookFormats are the number formats of cells in a workbook; amounts have one by the decimals of their currency.
var workbookFormats = map[cellKind]string{cellDay: "yyyy-mm-dd", cellClock: "hh:mm", cellCount: "#,##0", cellShare: "0.0%", cellMean: "0.0"}

// writeWorkbook writes sheets as a workbook of typed cells, and last one that defines their columns.
func (b *Builder) writeWorkbook(w io.Writer, sheets []Sheet) error {
	f := excelize.NewFile()
	defer f.Close()
	bold, err := f.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}, Alignment: &excelize.Alignment{WrapText: true, Vertical: "top"}})
	if err != nil {
		return err
	}
	for i := range sheets {
		styles, err := workbookStyles(f, &sheets[i])
		if err != nil {
			return err
		}
		if err := streamTable(f, &sheets[i], styles, bold); err != nil {
			return err
		}
	}
	if err := b.streamDefinitions(f, sheets, bold); err != nil {
		return err
	}
	if err := f.DeleteSheet("Sheet1"); err != nil {
		return err
	}
	_, err = f.WriteTo(w)
	return err
}

// workbookStyles returns the style of each column of a sheet.
func workbookStyles(f *excelize.File, s *Sheet) (styles []int, err error) {
	styles = make([]int, len(s.columns))
	for i, c := range s.columns {
		format := workbookFormats[c.kind]
		if c.kind == cellMoney {
			_, decimals, _ := strings.Cut(Major(0, c.currency).String(), ".")
			format = "#,##0"
			if decimals != "" {
				format += "." + decimals
			}
		}
		if format == "" {
			continue
		}
		if styles[i], err = f.NewStyle(&excelize.Style{CustomNumFmt: &format}); err != nil {
			return nil, err
		}
	}
	return styles, nil
}

// streamTable writes the rows of a sheet.
func streamTable(f *excelize.File, s *Sheet, styles []int, bold int) error {
	if _, err := f.NewSheet(s.Tab); err != nil {
		return err
	}
	out, err := f.NewStreamWriter(s.Tab)
	if err != nil {
		return err
	}
	heads := make([]any, len(s.columns))
	for i, c := range s.columns {
		heads[i] = excelize.Cell{StyleID: bold, Value: c.head}
		width := 12.0
		if c.kind == cellText {
			width = 28
		}
		if err := out.SetColWidth(i+1, i+1, width); err != nil {
			return err
		}
	}
	if err := out.SetPanes(&excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}); err != nil {
		return err
	}
	if err := out.SetRow("A1", heads); err != nil {
		return err
	}
	cells := make([]any, len(s.columns))
	for n, row := range s.rows {
		for i, value := range row {
			cells[i] = workbookCell(value, &s.columns[i], styles[i])
		}
		if err := out.SetRow("A"+strconv.Itoa(n+2), cells); err != nil {
			return err
		}
	}
	return out.Flush()
}

// workbookCell returns a value as a cell of a workbook. Text is never a formula.
func workbookCell(value any, c *sheetColumn, style int) any {
	switch v := value.(type) {
	case string:
		if v == "" {
			return nil
		}
	case figures.Day:
		at, err := time.Parse(time.DateOnly, string(v))
		if err != nil {
			return nil
		}
		return excelize.Cell{StyleID: style, Value: at}
	case int:
		if c.kind == cellClock {
			return excelize.Cell{StyleID: style, Value: float64(v) / (24 * 60)}
		}
	case int64:
		amount, _ := strconv.ParseFloat(Major(v, c.currency).String(), 64)
		return excelize.Cell{StyleID: style, Value: amount}
	case nil:
		return nil
	}
	return excelize.Cell{StyleID: style, Value: value}
}

// streamDefinitions writes as of when the figures are, and what each column is.
func (b *Builder) streamDefinitions(f *excelize.File, sheets []Sheet, bold int) error {
	tab := b.Text("sheet.about")
	if _, err := f.NewSheet(tab); err != nil {
		return err
	}
	out, err := f.NewStreamWriter(tab)
	if err != nil {
		return err
	}
	if err := out.SetColWidth(1, 1, 28); err != nil {
		return err
	}
	if err := out.SetColWidth(2, 2, 110); err != nil {
		return err
	}
	asOf := ""
	if !b.AsOf.IsZero() {
		asOf = b.AsOf.In(b.Zone).Format("2006-01-02 15:04:05 -07:00")
	}
	rows := [][]any{{excelize.Cell{StyleID: bold, Value: b.Code("export_column", "as_of")}, asOf}, {excelize.Cell{StyleID: bold, Value: b.Text("sheet.zone")}, b.Zone.String()}, {}}
	seen := []string{}
	for _, s := range sheets {
		for _, c := range s.columns {
			if c.definition != "" && !slices.Contains(seen, c.key) {
				seen = append(seen, c.key)
				rows = append(rows, []any{excelize.Cell{StyleID: bold, Value: b.FigureTitle(figures.Key(c.key))}, c.definition, c.seenBy})
			}
		}
	}
	for i, row := range rows {
		if err := out.SetRow("A"+strconv.Itoa(i+1), row); err != nil {
			return err
		}
	}
	return out.Flush()
}
