package bodies_test

import (
	"fmt"
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

// Ids are idle ten minutes after many came at once the last time.
func TestIDsAreIdle(t *testing.T) {
	ids, noon := bodies.NewIDs(), time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		minute, n int
		want      bool
	}{{0, 1, false}, {9, 100, false}, {19, 1, false}, {20, 99, true}} {
		if got := ids.Idle(c.n, noon.Add(time.Duration(c.minute)*time.Minute)); got != c.want {
			t.Errorf("%d in minute %d: %v", c.n, c.minute, got)
		}
	}
}
