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
	if got := clip("abcdef", 4) + clip("abc", 3); got != "abc…abc" {
		t.Errorf("%q", got)
	}
}

func TestGatesBeyondTheFifthAreOne(t *testing.T) {
	e := &figures.EventFigures{}
	for i := range 9 {
		e.Gates = append(e.Gates, figures.GateFigures{Gate: string(rune('A' + i)), Entries: 2, Minutes: []figures.MinuteCount{{Minute: 1, Count: 1}, {Minute: int64(2 + i), Count: 1}}})
	}
	gates := gatesOf(e)
	if len(gates) != plotGates+1 || !gates[plotGates].combined || gates[plotGates].Entries != 8 {
		t.Fatalf("%d gates, the last %+v", len(gates), gates[len(gates)-1])
	}
	sum := 0
	for _, m := range gates[plotGates].Minutes {
		sum += m.Count
	}
	if sum != 8 || gates[plotGates].Minutes[0].Count != 4 {
		t.Errorf("minutes %+v", gates[plotGates].Minutes)
	}
	if e.Gates[5].Entries != 2 || len(e.Gates[5].Minutes) != 2 {
		t.Error("the snapshot was changed")
	}
}

func TestBar(t *testing.T) {
	b := NewBar("x", 100, Piece{"paid", 80}, Piece{"comp", 0}, Piece{"resv", 23})
	if len(b.Parts) != 2 || b.Parts[1].X != "77.67%" || b.Mark != "97.09%" {
		t.Errorf("an oversold bar: %+v", b)
	}
	if b := NewBar("x", 0, Piece{"paid", -3}); len(b.Parts) != 0 || b.Mark != "" {
		t.Errorf("an empty bar: %+v", b)
	}
}
