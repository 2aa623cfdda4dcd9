package charts_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
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
		charts.Cut(more, top, "@ink")
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

// The amount of a bar that is cut off stands above its middle, so that it is that bar's; at the edges of a chart it is within them.
func TestCutAmountsAreAboveTheirBar(t *testing.T) {
	points := make([]charts.Point, 24)
	for i := range points {
		points[i] = charts.Point{Value: [3]any{i, json.Number("300"), ""}, Short: "€3"}
	}
	charts.Cut(points, 200, "@ink")
	for at, want := range map[int]string{0: "left", 2: "left", 3: "center", 12: "center", 20: "center", 21: "right", 23: "right"} {
		if l := points[at].Label; l.Align != want || l.Color != "@ink" || l.Offset != nil || l.LineHeight != 16 {
			t.Errorf("above bar %d: %+v, want it %s", at, l, want)
		}
	}
}

// Of amounts that would run into each other the highest of the first series stands, and the others have their mark alone; of two in one
// place the first series has the one.
func TestCutAmountsAreNotOnEachOther(t *testing.T) {
	bars, before := make([]charts.Point, 30), make([]charts.Point, 30)
	for _, of := range []struct {
		p      *charts.Point
		height string
	}{{&bars[4], "500"}, {&bars[9], "300"}, {&bars[25], "250"}, {&before[4], "600"}, {&before[7], "900"}, {&before[25], "240"}} {
		*of.p = charts.Point{Value: [3]any{0, json.Number(of.height), ""}, Short: of.height}
	}
	charts.Cut(bars, 200, "@ink")
	charts.Cut(before, 200, "@soft")
	charts.KeepApart(bars, before)
	for _, c := range []struct {
		p    charts.Point
		want string
	}{{bars[4], "↑\u00a0500"}, {bars[9], "↑"}, {bars[25], "↑\u00a0250"}, {before[7], "↑"}} {
		if c.p.Label == nil || c.p.Label.Formatter != c.want {
			t.Errorf("%s: %+v, want %q", c.p.Short, c.p.Label, c.want)
		}
	}
	if before[4].Label != nil || before[25].Label != nil {
		t.Errorf("two amounts are above one bar: %+v, %+v", before[4].Label, before[25].Label)
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

// Of two notes that are too close for both of their texts, the later one has both, above each other.
func TestNotes(t *testing.T) {
	s := charts.NewSeries("bar", "s", "s", make([]charts.Point, 50))
	s.Notes([]charts.Note{{At: 5, Text: "Strike"}, {At: 20, Text: "Mailing"}, {At: 22, Text: "Radio", Higher: true}})
	if got, want := noteTexts(t, s), []string{"Strike", "", "Mailing\nRadio"}; !slices.Equal(got, want) {
		t.Errorf("the notes say %q, want %q", got, want)
	}
	for i, n := range drawnNotes(t, s) {
		if higher := n.Padding != nil; higher != (i == 2) {
			t.Errorf("%s: above the text of a bar is %t", n.Formatter, higher)
		}
	}
}

// A note is whole: a long one goes on in further lines, and the chart has its room and the name of its axis above them.
func TestNotesAreWhole(t *testing.T) {
	texts := []string{"Herfstcampagne Instagram en Facebook", "Donaudampfschifffahrtsgesellschaft", "Mailing to 4,200 friends of the house"}
	s := charts.NewSeries("bar", "s", "s", make([]charts.Point, 50))
	s.Notes([]charts.Note{{At: 10, Text: texts[0]}, {At: 25, Text: texts[1]}, {At: 27, Text: texts[2]}})
	if got, want := noteTexts(t, s), []string{texts[0], "", texts[1] + "\n" + texts[2]}; !slices.Equal(got, want) {
		t.Errorf("the notes say %q, want %q", got, want)
	}
	for _, n := range drawnNotes(t, s) {
		if n.Show == nil && n.Width != 110 {
			t.Errorf("%q is %d px wide", n.Formatter, n.Width)
		}
	}
	const lines = 2 + 4 // those of the last: 34 letters, and Mailing to / 4,200 friends / of the house, of which 15 have room
	var drawn struct {
		Grid  struct{ Top string }
		YAxis struct{ NameGap int }
	}
	option, err := charts.Plot{Series: []charts.Series{s}}.Option()
	if err != nil || json.Unmarshal(option, &drawn) != nil {
		t.Fatal(err)
	}
	if top, _ := strconv.Atoi(drawn.Grid.Top); drawn.YAxis.NameGap < lines*16 || drawn.YAxis.NameGap > (lines+1)*16 || top < drawn.YAxis.NameGap+32 {
		t.Errorf("%d lines, the name of the axis %d px above them, and %s px in all", lines, drawn.YAxis.NameGap, drawn.Grid.Top)
	}
}

// drawnNote is the label of a line down from a note.
type drawnNote struct {
	Formatter string
	Show      *bool
	Padding   []int
	Width     int
}

func drawnNotes(t *testing.T, s charts.Series) (all []drawnNote) {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var drawn struct {
		MarkLine struct{ Data []struct{ Label drawnNote } }
	}
	if err := json.Unmarshal(b, &drawn); err != nil {
		t.Fatal(err)
	}
	for _, n := range drawn.MarkLine.Data {
		all = append(all, n.Label)
	}
	return all
}

// noteTexts returns what is shown above each line of a note.
func noteTexts(t *testing.T, s charts.Series) (all []string) {
	t.Helper()
	for _, n := range drawnNotes(t, s) {
		if n.Show != nil && !*n.Show {
			n.Formatter = ""
		}
		all = append(all, n.Formatter)
	}
	return all
}
