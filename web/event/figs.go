package event

import (
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/arriving"
	"housecount/web"
	"housecount/web/words"
)

// Parts of the page of a performance, each with an address of its own. Without one it is its overview.
const (
	partSales    = "sales"
	partArrivals = "arrivals"
	partMoney    = "money"
	partAll      = "all"
)

var eventParts = []string{"", partSales, partArrivals, partMoney, partAll}

// fragmentsOf are the fragments of each part, besides the head and what needs attention.
var fragmentsOf = map[string][]string{
	"":           {"figs", "money-back", "arrived", "sales", "free", "lines", "gate-cards", "compared", "notes", "walk-ins"},
	partSales:    {"figs", "sales", "sales-rows", "areas", "pace", "types", "channels"},
	partArrivals: {"figs", "gates", "arrivals", "arrivals-rows", "arrived", "walk-ins"},
	partMoney:    {"figures", "reasons", "items", "extras"},
	partAll:      {"in-words", "figures", "areas", "walk-ins", "sales", "sales-rows", "gates", "pace", "arrivals", "arrivals-rows", "arrived", "items", "types", "channels", "extras", "all-figures"},
}

// partLinks returns the links to the parts of the page of a performance. Nobody arrives at one that is called off, or is seen to
// where no scans are reported, and amounts are for those who see them.
func (b builder) partLinks(s *evening.Show) (all []web.Link) {
	for _, part := range eventParts {
		unseen := !s.Phase.GoesAhead() || s.Phase == evening.Before || slices.Contains(s.Attendance.Reasons, figures.ReasonNoScans)
		if part == partMoney && !b.Access.SeesMoney() || part == partArrivals && unseen {
			continue
		}
		l := web.Link{Href: web.EventHref(s.Event.ID), Text: b.Text("event.now"), Current: b.Values.Get("part") == part}
		if part != "" {
			l.Href, l.Text = l.Href+"?part="+part, b.Code("event_part", part)
		}
		all = append(all, l)
	}
	return all
}

// eventFigs returns the figures on top of the page of a performance; each phase has its own.
func (b builder) eventFigs(s *evening.Show, sale *evening.Pace) web.Figs {
	switch {
	case s.Phase == evening.Cancelled:
		return figsOf(b.cancelledTiles(s))
	case s.Phase == evening.Over:
		return b.overFigs(s)
	case s.Phase.Open():
		return b.openFigs(s)
	}
	figs := append(b.freeFigOf(s), b.soldBefore(s, sale))
	if s.Phase == evening.Postponed {
		return figs
	}
	week, term := b.NetSold(s, figures.KeySold7Days, "figs.sold_week", "figs.fewer_week")
	today, note := b.NetSold(s, figures.KeySoldToday, "figs.today", "figs.fewer_today")
	return append(append(figs, b.finishFig(s, sale)...), web.Fig{Term: b.Text(term), Main: week, Note: b.Say(note, words.Fig("n", today))})
}

// soldBefore is soldFig with how far the sale is before what is usual, or behind it.
func (b builder) soldBefore(s *evening.Show, sale *evening.Pace) web.Fig {
	f := b.soldFig(s)
	if len(sale.Points) == 0 || !sale.Sold.Known() {
		return f
	}
	f.Note = words.Join(" · ", f.Note, b.thanUsual(sale.Sold.Value-sale.Usual.Value))
	return f
}

// thanUsual returns by how many more or fewer than usual something is.
func (b builder) thanUsual(more int) words.Sentence {
	switch {
	case more > 0:
		return b.Say("figs.more_than_usual", words.Int("n", more))
	case more < 0:
		return b.Say("figs.fewer_than_usual", words.Int("n", -more))
	}
	return b.Say("figs.as_usual")
}

// finishFig returns what will be sold in the end, and what is usual; none without an estimate.
func (b builder) finishFig(s *evening.Show, p *evening.Pace) web.Figs {
	if len(p.Comparables) == 0 || !p.Usual.Known() || !p.Finish.Known() {
		return nil
	}
	of := figures.Scope{Event: s.Event.ID}
	f := web.Fig{Term: b.Text("pace.tile"), Main: b.OfPace(of, p, figures.KeyFinish), Note: b.Say("figs.usual", words.Fig("n", b.OfPace(of, p, figures.KeyUsualFinish)))}
	if band := p.FinishBand; band.High >= 2*p.Finish.Value && band.Low < band.High { // the number alone would mislead
		f.Note = words.Join(", ", b.Say("pace.between", words.Int("low", band.Low), words.Int("high", band.High)), f.Note)
	}
	if most, set := b.Evening.Allowed(s.EventFigures); set && p.Finish.Value > most {
		f.Note = words.Join(" · ", b.Say("places.allowed", words.Int("n", most)), f.Note)
	}
	return web.Figs{f}
}

// openFigs are those while people come or it runs: who is inside, who is not yet, whether to begin, and what is free.
func (b builder) openFigs(s *evening.Show) web.Figs {
	if !s.Attendance.Known() {
		return append(b.freeFigOf(s), b.soldFig(s), web.Fig{Term: b.Text("figs.expected"), Main: b.OfShow(s, figures.KeyExpected), Note: b.Say("figs.no_scan_data")})
	}
	inside := web.Fig{Term: b.Text("figs.inside"), Main: b.OfShow(s, figures.KeyInside), People: true, Level: b.Evening.LevelIn(s.Event.Hall), Note: b.Say("tile.of_expected", words.Plain("n", b.Number(s.Expected)))}
	if n := s.WalkedIn(); n > 0 {
		inside.Note = b.Say("tile.walk_ins", words.Int("walk_ins", n), words.Plain("n", b.Number(s.Expected)))
	}
	if s.Out().Value > 0 { // or those inside and those not in yet are not all that are expected
		inside.Note = words.Join(" · ", inside.Note, b.Say("people.out", words.Fig("n", b.OfShow(s, figures.KeyOut))))
	}
	if l, ok := b.Evening.LoadOf(s.Event.Hall); ok && l.Hall != "" {
		inside.Note = words.Join(" · ", inside.Note, b.Say("figs.load", words.Fig("share", b.OfHall(l, figures.KeyLoad)), words.Fig("licensed", b.OfHall(l, figures.KeyLicensed))))
	}
	a := b.Evening.Arrivals(s)
	if inside.Note = words.Join(" · ", inside.Note, b.AsOfWords(s.AsOf)); s.Phase == evening.Arriving {
		inside.Note = words.Join(" · ", inside.Note, b.cameThanUsual(s))
	}
	if s.LateOver {
		inside.Note = words.Join(" · ", inside.Note, b.Say("people.did_not_come", words.Fig("n", b.OfShow(s, figures.KeyNotYetIn))))
	}
	figs := web.Figs{inside}
	if s.Still.Known() && !s.LateOver {
		still := web.Fig{Term: b.Text("figs.still"), Main: b.OfShow(s, figures.KeyNotYetIn)}
		if s.Phase == evening.Running {
			still.Term, still.Note = b.Text("figs.not_in"), words.Join(" · ", b.WillCome(s), b.AsOfWords(s.AsOf))
		} else {
			still.Note = words.Join(" · ", b.MayEnter(s), b.Say("figs.a_minute", words.Fig("n", b.OfShow(s, figures.KeyEntries5))), b.rushFig(&a), b.AsOfWords(s.AsOf))
		}
		figs = append(figs, still)
	}
	verdict := b.verdictFig(s)
	if figs = append(figs, verdict...); len(figs) < 3 {
		figs = append(figs, b.soldFig(s))
	}
	for _, f := range b.freeFigOf(s) {
		if s.Occupancy().Known() && len(verdict) > 0 {
			f.Note = words.Join(" · ", b.Say("figs.share_sold", words.Fig("share", b.OfShow(s, figures.KeyOccupancy))), f.Note)
		}
		figs = append(figs, f)
	}
	return figs
}

// comparedFrom is how long the doors are open before those who came are compared with the usual: when a queue moves says nothing.
const comparedFrom = 5 * time.Minute

// cameThanUsual returns by how many more or fewer than usual have come by now; nothing where that is not known.
func (b builder) cameThanUsual(s *evening.Show) words.Sentence {
	usually, came, ok := b.Evening.UsuallyIn(s, b.At)
	switch more := came - usually; {
	case !ok || b.At.Before(s.Hours().Doors.Add(comparedFrom)):
		return nil
	case more > 0:
		return b.Say("figs.more_in", words.Int("n", more))
	case more < 0:
		return b.Say("figs.fewer_in", words.Int("n", -more))
	}
	return b.Say("figs.as_usual_in")
}

// rushFig returns when most come, with what that means; nothing where that is not known.
func (b builder) rushFig(a *evening.Arrivals) words.Sentence {
	if a.RushFrom.IsZero() || !b.At.Before(a.RushTo) {
		return nil
	}
	why := b.Text("arrived.rush_why")
	if a.RushPeople > 0 {
		why = b.Text("arrived.rush_ahead_why", words.Int("n", a.RushPeople))
	}
	return words.Num{Text: b.rushWords(a), Why: why}.Sentence()
}

// verdictFig returns whether to begin at the curtain; none without a verdict.
func (b builder) verdictFig(s *evening.Show) web.Figs {
	v := s.Verdict
	f := web.Fig{Term: b.Text("figs.curtain", words.Text("time", b.Clock(s.Event.StartsAt, b.Zone)))}
	if s.Phase == evening.Running { // the curtain is past
		f.Term = web.Capital(b.Relative(s))
	}
	switch entry := b.Evening.EntryTo(s); {
	case entry == evening.EntryStopped && !s.Event.StartsAt.IsZero():
		f.Main, f.Level = web.Plain(b.FullWords(s).String()), evening.Bad
		f.Note = b.Say("verdict.nobody_in")
	case !s.Held.IsZero():
		f.Main, f.Warns = web.Plain(b.Text("figs.held", words.Text("until", b.Clock(s.Held, b.Zone)))), true
		if v.Call != arriving.NoCall {
			f.Note = words.Join(", ", b.Say("figs.outside", words.Fig("n", b.OfShow(s, figures.KeyOutside))), b.UsualOutside(v))
		}
	case v.Call == arriving.OnTime && entry == evening.EntryUnsure:
		f.Main, f.Warns = web.Plain(b.Text("verdict.unsure")), true
		f.Note = b.Say("verdict.may_be_full")
	case v.Call == arriving.OnTime:
		f.Main = web.Plain(b.Text("verdict.on_time"))
		f.Note = words.Join(", ", b.Late(b.OfShow(s, figures.KeyOutside), v), b.UsualOutside(v))
	case v.Call == arriving.Unsure:
		f.Main = web.Plain(b.Text("verdict.unsure"))
		f.Note = words.Join(", ", b.Late(b.OfShow(s, figures.KeyOutside), v), b.UsualOutside(v))
	case v.Call == arriving.Hold && b.At.Before(s.Event.StartsAt):
		f.Main, f.Warns = web.Plain(b.Text("figs.hold", words.Text("until", b.Clock(v.Until, b.Zone)))), true
		f.Note = words.Join(", ", b.Say("figs.outside", words.Fig("n", b.OfShow(s, figures.KeyOutside))), b.UsualOutside(v))
	case v.Call == arriving.Hold:
		f.Main, f.Warns = web.Plain(b.Text("figs.late")), true
		f.Note = b.Say("figs.still_coming", words.Int("n", v.Outside.Value))
	default:
		return nil
	}
	return web.Figs{f}
}

// overFigs are those once it is over: who came and who did not, what was sold, and what was received.
func (b builder) overFigs(s *evening.Show) web.Figs {
	figs := web.Figs{}
	if s.MayEmpty() {
		figs = append(figs, web.Fig{Term: b.Text("figs.inside"), Main: b.OfShow(s, figures.KeyInside), People: true, Note: b.Going(s)})
	}
	if s.Attendance.Known() {
		came := web.Fig{Term: b.Text("tile.came"), Main: b.OfShow(s, figures.KeyCame), Note: b.Say("tile.of_expected", words.Plain("n", b.Number(s.Expected)))}
		if late := b.OfShow(s, figures.KeyCameLate); !late.Unknown() {
			came.Note = words.Join(" · ", came.Note, b.Say("late.came", words.Fig("n", late)))
		}
		figs = append(figs, came,
			web.Fig{Term: b.Text("tile.no_show"), Main: b.OfShow(s, figures.KeyNoShow), Note: b.Say("tile.places", words.Fig("n", b.OfShow(s, figures.KeyNoShows)))})
	}
	figs = append(figs, b.soldFig(s))
	if b.Access.SeesMoney() && len(figs) < 4 {
		figs = append(figs, web.Fig{Term: b.NetHead("tile.net"), Main: b.OfShow(s, b.NetKey()), Note: b.withFees(s)})
	}
	return figs
}

// freeFigOf returns what can still be sold of a performance; none once nothing is for sale.
func (b builder) freeFigOf(s *evening.Show) web.Figs {
	if s.Sale != evening.SaleOpen || s.Event.Unlimited && !s.SoldOut {
		return nil
	}
	main, _ := b.FreeWords(s)
	f := web.Fig{Term: b.Text("figs.free"), Main: main, Note: words.Join(" · ", b.SaleState(s), b.Allowed(s), b.AllowedIn(s), b.Oversold(s))}
	if s.Reserved.Known() && s.Reserved.Value > 0 {
		f.Note = words.Join(" · ", f.Note, b.Say("tile.more_reserved", words.Fig("n", b.OfShow(s, figures.KeyReserved))))
	}
	if s.UnpaidIsWanted() {
		f.Note = words.Join(" · ", f.Note, b.UnpaidWanted(s))
	}
	return web.Figs{f}
}

// soldFig returns what is sold of a performance, and of how many places.
func (b builder) soldFig(s *evening.Show) web.Fig {
	f := web.Fig{Term: b.Text("figs.sold"), Main: b.OfShow(s, figures.KeySold)}
	switch {
	case s.Event.Unlimited:
		f.Note = b.Say("tile.no_limit")
	case s.Occupancy().Known():
		f.Note = b.Say("tile.occupancy_of", words.Fig("occupancy", b.OfShow(s, figures.KeyOccupancy)), words.Fig("capacity", b.OfShow(s, figures.KeyCapacity)))
	case s.Capacity.Known():
		f.Note = b.Say("tile.of", words.Fig("capacity", b.OfShow(s, figures.KeyCapacity)))
	}
	f.Note = words.Join(" · ", f.Note, b.SaleState(s))
	return f
}

// figsOf returns the first four of numbers with names.
func figsOf(list []web.Named) (all web.Figs) {
	for _, n := range list[:min(len(list), 4)] {
		all = append(all, web.Fig{Term: n.Term, Main: n.Main, Note: n.Note})
	}
	return all
}
