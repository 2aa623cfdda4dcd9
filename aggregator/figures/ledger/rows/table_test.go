package rows_test

import (
	"fmt"
	"strings"
	"testing"

	"housecount/aggregator/figures/ledger/rows"
)

// Each id has its own row, which stays where it is however many come, with ids of every length.
func TestTableHasARowForEachID(t *testing.T) {
	for _, reserved := range []int{0, 7, 100_000} {
		var table rows.Table[int]
		if table.Get("a") != nil || table.Len() != 0 {
			t.Fatal("an empty table has a row")
		}
		table.Reserve(reserved)
		ids := []string{"", "a", strings.Repeat("b", 254), strings.Repeat("b", 255), strings.Repeat("c", 256), strings.Repeat("d", 70_000), strings.Repeat("e", 70_000)}
		for i := range 50_000 {
			ids = append(ids, fmt.Sprint("id ", i))
		}
		at := map[string]*int{}
		for i, id := range ids {
			if table.Get(id) != nil {
				t.Fatalf("%.20s has a row before it came", id)
			}
			row := table.Entry(id)
			if held := table.ID(i); held != id || *row != 0 || table.At(i) != row {
				t.Fatalf("%.20s is held as %.20s, with %d", id, held, *row)
			}
			*row, at[id] = i, row
		}
		for i, id := range ids {
			again := table.Entry(id)
			if got := table.Get(id); got != at[id] || again != got || table.ID(i) != id || *got != i {
				t.Fatalf("%.20s: row %p with %d, not %p with %d", id, got, *got, at[id], i)
			}
		}
		n := 0
		for row := range table.All() {
			if *row != n {
				t.Fatalf("row %d is %d", n, *row)
			}
			n++
		}
		for range table.All() {
			n++
			break
		}
		if n != len(ids)+1 || table.Len() != len(ids) {
			t.Errorf("%d rows of %d", n, len(ids))
		}
	}
}

// An id is copied: the table keeps nothing of the text that it is a part of, and takes a row and a few bytes more for each.
func TestTableTakesLittle(t *testing.T) {
	var table rows.Table[[4]int64]
	id := []byte("tkt_000000")
	if n := testing.AllocsPerRun(10_000, func() {
		for i := len(id) - 1; ; i-- {
			if id[i]++; id[i] <= '9' {
				break
			}
			id[i] = '0'
		}
		table.Entry(string(id))
	}); n > 0 { // rounded down
		t.Errorf("%v allocations for a row", n)
	}
}
