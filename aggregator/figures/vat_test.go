package figures_test

import (
	"testing"

	"housecount/aggregator/figures"
)

// The rate of a reported amount of VAT is found where the cent leaves no doubt of it, for every usual rate, and not where it does.
func TestGivenRate(t *testing.T) {
	for rate := int64(50); rate <= 2700; rate += 50 {
		for price := int64(300); price < 20000; price += 37 {
			vat := (price*rate + (figures.WholeRate+rate)/2) / (figures.WholeRate + rate)
			if got := figures.GivenRate(price, vat); got != rate {
				t.Fatalf("%d in %d is at %d, found %d", vat, price, rate, got)
			}
		}
	}
	for name, c := range map[string][2]int64{"nothing": {2000, 0}, "a few cents": {50, 4}, "no rate": {2000, 171}, "a cent off": {3250, 269}, "more than the price": {1000, 1100}, "taken back": {-2000, -165}} {
		if got := figures.GivenRate(c[0], c[1]); got != 0 {
			t.Errorf("%s: found %d", name, got)
		}
	}
}

// A source of VAT is read as it was written, and what is none is refused.
func TestVATSourceAsText(t *testing.T) {
	for _, s := range []figures.VATSource{{}, {Basis: figures.VATGiven}, {Basis: figures.VATGiven, Rate: 900}, {Basis: figures.VATByRate}, {Basis: figures.VATByRate, Rate: 2100}, {Basis: figures.VATMissing}} {
		if got, ok := figures.ParseVATSource(s.String()); !ok || got != s {
			t.Errorf("%v as %q is read as %v", s, s.String(), got)
		}
	}
	for _, text := range []string{"given-", "given-0", "given-x", "-1", "10001", "taken", "given-900-"} {
		if got, ok := figures.ParseVATSource(text); ok {
			t.Errorf("%q is %v", text, got)
		}
	}
}
