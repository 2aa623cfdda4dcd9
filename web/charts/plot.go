// Package charts has the pictures of pages: charts as options for the page's script, bars in SVG, and the keys to their
// colours. It knows neither figures nor pages.
package charts

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	echarts "github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"
)

// Options of charts leave this package as JSON only, never through the library's own
// renderers, which write data unescaped into a script. A colour is an @ and the name of a
// custom property of the style sheet; the page's script replaces it with the colour. Every
// value that a person reads is formatted here.

// Plot is a chart on a category axis.
type Plot struct {
	Label  string   // what it shows, in words
	Axis   string   // what the values are, at the top of their axis
	Zone   string   // of the times, on the line below it
	X      []string // the categories
	Every  int      // show every nth category; 0 lets the chart choose
	Bars   bool     // the pointer takes a whole category
	Top    float64  // where the axis ends, and cuts what is higher; 0 lets the chart choose
	Marks  []int    // label these categories; nil goes by Every
	Series []Series
	// Below are bars on the same axis of time, under the other series; nil for none.
	Below *Below
}

// Below is the lower of two charts on one axis.
type Below struct {
	Axis   string // what the values are
	Series []Series
}

// Series is a series of a chart, with those fields of the library's that are used and some that it lacks. The library's own has
// seventy more, each of which is looked at whenever a chart is encoded.
type Series struct {
	Name           string        `json:"name,omitempty"`
	Type           string        `json:"type,omitempty"`
	ID             string        `json:"id,omitempty"`
	Stack          string        `json:"stack,omitempty"`
	XAxisIndex     int           `json:"xAxisIndex,omitempty"`
	YAxisIndex     int           `json:"yAxisIndex,omitempty"`
	BarGap         string        `json:"barGap,omitempty"`
	BarCategoryGap string        `json:"barCategoryGap,omitempty"`
	ShowSymbol     types.Bool    `json:"showSymbol,omitempty"`
	Symbol         string        `json:"symbol,omitempty"`
	SymbolSize     any           `json:"symbolSize,omitempty"`
	Encode         *opts.Encode  `json:"encode,omitempty"`
	Tooltip        *opts.Tooltip `json:"tooltip,omitempty"`

	Data       []Point         `json:"data"`
	Dimensions []any           `json:"dimensions"`
	ItemStyle  *Style          `json:"itemStyle,omitempty"`
	LineStyle  *opts.LineStyle `json:"lineStyle,omitempty"`
	AreaStyle  *opts.AreaStyle `json:"areaStyle,omitempty"`
	EndLabel   *EndLabel       `json:"endLabel,omitempty"`
	MarkLine   *markLine       `json:"markLine,omitempty"`
	MarkArea   *markArea       `json:"markArea,omitempty"`
	AllSymbols *bool           `json:"showAllSymbol,omitempty"`
	// SymbolPosition is where the symbol of a tick stands in its bar.
	SymbolPosition string `json:"symbolPosition,omitempty"`
	Z              int    `json:"z,omitempty"`

	above int // how high the highest text above it is, in pixels
}

// Point is a value of a series: the index of its category, its height, and its text.
type Point struct {
	Value     [3]any `json:"value"`
	ItemStyle *Style `json:"itemStyle,omitempty"`
	Label     *label `json:"label,omitempty"`
	Symbol    string `json:"symbol,omitempty"`
	// SymbolSize is that of a marker; a line without markers has one where it is set.
	SymbolSize int    `json:"symbolSize,omitempty"`
	Short      string `json:"-"` // its amount alone, for a label
}

// height returns the height of an amount; 0 of anything else.
func (p *Point) height() float64 {
	n, _ := p.Value[1].(json.Number)
	v, _ := n.Float64()
	return v
}

// label is text above a point, which it begins or ends at.
type label struct {
	Show          bool           `json:"show"`
	Position      string         `json:"position"`
	Align         string         `json:"align"`
	VerticalAlign string         `json:"verticalAlign,omitempty"`
	Formatter     string         `json:"formatter"`
	Color         string         `json:"color"`
	Offset        []int          `json:"offset,omitempty"`
	LineHeight    int            `json:"lineHeight,omitempty"`
	Rich          map[string]any `json:"rich,omitempty"`
	// Short is the text where the chart is narrow, if another.
	Short string `json:"short,omitempty"`
}

// EndsAt marks the last point of a line, with two lines of text beside it: a number in its colour, and under it what is
// usual, if anything is. They stand to the left above it, or to the right under it where there is no room.
func (s *Series) EndsAt(number, under, color string, left bool) {
	if len(s.Data) == 0 {
		return
	}
	p := &s.Data[len(s.Data)-1]
	p.Label = &label{Show: true, Position: "left", Align: "right", VerticalAlign: "bottom", Formatter: "{1|" + number + "}", Color: color, Offset: []int{-2, -4}, Rich: lines(color)}
	if !left {
		p.Label.Position, p.Label.Align, p.Label.VerticalAlign, p.Label.Offset = "right", "left", "top", []int{2, 6}
	}
	if under != "" {
		p.Label.Formatter += "\n{2|" + under + "}"
	}
	s.ShowSymbol, s.Symbol, s.AllSymbols = opts.Bool(true), "none", new(true) // or a narrow chart leaves the marker out
	p.Symbol, p.SymbolSize, p.ItemStyle = "circle", 9, &Style{Color: color}
}

// LabelAbove moves the text that stands above the last point of a line (EndsAt) above a level line that would cross it. Text that
// stands under its point stays.
func (s *Series) LabelAbove(level *Series) {
	if len(s.Data) == 0 {
		return
	}
	last := &s.Data[len(s.Data)-1]
	i := slices.IndexFunc(level.Data, func(p Point) bool { return p.Value[0] == last.Value[0] })
	if last.Label == nil || last.Label.VerticalAlign != "bottom" || i < 0 {
		return
	}
	level.ShowSymbol, level.Symbol, level.AllSymbols = opts.Bool(true), "none", new(true)
	level.Data[i].Label, last.Label = last.Label, nil
}

// lines are the styles of a number and of what stands under it.
func lines(color string) map[string]any {
	return map[string]any{"1": map[string]any{"color": color, "fontSize": 16, "fontWeight": 640, "lineHeight": 20, "backgroundColor": "@paper", "padding": []int{0, 3}},
		"2": map[string]any{"color": "@soft", "fontSize": 12, "lineHeight": 16, "backgroundColor": "@paper", "padding": []int{0, 3}}}
}

// EndsWith puts two lines beside the end of a line: a number in its colour, and under it what else is to be said.
func (s *Series) EndsWith(number, under, color string, below bool) {
	text := "{1|" + number + "}"
	if under != "" {
		text += "\n{2|" + under + "}"
	}
	s.EndLabel = &EndLabel{Show: true, Formatter: text, Color: color, Align: "right", VerticalAlign: "bottom", Offset: []int{-6, -4}, Rich: lines(color)}
	if below {
		s.EndLabel.VerticalAlign, s.EndLabel.Offset = "top", []int{-6, 8}
	}
}

// Outstanding returns where an axis is to end so that a few bars which are more than twice as high as all others do not
// flatten these; 0 if there are none. A few are one in eight at most.
func Outstanding(series ...[]Point) (top float64) {
	var heights []float64
	for _, points := range series {
		for _, p := range points {
			heights = append(heights, p.height())
		}
	}
	slices.SortFunc(heights, func(a, b float64) int { return cmp.Compare(b, a) })
	for n := 1; n <= len(heights)/8; n++ {
		if next := heights[n]; next > 0 && heights[n-1] > 2*next {
			top = next
		}
	}
	for unit := 1.0; top > 0; unit *= 10 {
		for _, step := range []float64{1, 1.5, 2, 3, 4, 5, 6, 8} {
			if step*unit >= top {
				return step * unit
			}
		}
	}
	return 0
}

// cutMark stands above a bar that goes on above its axis.
const cutMark = "↑"

// Cut gives the points that are higher than an axis a mark that they go on, and their amount, above their middle unless that is
// near an edge of the chart.
func Cut(points []Point, top float64, color string) {
	for i := range points {
		if top <= 0 || points[i].height() <= top {
			continue
		}
		align := "center"
		switch edge := len(points) / 8; {
		case i < edge:
			align = "left"
		case i >= len(points)-edge:
			align = "right"
		}
		points[i].Label = &label{Show: true, Position: "top", Align: align, Formatter: cutMark + "\u00a0" + points[i].Short, Color: color, LineHeight: line}
	}
}

// Broken returns a series with a break across each bar that is cut, near its end; ok is false if none is.
func Broken(id string, top float64, points []Point) (s Series, ok bool) {
	var breaks []Point
	for _, p := range points {
		if top > 0 && p.height() > top {
			breaks = append(breaks, Point{Value: [3]any{p.Value[0], .88 * top, ""}})
		}
	}
	s = Ticks(id, id, "@paper", 0, breaks)
	s.Symbol, s.SymbolSize = "path://M0 5L5 0L10 5L15 0L20 5V9L15 4L10 9L5 4L0 9Z", []any{"112%", 9}
	s.Tooltip = &opts.Tooltip{Show: opts.Bool(false)}
	return s, len(breaks) > 0
}

// KeepApart leaves those labels of bars that are cut their mark alone which would run into another: that of a series before it, or of a
// higher bar of its own. Of two in one place the first series has the one that there is room for.
func KeepApart(series ...[]Point) {
	type cut struct {
		series, at int
		*Point
	}
	var all []cut
	reach := 0
	for n, points := range series {
		reach = max(reach, len(points)/3)
		for i := range points {
			if points[i].Label != nil {
				all = append(all, cut{n, i, &points[i]})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b cut) int {
		return cmp.Or(cmp.Compare(a.series, b.series), cmp.Compare(b.height(), a.height()))
	})
	for i, c := range all {
		at := func(o cut) bool { return o.Label != nil && o.at == c.at }
		near := func(o cut) bool {
			return o.Label != nil && o.Label.Formatter != cutMark && max(o.at-c.at, c.at-o.at) <= reach
		}
		switch {
		case slices.ContainsFunc(all[:i], at):
			c.Label = nil
		case slices.ContainsFunc(all[:i], near):
			c.Label.Formatter = cutMark
		}
	}
}

// Style is how a point or a series is drawn.
type Style struct {
	Color        string  `json:"color,omitempty"`
	Opacity      float64 `json:"opacity,omitempty"`
	BorderColor  string  `json:"borderColor,omitempty"`
	BorderWidth  float64 `json:"borderWidth,omitempty"`
	BorderRadius []int   `json:"borderRadius,omitempty"`
	Decal        *decal  `json:"decal,omitempty"`
}

// decal is hatching, for values that are not certain yet.
type decal struct {
	Symbol     string  `json:"symbol"`
	Color      string  `json:"color"`
	DashArrayX []int   `json:"dashArrayX"`
	DashArrayY []int   `json:"dashArrayY"`
	Rotation   float64 `json:"rotation"`
}

// OpenStyle returns the style of a bucket that is still running.
func OpenStyle() *Style {
	return &Style{Color: "@house-3", BorderRadius: []int{2, 2, 0, 0},
		Decal: &decal{Symbol: "rect", Color: "@house", DashArrayX: []int{1, 0}, DashArrayY: []int{2, 4}, Rotation: -0.785}}
}

// EndLabel is text beside the end of a line.
type EndLabel struct {
	Show          bool           `json:"show"`
	Formatter     string         `json:"formatter"`
	Color         string         `json:"color"`
	Align         string         `json:"align"`
	VerticalAlign string         `json:"verticalAlign"`
	Offset        []int          `json:"offset"`
	Rich          map[string]any `json:"rich,omitempty"`
}

// OpenPeople is OpenStyle for people who are still to come.
func OpenPeople() *Style {
	return &Style{Color: "@in-3", Decal: &decal{Symbol: "rect", Color: "@in", DashArrayX: []int{1, 0}, DashArrayY: []int{2, 4}, Rotation: -0.785}}
}

// markLine is a labelled line across the chart at one category.
type markLine struct {
	Silent    bool            `json:"silent"`
	Symbol    string          `json:"symbol"`
	Animation bool            `json:"animation"`
	LineStyle *opts.LineStyle `json:"lineStyle"`
	Label     map[string]any  `json:"label"`
	Data      []any           `json:"data"`
}

// markArea is a tint over some categories.
type markArea struct {
	Silent    bool           `json:"silent"`
	ItemStyle *Style         `json:"itemStyle"`
	Label     map[string]any `json:"label,omitempty"`
	Data      []any          `json:"data"`
}

// Tint lays a tint over the categories from..to, with words at its foot or at its top.
func (s *Series) Tint(from, to int, words, color string, top bool) {
	at := "insideBottom"
	if top {
		at = "insideTop"
	}
	s.MarkArea = &markArea{Silent: true, ItemStyle: &Style{Color: color, Opacity: .08}, Data: []any{[]any{map[string]any{"xAxis": from}, map[string]any{"xAxis": to}}},
		Label: map[string]any{"show": words != "", "formatter": words, "color": color, "position": at, "fontSize": 12, "fontWeight": 600}}
}

// InShort gives a tint the words that it has where it is narrower than its own.
func (s *Series) InShort(words string) { s.MarkArea.Label["short"] = words }

// MarkAt returns a line at the category with the index i.
func MarkAt(i int, words string) *markLine {
	return &markLine{
		Silent: true, Symbol: "none", LineStyle: &opts.LineStyle{Color: "@ink", Width: 1, Type: "solid"},
		Label: map[string]any{"formatter": words, "color": "@ink", "position": "end"},
		Data:  []any{map[string]any{"xAxis": i}},
	}
}

// NewSeries returns a series with a fixed id, so that a frame updates it instead of adding another.
func NewSeries(kind, id, name string, data []Point) Series {
	return Series{
		Type: kind, ID: id, Name: name, Encode: &opts.Encode{X: 0, Y: 1, Tooltip: 2},
		Data:       data,
		Dimensions: []any{"x", "y", map[string]string{"name": "text", "type": "ordinal"}},
	}
}

// Line returns a series drawn as a line without markers.
func Line(id, name, color string, data []Point) Series {
	s := NewSeries("line", id, name, data)
	s.ShowSymbol = opts.Bool(false)
	s.Symbol = "circle"
	s.ItemStyle = &Style{Color: color}
	s.LineStyle = &opts.LineStyle{Color: color, Width: 2}
	return s
}

// Ticks returns a series drawn as a line across each bar of another one, as high as what that is compared with. What is higher
// than where the axis ends stands at its end.
func Ticks(id, name, color string, top float64, data []Point) Series {
	for i := range data {
		if top > 0 && data[i].height() > top {
			data[i].Value[1] = top
		}
	}
	s := NewSeries("pictorialBar", id, name, data)
	s.Symbol, s.SymbolSize, s.SymbolPosition = "rect", []any{"128%", 2}, "end"
	s.BarGap, s.Z = "-100%", 3 // on the bar, and above it
	s.ItemStyle = &Style{Color: color}
	return s
}

// Area fills a line down to the one before it of the same stack, without a line of its own.
func (s *Series) Area(stack string) {
	s.Stack, s.LineStyle = stack, &opts.LineStyle{Opacity: opts.Float(0)}
	s.AreaStyle = &opts.AreaStyle{Color: s.ItemStyle.Color, Opacity: opts.Float(1)}
}

// PointAlone shows the marker of a line with a single point, which would be invisible otherwise.
func (s *Series) PointAlone() {
	if len(s.Data) == 1 {
		s.ShowSymbol, s.SymbolSize = opts.Bool(true), 8
	}
}

// xAxis, yAxis and grid are the library's types, with the fields that they lack.
type xAxis struct {
	opts.XAxis
	AxisLabel axisLabel `json:"axisLabel"`
}

type axisLabel struct {
	opts.AxisLabel
	Interval      *int   `json:"interval,omitempty"` // the library's is text, which ECharts misreads
	AlignMaxLabel string `json:"alignMaxLabel,omitempty"`
	CustomValues  []int  `json:"customValues,omitempty"`
}

type yAxis struct {
	opts.YAxis
	NameTextStyle map[string]any `json:"nameTextStyle"`
}

type grid struct {
	opts.Grid
	OuterBoundsMode    string `json:"outerBoundsMode"`
	OuterBoundsContain string `json:"outerBoundsContain"`
}

// chartBase has the options that all charts share. The library finds its defaults by reflection and its
// charts are not safe for concurrent use, so they are made once; nothing in the map is changed.
var chartBase = sync.OnceValue(func() map[string]any {
	c := echarts.NewBar()
	c.SetGlobalOptions(echarts.WithAnimation(true))
	c.Validate()
	o := c.JSON()
	for _, unused := range []string{"title", "legend", "toolbox", "color"} {
		delete(o, unused)
	}
	return o
})

// Option returns the chart as JSON.
func (p Plot) Option() (json.RawMessage, error) {
	b, err := encode(p.option())
	if err != nil {
		return nil, fmt.Errorf("chart: %w", err)
	}
	return b, nil
}

func (p Plot) option() map[string]any {
	o := maps.Clone(chartBase())
	soft := opts.AxisLabel{Show: opts.Bool(true), Color: "@soft", HideOverlap: opts.Bool(true), FontSize: 12}
	x := xAxis{
		XAxis: opts.XAxis{
			Type: "category", Data: p.X, BoundaryGap: opts.Bool(p.Bars),
			AxisLine: &opts.AxisLine{LineStyle: &opts.LineStyle{Color: "@line"}},
			AxisTick: &opts.AxisTick{Show: opts.Bool(false)},
		},
		AxisLabel: axisLabel{AxisLabel: soft},
	}
	if !p.Bars { // a curve ends at the edge, and so its last label
		x.AxisLabel.AlignMaxLabel = "right"
	}
	if p.Every > 0 {
		x.AxisLabel.Interval = new(p.Every - 1)
	}
	if p.Marks != nil {
		x.AxisLabel.CustomValues = p.Marks
	}
	o["xAxis"] = x
	y := yAxis{
		YAxis: opts.YAxis{
			Type: "value", Name: p.Axis + "\n" + p.Zone, NameLocation: "end", NameGap: 24, SplitNumber: 4, MinInterval: 1,
			AxisLabel: &soft,
			AxisLine:  &opts.AxisLine{Show: opts.Bool(false)},
			SplitLine: &opts.SplitLine{Show: opts.Bool(true), LineStyle: &opts.LineStyle{Color: "@line"}},
		},
		NameTextStyle: map[string]any{"color": "@soft", "align": "left", "fontSize": 12, "lineHeight": 16},
	}
	if p.Top > 0 {
		y.Max = p.Top
	}
	o["yAxis"] = y
	above := 0
	for i := range p.Series {
		above = max(above, p.Series[i].above)
		for _, point := range p.Series[i].Data {
			if point.Label != nil && point.Label.Position == "top" {
				above = max(above, line*(1+strings.Count(point.Label.Formatter, "\n")))
			}
		}
	}
	if above > line { // the axis has its name above the texts
		y.NameGap = above + line/2
		o["yAxis"] = y
	}
	o["grid"] = grid{opts.Grid{Left: "0", Right: "8", Top: strconv.Itoa(max(60, above+line/2+36)), Bottom: "6"}, "same", "axisLabel"}
	o["series"] = p.Series
	if p.Below != nil {
		p.under(o, x, y)
	}
	pointer := map[string]any{"type": "line", "lineStyle": map[string]any{"color": "@soft", "type": "dashed"}}
	if p.Bars {
		pointer = map[string]any{"type": "shadow", "shadowStyle": map[string]any{"color": "@soft", "opacity": .1}}
	}
	o["tooltip"] = map[string]any{
		"trigger": "axis", "renderMode": "richText", "confine": true, "axisPointer": pointer, "transitionDuration": 0,
		"backgroundColor": "@sheet", "borderColor": "@line", "textStyle": map[string]any{"color": "@ink", "fontSize": 13},
	}
	o["textStyle"] = map[string]any{"fontFamily": "Inter Variable, Inter, system-ui, sans-serif"}
	o["animationDuration"], o["animationDurationUpdate"] = 250, 250
	o["aria"] = map[string]any{"enabled": true, "label": map[string]any{"description": p.Label}}
	return o
}
