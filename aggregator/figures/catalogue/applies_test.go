package catalogue_test

import (
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// Figures apply in the phases in which they mean something.
func TestApplies(t *testing.T) {
	records := append(foldtest.Come(3, "c", "a", "A", "19:10", 1), foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00", func(e *record.Event) { e.Capacity = new(10) }))
	for k, want := range map[figures.Key][3]bool{ // at noon, while people arrive, and when it is over
		figures.KeySold:      {true, true, true},
		figures.KeyFree:      {true, true, false},
		figures.KeySoldHour:  {true, true, false},
		figures.KeyNotYetIn:  {false, true, false},
		figures.KeyInside:    {false, true, false},
		figures.KeyCame:      {false, true, true},
		figures.KeyNoShows:   {false, false, true},
		figures.KeyOversold:  {false, false, false},
		figures.KeyToPayBack: {false, false, false},
		figures.KeyOut:       {false, false, false},
	} {
		for i, now := range []string{"12:00", "19:40", "23:30"} {
			v := foldtest.At(now, records...)
			if got := catalogue.Applies(v.Show(v.Snapshot.Event("a")), k); got != want[i] {
				t.Errorf("%s at %s: %v", k, now, got)
			}
		}
	}
	v := foldtest.At("12:00", foldtest.Event("a", foldtest.Status(record.EventCancelled)))
	if s := v.Show(v.Snapshot.Event("a")); !catalogue.Applies(s, figures.KeyToPayBack) || catalogue.Applies(s, figures.KeySoldHour) {
		t.Error("what is to be paid back is of a cancelled performance, what was sold of late is not")
	}
}
