package live_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"housecount/web/live"
)

func TestTokenNamesTheContent(t *testing.T) {
	base := live.Content{
		HTML:   map[string]string{"a": "1", "b": "2"},
		Charts: map[string]json.RawMessage{"c": []byte(`{}`)},
	}
	same := live.Content{
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

// What differs travels alone where it is in an element with an id, and otherwise with what is
// around it. A page then shows what the hub shows.
func TestParts(t *testing.T) {
	row := func(id, text string) string { return `<tr id="` + id + `"><td>` + text + `</td></tr>` }
	table := func(head string, rows ...string) string {
		return `<table id="t" class="n"><thead><tr><th>` + head + `</th></tr></thead><tbody id="l">` + strings.Join(rows, "") + `</tbody></table>`
	}
	inner := func(html string) string {
		return strings.TrimSuffix(strings.TrimPrefix(html, `<table id="t" class="n">`), `</table>`)
	}
	a, b, c := row("a", "1"), row("b", "2"), row("c", `<p id="d"><b>3</b></p><p>4</p>`)
	from := table("Sold", a, b, c)
	edit := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(from) }
	type parts = map[string]string
	type lists = map[string][]live.Run
	for name, test := range map[string]struct {
		to    string
		parts parts
		lists lists // neither for the whole fragment
	}{
		"one row":         {edit("2", "5"), parts{"b": "<td>5</td>"}, nil},
		"two rows":        {edit("1", "", "2", "5"), parts{"a": "<td></td>", "b": "<td>5</td>"}, nil},
		"within a row":    {edit("3", "5"), parts{"d": "<b>5</b>"}, nil},
		"beside that":     {edit("3", "5", "4", "6"), parts{"c": `<td><p id="d"><b>5</b></p><p>6</p></td>`}, nil},
		"an attribute":    {edit(`"d"`, `"d" class="n"`), parts{"c": `<td><p id="d" class="n"><b>3</b></p><p>4</p></td>`}, nil},
		"an escaped id":   {edit(`"d"`, `"&amp;"`, "3", "5"), parts{"c": `<td><p id="&amp;"><b>5</b></p><p>4</p></td>`}, nil},
		"the head too":    {edit("Sold", "Places", "2", "5"), parts{"t": inner(edit("Sold", "Places", "2", "5"))}, nil},
		"the fragment's":  {edit(`class="n"`, `class="m"`), nil, nil},
		"another order":   {table("Sold", c, a, row("b", "5")), parts{"b": "<td>5</td>"}, lists{"l": {{From: 2, To: 3}, {To: 2}}}},
		"a row more":      {table("Sold", a, row("e", "0"), b, c), parts{}, lists{"l": {{To: 1}, {HTML: row("e", "0")}, {From: 1, To: 3}}}},
		"a row less":      {table("Sold", a, c), parts{}, lists{"l": {{To: 1}, {From: 2, To: 3}}}},
		"a row's tag":     {edit(`"b"`, `"b" class="n"`), parts{}, lists{"l": {{To: 1}, {HTML: `<tr id="b" class="n"><td>2</td></tr>`}, {From: 2, To: 3}}}},
		"a row twice":     {table("Sold", a, b, b), parts{}, lists{"l": {{To: 2}, {HTML: b}}}},
		"other rows":      {table("Sold", row("e", "1")), parts{"l": row("e", "1")}, nil},
		"no row":          {table("Sold"), parts{"l": ""}, nil},
		"text between":    {table("Sold", a, " ", c), parts{"l": a + " " + c}, nil},
		"without an end":  {`<table id="t" class="n"><tr id="a">`, nil, nil},
		"what has no end": {`<input id="t">`, nil, nil},
		"no element":      {`id="t"`, nil, nil},
	} {
		f, ok := live.Change(live.Content{HTML: map[string]string{"t": from, "u": "still"}}, live.Content{HTML: map[string]string{"t": test.to, "u": "still"}})
		if !ok {
			t.Errorf("%s: no change", name)
		}
		whole := map[string]string{"t": test.to}
		if test.parts != nil || test.lists != nil {
			whole = nil
		}
		if !maps.Equal(f.Parts, test.parts) || !maps.EqualFunc(f.Lists, test.lists, slices.Equal) || !maps.Equal(f.HTML, whole) {
			t.Errorf("%s: lists %v, parts %v and fragments %v, want %v, %v and %v", name, f.Lists, f.Parts, f.HTML, test.lists, test.parts, whole)
		}
		if got, err := f.Apply(live.Content{HTML: map[string]string{"t": from, "u": "still"}}); err != nil || got.HTML["t"] != test.to || got.HTML["u"] != "still" {
			t.Errorf("%s: a page then shows %v (%v)", name, got.HTML, err)
		}
	}
	for _, r := range []live.Run{{From: 1, To: 4}, {From: 2, To: 1}} {
		f := live.Frame{Lists: lists{"l": {r}}}
		if c, err := f.Apply(live.Content{HTML: map[string]string{"t": from}}); err == nil {
			t.Errorf("a list of %v makes %v", r, c.HTML)
		}
	}
}

// What changes in a picture travels with what is around the picture: alone, a browser would not read it as one, and show nothing.
func TestPicturesAreWhole(t *testing.T) {
	row := func(width string) string {
		return `<ul id="u"><li id="a">31 <svg id="a-bar" class="bar"><rect class="paid" width="` + width + `"></rect></svg></li><li id="b">22</li></ul>`
	}
	f, ok := live.Change(live.Content{HTML: map[string]string{"u": row("90%")}}, live.Content{HTML: map[string]string{"u": row("92%")}})
	if want := map[string]string{"a": `31 <svg id="a-bar" class="bar"><rect class="paid" width="92%"></rect></svg>`}; !ok || !maps.Equal(f.Parts, want) {
		t.Errorf("a bar that grew travels as %v, want %v", f.Parts, want)
	}
}

// Of a chart travels what differs, where that is shorter than the chart. A page then has the same
// option to the byte.
func TestEdits(t *testing.T) {
	from := `{"z":{"text":"Sold \u003c"},"data":[[0,1,"one"],[1,2,"two"]],"list":[],"a":null}`
	for name, test := range map[string]struct{ to, edits string }{
		"a number":         {strings.Replace(from, "2,", "22,", 1), `[{"at":["data","1","1"],"to":22}]`},
		"two":              {strings.NewReplacer("Sold", "Came", "one", "1").Replace(from), `[{"at":["z","text"],"to":"Came \u003c"},{"at":["data","0","2"],"to":"1"}]`},
		"from null":        {strings.Replace(from, "null", "{}", 1), `[{"at":["a"],"to":{}}]`},
		"to null":          {strings.Replace(from, `[0,1,"one"]`, "null", 1), `[{"at":["data","0"],"to":null}]`},
		"one at the end":   {strings.Replace(from, `"two"]`, `"two"],[2,3,"three"]`, 1), `[{"at":["data","2"],"to":[2,3,"three"]}]`},
		"one less":         {strings.Replace(from, `[0,1,"one"],`, "", 1), `[{"at":["data"],"to":[[1,2,"two"]]}]`},
		"the first of all": {strings.Replace(from, `[]`, "[1]", 1), `[{"at":["list"],"to":[1]}]`},
		"other names":      {strings.Replace(from, `"text"`, `"name"`, 1), `[{"at":["z"],"to":{"name":"Sold \u003c"}}]`},
		"more than shorter": {strings.NewReplacer("0,1,", "7,7,", "one", "x", "1,2", "7,8", "two", "y").Replace(from),
			`[{"at":["data"],"to":[[7,7,"x"],[7,8,"y"]]}]`},
		"another":       {`{"b":1}`, ""},
		"no chart":      {`[]`, ""},
		"no JSON":       {from + "]", ""},
		"more after it": {strings.Replace(from, "2,", "22,", 1) + "]", ""},
		"no value":      {strings.Replace(from, "null", "nul", 1), ""},
	} {
		before := live.Content{Charts: map[string]json.RawMessage{"c": []byte(from), "d": []byte(from)}}
		f, ok := live.Change(before, live.Content{Charts: map[string]json.RawMessage{"c": []byte(test.to), "d": []byte(from)}})
		if !ok {
			t.Errorf("%s: no change", name)
		}
		if test.edits == "" {
			if string(f.Charts["c"]) != test.to || len(f.Charts) != 1 || len(f.Edits) != 0 {
				t.Errorf("%s: charts %s and edits %s, want the chart", name, f.Charts, f.Edits)
			}
			continue
		}
		got, err := json.Marshal(f.Edits["c"])
		if err != nil || string(got) != test.edits || len(f.Edits) != 1 || len(f.Charts) != 0 {
			t.Errorf("%s: edits %s and charts %s (%v), want %s", name, got, f.Charts, err, test.edits)
		}
		shown, err := f.Apply(before)
		if err != nil || string(shown.Charts["c"]) != test.to || string(shown.Charts["d"]) != from {
			t.Errorf("%s: a page then shows %s (%v)", name, shown.Charts, err)
		}
	}
	for _, at := range [][]string{{"b"}, {"data", "3"}, {"data", "x"}, {"list", "0"}, {"a", "b"}, {"z", "text", "0"}} {
		f := live.Frame{Edits: map[string][]live.Edit{"c": {{At: at, To: []byte("1")}}}}
		if c, err := f.Apply(live.Content{Charts: map[string]json.RawMessage{"c": []byte(from)}}); err == nil {
			t.Errorf("an edit at %q makes %s", at, c.Charts["c"])
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
