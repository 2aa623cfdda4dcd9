package figures

import (
	"cmp"
	"strconv"
	"strings"
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

// VATSource is a basis and a rate in hundredths of a per cent: for VATByRate the one that is set, for VATGiven the one that
// GivenRate finds, 0 for none.
type VATSource struct {
	Basis VATBasis
	Rate  int64
}

func (s VATSource) Compare(o VATSource) int {
	return cmp.Or(cmp.Compare(s.Basis, o.Basis), cmp.Compare(s.Rate, o.Rate))
}

// The texts of sources besides a rate.
const (
	vatGiven   = "given"
	vatMissing = "missing"
)

// String returns a source as a parameter: "given", "given-900", "missing" or "900"; empty for none. ParseVATSource is its inverse.
func (s VATSource) String() string {
	rate := strconv.FormatInt(s.Rate, 10)
	switch {
	case s.Basis == VATGiven && s.Rate > 0:
		return vatGiven + "-" + rate
	case s.Basis == VATGiven:
		return vatGiven
	case s.Basis == VATByRate:
		return rate
	case s.Basis == VATMissing:
		return vatMissing
	}
	return ""
}

// ParseVATSource reads a source; ok is false if the text is none.
func ParseVATSource(text string) (s VATSource, ok bool) {
	rest, given := strings.CutPrefix(text, vatGiven+"-")
	switch text {
	case "":
		return s, true
	case vatGiven:
		return VATSource{Basis: VATGiven}, true
	case vatMissing:
		return VATSource{Basis: VATMissing}, true
	}
	rate, err := strconv.ParseInt(rest, 10, 64)
	s = VATSource{Basis: VATByRate, Rate: rate}
	if given {
		s.Basis = VATGiven
	}
	return s, err == nil && rate >= 0 && rate <= WholeRate && (rate > 0 || !given)
}

// rateStep is a tenth of a per cent: no rate in use is finer than that, and many are not whole (8.1 and 2.6 in Switzerland, 2.1 in France).
const rateStep = 10

// GivenRate returns the rate by which a reported amount of VAT is contained in a price, in hundredths of a per cent: the only tenth of a
// per cent that gives it to the cent. It is 0 where none does, and where several do because the price is too small to tell.
func GivenRate(price, vat int64) int64 {
	net := price - vat
	if vat <= 0 || net < vat {
		return 0
	}
	below := WholeRate * vat / net / rateStep * rateStep
	found := int64(0)
	for rate := below - rateStep; rate <= below+2*rateStep; rate += rateStep { // those that give it are next to each other, around the exact one
		if whole := WholeRate + rate; (price*rate+whole/2)/whole != vat {
			continue
		} else if found > 0 {
			return 0
		}
		found = rate
	}
	return found
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
