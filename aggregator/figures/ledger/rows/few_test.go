package rows_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"housecount/aggregator/figures/ledger/rows"
)

// Few holds what a slice holds that is changed in the same way.
func TestFew(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var few rows.Few[int]
		var want []int
		for range 20 {
			switch n := 1 + r.IntN(4); r.IntN(5) {
			case 0, 1:
				few.Add(n)
				want = append(want, n)
			case 2, 3:
				few.Remove(n)
				if i := slices.Index(want, n); i >= 0 {
					want = slices.Delete(want, i, i+1)
				}
			case 4:
				want = slices.Repeat([]int{n}, r.IntN(3))
				few.Set(slices.Clone(want))
			}
			if got := few.All(); !slices.Equal(got, want) {
				t.Fatalf("%v, want %v", got, want)
			}
		}
	}
}
