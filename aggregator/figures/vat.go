package figures

import (
	"cmp"
)

// VATBasis is where an amount of VAT comes from.
type VATBasis uint8

// The bases.
const (
	NoVAT      VATBasis = iota // of places that cost nothing
	VATGiven                   // reported by the service
	VATByRate                  // from a rate that the venue has set
	VATMissing                 // no VAT is known
)

// VATSource is a basis and, for VATByRate, the rate in hundredths of a per cent.
type VATSource struct {
	Basis VATBasis
	Rate  int64
}

func (s VATSource) Compare(o VATSource) int {
	return cmp.Or(cmp.Compare(s.Basis, o.Basis), cmp.Compare(s.Rate, o.Rate))
}

// VATFigures are what was booked from one source of VAT, and the VAT in it.
type VATFigures struct {
	VATSource
	Amounts
}

// Net returns what was booked less the VAT in it.
func (f *VATFigures) Net() Sums { return f.Of(Booked).PlusAll(f.Of(VAT), -1) }

// DayVATFigures are what moved on one day with one source of VAT.
type DayVATFigures struct {
	VATFigures
	Minutes TimedRows // the rows that add up to it
}

// upTo returns the part before a minute.
func (f *DayVATFigures) upTo(minute int64) DayVATFigures {
	rows := f.Minutes.before(minute)
	return DayVATFigures{VATFigures{f.VATSource, rows.flow().Amounts}, rows}
}

// NetOfVAT returns what was booked less the VAT in it.
func (r *Revenue) NetOfVAT() Figure[Sums] {
	booked, vat := r.Of(Booked), r.Of(VAT)
	return New(booked.Value.PlusAll(vat.Value, -1), booked.Caveat().And(vat.Caveat()).OfDifference())
}

// NetOfVAT returns what was booked in the flow less the VAT in it.
func (f Flow) NetOfVAT() Sums { return f.Of(Booked).PlusAll(f.Of(VAT), -1) }
