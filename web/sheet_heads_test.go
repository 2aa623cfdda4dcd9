package web_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"housecount/web"
	"housecount/web/webtest"
)

// What a manager's files have of each page is compared with a golden file, so that another column or figure is meant: programs
// read them by these names. Other roles have the columns of figures that they see (TestWorkbookHasThePagesFigures).
func TestGoldenFileHeads(t *testing.T) {
	r, s := webtest.Renderer(t), webtest.Small(t).Snapshot()
	var out strings.Builder
	views := func(have func(*web.Page) bool) []webtest.View {
		all := webtest.Views(t, "evt_a", "Kleine Zaal", have)
		slices.SortStableFunc(all, func(v, o webtest.View) int { return cmp.Compare(v.Page, o.Page) })
		return all
	}
	for _, v := range views(func(p *web.Page) bool { return p.Sheets != nil }) {
		var file struct {
			Tables []struct {
				Title   string
				Columns []fileColumn
			}
		}
		if err := json.Unmarshal(fileOf(t, r, s, v.As(web.Manager), webtest.ShowTime, web.SheetOfJSON), &file); err != nil {
			t.Fatal(err)
		}
		for _, table := range file.Tables {
			fmt.Fprintf(&out, "%s, %s\n", v.Page, table.Title)
			for _, c := range table.Columns {
				fmt.Fprintf(&out, "  %s: %s, %s\n", c.Key, c.Title, c.Kind)
			}
		}
	}
	exported := map[string]bool{}
	for _, v := range views((*web.Page).Exports) {
		rows, column := webtest.Export(t, r, v.As(web.Manager), s, ',')
		if exported[v.Page] {
			continue // another part of the page has the same
		}
		exported[v.Page] = true
		heads := make([]string, len(column))
		for head, at := range column {
			heads[at] = head
		}
		fmt.Fprintf(&out, "%s, %s: %s\n", v.Page, web.ExportName, strings.Join(heads, ", "))
		var keys []string
		for _, row := range rows {
			at, ok := column["figure"]
			if !ok {
				break // its figures are columns
			}
			if key := row[at]; !slices.Contains(keys, key) {
				keys = append(keys, key)
				fmt.Fprintf(&out, "  %s\n", key)
			}
		}
	}
	webtest.Golden(t, "file-heads", out.String())
}
