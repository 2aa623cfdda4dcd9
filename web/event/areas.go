package event

import (
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/web"
	"housecount/web/words"
)

// areas shows what is left of a performance by price area.
type areas struct {
	Text words.Sentence
	Rows []areaRow
}

type areaRow struct {
	Name                           string
	Bar                            web.Bar
	Free, Capacity, Sold, Reserved words.Num
	Shared                         bool // its places are those of another area, too
}

// areasOf returns the price areas of a performance that is on sale.
func (b builder) areasOf(s *evening.Show) (a areas) {
	for _, area := range s.AreasOnSale() {
		of := func(k figures.Key) words.Num { return b.OfArea(s, &area, k) }
		r := areaRow{Name: area.Name, Shared: area.Shared, Free: of(figures.KeyFree), Capacity: of(figures.KeyCapacity), Sold: of(figures.KeySold), Reserved: of(figures.KeyReserved)}
		if area.Sold.Known() {
			r.Bar = web.NewBar("", max(1, area.Capacity.Value), web.Piece{Class: "paid", N: area.Sold.Value}, web.Piece{Class: "resv", N: area.Reserved.Value})
		}
		a.Rows = append(a.Rows, r)
	}
	if len(a.Rows) > 0 {
		a.Text = b.Say("areas.text", words.Fig("free", b.OfShow(s, figures.KeyFree)))
	}
	return a
}
