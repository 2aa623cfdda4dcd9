package xlsx

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
)

// Kind is what the values of a column are.
type Kind uint8

// The kinds of columns, and the Go types of their values.
const (
	Text  Kind = iota // string
	Day               // Date
	Clock             // int, minutes after midnight
	Count             // int
	Share             // float64, 1 for all
	Mean              // float64
	Money             // int64, in minor units
)

// Date is a day, YYYY-MM-DD.
type Date string

// Column is a column of a Table.
type Column struct {
	Head string
	Kind Kind
	// Amount returns an amount in minor units as a number in major units, for columns of Money.
	Amount func(minor int64) string
}

// Table is a tab of a workbook. Its rows are made while it is written.
type Table struct {
	Name    string
	Columns []Column
	Rows    int
	// Cells returns a row: for each column nil, or a value of its kind or a text.
	Cells func(row int) []any
	// Sums returns a last row, once all others are made; nil for none.
	Sums func() []any
}

// About is the last tab of a workbook, which says what the others have. The first cell of each row is bold.
type About struct {
	Name string
	Rows [][]any
}

// formats are the number formats of cells; amounts have one by the decimals of their currency.
var formats = map[Kind]string{Day: "yyyy-mm-dd", Clock: "hh:mm", Count: "#,##0", Share: "0.0%", Mean: "0.0"}

// rowsEnd is what follows the rows of a table in its part of a workbook.
const rowsEnd = "</sheetData>"

// Write writes a workbook of typed cells. All but the rows is written and flushed first, where w has a method Flush, and each row once it is
// made, so that a long table is neither held nor waited for. Its errors are those of w.
func Write(w io.Writer, tables []Table, about About) error {
	empty, styles, err := emptyWorkbook(tables, about)
	if err != nil {
		return err
	}
	parts, err := zip.NewReader(bytes.NewReader(empty), int64(len(empty)))
	if err != nil {
		return err
	}
	out := zip.NewWriter(w)
	found, names := make([]*zip.File, len(tables)), make([]string, len(tables))
	for i := range names {
		names[i] = "xl/worksheets/sheet" + strconv.Itoa(i+1) + ".xml"
	}
	for _, part := range parts.File {
		if i := slices.Index(names, part.Name); i >= 0 {
			found[i] = part
		} else if err := out.Copy(part); err != nil {
			return err
		}
	}
	if err := flush(out, w); err != nil {
		return err
	}
	for i, part := range found {
		if part == nil {
			return fmt.Errorf("xlsx: a workbook has no part of the table %d", i+1)
		}
		if err := tables[i].write(out, part, styles[i]); err != nil {
			return err
		}
	}
	return out.Close()
}

// flush hands on what was written so far, as far as w can.
func flush(out *zip.Writer, w io.Writer) error {
	if f, ok := w.(interface{ Flush() }); ok {
		if err := out.Flush(); err != nil {
			return err
		}
		f.Flush()
	}
	return nil
}

// emptyWorkbook returns a workbook with all but the rows of its tables, and for each table the style of each column.
func emptyWorkbook(tables []Table, about About) (content []byte, styles [][]int, err error) {
	f := excelize.NewFile()
	defer f.Close()
	bold, err := f.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}, Alignment: &excelize.Alignment{WrapText: true, Vertical: "top"}})
	if err != nil {
		return nil, nil, err
	}
	styles = make([][]int, len(tables))
	for i := range tables {
		t := &tables[i]
		if styles[i], err = t.styles(f); err != nil {
			return nil, nil, err
		}
		if i == 0 {
			err = f.SetSheetName("Sheet1", t.Name)
		} else {
			_, err = f.NewSheet(t.Name)
		}
		if err != nil {
			return nil, nil, err
		}
		if err := t.writeHeads(f, bold); err != nil {
			return nil, nil, err
		}
	}
	if err := about.write(f, bold); err != nil {
		return nil, nil, err
	}
	made, err := f.WriteToBuffer()
	if err != nil {
		return nil, nil, err
	}
	return made.Bytes(), styles, nil
}

// styles returns the style of each column.
func (t *Table) styles(f *excelize.File) (styles []int, err error) {
	styles = make([]int, len(t.Columns))
	for i, c := range t.Columns {
		format := formats[c.Kind]
		if c.Kind == Money {
			_, decimals, _ := strings.Cut(c.Amount(0), ".")
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

func (t *Table) writeHeads(f *excelize.File, bold int) error {
	out, err := f.NewStreamWriter(t.Name)
	if err != nil {
		return err
	}
	heads := make([]any, len(t.Columns))
	for i, c := range t.Columns {
		heads[i] = excelize.Cell{StyleID: bold, Value: c.Head}
		width := 12.0
		if c.Kind == Text {
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
	return out.Flush()
}

// write writes the part of a table: what an empty workbook has of it, with the rows.
func (t *Table) write(out *zip.Writer, empty *zip.File, styles []int) error {
	in, err := empty.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	head, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	before, after, ok := bytes.Cut(head, []byte(rowsEnd))
	if !ok {
		return fmt.Errorf("xlsx: the table %q of a workbook has no end", t.Name)
	}
	part, err := out.Create(empty.Name)
	if err != nil {
		return err
	}
	if _, err := part.Write(before); err != nil {
		return err
	}
	columns := make([]string, len(t.Columns))
	for i := range columns {
		if columns[i], err = excelize.ColumnNumberToName(i + 1); err != nil {
			return err
		}
	}
	var row []byte
	write := func(n int, cells []any) error {
		number := strconv.Itoa(n + 2) // after the heads
		row = append(append(append(row[:0], `<row r="`...), number...), `">`...)
		for i, value := range cells {
			row = t.Columns[i].appendCell(row, columns[i]+number, styles[i], value)
		}
		_, err := part.Write(append(row, `</row>`...))
		return err
	}
	for n := range t.Rows {
		if err := write(n, t.Cells(n)); err != nil {
			return err
		}
	}
	if sums := t.Sums(); sums != nil {
		if err := write(t.Rows, sums); err != nil {
			return err
		}
	}
	_, err = part.Write(slices.Concat([]byte(rowsEnd), after))
	return err
}

// appendCell appends a value as a cell; nothing if there is none. Text is never a formula.
func (c *Column) appendCell(row []byte, at string, style int, value any) []byte {
	number := ""
	switch v := value.(type) {
	case string:
		return AppendText(row, at, v)
	case Date:
		n, ok := DayNumber(string(v))
		if !ok {
			return AppendText(row, at, string(v))
		}
		number = strconv.Itoa(n)
	case int:
		if number = strconv.Itoa(v); c.Kind == Clock {
			number = strconv.FormatFloat(float64(v)/(24*60), 'f', -1, 64)
		}
	case int64:
		number = c.Amount(v)
	case float64:
		number = strconv.FormatFloat(v, 'f', -1, 64)
	default:
		return row
	}
	return AppendNumber(row, at, style, number)
}

func (a *About) write(f *excelize.File, bold int) error {
	if _, err := f.NewSheet(a.Name); err != nil {
		return err
	}
	out, err := f.NewStreamWriter(a.Name)
	if err != nil {
		return err
	}
	if err := out.SetColWidth(1, 1, 28); err != nil {
		return err
	}
	if err := out.SetColWidth(2, 2, 110); err != nil {
		return err
	}
	for i, row := range a.Rows {
		if len(row) > 0 {
			row = slices.Concat([]any{excelize.Cell{StyleID: bold, Value: row[0]}}, row[1:])
		}
		if err := out.SetRow("A"+strconv.Itoa(i+1), row); err != nil {
			return err
		}
	}
	return out.Flush()
}
