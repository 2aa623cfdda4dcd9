package charts

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Spark is a small picture of numbers over time: columns in a box of 100 by 100, drawn as one path. The
// column that is still running is a path of its own.
type Spark struct {
	Label        string
	Closed, Open string
}

// NewSpark draws the numbers, of which the last is still running; nil if none is above 0.
func NewSpark(label string, numbers []int) *Spark {
	top := slices.Max(numbers)
	if top <= 0 {
		return nil
	}
	s := Spark{Label: label}
	var closed strings.Builder
	width := 100 / float64(len(numbers))
	for i, n := range numbers {
		if n <= 0 {
			continue
		}
		h := math.Max(4, 100*float64(n)/float64(top))
		column := fmt.Sprintf("M%.1f 100v-%.0fh%.1fv%.0fz", float64(i)*width, h, width*.72, h)
		if i == len(numbers)-1 {
			s.Open = column
		} else {
			closed.WriteString(column)
		}
	}
	s.Closed = closed.String()
	return &s
}
