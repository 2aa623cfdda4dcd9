package web

import (
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/web/words"
)

// areas shows what is left of a performance by price area.
type areas struct {
	Text sentence
	Rows []areaRow
}

type areaRow struct {
	Name                           string
	Bar                            Bar
	Free, Capacity, Sold, Reserved num
	Shared                         bool // its places are those of another area, too
}

// areasOf returns the price areas of a performance that is on sale.
func (b *Builder) areasOf(s *evening.Show) (a areas) {
	for _, area := range s.AreasOnSale() {
		of := func(k figures.Key) num { return b.ofArea(s, &area, k) }
		r := areaRow{Name: area.Name, Shared: area.Shared, Free: of(figures.KeyFree), Capacity: of(figures.KeyCapacity), Sold: of(figures.KeySold), Reserved: of(figures.KeyReserved)}
		if area.Sold.Known() {
			r.Bar = NewBar("", max(1, area.Capacity.Value), Piece{"paid", area.Sold.Value}, Piece{"resv", area.Reserved.Value})
		}
		a.Rows = append(a.Rows, r)
	}
	if len(a.Rows) > 0 {
		a.Text = b.Say("areas.text", words.Fig("free", b.OfShow(s, figures.KeyFree)))
	}
	return a
}
