package web

import (
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/licence"
	"housecount/web/words"
)

// night is the result of the evening before, as one line that unfolds. Tonight shows it until the next doors open.
type night struct {
	Title string
	Text  sentence
	// Passed is when more people were inside than are allowed.
	Passed []sentence
	Net    string // heads the column of what was received; empty if that is not shown
	Rows   []nightRow
	Sum    *nightRow // nil if there is one row
}

type nightRow struct {
	Time, Href, Title, Hall string
	Off                     sentence // instead of figures, if the performance did not go ahead
	Sold                    sentence
	Came                    num
	Away                    sentence
	Net                     num
}

// lastNight returns the evening before; without rows if there is nothing to show.
func (b *Builder) lastNight() night {
	shows := b.Evening.LastNight
	if len(shows) == 0 {
		return night{}
	}
	var n night
	received := "night.received"
	switch {
	case b.Total.BookedStandsIn():
		received = "night.booked"
	case slices.ContainsFunc(shows, HasFees):
		received = "night.received_fees"
	}
	if b.Access.SeesMoney() {
		n.Net = b.NetHead("column.received_net")
	}
	r := evening.ResultOf(shows)
	if r.Shows > 0 && !r.Sold.Known() && !r.Came.Known() && !r.Net.Known() {
		return n // only that it took place is known
	}
	n.Title = b.Text("night.title", words.Text("day", b.DayOf(b.Evening.Day.Add(-1))))
	var all []sentence
	if r.Sold.Known() {
		sold := b.Say("places.sold", words.Fig("sold", b.OfNight(&r, figures.KeySold)))
		if r.Capacity.Value > 0 && !b.Evening.BeyondAllowed(shows) {
			sold = words.Join(", ", b.Say("places.sold_of", words.Fig("sold", b.OfNight(&r, figures.KeySold)), words.Fig("capacity", b.OfNight(&r, figures.KeyCapacity))), Known(b.OfNight(&r, figures.KeyOccupancy)))
		}
		all = append(all, b.End(sold))
	}
	if r.Came.Known() {
		all = append(all, b.End(b.CameWords(b.OfNight(&r, figures.KeyCame), b.OfNight(&r, figures.KeyNoShows), b.OfNight(&r, figures.KeyNoShow))))
	}
	if n.Net != "" && r.Net.Known() {
		all = append(all, b.Say(received, words.Fig("amount", b.OfNight(&r, b.NetKey()))))
	}
	n.Text, n.Passed = words.Join(" ", all...), b.Passed(licence.Of(b.Evening, shows))
	for _, s := range shows {
		n.Rows = append(n.Rows, b.nightRow(s))
	}
	if r.Shows > 1 {
		n.Sum = &nightRow{Title: b.Text("night.together", words.Spelled("n", r.Shows)), Sold: b.soldOf(r.Capacity, b.OfNight(&r, figures.KeySold), b.OfNight(&r, figures.KeyCapacity)),
			Came: b.OfNight(&r, figures.KeyCame), Away: awayWords(b.OfNight(&r, figures.KeyNoShows), b.OfNight(&r, figures.KeyNoShow)), Net: b.OfNight(&r, b.NetKey())}
	}
	return n
}

// HasFees reports whether fees are in what was received for a performance, which is more than what was booked for that.
func HasFees(s *evening.Show) bool {
	f := s.Revenue.Of(figures.Fees)
	return f.Known() && len(f.Value) > 0 && !s.Revenue.BookedStandsIn()
}

// NetHead returns the head of a column of net receipts, or of booked amounts if these replace them.
func (b *Builder) NetHead(received string) string {
	if b.Total.BookedStandsIn() {
		return b.Text("column.stands_in")
	}
	return b.Text(received)
}

func (b *Builder) nightRow(s *evening.Show) nightRow {
	r := nightRow{Time: dash, Href: EventHref(s.Event.ID), Title: b.TitleOf(s.EventFigures), Hall: s.Event.Hall,
		Sold: b.SoldOfShow(s), Came: b.OfShow(s, figures.KeyCame), Away: awayWords(b.OfShow(s, figures.KeyNoShows), b.OfShow(s, figures.KeyNoShow)),
		Net: b.OfShow(s, b.NetKey())}
	if !s.Event.StartsAt.IsZero() {
		r.Time = b.Clock(s.Event.StartsAt, b.Zone)
	}
	switch {
	case s.MayOwe() && b.Access.SeesMoney():
		r.Off = b.Say("night.cancelled_owed", words.Fig("amount", b.OfShow(s, figures.KeyToPayBack)))
	case s.Phase != evening.Over:
		r.Off = sentence{{Text: b.Code("status", s.Phase.String())}}
	}
	return r
}

// NetKey returns the key of net receipts, or of booked amounts if these replace them.
func (b *Builder) NetKey() figures.Key {
	if b.Total.BookedStandsIn() {
		return figures.KeyStandsIn
	}
	return figures.KeyNet
}

// soldOf returns the places sold and the capacity, as numbers.
func (b *Builder) soldOf(capacity figures.Figure[int], sold, of num) sentence {
	if capacity.Known() && capacity.Value > 0 {
		return b.Say("places.number_of", words.Fig("sold", sold), words.Fig("capacity", of))
	}
	return b.strong(sold)
}

func (b *Builder) SoldOfShow(s *evening.Show) sentence {
	return b.soldOf(s.Capacity, b.OfShow(s, figures.KeySold), b.OfShow(s, figures.KeyCapacity))
}

// Known returns the figure as a sentence, nothing if it is not known.
func Known(n num) sentence {
	if n.Unknown() {
		return nil
	}
	return n.Sentence()
}

// awayWords returns the number of no-shows and their share of the expected.
func awayWords(away, rate num) sentence {
	return words.Join(" · ", away.Sentence(), Known(rate))
}

// Passed says of each time in which more people were in a hall, or in the building, than are allowed how many they were at most, how
// many too many, and from when to when.
func (b *Builder) Passed(over []licence.Passed) (all []sentence) {
	for i := range over {
		p, key := &over[i], "report.passed"
		to := words.Text("to", b.Clock(p.To, b.Zone))
		if p.To.IsZero() {
			key = "report.passed_since"
		}
		place := words.NameAlone(p.Hall)
		if p.Hall == "" {
			place = b.Say("alert.building")
		}
		all = append(all, b.Say(key, words.Part("place", place), words.Fig("n", b.Number(p.Most)), words.Int("licensed", p.Licensed), words.Text("time", b.Clock(p.MostAt, b.Zone)),
			words.Text("over", b.Number(p.TooMany()).Text), words.Text("from", b.Clock(p.From, b.Zone)), to))
	}
	return all
}
