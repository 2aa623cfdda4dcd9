package charts

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/a-h/templ"
)

// Tiles is a map of squares on a grid, each shaded by its number, in SVG attributes for the same reason as Bar.
type Tiles struct {
	Label      string // what it shows, in words
	Cols, Rows int
	Squares    []Square
}

// Square is a square of a map: its place from 0, its name and its number, which is left out where it is empty.
type Square struct {
	Col, Row     int
	Name, Number string
	Title        string // both in words
	Class        string // of its shade, one of Shades; empty for none
}

// tileSide is the side of a square with its gap, in units of the picture.
const tileSide = 10

// shades is how many shades there are.
const shades = 4

// Shades are the numbers from which each shade is used, the lightest first, and the class of each: halves of the greatest
// number, of its half, and so on, down to 1. There are fewer where the greatest number is small, and none where it is below 1.
func Shades(greatest int) (from []int, classes []string) {
	for i := range shades {
		n := 1
		if i > 0 {
			n = (greatest + 1<<(shades-i) - 1) >> (shades - i)
		}
		if greatest >= 1 && (i == 0 || n > from[len(from)-1]) {
			from, classes = append(from, n), append(classes, fmt.Sprint("o", i+1))
		}
	}
	return from, classes
}

// squares draws the squares of a map. It is not a template, because there are up to a hundred.
type squares Tiles

func (t squares) Render(_ context.Context, w io.Writer) error {
	var s strings.Builder
	for _, q := range t.Squares {
		x, y := q.Col*tileSide, q.Row*tileSide
		class := q.Class
		if class == "" {
			class = "none"
		}
		fmt.Fprintf(&s, `<g class="%s"><rect x="%d" y="%d" width="9.4" height="9.4" rx="1"></rect>`, templ.EscapeString(class), x, y)
		fmt.Fprintf(&s, `<text x="%d.7" y="%d.4">%s</text>`, x+4, y+5, templ.EscapeString(q.Name))
		if q.Number != "" {
			fmt.Fprintf(&s, `<text class="n" font-size="3.2" x="%d.7" y="%d.6">%s</text>`, x+4, y+8, templ.EscapeString(q.Number))
		}
		if q.Title != "" {
			fmt.Fprintf(&s, `<title>%s</title>`, templ.EscapeString(q.Title))
		}
		s.WriteString("</g>")
	}
	_, err := io.WriteString(w, s.String())
	return err
}

func (t Tiles) viewBox() string { return fmt.Sprintf("0 0 %d %d", t.Cols*tileSide, t.Rows*tileSide) }
