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
	Note wallNote
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

// when is the day and the time.
func (n next) when() sentence {
	if n.Time == dash {
		return say(n.Day)
	}
	return say(n.Day + ", ").strong(n.Time)
}

// where is the hall, and what is to be had there.
func (n next) where() sentence {
	var s sentence
	if n.Hall != "" {
		s = s.name(n.Hall).text(" · ")
	}
	s = s.num(n.Main)
	if len(n.Of) > 0 {
		s = append(s.text(" "), n.Of...)
	}
	return s
}

// wallNote is what staff have to see even from afar; nil for nothing.
type wallNote struct{ Notice *notice }

// wallNext is what comes after.
type wallNext struct {
	Shows []wallLine
}

type wallLine struct {
	Title string
	Under sentence
}

func (b *builder) wall() (view, error) {
	hall := b.params.Get("hall")
	var shows, on []*figures.Show
	for _, s := range b.evening.Shows {
		if hall != "" && s.Event.Hall != hall {
			continue
		}
		shows = append(shows, s)
		if s.Phase.GoesAhead() && s.Phase != figures.Over {
			on = append(on, s)
		}
	}
	house := b.evening.House
	if hall != "" {
		house = b.evening.HouseOf(shows)
	}
	var p wallPage
	after := on
	switch {
	case len(on) == 1 && house.Leaving.Value == 0, len(on) > 0 && hall != "": // one performance's places, and its people alone
		p.Top, p.Main = b.wallShow(on[0], &house)
		after = on[1:]
	case len(on) > 0, house.Counted > 0:
		p.Top, p.Main = b.wallHouse(&house)
	default:
		p.Top, p.Main = b.wallIdle(hall)
	}
	p.Note = wallNote{b.wallNote(hall)}
	p.Next = b.wallNext(after, p.Main)
	title := "Wall"
	if hall != "" {
		title = "Wall, " + bare(hall)
	}
	return view{title: title, body: wallBody, fragments: []fragment{
		{"wall-top", p.Top.html()}, {"wall-main", p.Main.html()},
		{"wall-note", p.Note.html()}, {"wall-next", p.Next.html()},
	}}, nil
}

// wallNote is the alert that can wait least: what the doors have to act on, or else the loudest
// of those that are urgent or say that a performance is called off, until its time is past.
// A hall's screen shows those of its hall. Others are on Tonight only.
func (b *builder) wallNote(hall string) *notice {
	var first *figures.Alert
	for i := range b.evening.Alerts {
		a := &b.evening.Alerts[i]
		if hall != "" && a.Show().Event.Hall != hall || a.Code == figures.AlertFewLeft || b.offAndPast(a.Show()) {
			continue
		}
		if first == nil || compareForWall(a, first) < 0 {
			first = a
		}
	}
	if first == nil {
		return nil
	}
	return &b.notices([]figures.Alert{*first})[0]
}

// compareForWall orders what the doors have to act on first, and the rest after it, the loudest
// first in both.
func compareForWall(a, b *figures.Alert) int {
	atDoors := func(a *figures.Alert) bool { return a.Code == figures.AlertQuietGate || a.Code == figures.AlertHold }
	switch {
	case atDoors(a) && !atDoors(b):
		return -1
	case atDoors(b) && !atDoors(a):
		return 1
	}
	return cmp.Compare(a.Level.Loudness(), b.Level.Loudness())
}

// offAndPast says that a performance was called off and would be over by now.
func (b *builder) offAndPast(s *figures.Show) bool {
	end := s.Hours().End
	return !s.Phase.GoesAhead() && !end.IsZero() && !b.now.Before(end)
}

// wallIdle is for when nothing is on: the next performance that goes ahead stands in its place.
func (b *builder) wallIdle(hall string) (wallTop, wallMain) {
	for s := range b.evening.Next() {
		if !s.Phase.GoesAhead() || hall != "" && s.Event.Hall != hall {
			continue
		}
		n := b.next(s)
		away := ""
		if s.Date > b.date.Add(1) {
			away = countdown(b.now, cmp.Or(s.Event.StartsAt, b.Calendar.Start(s.Date)))
		}
		return wallTop{Title: "Next"}, wallMain{Idle: true, Next: &n, Size: size(n.Title), Away: away}
	}
	switch {
	case hall != "" && !slices.Contains(b.halls(), hall):
		return wallTop{Title: "There is no hall called " + bare(hall), Size: size(hall), Where: say("the halls are ").names(b.halls())}, wallMain{Idle: true}
	case !b.programmeKnown():
		return wallTop{Title: "Waiting for the service"}, wallMain{Idle: true}
	}
	return wallTop{Title: "Nothing is announced"}, wallMain{Idle: true}
}

// wallShow is one performance that is on or next, with the people that the screen is about.
func (b *builder) wallShow(s *figures.Show, house *figures.House) (wallTop, wallMain) {
	top := wallTop{Title: title(s.EventFigures), Name: true, Size: size(title(s.EventFigures))}
	if s.Event.Hall != "" {
		top.Where = top.Where.name(s.Event.Hall)
	}
	if !s.Event.StartsAt.IsZero() {
		if len(top.Where) > 0 {
			top.Where = top.Where.text(" · ")
		}
		word := "curtain "
		if s.Phase == figures.Running {
			word = "since "
		}
		top.Where = top.Where.text(word + clock(s.Event.StartsAt, b.zone))
	}
	m := wallPlaces(s.Occupancy(), s.Sold, s.Capacity, s.Free, s.Sale == figures.SaleOpen && !s.Event.Unlimited, s.Oversold)
	m.Bar = b.taken(s).Bar
	if m.Second = b.wallPeople(house, b.verdict(s)); m.Second == nil {
		doors, reported := s.Hours().Opening()
		m.Second = b.wallDoors(doors, reported, s.SoldIn(time.Hour))
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

// wallDoors says when the first doors open or, where that is not reported, the curtain, and how
// the sale goes until then; nil where there is no time.
func (b *builder) wallDoors(at time.Time, reported bool, sold figures.Figure[int]) *wallSecond {
	if at.IsZero() {
		return nil
	}
	word := "curtain "
	if reported {
		word = "doors open "
	}
	w := &wallSecond{Main: plain(clock(at, b.zone)), Under: say(word + countdown(b.now, at))}
	if sold.Known() && sold.Value > 0 {
		w.Last = say("").strong(show(sold, count).Text).text(" sold in the last hour")
	}
	return w
}

// wallPlaces is how full the house is: the occupancy or, where that is not known, the
// places sold, or else those that are left; and while the sale is on, what is left.
func wallPlaces(o figures.Figure[float64], sold, capacity, left figures.Figure[int], onSale bool, oversold int) wallMain {
	var m wallMain
	leftToo := onSale && left.Known() && oversold == 0
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
		main, unit := freeWords(left)
		if m.Under = m.Under.text(" · ").num(main); unit != "" {
			m.Under = m.Under.text(" " + unit)
		}
	}
	if oversold > 0 {
		m.Under = m.Under.text(" · ").strong("oversold by " + count(oversold))
	}
	m.Size = "n" + string(rune('0'+min(9, utf8.RuneCountInString(strings.Trim(m.Huge.Text, nbsp+"≈≥≤")))))
	return m
}

// wallHouse is several performances together, or the people of those that are over.
func (b *builder) wallHouse(h *figures.House) (wallTop, wallMain) {
	top := wallTop{Title: b.eveningWords(b.evening.Day)}
	if n := len(h.Halls); n > 1 {
		top.Where = say(spelled(n) + " halls")
	} else {
		top.Where = say(spelled(h.Shows) + " " + noun(h.Shows, "performance"))
	}
	m := wallPlaces(h.Occupancy(), h.Sold, h.Capacity, h.Free, h.OnSale > 0 || h.AllSoldOut(), 0)
	if h.Occupancy().Known() {
		picture := newBar(count(h.Sold.Value)+" of "+count(h.Capacity.Value)+" places sold", h.Capacity.Value,
			piece{"paid", h.Paid.Value}, piece{"comp", h.Complimentary.Value}, piece{"resv", h.Reserved.Value})
		m.Bar = &picture
	}
	if m.Second = b.wallPeople(h, nil); m.Second == nil {
		m.Second = b.wallDoors(h.Doors, h.DoorsReported, h.SoldLastHour)
	}
	return top, m
}

// wallPeople is who is in the building and who is still to come; nil while no doors are open and
// nobody is leaving.
func (b *builder) wallPeople(h *figures.House, verdict sentence) *wallSecond {
	if h.Counted == 0 && len(h.Unscanned) == 0 {
		return nil
	}
	w := &wallSecond{People: true, Main: show(h.Inside, count), Last: verdict}
	if h.Counted == 0 {
		w.Under = say("no scan data")
		return w
	}
	w.Under = inBuilding(h.Inside, h.Leaving)[1:]
	if h.Arriving > 0 && h.Still.Known() {
		w.Under = append(w.Under.text(", "), stillWords(figures.Arriving, h.Still)...)
	}
	if h.Running > 0 && h.Latecomers.Known() && h.Latecomers.Value > 0 {
		w.Under = append(w.Under.text(", "), stillWords(figures.Running, h.Latecomers)...)
	}
	if h.Expected.Value > 0 { // those who are leaving are not among the expected
		here := figures.Minus(h.Inside, h.Leaving)
		picture := newBar(count(here.Value)+" of "+show(h.Expected, count).Text+" visitors", h.Expected.Value, piece{"in", here.Value})
		picture.Mark = ""
		w.Bar = &picture
	}
	return w
}

// wallNext lists the rest of tonight, or what is coming when there is no rest.
func (b *builder) wallNext(after []*figures.Show, main wallMain) wallNext {
	var w wallNext
	const room = 3
	for _, s := range after {
		if len(w.Shows) < room {
			w.Shows = append(w.Shows, b.wallLine(s))
		}
	}
	hall := b.params.Get("hall")
	for s := range b.evening.Next() {
		if len(w.Shows) == room {
			break
		}
		if hall != "" && s.Event.Hall != hall || main.Next != nil && main.Next.Href == eventHref(s.Event.ID) {
			continue
		}
		w.Shows = append(w.Shows, b.wallLine(s))
	}
	return w
}

// wallLine is a performance in two short lines.
func (b *builder) wallLine(s *figures.Show) wallLine {
	l := wallLine{Title: title(s.EventFigures)}
	if s.Date != b.evening.Day {
		l.Under = l.Under.text(dayShort(s.Date, b.today) + " ")
	}
	if !s.Event.StartsAt.IsZero() {
		l.Under = l.Under.text(clock(s.Event.StartsAt, b.zone) + " ")
	}
	if s.Event.Hall != "" && b.params.Get("hall") == "" {
		l.Under = l.Under.name(s.Event.Hall).text(" ")
	}
	if !s.Phase.GoesAhead() {
		return wallLine{l.Title, l.Under.text("· ").strong(badge(s))}
	}
	if o := s.Occupancy(); o.Known() {
		l.Under = l.Under.text("· ").mention(num{Text: wholePercent(o.Value) + nbsp + "%"})
	}
	switch {
	case s.Phase.Open() && s.Inside.Known():
		l.Under = l.Under.text(nbsp + "· " + show(s.Inside, count).Text + " in the building")
	case s.Sale == figures.SaleOpen && s.Free.Known() && !s.Event.Unlimited:
		main, unit := freeWords(s.Free)
		l.Under = l.Under.text(strings.TrimRight(nbsp+"· "+main.Text+" "+unit, " "))
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
