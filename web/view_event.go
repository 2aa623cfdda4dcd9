package web

import (
	"errors"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/web/words"
)

// eventPage is one performance: its sales, its arrivals, its parts.
type eventPage struct {
	Head      head
	Attention attention
	Areas     areas
	Figures   numberRow
	eventPlots
	Pace     pace
	Items    items
	WalkIns  walkIns
	Gates    gates
	Types    parts
	Channels parts
	All      allFigures
}

// parts are the sales by some part of them.
type parts struct {
	ID, Title, Caption, Column string
	Text                       sentence
	Money                      bool
	Rows                       []partRow
}

type partRow struct {
	Name               string
	Bar                Bar
	Share              string
	Sold, Paid, Booked num
}

// event builds the view of one performance, or of a message if there is none.
func (b *Builder) event() (View, error) {
	e := b.Event(b.Values.Get("event"))
	var p eventPage
	missing := e == nil
	if missing {
		e = &figures.EventFigures{}
	}
	show := b.Evening.Show(e)
	var sale evening.Pace
	if missing {
		p = eventPage{
			Head: head{Title: b.Text("event.missing"), Text: b.Say("event.missing_text"), Links: []Link{{Href: "/tonight", Text: b.Text("nav.tonight")}}},
			eventPlots: eventPlots{
				Sales: caption{ID: "sales", Chart: "chart-sales", Empty: true}, SalesRows: table{ID: "sales-rows"},
				Arrivals: caption{ID: "arrivals", Chart: "chart-arrivals", Empty: true}, ArrivalRows: table{ID: "arrivals-rows"}, Arrived: caption{ID: "arrived", Chart: "chart-arrived", Empty: true},
			},
			Figures: numberRow{ID: "figures"}, Types: parts{ID: "types"}, Channels: parts{ID: "channels"},
		}
	} else {
		sale = b.paceOf(show)
		p = eventPage{
			Head:      head{Title: b.TitleOf(e), Name: true, When: b.when(show), Text: b.eventLede(show), Links: append(b.replayLink(show), b.exportLink(EventHref(e.Event.ID), nil))},
			Attention: attention{WorstFirst(b.Notices(b.Evening.AlertsOf(show)))},
			Areas:     b.areasOf(show),
			Figures:   numberRow{ID: "figures", List: append(b.tiles(show), b.paceTile(show, &sale)...), Text: b.fromBooked(show)},
			Pace:      b.pacePart(show, &sale),
			Items:     b.openItems(show),
			WalkIns:   b.walkIns(show),
			Gates:     b.gatesPart(show),
			Types:     b.parts(figures.OfTypes, e),
			Channels:  b.parts(figures.OfChannels, e),
			All:       b.allFigures(show),
		}
	}
	sales, arrivals := b.salesPlot(show, &sale, &p.eventPlots), b.arrivalsPlot(show, &p.eventPlots)
	var arrived plot
	if !missing {
		arrived = b.arrivedPlot(show, &p.eventPlots)
	}
	v := View{Title: words.Bare(p.Head.Title), Body: eventBody}
	if err := errors.Join(v.draw(p.Sales, sales), v.draw(p.Arrivals, arrivals), v.draw(p.Arrived, arrived)); err != nil {
		return View{}, err
	}
	v.Fragments = []Fragment{
		{"head", p.Head.html()}, {"attention", p.Attention.html()}, {"areas", p.Areas.html()}, {"figures", p.Figures.html()}, {"walk-ins", p.WalkIns.html()},
		{"sales", p.Sales.html()}, {"sales-rows", p.SalesRows.html()},
		{"pace", p.Pace.html()},
		{"arrivals", p.Arrivals.html()}, {"arrivals-rows", p.ArrivalRows.html()},
		{"arrived", p.Arrived.html()}, {"gates", p.Gates.html()},
		{"items", p.Items.html()}, {"types", p.Types.html()}, {"channels", p.Channels.html()},
		{"all-figures", p.All.html()},
	}
	return v, nil
}

// channel returns a sales channel as staff call it.
func (b *Builder) channel(code string) string { return b.Code("channel", code) }

// when returns the day, the time and the hall.
func (b *Builder) when(s *evening.Show) sentence {
	day, title := b.DayOf(s.Date), b.DayTitle(string(s.Date), string(b.Today))
	if start := s.Event.StartsAt; !start.IsZero() && s.Date != "" && figures.Day(start.In(b.Zone).Format(time.DateOnly)) > s.Date {
		day = b.nightWords(s.Date)
		title = day
	}
	on, at := words.Text("day", day), words.Text("time", b.Clock(s.Event.StartsAt, b.Zone))
	var all []sentence
	switch known := !s.Event.StartsAt.IsZero(); {
	case !s.Phase.GoesAhead() && known:
		all = append(all, sentence{{Text: b.Badge(s), Strong: true}}, b.Say("event.was_at", on, at))
	case !s.Phase.GoesAhead():
		all = append(all, sentence{{Text: b.Badge(s), Strong: true}}, b.Say("event.was", on))
	case known:
		all = append(all, b.Say("event.on_at", words.Text("day", title), at), sentence{{Text: b.Relative(s)}})
	default:
		all = append(all, sentence{{Text: title}}, sentence{{Text: b.Relative(s)}})
	}
	all = append(all, words.NameAlone(s.Event.Hall))
	if t := s.Event.DoorsAt; !t.IsZero() && s.Phase.GoesAhead() && s.Phase != evening.Over {
		all = append(all, b.Say("show.doors", words.Text("time", b.Clock(t, b.Zone))))
	}
	all = append(all, b.Interval(s))
	if t := s.Event.EndsAt; !t.IsZero() && (s.Phase == evening.Before || s.Phase == evening.Arriving) {
		all = append(all, b.Say("event.ends", words.Text("time", b.Clock(t, b.Zone))))
	}
	return words.Join(" · ", all...)
}

// eventLede returns the performance in a few sentences; each phase has its own.
func (b *Builder) eventLede(s *evening.Show) sentence {
	if s.Phase == evening.Cancelled {
		text := b.Say("event.cancelled")
		switch back := s.ToPayBack; {
		case !b.Access.seesMoney():
		case !back.Known():
			unknown := num{Text: b.Code("quality", "unknown"), Why: b.because("unknown", back.Reasons)}
			text = words.Join(" ", b.Say("event.to_pay_back_unknown", words.Fig("unknown", unknown)), text)
		case back.Quality == figures.Exact && len(back.Value) == 0:
			text = words.Join(" ", b.Say("event.nothing_to_pay_back"), text)
		default:
			text = words.Join(" ", b.Say("event.to_pay_back", words.Fig("amount", b.of(s, figures.KeyToPayBack))), text)
		}
		return text
	}
	all := []sentence{b.end(b.placesLede(s))}
	switch {
	case s.Phase == evening.Postponed:
		all = append(all, b.Say("event.postponed"))
	case s.Phase == evening.Before:
		if hour := s.SoldLastHour; hour.Known() {
			all = append(all, b.Say("event.sold_lately", words.Fig("hour", b.of(s, figures.KeySoldHour)),
				words.Fig("day", b.of(s, figures.KeySold24Hours)), words.Fig("week", b.of(s, figures.KeySold7Days))))
		}
	case !s.Attendance.Known() && !s.Expected.Known():
	case !s.Attendance.Known() && s.Phase == evening.Over:
		all = append(all, b.Say("event.were_expected", words.Fig("n", b.of(s, figures.KeyExpected))))
	case !s.Attendance.Known():
		all = append(all, b.Say("event.are_expected", words.Fig("n", b.of(s, figures.KeyExpected))))
	case s.Phase == evening.Over:
		all = append(all, b.end(b.cameWords(b.of(s, figures.KeyCame), b.of(s, figures.KeyNoShows), b.of(s, figures.KeyNoShow))))
		if s.Leaving {
			all = append(all, b.end(b.insideOf(s, true)))
		}
	default:
		inside := b.insideOf(s, false)
		if s.Still.Known() {
			inside = words.Join("; ", inside, b.StillWords(s.Phase, b.of(s, figures.KeyNotYetIn)))
		}
		all = append(all, b.end(inside), b.end(b.Verdict(s)))
	}
	return words.Join(" ", all...)
}

// placesLede returns what can still be sold, how full the house is, and what is reserved.
func (b *Builder) placesLede(s *evening.Show) sentence {
	var free, sold, reserved sentence
	if s.Sale == evening.SaleOpen && (s.SoldOut || !s.Event.Unlimited) {
		free = b.Say("wall.sold_out")
		if !s.NothingFree() {
			free = b.Say("event.can_be_sold", words.Fig("n", b.of(s, figures.KeyFree)))
		}
	}
	number, of := words.Fig("sold", b.of(s, figures.KeySold)), words.Fig("capacity", b.of(s, figures.KeyCapacity))
	switch limited := !s.Event.Unlimited && s.Capacity.Known() && s.Capacity.Value > 0; {
	case !s.Sold.Known() && len(free) > 0: // the places left are enough
	case !s.Sold.Known():
		sold = b.Say("event.sold_unknown")
	case s.Phase == evening.Over && limited:
		sold = b.Say("event.were_sold_of", number, of)
	case s.Phase == evening.Over:
		sold = b.Say("event.were_sold", number)
	case limited:
		sold = b.Say("places.sold_of", number, of)
	default:
		sold = b.Say("places.sold", number)
	}
	if s.Reserved.Known() && s.Reserved.Value > 0 && s.Sale == evening.SaleOpen {
		reserved = b.Say("event.more_are_reserved", words.Fig("n", b.of(s, figures.KeyReserved)))
	}
	return words.Join("; ", free, words.Join(", ", sold, known(b.of(s, figures.KeyOccupancy))), reserved)
}

// tiles returns the numbers under the sentence; each phase has its own.
func (b *Builder) tiles(s *evening.Show) []named {
	if s.Phase == evening.Cancelled {
		return b.cancelledTiles(s)
	}
	var list []named
	add := func(term string, main num, note sentence) { list = append(list, named{term, main, note}) }
	if s.Sale == evening.SaleOpen && (s.SoldOut || !s.Event.Unlimited) && s.Oversold == 0 {
		main, _ := b.freeWords(s)
		var note sentence
		if s.Reserved.Known() && s.Reserved.Value > 0 {
			note = b.Say("tile.more_reserved", words.Fig("n", b.of(s, figures.KeyReserved)))
		}
		if f := s.UnsoldValue(); b.Access.seesMoney() && f.Known() && len(f.Value) > 0 {
			note = words.Join("; ", note, b.Say("tile.unsold", words.Fig("amount", b.of(s, figures.KeyUnsoldValue))))
		}
		add(b.Text("tile.free"), main, note)
	}
	add(b.Text("tile.sold"), b.of(s, figures.KeySold), b.soldNote(s))
	switch s.Phase {
	case evening.Before, evening.Arriving, evening.Running:
		var note sentence
		if hour := s.SoldLastHour; hour.Known() {
			note = b.Say("sales.last_hour", words.Fig("n", b.of(s, figures.KeySoldHour)))
		}
		add(b.Text("tile.sold_today"), b.of(s, figures.KeySoldToday), note)
	case evening.Over:
		note := b.Say("tile.of_expected", words.Plain("n", b.Number(s.Expected)))
		if s.Arrived.Value != s.Attendance.Value { // some on tickets that are not sold, whom nobody expected
			note = b.Say("tile.arrived_of_expected", words.Fig("arrived", b.of(s, figures.KeyArrived)), words.Plain("n", b.Number(s.Expected)))
		}
		add(b.Text("tile.came"), b.of(s, figures.KeyCame), note)
		add(b.Text("tile.no_show"), b.of(s, figures.KeyNoShow), b.Say("tile.places", words.Fig("n", b.of(s, figures.KeyNoShows))))
	}
	if s.Phase.Open() || s.Leaving {
		note := b.Say("tile.of_expected", words.Plain("n", b.Number(s.Expected)))
		if n := s.WalkedIn(); n > 0 {
			note = b.Say("tile.walk_ins", words.Int("walk_ins", n), words.Plain("n", b.Number(s.Expected)))
		}
		if s.Leaving {
			note = b.Say("people.leaving")
		} else if s.Still.Known() {
			note = words.Join(", ", note, b.StillWords(s.Phase, b.of(s, figures.KeyNotYetIn)))
		}
		if l, ok := b.Evening.LoadOf(s.Event.Hall); ok && l.Hall != "" {
			note = words.Join("; ", note, b.Say("load.of_hall", words.Fig("share", b.ofHall(l, figures.KeyLoad)), words.Fig("licensed", b.ofHall(l, figures.KeyLicensed)), words.Name("hall", l.Hall)))
		}
		add(b.Text("tile.inside"), b.of(s, figures.KeyInside), note)
	}
	if f := s.Forecast; f.Known() && s.Phase != evening.Postponed {
		note := b.Say("tile.forecast", words.Fig("n", b.of(s, figures.KeyForecast)))
		if b.Access.seesMoney() && s.CostPerTicket().Known() {
			note = words.Join("; ", note, b.Say("tile.cost_per_ticket", words.Fig("amount", b.of(s, figures.KeyCostPerTicket))))
		}
		add(b.Text("tile.of_forecast"), b.of(s, figures.KeyOfForecast), note)
	}
	if b.Access.SeesToday() && s.Phase != evening.Over && s.Phase != evening.Postponed {
		add(b.Text("tile.booked_today"), b.of(s, figures.KeyBookedToday), b.Say("tile.by_day"))
	}
	if b.Access.seesMoney() {
		add(b.Text("tile.booked"), b.of(s, figures.KeyBooked), b.bookedNote(s))
		if s.Revenue.BookedStandsIn() {
			add(b.Text("tile.stands_in"), b.of(s, figures.KeyStandsIn), b.Say("tile.no_payments"))
		} else {
			add(b.Text("tile.net"), b.of(s, figures.KeyNet), b.refunds(s))
		}
	}
	return list
}

// soldNote returns what the places sold are of.
func (b *Builder) soldNote(s *evening.Show) sentence {
	var note, split sentence
	switch {
	case s.Event.Unlimited:
		note = b.Say("tile.no_limit")
	case s.Occupancy().Known():
		note = b.Say("tile.occupancy_of", words.Fig("occupancy", b.of(s, figures.KeyOccupancy)), words.Fig("capacity", b.of(s, figures.KeyCapacity)))
		if paid := s.PaidOccupancy(); paid.Known() && s.Unpaid.Known() && paid.Value != s.Occupancy().Value {
			note = words.Join(", ", note, b.Say("tile.paid_occupancy", words.Fig("share", b.of(s, figures.KeyPaidOccupancy))))
		}
	case s.Capacity.Known():
		note = b.Say("tile.of", words.Fig("capacity", b.of(s, figures.KeyCapacity)))
	}
	if k := b.soldKey(s); len(k) > 1 && s.Sold.Known() {
		for _, line := range k {
			split = words.Join(", ", split, line.Text)
		}
	}
	return words.Join("; ", words.Join(", ", words.Join("; ", note, split), b.Oversold(s)), b.SaleState(s))
}

// cancelledTiles returns what is left of a cancelled performance.
func (b *Builder) cancelledTiles(s *evening.Show) []named {
	sold := named{b.Text("tile.sold"), b.of(s, figures.KeySold), b.Say("tile.nothing_for_sale", words.Plain("n", b.Number(s.Sold)))}
	if !b.Access.seesMoney() {
		return []named{sold}
	}
	return []named{{b.Text("tile.to_pay_back"), b.of(s, figures.KeyToPayBack), nil},
		{b.Text("tile.on_its_way"), b.of(s, figures.KeyRefundsPending), b.Say("tile.asked_for")},
		{b.Text("tile.paid_back"), b.of(s, figures.KeyRefunded), nil},
		{b.Text("tile.received_before"), b.of(s, figures.KeyReceived), nil}, sold}
}

// refunds returns what was taken off what came in.
func (b *Builder) refunds(s *evening.Show) sentence {
	var all []sentence
	for _, went := range []struct {
		figures.Measure
		figures.Key
		say string
	}{{figures.Refunded, figures.KeyRefunded, "tile.refunded"}, {figures.ChargedBack, figures.KeyChargedBack, "tile.charged_back"},
		{figures.Reversed, figures.KeyReversed, "tile.won_back"}, {figures.RefundsPending, figures.KeyRefundsPending, "tile.pending"}} {
		if f := s.Revenue.Of(went.Measure); f.Known() && len(f.Value) > 0 {
			all = append(all, b.Say(went.say, words.Fig("amount", b.of(s, went.Key))))
		}
	}
	return words.Join(", ", all...)
}

// parts describes the sales by a split.
func (b *Builder) parts(by figures.Split, e *figures.EventFigures) parts {
	id, of := string(by), figures.Scope{Event: e.Event.ID}
	p := parts{ID: id, Title: b.Code("parts_title", id), Caption: b.Code("parts_caption", id), Column: b.Code("parts_column", id), Money: b.Access.seesMoney()}
	most := 0
	for f := range evening.PartsBy(e, by) {
		most = max(most, f.Sold)
	}
	for f := range evening.PartsBy(e, by) {
		name := b.partTitle(by, f.Name)
		sold, booked := b.ofPart(f, of, figures.KeySold, e), e.Revenue.Of(figures.Booked)
		r := partRow{Name: name, Sold: sold, Paid: b.ofPart(f, of, figures.KeyPaid, e), Booked: b.ofPart(f, of, figures.KeyBooked, e),
			Bar: NewBar("", most, SoldPieces(f.Paid, f.Complimentary, f.FreeTickets, f.Unpaid)...)}
		unpriced := f.Paid+f.Unpaid > 0 && slices.Contains(booked.Reasons, figures.ReasonNoPrice)
		if len(f.Of(figures.Booked)) == 0 && (unpriced || currencyOf(e) == "") {
			r.Booked = plain(dash)
		}
		if e.Sold.Known() && e.Sold.Value > 0 {
			r.Share = b.shareOf(e.Sold, float64(f.Sold)/float64(e.Sold.Value)).Text
			if len(p.Rows) == 0 {
				p.Text = b.Say("parts.most", words.Name("name", name), words.Plain("n", sold), words.Plain("of", b.Number(e.Sold)), words.Text("share", r.Share))
			}
		}
		p.Rows = append(p.Rows, r)
	}
	return p
}
