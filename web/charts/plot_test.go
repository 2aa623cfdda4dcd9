package charts_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"housecount/web/charts"
)

// A few days that are far higher than all others are cut, and say what they are; two that are as high as each other
// are, too, and a day that is merely the best is not.
func TestOutstanding(t *testing.T) {
	points := func(heights ...int64) (all []charts.Point) {
		for i, h := range heights {
			all = append(all, charts.Point{Value: [3]any{i, json.Number(fmt.Sprint(h)), "in words"}, Short: fmt.Sprint("€", h)})
		}
		return all
	}
	usual := points(8000, 7000, 9000, 12000, 26000, 33000, 8000, 9000, 7000, 6000, 8000, 9000, 10000, 9000)
	for _, c := range []struct {
		name string
		more []int64
		want float64
	}{
		{"none", []int64{30000, 31000}, 0},
		{"one", []int64{102000, 16000}, 40000},
		{"two", []int64{102000, 135000}, 40000},
		{"too many", []int64{102000, 135000, 120000}, 0},
		{"twice at most", []int64{66000, 10000}, 0},
	} {
		more := points(c.more...)
		top := charts.Outstanding(usual, more)
		if top != c.want {
			t.Errorf("%s: the axis ends at %v, want %v", c.name, top, c.want)
		}
		charts.Cut(more, top, "left", "@ink")
		for i, p := range more {
			if cut := top > 0 && float64(c.more[i]) > top; cut != (p.Label != nil) || cut && p.Label.Formatter != fmt.Sprint("↑\u00a0€", c.more[i]) {
				t.Errorf("%s: %v has the label %+v", c.name, p.Value, p.Label)
			}
		}
	}
	if top := charts.Outstanding(points(0, 0, 0, 0, 0, 0, 0, 0, 0, 50)); top != 0 {
		t.Errorf("a single bar ends at %v", top)
	}
}

// The amounts of two bars in one place that are both cut off stand apart: one ends before it, the other begins after it.
func TestCutAmountsStandApart(t *testing.T) {
	for align, left := range map[string]bool{"left": true, "right": false} {
		points := []charts.Point{{Value: [3]any{0, json.Number("300"), "€3"}, Short: "€3"}}
		charts.Cut(points, 200, align, "@ink")
		var label struct {
			Align, Color string
			Offset       []int
		}
		if data, err := json.Marshal(points[0].Label); err != nil || json.Unmarshal(data, &label) != nil {
			t.Fatal(err)
		}
		if label.Align != align || label.Color != "@ink" || len(label.Offset) != 2 || label.Offset[0] == 0 || label.Offset[0] > 0 != left || label.Offset[1] != 0 {
			t.Errorf("%s of its bar: %+v", align, label)
		}
	}
}

// Of amounts that would run into each other the highest of the first series stands, and the others have their mark alone; two of one place
// both stand.
func TestCutAmountsAreNotOnEachOther(t *testing.T) {
	bars, before := make([]charts.Point, 30), make([]charts.Point, 30)
	for _, of := range []struct {
		p      *charts.Point
		height string
	}{{&bars[4], "500"}, {&bars[9], "300"}, {&bars[25], "250"}, {&before[4], "600"}, {&before[7], "900"}, {&before[25], "240"}} {
		*of.p = charts.Point{Value: [3]any{0, json.Number(of.height), ""}, Short: of.height}
	}
	charts.Cut(bars, 200, "left", "@ink")
	charts.Cut(before, 200, "right", "@soft")
	charts.KeepApart(bars, before)
	for _, c := range []struct {
		p    charts.Point
		want string
	}{{bars[4], "↑\u00a0500"}, {bars[9], "↑"}, {bars[25], "↑\u00a0250"}, {before[4], "↑\u00a0600"}, {before[7], "↑"}, {before[25], "↑\u00a0240"}} {
		if c.p.Label == nil || c.p.Label.Formatter != c.want {
			t.Errorf("%s: %+v, want %q", c.p.Short, c.p.Label, c.want)
		}
	}
}

// A line across a bar that is cut off ends where the axis does, or it would not be drawn, and keeps its amount in words.
func TestTicks(t *testing.T) {
	s := charts.Ticks("before", "before", "@ink", 40000, []charts.Point{{Value: [3]any{0, json.Number("151000"), "€151"}}, {Value: [3]any{1, json.Number("33000"), "€33"}}})
	if got, want := fmt.Sprint(s.Data[0].Value, s.Data[1].Value), "[0 40000 €151] [1 33000 €33]"; got != want {
		t.Errorf("the lines are at %s, want %s", got, want)
	}
	if whole := charts.Ticks("before", "before", "@ink", 0, []charts.Point{{Value: [3]any{0, json.Number("5"), "€5"}}}); fmt.Sprint(whole.Data[0].Value) != "[0 5 €5]" {
		t.Errorf("without an end of the axis the line is at %v", whole.Data[0].Value)
	}
}

// Of two notes that are too close for both of their texts, the later one has its text.
func TestNotes(t *testing.T) {
	s := charts.NewSeries("bar", "s", "s", make([]charts.Point, 50))
	s.Notes([]charts.Note{{At: 5, Text: "Strike"}, {At: 20, Text: "Mailing"}, {At: 22, Text: "Radio", Higher: true}})
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var drawn struct {
		MarkLine struct {
			Data []struct {
				Label struct {
					Formatter string
					Show      *bool
					Padding   []int
				}
			}
		}
	}
	if err := json.Unmarshal(b, &drawn); err != nil {
		t.Fatal(err)
	}
	for _, n := range drawn.MarkLine.Data {
		if hidden := n.Label.Show != nil && !*n.Label.Show; hidden != (n.Label.Formatter == "Mailing") {
			t.Errorf("%s: hidden is %t", n.Label.Formatter, hidden)
		}
	}
	for _, n := range drawn.MarkLine.Data {
		if higher := n.Label.Padding != nil; higher != (n.Label.Formatter == "Radio") {
			t.Errorf("%s: a line higher is %t", n.Label.Formatter, higher)
		}
	}
	if len(drawn.MarkLine.Data) != 3 {
		t.Errorf("%d lines, want 3", len(drawn.MarkLine.Data))
	}
}
