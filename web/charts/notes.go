package charts

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-echarts/go-echarts/v2/opts"
)

// noteRoom is how many texts there is room for above a chart.
const noteRoom = 5

// beside is how wide, in pixels, a text above a chart is, and alone one that has none beside it. A chart that is too narrow for
// noteRoom of the first shows no texts: the page's script.
const (
	beside = 110
	alone  = 180
)

// letter is how wide, in pixels, a letter of a text above a chart is.
const letter = 7

// line is how high, in pixels, a line of text above a chart is.
const line = 16

// Note is a text above a chart at a category.
type Note struct {
	At    int // the index of the category
	Until int // of the last category, where that is a later one: they are tinted
	Text  string
	// Weak is left out where it would stand too close to one that is not.
	Weak bool
	// Higher puts it two lines higher, above the text of a bar beside it that is cut off.
	Higher bool
}

// Notes puts texts above a series, in the order of their categories, each with a line down to its category. A text is whole: it
// goes on in further lines, for which the chart makes room. Where two are too close, the later one has both texts, but for a weak one.
func (s *Series) Notes(notes []Note) {
	tooClose := len(s.Data) / noteRoom
	notes = slices.DeleteFunc(slices.Clone(notes), func(n Note) bool {
		return n.Weak && slices.ContainsFunc(notes, func(o Note) bool { return !o.Weak && max(o.At-n.At, n.At-o.At) < tooClose })
	})
	if len(notes) == 0 {
		return
	}
	s.MarkLine = &markLine{Silent: true, Symbol: "none", LineStyle: &opts.LineStyle{Color: "@past", Width: 1, Type: "solid"},
		Label: map[string]any{"color": "@ink", "position": "end", "fontSize": 12, "fontWeight": 600, "lineHeight": line, "overflow": "break"}}
	first, earlier, width, higher := 0, "", beside, false
	for i, n := range notes {
		label := map[string]any{}
		if far := len(s.Data) / 3; (i == 0 || n.At-notes[i-1].At > far) && (i+1 == len(notes) || notes[i+1].At-n.At > far) {
			width = alone
			if n.At > len(s.Data)/2 { // the series has its number at its end
				label["align"] = "right"
			}
		}
		text := n.Text
		if earlier != "" {
			text = earlier + "\n" + text
		}
		higher = higher || n.Higher
		if i+1 < len(notes) && notes[i+1].At-n.At < tooClose && i+1-first < noteRoom {
			label["show"] = false
			if !n.Weak {
				earlier = text
			}
		} else {
			s.above = max(s.above, line*linesOf(text, width))
			label["formatter"], label["width"] = text, width
			if higher {
				label["padding"] = []int{0, 0, 2 * line, 0}
				s.above = max(s.above, line*(linesOf(text, width)+2))
			}
			first, earlier, width, higher = i+1, "", beside, false
		}
		switch edge := len(s.Data) / 8; { // where a text in the middle of its line would not fit
		case n.At >= len(s.Data)-1-edge:
			label["align"] = "right"
		case n.At <= edge:
			label["align"] = "left"
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

// linesOf returns how many lines a text comes to that is broken at a width, between words where that can be.
func linesOf(text string, width int) (lines int) {
	for given := range strings.SplitSeq(text, "\n") {
		at := 0
		lines++
		for word := range strings.FieldsSeq(given) {
			n := letter * utf8.RuneCountInString(word)
			if at > 0 && at+letter+n > width {
				lines, at = lines+1, 0
			}
			if at > 0 {
				at += letter
			}
			at += n
			lines, at = lines+at/(width+1), at%(width+1)
		}
	}
	return lines
}
