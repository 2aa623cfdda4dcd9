package charts

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Spark is a small picture of numbers over time: columns in a box of 100 by 100, drawn as one path. The
// column that is still running is a path of its own, and so are those of numbers below 0, which hang from the foot of the others.
type Spark struct {
	Label              string
	Closed, Open, Back string
	Zero               string // the line on which the columns stand
}

// NewSpark draws the numbers, of which the last is still running; nil if none is above 0.
func NewSpark(label string, numbers []int) *Spark {
	top, low := slices.Max(numbers), max(0, -slices.Min(numbers))
	if top <= 0 {
		return nil
	}
	s := Spark{Label: label}
	var closed, back strings.Builder
	width, foot := 100/float64(len(numbers)), 100*float64(top)/float64(top+low)
	for i, n := range numbers {
		h := math.Max(4, 100*math.Abs(float64(n))/float64(top+low))
		column := func(sign string) string {
			return fmt.Sprintf("M%.1f %.0fv%s%.0fh%.1fv%s%.0fz", float64(i)*width, foot, sign, h, width*.72, opposite[sign], h)
		}
		switch {
		case n < 0:
			back.WriteString(column(""))
		case n > 0 && i == len(numbers)-1:
			s.Open = column("-")
		case n > 0:
			closed.WriteString(column("-"))
		}
	}
	s.Closed, s.Back, s.Zero = closed.String(), back.String(), fmt.Sprintf("M0 %.0fh100", foot)
	return &s
}

// opposite is the sign of the way back of a column.
var opposite = map[string]string{"": "-", "-": ""}
