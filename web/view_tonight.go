package web

import (
	"fmt"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// tonightPage is the performances of the venue day, what needs attention first.
type tonightPage struct {
	Head      head
	Attention attention
	Findings  *findings // nil for an access without them
	Groups    []group
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
	Rows []row
}

// groups is how many fragments Tonight deals its rows over: up to sixteen performances
// have one each, a hundred share them by seven.
const groups = 16

// manyShows is the number of performances from which the rows stand closer together.
const manyShows = 13

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
	Of          string
}

func (b *builder) tonight() (view, error) {
	events := b.Tonight(b.now)
	notices := b.attention(events)
	loudest := map[*figures.EventFigures]level{}
	for _, n := range slices.Backward(notices) {
		loudest[n.about] = n.Level
	}
	ordered := slices.Clone(events)
	slices.SortStableFunc(ordered, func(x, y *figures.EventFigures) int {
		return b.order(x, loudest[x]) - b.order(y, loudest[y])
	})
	p := tonightPage{Attention: attention{append(notices, b.service()...)}, Coming: b.coming(6)}
	p.Head = head{Title: dayWords(b.today, b.today), Text: b.lede(events, p.Coming.Shows)}
	v := view{title: "Tonight"}
	v.fragments = append(v.fragments, fragment{"head", "head", p.Head}, fragment{"attention", "attention", p.Attention},
		fragment{"coming", "coming", p.Coming})
	if b.Access.Findings {
		p.Findings = b.findings()
		v.fragments = append(v.fragments, fragment{"findings", "findings", p.Findings})
	}
	size := (len(ordered) + groups - 1) / groups
	for i := range groups {
		g := group{ID: fmt.Sprintf("shows-%02d", i), Many: len(ordered) >= manyShows}
		for _, e := range ordered[min(i*size, len(ordered)):min((i+1)*size, len(ordered))] {
			g.Rows = append(g.Rows, b.row(e, loudest[e]))
		}
		p.Groups = append(p.Groups, g)
		v.fragments = append(v.fragments, fragment{g.ID, "shows", g})
	}
	v.data = p
	return v, nil
}

// order ranks performances that need attention first, and those that are over last.
func (b *builder) order(e *figures.EventFigures, loudest level) int {
	if p := b.phase(e); loudest.rank() > warn.rank() && (p == ended || p == cancelled) {
		return 10
	}
	return loudest.rank()
}

// lede is the evening in a few sentences.
func (b *builder) lede(events []*figures.EventFigures, coming []next) sentence {
	t := b.total(events)
	var s sentence
	switch {
	case t.shows > 0:
		s = b.placesSold(s, t)
		s = b.people(s, t)
	case len(events) > 0:
		s = s.text("Nothing goes ahead tonight. ")
	case len(coming) == 0 && !b.programmeKnown():
		s = s.text("What is on tonight is not known yet: the service has not listed its performances. ")
	case len(coming) == 0:
		s = s.text("Nothing is on tonight, and nothing is announced. ")
	default:
		s = s.text("Nothing is on tonight. Next is ").strongName(coming[0].Title).text(", " + coming[0].Day)
		if coming[0].Time != dash {
			s = s.text(" at " + coming[0].Time)
		}
		s = s.text(". ")
	}
	if b.Access.seesToday() {
		sold, booked := b.bookedToday(b.Days)
		if sold != 0 || len(booked) > 0 {
			s = s.num(quality(b.Total.Of(figures.Booked).Quality, b.Total.Of(figures.Booked).Reasons, func() string { return sums(booked) })).text(" booked today over all performances, for " + plural(sold, "place") + b.unlistedToday() + ".")
		}
	}
	return s
}

// unlistedToday says how many of the places sold today are for performances that the service
// does not list.
func (b *builder) unlistedToday() string {
	if sold, _ := b.bookedToday(b.UnattributedDays); b.Strays.Places > 0 && sold > 0 {
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

func (b *builder) placesSold(s sentence, t totals) sentence {
	if !t.sold.Known() && t.free.Known() {
		t.free.Value = max(0, t.free.Value)
		s = s.num(show(t.free, count)).text(" places free in ")
	} else {
		s = s.num(show(t.sold, count))
		if t.capacity.Known() {
			s = s.strong(" of ").num(show(t.capacity, count))
		}
		s = s.text(" places sold in ")
	}
	switch {
	case len(t.halls) == 1:
		s = s.name(t.halls[0])
	case len(t.halls) > 1:
		s = s.text(spelled(len(t.halls)) + " halls")
	default:
		s = s.text(spelled(t.shows) + " " + noun(t.shows, "performance"))
	}
	if o := t.occupancy(); o.Known() {
		s = s.text(", ").mention(show(o, percent))
	}
	return s.text(". ")
}

func (b *builder) people(s sentence, t totals) sentence {
	if t.inShows > 0 {
		s = s.num(show(t.in, count)).strong(nbsp + noun(t.in.Value, "person", "people"))
		switch {
		case !t.exits:
			s = s.text(noun(t.in.Value, " has", " have") + " come in")
		default:
			s = s.text(noun(t.in.Value, " is", " are") + " in the house")
		}
		if t.arriving {
			s = s.text(" and ").mention(show(t.still, count)).text(noun(t.still.Value, " is", " are") + " still to come")
		}
		if t.lastOf != nil {
			s = s.text("; at this rate the last arrive at ").strong(clock(t.last, b.zone))
			s = b.againstCurtain(s, t.last, t.lastOf)
		}
		s = s.text(". ")
	}
	if len(t.unscanned) > 0 {
		s = s.text("There is no scan data for ").names(t.unscanned).text(". ")
	}
	return s
}

// againstCurtain adds how the arrival of the last visitors compares with the curtain of e,
// where its time is known.
func (b *builder) againstCurtain(s sentence, last time.Time, e *figures.EventFigures) sentence {
	if e.Event.StartsAt.IsZero() {
		return s
	}
	s = s.text(", ")
	switch m := minutesBetween(e.Event.StartsAt, last); {
	case m > 0:
		s = s.text(spelled(m) + " " + noun(m, "minute") + " after curtain")
	case m == 0:
		s = s.text("as the curtain goes up")
	default:
		s = s.text(spelled(-m) + " " + noun(-m, "minute") + " before curtain")
	}
	if e.Event.Hall != "" && b.Page != "event" {
		s = s.text(" in ").name(e.Event.Hall)
	}
	return s
}

// coming lists the next n performances after tonight.
func (b *builder) coming(n int) coming {
	out := coming{Title: "Coming up"}
	for _, e := range b.Next(b.now, n) {
		out.Shows = append(out.Shows, b.next(e))
	}
	return out
}

func (b *builder) next(e *figures.EventFigures) next {
	n := next{
		Day: dayWords(e.Date, b.today), Time: dash, Href: eventHref(e.Event.ID), Title: title(e), Hall: e.Event.Hall,
		Main: show(e.Occupancy(), percent), Of: show(e.Sold, count).Text + " sold",
	}
	if e.Date == b.today {
		n.Day = "today"
	} else if e.Date == b.today.Add(1) {
		n.Day = "tomorrow"
	}
	if !e.Event.StartsAt.IsZero() {
		n.Time = clock(e.Event.StartsAt, b.zone)
	}
	if e.Event.Unlimited {
		n.Main = show(e.Sold, count)
		n.Of = "sold, no limit of places"
	}
	if left, only := onlyFree(e); only {
		n.Main, n.Of = show(left, count), "free"
	}
	return n
}
