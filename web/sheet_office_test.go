package web_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"housecount/web"
	"housecount/web/webtest"
)

// apiTable is a table of the figures as programs get them.
type apiTable struct {
	Title   string
	Columns []struct{ Key, Title, Kind string }
	Rows    []map[string]any
}

// sum returns the sum of a column as programs get it, and how many rows have a value.
func (a *apiTable) sum(t *testing.T, key string) (sum float64, n int) {
	t.Helper()
	for _, row := range a.Rows {
		if row[key] == nil {
			continue
		}
		value, ok := row[key].(float64)
		if !ok {
			t.Fatalf("%s of %s is %v", key, a.Title, row[key])
		}
		sum, n = sum+value, n+1
	}
	return sum, n
}

// A spreadsheet program that is not ours finds numbers, dates, times and texts in the cells, and its own formulas on them give
// what programs get of the same page at the same position.
func TestWorkbookInLibreOffice(t *testing.T) {
	office, err := exec.LookPath("soffice")
	if err != nil {
		t.Fatal("LibreOffice is not here: make office installs it")
	}
	r, s := webtest.Renderer(t), webtest.Eventful(t).Snapshot()
	dir, asked := t.TempDir(), map[string][]string{} // by file, what the formulas are of
	tables := map[string]map[string]*apiTable{}
	for _, q := range []web.Request{webtest.View{Page: "tonight"}.As(web.Manager), webtest.View{Page: "night", Params: "day=2026-11-20"}.As(web.Manager), webtest.EventsView(t, nil).As(web.Manager), webtest.RevenueView(7).As(web.Manager)} {
		frame := web.Frame{Request: q, Snapshot: s, Now: webtest.ShowTime, Ready: true}
		var b bytes.Buffer
		if _, err := r.Sheets(&b, frame, web.SheetOfJSON); err != nil {
			t.Fatal(err)
		}
		var data struct{ Tables []*apiTable }
		if err := json.Unmarshal(b.Bytes(), &data); err != nil {
			t.Fatal(err)
		}
		tables[q.Page] = map[string]*apiTable{}
		f := workbook(t, r, q, s)
		if _, err := f.NewSheet("Formulas"); err != nil {
			t.Fatal(err)
		}
		plain, err := f.NewStyle(&excelize.Style{CustomNumFmt: new("0.000000")}) // and not as what the formula is of
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range data.Tables {
			tables[q.Page][table.Title] = table
			last := len(table.Rows) + 1
			for i, c := range table.Columns {
				column, err := excelize.ColumnNumberToName(i + 1)
				if err != nil {
					t.Fatal(err)
				}
				cells := fmt.Sprintf("'%s'!%s2:%s%d", table.Title, column, column, last)
				asked[q.Page] = append(asked[q.Page], table.Title+"|"+c.Key+"|"+c.Kind)
				row := len(asked[q.Page])
				for at, formula := range []string{"SUM(" + cells + ")", "COUNT(" + cells + ")", "COUNTA(" + cells + ")", "YEAR(MAX(" + cells + "))", "MAX(" + cells + ")"} {
					cell, err := excelize.CoordinatesToCellName(at+1, row)
					if err == nil {
						err = errors.Join(f.SetCellFormula("Formulas", cell, formula), f.SetCellStyle("Formulas", cell, cell, plain))
					}
					if err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		if err := f.SaveAs(filepath.Join(dir, q.Page+".xlsx")); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	// Comma, quotes, UTF-8, from line 1, values as they are shown, each table in a file of its own.
	as := "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1"
	run := exec.CommandContext(t.Context(), office, append([]string{"-env:UserInstallation=file://" + filepath.Join(dir, "profile"), "--headless", "--convert-to", as, "--outdir", dir}, files...)...)
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for page, of := range asked {
		b, err := os.ReadFile(filepath.Join(dir, page+"-Formulas.csv"))
		if err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
		if err != nil || len(lines) != len(of) {
			t.Fatalf("%s has %d lines of formulas, want %d (%v)", page, len(lines), len(of), err)
		}
		numbers := 0
		for i, line := range lines {
			parts := strings.Split(of[i], "|")
			table, key, kind := tables[page][parts[0]], parts[1], parts[2]
			var got [5]float64
			for at := range got {
				if got[at], err = strconv.ParseFloat(line[at], 64); err != nil {
					t.Errorf("%s, %s: formula %d gives %q", page, of[i], at, line[at])
				}
			}
			filled := 0
			for _, row := range table.Rows {
				if v := row[key]; v != nil && v != "" {
					filled++
				}
			}
			typed := filled
			switch kind {
			case "text":
				typed = 0
			case "date":
				if filled > 0 && got[3] != 2026 {
					t.Errorf("%s, %s: the last year is %v", page, of[i], got[3])
				}
			case "time":
				if filled > 0 && (got[4] <= 0 || got[4] >= 1) {
					t.Errorf("%s, %s: the latest is %v of a day", page, of[i], got[4])
				}
			default:
				sum, n := table.sum(t, key)
				if math.Abs(sum-got[0]) > .0001*float64(max(1, n)) || n != filled {
					t.Errorf("%s, %s: LibreOffice sums to %v, programs to %v", page, of[i], got[0], sum)
				}
				numbers += n
			}
			if int(got[1]) != typed || int(got[2]) != filled {
				t.Errorf("%s, %s: LibreOffice finds %v numbers in %v cells, want %d in %d", page, of[i], got[1], got[2], typed, filled)
			}
		}
		if numbers < 20 {
			t.Errorf("%s has %d numbers", page, numbers)
		}
	}
}
