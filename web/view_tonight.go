package web

import (
	"cmp"
	"fmt"
	"slices"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// tonightPage is last night until noon, and the performances of the evening in the order of time,
// what needs attention above them.
type tonightPage struct {
	Night     night
	Head      head
	Attention attention
	Findings  *findings // nil for a role that is not shown them
	Groups    []group
	Sum       sumLine
	Coming    coming
}

// head is a page's title and the view in a sentence or two.
type head struct {
	Title string
	Name  bool // the title is outside text
	When  sentence
	Text  sentence
	Links []link
}

// attention is a list of notices.
type attention struct{ Notices []notice }

// group is one of the fragments that the rows are dealt over.
type group struct {
	ID   string
	Many bool // of so many that they stand closer together
	Rows []rendered
}

// groups is how many fragments Tonight deals its rows over: up to sixteen performances
// have one each, a hundred share them by seven.
const groups = 16

func groupID(i int) string { return fmt.Sprintf("shows-%02d", i) }

// manyShows is the number of performances from which the rows stand closer together.
const manyShows = 6

// sumLine is what the rows come to, what was sold elsewhere, and both together.
type sumLine struct{ Parts []sentence }

// coming is what is on after tonight.
type coming struct {
	Title string
	Shows []next
}

// next is a performance to come, in one line.
type next struct {
	Day, Time   string
	Href, Title string
	Hall        string
	Main        num
	Of          sentence
}

func (b *builder) tonight() (view, error) {
	shows := b.evening.Shows
	loudest := map[string]figures.Level{}
	for _, a := range slices.Backward(b.evening.Alerts) {
		if a.Level.Loudness() < loudest[a.Event].Loudness() {
			loudest[a.Event] = a.Level
		}
	}
	p := tonightPage{Night: b.lastNight(), Attention: attention{append(b.notices(b.evening.Alerts), b.service()...)}, Sum: b.sumLine(), Coming: b.coming(6)}
	p.Head = head{Title: b.eveningWords(b.evening.Day), Text: b.lede()}
	v := view{title: "Tonight", body: tonightBody}
	v.fragments = append(v.fragments, fragment{"night", p.Night.html()}, fragment{"head", p.Head.html()},
		fragment{"attention", p.Attention.html()}, fragment{"sum", p.Sum.html()}, fragment{"coming", p.Coming.html()})
	if b.Access.Findings {
		p.Findings = b.findings()
		v.fragments = append(v.fragments, fragment{"findings", p.Findings.html()})
	}
	b.drawn = drawnRows{day: b.evening.Day, rows: make(map[*figures.EventFigures]drawnRow, len(shows))}
	size := (len(shows) + groups - 1) / groups
	for i := range groups {
		g := group{ID: groupID(i), Many: len(shows) >= manyShows}
		for _, s := range shows[min(i*size, len(shows)):min((i+1)*size, len(shows))] {
			row, err := b.drawRow(s, loudest[s.Event.ID])
			if err != nil {
				return view{}, err
			}
			g.Rows = append(g.Rows, row)
		}
		p.Groups = append(p.Groups, g)
		html, err := b.drawGroup(g)
		if err != nil {
			return view{}, err
		}
		v.fragments = append(v.fragments, fragment{g.ID, html})
	}
	return v, nil
}

// eveningWords is the day of an evening; after midnight it says that it is the night.
func (b *builder) eveningWords(d figures.Day) string {
	if d == b.date || d.Add(1) != b.date {
		return dayWords(d, b.today)
	}
	return b.nightWords(d)
}

// nightWords is the night from a day to the next.
func (b *builder) nightWords(d figures.Day) string {
	return "Night of " + dayShort(d, b.today) + " to " + dayShort(d.Add(1), b.today)
}

// lede is the evening in a few sentences.
func (b *builder) lede() sentence {
	h := &b.evening.House
	var s sentence
	switch {
	case h.Shows > 0:
		s = b.canBeSold(s, h)
		s = b.people(s, h)
	case len(b.evening.Shows) > 0:
		s = b.people(s.text("Nothing goes ahead tonight. "), h)
	case !b.programmeKnown():
		s = s.text("What is on tonight is not known yet: the service has not listed its performances. ")
	default:
		s = b.nextIs(s.text("Nothing is on tonight"))
	}
	if t := h.Today; b.Access.seesToday() && b.Access.wholeHouse() && (t.Sold != 0 || len(t.Of(figures.Booked)) > 0) {
		s = s.num(bookedWords(&b.Total, t, sums)).text(" booked today over all performances, for " + plural(t.Sold, "place") + b.unlistedToday() + ".")
	}
	return s
}

// nextIs names the next performance that goes ahead, and those before it that do not.
func (b *builder) nextIs(s sentence) sentence {
	var off sentence
	for n := range b.evening.Next() {
		line := b.next(n)
		if !n.Phase.GoesAhead() {
			off = off.name(line.Title).text(", " + line.Day + ", is " + n.Phase.String() + ". ")
			continue
		}
		s = s.text(". Next is ").strongName(line.Title).text(", " + line.Day)
		if line.Time != dash {
			s = s.text(" at " + line.Time)
		}
		return append(s.text(". "), off...)
	}
	return append(s.text(", and nothing is announced. "), off...)
}

// unlistedToday says how many of the places sold today are for performances that the service
// does not list.
func (b *builder) unlistedToday() string {
	if sold := b.evening.BookedToday(b.UnattributedDays).Sold; b.Strays.Places > 0 && sold > 0 {
		return ", " + count(sold) + " of them for performances that the service does not list"
	}
	return ""
}

// programmeKnown says that the service has listed events, or that there are none.
func (b *builder) programmeKnown() bool {
	return len(b.Events) > 0 || slices.ContainsFunc(b.Health.Streams, func(h figures.StreamHealth) bool {
		return h.Complete && h.Gives(record.KindEvent)
	})
}

// canBeSold says what is left to be sold, or that nothing is.
func (b *builder) canBeSold(s sentence, h *figures.House) sentence {
	switch {
	case h.AllSoldOut():
		return s.strong("Sold out").text(". ")
	case h.OnSale == 0 && h.Limitless == 0:
		return s.text("The sale is over. ")
	case h.OnSale == 0:
		return s.text("There is no limit of places. ")
	}
	return s.num(show(h.Free, count)).strong(nbsp + noun(h.Free.Value, "place")).text(" can still be sold, for " + spelled(h.OnSale) + " " + noun(h.OnSale, "performance") + ". ")
}

// people says who is in the building and who is still to come, or when the doors open.
func (b *builder) people(s sentence, h *figures.House) sentence {
	if h.Counted > 0 {
		s = append(s, inBuilding(h.Inside, h.Leaving)...)
		if h.Arriving > 0 && h.Still.Known() {
			s = append(s.text("; "), stillWords(figures.Arriving, h.Still)...)
		}
		if h.Running > 0 && h.Latecomers.Known() && h.Latecomers.Value > 0 {
			s = append(s.text(", "), stillWords(figures.Running, h.Latecomers)...)
		}
		s = s.text(". ")
	}
	if len(h.Unscanned) > 0 {
		var names []string
		for _, u := range h.Unscanned {
			names = append(names, cmp.Or(u.Event.Hall, title(u.EventFigures)))
		}
		s = s.text("There is no scan data for ").names(slices.Compact(names)).text(". ")
	}
	if h.Counted == 0 && len(h.Unscanned) == 0 && !h.Doors.IsZero() {
		word := "The first curtain is at "
		if h.DoorsReported {
			word = "The first doors open at "
		}
		s = s.text(word).strong(clock(h.Doors, b.zone)).text(". ")
	}
	return s
}

// inBuilding is the house count in words, the same on every page.
func inBuilding(inside, leaving figures.Figure[int]) sentence {
	s := sentence{}.num(show(inside, count)).strong(" in the building")
	switch {
	case leaving.Value > 0 && leaving.Value == inside.Value:
		s = s.text(", all leaving")
	case leaving.Value > 0:
		s = s.text(", ").mention(show(leaving, count)).text(" leaving")
	}
	return s
}

// sumLine is what was sold today: in the rows, elsewhere, and in all.
func (b *builder) sumLine() sumLine {
	h := &b.evening.House
	if len(b.evening.Shows) == 0 || !b.Total.Of(figures.Booked).Known() {
		return sumLine{}
	}
	part := func(before string, f figures.Flow, after string) sentence {
		s := say(before).strong(count(f.Sold)).text(after)
		if b.Access.seesToday() {
			s = s.text(", ").num(bookedWords(&b.Total, f, b.houseSums))
		}
		return s
	}
	l := sumLine{[]sentence{part("", h.Here, " "+soldWords(h.Here.Sold)+" today")}}
	if h.Others > 0 || h.Elsewhere.Sold != 0 || len(h.Elsewhere.Of(figures.Booked)) > 0 {
		l.Parts = append(l.Parts, part(plural(h.Others, "other performance")+": ", h.Elsewhere, ""), part("in all ", h.Today, ""))
	}
	return l
}

// houseSums is sums for the house: where there is none, zero in its one currency.
func (b *builder) houseSums(s figures.Sums) string {
	if codes := currencies(b.Total.Of(figures.Booked).Value); len(s) == 0 && len(codes) == 1 {
		return money(0, codes[0])
	}
	return sums(s)
}

// coming lists the next n performances after tonight.
func (b *builder) coming(n int) coming {
	out := coming{Title: "Coming up"}
	for s := range b.evening.Next() {
		if len(out.Shows) == n {
			break
		}
		out.Shows = append(out.Shows, b.next(s))
	}
	return out
}

func (b *builder) next(s *figures.Show) next {
	n := next{Day: dayWords(s.Date, b.today), Time: dash, Href: eventHref(s.Event.ID), Title: title(s.EventFigures), Hall: s.Event.Hall}
	switch {
	case b.date != b.today: // two days would be called today
	case s.Date == b.date:
		n.Day = "today"
	case s.Date == b.date.Add(1):
		n.Day = "tomorrow"
	}
	if !s.Event.StartsAt.IsZero() {
		n.Time = clock(s.Event.StartsAt, b.zone)
	}
	sold := show(s.Sold, count)
	switch {
	case s.Phase == figures.Cancelled:
		n.Main = plain("Cancelled")
	case s.Phase == figures.Postponed:
		n.Main = plain("Postponed")
	case s.Event.Unlimited && !s.SoldOut:
		n.Main, n.Of = sold, say("sold, no limit of places")
	case s.Sale == figures.SaleNotOpen:
		n.Main = plain("Not on sale yet")
	case s.Sale == figures.SaleOver:
		n.Main, n.Of = sold, say("sold, the sale is over")
	default:
		var unit string
		n.Main, unit = freeWords(s.Free)
		n.Of = say(unit)
		if o := s.Occupancy(); o.Known() {
			n.Of = n.Of.text(" · ").mention(show(o, percent))
		}
	}
	if s.Oversold > 0 && s.Phase.GoesAhead() {
		n.Of = n.Of.text(" · ").strong("oversold by " + count(s.Oversold))
	}
	return n
}
