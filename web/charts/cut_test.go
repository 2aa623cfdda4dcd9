package charts

import (
	"encoding/json"
	"testing"
)

// A bar that is cut has a break below its end, which is not in the tooltip; where none is cut there is no series of breaks.
func TestBroken(t *testing.T) {
	points := []Point{{Value: [3]any{0, json.Number("10"), "ten"}}, {Value: [3]any{1, json.Number("100"), "a hundred"}}}
	s, ok := Broken("cut", 50, points)
	if !ok || len(s.Data) != 1 || s.Data[0].Value[0] != 1 || s.Data[0].Value[1] != .88*50.0 || s.Tooltip == nil {
		t.Errorf("a bar that is cut: %t %+v", ok, s)
	}
	if s, ok := Broken("cut", 0, points); ok || len(s.Data) != 0 {
		t.Errorf("an axis that cuts none: %+v", s)
	}
}
