package money

import (
	"net/url"
	"slices"

	"housecount/aggregator/figures/evening"
	"housecount/web"
	"housecount/web/charts"
	"housecount/web/words"
)

// help lists the performances to come that sell far fewer places than usual, those that miss the most first.
type help struct {
	Title     string
	Text      words.Sentence
	Top, Rest helpRows
	Line      string     // above the others
	link      []web.Link // links to this from above
}

type helpRows []helpRow

type helpRow struct {
	ID, Href, Name, When       string
	Bar                        *charts.Bar
	Sold, Usual, Missing, ToGo string
	Week                       words.Num
}

// helpedFirst is how many rows are shown without unfolding.
const helpedFirst = 3

func (b builder) help() (h help) {
	far := b.Evening.FarBehind()
	if len(far) == 0 {
		return h
	}
	n := words.Int("n", len(far))
	h.Title, h.Text, h.link = b.Text("help.title"), b.Say("help.text"), []web.Link{{Href: "#help", Text: b.Text("help.link", n)}}
	for _, p := range far {
		h.Top = append(h.Top, b.helpRow(&p))
	}
	if more := len(far) - helpedFirst; more > 0 {
		h.Top, h.Rest = slices.Clip(h.Top[:helpedFirst]), h.Top[helpedFirst:]
		h.Line = b.Text("help.more", words.Int("n", more))
	}
	return h
}

func (b builder) helpRow(p *evening.FarOff) helpRow {
	e := p.EventFigures
	r := helpRow{ID: "help-" + url.QueryEscape(e.Event.ID), Href: web.EventHref(e.Event.ID), Name: b.TitleOf(e), When: words.Join(" · ", words.Sentence{{Text: b.DayShortOf(e.Date)}}, words.NameAlone(e.Event.Hall)).String(),
		Sold: b.Count(p.Sold), Usual: b.Count(p.Usual.Median), Missing: b.Count(p.Missing()), ToGo: b.Text("help.days", words.Int("n", p.Days)),
		Week: b.Qualified(p.SoldInWeek.Quality, p.SoldInWeek.Reasons, b.Signed(p.SoldInWeek.Value))}
	if places := e.Capacity; places.Known() && places.Value > 0 {
		picture := charts.NewBar("", places.Value, charts.Piece{Class: "paid", N: p.Sold})
		picture.Usual(p.Usual.Median)
		r.Bar = &picture
	}
	return r
}
