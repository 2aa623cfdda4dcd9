package live

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A crowd gives who is in it, each once, in the order of joining, and holds no more places than twice as many and a few.
func TestCrowd(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	var c crowd
	var want, former []*watcher
	for step := range 20_000 {
		switch joins := 1 + step/4000%2*2; { // it grows, then shrinks
		case len(want) > 0 && dice.IntN(4) >= 4-joins:
			i := dice.IntN(len(want))
			former = append(former, want[i])
			c.leave(want[i])
			want = slices.Delete(want, i, i+1)
		case len(want) > 0 && dice.IntN(8) == 0:
			c.join(want[dice.IntN(len(want))]) // it is in
		case len(former) > 0 && dice.IntN(8) == 0:
			gone := former[dice.IntN(len(former))] // it may be in again
			c.leave(gone)
			want = slices.DeleteFunc(want, func(w *watcher) bool { return w == gone })
		default:
			w := new(watcher)
			if n := len(former); n > 0 && dice.IntN(2) == 0 && !slices.Contains(want, former[n-1]) {
				w = former[n-1]
			}
			c.join(w)
			want = append(want, w)
		}
		if got := slices.Collect(c.each); !slices.Equal(got, want) || c.size() != len(want) {
			t.Fatalf("step %d: %d watchers in another order or number than the %d", step, c.size(), len(want))
		}
		if len(c.list) > 2*len(want)+8 {
			t.Fatalf("step %d: %d places for %d", step, len(c.list), len(want))
		}
	}
	if len(want) == 0 || len(former) == 0 {
		t.Error("nobody joined or left")
	}
}
