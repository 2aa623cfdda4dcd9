package bodies_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"housecount/aggregator/store/bodies"
)

// No id that came is taken for new, and few new ones for one that came.
func TestIDs(t *testing.T) {
	const n = 1_000_000
	ids := bodies.NewIDs()
	wrong := 0
	for i := range n {
		if ids.Add(fmt.Sprintf("tkt_%08d", i)) {
			wrong++
		}
	}
	if wrong > n/200 {
		t.Errorf("%d of %d new ids are taken for known ones", wrong, n)
	}
	for i := 0; i < n; i += 7 {
		if id := fmt.Sprintf("tkt_%08d", i); !ids.Add(id) {
			t.Fatalf("%s is taken for new", id)
		}
	}
}

// A short list needs no room of 2 MB, and nothing of it is forgotten when it becomes a long one.
func TestFewIDsAreSmall(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ids := bodies.NewIDs()
	for i := range 900 {
		if ids.Add(fmt.Sprint(i)) {
			t.Errorf("%d came before", i)
		}
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 1<<20 {
		t.Errorf("900 ids take %d bytes", after.TotalAlloc-before.TotalAlloc)
	}
	for i := range 1100 {
		if got := ids.Add(fmt.Sprint(i)); !got && i < 900 || got && i >= 900 {
			t.Errorf("%d came before: %t", i, got)
		}
	}
	for i := range 1100 {
		if !ids.Add(fmt.Sprint(i)) {
			t.Errorf("%d is taken for new", i)
		}
	}
}

// Ids are idle ten minutes after many came at once the last time.
func TestIDsAreIdle(t *testing.T) {
	ids, noon := bodies.NewIDs(), time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		minute, n int
		want      bool
	}{{0, 1, false}, {9, 100, false}, {19, 1, false}, {20, 99, true}} {
		now := noon.Add(time.Duration(c.minute) * time.Minute)
		ids.Came(c.n, now)
		if got := ids.Idle(now); got != c.want {
			t.Errorf("%d in minute %d: %v", c.n, c.minute, got)
		}
	}
}
