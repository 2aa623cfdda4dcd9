package web

import (
	"io"
	"runtime"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/web/xlsx"
)

// writeWorkbook writes sheets as a workbook, and last a tab that defines their columns.
func (b *Builder) writeWorkbook(w io.Writer, sheets []Sheet) error {
	tables := make([]xlsx.Table, len(sheets))
	for i := range sheets {
		b.sayNowhere(&sheets[i])
		tables[i] = b.table(&sheets[i])
	}
	return xlsx.Write(w, tables, b.about(sheets))
}

// table returns a sheet as a tab of a workbook.
func (b *Builder) table(s *Sheet) xlsx.Table {
	t := xlsx.Table{Name: s.Tab, Rows: s.n, Sums: func() []any { return b.sumCells(s) }, Cells: func(row int) []any {
		cells := b.cells(s, row)
		for i, cell := range cells {
			if day, ok := cell.(figures.Day); ok {
				cells[i] = xlsx.Date(day)
			}
		}
		return cells
	}}
	for _, c := range s.columns {
		t.Columns = append(t.Columns, xlsx.Column{Head: c.head, Kind: c.kind, Amount: func(minor int64) string { return Major(minor, c.currency).String() }})
	}
	return t
}

// giveWay lets what else waits go first: a table of thousands of rows takes seconds of a processor, and pages show sales meanwhile.
func giveWay() { runtime.Gosched() }

// about says as of when the figures are, and what each column is.
func (b *Builder) about(sheets []Sheet) xlsx.About {
	asOf := ""
	if !b.AsOf.IsZero() {
		asOf = b.AsOf.In(b.Zone).Format("2006-01-02 15:04:05 -07:00")
	}
	a := xlsx.About{Name: b.Text("sheet.about"), Rows: [][]any{{b.Code("export_column", "as_of"), asOf}, {b.Text("sheet.zone"), b.Zone.String()}}}
	if b.Calendar.Cutoff != 0 {
		a.Rows = append(a.Rows, []any{b.Text("setup.cutoff"), b.Clock(time.Time{}.Add(b.Calendar.Cutoff), time.UTC)})
	}
	a.Rows = append(a.Rows, []any{})
	seen := []string{}
	for _, s := range sheets {
		for _, c := range s.columns {
			if c.definition != "" && !slices.Contains(seen, c.key) {
				seen = append(seen, c.key)
				a.Rows = append(a.Rows, []any{b.FigureTitle(figures.Key(c.key)), c.definition, c.seenBy})
			}
		}
	}
	return a
}
