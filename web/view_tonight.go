package web

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web/words"
)

// tonightPage is last night until the next doors open, and the performances of the evening in the order of time,
// what needs attention above them.
type tonightPage struct {
	Night     night
	Head      Head
	Attention Attention
	Findings  *findings // nil for a role that is not shown them
	Groups    []group
	Sum       sumLine
	Money     eveningMoney
	Coming    coming
}

// Head is a page's title and the view in a sentence or two.
type Head struct {
	Title string
	Name  bool // the title is outside text
	When  sentence
	Text  sentence
	Links []Link
}

// Attention is a list of notices.
type Attention struct{ Notices []Notice }

// group is one of the fragments that the rows are dealt over.
type group struct {
	ID   string
	Many bool // there are so many rows that they are closer together
	Rows []rendered
}

// groups is how many fragments Tonight deals its rows over: up to sixteen performances
// have one each, a hundred share them by seven.
const groups = 16

// groupIDs are their ids.
var groupIDs = func() (ids [groups]string) {
	for i := range ids {
		ids[i] = fmt.Sprintf("shows-%02d", i)
	}
	return ids
}()

// manyShows is the number of performances from which the rows stand closer together.
const manyShows = 6

// eveningMoney is what was booked for the performances of the evening, and per place; empty without access
// to it.
type eveningMoney struct{ Parts []sentence }

// sumLine is the sum of the rows, of other sales, and of both.
type sumLine struct{ Parts []sentence }

// coming is what is on after tonight.
type coming struct {
	Title string
	Shows []Next
}

// Next is a performance to come, in one line.
type Next struct {
	ID          string
	Day, Time   string
	Href, Title string
	Hall        string
	Main        num
	Of          sentence
}

func (b *Builder) tonight() (View, error) {
	shows := b.Evening.Shows
	loudest := map[string]evening.Level{}
	for _, a := range slices.Backward(b.Evening.Alerts) {
		if a.Seen == nil && a.Level != evening.Info && b.Access.SeesAlert(&a) && a.Level.Loudness() < loudest[a.Event].Loudness() {
			loudest[a.Event] = a.Level
		}
	}
	p := tonightPage{Night: b.lastNight(), Attention: b.attention(), Sum: b.sumLine(), Money: b.eveningMoney(), Coming: b.coming(6)}
	p.Head = Head{Title: b.EveningWords(b.Evening.Day), Text: b.lede(), Links: append(b.ToChanges(), b.ExportLink(tonightPath, nil))}
	v := View{Title: b.Text("tonight.title"), Body: tonightBody}
	v.Fragments = append(v.Fragments, Fragment{"night", p.Night.html()}, Fragment{"head", p.Head.HTML()},
		Fragment{"attention", p.Attention.HTML()}, Fragment{"sum", p.Sum.html()}, Fragment{"evening-money", p.Money.html()}, Fragment{"coming", p.Coming.html()})
	if b.Access.Findings {
		p.Findings = b.findings()
		v.Fragments = append(v.Fragments, Fragment{"findings", p.Findings.html()})
	}
	b.drawn = drawnRows{rows: make([]drawnRow, 0, len(shows))}
	size := (len(shows) + groups - 1) / groups
	for i := range groups {
		g := group{ID: groupIDs[i], Many: len(shows) >= manyShows, Rows: make([]rendered, 0, size)}
		for _, s := range shows[min(i*size, len(shows)):min((i+1)*size, len(shows))] {
			row, err := b.drawRow(s, loudest[s.Event.ID])
			if err != nil {
				return View{}, err
			}
			g.Rows = append(g.Rows, row)
		}
		p.Groups = append(p.Groups, g)
		html, err := b.drawGroup(g)
		if err != nil {
			return View{}, err
		}
		v.Fragments = append(v.Fragments, Fragment{g.ID, html})
	}
	return v, nil
}

// EveningWords returns the day of an evening; after midnight, as the night.
func (b *Builder) EveningWords(d figures.Day) string {
	if d == b.Date || d.Add(1) != b.Date {
		return b.DayTitle(string(d), string(b.Today))
	}
	return b.nightWords(d)
}

// nightWords returns the night from a day to the next.
func (b *Builder) nightWords(d figures.Day) string {
	whole := func(d figures.Day) string { return strings.ReplaceAll(b.DayShortOf(d), " ", nbsp) }
	return b.Text("date.night", words.Text("from", whole(d)), words.Text("to", whole(d.Add(1))))
}

// lede returns the evening in a few sentences.
func (b *Builder) lede() sentence {
	h := &b.Evening.House
	var all []sentence
	switch {
	case h.Shows > 0:
		all = append([]sentence{b.canBeSold(h)}, b.people(h)...)
	case len(b.Evening.Shows) > 0:
		all = append([]sentence{b.Say("tonight.nothing_goes_ahead")}, b.people(h)...)
	case !b.ProgrammeKnown():
		all = append(all, b.Say("tonight.not_known"))
	default:
		all = b.nextIs()
	}
	if t := h.Today; b.Access.SeesToday() && b.Access.WholeHouse() && (t.Sold != 0 || len(t.Of(figures.Booked)) > 0) {
		all = append(all, b.bookedToday(t))
	}
	return words.Join(" ", all...)
}

// bookedToday returns what was booked over all performances, and how many of the places are for
// performances that the service does not list.
func (b *Builder) bookedToday(t figures.Flow) sentence {
	amount, places := words.Fig("amount", b.OfEvening(figures.KeyBookedToday)), words.Fig("n", b.OfEvening(figures.KeySoldToday))
	if sold := b.Evening.BookedToday(b.UnattributedDays).Sold; b.Strays.Places > 0 && sold > 0 {
		return b.Say("tonight.booked_unlisted", amount, places, words.Int("unlisted", sold))
	}
	return b.Say("tonight.booked", amount, places)
}

// nextIs names the next performance that goes ahead, and those before it that do not.
func (b *Builder) nextIs() []sentence {
	var off []sentence
	for s := range b.Evening.Next() {
		line := b.NextOf(s)
		title, day := words.Name("title", line.Title), words.Text("day", line.Day)
		switch {
		case s.Phase == evening.Cancelled:
			off = append(off, b.Say("tonight.off_cancelled", title, day))
		case s.Phase == evening.Postponed:
			off = append(off, b.Say("tonight.off_postponed", title, day))
		case line.Time == dash:
			return append([]sentence{b.Say("tonight.next", title, day)}, off...)
		default:
			return append([]sentence{b.Say("tonight.next_at", title, day, words.Text("time", line.Time))}, off...)
		}
	}
	return append([]sentence{b.Say("tonight.nothing_announced")}, off...)
}

// ProgrammeKnown reports whether the service has listed events, or that there are none.
func (b *Builder) ProgrammeKnown() bool {
	return len(b.Events) > 0 || slices.ContainsFunc(b.Health.Streams, func(h figures.StreamHealth) bool {
		return h.Complete && h.Gives(record.KindEvent)
	})
}

// canBeSold returns what is left to be sold, or that nothing is.
func (b *Builder) canBeSold(h *evening.House) sentence {
	switch {
	case h.AllSoldOut():
		return b.Say("tonight.sold_out")
	case h.OnSale == 0 && h.Limitless == 0:
		return b.Say("tonight.sale_over")
	case h.OnSale == 0:
		return b.Say("tonight.no_limit")
	}
	return b.Say("tonight.can_be_sold", words.Fig("n", b.OfEvening(figures.KeyFree)), words.Spelled("shows", h.OnSale))
}

// people returns who is in the building and who is still to come, or when the doors open.
func (b *Builder) people(h *evening.House) []sentence {
	var all []sentence
	if h.Counted > 0 {
		text := b.inBuilding(h.Inside, h.Leaving, b.OfEvening(figures.KeyInside), b.OfEvening(figures.KeyLeaving))
		if h.Arriving > 0 && h.Still.Known() {
			text = words.Join("; ", text, b.HouseStill(h, b.OfEvening(figures.KeyNotYetIn)))
		}
		if h.Running > 0 && h.Latecomers.Known() && h.Latecomers.Value > 0 {
			text = words.Join(", ", text, b.StillWords(evening.Running, b.OfEvening(figures.KeyLatecomers)))
		}
		all = append(append(all, b.End(text)), b.loads()...)
	}
	if len(h.Unscanned) > 0 {
		var names []string
		for _, u := range h.Unscanned {
			names = append(names, cmp.Or(u.Event.Hall, b.TitleOf(u.EventFigures)))
		}
		all = append(all, b.Say("tonight.no_scans", words.Part("halls", b.Names(slices.Compact(names)))))
	}
	if h.Counted == 0 && len(h.Unscanned) == 0 && !h.Doors.IsZero() {
		at := words.Text("time", b.Clock(h.Doors, b.Zone))
		if h.DoorsReported {
			return append(all, b.Say("tonight.first_doors", at))
		}
		return append(all, b.Say("tonight.first_curtain", at))
	}
	return all
}

// shownLoads is how many halls are named, the fullest.
const shownLoads = 3

// loads returns how many people are inside and how many may be: in the whole building, and in the fullest
// halls that are not empty.
func (b *Builder) loads() (all []sentence) {
	var halls []*evening.Load
	for i := range b.Evening.Loads {
		if l := &b.Evening.Loads[i]; l.Hall == "" {
			all = append(all, b.Say("load.building", words.Fig("inside", b.OfEvening(figures.KeyInside)), words.Fig("licensed", b.OfEvening(figures.KeyLicensed)), words.Fig("share", b.OfEvening(figures.KeyLoad))))
		} else if l.Inside.Known() && l.Inside.Value > 0 {
			halls = append(halls, l)
		}
	}
	slices.SortStableFunc(halls, func(a, c *evening.Load) int { return cmp.Compare(c.Share().Value, a.Share().Value) })
	for _, l := range halls[:min(len(halls), shownLoads)] {
		all = append(all, b.Say("load.hall", words.Name("hall", l.Hall), words.Fig("inside", b.ofHall(l, figures.KeyInside)), words.Fig("licensed", b.ofHall(l, figures.KeyLicensed)), words.Fig("share", b.ofHall(l, figures.KeyLoad))))
	}
	return all
}

// HouseStill returns who is still to come; nobody is counted of performances that have not opened their
// doors.
func (b *Builder) HouseStill(h *evening.House, still num) sentence {
	if h.Waiting > 0 {
		return b.Say("people.still_of_open", words.Fig("n", still))
	}
	return b.StillWords(evening.Arriving, still)
}

// inBuilding returns the house count in words, the same on every page.
func (b *Builder) inBuilding(inside, leaving figures.Figure[int], all, some num) sentence {
	n := words.Fig("n", all)
	switch {
	case leaving.Value > 0 && leaving.Value == inside.Value:
		return b.Say("people.inside_all_leaving", n)
	case leaving.Value > 0:
		return b.Say("people.inside_leaving", n, words.Fig("leaving", some))
	}
	return b.Say("people.inside", n)
}

// sumLine returns what was sold today: in the rows, elsewhere, and in all.
func (b *Builder) sumLine() sumLine {
	h := &b.Evening.House
	if len(b.Evening.Shows) == 0 || !b.Total.Of(figures.Booked).Known() {
		return sumLine{}
	}
	part := func(text sentence, of figures.Key) sentence {
		if b.Access.SeesToday() {
			text = words.Join(", ", text, b.strong(b.OfEvening(of)))
		}
		return text
	}
	l := sumLine{[]sentence{part(b.Say("sum.here", words.Fig("n", b.OfEvening(figures.KeySoldHere))), figures.KeyBookedHere)}}
	if h.Others > 0 || h.Elsewhere.Sold != 0 || len(h.Elsewhere.Of(figures.Booked)) > 0 {
		l.Parts = append(l.Parts, part(b.Say("sum.elsewhere", words.Int("shows", h.Others), words.Fig("n", b.OfEvening(figures.KeySoldElsewhere))), figures.KeyBookedElsewhere),
			part(b.Say("sum.all", words.Fig("n", b.OfEvening(figures.KeySoldToday))), figures.KeyBookedToday))
	}
	return l
}

// eveningMoney returns what was booked in all, what a paid ticket cost on average, and what places bring and would bring.
func (b *Builder) eveningMoney() (m eveningMoney) {
	if !b.Access.SeesMoney() || !b.Access.WholeHouse() || b.Evening.House.Shows == 0 {
		return m
	}
	for _, of := range []struct {
		figures.Key
		say string
	}{{figures.KeyBooked, "sum.booked"}, {figures.KeyAveragePrice, "sum.average"}, {figures.KeyRevenuePerPlace, "sum.per_place"}, {figures.KeyUnsoldValue, "sum.unsold"}} {
		if v := catalogue.Define(of.Key).OfEvening(b.Evening); v.Known() && len(v.Amount) > 0 {
			m.Parts = append(m.Parts, b.Say(of.say, words.Fig("amount", b.OfEvening(of.Key))))
		}
	}
	return m
}

// insideOf is inBuilding of one performance, whose people are all on their way out where it is over.
func (b *Builder) insideOf(s *evening.Show, leaving bool) sentence {
	n, out := b.OfShow(s, figures.KeyInside), figures.Figure[int]{}
	if leaving {
		out = s.Inside
	}
	return b.inBuilding(s.Inside, out, n, n)
}

// coming lists the next n performances after tonight.
func (b *Builder) coming(n int) coming {
	out := coming{Title: b.Text("coming.title")}
	for s := range b.Evening.Next() {
		if len(out.Shows) == n {
			break
		}
		out.Shows = append(out.Shows, b.NextOf(s))
	}
	return out
}

// NextOf returns a performance to come in a line.
func (b *Builder) NextOf(s *evening.Show) Next {
	n := Next{ID: "next-" + url.QueryEscape(s.Event.ID), Day: b.DayNear(s.Date, b.DayOf(s.Date)), Time: dash, Href: EventHref(s.Event.ID), Title: b.TitleOf(s.EventFigures), Hall: s.Event.Hall}
	if !s.Event.StartsAt.IsZero() {
		n.Time = b.Clock(s.Event.StartsAt, b.Zone)
	}
	switch {
	case !s.Phase.GoesAhead():
		n.Main = plain(b.Badge(s))
	case s.Event.Unlimited && !s.SoldOut:
		n.Main, n.Of = b.OfShow(s, figures.KeySold), b.Say("places.sold_no_limit")
	case s.Sale == evening.SaleNotOpen:
		n.Main = plain(b.Text("coming.not_on_sale"))
	case s.Sale == evening.SaleOver:
		n.Main, n.Of = b.OfShow(s, figures.KeySold), b.Say("coming.sale_over")
	default:
		var unit string
		n.Main, unit = b.freeWords(s)
		n.Of = sentence{{Text: unit}}
		if o := s.Occupancy(); o.Known() { // next to "Sold out" there is no unit, and the point comes first
			n.Of = words.Join(" · ", n.Of, b.OfShow(s, figures.KeyOccupancy).Sentence())
		}
	}
	if s.Phase.GoesAhead() {
		n.Of = words.Join(" · ", n.Of, b.Oversold(s))
	}
	return n
}
