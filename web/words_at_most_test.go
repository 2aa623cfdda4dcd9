package web_test

import (
	"testing"

	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
	"housecount/web"
)

// People in the building are at most a number if none of the halls can have more than it says: by those who came in, or
// counted. A hall that people leave without a scan may have more or fewer, and so may the building then.
func TestSumOfPeopleAtMost(t *testing.T) {
	unscanned := foldtest.Together([]record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")}, foldtest.Come(93, "a", "a", "A", "19:10", 5))
	counted := foldtest.Together([]record.Record{foldtest.Tonight("b", "Foyer", "19:00", "20:00", "22:00")}, foldtest.Come(9, "b", "b", "F", "19:10", 5), foldtest.ScannedOut("Foyer"))
	emptying := foldtest.Together([]record.Record{foldtest.Tonight("c", "Kelder", "17:00", "18:00", "20:20")}, foldtest.Come(111, "c", "c", "K", "17:10", 5))
	for _, c := range []struct {
		name    string
		records []record.Record
		want    string
	}{
		{"at most", unscanned, "at_most"},
		{"at most and counted", foldtest.Together(unscanned, counted), "at_most"},
		{"at most, counted and leaving by estimate", foldtest.Together(unscanned, counted, emptying), "estimated"},
	} {
		if in := foldtest.At("20:25", c.records...).House.Inside; web.QualityCode(in.Quality, in.Reasons) != c.want {
			t.Errorf("%s: %s is %s, want %s", c.name, foldtest.Say(in), web.QualityCode(in.Quality, in.Reasons), c.want)
		}
	}
}
