package live_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"housecount/web/live"
)

// A page that was sent edits has the option to the byte, whatever is in it; and what differs little takes little.
func TestEditsOfAnyOption(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	text := func(v any) json.RawMessage {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	edited := 0
	for n := range 3000 {
		option := map[string]any{"name": randomValue(r, 4), "data": randomValue(r, 4), "x \"]{,:\\ \u20ac": randomValue(r, 4)}
		from := text(option)
		for name, v := range option {
			option[name] = altered(r, v)
		}
		to := text(option)
		before := live.Content{Charts: map[string]json.RawMessage{"c": from}}
		f, ok := live.Change(before, live.Content{Charts: map[string]json.RawMessage{"c": to}})
		if ok != (string(from) != string(to)) {
			t.Fatalf("%d: a change is %v from %s to %s", n, ok, from, to)
		}
		if !ok {
			continue
		}
		if shown, err := f.Apply(before); err != nil || string(shown.Charts["c"]) != string(to) {
			t.Fatalf("%d: a page shows %s (%v) after %s, want %s from %s", n, shown.Charts["c"], err, text(f.Edits), to, from)
		}
		if len(f.Edits["c"]) > 0 {
			edited++
		}
	}
	if edited < 500 {
		t.Errorf("%d options were edited", edited)
	}
}

func randomValue(r *rand.Rand, depth int) any {
	switch n := r.IntN(9); {
	case depth > 0 && n < 3:
		all := make([]any, r.IntN(6))
		for i := range all {
			all[i] = randomValue(r, depth-1)
		}
		return all
	case depth > 0 && n < 5:
		all := map[string]any{}
		for range r.IntN(5) {
			all[fmt.Sprint(r.IntN(20), []string{"", "\"", "}", "\\", "\u00e9", "<"}[r.IntN(6)])] = randomValue(r, depth-1)
		}
		return all
	case n < 6:
		return r.NormFloat64() * 1e3
	case n < 7:
		return nil
	default:
		return []string{"", "a, b", "]", "{\"a\":[1]}", "\\", "\\\"", "tab\t", "\u20ac<&>"}[r.IntN(8)]
	}
}

// altered returns a value with few differences.
func altered(r *rand.Rand, v any) any {
	if r.IntN(12) == 0 {
		return randomValue(r, 2)
	}
	switch v := v.(type) {
	case []any:
		all := make([]any, 0, len(v)+1)
		for _, of := range v {
			all = append(all, altered(r, of))
		}
		if r.IntN(6) == 0 {
			all = append(all, randomValue(r, 1))
		}
		return all
	case map[string]any:
		all := map[string]any{}
		for name, of := range v {
			all[name] = altered(r, of)
		}
		return all
	default:
		return v
	}
}

// BenchmarkEdits compares a chart of 400 points of two series with the one after a sale.
func BenchmarkEdits(b *testing.B) {
	option := func(sold int) json.RawMessage {
		var series [2][][2]int
		for i := range 400 {
			series[0], series[1] = append(series[0], [2]int{1_800_000_000 + 60*i, i}), append(series[1], [2]int{1_800_000_000 + 60*i, 2 * i})
		}
		series[0][399][1] = sold
		text, err := json.Marshal(map[string]any{"title": "Sold", "series": []any{map[string]any{"data": series[0]}, map[string]any{"data": series[1]}}})
		if err != nil {
			b.Fatal(err)
		}
		return text
	}
	from, to := live.Content{Charts: map[string]json.RawMessage{"c": option(500)}}, live.Content{Charts: map[string]json.RawMessage{"c": option(501)}}
	b.ReportAllocs()
	for b.Loop() {
		if f, ok := live.Change(from, to); !ok || len(f.Edits["c"]) != 1 {
			b.Fatalf("edits are %v", f.Edits)
		}
	}
}
