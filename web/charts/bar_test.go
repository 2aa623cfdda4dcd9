package charts

import "testing"

func TestBar(t *testing.T) {
	b := NewBar("x", 100, Piece{"paid", 80}, Piece{"comp", 0}, Piece{"resv", 23})
	if len(b.Parts) != 2 || b.Parts[1].X != "77.67%" || b.Mark != "97.09%" {
		t.Errorf("an oversold bar: %+v", b)
	}
	if b := NewBar("x", 0, Piece{"paid", -3}); len(b.Parts) != 0 || b.Mark != "" {
		t.Errorf("an empty bar: %+v", b)
	}
}
