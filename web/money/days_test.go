package money

import (
	"encoding/json"
	"testing"

	"housecount/web/charts"
)

// A text above a bar is higher where that of a bar that is cut off would run into it, on either side of it.
func TestBesideNamed(t *testing.T) {
	bars := make([]charts.Point, 21)
	bars[4].Value = [3]any{4, json.Number("20")}
	charts.Cut(bars, 10, "@ink")
	for at, want := range map[int]bool{0: true, 2: true, 4: true, 9: true, 10: false, 12: false, 20: false} {
		if got := besideNamed(bars, at); got != want {
			t.Errorf("at bar %d beside the fifth: %t", at, got)
		}
	}
}
