package calendar

import "testing"

// The shade follows the number that is shown: what is not full is at most 99.
func TestShades(t *testing.T) {
	for _, c := range []struct {
		share   float64
		percent int
		class   string
	}{{0, 0, "o0"}, {.344, 34, "o0"}, {.345, 35, "o1"}, {.594, 59, "o1"}, {.595, 60, "o2"}, {.794, 79, "o2"}, {.795, 80, "o3"}, {.944, 94, "o3"}, {.945, 95, "o4"}, {.999, 99, "o4"}, {1, 100, "o4"}, {1.06, 106, "o4"}} {
		if got := whole(c.share); got != c.percent || shadeOf(got) != c.class {
			t.Errorf("%v: %d as %s, want %d as %s", c.share, got, shadeOf(got), c.percent, c.class)
		}
	}
}
