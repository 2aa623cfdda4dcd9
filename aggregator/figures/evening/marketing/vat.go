package marketing

import (
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
)

// VATOf returns the sales of a period by source of VAT: reported VAT first, then by rate, and last the sales
// without known VAT. Their Booked and VAT add up to those of the period. There are none if no VAT is known at all.
func VATOf(v *evening.Evening, p *evening.Period) (all []figures.VATFigures) {
	if !v.Snapshot.Total.Of(figures.VAT).Known() {
		return nil
	}
	rest := p.Of(figures.Booked)
	for i := range p.Days {
		for _, of := range p.Days[i].VATs {
			rest = rest.PlusAll(of.Of(figures.Booked), -1)
			at, found := slices.BinarySearchFunc(all, of.VATSource, func(f figures.VATFigures, s figures.VATSource) int { return f.Compare(s) })
			if !found {
				all = slices.Insert(all, at, figures.VATFigures{VATSource: of.VATSource})
			}
			all[at].Amounts = all[at].Plus(of.Amounts)
		}
	}
	if len(rest) > 0 {
		all = append(all, figures.VATFigures{VATSource: figures.VATSource{Basis: figures.VATMissing}, Amounts: figures.AmountsOf(figures.Booked, rest)})
	}
	return all
}
