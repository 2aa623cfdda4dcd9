package web

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"time"

	"housecount/aggregator/figures"
	"housecount/web/words"
	"housecount/web/xlsx"
)

// SheetFormat is a form of sheets.
type SheetFormat uint8

// The forms of sheets: a workbook, the first sheet as CSV, and JSON.
const (
	Workbook SheetFormat = iota
	SheetOfCSV
	SheetOfJSON
)

// SheetFile is the sheets of a page. Their rows are made while they are written, by the figures of one moment.
type SheetFile struct {
	Name   string // of the file, without its extension
	b      *Builder
	sheets []Sheet
}

// SheetFile returns the sheets of the requested page. Its errors are those of Page.
func (r *Renderer) SheetFile(f Frame) (*SheetFile, error) {
	if err := f.Request.check(); err != nil {
		return nil, err
	}
	page := PageNamed(f.Request.Page)
	if page.Sheets == nil || f.Ready && !f.Request.Exists(f.Snapshot) {
		return nil, ErrNotFound
	}
	b := NewBuilder(f.Request, f.Snapshot, f.Now)
	b.recent = &r.recent
	b.MakeEvening()
	sheets, err := page.Sheets(b)
	if err != nil {
		return nil, err
	}
	return &SheetFile{sheets[0].Name, b, sheets}, nil
}

// Write writes the sheets, once. A workbook begins to be written before its rows are made, and flushes that where w has a method Flush. Its
// errors are those of w.
func (f *SheetFile) Write(w io.Writer, format SheetFormat) error {
	if format == Workbook {
		return f.b.writeWorkbook(w, f.sheets)
	}
	for i := range f.sheets {
		f.b.sayNowhere(&f.sheets[i])
	}
	if format == SheetOfJSON {
		return f.b.writeJSON(w, f.sheets)
	}
	return f.b.writeCSV(w, &f.sheets[0])
}

// Sheets writes the sheets of the requested page, and returns a name for the file. Its errors are those of Page.
func (r *Renderer) Sheets(w io.Writer, f Frame, format SheetFormat) (name string, err error) {
	file, err := r.SheetFile(f)
	if err != nil {
		return "", err
	}
	return file.Name, file.Write(w, format)
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
	for n := range s.n {
		for i, value := range b.cells(s, n) {
			cells[i] = ""
			switch v := value.(type) {
			case string:
				cells[i] = Cell(v)
			case figures.Day:
				cells[i] = string(v)
			case int:
				if cells[i] = strconv.Itoa(v); s.columns[i].kind == xlsx.Clock {
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
var cellKinds = [...]string{xlsx.Text: "text", xlsx.Day: "date", xlsx.Clock: "time", xlsx.Count: "count", xlsx.Share: "share", xlsx.Mean: "mean", xlsx.Money: "money"}

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
	for i := range sheets {
		s := &sheets[i]
		t := tableData{Title: s.Tab, Rows: make([]map[string]any, 0, s.n)}
		for _, c := range s.columns {
			d := columnData{Key: c.dataKey(), Title: c.head, Kind: cellKinds[c.kind], Currency: c.currency, Definition: c.definition}
			if c.definition != "" {
				d.Figure = c.key
			}
			if c.elsewhere != "" {
				d.Figure, d.Definition = string(c.elsewhere), b.Code("definition", string(c.elsewhere))
			}
			t.Columns = append(t.Columns, d)
		}
		for n := range s.n {
			values := make(map[string]any, len(s.columns))
			for i, value := range b.cells(s, n) {
				switch c := &s.columns[i]; v := value.(type) {
				case int64:
					value = json.Number(Major(v, c.currency).String())
				case int:
					if c.kind == xlsx.Clock {
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
