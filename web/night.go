package web

import (
	"housecount/aggregator/figures"
	"housecount/web/words"
)

// night is what the evening before came to. It stands on Tonight until noon.
type night struct {
	Title string
	Text  sentence
	Net   string // heads the column of what was received; empty where that is not shown
	Rows  []nightRow
	Sum   *nightRow // nil where there is one row
}

type nightRow struct {
	Time, Href, Title, Hall string
	Off                     sentence // in place of the figures, of one that did not go ahead
	Sold                    sentence
	Came                    num
	Away                    sentence
	Net                     num
}

// lastNight is the evening before, without rows where there is nothing to show.
func (b *builder) lastNight() night {
	shows := b.evening.LastNight
	if len(shows) == 0 {
		return night{}
	}
	var n night
	received := "night.received"
	if b.Total.BookedStandsIn() {
		received = "night.booked"
	}
	if b.Access.seesMoney() {
		n.Net = b.netHead("column.received_net")
	}
	r := figures.ResultOf(shows)
	if r.Shows > 0 && !r.Sold.Known() && !r.Came.Known() && !r.Net.Known() {
		return n // there is nothing to say of it but that it was
	}
	n.Title = b.Text("night.title", words.Text("day", b.day(b.evening.Day.Add(-1))))
	var all []sentence
	if r.Sold.Known() {
		all = append(all, b.end(words.Join(", ", b.placesSold(r.Sold, r.Capacity), b.known(r.Occupancy()))))
	}
	if r.Came.Known() {
		all = append(all, b.end(b.cameWords(r.Came, r.Away, r.NoShow)))
	}
	if n.Net != "" && r.Net.Known() {
		all = append(all, b.Say(received, words.Fig("amount", b.houseMoney(r.Net))))
	}
	n.Text = words.Join(" ", all...)
	for _, s := range shows {
		n.Rows = append(n.Rows, b.nightRow(s))
	}
	if r.Shows > 1 {
		n.Sum = &nightRow{Title: b.Text("night.together", words.Spelled("n", r.Shows)), Sold: b.soldOf(r.Sold, r.Capacity),
			Came: b.number(r.Came), Away: b.awayWords(r.Away, r.NoShow), Net: b.houseMoney(r.Net)}
	}
	return n
}

// netHead heads a column of what was received net, or of what was booked where that stands in.
func (b *builder) netHead(received string) string {
	if b.Total.BookedStandsIn() {
		return b.Text("column.stands_in")
	}
	return b.Text(received)
}

// houseMoney is an amount of the house.
func (b *builder) houseMoney(f figures.Figure[figures.Sums]) num {
	return b.qualified(f.Quality, f.Reasons, b.houseSums(f.Value))
}

func (b *builder) nightRow(s *figures.Show) nightRow {
	r := nightRow{Time: dash, Href: eventHref(s.Event.ID), Title: b.title(s.EventFigures), Hall: s.Event.Hall,
		Sold: b.soldOf(s.Sold, s.Capacity), Came: b.number(s.Attendance), Away: b.awayWords(s.Away, s.NoShow),
		Net: b.money(s.EventFigures, s.Revenue.Net)}
	if !s.Event.StartsAt.IsZero() {
		r.Time = b.Clock(s.Event.StartsAt, b.zone)
	}
	switch owed := s.ToPayBack; {
	case s.Phase == figures.Cancelled && b.Access.seesMoney() && (!owed.Known() || len(owed.Value) > 0):
		r.Off = b.Say("night.cancelled_owed", words.Fig("amount", b.toPayBack(s)))
	case s.Phase != figures.Over:
		r.Off = sentence{{Text: b.Code("status", s.Phase.String())}}
	}
	return r
}

// soldOf is places sold of those there are, as numbers.
func (b *builder) soldOf(sold, capacity figures.Figure[int]) sentence {
	if capacity.Known() && capacity.Value > 0 {
		return b.Say("places.number_of", words.Fig("sold", b.number(sold)), words.Fig("capacity", b.number(capacity)))
	}
	return b.strong(b.number(sold))
}

// placesSold is soldOf with the words.
func (b *builder) placesSold(sold, capacity figures.Figure[int]) sentence {
	if capacity.Known() && capacity.Value > 0 {
		return b.Say("places.sold_of", words.Fig("sold", b.number(sold)), words.Fig("capacity", b.number(capacity)))
	}
	return b.Say("places.sold", words.Fig("sold", b.number(sold)))
}

// known is a percentage, and nothing where it is not known.
func (b *builder) known(f figures.Figure[float64]) sentence {
	if !f.Known() {
		return nil
	}
	return b.percentage(f).Sentence()
}

// awayWords are those who did not come, and their part of the expected.
func (b *builder) awayWords(away figures.Figure[int], rate figures.Figure[float64]) sentence {
	return words.Join(" · ", b.number(away).Sentence(), b.known(rate))
}
