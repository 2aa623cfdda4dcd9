package money

import (
	"slices"
	"strings"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/marketing"
	"housecount/web/charts"
	"housecount/web/words"
)

// postcodes are the places by postcode area of who bought them: a map of the country of most of them, where its areas are
// known, and the list, which has those of all countries.
type postcodes struct {
	shares
	Map     *charts.Tiles // nil for none
	Country words.Sentence
	Key     charts.Key
}

// openPostcodes is how many rows of the list are not folded; the map is.
const openPostcodes = 7

// homeShares returns the places by where those live who bought them, if that is known of any. Shares are of the places of
// which it is known; the others have none.
func (b builder) homeShares(by figures.Split, homes []figures.TownFigures, m *marketing.Sales, of figures.Scope) shares {
	l := b.newShares(string(by), false, m)
	if len(homes) == 0 || homes[0].Name == "" {
		return shares{ID: l.ID}
	}
	known, most := m.Sold.Value, homes[0].Sold
	if last := homes[len(homes)-1]; last.Name == "" {
		known -= last.Sold
	}
	i, sold, others := 0, 0, 0
	for p := range m.PartsBy(by) {
		if i++; i > mostShares && p.Name != "" {
			sold, others = sold+p.Sold, others+1
			continue
		}
		all := known
		if p.Name == "" {
			all = 0
		}
		b.add(&l, shareRow{Name: b.PartTitle(p.By, p.Name), Outside: p.Name != "", Number: b.OfPart(p, of, figures.KeySold, nil)}, all, most)
	}
	if others > 0 {
		b.add(&l, shareRow{Name: b.Text("marketing.others", words.Int("n", others)), Number: words.Num{Text: b.PartOf(m.Sold, sold).Text, N: sold}}, known, most)
	}
	return l
}

// postcodes returns the places by postcode area.
func (b builder) postcodes(m *marketing.Sales, of figures.Scope) (p postcodes) {
	p.shares = b.homeShares(figures.OfPostcodes, m.Postcodes, m, of)
	grid := gridOfMost(m.Postcodes)
	if grid == nil {
		return p
	}
	for i := range p.Rows { // the map says of which country they are
		p.Rows[i].Name = strings.TrimPrefix(p.Rows[i].Name, grid.Country+" ")
	}
	places, most, there := map[string]int{}, 0, 0
	for _, home := range m.Postcodes {
		if area, ok := areaOn(grid, home.Name); ok {
			places[area] = home.Sold
			most, there = max(most, home.Sold), there+home.Sold
		}
	}
	name := b.Code("country", grid.Country)
	p.Country = b.Say("marketing.map", words.Text("country", name), words.Plain("n", b.PartOf(m.Sold, there)))
	from, classes := charts.Shades(most)
	for i, n := range from {
		p.Key = append(p.Key, charts.Keyed{Class: classes[i], Text: words.Sentence{{Text: b.Count(n) + "+"}}})
	}
	p.Map = &charts.Tiles{Label: b.Text("marketing.map_label", words.Text("country", name)), Cols: grid.Cols, Rows: grid.Rows}
	for _, a := range grid.Areas {
		s := charts.Square{Col: a.Col, Row: a.Row, Name: a.Area}
		if n := places[a.Area]; n > 0 {
			step := len(from) - 1
			for from[step] > n {
				step--
			}
			s.Class, s.Number = classes[step], b.Count(n)
			s.Title = b.Text("marketing.map_square", words.Name("area", b.PartTitle(figures.OfPostcodes, grid.Country+" "+a.Area)), words.Int("n", n))
		}
		p.Map.Squares = append(p.Map.Squares, s)
	}
	return p
}

// gridOfMost returns the grid on which most places are; nil if none is on any.
func gridOfMost(homes []figures.TownFigures) (grid *words.PostcodeGrid) {
	places, most := map[*words.PostcodeGrid]int{}, 0
	for _, home := range homes {
		country, _, _ := strings.Cut(home.Name, " ")
		g := words.GridOf(country)
		if _, ok := areaOn(g, home.Name); !ok {
			continue
		}
		if places[g] += home.Sold; places[g] > most {
			grid, most = g, places[g]
		}
	}
	return grid
}

// areaOn returns the area of a postcode area such as "NL 35" if it is on a grid; a nil grid has none.
func areaOn(g *words.PostcodeGrid, name string) (area string, ok bool) {
	if g == nil {
		return "", false
	}
	country, area, _ := strings.Cut(name, " ")
	return area, country == g.Country && slices.ContainsFunc(g.Areas, func(a words.GridArea) bool { return a.Area == area })
}
