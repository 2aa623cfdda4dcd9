package web

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"housecount/aggregator/figures"
)

// Bar is a strip of coloured parts. Its geometry is in SVG attributes, in per cent, because the page's
// content security policy allows no inline styles.
type Bar struct {
	Label string // what it shows, in words
	Parts []part
	// Mark is the position of the capacity in an oversold bar; empty for none.
	Mark string
}

type part struct{ Class, X, Width string }

// Piece is a part of a bar before it is placed: N of the bar's scale, with a class.
type Piece struct {
	Class string
	N     int
}

// NewBar places the pieces end to end on a scale of whole. Pieces that exceed whole widen the scale.
func NewBar(label string, whole int, pieces ...Piece) Bar {
	sum := 0
	for _, p := range pieces {
		sum += max(0, p.N)
	}
	scale := float64(max(whole, sum, 1))
	b, x := Bar{Label: label}, 0
	for _, p := range pieces {
		if p.N > 0 {
			b.Parts = append(b.Parts, part{p.Class, share(x, scale), share(p.N, scale)})
			x += p.N
		}
	}
	if whole > 0 && sum > whole {
		b.Mark = share(whole, scale)
	}
	return b
}

// MarkAt puts the mark of a bar at n on a scale of whole.
func (b *Bar) MarkAt(n, whole int) { b.Mark = share(n, float64(whole)) }

func share(n int, whole float64) string {
	return strconv.FormatFloat(math.Min(1, float64(n)/whole)*100, 'f', 2, 64) + "%"
}

// spark is a small picture of sales over time: columns in a box of 100 by 100, drawn as one path. The
// column that is still running is a path of its own.
type spark struct {
	Label        string
	Closed, Open string
}

// newSpark draws the places sold in n steps up to at; ok is false if nothing was sold.
func newSpark(e *figures.EventFigures, at time.Time, step time.Duration, n int, label string) (s spark, ok bool) {
	counts := make([]int, n)
	minutes := int64(step / time.Minute)
	last := at.Unix() / 60 / minutes
	for i := len(e.SoldMinutes) - 1; i >= 0; i-- {
		m := e.SoldMinutes[i]
		back := last - m.Minute/minutes
		if back >= int64(n) {
			break
		}
		if back >= 0 {
			counts[int64(n)-1-back] += m.Count
		}
	}
	top := 0
	for _, c := range counts {
		top = max(top, c)
	}
	if top == 0 {
		return spark{}, false
	}
	var closed strings.Builder
	width := 100 / float64(n)
	for i, c := range counts {
		if c <= 0 {
			continue
		}
		h := math.Max(4, 100*float64(c)/float64(top))
		column := fmt.Sprintf("M%.1f 100v-%.0fh%.1fv%.0fz", float64(i)*width, h, width*.72, h)
		if i == n-1 {
			s.Open = column
		} else {
			closed.WriteString(column)
		}
	}
	s.Label, s.Closed = label, closed.String()
	return s, true
}
