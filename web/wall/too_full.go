package wall

import (
	"strings"

	"housecount/aggregator/figures/evening"
	"housecount/web"
	"housecount/web/charts"
	"housecount/web/words"
)

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
	m.Huge, m.Unit, m.Under, m.Level = b.Number(worst.Inside), "", under, worst.Level()
	m.Size = digits(strings.Trim(m.Huge.Text, words.NBSP+"≈≥≤"), wallDigits)
	picture := charts.NewBar(b.Text("wall.line_inside_hall", words.Plain("n", m.Huge)), worst.Licensed, charts.Piece{Class: "in", N: worst.Inside.Value})
	m.Bar = &picture
}

// whereOf returns the name of a hall, or that it is the building.
func (b builder) whereOf(l *evening.Load) words.Sentence {
	if l.Hall == "" {
		return b.Say("wall.unit_inside")
	}
	return words.NameAlone(l.Hall)
}
