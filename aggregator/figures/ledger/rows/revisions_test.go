package rows_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"housecount/aggregator/figures/ledger/rows"
)

// Revisions are the set of what was added, in any order, and say of each range whether one of them is in it.
func TestRevisions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		var revisions rows.Revisions
		want := map[int64]bool{}
		for next := int64(0); len(want) < 20; {
			if next += r.Int64N(300); r.IntN(5) == 0 {
				next = r.Int64N(next + 1)
			}
			if next > 0 {
				revisions.Add(next)
				want[next] = true
			}
		}
		sorted := slices.Sorted(maps.Keys(want))
		if got := revisions.All(); !slices.Equal(got, sorted) || revisions.Last() != sorted[len(sorted)-1] || revisions.Count() < len(sorted) {
			t.Fatalf("%v, the last %d, %d of them; want %v", got, revisions.Last(), revisions.Count(), sorted)
		}
		for range 200 {
			from := r.IntN(len(sorted))
			after, upTo := sorted[from]+r.Int64N(3)-1, sorted[min(len(sorted)-1, from+r.IntN(2))]+r.Int64N(3)-1
			within := slices.ContainsFunc(sorted, func(n int64) bool { return n > after && n <= upTo })
			if got := revisions.Any(after, upTo); got != within {
				t.Fatalf("%v after %d up to %d: %v", sorted, after, upTo, got)
			}
		}
	}
}
