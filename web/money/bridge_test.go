package money

import (
	"strconv"
	"testing"
)

// TestBridgeBars checks that each bar begins where the one before ended, that small steps can be seen beside large sums,
// and that sums below zero have no bars.
func TestBridgeBars(t *testing.T) {
	edges := func(of []move) (all [][2]float64) {
		for _, b := range bridgeBars(of) {
			var first, end float64 = -1, 0
			for _, p := range b.Parts {
				x, width := percent(t, p.X), percent(t, p.Width)
				if p.Class == "void" {
					continue
				}
				if first < 0 {
					first = x
				}
				end = x + width
			}
			all = append(all, [2]float64{first, end})
		}
		return all
	}
	for name, moves := range map[string][]move{
		"steps as large as the sums": {{"", 1000}, {"+", 500}, {"−", 900}, {"+", 100}, {"=", 700}},
		"small steps":                {{"", 32036354}, {"+", 1510885}, {"−", 802322}, {"+", 157688}, {"=", 32902605}},
	} {
		got := edges(moves)
		near := func(what string, a, b float64) {
			if a-b > 1 || b-a > 1 {
				t.Errorf("%s: %s: %.1f and %.1f %%", name, what, a, b)
			}
		}
		near("a sum begins at the left", got[0][0], 0)
		near("added where the sum ends", got[1][0], got[0][1])
		near("taken off from there", got[2][1], got[1][1])
		near("paid back where that begins", got[3][0], got[2][0])
		near("received ends there", got[4][1], got[3][1])
		if most := max(got[1][1], got[0][1]); most < 99 {
			t.Errorf("%s: the largest ends at %.1f %%", name, most)
		}
		if got[1][1]-got[1][0] < 15 {
			t.Errorf("%s: what is added is %.1f %% wide", name, got[1][1]-got[1][0])
		}
	}
	if got := bridgeBars([]move{{"", 100}, {"−", 300}, {"=", -200}}); got != nil {
		t.Errorf("a sum below zero has bars: %v", got)
	}
	if got := edges([]move{{"", 0}, {"−", 0}, {"=", 0}}); len(got) != 3 {
		t.Errorf("nothing booked: %v", got)
	}
}

func percent(t *testing.T, s string) float64 {
	v, err := strconv.ParseFloat(s[:len(s)-1], 64)
	if err != nil {
		t.Fatalf("%q is no percentage", s)
	}
	return v
}
