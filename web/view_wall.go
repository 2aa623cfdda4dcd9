package web

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"housecount/aggregator/figures"
)

// wallPage is for people who walk past: one main number, a second one, what comes next,
// the time, and the age of the figures.
type wallPage struct {
	Top  wallTop
	Main wallMain
	Note *notice // what staff have to see even from afar; nil for nothing
	Next wallNext
}

// wallTop says what the numbers are about.
type wallTop struct {
	Title string
	Name  bool   // the title is outside text
	Size  string // a class for long titles
	Where sentence
}

// wallMain is the two numbers. Idle says that nothing is on: the next performance then
// stands in their place.
type wallMain struct {
	Idle  bool
	Huge  num
	Unit  string
	Size  string // a class by the number of characters
	Under sentence
	Bar   *bar

	Second *wallSecond
	Next   *next
	Away   string // how far off Next is
}

// wallSecond is the second number: the people in the house, or until the doors open
// when they will.
type wallSecond struct {
	People bool
	Main   num
	Under  sentence
	Bar    *bar
	Last   sentence
}

// wallNext is what comes after.
type wallNext struct {
	Shows []wallLine
}

type wallLine struct {
	Title string
	Under sentence
}

func (b *builder) wall() (view, error) {
	tonight := b.Tonight(b.now)
	var p wallPage
	var after []*figures.EventFigures
	if b.params.Get("hall") != "" {
		var shown *figures.EventFigures
		shown, after = b.ofHall(tonight)
		p.Top, p.Main = b.wallShow(shown)
	} else {
		var on []*figures.EventFigures
		for _, e := range tonight {
			if ph := b.phase(e); ph != ended && ph != cancelled {
				on = append(on, e)
			}
		}
		after = on
		switch len(on) {
		case 0:
			if next := b.Next(b.now, 1); len(next) > 0 {
				p.Top, p.Main = b.wallShow(next[0])
			} else {
				p.Top, p.Main = b.wallShow(nil)
			}
		case 1:
			p.Top, p.Main = b.wallShow(on[0])
			after = nil
		default:
			p.Top, p.Main = b.wallHouse(on)
		}
	}
	p.Note = b.wallNote(tonight)
	p.Next = b.wallNext(after, p.Main)
	title := "Wall"
	if b.params.Get("hall") != "" {
		title = "Wall, " + bare(b.params.Get("hall"))
	}
	return view{title: title, data: p, fragments: []fragment{
		{"wall-top", "wall-top", p.Top}, {"wall-main", "wall-main", p.Main},
		{"wall-note", "wall-note", p.Note}, {"wall-next", "wall-next", p.Next},
	}}, nil
}

// wallNote is the loudest notice that is urgent or says that a performance is called off. A
// hall's screen shows those of its hall. Other notices are on Tonight only.
func (b *builder) wallNote(tonight []*figures.EventFigures) *notice {
	for _, n := range b.attention(tonight) {
		if e := n.about; (n.Level == bad || b.phase(e) == cancelled) && (b.params.Get("hall") == "" || e.Event.Hall == b.params.Get("hall")) {
			return &n
		}
	}
	return nil
}

// ofHall is the performance that the hall's screen shows: the one that is on or next
// tonight until its end, otherwise the next on any day; and those of tonight after it.
func (b *builder) ofHall(tonight []*figures.EventFigures) (shown *figures.EventFigures, after []*figures.EventFigures) {
	for _, e := range tonight {
		if ph := b.phase(e); e.Event.Hall != b.params.Get("hall") || ph == ended || ph == cancelled {
			continue
		}
		if shown == nil {
			shown = e
		} else {
			after = append(after, e)
		}
	}
	if shown != nil {
		return shown, after
	}
	for _, e := range b.Next(b.now, len(b.Events)) {
		if e.Event.Hall == b.params.Get("hall") && b.phase(e) != cancelled {
			return e, nil
		}
	}
	return nil, nil
}

// wallShow is one performance, nil when there is none to come.
func (b *builder) wallShow(e *figures.EventFigures) (wallTop, wallMain) {
	if e == nil {
		if hall := b.params.Get("hall"); hall != "" && !slices.ContainsFunc(b.Events, func(e *figures.EventFigures) bool { return e.Event.Hall == hall }) {
			return wallTop{Title: "There is no hall called " + bare(hall), Size: size(hall), Where: say("the halls are ").names(b.halls())}, wallMain{Idle: true}
		}
		if !b.programmeKnown() {
			return wallTop{Title: "Waiting for the service"}, wallMain{Idle: true}
		}
		return wallTop{Title: "Nothing is announced"}, wallMain{Idle: true}
	}
	top := wallTop{Title: title(e), Name: true, Size: size(title(e))}
	if e.Event.Hall != "" {
		top.Where = top.Where.name(e.Event.Hall)
	}
	if b.phase(e) == before && e.Date != b.today {
		n := b.next(e)
		away := ""
		if e.Date > b.today.Add(1) {
			away = countdown(b.now, cmp.Or(e.Event.StartsAt, b.Calendar.Start(e.Date)))
		}
		top = wallTop{Title: "Next"}
		return top, wallMain{Idle: true, Next: &n, Size: size(n.Title), Away: away}
	}
	if !e.Event.StartsAt.IsZero() {
		if len(top.Where) > 0 {
			top.Where = top.Where.text(" · ")
		}
		word := "curtain "
		if b.phase(e) == running {
			word = "since "
		}
		top.Where = top.Where.text(word + clock(e.Event.StartsAt, b.zone))
	}
	m := wallPlaces(e.Occupancy(), e.Sold, e.Capacity, free(e), e.Oversold)
	m.Bar = b.taken(e).Bar
	f := b.flow(e)
	if p := b.phase(e); p == arriving || p == running {
		in, exits := inHouse(e)
		m.Second = b.wallPeople(in, exits, e.Expected, f)
	} else {
		m.Second = b.wallDoors([]*figures.EventFigures{e})
	}
	return top, m
}

// halls are all halls that events name, sorted.
func (b *builder) halls() []string {
	var all []string
	for _, e := range b.Events {
		if e.Event.Hall != "" {
			all = append(all, e.Event.Hall)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// wallDoors says when the first doors open, and how the sale goes until then.
func (b *builder) wallDoors(on []*figures.EventFigures) *wallSecond {
	var first time.Time
	word := "doors open"
	var sold figures.Figure[int]
	for _, e := range on {
		t := cmp.Or(e.Event.DoorsAt, e.Event.StartsAt)
		if !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
			if word = "doors open"; e.Event.DoorsAt.IsZero() {
				word = "curtain"
			}
		}
		sold = plus(sold, b.soldIn(e, time.Hour))
	}
	if first.IsZero() {
		return nil
	}
	w := &wallSecond{Main: plain(clock(first, b.zone)), Under: say(word + " " + countdown(b.now, first))}
	if sold.Known() && sold.Value > 0 {
		w.Last = say("").num(show(sold, count)).text(" sold in the last hour")
	}
	return w
}

// wallPlaces is how full the house is: the occupancy or, where that is not known, the
// places sold, or else those that are left.
func wallPlaces(o figures.Figure[float64], sold, capacity, left figures.Figure[int], oversold int) wallMain {
	var m wallMain
	left.Value = max(0, left.Value)
	leftToo := left.Known() && oversold == 0
	switch {
	case o.Known():
		m.Huge, m.Unit = show(o, wholePercent), "%"
		m.Under = say("").num(show(sold, count)).text(" of " + show(capacity, count).Text + " places sold")
	case leftToo && !sold.Known():
		leftToo = false
		m.Huge, m.Under = show(left, count), say("places free")
	default:
		m.Huge, m.Under = show(sold, count), say("places sold")
	}
	if leftToo {
		m.Under = m.Under.text(" · ").num(show(left, count)).text(" free")
	}
	if oversold > 0 {
		m.Under = m.Under.text(" · ").strong("oversold by " + count(oversold))
	}
	m.Size = "n" + string(rune('0'+min(9, utf8.RuneCountInString(strings.Trim(m.Huge.Text, nbsp+"≈≥")))))
	return m
}

// wallHouse is several performances together.
func (b *builder) wallHouse(on []*figures.EventFigures) (wallTop, wallMain) {
	t := b.total(on)
	top := wallTop{Title: dayWords(b.today, b.today)}
	if n := len(t.halls); n > 1 {
		top.Where = say(spelled(n) + " halls")
	} else {
		top.Where = say(spelled(t.shows) + " " + noun(t.shows, "performance"))
	}
	m := wallPlaces(t.occupancy(), t.sold, t.capacity, t.free, 0)
	if t.occupancy().Known() {
		picture := newBar(count(t.sold.Value)+" of "+count(t.capacity.Value)+" places sold", t.capacity.Value,
			piece{"paid", t.paid}, piece{"comp", t.comp}, piece{"resv", t.reserved})
		m.Bar = &picture
	}
	if t.inShows > 0 {
		f := flow{still: t.still, in5: t.in5, last: t.last, arriving: t.arriving}
		m.Second = b.wallPeople(t.in, t.exits, t.expected, f)
	} else {
		m.Second = b.wallDoors(on)
	}
	return top, m
}

func (b *builder) wallPeople(in figures.Figure[int], exits bool, expected figures.Figure[int], f flow) *wallSecond {
	w := &wallSecond{People: true, Main: show(in, count)}
	if !in.Known() {
		w.Under = say(show(expected, count).Text + " expected, no scan data")
		return w
	}
	word := "people in"
	if !exits {
		word = "have come in"
	}
	w.Under = say(word)
	if f.arriving {
		w.Under = w.Under.text(", ").num(show(f.still, count)).text(" still to come")
	}
	picture := newBar(count(in.Value)+" of "+show(expected, count).Text+" visitors", expected.Value, piece{"in", in.Value})
	picture.Mark = ""
	w.Bar = &picture
	if f.arriving && f.still.Value > 0 && f.in5.Known() {
		w.Last = say(rate(f.in5.Value) + " a minute")
		if !f.last.IsZero() {
			w.Last = w.Last.text(" · last expected ").strong(clock(f.last, b.zone))
		}
	}
	return w
}

// wallNext lists the rest of tonight, or what is coming when there is no rest.
func (b *builder) wallNext(after []*figures.EventFigures, main wallMain) wallNext {
	var w wallNext
	const room = 3
	for _, e := range after {
		if len(w.Shows) < room {
			w.Shows = append(w.Shows, b.wallLine(e))
		}
	}
	for _, e := range b.Next(b.now, len(b.Events)) {
		if len(w.Shows) == room {
			break
		}
		if b.phase(e) == cancelled || b.params.Get("hall") != "" && e.Event.Hall != b.params.Get("hall") || main.Next != nil && main.Next.Href == eventHref(e.Event.ID) {
			continue
		}
		w.Shows = append(w.Shows, b.wallLine(e))
	}
	return w
}

// wallLine is a performance in two short lines.
func (b *builder) wallLine(e *figures.EventFigures) wallLine {
	l := wallLine{Title: title(e)}
	if e.Date != b.today {
		l.Under = l.Under.text(dayShort(e.Date, b.today) + " ")
	}
	if !e.Event.StartsAt.IsZero() {
		l.Under = l.Under.text(clock(e.Event.StartsAt, b.zone) + " ")
	}
	if e.Event.Hall != "" && b.params.Get("hall") == "" {
		l.Under = l.Under.name(e.Event.Hall).text(" ")
	}
	if o := e.Occupancy(); o.Known() {
		l.Under = l.Under.text("· ").mention(num{Text: wholePercent(o.Value) + nbsp + "%"})
	}
	p := b.phase(e)
	if e.Attendance.Known() && (p == arriving || p == running) {
		l.Under = l.Under.text(" · " + show(e.Attendance, count).Text + " came")
	} else if left := free(e); left.Known() && e.Date == b.today && !e.Event.Unlimited {
		left.Value = max(0, left.Value)
		l.Under = l.Under.text(" · " + show(left, count).Text + " free")
	}
	return l
}

// size is a class for titles that need smaller letters.
func size(title string) string {
	switch n := utf8.RuneCountInString(title); {
	case n > 80:
		return "longest"
	case n > 36:
		return "long"
	}
	return ""
}
