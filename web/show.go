package web

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/licence"
	"housecount/web/charts"
	"housecount/web/words"
)

// row is a performance on Tonight. All rows have the same columns: when, what, places, people, and sold today.
type row struct {
	ID          string
	Href, Title string
	State       string        // a class: the phase
	Level       evening.Level // of its loudest alert
	Time        string        // of curtain
	Relative    string
	Verdict     sentence
	Calls       evening.Level // of the verdict
	TooMany     bool          // people are inside, as the verdict says
	Where       sentence
	Badge       string

	Taken   Taken
	Arrived *arrived
	People  string   // a class for the people in the hall
	Pace    sentence // until the doors open
	Side    side
}

// Taken is the places of a performance: those that are free, and how full the house is.
type Taken struct {
	Main  num
	Unit  string // of Main; empty if Of includes it
	Of    sentence
	Bar   *charts.Bar // nil if nothing is known to draw
	Parts charts.Key
}

// arrived is how many people are in the building or, once it is over, came.
type arrived struct {
	Main  num
	Of    sentence
	Bar   *charts.Bar
	Level string // a class for the people in the hall
	// Gates are the entry rates of the last five minutes.
	Gates charts.Key
	// Passed is when more people were in the hall than are allowed.
	Passed charts.Key
}

// side is what was sold today, with the amount for those who may see money.
type side struct {
	Main  num
	Text  string
	Extra sentence
}

// EventPath is the address of the page of a performance.
const EventPath = EventsPath + "/{event}"

// EventHref returns the address of the page of a performance.
func EventHref(id string) string { return strings.Replace(EventPath, "{event}", url.PathEscape(id), 1) }

// row returns the row of a performance; loudest is the level of its loudest alert.
func (b *Builder) row(s *evening.Show, loudest evening.Level) row {
	r := row{
		ID: "show-" + url.QueryEscape(s.Event.ID), Href: EventHref(s.Event.ID), Title: b.TitleOf(s.EventFigures), State: s.Phase.String(), Level: loudest,
		Time: dash, Relative: b.Relative(s), Verdict: b.VerdictShort(s), Calls: b.VerdictLevel(s), TooMany: b.isFull(s) && licence.TooManyAt(b.Evening, s).Value > 0,
		Where: b.where(s), Badge: b.Badge(s), Taken: b.TakenOf(s), Side: b.side(s),
	}
	if !s.Event.StartsAt.IsZero() {
		r.Time = b.Clock(s.Event.StartsAt, b.Zone)
	}
	if doors := s.Event.DoorsAt; s.Phase == evening.Before && !doors.IsZero() && !s.Event.StartsAt.IsZero() { // until then the clock says how long it is
		r.Relative, r.Where = b.Text("show.doors", words.Text("time", b.Clock(doors, b.Zone))), words.NameAlone(s.Event.Hall)
	}
	if s.Phase == evening.Before {
		if b.Access.SeesToday() {
			r.Pace = b.finish(s)
		}
		if s.Attendance.Known() && s.Attendance.Value > 0 { // tests of the scanners, or staff: the doors are not open
			r.Where = words.Join(" · ", r.Where, b.Say("people.early", words.Fig("n", b.OfShow(s, figures.KeyCame))))
		}
	} else {
		r.Arrived = b.arrived(s)
		r.People = r.Arrived.Level
	}
	return r
}

// Relative returns the time until or since curtain, or a word such as over.
func (b *Builder) Relative(s *evening.Show) string {
	start := s.Event.StartsAt
	switch s.Phase {
	case evening.Cancelled, evening.Postponed:
		return b.Code("status", s.Phase.String())
	case evening.Over:
		if s.DueToEnd() {
			return b.Text("show.due_to_end", words.Text("time", b.Clock(s.Hours().End, b.Zone)))
		}
		if end := s.Event.EndsAt; !end.IsZero() && !b.Now.Before(end) && b.Calendar.Day(end) == b.Evening.Day {
			return b.Text("show.over_since", words.Text("time", b.Clock(end, b.Zone)))
		}
		return b.Code("status", "over")
	case evening.Running:
		if back, ok := s.InInterval(b.Now); ok {
			return b.Text("show.in_interval", words.Text("time", b.Clock(back, b.Zone)))
		}
		if end := s.Event.EndsAt; !end.IsZero() {
			return b.Text("show.running_ends", words.Text("time", b.Clock(end, b.Zone)))
		}
		return b.Text("show.running")
	}
	switch {
	case start.IsZero() && s.Phase == evening.Before && !s.Event.DoorsAt.IsZero():
		return b.Text("show.doors_countdown", words.Text("countdown", b.Countdown(b.Now, s.Event.DoorsAt)))
	case start.IsZero():
		return b.Text("show.time_unknown")
	}
	return b.Countdown(b.Now, figures.Later(start, s.Held))
}

// where returns the hall with the time of doors until they open or, while the performance runs, its interval.
func (b *Builder) where(s *evening.Show) sentence {
	hall, t := words.NameAlone(s.Event.Hall), s.Event.DoorsAt
	switch {
	case !t.IsZero() && s.Phase == evening.Before:
		return words.Join(" · ", hall, b.Say("show.doors", words.Text("time", b.Clock(t, b.Zone))))
	case s.Phase == evening.Running:
		if _, ok := s.InInterval(b.Now); ok { // shown next to the time
			return hall
		}
		return words.Join(" · ", hall, b.Interval(s))
	}
	return hall
}

// Interval returns the times of the interval or, while it lasts, when it ends; empty once it is over and if there is none.
func (b *Builder) Interval(s *evening.Show) sentence {
	from, to, ok := s.Interval()
	if !ok || !b.Now.Before(to) || !s.Phase.GoesAhead() || s.Phase == evening.Over {
		return nil
	}
	if back, ok := s.InInterval(b.Now); ok {
		return b.Say("show.in_interval", words.Text("time", b.Clock(back, b.Zone)))
	}
	return b.Say("show.interval", words.Text("from", b.Clock(from, b.Zone)), words.Text("to", b.Clock(to, b.Zone)))
}

// Badge returns the word for a performance that does not go ahead; empty for others.
func (b *Builder) Badge(s *evening.Show) string {
	if s.Phase.GoesAhead() {
		return ""
	}
	return b.Code("badge", s.Phase.String())
}

// FreeWords returns the number of free places with its unit, or the words for sold out or for a sale that is over.
func (b *Builder) FreeWords(s *evening.Show) (main num, unit string) {
	if s.Sale == evening.SaleOver && !s.SoldOut {
		return Plain(Capital(b.SaleState(s).String())), ""
	}
	if s.NothingEmpty() {
		return Plain(b.Text("places.sold_out")), ""
	}
	main = b.OfShow(s, figures.KeyFree)
	if s.Limited() && !b.soldTooMany(s) {
		return main, b.Text("places.free_of_empty", words.Plain("n", b.Number(s.Empty)))
	}
	return main, b.Text("places.free")
}

// Allowed returns how many places of a performance are empty, where fewer may be sold for the people allowed in its hall, or else how
// many may be of one without a limit of places; else nothing.
func (b *Builder) Allowed(s *evening.Show) sentence {
	switch left, limited := b.Evening.MayStillSell(s); {
	case !limited || s.Sale != evening.SaleOpen || s.NothingEmpty():
		return nil
	case s.Limited() && !b.soldTooMany(s):
		return b.emptyWords(s.Free, s.Empty)
	case left == 0 || s.Limited():
		return b.Say("places.none_allowed")
	default:
		return b.Say("places.few_allowed", words.Int("n", left))
	}
}

// HouseAllowed returns that none of the places of several performances may be sold, where some are empty; else nothing.
func (b *Builder) HouseAllowed(h *evening.House) sentence {
	if !h.Limited() || h.Free.Value > 0 {
		return nil
	}
	return b.Say("places.none_allowed")
}

// emptyWords returns how many places are empty, and that none may be sold where that is so.
func (b *Builder) emptyWords(free, empty figures.Figure[int]) sentence {
	said := b.Say("places.empty", words.Plain("n", b.Number(empty)))
	if free.Value == 0 {
		return words.Join(", ", b.Say("places.none_allowed"), said)
	}
	return said
}

// TakenOf returns the free places and how full the house is.
func (b *Builder) TakenOf(s *evening.Show) Taken {
	main := b.OfShow(s, figures.KeySold)
	sold, capacity, occupancy := words.Fig("sold", main), words.Fig("capacity", b.OfShow(s, figures.KeyCapacity)), words.Fig("occupancy", b.OfShow(s, figures.KeyOccupancy))
	var t Taken
	switch {
	case s.Phase == evening.Cancelled && b.Access.SeesMoney():
		return Taken{Main: b.OfShow(s, figures.KeyToPayBack), Of: b.Say("places.cancelled_to_pay_back", sold)}
	case !s.Phase.GoesAhead():
		return Taken{Main: main, Of: b.Say("places.sold_called_off")}
	case s.Event.Unlimited && !s.SoldOut:
		t.Main, t.Of = main, b.Say("places.sold_no_limit")
	case s.Sale == evening.SaleOpen:
		t.Main, t.Unit = b.FreeWords(s)
		switch limited := s.Capacity.Known() && !s.Event.Unlimited; {
		case b.soldTooMany(s):
			t.Of = b.Say("places.sold_allowed", sold, words.Int("licensed", s.Licensed.Value))
		case limited && s.Occupancy().Known():
			t.Of = b.Say("places.occupied", occupancy, sold, capacity)
		case limited:
			t.Of = b.Say("places.sold_of_all", sold, capacity)
		default:
			t.Of = b.Say("places.sold_number", sold)
		}
	default:
		t.Main = main
		switch {
		case b.soldTooMany(s):
			t.Of = b.Say("places.unit_sold_allowed", words.Int("licensed", s.Licensed.Value))
		case s.Occupancy().Known():
			t.Of = b.Say("places.unit_sold_of_occupancy", capacity, occupancy)
		case s.Capacity.Known():
			t.Of = b.Say("places.unit_sold_of", capacity)
		default:
			t.Of = b.Say("places.unit_sold")
		}
	}
	t.Of = words.Join(" · ", t.Of, b.SaleState(s))
	t.Of = words.Join(", ", t.Of, b.Oversold(s))
	b.takenParts(s, &t)
	return t
}

// SaleState returns why nothing can be bought now or, once the performance has begun, that it is still sold or of when its places
// are; empty before, and where nothing is left.
func (b *Builder) SaleState(s *evening.Show) sentence {
	switch {
	case s.Sale == evening.SaleOpen && !s.AsOf.IsZero():
		return b.AsOfWords(s.AsOf)
	case s.StillOnSale() && !s.NothingEmpty():
		return b.Say("places.still_on_sale")
	case s.Sale == evening.SaleOver:
		return b.Say("places.sale_over")
	case s.Sale == evening.SaleNotOpen:
		return b.Say("places.not_on_sale")
	}
	return nil
}

// Oversold returns how many people have no seat, which is one number whether places are blocked or not, or else how many of the
// blocked places are sold; empty if there are enough places.
func (b *Builder) Oversold(s *evening.Show) sentence {
	n, taken, blocked := words.Fig("n", b.OfShow(s, figures.KeyOversold)), s.BlockedSold(), words.Int("blocked", s.Blocked.Value)
	switch {
	case s.Oversold > 0 && taken > 0:
		return b.Say("places.oversold_blocked", n, blocked)
	case s.Oversold > 0:
		return b.Say("places.oversold", n)
	case taken > 0:
		return b.Say("places.blocked_sold", words.Int("n", taken), blocked)
	}
	return nil
}

// takenParts adds the bar of the places taken, as far as they are known, and the key of those that may still become free.
func (b *Builder) takenParts(s *evening.Show, t *Taken) {
	if !s.Sold.Known() {
		return
	}
	all := b.SoldKey(s)
	add := func(k charts.Keyed) { // what is not settled, and may be free again
		all, t.Parts = append(all, k), append(t.Parts, k)
	}
	t.Parts = slices.DeleteFunc(slices.Clone(all), func(k charts.Keyed) bool { return k.Class != "unpaid" })
	if n := s.Reserved.Value; n > 0 && s.Reserved.Known() {
		add(charts.Keyed{Class: "resv", Text: b.Say("places.reserved", words.Fig("n", b.OfShow(s, figures.KeyReserved)))})
	}
	if n := s.Blocked.Value; n > 0 && s.Blocked.Known() {
		add(charts.Keyed{Class: "blocked", Text: b.Say("places.blocked", words.Fig("n", b.OfShow(s, figures.KeyBlocked)))})
	}
	if s.Capacity.Known() && s.Capacity.Value > 0 {
		pieces := SoldPieces(s.Paid.Value, s.Complimentary.Value, s.FreeTickets.Value, s.Unpaid.Value)
		most := s.Capacity.Value
		if b.soldTooMany(s) {
			most = min(most, s.Licensed.Value)
		}
		t.Bar = new(charts.NewBar(b.keyText(all), s.Capacity.Value, append(charts.Beyond(most, pieces...), charts.Piece{Class: "resv", N: s.Reserved.Value}, charts.Piece{Class: "blocked", N: s.Blocked.Value})...))
	}
}

// keyText returns a key as one line of text.
func (b *Builder) keyText(k charts.Key) string {
	texts := make([]string, len(k))
	for i, entry := range k {
		texts[i] = entry.Text.String()
	}
	return b.List(texts)
}

// CameWords returns how many visitors came to a performance that is over, and how many did not.
func (b *Builder) CameWords(came, away, rate num) sentence {
	if away.Unknown() {
		return b.Say("people.came", words.Fig("came", came))
	}
	return b.Say("people.came_away", words.Fig("came", came), words.Fig("away", away), words.Fig("rate", rate))
}

// cameUnit is cameWords without the number of those who came, for text that follows it.
func (b *Builder) cameUnit(away, rate num) sentence {
	if away.Unknown() {
		return b.Say("people.unit_came")
	}
	return b.Say("people.unit_came_away", words.Fig("away", away), words.Fig("rate", rate))
}

// arrived returns who is in the building or, once the performance is over, who came.
func (b *Builder) arrived(s *evening.Show) *arrived {
	of := func(k figures.Key) num { return b.OfShow(s, k) }
	var a *arrived
	switch {
	case !s.Attendance.Known() && s.Phase.GoesAhead():
		return &arrived{Main: of(figures.KeyCame), Of: b.Say("people.expected_unscanned", words.Fig("n", of(figures.KeyExpected)))}
	case s.MayEmpty():
		a = &arrived{Main: of(figures.KeyInside), Of: words.Join(" · ", b.Going(s), b.CameWords(of(figures.KeyCame), of(figures.KeyNoShows), of(figures.KeyNoShow)))}
		visitors := s.VisitorsInside()
		a.Bar = new(charts.NewBar(b.Text("people.bar_leaving", words.Int("n", visitors), words.Int("of", s.Attendance.Value)), s.Attendance.Value, charts.Piece{Class: "in", N: visitors}))
		a.Passed = b.drawn.passed[s.Event.ID]
		return b.inHall(s, a)
	case !s.Phase.GoesAhead():
		return &arrived{Main: Plain(dash), Of: b.Say("people.nobody_expected")}
	case s.Phase == evening.Over:
		a = &arrived{Main: of(figures.KeyCame), Of: b.cameUnit(of(figures.KeyNoShows), of(figures.KeyNoShow))}
		picture := charts.NewBar(b.Text("people.bar_came", words.Int("n", s.Arrived.Value), words.Plain("of", of(figures.KeyExpected))), s.Expected.Value, charts.Piece{Class: "in", N: s.Arrived.Value})
		a.Bar, a.Passed = &picture, b.drawn.passed[s.Event.ID]
		return a
	}
	expected := of(figures.KeyExpected)
	a = &arrived{Main: of(figures.KeyInside), Of: b.Say("people.inside_of", words.Fig("expected", expected))}
	if s.WalkedIn() > 0 {
		a.Of = b.Say("people.inside_walk_ins", words.Fig("walk_ins", of(figures.KeyWalkIns)), words.Fig("expected", expected))
	}
	if s.Out().Value > 0 {
		a.Of = words.Join(" · ", a.Of, b.Say("people.out", words.Fig("n", of(figures.KeyOut))))
	}
	if s.Still.Known() {
		still := of(figures.KeyNotYetIn)
		if s.Phase == evening.Running {
			a.Of = words.Join(" · ", a.Of, b.StillWords(s, still), b.WillCome(s), b.MayEnter(s))
		} else {
			a.Of = words.Join(" · ", a.Of, b.Say("people.to_come", words.Fig("n", still)), b.MayEnter(s), b.AsOfWords(s.AsOf))
		}
	}
	b.inHall(s, a)
	a.Passed = b.drawn.passed[s.Event.ID]
	visitors := s.VisitorsInside()
	label := b.Text("people.bar_inside", words.Int("n", visitors), words.Plain("of", expected))
	a.Bar = b.PeopleBar(s.Event.Hall, label, s.Expected.Value, charts.Piece{Class: "in", N: visitors})
	if s.Phase == evening.Arriving {
		a.Gates = b.gateRates(s)
		if usually, _, ok := b.Evening.UsuallyIn(s, b.At); ok && a.Bar.Label == label { // a bar of its hall has no mark of one performance
			a.Bar.Usual(usually)
			a.Bar.Label += ", " + b.Text("people.bar_usual", words.Int("n", usually))
		}
		if queue := b.queueShort(s); len(queue) > 0 {
			a.Gates = append(a.Gates, charts.Keyed{Text: queue})
		}
	}
	return a
}

// Going returns that the people of a performance that is over are leaving, or that they are inside where it is only due to end.
func (b *Builder) Going(s *evening.Show) sentence {
	if s.DueToEnd() {
		return b.Say("people.unit_inside")
	}
	return b.Say("people.leaving")
}

// gateRates returns the entries a minute at each gate, over the last five minutes.
func (b *Builder) gateRates(s *evening.Show) (all []charts.Keyed) {
	var gates []string
	var known []figures.Figure[int]
	var entries []int
	for i := range s.Gates {
		if in := s.EntriesIn(&s.Gates[i], 5*time.Minute); in.Known() {
			gates, known, entries = append(gates, s.Gates[i].Gate), append(known, in), append(entries, in.Value)
		}
	}
	for i, text := range b.Rates(entries) {
		say, unnamed := "people.gate_of", "people.gate_of_unnamed"
		if i == len(entries)-1 { // the last one has the unit of all
			say, unnamed = "people.gate_rate", "people.gate_rate_unnamed"
		}
		rate := words.Plain("rate", b.Qualified(known[i].Quality, known[i].Reasons, text))
		if gates[i] == "" {
			all = append(all, charts.Keyed{Text: b.Say(unnamed, rate)})
			continue
		}
		all = append(all, charts.Keyed{Text: b.Say(say, words.Name("gate", gates[i]), rate)})
	}
	return all
}

// NetSold returns what was sold of a performance less what was returned, and the message that names it: where more was returned,
// by how many fewer are sold, for no number of places is negative.
func (b *Builder) NetSold(s *evening.Show, k figures.Key, sold, fewer string) (n num, message string) {
	n = b.OfShow(s, k)
	v := catalogue.Define(k).OfShow(s)
	if !v.Known() || v.Count >= 0 || v.Quality == figures.LowerBound { // which would be at most so many fewer
		return n, sold
	}
	n.Text, n.N = b.Qualified(v.Quality, v.Reasons, b.Count(-v.Count)).Text, -v.Count
	return n, fewer
}

// side returns what was sold today, with the amount for those who may see it.
func (b *Builder) side(s *evening.Show) side {
	main, of := b.NetSold(s, figures.KeySoldToday, "sales.today", "sales.today_fewer")
	out := side{Main: main, Text: b.Text(of)}
	if b.Access.SeesToday() && (s.Today.Sold != 0 || len(s.Today.Of(figures.Booked)) > 0) {
		out.Extra = b.OfShow(s, figures.KeyBookedToday).Sentence()
	}
	return out
}

// queueShort is queueText for a row; empty if no queue is worth showing.
func (b *Builder) queueShort(s *evening.Show) sentence {
	q := s.LongestQueue()
	if q == nil || q.Waiting.Value < evening.MinQueueShown {
		return nil
	}
	return b.Say("gates.queue_short", words.Text("gate", b.GateName(q.Gate)), words.Int("n", q.Waiting.Value))
}

func (b *Builder) GateName(gate string) string {
	if gate == "" {
		return b.Text("plot.gate_unnamed")
	}
	return b.Text("plot.gate", words.Name("gate", gate))
}
