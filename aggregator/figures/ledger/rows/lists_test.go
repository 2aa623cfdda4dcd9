package rows_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"housecount/aggregator/figures/ledger/rows"
)

// Lists hold what slices hold that are changed in the same way, whatever the others become.
func TestLists(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var lists rows.Lists[int]
	var numbers [500]rows.List
	var want [500][]int
	for n := range 50_000 {
		i := r.IntN(len(want))
		elements := lists.Get(numbers[i])
		switch kind := r.IntN(8); {
		case kind < 4:
			numbers[i] = lists.Add(numbers[i], n)
			elements = lists.Get(numbers[i])
			want[i] = append(want[i], n)
		case kind < 6 && len(elements) > 0:
			at := r.IntN(len(elements))
			elements = slices.Delete(elements, at, at+1)
			want[i] = slices.Delete(want[i], at, at+1)
		case kind == 6:
			want[i] = slices.Repeat([]int{n}, r.IntN(300))
			elements = want[i]
		}
		if numbers[i] = lists.Set(numbers[i], elements); (numbers[i] == 0) != (len(want[i]) == 0) {
			t.Fatalf("list %d of %d elements", numbers[i], len(want[i]))
		}
	}
	for i := range want {
		if got := lists.Get(numbers[i]); !slices.Equal(got, want[i]) {
			t.Fatalf("list %d: %v, want %v", numbers[i], got, want[i])
		}
	}
}

// What a list no longer takes is there for others.
func TestListsUseRoomAgain(t *testing.T) {
	var lists rows.Lists[int]
	var numbers [100]rows.List
	var elements [40]int
	turn := func() {
		for length := range elements {
			for i := range numbers {
				numbers[i] = lists.Set(numbers[i], elements[:length])
			}
		}
	}
	turn()
	turn()
	if made := testing.AllocsPerRun(10, turn); made > 0 {
		t.Errorf("%v allocations for lists for which there was room", made)
	}
}
