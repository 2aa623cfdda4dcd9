package event

import (
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/marketing"
	"housecount/web"
	"housecount/web/charts"
	"housecount/web/refunds"
	"housecount/web/words"
)

// eventPage is one performance: its sales, its arrivals, its parts.
type eventPage struct {
	Head      web.Head
	Attention web.Attention
	Figs      web.Figs
	Lede      words.Sentence
	Takings   takings
	Refund    refund
	Free      freeList
	Areas     areas
	Cards     gateCards
	Compared  compared
	Notes     notes
	Figures   web.NumberRow
	eventPlots
	Pace     pace
	Items    items
	WalkIns  walkIns
	Gates    gates
	Types    parts
	Channels parts
	Extras   extras
	Refunds  refunds.Section
	All      allFigures
}

// parts are the sales by some part of them.
type parts struct {
	ID, Title, Caption, Column string
	Text                       words.Sentence
	Money                      bool
	Rows                       []partRow
}

type partRow struct {
	Name               string
	Price              string // of a ticket type; empty for who sees no amounts
	Bar                charts.Bar
	Share              string
	Sold, Paid, Booked words.Num
}

// event builds the view of one performance, or of a message if there is none.
func (b builder) event() (web.View, error) {
	e := b.Event(b.Values.Get("event"))
	missing := e == nil
	if missing {
		e = &figures.EventFigures{}
	}
	show := b.Evening.Show(e)
	var sale evening.Pace
	p := b.missingEvent()
	if !missing {
		sale = b.paceOf(show)
		p = b.pageOf(show, &sale)
	}
	part := b.Values.Get("part")
	v := web.View{Title: words.Bare(p.Head.Title), Body: eventBody(part, b.NoteForm(show.Event.ID, b.Today))}
	if err := b.draw(&v, show, &sale, &p); err != nil {
		return web.View{}, err
	}
	v.Fragments = slices.DeleteFunc(p.fragments(), func(f web.Fragment) bool {
		return f.ID != "head" && f.ID != "attention" && !b.has(f.ID)
	})
	return v, nil
}

// draw adds the charts of the part of the page that is shown, and to the page what belongs to them. Before the doors open the
// overview is about the sale, while they are about who comes, and then about both.
func (b builder) draw(v *web.View, show *evening.Show, sale *evening.Pace, p *eventPage) error {
	overview := b.Values.Get("part") == ""
	var sales, arrivals, arrived charts.Plot
	if b.has("arrived") && (!overview || show.Phase.Open() || show.Phase == evening.Over) {
		arrived = b.arrivedPlot(show, &p.eventPlots)
	}
	if b.has("arrivals") {
		arrivals = b.arrivalsPlot(show, &p.eventPlots)
	}
	if b.has("sales") && (!overview || show.Phase != evening.Cancelled && (!show.Phase.Open() || p.Arrived.Empty)) {
		sales = b.salesPlot(show, sale, p)
		if overview && !p.Sales.Empty { // the figures and the chart say so
			p.Sales.Text = nil
		}
	}
	for _, c := range []struct {
		web.Caption
		charts.Plot
	}{{p.Sales, sales}, {p.Arrivals, arrivals}, {p.Arrived, arrived}} {
		if b.has(c.ID) {
			if err := v.Draw(c.Caption, c.Plot); err != nil {
				return err
			}
		}
	}
	return nil
}

// has reports whether the part of the page that is shown has one of some fragments.
func (b builder) has(ids ...string) bool {
	shown := fragmentsOf[b.Values.Get("part")]
	return slices.ContainsFunc(ids, func(id string) bool { return slices.Contains(shown, id) })
}

// noPlots returns the captions of charts that are not drawn.
func noPlots() eventPlots {
	return eventPlots{
		Sales: web.Caption{ID: "sales", Chart: "chart-sales", Empty: true}, SalesRows: web.Table{ID: "sales-rows"},
		Arrivals: web.Caption{ID: "arrivals", Chart: "chart-arrivals", Empty: true}, ArrivalRows: web.Table{ID: "arrivals-rows"}, Arrived: web.Caption{ID: "arrived", Chart: "chart-arrived", Empty: true},
	}
}

// missingEvent returns the page of a performance that there is not.
func (b builder) missingEvent() eventPage {
	return eventPage{
		Head:       web.Head{Title: b.Text("event.missing"), Text: b.Say("event.missing_text"), Links: []web.Link{{Href: "/tonight", Text: b.Text("nav.tonight")}}},
		eventPlots: noPlots(),
		Figures:    web.NumberRow{ID: "figures"}, Types: parts{ID: "types"}, Channels: parts{ID: "channels"}, Refunds: refunds.Section{ID: "reasons"},
	}
}

// pageOf returns the page of a performance without its plots. Of its fragments it has those of the part that is shown: the others
// would be made anew with each sale for nobody.
func (b builder) pageOf(show *evening.Show, sale *evening.Pace) eventPage {
	e := show.EventFigures
	p := eventPage{
		Head:       web.Head{Title: b.TitleOf(e), Name: true, When: b.when(show), Links: append(b.replayLink(show), b.SheetLink(web.EventHref(e.Event.ID), nil)), Parts: b.partLinks(show)},
		Attention:  web.Attention{Notices: web.WorstFirst(b.Notices(b.Evening.AlertsOf(show)))},
		eventPlots: noPlots(),
	}
	if b.has("pace", "compared") {
		p.Pace = b.pacePart(show, sale)
	}
	if b.has("notes", "sales") { // the chart of the sale has them too
		p.Notes = b.notesOf(show, sale)
	}
	for _, of := range []struct {
		id   string
		make func()
	}{
		{"figs", func() { p.Figs = b.eventFigs(show, sale) }},
		{"in-words", func() { p.Lede = b.eventLede(show) }},
		{"lines", func() { p.Takings = b.takings(show) }},
		{"money-back", func() { p.Refund = b.refundOf(show) }},
		{"free", func() { p.Free = b.freeOf(show) }},
		{"gate-cards", func() { p.Cards = b.gateCards(show) }},
		{"areas", func() { p.Areas = b.areasOf(show) }},
		{"figures", func() {
			p.Figures = web.NumberRow{ID: "figures", List: append(b.tiles(show), b.paceTile(show, sale)...), Text: b.fromBooked(show)}
		}},
		{"compared", func() { p.Compared = b.comparedOf(show, p.Pace, len(sale.Comparables)) }},
		{"items", func() { p.Items = b.openItems(show) }},
		{"walk-ins", func() { p.WalkIns = b.walkIns(show) }},
		{"gates", func() { p.Gates = b.gatesPart(show) }},
		{"types", func() { p.Types = b.parts(figures.OfTypes, e) }},
		{"channels", func() { p.Channels = b.parts(figures.OfChannels, e) }},
		{"extras", func() { p.Extras = b.extrasOf(show) }},
		{"reasons", func() { p.Refunds = b.refundsByReason(show) }},
		{"all-figures", func() { p.All = b.allFigures(show) }},
	} {
		if b.has(of.id) {
			of.make()
		}
	}
	return p
}

// fragments returns all fragments of the page.
func (p *eventPage) fragments() []web.Fragment {
	return []web.Fragment{
		{ID: "head", HTML: p.Head.HTML()}, {ID: "attention", HTML: p.Attention.HTML()}, {ID: "figs", HTML: p.Figs.HTML()}, {ID: "in-words", HTML: ledeHTML(p.Lede)}, {ID: "lines", HTML: p.Takings.html()},
		{ID: "money-back", HTML: p.Refund.html()}, {ID: "free", HTML: p.Free.html()}, {ID: "gate-cards", HTML: p.Cards.html()}, {ID: "compared", HTML: p.Compared.html()}, {ID: "notes", HTML: p.Notes.html()},
		{ID: "areas", HTML: p.Areas.html()}, {ID: "figures", HTML: p.Figures.HTML()}, {ID: "walk-ins", HTML: p.WalkIns.html()},
		{ID: "sales", HTML: p.Sales.HTML()}, {ID: "sales-rows", HTML: p.SalesRows.HTML()},
		{ID: "pace", HTML: p.Pace.html()},
		{ID: "arrivals", HTML: p.Arrivals.HTML()}, {ID: "arrivals-rows", HTML: p.ArrivalRows.HTML()},
		{ID: "arrived", HTML: p.Arrived.HTML()}, {ID: "gates", HTML: p.Gates.html()},
		{ID: "items", HTML: p.Items.html()}, {ID: "types", HTML: p.Types.html()}, {ID: "channels", HTML: p.Channels.html()}, {ID: "extras", HTML: p.Extras.html()}, {ID: "reasons", HTML: p.Refunds.HTML()},
		{ID: "all-figures", HTML: p.All.html()},
	}
}

// when returns the day, the time and the hall.
func (b builder) when(s *evening.Show) words.Sentence {
	day, title := b.DayOf(s.Date), b.DayTitle(string(s.Date), string(b.Today))
	if start := s.Event.StartsAt; !start.IsZero() && s.Date != "" && figures.Day(start.In(b.Zone).Format(time.DateOnly)) > s.Date {
		day = b.NightWords(s.Date)
		title = day
	}
	on, at := words.Text("day", day), words.Text("time", b.Clock(s.Event.StartsAt, b.Zone))
	var all []words.Sentence
	switch known := !s.Event.StartsAt.IsZero(); {
	case !s.Phase.GoesAhead() && known:
		all = append(all, words.Sentence{{Text: b.Badge(s), Strong: true}}, b.Say("event.was_at", on, at))
	case !s.Phase.GoesAhead():
		all = append(all, words.Sentence{{Text: b.Badge(s), Strong: true}}, b.Say("event.was", on))
	case known:
		all = append(all, b.Say("event.on_at", words.Text("day", title), at), words.Sentence{{Text: b.Relative(s)}})
	default:
		all = append(all, words.Sentence{{Text: title}}, words.Sentence{{Text: b.Relative(s)}})
	}
	if s.Phase == evening.Postponed {
		all = append(all, b.Say("show.no_new_date"))
	}
	all = append(all, words.NameAlone(s.Event.Hall))
	if t := s.Event.DoorsAt; !t.IsZero() && s.Phase.GoesAhead() && s.Phase != evening.Over {
		all = append(all, b.Say("show.doors", words.Text("time", b.Clock(t, b.Zone))))
	}
	_, pause := s.InInterval(b.Now)
	if !pause { // said beside the time
		all = append(all, b.Interval(s))
	}
	if t := s.Event.EndsAt; !t.IsZero() && (s.Phase == evening.Before || s.Phase == evening.Arriving || pause) {
		all = append(all, b.Say("event.ends", words.Text("time", b.Clock(t, b.Zone))))
	}
	return words.Join(" · ", all...)
}

// eventLede returns the performance in a few sentences; each phase has its own.
func (b builder) eventLede(s *evening.Show) words.Sentence {
	if s.Phase == evening.Cancelled {
		text := b.Say("event.cancelled")
		switch back := s.ToPayBack; {
		case !b.Access.SeesMoney():
		case !back.Known():
			unknown := words.Num{Text: b.Code("quality", "unknown"), Why: b.Because("unknown", back.Reasons)}
			text = words.Join(" ", b.Say("event.to_pay_back_unknown", words.Fig("unknown", unknown)), text)
		case back.Quality == figures.Exact && !s.MayOwe():
			text = words.Join(" ", b.Say("event.nothing_to_pay_back"), text)
		default:
			text = words.Join(" ", b.Say("event.to_pay_back", words.Fig("amount", b.OfShow(s, figures.KeyToPayBack))), text)
		}
		return text
	}
	all := []words.Sentence{b.End(b.placesLede(s))}
	switch {
	case s.Phase == evening.Postponed:
		all = append(all, b.Say("event.postponed"))
	case s.Phase == evening.Before:
		if hour := s.SoldLastHour; hour.Known() {
			all = append(all, b.Say("event.sold_lately", words.Fig("hour", b.OfShow(s, figures.KeySoldHour)),
				words.Fig("day", b.OfShow(s, figures.KeySold24Hours)), words.Fig("week", b.OfShow(s, figures.KeySold7Days))))
		}
	case !s.Attendance.Known() && !s.Expected.Known():
	case !s.Attendance.Known() && s.Phase == evening.Over:
		all = append(all, b.Say("event.were_expected", words.Fig("n", b.OfShow(s, figures.KeyExpected))))
	case !s.Attendance.Known():
		all = append(all, b.Say("event.are_expected", words.Fig("n", b.OfShow(s, figures.KeyExpected))))
	case s.Phase == evening.Over:
		all = append(all, b.End(b.CameWords(b.OfShow(s, figures.KeyCame), b.OfShow(s, figures.KeyNoShows), b.OfShow(s, figures.KeyNoShow))))
		if s.Leaving {
			all = append(all, b.End(b.inside(s, true)))
		}
	default:
		inside := b.inside(s, false)
		if s.Still.Known() {
			inside = words.Join("; ", inside, b.StillWords(s, b.OfShow(s, figures.KeyNotYetIn)))
		}
		all = append(all, b.End(inside), b.End(b.Verdict(s)))
	}
	return words.Join(" ", all...)
}

// inside returns how many people are inside of a performance, and that all of them are on their way out where it is over.
func (b builder) inside(s *evening.Show, leaving bool) words.Sentence {
	n := words.Fig("n", b.OfShow(s, figures.KeyInside))
	if leaving && s.Inside.Value > 0 && !s.DueToEnd() {
		return b.Say("people.inside_all_leaving", n)
	}
	return b.Say("people.inside", n)
}

// placesLede returns what can still be sold, how full the house is, and what is reserved.
func (b builder) placesLede(s *evening.Show) words.Sentence {
	var free, sold, reserved words.Sentence
	if s.Sale == evening.SaleOpen && (s.SoldOut || !s.Event.Unlimited) {
		free = b.Say("wall.sold_out")
		if !s.NothingEmpty() {
			free = b.Say("event.can_be_sold", words.Fig("n", b.OfShow(s, figures.KeyFree)))
		}
		if s.Limited() && !s.NothingEmpty() {
			main, unit := b.FreeWords(s)
			free = words.Join(" ", main.Sentence(), words.Sentence{{Text: unit}})
		}
	}
	number, of := words.Fig("sold", b.OfShow(s, figures.KeySold)), words.Fig("capacity", b.OfShow(s, figures.KeyCapacity))
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
		reserved = b.Say("event.more_are_reserved", words.Fig("n", b.OfShow(s, figures.KeyReserved)))
	}
	return words.Join("; ", free, words.Join(", ", sold, web.Known(b.OfShow(s, figures.KeyOccupancy))), reserved)
}

// tiles returns the numbers under the sentence; each phase has its own.
func (b builder) tiles(s *evening.Show) []web.Named {
	if s.Phase == evening.Cancelled {
		return b.cancelledTiles(s)
	}
	var list []web.Named
	add := func(term string, main words.Num, note words.Sentence) {
		list = append(list, web.Named{Term: term, Main: main, Note: note})
	}
	if s.Sale == evening.SaleOpen && (s.SoldOut || !s.Event.Unlimited) && s.Oversold == 0 {
		main, _ := b.FreeWords(s)
		note := b.Allowed(s)
		if s.Reserved.Known() && s.Reserved.Value > 0 {
			note = words.Join("; ", note, b.Say("tile.more_reserved", words.Fig("n", b.OfShow(s, figures.KeyReserved))))
		}
		if f := marketing.UnsoldValueOf(s); b.Access.SeesMoney() && f.Known() && len(f.Value) > 0 {
			note = words.Join("; ", note, b.Say("tile.unsold", words.Fig("amount", b.OfShow(s, figures.KeyUnsoldValue))))
		}
		add(b.Text("tile.free"), main, note)
	}
	add(b.Text("tile.sold"), b.OfShow(s, figures.KeySold), b.soldNote(s))
	switch s.Phase {
	case evening.Before, evening.Arriving, evening.Running:
		var note words.Sentence
		if hour := s.SoldLastHour; hour.Known() {
			note = b.Say("sales.last_hour", words.Fig("n", b.OfShow(s, figures.KeySoldHour)))
		}
		add(b.Text("tile.sold_today"), b.OfShow(s, figures.KeySoldToday), note)
	case evening.Over:
		note := b.Say("tile.of_expected", words.Plain("n", b.Number(s.Expected)))
		if s.Arrived.Value != s.Attendance.Value { // some on tickets that are not sold, whom nobody expected
			note = b.Say("tile.arrived_of_expected", words.Fig("arrived", b.OfShow(s, figures.KeyArrived)), words.Plain("n", b.Number(s.Expected)))
		}
		add(b.Text("tile.came"), b.OfShow(s, figures.KeyCame), note)
		add(b.Text("tile.no_show"), b.OfShow(s, figures.KeyNoShow), b.Say("tile.places", words.Fig("n", b.OfShow(s, figures.KeyNoShows))))
	}
	if s.Phase.Open() || s.Leaving {
		note := b.Say("tile.of_expected", words.Plain("n", b.Number(s.Expected)))
		if n := s.WalkedIn(); n > 0 {
			note = b.Say("tile.walk_ins", words.Int("walk_ins", n), words.Plain("n", b.Number(s.Expected)))
		}
		if s.Leaving {
			note = b.Going(s)
		} else if s.Still.Known() {
			note = words.Join(", ", note, b.StillWords(s, b.OfShow(s, figures.KeyNotYetIn)))
		}
		if l, ok := b.Evening.LoadOf(s.Event.Hall); ok && l.Hall != "" {
			note = words.Join("; ", note, b.Say("load.of_hall", words.Fig("share", b.OfHall(l, figures.KeyLoad)), words.Fig("licensed", b.OfHall(l, figures.KeyLicensed)), words.Name("hall", l.Hall)))
		}
		add(b.Text("tile.inside"), b.OfShow(s, figures.KeyInside), note)
	}
	if f := s.Forecast; f.Known() && s.Phase != evening.Postponed {
		note := b.Say("tile.forecast", words.Fig("n", b.OfShow(s, figures.KeyForecast)))
		if b.Access.SeesMoney() && s.CostPerTicket().Known() {
			note = words.Join("; ", note, b.Say("tile.cost_per_ticket", words.Fig("amount", b.OfShow(s, figures.KeyCostPerTicket))))
		}
		add(b.Text("tile.of_forecast"), b.OfShow(s, figures.KeyOfForecast), note)
	}
	if b.Access.SeesToday() && s.Phase != evening.Over && s.Phase != evening.Postponed {
		add(b.Text("tile.booked_today"), b.OfShow(s, figures.KeyBookedToday), b.Say("tile.by_day"))
	}
	if b.Access.SeesMoney() {
		add(b.Text("tile.booked"), b.OfShow(s, figures.KeyBooked), b.bookedNote(s))
		if s.Revenue.BookedStandsIn() {
			add(b.Text("tile.stands_in"), b.OfShow(s, figures.KeyStandsIn), b.Say("tile.no_payments"))
		} else {
			add(b.Text("tile.net"), b.OfShow(s, figures.KeyNet), words.Join(", ", b.withFees(s), b.refunds(s)))
		}
	}
	return list
}

// soldNote returns what the places sold are of.
func (b builder) soldNote(s *evening.Show) words.Sentence {
	var note, split words.Sentence
	switch {
	case s.Event.Unlimited:
		note = b.Say("tile.no_limit")
	case s.Occupancy().Known():
		note = b.Say("tile.occupancy_of", words.Fig("occupancy", b.OfShow(s, figures.KeyOccupancy)), words.Fig("capacity", b.OfShow(s, figures.KeyCapacity)))
		if paid := s.PaidOccupancy(); paid.Known() && s.Unpaid.Known() && paid.Value != s.Occupancy().Value {
			note = words.Join(", ", note, b.Say("tile.paid_occupancy", words.Fig("share", b.OfShow(s, figures.KeyPaidOccupancy))))
		}
	case s.Capacity.Known():
		note = b.Say("tile.of", words.Fig("capacity", b.OfShow(s, figures.KeyCapacity)))
	}
	if k := b.SoldKey(s); len(k) > 1 && s.Sold.Known() {
		for _, line := range k {
			split = words.Join(", ", split, line.Text)
		}
	}
	return words.Join("; ", words.Join(", ", words.Join("; ", note, split), b.Oversold(s)), b.SaleState(s))
}

// cancelledTiles returns what is left of a cancelled performance.
func (b builder) cancelledTiles(s *evening.Show) []web.Named {
	sold := web.Named{Term: b.Text("tile.sold"), Main: b.OfShow(s, figures.KeySold), Note: b.Say("tile.nothing_for_sale", words.Plain("n", b.Number(s.Sold)))}
	if !b.Access.SeesMoney() {
		return []web.Named{sold}
	}
	return []web.Named{{Term: b.Text("tile.to_pay_back"), Main: b.OfShow(s, figures.KeyToPayBack), Note: nil},
		{Term: b.Text("tile.on_its_way"), Main: b.OfShow(s, figures.KeyRefundsPending), Note: b.Say("tile.asked_for")},
		{Term: b.Text("tile.paid_back"), Main: b.OfShow(s, figures.KeyRefunded), Note: nil},
		{Term: b.Text("tile.received_before"), Main: b.OfShow(s, figures.KeyReceived), Note: nil}, sold}
}

// refunds returns what was taken off what came in.
func (b builder) refunds(s *evening.Show) words.Sentence {
	var all []words.Sentence
	for _, went := range []struct {
		figures.Measure
		figures.Key
		say string
	}{{figures.Refunded, figures.KeyRefunded, "tile.refunded"}, {figures.ChargedBack, figures.KeyChargedBack, "tile.charged_back"},
		{figures.Reversed, figures.KeyReversed, "tile.won_back"}, {figures.RefundsPending, figures.KeyRefundsPending, "tile.pending"}} {
		if f := s.Revenue.Of(went.Measure); f.Known() && len(f.Value) > 0 {
			all = append(all, b.Say(went.say, words.Fig("amount", b.OfShow(s, went.Key))))
		}
	}
	return words.Join(", ", all...)
}

// parts describes the sales by a split.
func (b builder) parts(by figures.Split, e *figures.EventFigures) parts {
	id, of := string(by), figures.Scope{Event: e.Event.ID}
	p := parts{ID: id, Title: b.Code("parts_title", id), Caption: b.Code("parts_caption", id), Column: b.Code("parts_column", id), Money: b.Access.SeesMoney()}
	most := 0
	for f := range marketing.PartsBy(e, by) {
		most = max(most, f.Sold)
	}
	for f := range marketing.PartsBy(e, by) {
		name := b.PartTitle(by, f.Name)
		sold, booked := b.OfPart(f, of, figures.KeySold, e), e.Revenue.Of(figures.Booked)
		r := partRow{Name: name, Sold: sold, Paid: b.OfPart(f, of, figures.KeyPaid, e), Booked: b.OfPart(f, of, figures.KeyBooked, e),
			Bar: charts.NewBar("", most, web.SoldPieces(f.Paid, f.Complimentary, f.FreeTickets, f.Unpaid)...)}
		if by == figures.OfTypes && b.Access.SeesToday() {
			r.Price = b.priceOf(e, f.Name)
		}
		unpriced := f.Paid+f.Unpaid > 0 && slices.Contains(booked.Reasons, figures.ReasonNoPrice)
		if len(f.Of(figures.Booked)) == 0 && (unpriced || web.CurrencyOf(e) == "") {
			r.Booked = web.Plain(words.Dash)
		}
		if e.Sold.Known() && e.Sold.Value > 0 {
			r.Share = b.ShareOf(e.Sold, float64(f.Sold)/float64(e.Sold.Value)).Text
			if len(p.Rows) == 0 {
				p.Text = b.Say("parts.most", words.Name("name", name), words.Plain("n", sold), words.Plain("of", b.Number(e.Sold)), words.Text("share", r.Share))
			}
		}
		p.Rows = append(p.Rows, r)
	}
	return p
}

// sameEvent is Page.Same of the page of one performance. It compares the performance, who has seen its alerts, and the past
// ones that its figures are compared with, which have been read or not.
func sameEvent(b, before *web.Builder) bool {
	e := b.Event(b.Values.Get("event"))
	return e == before.Event(b.Values.Get("event")) && b.SeenAs(before.Snapshot) && b.Unread() == before.Unread() &&
		(e == nil || b.Snapshot.SamePast(before.Snapshot, b.Today))
}
