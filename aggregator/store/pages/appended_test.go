package pages_test

import (
	"slices"
	"strings"
	"testing"

	"housecount/aggregator/store/bodies"
	"housecount/aggregator/store/pages"
)

// appended are versions with consecutive revisions, with bodies of a size.
func appended(from, to int64, size int) (all []pages.Version) {
	for revision := from; revision <= to; revision++ {
		all = append(all, pages.Version{Row: bodies.Row{Revision: revision}, Body: strings.Repeat("b", size)})
	}
	return all
}

// wantTaken fails unless taking up to n versions after a revision gives those revisions; nothing is what is not here.
func wantTaken(t *testing.T, a *pages.Appended, after int64, n int, want ...int64) {
	t.Helper()
	p, ok := a.Take(after, n, pages.Page{})
	var got []int64
	for _, r := range p.Rows {
		got = append(got, r.Revision)
	}
	if ok != (len(want) > 0) || !slices.Equal(got, want) {
		t.Errorf("after %d: %v, %v, want %v", after, got, ok, want)
	}
}

// What was appended is taken once, in order and as many as are wanted, by whoever has all that was before it.
func TestAppendedIsTakenOnce(t *testing.T) {
	var a pages.Appended
	a.In("epoch", "tenure")
	a.Add("epoch", "tenure", appended(5, 8, 1))
	a.Add("epoch", "tenure", appended(9, 9, 1))
	wantTaken(t, &a, 3, 9) // 4 is not here
	wantTaken(t, &a, 4, 2, 5, 6)
	wantTaken(t, &a, 4, 9) // they are gone
	wantTaken(t, &a, 7, 9, 8, 9)
	wantTaken(t, &a, 9, 9)
	a.Add("epoch", "tenure", appended(10, 10, 1))
	wantTaken(t, &a, 10, 9) // it was read from the database
}

// What is before a gap is dropped: somebody else appended what is in it.
func TestAppendedAfterAGap(t *testing.T) {
	var a pages.Appended
	a.In("epoch", "tenure")
	a.Add("epoch", "tenure", appended(1, 2, 1))
	a.Add("epoch", "tenure", appended(5, 6, 1))
	wantTaken(t, &a, 0, 9)
	wantTaken(t, &a, 2, 9)
	wantTaken(t, &a, 4, 9, 5, 6)
}

// In another epoch or tenure the log may have lost what was appended, and what is committed late was for the one before.
func TestAppendedInAnotherEpochOrTenure(t *testing.T) {
	for _, other := range [][2]string{{"epoch", "tenure"}, {"another", "tenure"}, {"epoch", "another"}} {
		var a pages.Appended
		a.In("epoch", "tenure")
		a.Add("epoch", "tenure", appended(1, 2, 1))
		if a.In(other[0], other[1]); other != [2]string{"epoch", "tenure"} {
			wantTaken(t, &a, 0, 9)
			a.Add("epoch", "tenure", appended(3, 3, 1))
			wantTaken(t, &a, 2, 9)
			a.Add(other[0], other[1], appended(3, 3, 1))
			wantTaken(t, &a, 2, 9, 3)
			continue
		}
		wantTaken(t, &a, 0, 9, 1, 2)
	}
}

// More than 8 MB are not held where nobody takes them; what was taken does not count.
func TestAppendedIsBounded(t *testing.T) {
	var a pages.Appended
	a.In("epoch", "tenure")
	a.Add("epoch", "tenure", appended(1, 5, 1<<20))
	wantTaken(t, &a, 0, 9, 1, 2, 3, 4, 5)
	a.Add("epoch", "tenure", appended(6, 10, 1<<20))
	wantTaken(t, &a, 5, 1, 6)
	a.Add("epoch", "tenure", appended(11, 14, 1<<20))
	wantTaken(t, &a, 6, 1, 7)
	a.Add("epoch", "tenure", appended(15, 16, 1<<20))
	wantTaken(t, &a, 7, 9)
	a.Add("epoch", "tenure", appended(17, 17, 1))
	wantTaken(t, &a, 16, 9, 17)
}
