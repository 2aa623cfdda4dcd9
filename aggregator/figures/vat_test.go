package figures_test

import (
	"testing"

	"housecount/aggregator/figures"
)

// The rate of a reported amount of VAT is found where the cents leave no doubt of it, for every tenth of a per cent, and never another
// one: a rate of 8.1 % is not taken for 8 % where the price is small.
func TestGivenRate(t *testing.T) {
	for rate := int64(10); rate <= 2700; rate += 10 {
		for price := int64(1); price < 20000; price++ {
			vat := (price*rate + (figures.WholeRate+rate)/2) / (figures.WholeRate + rate)
			if got := figures.GivenRate(price, vat); got != rate && (got != 0 || price > 2500) {
				t.Fatalf("%d in %d is at %d, found %d", vat, price, rate, got)
			}
		}
	}
	for name, c := range map[string][2]int64{"nothing": {2000, 0}, "a few cents": {50, 4}, "8.0 as well as 8.1": {500, 37}, "7.9 to 8.1": {900, 67}, "no rate": {2000, 173}, "a cent off": {3250, 269}, "more than the price": {1000, 1100}, "taken back": {-2000, -165}} {
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
