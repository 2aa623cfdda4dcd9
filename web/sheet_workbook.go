package web

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"

	"housecount/aggregator/figures"
	"housecount/web/xlsx"
)

// workbookFormats are the number formats of cells in a workbook; amounts have one by the decimals of their currency.
var workbookFormats = map[cellKind]string{cellDay: "yyyy-mm-dd", cellClock: "hh:mm", cellCount: "#,##0", cellShare: "0.0%", cellMean: "0.0"}

// sheetEnd is what follows the rows of a table in its part of a workbook.
const sheetEnd = "</sheetData>"

// writeWorkbook writes sheets as a workbook of typed cells, and last one that defines their columns. All but the rows is written and flushed
// first, and each row once it is made, so that a long table is neither held nor waited for.
func (b *Builder) writeWorkbook(w io.Writer, sheets []Sheet) error {
	for i := range sheets {
		b.sayNowhere(&sheets[i])
	}
	empty, styles, err := b.emptyWorkbook(sheets)
	if err != nil {
		return err
	}
	parts, err := zip.NewReader(bytes.NewReader(empty), int64(len(empty)))
	if err != nil {
		return err
	}
	out := zip.NewWriter(w)
	tables, names := make([]*zip.File, len(sheets)), make([]string, len(sheets))
	for i := range names {
		names[i] = "xl/worksheets/sheet" + strconv.Itoa(i+1) + ".xml"
	}
	for _, part := range parts.File {
		if i := slices.Index(names, part.Name); i >= 0 {
			tables[i] = part
		} else if err := out.Copy(part); err != nil {
			return err
		}
	}
	if err := flush(out, w); err != nil {
		return err
	}
	for i, part := range tables {
		if part == nil {
			return fmt.Errorf("web: a workbook has no part of the table %d", i+1)
		}
		if err := b.writeTable(out, part, &sheets[i], styles[i]); err != nil {
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
func (b *Builder) emptyWorkbook(sheets []Sheet) (content []byte, styles [][]int, err error) {
	f := excelize.NewFile()
	defer f.Close()
	bold, err := f.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}, Alignment: &excelize.Alignment{WrapText: true, Vertical: "top"}})
	if err != nil {
		return nil, nil, err
	}
	styles = make([][]int, len(sheets))
	for i := range sheets {
		s := &sheets[i]
		if styles[i], err = workbookStyles(f, s); err != nil {
			return nil, nil, err
		}
		if i == 0 {
			err = f.SetSheetName("Sheet1", s.Tab)
		} else {
			_, err = f.NewSheet(s.Tab)
		}
		if err != nil {
			return nil, nil, err
		}
		if err := tableHead(f, s, bold); err != nil {
			return nil, nil, err
		}
	}
	if err := b.streamDefinitions(f, sheets, bold); err != nil {
		return nil, nil, err
	}
	made, err := f.WriteToBuffer()
	if err != nil {
		return nil, nil, err
	}
	return made.Bytes(), styles, nil
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

// tableHead writes the heads of a sheet.
func tableHead(f *excelize.File, s *Sheet, bold int) error {
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
	return out.Flush()
}

// writeTable writes the part of a table: what an empty workbook has of it, with the rows.
func (b *Builder) writeTable(out *zip.Writer, empty *zip.File, s *Sheet, styles []int) error {
	in, err := empty.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	head, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	before, after, ok := bytes.Cut(head, []byte(sheetEnd))
	if !ok {
		return fmt.Errorf("web: the table %q of a workbook has no end", s.Tab)
	}
	part, err := out.Create(empty.Name)
	if err != nil {
		return err
	}
	if _, err := part.Write(before); err != nil {
		return err
	}
	columns := make([]string, len(s.columns))
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
			row = appendCell(row, columns[i]+number, styles[i], value, &s.columns[i])
		}
		_, err := part.Write(append(row, `</row>`...))
		return err
	}
	sums := xlsx.Sums{}
	for n := range s.n {
		cells := b.cells(s, n)
		if s.sum != "" && s.inSum(n) {
			s.addTo(sums, cells)
		}
		if err := write(n, cells); err != nil {
			return err
		}
	}
	if s.sum != "" && s.n > 0 {
		if err := write(s.n, s.sumCells(sums)); err != nil {
			return err
		}
	}
	_, err = part.Write(slices.Concat([]byte(sheetEnd), after))
	return err
}

// addTo adds the places, people and amounts of a row.
func (s *Sheet) addTo(sums xlsx.Sums, cells []any) {
	for i, value := range cells {
		if k := s.columns[i].kind; k == cellCount || k == cellMoney {
			sums.Add(i, value)
		}
	}
}

// sumCells returns the row of the sums. Its name stands in the first column of text, or else instead of a day.
func (s *Sheet) sumCells(sums xlsx.Sums) []any {
	cells := make([]any, len(s.columns))
	cells[max(0, slices.IndexFunc(s.columns[:len(s.columns)-1], func(c sheetColumn) bool { return c.kind == cellText && c.key != "note" }))] = s.sum
	for i, n := range sums {
		if cells[i] = any(int(n)); s.columns[i].kind == cellMoney {
			cells[i] = n
		}
	}
	return cells
}

// giveWay lets what else waits go first: a table of thousands of rows takes seconds of a processor, and pages show sales meanwhile.
func giveWay() { runtime.Gosched() }

// appendCell appends a value as a cell of a workbook; nothing if there is none. Text is never a formula.
func appendCell(row []byte, at string, style int, value any, c *sheetColumn) []byte {
	number := ""
	switch v := value.(type) {
	case string:
		return xlsx.AppendText(row, at, v)
	case figures.Day:
		n, ok := xlsx.DayNumber(string(v))
		if !ok {
			return xlsx.AppendText(row, at, string(v))
		}
		number = strconv.Itoa(n)
	case int:
		if number = strconv.Itoa(v); c.kind == cellClock {
			number = strconv.FormatFloat(float64(v)/(24*60), 'f', -1, 64)
		}
	case int64:
		number = Major(v, c.currency).String()
	case float64:
		number = strconv.FormatFloat(v, 'f', -1, 64)
	default:
		return row
	}
	return xlsx.AppendNumber(row, at, style, number)
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
