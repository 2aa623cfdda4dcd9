package sums

import (
	"slices"

	"housecount/aggregator/figures"
)

// VATMoved is a movement of money with one source of VAT.
type VATMoved struct {
	figures.VATSource
	Booked, VAT Amount
}

// VATOf are the amounts with one source of VAT.
type VATOf struct {
	figures.VATSource
	Amounts
}

func (of *VATOf) Move(m VATMoved) {
	of.Add(m.Booked)
	of.Add(m.VAT)
}

func (of *VATOf) Figures(n *Names) figures.VATFigures {
	return figures.VATFigures{VATSource: of.VATSource, Amounts: of.Publish(n)}
}

// dayVAT is what moved on one day with one source of VAT.
type dayVAT struct {
	VATOf
	minutes TimedSums
}

// vat returns a day's movements with one source of VAT, for changing. Sales without known VAT are not stored: they
// are the rest of the day.
func (r *dayRow) vat(s figures.VATSource) *dayVAT {
	i := slices.IndexFunc(r.vats, func(of dayVAT) bool { return of.VATSource == s })
	if i < 0 {
		i = len(r.vats)
		r.vats = append(r.vats, dayVAT{VATOf: VATOf{VATSource: s}})
	}
	return &r.vats[i]
}

func (r *dayRow) moveVAT(m VATMoved, at figures.Stamp, names *Names) {
	if m.Basis == figures.NoVAT || m.Basis == figures.VATMissing {
		return
	}
	of := r.vat(m.VATSource)
	of.Move(m)
	of.minutes.move(Movement{Money: Money{m.Booked, m.VAT}}, at, names)
}

// vatFigures returns the day's sales by source of VAT, without those that add up to nothing.
func (r *dayRow) vatFigures(n *Names) (all []figures.DayVATFigures) {
	for i := range r.vats {
		of := &r.vats[i]
		if rows := of.minutes.publish(); !rows.Empty() {
			all = append(all, figures.DayVATFigures{VATFigures: of.Figures(n), Minutes: rows})
		}
	}
	slices.SortFunc(all, func(a, b figures.DayVATFigures) int { return a.Compare(b.VATSource) })
	return all
}
