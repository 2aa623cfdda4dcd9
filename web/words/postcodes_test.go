package words_test

import (
	"testing"

	"housecount/web/words"
)

// Each square of a map is one area with a known place, and no two are in one place.
func TestPostcodeGrids(t *testing.T) {
	for country, areas := range map[string]int{"NL": 90, "BE": 80, "DE": 95} {
		g := words.GridOf(country)
		squares, names := map[[2]int]bool{}, map[string]bool{}
		for _, a := range g.Areas {
			if a.Col < 0 || a.Col >= g.Cols || a.Row < 0 || a.Row >= g.Rows || len(a.Area) != 2 || words.PlaceOf(country+" "+a.Area) == "" {
				t.Errorf("%s has the square %+v of %d by %d, in %q", country, a, g.Cols, g.Rows, words.PlaceOf(country+" "+a.Area))
			}
			squares[[2]int{a.Col, a.Row}], names[a.Area] = true, true
		}
		if g.Country != country || len(squares) != areas || len(names) != areas || len(g.Areas) != areas {
			t.Errorf("%s has %d areas of %d names in %d squares, want %d", g.Country, len(g.Areas), len(names), len(squares), areas)
		}
	}
	if words.GridOf("FR") != nil || words.GridOf("") != nil || words.PlaceOf("35") != "" || words.PlaceOf("FR 75") != "" || words.PlaceOf("NL 35") != "Utrecht" {
		t.Error("an area of no known country has a place")
	}
}
