package web

import (
	"cmp"
	"encoding/json"
	"slices"
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
	missing := false
	if e == nil {
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
		missing = true
		e = &figures.EventFigures{}
	} else {
		p = eventPage{
			Head:      head{Title: title(e), Name: true, When: b.when(e), Text: b.eventLede(e)},
			Attention: attention{b.attention([]*figures.EventFigures{e})},
			Figures:   b.eventFigures(e),
			Types:     b.parts("types", "Ticket types", "Ticket type", e, e.Parts[figures.ByTicketType], asReported),
			Channels:  b.parts("channels", "Channels", "Channel", e, e.Parts[figures.ByChannel], channelWords),
		}
	}
	sales, arrivals := b.salesPlot(e, &p.eventPlots), b.arrivalsPlot(e, &p.eventPlots)
	v := view{title: bare(p.Head.Title), data: p, charts: map[string]json.RawMessage{}, missing: missing}
	var err error
	if v.charts["chart-sales"], err = sales.option(); err != nil {
		return view{}, err
	}
	if v.charts["chart-arrivals"], err = arrivals.option(); err != nil {
		return view{}, err
	}
	v.fragments = []fragment{
		{"head", "head", p.Head}, {"attention", "attention", p.Attention}, {"figures", "figures", p.Figures},
		{"sales", "words", p.Sales}, {"sales-rows", "table", p.SalesRows},
		{"arrivals", "words", p.Arrivals}, {"arrivals-rows", "table", p.ArrivalRows},
		{"types", "parts", p.Types}, {"channels", "parts", p.Channels},
	}
	return v, nil
}

// when is the day, the time and the hall.
func (b *builder) when(e *figures.EventFigures) sentence {
	s := say(dayWords(e.Date, b.today))
	if !e.Event.StartsAt.IsZero() {
		s = s.text(", ").strong(clock(e.Event.StartsAt, b.zone))
	}
	if r := b.relative(e); r != "" {
		s = s.text(" · " + r)
	}
	if e.Event.Hall != "" {
		s = s.text(" · ").name(e.Event.Hall)
	}
	if t := e.Event.DoorsAt; !t.IsZero() {
		s = s.text(" · doors " + clock(t, b.zone))
	}
	if !e.Event.EndsAt.IsZero() {
		s = s.text(" · ends " + clock(e.Event.EndsAt, b.zone))
	}
	if word := badge(e); word != "" {
		s = s.text(" · ").strong(word)
	}
	return s
}

// eventLede is the performance in a few sentences.
func (b *builder) eventLede(e *figures.EventFigures) sentence {
	var s sentence
	if left, only := onlyFree(e); only {
		s = s.num(show(left, count)).text(" " + noun(left.Value, "place is", "places are") + " free; ").num(show(e.Sold, count)).text(" sold")
	} else {
		s = s.num(show(e.Sold, count))
		if e.Capacity.Known() && !e.Event.Unlimited {
			s = s.strong(" of ").num(show(e.Capacity, count))
		}
		s = s.text(" places sold")
	}
	if o := e.Occupancy(); o.Known() {
		s = s.text(", ").mention(show(o, percent))
	}
	if e.Reserved.Known() && e.Reserved.Value > 0 {
		s = s.text("; " + count(e.Reserved.Value) + " more " + noun(e.Reserved.Value, "is", "are") + " reserved")
	}
	s = s.text(". ")
	f := b.flow(e)
	switch p := b.phase(e); {
	case p == before && b.soldIn(e, time.Hour).Known():
		s = s.mention(show(b.soldIn(e, time.Hour), count)).text(" sold in the last hour, ").
			mention(show(b.soldIn(e, 24*time.Hour), count)).text(" in 24 hours, ").
			mention(show(b.soldIn(e, 7*24*time.Hour), count)).text(" in 7 days. ")
	case p == before:
	case p == cancelled:
	case !e.Attendance.Known():
		s = s.num(show(e.Expected, count)).text(" visitors are expected; there is no scan data. ")
	case p == ended:
		s = s.num(show(e.Attendance, count)).text(" came")
		if n := e.NoShow(b.now); n.Known() {
			s = s.text(", a no-show rate of ").num(show(n, percent))
		}
		s = s.text(". ")
	default:
		s = s.num(show(e.Attendance, count)).text(" of ").mention(show(e.Expected, count)).text(" visitors have come in")
		if f.still.Value > 0 {
			s = s.text(", ").mention(show(f.still, count)).text(noun(f.still.Value, " is", " are") + " still to come")
		}
		if !f.last.IsZero() {
			s = s.text("; at this rate the last arrive at ").strong(clock(f.last, b.zone))
			s = b.againstCurtain(s, f.last, e)
		}
		s = s.text(". ")
	}
	return s
}

// eventFigures are the numbers under the sentence.
func (b *builder) eventFigures(e *figures.EventFigures) numberRow {
	t := b.taken(e)
	f := numberRow{ID: "figures", List: []named{{"Occupancy", t.Main, t.Of}}}
	switch {
	case e.Event.Unlimited:
		f.List[0].Term = "Places"
	case e.Oversold > 0:
	default:
		n := named{Term: "Free", Main: show(free(e), count)}
		if e.Reserved.Known() && e.Reserved.Value > 0 {
			n.Note = say(count(e.Reserved.Value) + " more reserved")
		}
		f.List = append(f.List, n)
	}
	sold, booked := b.bookedToday(e.SaleDays)
	today := named{Term: "Sold today", Main: soldToday(e, sold)}
	if hour := b.soldIn(e, time.Hour); hour.Known() {
		today.Note = sentence{}.mention(show(hour, count)).text(" in the last hour")
	}
	f.List = append(f.List, today)
	if b.phase(e) != before && b.phase(e) != cancelled {
		in, exits := inHouse(e)
		n := named{Term: "In the house", Main: show(in, count), Note: say("of " + show(e.Expected, count).Text + " expected")}
		if !exits && in.Known() {
			n.Term, n.Note = "Came in", n.Note.text(", exits not scanned")
		}
		f.List = append(f.List, n)
	}
	if b.Access.seesToday() {
		q := e.Revenue.Of(figures.Booked)
		n := named{Term: "Booked today", Main: quality(q.Quality, q.Reasons, func() string { return amounts(e, booked) }), Note: say("by day of sale")}
		f.List = append(f.List, n)
	}
	if b.Access.seesMoney() {
		text := func(s figures.Sums) string { return amounts(e, s) }
		f.List = append(f.List,
			named{"Booked in all", show(e.Revenue.Of(figures.Booked), text), say("VAT included, fees excluded")},
			named{"Received, net", show(netOf(&e.Revenue), text), b.refunds(&e.Revenue)})
	}
	return f
}

// refunds says what was taken off what came in.
func (b *builder) refunds(r *figures.Revenue) sentence {
	var s sentence
	if refunded := r.Of(figures.Refunded); refunded.Known() && len(refunded.Value) > 0 {
		s = s.text(sums(refunded.Value) + " refunded")
	}
	if pending := r.Of(figures.RefundsPending).Value; len(pending) > 0 {
		if len(s) > 0 {
			s = s.text(", ")
		}
		s = s.text(sums(pending) + " pending")
	}
	return s
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
