package web

import (
	"housecount/aggregator/figures"
)

// night is what the evening before came to. It stands on Tonight until noon.
type night struct {
	Title string
	Text  sentence
	Money bool // what was received is shown
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
	n := night{Money: b.Access.seesMoney()}
	if len(shows) == 0 {
		return n
	}
	r := figures.ResultOf(shows)
	n.Title = "Last night, " + dayWords(b.evening.Day.Add(-1), b.today)
	if r.Sold.Known() {
		n.Text = soldOf(r.Sold, r.Capacity).text(" places sold")
		if o := r.Occupancy(); o.Known() {
			n.Text = n.Text.text(", ").mention(show(o, percent))
		}
		n.Text = n.Text.text(". ")
	}
	if r.Came.Known() {
		n.Text = append(n.Text, cameWords(r.Came, r.Away, r.NoShow)...).text(". ")
	}
	if n.Money && r.Net.Known() {
		n.Text = n.Text.num(show(r.Net, b.houseSums)).text(" received for them, net.")
	}
	for _, s := range shows {
		n.Rows = append(n.Rows, b.nightRow(s))
	}
	if r.Shows > 1 {
		n.Sum = &nightRow{Title: "Together, " + spelled(r.Shows) + " " + noun(r.Shows, "performance"), Sold: soldOf(r.Sold, r.Capacity),
			Came: show(r.Came, count), Away: awayWords(r.Away, r.NoShow), Net: show(r.Net, b.houseSums)}
	}
	return n
}

func (b *builder) nightRow(s *figures.Show) nightRow {
	net := s.Revenue.NetReceived()
	r := nightRow{Time: dash, Href: eventHref(s.Event.ID), Title: title(s.EventFigures), Hall: s.Event.Hall,
		Sold: soldOf(s.Sold, s.Capacity), Came: show(s.Attendance, count), Away: awayWords(s.Away, s.NoShow),
		Net: show(net, func(m figures.Sums) string { return amounts(s.EventFigures, m) })}
	if !s.Event.StartsAt.IsZero() {
		r.Time = clock(s.Event.StartsAt, b.zone)
	}
	if s.Phase != figures.Over {
		r.Off = say(s.Phase.String())
		if s.Phase == figures.Cancelled && b.Access.seesMoney() && (!net.Known() || len(net.Value) > 0) {
			r.Off = r.Off.text(", ").num(r.Net).text(" to pay back")
		}
	}
	return r
}

// soldOf is places sold of those there are.
func soldOf(sold, capacity figures.Figure[int]) sentence {
	s := sentence{}.num(show(sold, count))
	if capacity.Known() && capacity.Value > 0 {
		s = s.text(" of ").mention(show(capacity, count))
	}
	return s
}

// awayWords are those who did not come, and their part of the expected.
func awayWords(away figures.Figure[int], rate figures.Figure[float64]) sentence {
	s := sentence{}.mention(show(away, count))
	if rate.Known() {
		s = s.text(" · ").mention(show(rate, percent))
	}
	return s
}
