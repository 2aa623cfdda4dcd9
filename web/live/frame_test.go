package live_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"housecount/web/live"
)

func TestTokenNamesTheContent(t *testing.T) {
	base := live.Content{
		AsOf:   "2026-11-20T19:32:00Z",
		HTML:   map[string]string{"a": "1", "b": "2"},
		Charts: map[string]json.RawMessage{"c": []byte(`{}`)},
	}
	same := live.Content{
		AsOf:   "2026-11-20T19:33:00Z",
		HTML:   map[string]string{"b": "2", "a": "1"},
		Charts: map[string]json.RawMessage{"c": []byte(`{}`)},
	}
	if base.Token() != same.Token() {
		t.Error("the same fragments have two tokens")
	}
	if base.Token() == "" {
		t.Error("no token")
	}
	for name, other := range map[string]live.Content{
		"a fragment's bytes":    {HTML: map[string]string{"a": "1", "b": "3"}, Charts: base.Charts},
		"a fragment's id":       {HTML: map[string]string{"a": "1", "d": "2"}, Charts: base.Charts},
		"an id's end":           {HTML: map[string]string{"a1": "", "b": "2"}, Charts: base.Charts},
		"a fragment less":       {HTML: map[string]string{"a": "1"}, Charts: base.Charts},
		"a chart's bytes":       {HTML: base.HTML, Charts: map[string]json.RawMessage{"c": []byte(`[]`)}},
		"a chart less":          {HTML: base.HTML},
		"a chart as a fragment": {HTML: map[string]string{"a": "1", "b": "2", "c": "{}"}},
	} {
		if other.Token() == base.Token() {
			t.Errorf("another content, by %s, has the same token", name)
		}
	}
}

// A row that changed travels alone; what else differs in its table brings the table.
func TestRows(t *testing.T) {
	row := func(id, text string) string { return `<tr id="` + id + `"><td>` + text + `</td></tr>` + "\n" }
	table := func(head string, rows ...string) string {
		return `<table id="t"><thead><tr><th>` + head + `</th></tr></thead>` + strings.Join(rows, "") + `</table>`
	}
	from := table("Sold", row("a", "1"), row("b", "2"), row("c", "3"))
	for _, test := range []struct {
		name string
		to   string
		rows map[string]string // nil for the whole fragment
	}{
		{"one row", table("Sold", row("a", "1"), row("b", "5"), row("c", "3")), map[string]string{"b": `<tr id="b"><td>5</td></tr>`}},
		{"two rows", table("Sold", row("a", "4"), row("b", "2"), row("c", "")), map[string]string{"a": `<tr id="a"><td>4</td></tr>`, "c": `<tr id="c"><td></td></tr>`}},
		{"the head too", table("Places", row("a", "1"), row("b", "5"), row("c", "3")), nil},
		{"another order", table("Sold", row("b", "2"), row("a", "1"), row("c", "3")), nil},
		{"a row more", table("Sold", row("a", "1"), row("b", "2"), row("c", "3"), row("d", "4")), nil},
		{"a row less", table("Sold", row("a", "1"), row("b", "2")), nil},
		{"no row", table("Sold"), nil},
		{"another row", table("Sold", row("a", "1"), row("b", "2"), row("d", "3")), nil},
		{"a row without an end", `<tr id="a">`, nil},
	} {
		f, ok := live.Change(live.Content{HTML: map[string]string{"t": from, "u": "still"}}, live.Content{HTML: map[string]string{"t": test.to, "u": "still"}})
		if !ok {
			t.Errorf("%s: no change", test.name)
		}
		if test.rows != nil {
			if !maps.Equal(f.Rows, test.rows) || len(f.HTML) != 0 {
				t.Errorf("%s: rows %v and fragments %v, want rows %v", test.name, f.Rows, f.HTML, test.rows)
			}
		} else if len(f.Rows) != 0 || f.HTML["t"] != test.to {
			t.Errorf("%s: rows %v and fragments %v, want the fragment", test.name, f.Rows, f.HTML)
		}
		if got := f.Apply(live.Content{HTML: map[string]string{"t": from, "u": "still"}}); got.HTML["t"] != test.to || got.HTML["u"] != "still" {
			t.Errorf("%s: a page then shows %v", test.name, got.HTML)
		}
	}
}

// What stands for a fragment decides whether it differs, and is in the token in its place.
func TestSame(t *testing.T) {
	at := func(text, same string) live.Content {
		return live.Content{HTML: map[string]string{"strip": text}, Same: map[string]string{"strip": same}}
	}
	if at("19:32", "live").Token() != at("19:33", "live").Token() || at("19:32", "live").Token() == at("19:32", "late").Token() {
		t.Error("the token does not go by what stands for the fragment")
	}
	if f, ok := live.Change(at("19:32", "live"), at("19:33", "live")); ok {
		t.Errorf("a frame of %v", f.HTML)
	}
	if f, ok := live.Change(at("19:32", "live"), at("19:33", "late")); !ok || f.HTML["strip"] != "19:33" {
		t.Errorf("a frame of %v, want the fragment", f.HTML)
	}
}
