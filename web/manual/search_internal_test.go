package manual

import (
	"slices"
	"testing"

	"housecount/assets"
)

// For a word in the glossary, its definition comes first, after sections that have the word as their heading.
func TestSearchFindsDefinitions(t *testing.T) {
	b, err := Open(assets.Manual)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"hold", "occupancy", "chargeback"} {
		at := slices.IndexFunc(b.search(word), func(h hit) bool { return h.chapter.Topic == "glossary" })
		if at < 0 || at > 2 {
			t.Errorf("%s: the glossary is hit %d", word, at)
		}
	}
}
