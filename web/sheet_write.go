package web

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"

	"housecount/aggregator/figures"
	"housecount/web/words"
)

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
		giveWay()
		for i, value := range row {
			cells[i] = workbookCell(value, &s.columns[i], styles[i])
		}
		if err := out.SetRow("A"+strconv.Itoa(n+2), cells); err != nil {
			return err
		}
	}
	return out.Flush()
}

// giveWay lets what else waits go first: a table of thousands of rows takes seconds of a processor, and pages show sales meanwhile.
func giveWay() { runtime.Gosched() }

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
