package figures_test

import (
	"testing"

	"housecount/aggregator/figures"
)

// At least none of a capacity says nothing; none of a capacity that is at least so many does, and so does at least one.
func TestOfCapacity(t *testing.T) {
	least := func(n int) figures.Figure[int] {
		return figures.New(n, figures.Caveat{Quality: figures.LowerBound})
	}
	exact := func(n int) figures.Figure[int] { return figures.Figure[int]{Value: n} }
	for _, c := range []struct {
		what        string
		n, capacity figures.Figure[int]
		want        bool
	}{
		{"none of 40", exact(0), exact(40), true},
		{"at least none of 40", least(0), exact(40), false},
		{"at least one of 40", least(1), exact(40), true},
		{"none of at least 40", exact(0), least(40), true},
		{"one of none", exact(1), exact(0), false},
	} {
		if got := figures.OfCapacity(c.n, c.capacity); got.Known() != c.want {
			t.Errorf("%s is %+v, and known is to be %t", c.what, got, c.want)
		}
	}
}
