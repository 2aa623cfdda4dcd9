package charts

import (
	"fmt"
	"testing"
)

func TestBar(t *testing.T) {
	b := NewBar("x", 100, Piece{"paid", 80}, Piece{"comp", 0}, Piece{"resv", 23})
	if len(b.Parts) != 2 || b.Parts[1].X != "77.67%" || b.usual != "" {
		t.Errorf("a bar with more than its whole: %+v", b)
	}
	if over := b.Beyond(100); fmt.Sprint(over.Parts) != "[{paid 0.00% 77.67% 80} {resv 77.67% 19.42% 100} {over 97.09% 2.91% 103}]" || over.usual != "" {
		t.Errorf("an oversold bar: %+v", over)
	}
	if over := b.Beyond(60); fmt.Sprint(over.Parts) != "[{paid 0.00% 58.25% 60} {over 58.25% 41.75% 103}]" {
		t.Errorf("a bar with more than is allowed: %+v", over)
	}
	if all := b.Beyond(103); fmt.Sprint(all) != fmt.Sprint(b) {
		t.Errorf("a bar that is just full: %+v", all)
	}
	if b := NewBar("x", 0, Piece{"paid", -3}); len(b.Parts) != 0 || b.Beyond(0).Parts != nil {
		t.Errorf("an empty bar: %+v", b)
	}
}
