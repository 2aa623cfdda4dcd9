package wall

import (
	"strings"

	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/licence"
	"housecount/web"
	"housecount/web/charts"
	"housecount/web/words"
)

// peopleFirst makes the people the main number of a wall while they are counted, and how full the sale is the second. Where a hall
// fills up, it is how many more may enter; where one is too full, those inside.
func (b builder) peopleFirst(m *wallMain, hall string, house bool) {
	s := m.Second
	switch b.tooFull(m, hall, house); {
	case m.People || s == nil || !s.People || s.Main.Text == words.Dash:
		return
	case b.mayEnter(m, hall, house):
		return
	}
	m.Huge.Text += m.Unit
	m.Second = &wallSecond{Main: m.Huge, Facts: append(m.Under[:1:1], factsOf(words.Join(" · ", m.Under[1:]...))...), Bar: m.Bar, Hall: s.Hall, Last: s.Last}
	m.Huge, m.Unit, m.Under, m.Bar, m.Level, m.People = s.Main, "", web.Facts{s.Under}, s.Bar, s.Level, true
	m.Size = digits(strings.Trim(m.Huge.Text, words.NBSP+"≈≥≤"), wallDigits)
}

// mayEnter makes how many more may enter a hall that fills up, or the building, the main number, before those inside; of several places that
// in which the fewest may.
func (b builder) mayEnter(m *wallMain, hall string, house bool) bool {
	of := []string{hall}
	for i := range b.Evening.Loads {
		if house {
			of = append(of, b.Evening.Loads[i].Hall)
		}
	}
	var least *evening.Load
	for _, hall := range of {
		l := licence.FullFirst(b.Evening, hall)
		if l != nil && l.Level() != "" && !l.MayBeFull() && (least == nil || l.Left().Value < least.Left().Value) {
			least = l
		}
	}
	if least == nil || least.Left().Value == 0 {
		return false
	}
	s := *m.Second
	s.Hall = web.HallLoad{}
	m.Second = &s
	place := words.NameAlone(least.Hall)
	if least.Hall == "" {
		place = b.Say("alert.building")
	}
	inside := b.Say("figs.inside_hall", words.Part("hall", place), words.Fig("n", b.Number(least.Inside)), words.Int("licensed", least.Licensed))
	m.Huge, m.Unit, m.Under = b.Number(least.Left()), "", append(factsOf(b.Say("wall.more_may_enter"), b.FullAbout(least)), inside)
	m.Level, m.People = evening.Warn, true // red is for those who are too many
	m.Size = digits(strings.Trim(m.Huge.Text, words.NBSP+"≈≥≤"), wallDigits)
	picture := charts.NewBar(inside.String(), least.Licensed, charts.Beyond(least.Licensed, charts.Piece{Class: "in", N: least.Inside.Value})...)
	m.Bar = &picture
	return true
}

// tooFull makes the people inside the main number where a hall, or the building, holds more than are allowed: on the wall of the
// house those of the place that is fullest, on others those of their hall or of the building. How many places are sold comes
// second, unless the people were second and are of another place.
func (b builder) tooFull(m *wallMain, hall string, house bool) {
	var worst *evening.Load
	for i := range b.Evening.Loads {
		l := &b.Evening.Loads[i]
		if l.Full() && l.TooMany().Value > 0 && (house || l.Hall == "" || l.Hall == hall) && (worst == nil || l.Share().Value > worst.Share().Value) {
			worst = l
		}
	}
	if worst == nil || m.Second == nil || !m.Second.People {
		return
	}
	under := web.Facts{b.Say("places.allowed", words.Int("n", worst.Licensed))}
	if s := m.Second; s.Whole && worst.Hall == "" || worst.Hall != "" && worst.Hall == s.Of {
		m.Huge.Text += m.Unit
		m.Second = &wallSecond{Main: m.Huge, Under: m.Under[0], Last: s.Last}
		if under = append(under, s.Under); s.Whole { // which says how many are allowed
			under = under[1:]
		}
	} else {
		s.Hall = web.HallLoad{}
		under = append(web.Facts{b.whereOf(worst)}, under...)
	}
	m.Huge, m.Unit, m.Under, m.Level, m.People = b.Number(worst.Inside), "", under, worst.Level(), true
	m.Size = digits(strings.Trim(m.Huge.Text, words.NBSP+"≈≥≤"), wallDigits)
	picture := charts.NewBar(b.Text("wall.line_inside_hall", words.Plain("n", m.Huge)), worst.Licensed, charts.Beyond(worst.Licensed, charts.Piece{Class: "in", N: worst.Inside.Value})...)
	m.Bar = &picture
}

// whereOf returns the name of a hall, or that it is the building.
func (b builder) whereOf(l *evening.Load) words.Sentence {
	if l.Hall == "" {
		return b.Say("wall.unit_inside")
	}
	return words.NameAlone(l.Hall)
}
