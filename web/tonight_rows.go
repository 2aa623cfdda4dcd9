package web

import (
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/licence"
	"housecount/web/charts"
	"housecount/web/words"
)

// drawnRows are Tonight's rows as rendered for one request in one minute, so that a sale for one
// performance renders one row. Each builder passes them to the next builder of the same request and minute.
type drawnRows struct {
	rows   []drawnRow
	groups []drawnGroup
	passed map[string]charts.Key // by performance, when more people were in it than are allowed
}

type drawnRow struct {
	show    *evening.Show // evenings of one minute share shows that did not change
	loudest evening.Level
	room    hallRoom
	html    rendered
}

// hallRoom is what a row has of its hall, which depends on all performances in it.
type hallRoom struct {
	entry         evening.Entry
	left          int
	quality       figures.Quality
	limited       bool
	mayEnter      string // in words, with when it is full
	level         evening.Level
	inside        int
	insideQuality figures.Quality
	allowed       int
	passed        string // when more people were in it than are allowed
	tooMany       int    // in it or in the building
}

func (b *Builder) hallRoom(s *evening.Show) (r hallRoom) {
	left, limited := licence.MayEnter(b.Evening, s.Event.Hall)
	r = hallRoom{entry: b.Evening.EntryTo(s), left: left.Value, quality: left.Quality, limited: limited, mayEnter: b.MayEnter(s).String(),
		passed: b.keyText(b.drawn.passed[s.Event.ID]), tooMany: licence.TooManyAt(b.Evening, s).Value}
	if l, ok := b.Evening.LoadOf(s.Event.Hall); ok && l.Hall != "" && l.Level() != "" {
		r.level, r.inside, r.insideQuality, r.allowed = l.Level(), l.Inside.Value, l.Inside.Quality, l.Licensed
	}
	return r
}

// drawnGroup is a rendered group with the rows it was made from.
type drawnGroup struct {
	group
	html rendered
}

// drawRow renders the row of the next performance, or reuses the previous rendering at its place if nothing
// in it has changed.
func (b *Builder) drawRow(s *evening.Show, loudest evening.Level) (rendered, error) {
	row := drawnRow{show: s, loudest: loudest, room: b.hallRoom(s)}
	if i := len(b.drawn.rows); i < len(b.before.rows) && b.before.rows[i].show == s && b.before.rows[i].loudest == loudest && b.before.rows[i].room == row.room {
		row = b.before.rows[i]
	} else {
		html, err := toHTML(b.Words, b.row(s, loudest).html())
		if err != nil {
			return "", err
		}
		row.html = html
	}
	b.drawn.rows = append(b.drawn.rows, row)
	return row.html, nil
}

// drawGroup renders the next group, or reuses the previous rendering of the same rows.
func (b *Builder) drawGroup(g group) (rendered, error) {
	i := len(b.drawn.groups)
	if i < len(b.before.groups) && b.before.groups[i].Many == g.Many && slices.Equal(b.before.groups[i].Rows, g.Rows) {
		b.drawn.groups = append(b.drawn.groups, b.before.groups[i])
		return b.before.groups[i].html, nil
	}
	html, err := toHTML(b.Words, g.html())
	b.drawn.groups = append(b.drawn.groups, drawnGroup{g, html})
	return html, err
}

// inHall adds how many people are allowed in the hall of a performance, and how many are in it where that is not only those of the
// performance, if the hall is nearly full or too full, also when no more are let in and those who are out may come back.
func (b *Builder) inHall(s *evening.Show, a *arrived) *arrived {
	l, ok := b.Evening.LoadOf(s.Event.Hall)
	if !ok || l.Hall == "" || l.Level() == "" && !l.NearlyAll() {
		return a
	}
	a.Level = string(l.Level())
	licensed := words.Fig("licensed", b.OfHall(l, figures.KeyLicensed))
	switch one := l.Inside.Value == s.Inside.Value; {
	case one && b.soldTooMany(s): // its places say how many
	case one:
		a.Of = words.Join(" · ", a.Of, b.Say("people.of_allowed", licensed))
	default:
		a.Of = words.Join(" · ", a.Of, b.Say("figs.inside_hall", words.Name("hall", l.Hall), words.Fig("n", b.OfHall(l, figures.KeyInside)), licensed))
	}
	return a
}
