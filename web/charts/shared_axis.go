package charts

import (
	"slices"

	"github.com/go-echarts/go-echarts/v2/opts"
)

// Where two charts on one axis stand: both begin at the same place, so that a minute is above itself.
const (
	belowLeft  = "40"
	belowRight = "8"
)

// under puts a second chart under that of the axes: one axis of time for both, named below the lower.
func (p *Plot) under(o map[string]any, x xAxis, y yAxis) {
	upper, lower := x, x
	upper.AxisLabel.Show, lower.GridIndex = opts.Bool(false), 1
	upper.BoundaryGap, lower.BoundaryGap = opts.Bool(true), opts.Bool(true)
	rate := y
	rate.Name, rate.NameGap, rate.GridIndex, rate.SplitNumber, rate.Max = p.Below.Axis, 8, 1, 2, nil
	y.Name, y.NameGap = p.Axis, 8
	o["xAxis"], o["yAxis"] = []xAxis{upper, lower}, []yAxis{y, rate}
	o["grid"] = []grid{
		{opts.Grid{Left: belowLeft, Right: belowRight, Top: "42", Height: "53%"}, "none", ""},
		{opts.Grid{Left: belowLeft, Right: belowRight, Top: "76%", Bottom: "24"}, "none", ""},
	}
	o["axisPointer"] = map[string]any{"link": []any{map[string]any{"xAxisIndex": "all"}}}
	below := slices.Clone(p.Below.Series)
	for i := range below {
		below[i].XAxisIndex, below[i].YAxisIndex = 1, 1
	}
	o["series"] = slices.Concat(p.Series, below)
}
