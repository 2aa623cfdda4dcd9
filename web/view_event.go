package web

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"housecount/aggregator/figures"
)

// eventPage is one performance: its sales, its arrivals, its parts.
type eventPage struct {
	Head      head
	Attention attention
	Figures   numberRow
	eventPlots
	Types    parts
	Channels parts
}

// parts are the sales by some part of them.
type parts struct {
	ID, Title, Caption, Column string
	Text                       sentence
	Money                      bool
	Rows                       []partRow
}

type partRow struct {
	Name       string
	Bar        bar
	Share      string
	Sold, Paid string
	Booked     string
}

// event builds the view of one performance; one that does not exist says so.
func (b *builder) event() (view, error) {
	e := b.Event(b.params.Get("event"))
	var p eventPage
	missing := e == nil
	if missing {
		e = &figures.EventFigures{}
	}
	show := b.evening.Show(e)
	if missing {
		p = eventPage{
			Head: head{Title: "No such performance",
				Text:  say("The service lists no performance at this address. It may have been removed, or not been read yet."),
				Links: []link{{Href: "/tonight", Text: "Tonight"}}},
			eventPlots: eventPlots{
				Sales: caption{ID: "sales", Chart: "chart-sales", Empty: true}, SalesRows: table{ID: "sales-rows"},
				Arrivals: caption{ID: "arrivals", Chart: "chart-arrivals", Empty: true}, ArrivalRows: table{ID: "arrivals-rows"},
			},
			Figures: numberRow{ID: "figures"}, Types: parts{ID: "types"}, Channels: parts{ID: "channels"},
		}
	} else {
		p = eventPage{
			Head:      head{Title: title(e), Name: true, When: b.when(show), Text: b.eventLede(show)},
			Attention: attention{b.notices(b.evening.AlertsOf(show))},
			Figures:   numberRow{ID: "figures", List: b.tiles(show)},
			Types:     b.parts("types", "Ticket types", "Ticket type", e, e.Parts[figures.ByTicketType], asReported),
			Channels:  b.parts("channels", "Channels", "Channel", e, e.Parts[figures.ByChannel], channelWords),
		}
	}
	sales, arrivals := b.salesPlot(show, &p.eventPlots), b.arrivalsPlot(show, &p.eventPlots)
	v := view{title: bare(p.Head.Title), body: eventBody}
	if err := errors.Join(v.draw(p.Sales, sales), v.draw(p.Arrivals, arrivals)); err != nil {
		return view{}, err
	}
	v.fragments = []fragment{
		{"head", p.Head.html()}, {"attention", p.Attention.html()}, {"figures", p.Figures.html()},
		{"sales", p.Sales.html()}, {"sales-rows", p.SalesRows.html()},
		{"arrivals", p.Arrivals.html()}, {"arrivals-rows", p.ArrivalRows.html()},
		{"types", p.Types.html()}, {"channels", p.Channels.html()},
	}
	return v, nil
}

// when is the day, the time and the hall.
func (b *builder) when(s *figures.Show) sentence {
	day := dayWords(s.Date, b.today)
	if start := s.Event.StartsAt; !start.IsZero() && s.Date != "" && figures.Day(start.In(b.zone).Format(time.DateOnly)) > s.Date {
		day = b.nightWords(s.Date)
	}
	text := say(day)
	if word := badge(s); word != "" && !s.Phase.GoesAhead() {
		text = sentence{}.strong(word).text(" · was " + day)
	}
	if !s.Event.StartsAt.IsZero() {
		text = text.text(", ").strong(clock(s.Event.StartsAt, b.zone))
	}
	if r := b.relative(s); r != "" && s.Phase.GoesAhead() {
		text = text.text(" · " + r)
	}
	if s.Event.Hall != "" {
		text = text.text(" · ").name(s.Event.Hall)
	}
	if t := s.Event.DoorsAt; !t.IsZero() && s.Phase.GoesAhead() && s.Phase != figures.Over {
		text = text.text(" · doors " + clock(t, b.zone))
	}
	if t := s.Event.EndsAt; !t.IsZero() && (s.Phase == figures.Before || s.Phase == figures.Arriving) {
		text = text.text(" · ends " + clock(t, b.zone))
	}
	if word := badge(s); word != "" && s.Phase.GoesAhead() {
		text = text.text(" · ").strong(word)
	}
	return text
}

// eventLede is the performance in a few sentences; each phase has its own.
func (b *builder) eventLede(s *figures.Show) sentence {
	var text sentence
	if s.Phase == figures.Cancelled {
		switch back := s.ToPayBack; {
		case !b.Access.seesMoney():
		case !back.Known():
			text = text.text("What is still to pay back is ").num(num{"not known", because("not known", back.Reasons)}).text(". ")
		case back.Quality == figures.Exact && len(back.Value) == 0:
			text = text.text("Nothing is left to pay back. ")
		default:
			text = text.num(b.toPayBack(s)).text(" is still to pay back. ")
		}
		return text.text("Nobody is expected and nothing is for sale. ")
	}
	if s.Sale == figures.SaleOpen && (s.SoldOut || !s.Event.Unlimited) {
		main, unit := freeWords(s.Free)
		text = text.num(main)
		if unit != "" {
			text = text.text(" " + noun(s.Free.Value, "place") + " can still be sold")
		}
		text = text.text("; ")
	}
	text = append(text, soldOf(s.Sold, limit(s))...)
	text = text.text(map[bool]string{false: " places sold", true: " places were sold"}[s.Phase == figures.Over])
	if o := s.Occupancy(); o.Known() {
		text = text.text(", ").mention(show(o, percent))
	}
	if s.Reserved.Known() && s.Reserved.Value > 0 && s.Sale == figures.SaleOpen {
		text = text.text("; " + count(s.Reserved.Value) + " more " + noun(s.Reserved.Value, "is", "are") + " reserved")
	}
	text = text.text(". ")
	switch {
	case s.Phase == figures.Postponed:
		return text.text("It is postponed: nobody is expected and nothing is for sale. ")
	case s.Phase == figures.Before:
		if hour := s.SoldIn(time.Hour); hour.Known() {
			text = text.mention(show(hour, count)).text(" sold in the last hour, ").
				mention(show(s.SoldIn(24*time.Hour), count)).text(" in 24 hours, ").
				mention(show(s.SoldIn(7*24*time.Hour), count)).text(" in 7 days. ")
		}
		return text
	case !s.Attendance.Known():
		return text.num(show(s.Expected, count)).text(map[bool]string{false: " visitors are expected; there is no scan data. ",
			true: " visitors were expected; there is no scan data. "}[s.Phase == figures.Over])
	case s.Phase == figures.Over:
		text = append(text, cameWords(s.Attendance, s.Away, s.NoShow)...).text(". ")
		if s.Leaving {
			text = append(text, inBuilding(s.Inside, s.Inside)...).text(". ")
		}
		return text
	}
	text = append(text, inBuilding(s.Inside, figures.Figure[int]{})...)
	if s.Still.Known() {
		text = append(text.text("; "), stillWords(s.Phase, s.Still)...)
	}
	text = text.text(". ")
	if v := b.verdict(s); v != nil {
		text = append(text, v...).text(". ")
	}
	return text
}

// limit is the capacity of a performance; unknown where it has no limit.
func limit(s *figures.Show) figures.Figure[int] {
	if s.Event.Unlimited {
		return figures.Figure[int]{Quality: figures.Unknown}
	}
	return s.Capacity
}

func (b *builder) toPayBack(s *figures.Show) num {
	return show(s.ToPayBack, func(m figures.Sums) string { return amounts(s.EventFigures, m) })
}

// tiles are the numbers under the sentence; each phase has its own.
func (b *builder) tiles(s *figures.Show) []named {
	text := func(m figures.Sums) string { return amounts(s.EventFigures, m) }
	if s.Phase == figures.Cancelled {
		return b.cancelledTiles(s, text)
	}
	var list []named
	add := func(term string, main num, note sentence) { list = append(list, named{term, main, note}) }
	if s.Sale == figures.SaleOpen && (s.SoldOut || !s.Event.Unlimited) && s.Oversold == 0 {
		main, _ := freeWords(s.Free)
		var note sentence
		if s.Reserved.Known() && s.Reserved.Value > 0 {
			note = say(count(s.Reserved.Value) + " more reserved")
		}
		add("Free", main, note)
	}
	add("Sold", show(s.Sold, count), b.soldNote(s))
	switch s.Phase {
	case figures.Before, figures.Arriving, figures.Running:
		var note sentence
		if hour := s.SoldIn(time.Hour); hour.Known() {
			note = sentence{}.mention(show(hour, count)).text(" in the last hour")
		}
		add("Sold today", quality(s.Sold.Quality, s.Sold.Reasons, func() string { return count(s.Today.Sold) }), note)
	case figures.Over:
		add("Came", show(s.Attendance, count), say("of "+show(s.Expected, count).Text+" expected"))
		add("No-show", show(s.NoShow, percent), sentence{}.mention(show(s.Away, count)).text(" "+noun(s.Away.Value, "place")))
	}
	if s.Phase.Open() || s.Leaving {
		note := say("of " + show(s.Expected, count).Text + " expected")
		if s.Leaving {
			note = say("leaving")
		} else if s.Still.Known() {
			note = append(note.text(", "), stillWords(s.Phase, s.Still)...)
		}
		add("In the building", show(s.Inside, count), note)
	}
	if b.Access.seesToday() && s.Phase != figures.Over && s.Phase != figures.Postponed {
		add("Booked today", bookedWords(&s.Revenue, s.Today, text), say("by day of sale"))
	}
	if b.Access.seesMoney() {
		add("Booked in all", show(s.Revenue.Of(figures.Booked), text), say("VAT included, fees excluded"))
		add("Received, net", show(s.Revenue.NetReceived(), text), b.refunds(&s.Revenue))
	}
	return list
}

// soldNote is what the places sold are of.
func (b *builder) soldNote(s *figures.Show) sentence {
	var note sentence
	switch {
	case s.Event.Unlimited:
		note = say("no limit of places")
	case s.Occupancy().Known():
		note = sentence{}.mention(show(s.Occupancy(), percent)).text(" of ").mention(show(s.Capacity, count))
	case s.Capacity.Known():
		note = say("of ").mention(show(s.Capacity, count))
	}
	if n := s.Complimentary; n.Known() && n.Value > 0 {
		note = note.text("; " + count(n.Value) + " complimentary")
	}
	if s.Oversold > 0 {
		note = note.text(", ").strong("oversold by " + count(s.Oversold))
	}
	switch s.Sale {
	case figures.SaleOver:
		note = note.text("; the sale is over")
	case figures.SaleNotOpen:
		note = note.text("; not on sale yet")
	}
	return note
}

// cancelledTiles are what is left of a cancelled performance.
func (b *builder) cancelledTiles(s *figures.Show, text func(figures.Sums) string) []named {
	sold := named{"Sold", show(s.Sold, count), say(noun(s.Sold.Value, "place") + "; nothing is for sale")}
	if !b.Access.seesMoney() {
		return []named{sold}
	}
	pending := s.Revenue.Of(figures.RefundsPending)
	return []named{{"To pay back", b.toPayBack(s), nil},
		{"Of it on its way", show(pending, text), say("refunds asked for and not settled")},
		{"Paid back", show(s.Revenue.Of(figures.Refunded), text), nil},
		{"Received before", show(s.Revenue.Of(figures.Received), text), nil}, sold}
}

// refunds says what was taken off what came in.
func (b *builder) refunds(r *figures.Revenue) sentence {
	var parts []string
	for _, p := range []struct {
		measure figures.Measure
		words   string
	}{{figures.Refunded, " refunded"}, {figures.ChargedBack, " charged back"}, {figures.RefundsPending, " pending"}} {
		if f := r.Of(p.measure); len(f.Value) > 0 && (f.Known() || p.measure == figures.RefundsPending) {
			parts = append(parts, sums(f.Value)+p.words)
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return say(strings.Join(parts, ", "))
}

// parts describes the sales by part; named says how a part is called on the page.
func (b *builder) parts(id, title, column string, e *figures.EventFigures, of []figures.PartFigures, named func(string) string) parts {
	p := parts{ID: id, Title: title, Caption: "Places sold by " + column, Column: column, Money: b.Access.seesMoney()}
	most := 0
	for _, f := range of {
		most = max(most, f.Sold)
	}
	for i, f := range of {
		name := cmp.Or(named(f.Name), "not specified")
		r := partRow{Name: name, Sold: count(f.Sold), Paid: count(f.Paid), Booked: amounts(e, f.Of(figures.Booked)),
			Bar: newBar("", most, piece{"paid", f.Paid}, piece{"comp", f.Sold - f.Paid})}
		unpriced := f.Paid > 0 && slices.Contains(e.Revenue.Of(figures.Booked).Reasons, figures.ReasonNoPrice)
		if len(f.Of(figures.Booked)) == 0 && (unpriced || currencyOf(e) == "") {
			r.Booked = dash
		}
		if e.Sold.Known() && e.Sold.Value > 0 {
			r.Share = percent(float64(f.Sold) / float64(e.Sold.Value))
			if i == 0 {
				p.Text = sentence{}.strongName(name).text(" sells most: " + count(f.Sold) + " of " + count(e.Sold.Value) + " places, " + r.Share + ".")
			}
		}
		p.Rows = append(p.Rows, r)
	}
	return p
}
