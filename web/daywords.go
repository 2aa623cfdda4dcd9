package web

import (
	"strings"

	"housecount/aggregator/figures/evening"
)

// dayWords are the words for days that a search understands, in the language of the page.
func (b *builder) dayWords() evening.DayWords {
	near := map[string]int{}
	for days, texts := range map[int]string{0: b.Text("near.today"), 1: b.Text("near.tomorrow"), -1: b.Text("near.yesterday")} {
		for text := range strings.SplitSeq(texts, ", ") {
			near[text] = days
		}
	}
	return evening.DayWords{Months: b.Months(), Weekdays: b.Weekdays(), Near: near}
}
