package charts

import (
	"math"
	"strconv"
)

// Bar is a strip of coloured parts. Its geometry is in SVG attributes, in per cent, because the page's
// content security policy allows no inline styles.
type Bar struct {
	Label string // what it shows, in words
	Parts []part
	// Mark is the position of the capacity in an oversold bar, or of what is usual; empty for none.
	Mark  string
	scale float64 // what the whole bar stands for
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
	b, x := Bar{Label: label, scale: scale}, 0
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

// MarkAt puts the mark of a bar at n.
func (b *Bar) MarkAt(n int) { b.Mark = share(n, b.scale) }

func share(n int, whole float64) string {
	return strconv.FormatFloat(math.Min(1, float64(n)/whole)*100, 'f', 2, 64) + "%"
}
