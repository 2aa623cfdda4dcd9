package web

import (
	"strings"
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/arriving"
	"housecount/web/words"
)

// Where about nobody is to come late, the top of the band is no promise: one night in ten more come. It is said as an estimate, in each language.
func TestNobodyOrMoreIsAnEstimate(t *testing.T) {
	for language, want := range map[words.Locale][2]string{
		words.English: {"≈ 0–3 latecomers", "≈ 0–3 will still come"},
		words.Dutch:   {"≈ 0–3 laatkomers", "≈ 0–3 komen nog"},
		words.German:  {"≈ 0–3 Nachzügler", "≈ 0–3 kommen noch"},
	} {
		b := &Builder{Words: words.Of(language)}
		h := &evening.House{WillComeMost: 3}
		got := [2]string{b.Late(b.Number(figures.Figure[int]{Quality: figures.Estimated}), arriving.Verdict{Band: figures.Band{High: 3}}).String(), b.HouseWillCome(h, Plain("")).String()}
		for i := range got {
			if said := strings.NewReplacer("\u00a0", " ", "\u2060", "").Replace(got[i]); said != want[i] {
				t.Errorf("%v: %q, want %q", language, said, want[i])
			}
		}
	}
}
