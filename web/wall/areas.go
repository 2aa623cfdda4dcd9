package wall

import (
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/web/words"
)

// areaWords returns what is left by price area in one line: the number of places for staff, and the areas
// that certainly have places for the public. If areas share their places, a note before the first states
// that each may have fewer.
func (b builder) areaWords(s *evening.Show) (all []words.Sentence) {
	areas := slices.DeleteFunc(b.Evening.AreasOnSale(s), func(a figures.Area) bool { return !a.Free.Known() })
	key := "areas.left"
	if slices.ContainsFunc(areas, mayShare) {
		key = "areas.at_most"
	}
	for _, area := range areas {
		name := words.Name("area", area.Name)
		switch {
		case !b.Access.Public:
			free := b.Number(area.Free)
			if mayShare(area) {
				free = words.Num{Text: b.Count(area.Free.Value)}
			}
			all = append(all, b.Say(key, name, words.Plain("n", free)))
			key = "areas.left"
		case area.Sure == 0:
		case s.FewLeftOf(&area):
			all = append(all, b.Say("areas.few_left", name))
		default:
			all = append(all, b.Say("areas.some_left", name))
		}
	}
	return all
}

// mayShare reports whether other areas may use places that are counted as free in this one.
func mayShare(a figures.Area) bool {
	return a.Free.Quality == figures.Estimated && figures.AtMost(a.Free.Reasons)
}
