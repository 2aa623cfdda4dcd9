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

// part is a part of a bar: its position and its width in per cent, and where it ends on the bar's scale.
type part struct {
	Class, X, Width string
	end             int
}

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
			b.Parts = append(b.Parts, part{p.Class, share(x, scale), share(p.N, scale), x + p.N})
			x += p.N
		}
	}
	return b
}

// Beyond returns the bar with what is more than n, which is as much as there may be, as a part of its own.
func (b Bar) Beyond(n int) Bar {
	if len(b.Parts) == 0 || b.Parts[len(b.Parts)-1].end <= n {
		return b
	}
	at, end := 0, b.Parts[len(b.Parts)-1].end
	var parts []part
	for _, p := range b.Parts {
		if at < n {
			parts = append(parts, part{p.Class, p.X, share(min(p.end, n)-at, b.scale), min(p.end, n)})
		}
		at = p.end
	}
	b.Parts = append(parts, part{"over", share(n, b.scale), share(end-n, b.scale), end})
	return b
}

// Usual marks what is usual on a bar, which is all that a mark means.
func (b *Bar) Usual(n int) { b.usual = share(n, b.scale) }

func share(n int, whole float64) string {
	return strconv.FormatFloat(math.Min(1, float64(n)/whole)*100, 'f', 2, 64) + "%"
}
