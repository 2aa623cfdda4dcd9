package charts_test

import (
	"strings"
	"testing"

	"housecount/web/charts"
)

// Numbers below 0 hang from the foot of the others, in the same scale, and none is drawn where there are none.
func TestSparkDrawsWhatCameBack(t *testing.T) {
	s := charts.NewSpark("", []int{10, -10, 0, 5})
	if s.Closed != "M0.0 50v-50h18.0v50z" || s.Back != "M25.0 50v50h18.0v-50z" || s.Open != "M75.0 50v-25h18.0v25z" {
		t.Errorf("%q, %q, %q", s.Closed, s.Back, s.Open)
	}
	if s := charts.NewSpark("", []int{10, 0, 5}); s.Back != "" || !strings.HasPrefix(s.Closed, "M0.0 100v-100") {
		t.Errorf("%q, %q", s.Closed, s.Back)
	}
}
