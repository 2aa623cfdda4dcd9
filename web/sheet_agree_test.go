package web_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"housecount/aggregator/figures"
	"housecount/web"
	"housecount/web/night"
	"housecount/web/query"
	"housecount/web/webtest"
)

// fileOf returns the file of the page of a request.
func fileOf(t *testing.T, r *web.Renderer, s *figures.Snapshot, q web.Request, now time.Time, format web.SheetFormat) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := r.Sheets(&b, web.Frame{Request: q, Snapshot: s, Now: now, Ready: true}, format); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// fileColumn is what the JSON of a page says of a column.
type fileColumn struct{ Key, Title, Kind, Currency string }

// plainCell returns a cell of a column in one form, whichever file it is from.
func plainCell(t *testing.T, c fileColumn, cell string) string {
	t.Helper()
	if cell == "" {
		return ""
	}
	number, err := strconv.ParseFloat(cell, 64)
	switch {
	case c.Kind == "text":
		return strings.TrimPrefix(cell, "'")
	case c.Kind == "date" && err == nil:
		at, err := excelize.ExcelDateToTime(number, false)
		if err != nil {
			t.Fatal(err)
		}
		return at.Format(time.DateOnly)
	case c.Kind == "time" && err == nil:
		return time.Date(2000, 1, 1, 0, int(number*24*60+0.5), 0, 0, time.UTC).Format("15:04")
	case c.Kind == "date" || c.Kind == "time":
		return cell
	case err != nil:
		t.Fatalf("%q in the column %s is no number", cell, c.Title)
	}
	return strconv.FormatFloat(number, 'f', 4, 64)
}

// ofJSON returns the columns and the rows of the first table of a page's JSON.
func ofJSON(t *testing.T, content []byte) (columns []fileColumn, rows [][]string) {
	t.Helper()
	var all struct {
		Tables []struct {
			Columns []fileColumn
			Rows    []map[string]any
		}
	}
	d := json.NewDecoder(bytes.NewReader(content))
	d.UseNumber()
	if err := d.Decode(&all); err != nil {
		t.Fatal(err)
	}
	columns = all.Tables[0].Columns
	for _, of := range all.Tables[0].Rows {
		row := make([]string, len(columns))
		for i, c := range columns {
			if value := of[c.Key]; value != nil {
				row[i] = plainCell(t, c, fmt.Sprint(value))
			}
		}
		rows = append(rows, row)
	}
	return columns, rows
}

// ofCSV returns the rows of a CSV file below its head.
func ofCSV(t *testing.T, columns []fileColumn, content []byte) (rows [][]string) {
	t.Helper()
	all, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(content, []byte("\ufeff")))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, cells := range all[1:] {
		rows = append(rows, plainRow(t, columns, cells))
	}
	return rows
}

// ofWorkbook returns the rows of the first table of a workbook below its head.
func ofWorkbook(t *testing.T, columns []fileColumn, content []byte) (rows [][]string) {
	t.Helper()
	f, err := excelize.OpenReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := f.GetRows(f.GetSheetList()[0], excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, cells := range all[1 : len(all)-1] { // the last has the sums
		rows = append(rows, plainRow(t, columns, append(cells, make([]string, len(columns)-len(cells))...)))
	}
	return rows
}

func plainRow(t *testing.T, columns []fileColumn, cells []string) []string {
	t.Helper()
	if len(cells) != len(columns) {
		t.Fatalf("a row has %d cells, want %d", len(cells), len(columns))
	}
	row := make([]string, len(columns))
	for i, c := range columns {
		row[i] = plainCell(t, c, cells[i])
	}
	return row
}

// Workbook, CSV and JSON of a page, and the table of it that comes by mail, have the same rows, cell by cell, for each role. That the
// workbook has the page's figures is TestWorkbookHasThePagesFigures.
func TestFilesAgree(t *testing.T) {
	r, h, now := webtest.Renderer(t), webtest.Eventful(t), webtest.ShowTime
	before := h.Event("evt_before", "=1+1 <b>", "Foyer", "19:15", "20:00", 80, webtest.OnDay(-1))
	h.Sell(before, webtest.Sale{From: now.AddDate(0, 0, -9), To: now.AddDate(0, 0, -1).Add(-3 * time.Hour), Paid: 25, Scans: true})
	h.Sell(before, webtest.Sale{From: now.AddDate(0, 0, -1).Add(-3 * time.Hour), To: now.AddDate(0, 0, -1).Add(-time.Hour), Paid: 3})
	s := h.Snapshot()
	day := s.Calendar.Day(now)
	mailed := map[string]string{"tonight": night.TonightDay, "night": night.NightDay, "revenue": night.RevenueDay, "events": night.EventsWeek}
	for _, role := range web.Roles {
		for _, view := range []webtest.View{
			{Page: "tonight"},
			{Page: "night", Params: query.Params("day=" + string(day.Add(-1)))},
			{Page: "revenue", Params: query.Params("against=before&from=" + string(day.Add(-1)) + "&period=custom&to=" + string(day.Add(-1)))},
			webtest.EventsView(t, map[string][]string{"from": {string(day)}}),
		} {
			if !web.PageNamed(view.Page).Visible(role.Access(), view.Params) {
				continue
			}
			q, what := view.As(role), view.Page+" of "+string(role)
			columns, rows := ofJSON(t, fileOf(t, r, s, q, now, web.SheetOfJSON))
			if len(rows) == 0 || len(columns) < 10 {
				t.Fatalf("%s has %d rows of %d columns", what, len(rows), len(columns))
			}
			files := map[string][][]string{
				"CSV":      ofCSV(t, columns, fileOf(t, r, s, q, now, web.SheetOfCSV)),
				"workbook": ofWorkbook(t, columns, fileOf(t, r, s, q, now, web.Workbook)),
			}
			for _, name := range []string{mailed[view.Page], mailed[view.Page] + night.CSV} {
				f := web.Frame{Request: webtest.View{Page: "night"}.As(role), Snapshot: s, Now: now, Ready: true}
				letter, err := night.NewLetter(t.Context(), r, f, night.LetterTo{Name: name, Day: day, Public: "https://house.example"})
				if err != nil || letter == nil || letter.File == nil {
					t.Fatalf("%s, %s: %+v (%v)", what, name, letter, err)
				}
				read := ofWorkbook
				if strings.HasSuffix(name, night.CSV) {
					read = ofCSV
				}
				files["mail "+name] = read(t, columns, letter.File.Content)
			}
			for file, got := range files {
				if len(got) != len(rows) {
					t.Errorf("%s: %s has %d rows, the JSON %d", what, file, len(got), len(rows))
					continue
				}
				for i := range rows {
					if !slices.Equal(got[i], rows[i]) {
						t.Errorf("%s: row %d is %q in %s and %q in JSON", what, i, got[i], file, rows[i])
					}
				}
			}
		}
	}
}
