package manual

import (
	"slices"
	"testing"

	"housecount/assets"
)

// A word that the glossary has is found there first but for sections that are named after it.
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
