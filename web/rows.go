package web

import (
	"slices"

	"housecount/aggregator/figures"
)

// drawnRows are Tonight's rows as they were rendered for one request in one minute, so that a sale
// for one performance renders one row. A builder leaves them to the next one of the same request
// and minute; nothing else holds them.
type drawnRows struct {
	day    figures.Day // of the evening
	rows   map[*figures.EventFigures]drawnRow
	groups []drawnGroup
}

type drawnRow struct {
	show    *figures.Show
	loudest figures.Level
	html    rendered
}

// drawnGroup is a group of rows with what it is made of.
type drawnGroup struct {
	group
	html rendered
}

// drawRow renders the row of a performance, or takes over the last one where nothing of it has
// changed.
func (b *builder) drawRow(s *figures.Show, loudest figures.Level) (rendered, error) {
	row, ok := b.before.rows[s.EventFigures]
	if !ok || b.before.day != b.evening.Day || row.loudest != loudest || !sameShow(row.show, s) {
		html, err := toHTML(b.Words, b.row(s, loudest).html())
		if err != nil {
			return "", err
		}
		row = drawnRow{s, loudest, html}
	}
	b.drawn.rows[s.EventFigures] = row
	return row.html, nil
}

// drawGroup renders the next group, or takes over the last one of the same rows.
func (b *builder) drawGroup(g group) (rendered, error) {
	i := len(b.drawn.groups)
	if i < len(b.before.groups) && b.before.groups[i].Many == g.Many && slices.Equal(b.before.groups[i].Rows, g.Rows) {
		b.drawn.groups = append(b.drawn.groups, b.before.groups[i])
		return b.before.groups[i].html, nil
	}
	html, err := toHTML(b.Words, g.html())
	b.drawn.groups = append(b.drawn.groups, drawnGroup{g, html})
	return html, err
}

// sameShow reports whether a performance is what it was before, given that its figures and the
// minute are the same. What else is shown of it comes from other performances: how their visitors
// came.
func sameShow(a, b *figures.Show) bool {
	v, w := a.Verdict, b.Verdict
	return sameFigure(a.Inside, b.Inside) && v.Call == w.Call && sameFigure(v.Outside, w.Outside) &&
		v.From.Equal(w.From) && v.To.Equal(w.To)
}

func sameFigure[T comparable](a, b figures.Figure[T]) bool {
	return a.Value == b.Value && a.Quality == b.Quality && slices.Equal(a.Reasons, b.Reasons)
}
