package web

import (
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
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
	if got := figures.Currencies(s, figures.Sums{{Amount: -1, Currency: "CHF"}}, figures.Sums{{Amount: 7, Currency: "EUR"}}); len(got) != 3 || got[0] != "CHF" {
		t.Errorf("currencies = %q", got)
	}
}

// At least nothing, of no currency, is nothing known: no page says "≥ 0". In a currency it is a number.
func TestAtLeastNothing(t *testing.T) {
	b := &Builder{Words: words.Of(words.English), Snapshot: &figures.Snapshot{}}
	open := figures.Figure[figures.Sums]{Quality: figures.LowerBound, Reasons: []figures.Reason{figures.ReasonNoPrice}}
	ofCatalogue := b.Figure(catalogue.Define(figures.KeyBooked), figures.Value{Quality: open.Quality, Reasons: open.Reasons}, "", nil)
	for _, n := range []num{b.AmountOf(&figures.EventFigures{}, open), b.QualifiedSums(open.Quality, open.Reasons, b.HouseSums(nil)), ofCatalogue} {
		if n.Text != dash || n.Why == "" {
			t.Errorf("at least nothing is %q, because %q", n.Text, n.Why)
		}
	}
	if n := b.QualifiedSums(open.Quality, open.Reasons, b.Money(0, "EUR")); n.Text != "≥\u00a0€0.00" || n.Why == "" {
		t.Errorf("at least no euros is %+v", n)
	}
}

func TestClip(t *testing.T) {
	if got := words.Clip("abcdef", 4) + words.Clip("abc", 3); got != "abc…abc" {
		t.Errorf("%q", got)
	}
}
