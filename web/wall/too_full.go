package wall

import (
	"slices"
	"strings"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/licence"
	"housecount/web"
	"housecount/web/charts"
	"housecount/web/words"
)

// peopleFirst makes the people inside the main number of a wall while they are counted: they stay it all evening. How full the sale is
// comes second or, while a place fills up or holds too many, how many more may enter there.
func (b builder) peopleFirst(m *wallMain, hall string, house bool) {
	s := m.Second
	if s == nil || !s.People || s.Main.Text == words.Dash {
		return
	}
	sale, places := m.Under, m.Under[0]
	if m.Begun {
		places = words.Join(" ", words.Sentence{{Num: new(m.Huge), Strong: true}}, places)
	}
	m.Huge.Text += m.Unit
	m.Second = &wallSecond{Main: m.Huge, Facts: append(sale[:1:1], factsOf(words.Join(" · ", sale[1:]...))...), Bar: m.Bar, Hall: s.Hall, Last: s.Last}
	m.Huge, m.Unit, m.Bar, m.Level, m.People = s.Main, "", s.Bar, s.Level, true
	m.Size = digits(strings.Trim(m.Huge.Text, words.NBSP+"≈≥≤"), wallDigits)
	l := b.limiting(hall, house)
	if l == nil {
		m.Under = web.Facts{words.Join(", ", s.Under, s.Enter)}
		if back := b.intervalEnds(hall, house); back != nil {
			back.Hall, back.Last, m.Second = m.Second.Hall, m.Second.Last, back
		}
		return
	}
	own := l.Hall == "" && s.Whole || l.Hall != "" && l.Hall == s.Of
	m.Under, m.Second = web.Facts{s.Under}, b.mayEnter(l, own, places, s.Last)
	if own {
		m.Level, m.Bar = m.Second.Level, b.barIn(l)
	}
	if own && !s.Whole { // of the building it is said
		m.Under = web.Facts{words.Join(", ", s.Unit, b.Say("places.allowed", words.Int("n", l.Licensed)), s.Rest)}
	}
}

// intervalEnds returns when the first interval ends that a performance of the wall is in, with its hall on the wall of the house: whoever
// works in the foyers acts on it. It is nil where there is none.
func (b builder) intervalEnds(hall string, house bool) (w *wallSecond) {
	var first time.Time
	for _, s := range b.Evening.Shows {
		back, ok := s.InInterval(b.Now)
		if !ok || !house && s.Event.Hall != hall || w != nil && !back.Before(first) {
			continue
		}
		first = back
		w = &wallSecond{Main: words.Num{Text: b.Clock(back, b.Zone)}, Facts: web.Facts{b.Say("wall.interval_countdown", words.Text("countdown", b.Countdown(b.Now, back)))}}
		if house {
			w.Facts = append(w.Facts, factsOf(words.NameAlone(s.Event.Hall))...)
		}
	}
	return w
}

// limiting returns the hall, or the building, that holds too many or, where none does, that fills up: of several the fullest, or the one
// that the fewest more may enter. The wall of the house is about all, others about their hall and the building; nil for none.
func (b builder) limiting(hall string, house bool) (worst *evening.Load) {
	var least *evening.Load
	for i := range b.Evening.Loads {
		l := &b.Evening.Loads[i]
		if !house && l.Hall != "" && l.Hall != hall {
			continue
		}
		if l.TooFull() && (worst == nil || l.Share().Value > worst.Share().Value) {
			worst = l
		}
		of := l.Hall
		if !house {
			of = hall
		}
		if f := licence.FullFirst(b.Evening, of); f != nil && (f.Level() != "" || house && (f.Near() || b.mayRefill(f))) && !f.MayBeFull() && (least == nil || f.Left().Value < least.Left().Value) {
			least = f
		}
	}
	if worst != nil {
		return worst
	}
	return least
}

// mayRefill reports whether more are sold of what runs in a hall than are allowed in it: it may have been full, and those who went out may
// fill it again until it ends.
func (b builder) mayRefill(l *evening.Load) bool {
	return slices.ContainsFunc(b.Evening.Shows, func(s *evening.Show) bool {
		_, over := b.Evening.OverLicensedBy(s.EventFigures)
		return over && s.Phase == evening.Running && s.Event.Hall == l.Hall && s.Out().Value > 0
	})
}

// mayEnter is how many more may enter a place and about when it is full, or how many too many are in it; of another place than the main
// number is of, also how many are inside, and else how many places are sold. The verdict stands below.
func (b builder) mayEnter(l *evening.Load, own bool, sale, verdict words.Sentence) *wallSecond {
	w := &wallSecond{People: true, Level: l.Level(), Main: b.Number(l.Left()), Facts: web.Facts{b.Say("wall.more_may_enter")}, Last: verdict}
	switch {
	case l.Full():
		w.Main = b.Number(figures.Figure[int]{})
	case l.Level() == "": // it only empties, and nobody is asked in
		w.Main, w.Facts = b.Number(l.Inside), nil
	}
	if l.TooFull() {
		w.Excess, w.Main, w.Facts = true, b.Number(l.TooMany()), web.Facts{b.Say("wall.too_many")}
		if len(verdict) > 0 {
			w.Last = b.Say("verdict.nobody_in") // the number stands above it
		}
	}
	w.Facts = append(w.Facts, factsOf(b.FullAbout(l))...)
	if own {
		w.Facts = append(w.Facts, sale)
		return w
	}
	w.Facts, w.Bar = append(w.Facts, b.insideOf(l)), b.barIn(l)
	return w
}

// insideOf returns how many are in a place, and how many are allowed.
func (b builder) insideOf(l *evening.Load) words.Sentence {
	place := words.NameAlone(l.Hall)
	if l.Hall == "" {
		place = b.Say("alert.building")
	}
	return b.Say("figs.inside_hall", words.Part("hall", place), words.Fig("n", b.Number(l.Inside)), words.Int("licensed", l.Licensed))
}

// barIn draws the people in a place on a scale of as many as are allowed.
func (b builder) barIn(l *evening.Load) *charts.Bar {
	return new(charts.NewBar(b.insideOf(l).String(), l.Licensed, charts.Beyond(l.Licensed, charts.Piece{Class: "in", N: l.Inside.Value})...))
}

// begun puts the number sold in the place of how full the house is: where it has begun that hardly changes, and what is oversold in
// one hall is no place in another.
func (b builder) begun(m *wallMain, sold, capacity figures.Figure[int]) {
	if m.Unit == "" {
		return // the number is one already
	}
	m.Huge, m.Unit, m.Begun = b.Number(sold), "", true
	m.Under[0] = b.Say("places.unit_sold")
	if capacity.Known() {
		m.Under[0] = b.Say("places.unit_sold_of", words.Plain("capacity", b.Number(capacity)))
	}
	m.Size = digits(strings.Trim(m.Huge.Text, words.NBSP+"≈≥≤"), wallDigits)
}

// outOf returns how many of those who came to what runs in a hall have gone out, as in the interval; 0 for the whole house, in whose
// foyers they are, and where it is not known.
func (b builder) outOf(hall string) (n int) {
	for _, s := range b.Evening.Shows {
		if hall != "" && s.Event.Hall == hall && s.Phase == evening.Running {
			n += s.Out().Value
		}
	}
	return n
}
