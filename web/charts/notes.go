package charts

import (
	"slices"

	"github.com/go-echarts/go-echarts/v2/opts"
)

// noteRoom is how many texts there is room for above a chart.
const noteRoom = 5

// alone is how wide, in pixels, a text is that has none beside it.
const alone = 180

// line is how high, in pixels, a line of text above a chart is.
const line = 16

// Note is a text above a chart at a category.
type Note struct {
	At    int // the index of the category
	Until int // of the last category, where that is a later one: they are tinted
	Text  string
	// Weak is left out where it would stand too close to one that is not.
	Weak bool
	// Higher puts it a line higher, above the text of a bar beside it that is cut off.
	Higher bool
}

// Notes puts texts above a series, in the order of their categories, each with a line down to its category. Where two
// are too close, only the later one has its text.
func (s *Series) Notes(notes []Note) {
	tooClose := len(s.Data) / noteRoom
	notes = slices.DeleteFunc(slices.Clone(notes), func(n Note) bool {
		return n.Weak && slices.ContainsFunc(notes, func(o Note) bool { return !o.Weak && max(o.At-n.At, n.At-o.At) < tooClose })
	})
	if len(notes) == 0 {
		return
	}
	s.MarkLine = &markLine{Silent: true, Symbol: "none", LineStyle: &opts.LineStyle{Color: "@past", Width: 1, Type: "solid"},
		Label: map[string]any{"color": "@ink", "position": "end", "fontSize": 12, "fontWeight": 600, "width": 110, "overflow": "truncate"}}
	for i, n := range notes {
		label := map[string]any{"formatter": n.Text}
		if i+1 < len(notes) && notes[i+1].At-n.At < tooClose {
			label["show"] = false
		}
		if (i == 0 || n.At-notes[i-1].At > len(s.Data)/3) && (i+1 == len(notes) || notes[i+1].At-n.At > len(s.Data)/3) {
			label["width"] = alone
			if n.At > len(s.Data)/2 { // the series has its number at its end
				label["align"] = "right"
			}
		}
		switch edge := len(s.Data) / 8; { // where a text in the middle of its line would not fit
		case n.At >= len(s.Data)-1-edge:
			label["align"] = "right"
		case n.At <= edge:
			label["align"] = "left"
		}
		if n.Higher {
			label["padding"] = []int{0, 0, line, 0}
		}
		s.MarkLine.Data = append(s.MarkLine.Data, map[string]any{"xAxis": n.At, "label": label})
		if n.Until > n.At {
			if s.MarkArea == nil {
				s.MarkArea = &markArea{Silent: true, ItemStyle: &Style{Color: "@ink", Opacity: .06}}
			}
			s.MarkArea.Data = append(s.MarkArea.Data, []any{map[string]any{"xAxis": n.At}, map[string]any{"xAxis": n.Until}})
		}
	}
}
