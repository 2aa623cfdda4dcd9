package web

import (
	"testing"

	"housecount/aggregator/figures"
	"housecount/web/words"
)

func TestSums(t *testing.T) {
	for _, test := range []struct {
		amount int64
		code   string
		want   string
	}{{120450, "EUR", "1204.50"}, {-5, "EUR", "-0.05"}, {1200, "JPY", "1200"}, {1234, "BHD", "1.234"},
		{9_007_199_254_740_993, "EUR", "90071992547409.93"}, // no float would keep the last digit
		{5, "<b>", "5"},
	} {
		if got := string(Major(test.amount, test.code)); got != test.want {
			t.Errorf("major(%d, %s) = %q, want %q", test.amount, test.code, got, test.want)
		}
	}
	s := figures.Sums{{Amount: 100, Currency: "EUR"}, {Amount: 200, Currency: "USD"}}
	b := &Builder{Words: words.Of(words.English)}
	if got := b.Sums(s) + b.Sums(nil); got != "€1.00 and $2.000" {
		t.Errorf("sums = %q", got)
	}
	if got := Currencies(s, figures.Sums{{Amount: -1, Currency: "CHF"}}, figures.Sums{{Amount: 7, Currency: "EUR"}}); len(got) != 3 || got[0] != "CHF" {
		t.Errorf("currencies = %q", got)
	}
}

func TestClip(t *testing.T) {
	if got := Clip("abcdef", 4) + Clip("abc", 3); got != "abc…abc" {
		t.Errorf("%q", got)
	}
}
