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
	pieces := []Piece{{"paid", 80}, {"comp", 0}, {"resv", 23}}
	for n, want := range map[int]string{
		100: "[{paid 80} {comp 0} {resv 20} {over 3}]",
		60:  "[{paid 60} {comp 0} {resv 0} {over 43}]",
		103: "[{paid 80} {comp 0} {resv 23} {over 0}]",
	} {
		if got := fmt.Sprint(Beyond(n, pieces...)); got != want {
			t.Errorf("of what is more than %d: %s, want %s", n, got, want)
		}
	}
	if over := NewBar("x", 100, Beyond(100, pieces...)...); fmt.Sprint(over.Parts) != "[{paid 0.00% 77.67%} {resv 77.67% 19.42%} {over 97.09% 2.91%}]" || over.usual != "" {
		t.Errorf("an oversold bar: %+v", over)
	}
	if b := NewBar("x", 0, Beyond(0, Piece{"paid", -3})...); len(b.Parts) != 0 {
		t.Errorf("an empty bar: %+v", b)
	}
}
