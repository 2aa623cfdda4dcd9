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
	usual string // the position of what is usual; empty for none
	scale float64
}

// part is a part of a bar: its position and its width in per cent.
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
	return b
}

// Beyond cuts pieces at n, which is as much as there may be: what is more is a piece of its own, at their end, and of people those before
// it are what fits.
func Beyond(n int, pieces ...Piece) (all []Piece) {
	over := 0
	for _, p := range pieces {
		fits := max(0, min(p.N, n))
		n, over = n-fits, over+max(0, p.N)-fits
		all = append(all, Piece{p.Class, fits})
	}
	for i := range all {
		if over > 0 && all[i].Class == "in" {
			all[i].Class = "fits"
		}
	}
	return append(all, Piece{"over", over})
}

// Usual marks what is usual on a bar, which is all that a mark means.
func (b *Bar) Usual(n int) { b.usual = share(n, b.scale) }

func share(n int, whole float64) string {
	return strconv.FormatFloat(math.Min(1, float64(n)/whole)*100, 'f', 2, 64) + "%"
}
